"""Differences that were decided, each with its row in docs/differences.md."""

import re

# Factors of matrices that have signs, phases or an order of their own.
FACTORS = r"\b(_?linalg_)?(qr|svd|eigh?|geqrf|lobpcg|ormqr|orgqr|householder_product|symeig|ldl_factor\w*)\("
# (a pattern of the program, a pattern of "class detail", the reason)
DECIDED = [
    (r"\b(topk|kthvalue|mode|sort|argsort|msort|median|nanmedian)\(", r"^value", "which of equal elements"),
    (
        r"\b(scatter|scatter_|put|put_|index_copy|index_copy_|index_put|index_put_)\(|\[.*\b[a-m]\b.*\] = ",
        r"^value",
        "which of several writes to one element",
    ),
    (r"\bpolygamma_?\(", r"^value.*inf", "polygamma at poles is infinite"),
    (
        r"\((?:.*\b)?([a-m])\b.*out=\(?.*\b\1\b|\b([a-m])\.(addmm|addmv|baddbmm|addbmm)_\(.*\b\2\b",
        r"^(value|shape)",
        "out= that is read after it was written",
    ),
    (r"soft_margin_loss", r"^value.* for (inf|\[.*inf)", "soft_margin_loss does not overflow"),
    (r"\bldexp_?\(.*(2\*\*|10\*\*|1e30|1000|300)|(edge|2\*\*)[\s\S]*\bldexp_?\(", r"^value", "ldexp of huge exponents"),
    (r"\b(var|std)_mean\(", r"^value.*inf.* for .*nan", "the mean of infinities"),
    (r"unique_consecutive\(.*(True|1)", r"^(value|shape)", "flags that are mixed up"),
    (r"\blcm_?\(", r"^value.*-", "lcm that overflows"),
    (r"\b(sigmoid|sigmoid_|expit|logit|logit_|gelu)\(", r"^value.*(nan|inf)", "activations of infinities"),
    (
        r"\b(i0|i1|i0e|i1e|i0_|\w*bessel_\w+|airy_ai|zeta|igammac?_?|gammaincc?)\(",
        r"^value.*(nan|inf)",
        "special functions of infinities",
    ),
    (r"special\.\w*_polynomial_\w+\(", r"^value.*nan", "polynomials of NaN"),
    (
        r"\b(pairwise_distance|vector_norm|matrix_norm|norm|renorm_?|cdist|pdist|dist)\(.*\b(1e-\d+|-?[1-9]\d{2,}|0\.1|-1\.5)\b",
        r"^value",
        "norms of tiny and huge orders",
    ),
    (FACTORS, r"^value", "signs of factors"),
    (
        r"\b(lu|lu_factor\w*|det|slogdet|logdet|inv\w*|solve\w*|qr|matrix_exp|lstsq|pinv\w*|cholesky\w*|matrix_rank)\(",
        r"^value.*nan",
        "matrices with NaN and infinities",
    ),
    (r"float16[\s\S]*\bmatrix_exp\(", r"^value", "matrix_exp of half types"),
    (r"\bcholesky_inverse\(", r"^value.*j\)", "factors with a complex diagonal"),
    (r"\bfft\.\w+\(|\b(i?stft)\(", r"^value.*(nan|inf)", "transforms of infinities"),
    (r"\bconv(_transpose)?\dd\(", r"^value.*(nan|inf)", "convolution of infinities, beside padding"),
    (r"float16[\s\S]*\b(grid_sample|interpolate|cross_entropy)\(", r"^value", "half types that round on the way"),
    (r"embedding_bag\(.*'max'", r"^value [a-m] grad", "equal maxima"),
    (r"scatter_reduce\(.*include_self=False", r"^value [a-m] grad", "what is not included takes a share"),
    (r"view\(torch.bool\)", r"^value", "bytes that are no bool"),
    (r"scaled_dot_product_attention\(", r"^value.*nan", "attention to infinities"),
    (
        r"(float16|out=)[\s\S]*\b(prod|cumprod)\(|\b(prod|cumprod)\(.*(float16|out=)",
        r"^value.*(nan|inf)",
        "products that overflow on the way",
    ),
    (r"\b([a-m])\.cov\(|\bcov\(([a-m])\b", r"^value [a-m] ", "cov that writes to its input"),
    (r"uint8[\s\S]*\b(all|any)\(.*out=", r"^value", "all and any into bytes"),
    (r"\bhisto?(c|gram|gramdd)\(", r"^value", "numbers at the edge of a bin"),
    (r"alpha=-2\*\*63", r"^value", "alpha that cannot be negated"),
    (r"\*\*|\bpow_?\(|\bfloat_power_?\(", r"^value.*j\)", "complex powers of numbers and infinities"),
    (
        r"\.data = |(unsqueeze|squeeze|t|transpose|swapaxes|resize)_\(",
        r"^(shape|dtype|grad|value about_\w value: (\d|True|False))",
        "leaves given other data or shapes",
    ),
    (r"@|_mode|\bno_grad", r"^value about_\w value: \d", "how often an operator writes its result"),
    (r"inference_mode", r"^(value|shape|grad)", "writes to inference tensors raise before they are made"),
    (r"(vjp|linearize)\(lambda x: \(x, ", r"^(grad|value)", "outputs that are inputs"),
    (r"torch\.func\.", r"^requires_grad", "results that depend on no input"),
    (r"functionalize", r"^(refused|type)", "not built"),
]


def overlaps_itself(program):
    """Whether it makes a tensor whose elements share memory, which may be written to in any order."""
    for sizes, strides in re.findall(r"T\('\w+', (\([^)]*\)), (\([^)]*\))", program):
        reach = 0
        for stride, size in sorted(zip(eval(strides), eval(sizes), strict=True)):
            if size > 1 and stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def reason(program, kind, detail):
    """Why a difference is none, or None."""
    for in_program, in_difference, why in DECIDED:
        if re.search(in_program, program) and re.search(in_difference, f"{kind} {detail}"):
            return why
    if kind == "value" and not detail.startswith("r ") and overlaps_itself(program):  # `r` is a fresh result
        return "the order of writes to memory that overlaps itself"
    return None
