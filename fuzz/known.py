"""Differences that were decided, each with its row in docs/differences.md."""

import re

from checks import chosen, nearer, not_finite, out_of_range, restored, same_totals, singular, solved, written


def call(names):
    """A pattern for a call of one of these functions or methods, in place or not."""
    return rf"\b({'|'.join(names.split())})_?\("


def roughly(case):
    """The numbers are near each other, as after roundings of half types that are made of others."""
    return not not_finite(case) and all(abs(a - b) <= 0.15 * max(abs(a), abs(b), 1) for a, b in case.pairs())


def rounded(case):
    """Infinite or no number on one side wherever they differ, or nearer to float64."""
    return not_finite(case) or nearer(case)


def cannot_tell(case):
    """Factors of a matrix that has several, or of one that is singular but for rounding."""
    return restored(case) or singular(case)


HALF = r"float16[\s\S]*"  # float16 or bfloat16 somewhere before
OTHER = r"T\('(?!float32)[\s\S]*"  # something of another dtype than the default one
ANY = ""
GRAD = r"(?s)(?=.*grad)[\s\S]*"  # gradients somewhere in the program
# Factors of matrices that have signs, phases or an order of their own.
FACTORS = r"_?linalg_qr linalg_eig qr eig(vals)? geqrf ldl_factor\w*"
SOLVERS = r"lu(_factor\w*)? \w*det (tensor|p)?inv\w* \w*solve\w* qr matrix_(exp|rank) lstsq cholesky\w* cond eigv\w*"
BESSEL = r"polygamma i0 i1 i0e i1e \w*bessel_\w+ airy_ai zeta igammac? gammaincc?"
NORMS = r"lp_pool\dd norm_except_dim pairwise_distance \w+_norm norm renorm cdist pdist dist triplet_margin_loss"
CONVOLUTIONS = r"conv(_transpose)?\dd"
ROUNDED = rf"grid_sample interpolate cross_entropy (instance|group|layer|batch)_norm lp_pool\dd bilinear {CONVOLUTIONS}"
ARGUMENT = r"(?:[^,()\[\]]+|[(\[][^)\]]*[)\]])"  # a number, a name, or some in brackets
WRITES = "scatter put index_copy index_put"

# What is in the program, the class of the difference, what is in its detail (of values: those that differ), and why.
DECIDED = [
    (call("topk kthvalue mode sort argsort msort median nanmedian"), "value", chosen, "which of equal elements"),
    (r"\b0\b[\s\S]*" + call("median nanmedian"), "value", r"value: \[(0j?|False)\] for", "the median of nothing"),
    (call(WRITES), "value", written, "which of several writes to one element"),
    (r"\[.*\b[a-m]\b.*\] = ", "value", written, "which of several writes to one element"),
    (call("polygamma"), "value", "inf", "polygamma at poles is infinite"),
    (r"\((?:.*\b)?([a-m])\b.*out=\(?.*\b\1\b", "value shape", ANY, "out= that is read after it was written"),
    (
        r"\b([a-m]) = ([a-m])[.\[].*\n[\s\S]*\((?:.*\b)?\2\b.*out=\(?\1\b",
        "value shape",
        ANY,
        "out= that is read after it was written",
    ),
    (HALF + r"torch\.[\w.]+\((?:.*\b(?:input|self)=)?-?\d[^,]*, ", "value", rounded, "numbers beyond a half type"),
    (HALF + r"_foreach_\w+\([\[(][^])]*[\])], .*(2|10)\*\*", "value", rounded, "numbers beyond a half type"),
    (HALF + call("xlogy xlog1py") + ".*\\b(1000|(2|10)\\*\\*\\d+)", "value", rounded, "numbers beyond a half type"),
    (HALF + call(r"__r\w+__") + r"-?[^()]*\d", "value", rounded, "numbers beyond a half type"),
    (HALF + r"r = -?\d\S* \*\* ", "value", rounded, "numbers beyond a half type"),
    (
        HALF + call("add sub rsub pow _foreach_pow") + r".*(\d{4}|\*\*|1e)",
        "value",
        rounded,
        "numbers beyond a half type",
    ),
    (call("addmv"), "shape", r"\(0,\) for|for \((1,)?\)", "a number and a matrix of nothing"),
    (r"(, 1, \d+|, \d+, 1)\), \(\d+, 1, [\s\S]*conv_transpose2d\(", "value", nearer, "weights of odd strides"),
    (call("slogdet"), "value", singular, "matrices that are singular but for rounding"),
    (call("bucketize searchsorted") + r".*(2|10)\*\*", "value", ANY, "numbers that integer boundaries cannot hold"),
    (r"torch\.normal\(.*out=", "shape", ANY, "normal numbers into an empty tensor"),
    (r"jacfwd\(lambda x: x\.(max|min)\(\)\)", "value", "for .*nan", "tangents of extremes that are NaN"),
    (r"complex[\s\S]*_foreach_powsum\(.*dtype=", "value", ANY, "imaginary parts that are dropped"),
    (r"_weight_norm\(", "value shape", ANY, "lengths of another shape"),
    (r"\b([a-m])\.(addmm|addmv|baddbmm|addbmm)_\(.*\b\1\b", "value", ANY, "out= that is read after it was written"),
    ("soft_margin_loss", "value", " for .*(inf|nan)", "soft_margin_loss does not overflow"),
    (call("ldexp") + r".*(2\*\*|10\*\*|1e30|1000|300)", "value", out_of_range, "ldexp of huge exponents"),
    (r"(edge|2\*\*)[\s\S]*" + call("ldexp"), "value", out_of_range, "ldexp of huge exponents"),
    (call("var_mean std_mean"), "value", "inf.* for .*nan", "the mean of infinities"),
    (call("var std var_mean std_mean") + r".*(\(\)|\[\])", "value", "grad", "a variance over no dimensions"),
    (r"unique_consecutive\(.*(True|1)", "value shape", ANY, "flags that are mixed up"),
    (call("lcm"), "value", "-", "lcm that overflows"),
    (r"\bint\d+'.*edge[\s\S]*" + call("gcd"), "value", "-", "lcm that overflows"),
    (
        rf"max_pool\dd(_with_indices)?\((.*dilation=\D?.*[2-9]|{ARGUMENT}(, {ARGUMENT}){{3}}, (\([\d, ]*)?[2-9])",
        "value",
        r"^r value: [\[\d, \]]* for .*\(item 1\)",
        "windows of nothing",
    ),
    (r"_window\(.*float16", "value", roughly, "half types that round on the way"),
    (call("(_foreach_)?sigmoid expit logit gelu"), "value", not_finite, "activations of infinities"),
    (r"(edge|2\*\*)[\s\S]*airy_ai\(", "value", rounded, "Airy functions of large numbers"),
    (call(BESSEL), "value", not_finite, "special functions of infinities"),
    (r"special\.\w*_polynomial_\w+\(", "value", "nan", "polynomials of NaN"),
    (r"(edge|2\*\*)[\s\S]*_polynomial_|_polynomial_.*2\*\*", "value", ANY, "polynomials of huge degrees"),
    (r"(?s)(?=.*uint8|.*int\d+).*edge.*\bfft\.", "value", rounded, "sums of huge numbers that cancel"),
    (
        call(r"(_foreach_)?(" + NORMS.replace(" ", "|") + ")")
        + r".*\b(1e-\d+|-?[1-9]\d{2,}|0\.1|-1\.5|(2|10)\*\*.*)\b",
        "value",
        rounded,
        "norms of tiny and huge orders",
    ),
    (call(FACTORS), "value", cannot_tell, "signs of factors"),
    (
        r"T\([^\n]*\b0\b[^\n]*\)[\s\S]*" + call("svd svdvals"),
        "value",
        singular,
        "matrices that are singular but for rounding",
    ),
    (call("linalg_svd svd"), "value", cannot_tell, "signs of factors"),
    (call("linalg_eigh eigh lobpcg"), "value", cannot_tell, "signs of factors"),
    (
        r"edge[\s\S]*" + call("svd eigh lobpcg svdvals eigvalsh"),
        "value",
        not_finite,
        "matrices with NaN and infinities",
    ),
    (call(SOLVERS), "value", not_finite, "matrices with NaN and infinities"),
    (HALF + call("matrix_exp"), "value", rounded, "matrix_exp of half types"),
    (
        rf"({HALF}{call('addmm addmv baddbmm addbmm')}|{call('baddbmm')}|complex[\s\S]*{call('addmv')}).*"
        r"alpha=(0(\.0)?|False|-0\.0)\b",
        "value",
        "for .*nan",
        "factors that are not read",
    ),
    (call("cholesky_inverse"), "value", r"j\)", "factors with a complex diagonal"),
    (r"_fft_\w+\(.*-\d", "shape value", ANY, "transforms of dimensions from the end"),
    (r"\bfft\.\w+\(|\b(i?stft)\(", "value", not_finite, "transforms of infinities"),
    (call(CONVOLUTIONS), "value", not_finite, "convolution of infinities, beside padding"),
    (call(CONVOLUTIONS) + r"[\s\S]*backward", "value", "grad value.* for .*0.0", "convolution of no channels"),
    (call(CONVOLUTIONS), "shape", r" for \((\d+, )?0,", "convolution of no channels"),
    (HALF + call(ROUNDED), "value", roughly, "half types that round on the way"),
    (HALF + call("put index_put index_add scatter_add"), "value", roughly, "half types that round on the way"),
    (r"embedding_bag\(.*'max'", "value", "nan", "maxima of NaN"),
    (r"embedding_bag\(.*'max'", "value", "grad value", "equal maxima"),
    (r"embedding_bag\(.*\[0, 2, 0, 6\]", "value", ANY, "bags that end before they begin"),
    (r"embedding_bag\(.*include_last_offset=True", "value", ANY, "bags that do not end at the end"),
    (r"cross_entropy\(.*ignore_index", "value", "grad value.* for .*nan", "examples that are ignored"),
    (r"pixel_unshuffle", "shape", "0", "pixels of nothing"),
    (
        call(r"\w*group_norm instance_norm \w*layer_norm rms_norm \w*batch_norm\w*"),
        "value",
        not_finite,
        "normalization by infinities",
    ),
    (call("interpolate upsample\\w* grid_sample"), "value", not_finite, "resampling of infinities"),
    (call("multi_margin_loss multilabel_margin_loss"), "value", not_finite, "margins of NaN"),
    (r"edge[\s\S]*" + call("multi_margin_loss multilabel_margin_loss"), "value", "grad", "margins of NaN"),
    (call("unique"), "value", "nan", "the order of NaN among rows"),
    (r"edge[\s\S]*" + call("unique"), "value", r"value: \[\d", "the order of NaN among rows"),
    (call("isin") + ".*assume_unique=True", "value", ANY, "elements that are said to be unique"),
    (call("_foreach_pow pow float_power") + r".*\b\d+\*\*\d+", "value", ANY, "exponents beyond the dtype"),
    (call("matrix_power multi_dot chain_matmul"), "value", "nan", "products that overflow on the way"),
    (call("a?range linspace logspace fftfreq rfftfreq") + ".*out=", "shape", ANY, "factories that keep a shape"),
    (r"T\('u?int\d+'.*edge[\s\S]*isin\(", "value", "False.* for .*True", "numbers that become one"),
    (OTHER + call("linspace logspace arange range") + ".*out=", "value", ANY, "factories that write to another dtype"),
    (call("triangular_solve"), "shape", ANY, "coefficients that are given back"),
    (r"edge[\s\S]*" + call("binary_cross_entropy_with_logits"), "value", not_finite, "losses of infinities"),
    (call("ormqr orgqr householder_product"), "grad", "for None", "no reflectors"),
    (call("cosine_similarity") + r".*, [01]\)", "value", "grad value", "directions of nothing"),
    (call("(arc|a)cosh"), "value", "grad value.*nan.* for ", "acosh below -1"),
    (call("celu") + r".*(-\d|nan|-inf)", "value", not_finite, "celu that grows"),
    (call("cdist pdist") + r".*\b0(\.0)?\b", "value", "nan", "NaN in distances of order 0"),
    (r"register_hook\(seen.append\)", "value", "^seen", "gradients that hooks keep"),
    (r"hessian\(lambda x: x.prod", "value", rounded, "sums of huge numbers that cancel"),
    (r"\(0, .*[\s\S]*multi(label)?_margin_loss\(", "value", ANY, "losses of no examples"),
    (r"\(0, .*[\s\S]*" + call("lstsq"), "shape", ANY, "equations of no batches"),
    (r"\(1, .*[\s\S]*" + call("lstsq"), "shape", r"\(1, [\d, ]+\) for", "right hand sides of every equation"),
    (r"\b([a-m])\.masked_scatter_\(.*\b\1\b", "value", ANY, "elements that are read after they were written"),
    (HALF + r"\b(_foreach_)?pow_?\(.*\b0\.5\)", "value", not_finite, "roots by a power"),
    (r"\b([a-m]) = ([a-m])\.[\s\S]*^\2\[.*\] = \1\[", "value", ANY, "elements that are read after they were written"),
    (HALF + call("einsum"), "value", not_finite, "products that overflow on the way"),
    (r"edge[\s\S]*" + call("triplet_margin_loss"), "value", rounded, "distances of huge numbers that cancel"),
    (r"_unsafe_masked_index\(", "shape", r"for \(.*\b0", "elements of nothing"),
    (
        r"edge[\s\S]*" + call("lu"),
        "value",
        lambda case: not_finite(case) or restored(case),
        "matrices with NaN and infinities",
    ),
    (r", 0, \d+\)|, 0\)[\s\S]*" + call("lu"), "value", ANY, "matrices that are singular but for rounding"),
    (r"\b0\b[\s\S]*native_layer_norm\(.*\b0\b", "value", "nan", "means of nothing"),
    (r"edge[\s\S]*matrix_norm\(.*'nuc'", "value", "grad", "signs of factors"),
    (r"\ba?range\(.*2\*\*6\d", "shape", r"for \(0,\)", "steps that wrap around"),
    (
        call("[hvd]split roll sum split") + r"(\w+, )?(\w+=)?([a-m]\b|T\()",
        "shape",
        ANY,
        "tensors of one element as an int",
    ),
    (r"func\.\w+\(lambda x: x.softmax", "value", "nan.* for .*0.0", "softmax of NaN without dimensions"),
    (r"grad_fn.register_hook\(lambda a, b: seen.append\(len\(a\)", "value", "seen value", "edges of numbers"),
    (r"T\('u?int[\s\S]*\] = ", "value requires_grad", "True for False|False for True", "histories of whole numbers"),
    (
        call("pinv pinverse lu_factor\\w* matrix_rank cond"),
        "value",
        singular,
        "matrices that are singular but for rounding",
    ),
    (call("lstsq"), "value", solved, "matrices that are singular but for rounding"),
    (r"as_strided_scatter", "value", ANY, "the order of writes to memory that overlaps itself"),
    (r"np.bool_", "dtype", ANY, "NumPy's bools"),
    (r"pad\(.*-\d.*'circular'", "value", ANY, "circular padding that crops"),
    (r"scatter_reduce\(.*include_self=False", "value", "grad value", "what is not included takes a share"),
    (r"view\(torch.bool\)", "value", ANY, "bytes that are no bool"),
    (
        r"edge[\s\S]*" + call("scaled_dot_product_attention multi_head_attention_forward"),
        "value",
        "nan",
        "attention to infinities",
    ),
    (r"\b0\b[\s\S]*" + call("scaled_dot_product_attention"), "shape", ANY, "attention without features"),
    (call("scaled_dot_product_attention"), "shape", "0|1", "attention without features"),
    (call("prod cumprod"), "value", not_finite, "products that overflow on the way"),
    (r"\b([a-m])\.cov\(|\bcov\(([a-m])\b", "value", r"^[a-m] ", "cov that writes to its input"),
    (call("cov") + r".*correction=-?(2\*\*|\d{9})", "value", ANY, "a correction beyond all counts"),
    (r"uint8[\s\S]*\b(all|any)\(.*out=", "value", ANY, "all and any into bytes"),
    (call("histc histogram histogramdd"), "value", ANY, "numbers at the edge of a bin"),
    (r"alpha=-2\*\*63", "value", ANY, "alpha that cannot be negated"),
    (r"\*\*|" + call("(_foreach_)?pow float_power"), "value", r"j\)", "complex powers of numbers and infinities"),
    (r"\.data(\n[\s\S]*( \*|_\()|\.\w+_\()[\s\S]*(backward|grad)\(", "value", "grad", "writes that nobody notices"),
    (r"edge[\s\S]*segment_reduce\(.*'(min|max)'", "value", "grad value: .*nan", "gradients of extremes that are NaN"),
    (
        r"\.(detach_\(\)|requires_grad_\(False\))",
        "value requires_grad",
        "True for False|False for True",
        "views of what was detached",
    ),
    (r"\.detach_\(\)", "grad", "None", "views of what was detached"),
    (r"float64[\s\S]*" + call("celu"), "value", "grad", "celu in half of its digits"),
    (r"u?int\d+'.*edge[\s\S]*" + call("pairwise_distance"), "value", "for .*inf", "distances of whole numbers"),
    (r"\.data = ", "shape dtype grad value", ANY, "leaves given other data or shapes"),
    (
        GRAD + r"\b(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(",
        "shape dtype grad",
        ANY,
        "leaves given other data or shapes",
    ),
    (
        GRAD + r"\b(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(",
        "value",
        r"^about_\w value: (\d|True|False)",
        "leaves given other data or shapes",
    ),
    (r"@|_mode|\bno_grad", "value", r"^about_\w value: \d", "how often an operator writes its result"),
    ("inference_mode", "value shape grad", ANY, "writes to inference tensors raise before they are made"),
    (r"(vjp|linearize)\(lambda x: \(x, ", "grad value", ANY, "outputs that are inputs"),
    (r"torch\.func\.", "requires_grad", ANY, "results that depend on no input"),
    ("functionalize", "refused type", ANY, "not built"),
    (
        r"torch\.nn\.functional\.",
        "type",
        r"TypeError: .* \| AttributeError|TypeError: \w+\(\): argument '\w+' .*must be .* \| \w+Error",
        "functions in Python that are given no tensor",
    ),
    (r"torch\.(_|native_)", "dtype", ANY, "the dtype of what compositions hand on"),
    # Memory layout.
    (call("conj_physical"), "kind", "same", "copies of real tensors"),
    (call("batch_norm rms_norm log_?sigmoid rrelu nll_loss cross_entropy"), "strides", ANY, "one rule for layouts"),
    (call("binary_cross_entropy_with_logits rpow"), "strides", ANY, "one rule for layouts"),
    (r"torch\.(autograd|func)\.", "strides", r" for \(.*\b0\b", "gradients that are written out"),
]


VIEW = re.compile(
    r"^([a-m]) = ([a-m])(\[|\.(as_strided|chunk|data|detach|diagonal|expand|flatten|mT|mH|movedim|narrow|permute|ravel"
    r"|real|reshape|select|slice\w*|split\w*|squeeze|swapaxes|t|T|transpose|unbind|unflatten|unfold|unsqueeze|view\w*)\b)"
)
WRITE = (
    re.compile(r"(?:with [^:]*: |\w = )?(?P<to>[a-m])(\.\w+_\(| \S{1,2}= |\[.*\] = )(?P<of>.*)"),
    re.compile(r".*\btorch\.(Tensor\.)?\w+_\((?P<to>[a-m])\b(?P<of>.*)"),
    re.compile(r".*\((?P<of>.*)\bout=\(?(?P<to>[a-m])\b"),
)


def shows_memory(program, detail):
    """Whether strides that differ are those of a view, or of what was written in place: there is one right answer."""
    name = detail.partition(" ")[0]
    of_name = [line for line in program.split("\n") if re.match(rf"{name} = |{name}\.\w+_\(", line)]
    return any(VIEW.match(line) or re.match(rf"{name}\.\w+_\(", line) for line in of_name)


def writes_to_its_operand(program):
    """Whether a tensor is written in place from another window on its memory."""
    whole = {}
    for line in program.split("\n"):
        if view := VIEW.match(line):
            name, of = view[1], view[2]
            whole[name] = whole.get(of, of)
        elif write := next(filter(None, (pattern.match(line) for pattern in WRITE)), None):
            root = whole.get(write["to"], write["to"])
            if any(whole.get(name, name) == root for name in re.findall(r"\b[a-m]\b", write["of"])):
                return True
    return False


def writes(program):
    """Whether it writes to anything that is there already."""
    return re.search(r"\w_\(|\bout=|^\w+\[.*\] \S{0,2}= |^\w+ \S{1,2}= ", program, re.MULTILINE)


def overlaps_itself(program):
    """Whether it makes a tensor whose elements share memory, which may be written to in any order."""
    if re.search(r"\.(unfold|as_strided)\(", program):
        return True
    for sizes, strides in re.findall(r"T\('\w+', (\([^)]*\)), (\([^)]*\))", program):
        reach = 0
        for stride, size in sorted(zip(eval(strides), eval(sizes), strict=True)):
            if size > 1 and stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def reason(case):
    """Why a difference (a `checks.Case`) is none, or None."""
    program, kind, detail = case.program, case.kind, case.detail
    for in_program, kinds, in_detail, why in DECIDED:
        if (
            kind in kinds.split()
            and re.search(in_program, program, re.MULTILINE)
            and (in_detail(case) if callable(in_detail) else re.search(in_detail, detail))
        ):
            return why
    if (
        kind == "value" and not detail.startswith("r ") and writes(program) and overlaps_itself(program)
    ):  # `r` is a fresh result
        return "the order of writes to memory that overlaps itself"
    if kind == "value" and re.search(call("slice_scatter select_scatter diagonal_scatter"), program):
        return "the order of writes to memory that overlaps itself" if overlaps_itself(program) else None
    if kind == "value" and re.search(r"as_strided|stft", program) and overlaps_itself(program):
        return "gradients of elements that share memory" if same_totals(case) else None
    if kind == "value" and writes_to_its_operand(program):
        return "parts that are added to the whole"
    if "scaled_dot_product_attention" in program and overlaps_itself(program):
        return "attention whose query overlaps itself"
    return None
