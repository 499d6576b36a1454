"""Differences that were decided. Each row quotes the page in docs/differences that states it, and has a check of it."""

import re

import numpy as np
from checks import (
    cancelled,
    chosen,
    contiguous,
    differ_so,
    empty,
    every,
    finite_for_none,
    from_operands,
    in_shared_cells,
    instead,
    nearer,
    not_finite,
    number_for_none,
    out_of_range,
    overflows,
    reads_first,
    restored,
    same_totals,
    says,
    shapes,
    singular,
    solved,
    some,
    unbounded,
    whole_extremes,
    without_out,
    written,
)
from outcomes import close
from properties import (
    MADE,
    as_ints,
    as_many_channels_as_the_weight,
    assigned,
    attention,
    bags,
    both_have_gaps,
    broadcast,
    cannot_tell,
    coefficients,
    column_by_column,
    correct,
    counts_none,
    cumulated,
    detached,
    equations,
    fits,
    flags_by_name,
    freed_by_a_storage,
    from_an_array,
    handed_back,
    history_of_whole_numbers,
    huge_degree,
    infinite,
    inverse_of_the_product,
    layout_of_the_input,
    masks_and_indices,
    more_entries,
    most_frequent,
    nan_first,
    nan_in,
    of_every_example,
    of_nothing,
    one_write,
    operand_shares_memory,
    other_dimensions,
    permuted,
    powers_of_the_real_part,
    replaced_by_another_shape,
    row_by_row,
    rows_of_the_matrix,
    same_counts,
    same_numbers,
    shorter,
    tiny_or_huge_order,
    to_double,
    unchanged,
    unreadable_zeros,
    version_of_the_memory,
    with_infinities,
    without_gaps,
    wrapped,
    written_in_inference_mode,
    written_out,
    zero_on_the_diagonal,
    zeros,
)
from sharing import overlaps_itself, shows_memory, writes


def call(names):
    """A pattern for a call of one of these functions or methods, in place or not."""
    return rf"\b({'|'.join(names.split())})_?\("


HALF = r"float16[\s\S]*"  # float16 or bfloat16 somewhere before
# Factors of matrices that have signs, phases or an order of their own.
FACTORS = r"_?linalg_qr linalg_eig qr eig(vals)? geqrf ldl_factor\w* linalg_svd svd linalg_eigh eigh lobpcg"
SOLVERS = r"lu(_factor\w*)? \w*det (tensor|p)?inv\w* \w*solve\w* qr matrix_(exp|rank) lstsq cholesky\w* cond eigv\w*"
SOLVERS += r" \w*svd\w* eigh lobpcg ormqr"
BESSEL = r"i0 i1 i0e i1e \w*bessel_\w+ airy_ai zeta igammac? gammaincc? polygamma"
NORMS = r"lp_pool\dd norm_except_dim pairwise_distance \w+_norm norm renorm cdist pdist dist triplet_margin_loss"
NORMS += r" embedding_renorm"
CONVOLUTIONS = r"conv(_transpose)?\dd"
ARGUMENT = r"(?:[^,()\[\]]+|[(\[][^)\]]*[)\]])"  # a number, a name, or some in brackets
IN_PLACE = r"\b(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(|\.data = "

# What is in the program, the class of the difference, the property that it has, and words of the page that states it.
DECIDED = [
    # Tensors.
    (
        call("topk kthvalue mode sort argsort msort median nanmedian"),
        "value",
        chosen,
        "select among equal elements by their algorithm",
    ),
    (call("mode"), "value", most_frequent, "may return an element that is not the most frequent"),
    (
        call("cumprod"),
        "value",
        every(says("grad"), number_for_none),
        "gradient of `cumprod` is NaN from the first NaN",
    ),
    (
        call("prod cumprod"),
        "value",
        every(says("grad"), unbounded, differ_so(lambda a, b: a == 0 and b != b)),
        "for an element beside a zero and an infinity",
    ),
    (
        call("renorm"),
        "value",
        every(says("grad"), nan_in, differ_so(lambda a, b: a != a and b == 1)),
        "gradient of `renorm` for a slice with NaN",
    ),
    (r"\.data = ", "value", replaced_by_another_shape, "have the shape of the new data"),
    (
        call("median nanmedian"),
        "value",
        every(empty, differ_so(lambda a, b: a == 0)),
        "flambeau's is 0, because there is no NaN to convert",
    ),
    (
        r"T\([^\n]*\), \([^)]*\b0\b[\s\S]*" + call("median nanmedian"),
        "value",
        contiguous,
        "along an expanded dimension",
    ),
    (call("scatter put index_copy index_put") + r"|\[.*\b[a-m]\b.*\] = ", "value", written, "the last write wins"),
    (
        call("polygamma"),
        "value",
        some(differ_so(lambda a, b: infinite(a)), every(lambda case: max([0, *case.literals()]) > 30, not_finite)),
        "at a pole is a huge number",
    ),
    (
        call("digamma psi"),
        "value",
        every(says("grad"), differ_so(lambda a, b: infinite(a))),
        "at a pole is a huge number",
    ),
    (
        call("_foreach_a(rc)?cos a(rc)?cos"),
        "value",
        differ_so(lambda a, b: close(a, complex(b).conjugate(), 1e-5)),
        "the sign of an imaginary part of zero",
    ),
    (r"view_copy\(", "requires_grad", says("True for False"), "`view_copy` with a dtype has no history"),
    (
        r"out=",
        "value shape",
        some(without_out, reads_first),
        "may read an `out=` tensor that shares memory with an input",
    ),
    (
        r"(arange|range|linspace|logspace|fftfreq|normal)\(.*out=",
        "shape value",
        without_out,
        "`out=` always takes the shape of the result",
    ),
    (r"_\(|\] = |\] \S{1,2}= |^\w \S{1,2}= ", "value", reads_first, "reads values that it has already written"),
    (HALF, "value", nearer, "converts a number to the tensor's half type before"),
    (call("addmv"), "shape", shapes(rows_of_the_matrix), "of a single number and a matrix without rows or columns"),
    (
        call("bucketize searchsorted"),
        "value",
        to_double,
        "wrap a number around that integer boundaries cannot represent",
    ),
    (
        r"complex[\s\S]*_foreach_powsum\(.*dtype=",
        "value",
        some(
            powers_of_the_real_part,
            differ_so(lambda a, b: complex(b).imag == 0 and close(complex(a).real, complex(b).real, 1e-3)),
        ),
        "drops the imaginary part of tensors with one element only",
    ),
    (
        r"_foreach_add_\(",
        "value",
        instead(r"(_foreach_add_\([^()]*)\)$", r"\1, alpha=1)"),
        "reads a tensor without dimensions once",
    ),
    (
        r"complex[\s\S]*" + call("var std var_mean std_mean"),
        "value",
        differ_so(lambda a, b: infinite(a) and b != b),
        "are infinite unless all numbers are equal",
    ),
    (
        call("cumsum_ cumprod_"),
        "value",
        lambda case: overlaps_itself(case.program) and cumulated(case),
        "write the result for the old values",
    ),
    (call("ldexp"), "value", out_of_range, "keeps the lower 32 bits of an int64 exponent"),
    (
        call("var_mean std_mean"),
        "value",
        differ_so(lambda a, b: infinite(a) and b != b),
        "return NaN as the mean of infinities",
    ),
    (
        call("var std var_mean std_mean"),
        "value",
        every(says("grad"), instead(r"(\(\)|\[\])(?=[,)])", "None")),
        "divides by the degrees of freedom of one element",
    ),
    (
        r"unique_consecutive\(",
        "value shape kind",
        some(
            instead(
                r"torch\.unique_consecutive\((\w+|" + MADE + r")((?:, (?:[\w=-]+|" + MADE + r"))+)\)", flags_by_name
            ),
            instead(r"\b([a-m])\.unique_consecutive\(((?:(?:, )?[\w=-]+)+)\)", flags_by_name),
        ),
        "treats `return_inverse` as `return_counts`",
    ),
    (
        call("lcm gcd"),
        "value",
        every(whole_extremes, differ_so(lambda a, b: a == -b)),
        "differ if the result overflows",
    ),
    (
        call("(_foreach_)?sigmoid expit logit gelu"),
        "value",
        some(number_for_none, finite_for_none),
        "flambeau returns the limits and keeps the eps",
    ),
    (
        call("isin") + ".*assume_unique=True",
        "value",
        instead("assume_unique=True", "assume_unique=False"),
        "reports elements that occur twice as members",
    ),
    (call("isin"), "value", to_double, "members that become equal only after conversion"),
    (
        call("_foreach_pow pow float_power") + r"|\*\*",
        "value",
        some(
            differ_so(lambda a, b: abs(a) == abs(b)),
            every(
                lambda case: max([0, *case.literals()]) > 1e6,
                differ_so(lambda a, b: isinstance(a, complex) and close(abs(a), abs(b), 1e-3)),
            ),
        ),
        "rounds the exponent in `x ** number`",
    ),
    (
        call("_foreach_pow pow float_power logspace") + r"|\*\*",
        "value",
        every(says(r"j\)"), number_for_none),
        "computes a complex power with a tensor without dimensions",
    ),
    (call("hsplit vsplit dsplit roll sum split"), "shape", as_ints, "treat a tensor with one element as a list of one"),
    (
        r"np.bool_",
        "dtype",
        some(instead(r"np\.bool_", "bool"), same_numbers),
        "treats them as floating-point numbers",
    ),
    (
        call("prod cumprod matrix_power multi_dot chain_matmul einsum"),
        "value",
        some(
            differ_so(lambda a, b: not np.isfinite(a) and not np.isfinite(b)), nearer, every(overflows, finite_for_none)
        ),
        "the order of products and sums determines",
    ),
    (
        r"'(bool|u?int\d+)'[\s\S]*" + call("einsum"),
        "dtype",
        every(empty, says(r"torch.int64 for torch.(bool|u?int\d+)")),
        "raises if it sums a label of one operand",
    ),
    (call("cov"), "value", contiguous, "`cov` of one variable writes to its input"),
    (
        call("cov") + r".*correction=-?(2\*\*|\d{9})",
        "value",
        differ_so(lambda a, b: np.isfinite(a)),
        "overflows in a subtraction",
    ),
    (r"uint8[\s\S]*\b(all|any)\(.*out=", "value", without_out, "convert the input to bytes first"),
    (call("histc histogram histogramdd"), "value", same_counts, "may therefore count in the next bin"),
    (r"alpha=-2\*\*63", "value", instead(r"alpha=-2\*\*63", "alpha=-2.0**63"), "overflows when it negates alpha"),
    (
        r"as_strided_scatter|(slice|select|diagonal)_scatter",
        "value",
        some(from_operands, same_totals),
        "write in the order of their kernel",
    ),
    (
        call("celu"),
        "value",
        every(says("grad"), differ_so(lambda a, b: close(a, b, 1e-6))),
        "computes gradients of `celu` in double precision",
    ),
    (
        call("hardsigmoid"),
        "value",
        every(says("grad"), differ_so(lambda a, b: close(a, b, 1e-6))),
        "gradients of `hardsigmoid` in double precision",
    ),
    (
        r"scatter_reduce\(.*'prod'",
        "value",
        every(says("grad"), unbounded, differ_so(lambda a, b: a == 1 and b != b)),
        "that nothing is scattered to",
    ),
    (
        r"\bgradient\(",
        "value",
        every(with_infinities, differ_so(lambda a, b: a == 0 and b != b)),
        "by an infinite complex spacing",
    ),
    (
        call("local_response_norm"),
        "value",
        instead(r"2\*\*(\d+)", r"2.0**\1"),
        "multiplies whole numbers by `alpha` in int64",
    ),
    (
        r"scatter_reduce\(.*include_self=False",
        "value",
        every(
            says("grad"),
            some(
                instead(
                    r"(\w)\.scatter_reduce\((.*)include_self=False",
                    r"torch.full_like(\1, inf).scatter_reduce(\2include_self=True",
                ),
                instead(
                    r"(\w)\.scatter_reduce\((.*)include_self=False",
                    r"torch.full_like(\1, -inf).scatter_reduce(\2include_self=True",
                ),
            ),
        ),
        "gives a part of the gradient to equal elements",
    ),
    (
        r"view\(torch.bool\)",
        "value",
        some(
            lambda case: any((x.astype(float) > 1).any() for x in case.operands()) or "view" in case.line,
            lambda case: case.instead(case.program.replace("view(torch.bool)", "view(torch.uint8)")),
        ),
        "use the value of the byte",
    ),
    (call("(arc|a)cosh"), "value", differ_so(lambda a, b: a != a), "gradient of `acosh` below -1"),
    (call("ormqr orgqr householder_product"), "grad", zeros, "without reflectors are None"),
    (
        call("cdist pdist"),
        "value",
        every(unbounded, differ_so(lambda a, b: b != b and np.isfinite(a))),
        "counts a NaN as a difference",
    ),
    (
        r"u?int\d+'[\s\S]*" + call("pairwise_distance triplet_margin_with_distance_loss"),
        "value",
        every(whole_extremes, finite_for_none),
        "of whole numbers beyond 10**19 is infinite",
    ),
    (r"_unsafe_masked_index\(", "shape", shapes(masks_and_indices), "of a tensor without elements has a special shape"),
    (
        r"\ba?range\(.*2\*\*6\d",
        "shape",
        shapes(lambda case, ours, theirs: theirs == (0,)),
        "wraps around internally for arguments near 2**63",
    ),
    (call("unique"), "value", nan_first, "numbers NaNs in the order of its sort"),
    (
        call(NORMS),
        "value",
        some(
            nearer,
            every(tiny_or_huge_order, differ_so(lambda a, b: not np.isfinite(a) or not np.isfinite(b) or 0 in (a, b))),
        ),
        "neither result is accurate",
    ),
    (
        call("triplet_margin_loss lp_pool\\dd") + r"|hessian\(lambda x: x.prod|\bfft\.",
        "value",
        some(cancelled, every(overflows, not_finite)),
        "sums that cancel, differ",
    ),
    (
        r"_foreach_powsum\(",
        "dtype",
        empty,
        "accepts tensors without elements in functions that reject their dtype",
    ),
    (
        r"_softmax_backward_data\(",
        "dtype",
        lambda case: (
            re.sub("(?<=complex)128|(?<=float)64", "", case.summaries()[0][1].removeprefix("torch.")) in case.line
        ),
        "ignores `input_dtype` except for half types",
    ),
    (
        r"multi(label)?_margin_loss\(",
        "dtype",
        empty,
        "accepts tensors without elements in functions that reject their dtype",
    ),
    (
        r"\.set_\(.*(Parameter|grad=True)",
        "requires_grad",
        says("False for True"),
        "`set_` from a tensor that requires grad",
    ),
    (r"\.set_\(", "version", says(r": 0 for 1"), "in flambeau `set_` does not count"),
    (
        r"\.(apply_|map_)\(|resize_(as_)?\(.*memory_format|untyped_storage\(\)\.(fill_|copy_)\(",
        "version",
        says(r": 1 for 0"),
        "do not change version counters",
    ),
    (
        "batch_norm|instance_norm",
        "version",
        some(says(r": 1 for 0|: 2 for [01]"), every(empty, says(": 0 for 1"))),
        "its writes to running statistics in their version counters",
    ),
    (r"out=|@", "version", one_write, "leave other sizes and version counters"),
    (
        r"\.data = ",
        "version alias",
        every(assigned, says("version|alias")),
        "gives each of the two tensors its own `_version`",
    ),
    (r"layer_norm[\s\S]*x\.(max|min)\(\)", "value", same_counts, "Where results depend on rounding"),
    (r"__r\w+__\(", "kind", from_an_array, "combine with a NumPy array on the left"),
    (r"storage\(\)\.resize_\(", "kind", freed_by_a_storage, "frees memory when a storage shrinks"),
    (
        r"_foreach_addc\w+\(.*scalars=T\(.*grad=True",
        "requires_grad",
        says("False for True"),
        "require grad if the tensor of scalars does",
    ),
    # Memory layout.
    (call("conj_physical"), "kind", handed_back, "of a real tensor returns the tensor itself"),
    (
        call("\\w*_norm unravel_index log_?sigmoid rrelu nll_loss cross_entropy binary_cross_entropy_with_logits")
        + call("angle isin renorm add(b?mm|mv|r) (_foreach_)?pow").replace(r"\b", r"|\b")
        + r"|__rpow__|\*\*|float_power",
        "strides",
        layout_of_the_input,
        "return contiguous results for permuted inputs",
    ),
    (
        r"torch\.(autograd|func)\.|register_hook\(seen",
        "strides",
        some(written_out, every(permuted, lambda case: re.search(r"torch\.(func|autograd)\.", case.line) is not None)),
        "return expanded gradients (all strides 0) of sums",
    ),
    (r"jacfwd\(|strategy='forward", "strides", both_have_gaps, "returns a view of the basis"),
    (r"vmap\(", "strides", of_every_example, "do not depend on the example are expanded"),
    (
        call("(linalg_)?(triangular_)?solve\\w* householder_product orgqr svd"),
        "strides",
        column_by_column,
        "have the columns of LAPACK",
    ),
    (
        call("unique\\w* unravel_index gru_cell local_response_norm"),
        "strides",
        row_by_row,
        "have the strides of a step inside",
    ),
    (call("einsum kron ormqr"), "strides", permuted, "have the strides of a step inside"),
    (
        call(CONVOLUTIONS + r" interpolate (adaptive_)?(max|avg)_pool1d"),
        "strides",
        row_by_row,
        "in one dimension are channels-last",
    ),
    (call("(slice|select|diagonal|as_strided)_scatter"), "strides", without_gaps, "keep the gaps of their input"),
    (r"T\(", "strides", operand_shares_memory, "of operands whose elements share memory"),
    (
        r"max_pool\dd(_with_indices)?\(",
        "value",
        every(says(r"\(item 1\)"), differ_so(lambda a, b: 0 <= a < b)),
        "for a window that contains only padding",
    ),
    (r"conv_transpose2d\(", "value", nearer, "for weights with one row or column and unusual strides"),
    (
        r"scaled_dot_product_attention\(",
        "shape",
        every(empty, shapes(lambda case, ours, theirs: 0 in ours and 0 in theirs)),
        "attention of tensors without elements ignores the mask",
    ),
    # Linear algebra and special functions.
    (call(FACTORS), "value", cannot_tell, "depend on the LAPACK library"),
    (
        call(SOLVERS),
        "value",
        some(with_infinities, every(not_finite, singular)),
        "which elements of solutions, inverses and factors are NaN",
    ),
    (
        call("slogdet pinv pinverse lu\\w* matrix_rank cond svd\\w*"),
        "value",
        some(singular, restored, nearer),
        "matrices that are singular up to rounding",
    ),
    (
        call("cholesky_(solve|inverse) triangular_solve solve_triangular"),
        "value",
        every(not_finite, zero_on_the_diagonal),
        "which elements of solutions, inverses and factors are NaN",
    ),
    (
        call("householder_product orgqr"),
        "value",
        every(unbounded, not_finite),
        "which elements of solutions, inverses and factors are NaN",
    ),
    (
        call(r"\w+_polynomial_\w+"),
        "value",
        differ_so(lambda a, b: infinite(a) and b != b),
        "orthogonal polynomials that overflow are NaN",
    ),
    (call("lstsq"), "value", solved, "matrices that are singular up to rounding"),
    (call("lstsq"), "shape", equations, "right sides whose batch must be broadcast"),
    (call("(linalg_)?ldl_solve"), "value", contiguous, "right sides whose elements share memory"),
    (call("triangular_solve"), "shape", coefficients, "returns the coefficients broadcast to the batch"),
    (r"alpha=(0(\.0)?|False|-0\.0)\b", "value", number_for_none, "never reads them"),
    (
        r"complex[\s\S]*" + call("cholesky_inverse"),
        "value",
        unbounded,
        "which elements of solutions, inverses and factors are NaN",
    ),
    (call("cholesky_inverse"), "value", inverse_of_the_product, "of a factor with a complex diagonal"),
    (r"_fft_\w+\(.*-\d", "shape value", other_dimensions, "misread a dimension counted from the end"),
    (r"\bfft\.\w+\(|\b(i?stft)\(", "value", with_infinities, "In a transform of infinities or NaN"),
    (call("airy_ai"), "value", correct("airy"), "has the wrong phase at large negative numbers"),
    (
        call(BESSEL),
        "value",
        some(number_for_none, every(unbounded, differ_so(lambda a, b: a != a or b != b))),
        "gamma functions of infinities are NaN",
    ),
    (
        r"_polynomial_\w+\(",
        "value",
        every(unbounded, differ_so(lambda a, b: a != a)),
        "sometimes return the value of a neighboring element",
    ),
    (r"_polynomial_\w+\(", "value", huge_degree, "Orthogonal polynomials of degrees near 2**31"),
    # Neural networks.
    (r"_weight_norm\(", "shape", shapes(broadcast), "reads the first numbers in the memory of `g`"),
    ("soft_margin_loss", "value", finite_for_none, "overflows to infinity, as `log(1 + exp(x))` does"),
    (
        "soft_margin_loss",
        "value",
        every(says("grad"), with_infinities, number_for_none),
        "gradient at an infinite target is NaN",
    ),
    (
        r"'uint8'[\s\S]*soft_margin_loss\(",
        "value",
        every(says("grad"), instead(r"soft_margin_loss\((\w), (\w)", r"soft_margin_loss(\1, \2.double()")),
        "negates unsigned targets",
    ),
    (
        r"'int\d+'[\s\S]*soft_margin_loss\(",
        "value",
        every(says("grad"), whole_extremes, differ_so(lambda a, b: np.isfinite(a))),
        "negates unsigned targets",
    ),
    (
        call("hardtanh"),
        "value",
        every(says("grad"), nan_in, differ_so(lambda a, b: {a, b} == {0, 1})),
        "gradient of `hardtanh` for NaN",
    ),
    (call("conv2d"), "value", nearer, "with two strides and one output column"),
    (call(CONVOLUTIONS), "value", with_infinities, "it may reach neighboring weights"),
    (
        call(CONVOLUTIONS),
        "value",
        every(empty, differ_so(lambda a, b: b == 0)),
        "convolution of an input without channels has no channels",
    ),
    (
        call(CONVOLUTIONS),
        "shape",
        every(empty, shapes(as_many_channels_as_the_weight)),
        "convolution of an input without channels has no channels",
    ),
    (
        call("batch_norm"),
        "shape",
        every(empty, shapes(lambda case, ours, theirs: 0 in ours and 0 in theirs and len(ours) == len(theirs))),
        "broadcasts the weight of an empty batch",
    ),
    (r"embedding_bag\(", "value", bags, "returns zero for a bag that ends before it begins"),
    (r"cross_entropy\(", "value", differ_so(lambda a, b: a == 0 and b != b), "for an ignored example with NaN scores"),
    (r"pixel_unshuffle", "shape", shapes(unchanged), "returns a tensor without elements unchanged"),
    (
        call(r"\w*group_norm instance_norm \w*layer_norm rms_norm \w*batch_norm\w*"),
        "value",
        with_infinities,
        "with infinite or NaN inputs or weights",
    ),
    (call("interpolate upsample\\w* grid_sample\\w*"), "value", with_infinities, "include neighbors of weight 0"),
    (
        call("multi_margin_loss multilabel_margin_loss"),
        "value",
        every(empty, differ_so(lambda a, b: a == 0 or a != a)),
        "of an empty batch read uninitialized memory",
    ),
    (call("binary_cross_entropy_with_logits"), "value", with_infinities, "of infinite scores or targets"),
    (call("cosine_similarity"), "value", shorter, "for a vector shorter than `eps`"),
    (
        call("celu"),
        "value",
        every(lambda case: min([0, *case.literals()]) < 0 or nan_in(case), not_finite),
        "with a negative `alpha` is infinite",
    ),
    (
        r"native_layer_norm\(",
        "value",
        every(empty, differ_so(lambda a, b: a != a)),
        "of rows without elements returns uninitialized memory",
    ),
    (r"pad\(.*-\d.*'circular'", "value", wrapped, "leaves elements unset if it crops one side"),
    (
        call("scaled_dot_product_attention multi_head_attention_forward"),
        "value",
        with_infinities,
        "attention with infinite or NaN scores",
    ),
    (
        call("scaled_dot_product_attention"),
        "shape",
        every(empty, shapes(attention)),
        "drops batch dimensions that only the values have",
    ),
    (call("scaled_dot_product_attention"), "value", contiguous, "for a query whose elements share memory"),
    # Autograd and transforms.
    (
        r"jac(fwd|obian)\(lambda x: x\.(max|min)\(\)|jvp\(lambda x: x\.(max|min)\(\)",
        "value",
        differ_so(lambda a, b: b != b and a in (0, 1)),
        "tangent of `max()` and `min()` for NaN is NaN",
    ),
    (
        r"register_hook\(seen.append\)",
        "value",
        lambda case: case.instead(
            case.program.replace("register_hook(seen.append)", "register_hook(lambda g: seen.append(g.clone()))")
        ),
        "may share the memory of the base's `.grad`",
    ),
    (
        r"(func|functional)\.\w+\((torch\.func\.\w+\()?lambda x: x\.(softmax|prod)",
        "requires_grad",
        says("True for False"),
        "of `softmax` of a 0-dimensional tensor, and of `prod` of one element",
    ),
    (
        r"inference_mode\(\): \w\.detach_\(\)",
        "requires_grad value",
        says("requires_grad: False for True|value: True for False"),
        "`detach_()` in inference mode does nothing",
    ),
    (r"\bsgn\(", "kind", unreadable_zeros, "is a tensor without memory, which cannot be read"),
    (
        r"func\.\w+\(lambda x: x.softmax",
        "value",
        differ_so(lambda a, b: a != a and b == 0),
        "`jacrev` and `hessian` of `softmax` of a 0-dimensional NaN are 0",
    ),
    (
        r"grad_fn.register_hook\(lambda a, b: seen.append\(len\(a\)",
        "value",
        more_entries,
        "have no entry for it in `next_functions`",
    ),
    (
        r"T\('(u?int|bool)",
        "value requires_grad",
        history_of_whole_numbers,
        "gives whole-number tensors a history in some cases",
    ),
    (
        r"histogram|heaviside|floor_divide|//|\b([lg][et]|eq|ne)_\(",
        "requires_grad",
        says("False for True"),
        "require grad, and `backward` raises that there is no derivative",
    ),
    (r"\.data\b[\s\S]*(backward|grad)\(", "value", says("grad"), "goes unnoticed in both libraries"),
    (r"segment_reduce\(", "value", every(nan_in, differ_so(lambda a, b: a != a)), "goes to the NaN in the segment"),
    (
        r"\.(detach_\(\)|requires_grad_\(False\))",
        "value requires_grad grad",
        detached,
        "stop requiring grad at the next access to their history",
    ),
    (IN_PLACE, "shape dtype grad value", fits, "flambeau gives it those that the leaf has now"),
    (r"\.data = ", "value", version_of_the_memory, "gives each of the two tensors its own `_version`"),
    (r"@|_mode|\bno_grad", "value", counts_none, "leave other sizes and version counters"),
    (
        "inference_mode",
        "value shape grad",
        written_in_inference_mode,
        "flambeau raises before writing, because an error must not change anything",
    ),
    (
        r"torch\.func\.|torch\.autograd\.functional\.",
        "requires_grad",
        of_nothing,
        "flambeau's require grad only if they depend on such an input",
    ),
    (
        r"(vjp|linearize)\(lambda x: \(x, ",
        "grad",
        says("grad: None for"),
        "return the input itself if the function returns its input",
    ),
    (
        r"(vjp|linearize)\(lambda x: \(x, [\s\S]*\b(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(",
        "shape value strides",
        says(r"\(item 0\)"),
        "return the input itself if the function returns its input",
    ),
    (
        r"complex[\s\S]*_view_func\(",
        "kind",
        says(r"'NoneType'\) for \('tensor'"),
        "accepts a real base for a view of a complex one",
    ),
    (r"_standard_gamma_grad\(", "requires_grad", says("True for False"), "`_standard_gamma_grad` has no history"),
    (
        r"vmap\([\s\S]*\b\w+_\(",
        "kind",
        says(r"kind: \('tensor', .* for \('same'"),
        "return the input itself if the function returns its input",
    ),
    (r"(vjp|linearize|vmap)\(", "kind", handed_back, "return the input itself if the function returns its input"),
    (
        r"(vjp|linearize)\(lambda x: \(x, [\s\S]*\.(detach_\(\)|requires_grad_\(False\))",
        "requires_grad",
        says(r"True for False \(item 0\)"),
        "return the input itself if the function returns its input",
    ),
    (
        r"linearize\(lambda x: x\.",
        "kind",
        lambda case: case.summaries()[1][0] == "unreadable" and case.summaries()[0][0] == "tensor",
        "return the input itself if the function returns its input",
    ),
    (
        r"Size\(np\.array",
        "kind",
        says(r"\('value', 'int'\) for \('other', 'u?int\d+'\)"),
        "keeps NumPy's integers in it",
    ),
    (
        r"as_subclass",
        "kind",
        every(
            lambda case: case.summaries()[0][0] == "same" and case.summaries()[1][0] == "tensor",
            says(r"^\w kind"),
            lambda case: re.search(r"\w_\(|^\w \S{1,2}= |out=", case.line) is not None,
        ),
        "of a plain tensor with an argument of a subclass",
    ),
    # What is no fault of values.
    (
        r"torch\.nn\.functional\.",
        "type",
        says(r"TypeError: .* \| AttributeError|TypeError: \w+\(\): argument '\w+' .*must be .* \| \w+Error"),
        "raise various errors for arguments of wrong types",
    ),
]


def reason(case):
    """Words of the page that states a difference (a `checks.Case`), or None."""
    if case.kind == "strides" and shows_memory(case.program, case.detail):
        return None  # those of a view have one right answer
    for in_program, kinds, check, why in DECIDED:
        if case.kind in kinds.split() and re.search(in_program, case.program, re.MULTILINE) and check(case):
            return why
    if case.kind == "value" and overlaps_itself(case.program):
        if writes(case.program) and in_shared_cells(case):
            return "write in the order of their kernel"
        if (
            writes(case.program)
            and (not case.detail.startswith("r ") or re.search("^r = .*out=", case.line))
            and from_operands(case)
        ):
            return "write in the order of their kernel"
        if re.search(r"as_strided|stft", case.program) and same_totals(case):
            return "write in the order of their kernel"
    return None
