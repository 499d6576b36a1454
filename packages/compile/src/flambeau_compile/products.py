"""Products of matrices in C: a function for each shape, its sums in vector registers.

Every sum runs over the inner dimension in order, with fused multiply-add if the processor has it, as
in eager's loop for small products. Larger products call eager's kernels.
"""

from flambeau_compile.build import processor
from flambeau_compile.graph import C_TYPES, Window

MOST_EXACT = 1024  # multiplications up to which BLAS computes a product if eager uses it, for the same digits
MOST_WORK = 1 << 17  # multiplications from which eager's blocks or BLAS are as fast
PACKED = 1 << 14  # elements of a right factor that is transposed on the stack

PRELUDE = """\
#if defined(__clang__)
#define FL_CONTRACT _Pragma("clang fp contract(fast)")
#define FL_CONTRACTED
#else
#define FL_CONTRACT
#define FL_CONTRACTED __attribute__((optimize("fp-contract=fast")))
#endif
#ifndef FL_SIZES
#define FL_SIZES
#define FL_GIVEN
#endif
#define FL_VECTOR(T, N) T __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)), may_alias))
"""


# One product and sum of elements. Compilers vectorize sums in order without fused operations unless they are named.
_FUSED = {"f32": "FL_FMAF", "f64": "FL_FMA"}
_VECTORS = {"__AVX512F__": {"f32": 16, "f64": 8}, "__AVX__": {"f32": 8, "f64": 4}}  # lanes, by the macro for them


def _turning(kind: str, macro: str) -> str:
    """Return a function that transposes a square with as many rows as a vector has lanes: elements are swapped within
    pairs, then pairs within fours, and so on. If the processor has no such vectors, it uses smaller squares."""
    lanes = _VECTORS[macro][kind]
    rows, half = range(lanes), lanes // 2
    head = f"static inline void turn_{kind}_{lanes}(const {kind} *b, fl_size apart, {kind} *to, fl_size row)"
    smaller = _turning(kind, "__AVX__") if macro != "__AVX__" else ""
    lines = [f"    V r{i} = *(const V *)(b + {i} * apart);" for i in rows]
    part = 1
    while part < lanes:
        upper = ", ".join(str(q + lanes - part if q & part else q) for q in rows)
        lower = ", ".join(str(q + lanes if q & part else q + part) for q in rows)
        lines += [
            f"    {{ const V x = r{i}, y = r{i + part}; r{i} = __builtin_shufflevector(x, y, {upper}); "
            f"r{i + part} = __builtin_shufflevector(x, y, {lower}); }}"
            for i in rows
            if not i & part
        ]
        part *= 2
    lines += [f"    *(V *)(to + {i} * row) = r{i};" for i in rows]
    if smaller:
        plain = " ".join(f"turn_{kind}_{half}(b + {p} + {j} * apart, apart, to + {p} * row + {j}, row);"
                         for p in (0, half) for j in (0, half))  # fmt: skip
    else:
        both = (f"for (fl_size {i} = 0; {i} < {lanes}; {i}++)" for i in "pj")
        plain = " ".join([*both, "to[p * row + j] = b[p + j * apart];"])
    return "\n".join([
        f"{smaller}#ifndef FL_TURN_{kind}_{lanes}", f"#define FL_TURN_{kind}_{lanes}",
        f"#if defined({macro}) && (defined(__clang__) || __GNUC__ >= 12)",
        f"{head} {{", f"    typedef FL_VECTOR({kind}, {lanes}) V;", *lines, "}",
        "#else", f"{head} {{ {plain} }}", "#endif", "#endif", "",
    ])  # fmt: skip


def _packing(kind: str, k: int, n: int, b_row: int, b_col: int, general: bool) -> tuple[str, str]:
    """Return functions, and the right factor with contiguous rows, transposed by squares if its columns are."""
    copy = (
        "    for (fl_size p = {p}; p < {k}; p++) for (fl_size j = {j}; j < {n}; j++) "
        f"packed[p * {n} + j] = b[p * {b_row} + j * {b_col}];"
    )
    lines = [f"    {kind} packed[{k * n}];"]
    macro = next((m for m, lanes in _VECTORS.items() if lanes[kind] <= min(k, n)), None) if b_row == 1 else None
    if macro is None:
        return "", "\n".join([*lines, copy.format(p=0, k=k, j=0, n=n)])
    lanes = _VECTORS[macro][kind]
    whole_k, whole_n = (_whole(size, lanes, general) for size in (k, n))
    lines.append(
        f"    for (fl_size p = 0; p < {whole_k}; p += {lanes}) for (fl_size j = 0; j < {whole_n}; j += {lanes}) "
        f"turn_{kind}_{lanes}(b + p + j * {b_col}, {b_col}, packed + p * {n} + j, {n});"
    )
    if general or n % lanes:
        lines.append(copy.format(p=0, k=whole_k, j=whole_n, n=n))
    if general or k % lanes:
        lines.append(copy.format(p=whole_k, k=k, j=0, n=n))
    return _turning(kind, macro), "\n".join(lines)


def widths(kind: str) -> list[int]:
    """Lanes of the vectors that are tried, widest first: the processor has registers for 12 of the widest."""
    lanes = [16, 8, 4] if kind == "f32" else [8, 4, 2]
    return lanes if "avx512f" in processor() else lanes[1:]


def function(name: str, kind: str, m: int, n: int, k: int, a_row: int, a_col: int, b_row: int, b_col: int,
             c_row: int, c_col: int, add: bool, changing: frozenset[int] | None = None) -> str:  # fmt: skip
    """The text of a function for one shape: ``c (+)= a @ b``.

    With `changing`, sizes that change, the text has loops for all remainders of rows, and of columns if their number is
    among them.
    """
    general = changing is not None
    head = (
        f"static FL_CONTRACTED void {name}(FL_SIZES const {kind} *restrict a, const {kind} *restrict b, "
        f"{kind} *restrict c) {{ FL_CONTRACT\n"
    )
    if n == 1 or (m == 1 and b_col != 1):
        if n == 1:
            body = _dots(kind, m, k, a_row, a_col, b_row, c_row, add, "a", "b", general)
        else:
            body = _dots(kind, n, k, b_col, b_row, a_col, c_col, add, "b", "a", general)
        return head + body + "}\n"
    lines = []
    right, row = "b", b_row
    if b_col != 1:
        functions, packing = _packing(kind, k, n, b_row, b_col, general)
        head = functions + head
        lines.append(packing)
        right, row = "packed", n
    at = 0
    if changing is not None and n in changing:
        widest = widths(kind)[0]
        lines.append("    fl_size j = 0;")
        for lanes, columns in ((widest, 2), *((w, 1) for w in (*widths(kind), 1))):
            lines.append(f"    for (; j + {lanes * columns} <= {n}; j += {lanes * columns}) {{")
            lines.append(_panel(kind, lanes, columns, m, k, a_row, a_col, right, row, c_row, "j", add, general))
            lines.append("    }")
        at = n
    while at < n:
        lanes = next((w for w in widths(kind) if at + w <= n), 1)
        columns = 2 if lanes == widths(kind)[0] and at + 2 * lanes <= n else 1
        several = (n - at) // (lanes * columns)
        if several > 2:
            lines.append(f"    for (fl_size j = {at}; j < {at + several * lanes * columns}; j += {lanes * columns}) {{")
            lines.append(_panel(kind, lanes, columns, m, k, a_row, a_col, right, row, c_row, "j", add, general))
            lines.append("    }")
            at += several * lanes * columns
            continue
        lines.append(_panel(kind, lanes, columns, m, k, a_row, a_col, right, row, c_row, at, add, general))
        at += lanes * columns
    return head + "\n".join(lines) + "\n}\n"


def _panel(kind: str, lanes: int, columns: int, m: int, k: int, a_row: int, a_col: int, right: str, b_row: int,
           c_row: int, at: int | str, add: bool, general: bool) -> str:  # fmt: skip
    """All rows of some columns, a few rows at a time."""
    rows = 6 if columns == 2 else 8
    parts = []
    if lanes == 1:
        start = f"c[i * {c_row} + {at}]" if add else "0"
        return (
            f"    for (fl_size i = 0; i < {m}; i++) {{ {kind} s = {start}; for (fl_size p = 0; p < {k}; p++) "
            f"s = {_FUSED[kind]}(a[i * {a_row} + p * {a_col}], {right}[p * {b_row} + {at}], s); "
            f"c[i * {c_row} + {at}] = s; }}"
        )
    vector = f"FL_VECTOR({kind}, {lanes})"
    for loop, count in _blocks(m, rows, general):
        names = [(r, q) for r in range(count) for q in range(columns)]
        text = [f"    {{ typedef {vector} V; {loop} {{"]
        for r, q in names:
            start = f"*(const V *)(c + (i + {r}) * {c_row} + {at} + {q * lanes})" if add else "(V){0}"
            text.append(f"      V s{r}_{q} = {start};")
        text.append(f"      for (fl_size p = 0; p < {k}; p++) {{")
        for q in range(columns):
            text.append(f"        const V x{q} = *(const V *)({right} + p * {b_row} + {at} + {q * lanes});")
        for r in range(count):
            text.append(f"        const {kind} y{r} = a[(i + {r}) * {a_row} + p * {a_col}];")
            for q in range(columns):
                text.append(f"        s{r}_{q} += y{r} * x{q};")
        text.append("      }")
        for r, q in names:
            text.append(f"      *(V *)(c + (i + {r}) * {c_row} + {at} + {q * lanes}) = s{r}_{q};")
        text.append("    } }")
        parts.append("\n".join(text))
    return "\n".join(parts)


def _dots(kind: str, rows: int, k: int, row: int, col: int, step: int, c_step: int, add: bool, matrix: str,
          vector: str, general: bool) -> str:  # fmt: skip
    """Multiply a matrix by a vector: by rows if these are contiguous along the sum, otherwise all results at a time."""
    lines = []
    if col != 1 and row == 1:  # results are adjacent
        lines.append(f"    {kind} s[{rows}];")
        start = f"c[i * {c_step}]" if add else "0"
        lines.append(f"    for (fl_size i = 0; i < {rows}; i++) s[i] = {start};")
        lines.append(f"    for (fl_size p = 0; p < {k}; p++) {{ const {kind} y = {vector}[p * {step}]; "
                     f"for (fl_size i = 0; i < {rows}; i++) s[i] += y * {matrix}[i + p * {col}]; }}")  # fmt: skip
        lines.append(f"    for (fl_size i = 0; i < {rows}; i++) c[i * {c_step}] = s[i];")
        return "\n".join(lines) + "\n"
    lanes = next((w for w in widths(kind) if w <= k), 1) if col == 1 else 1
    whole = _whole(k, lanes, general)
    if lanes == 1:
        start = f"c[i * {c_step}]" if add else "0"
        return (
            f"    for (fl_size i = 0; i < {rows}; i++) {{ {kind} s = {start}; for (fl_size p = 0; p < {k}; p++) "
            f"s = {_FUSED[kind]}({matrix}[i * {row} + p * {col}], {vector}[p * {step}], s); c[i * {c_step}] = s; }}\n"
        )
    if step != 1:
        lines.append(f"    {kind} dense[{k}]; for (fl_size p = 0; p < {k}; p++) dense[p] = {vector}[p * {step}];")
        vector = "dense"
    lines.append(f"    typedef FL_VECTOR({kind}, {lanes}) V;")
    for loop, count in _blocks(rows, 4, general):
        lines.append(f"    {loop} {{")
        for r in range(count):
            lines.append(f"      V s{r} = {{0}};")
        lines.append(f"      for (fl_size p = 0; p < {whole}; p += {lanes}) {{ const V x = *(const V *)({vector} + p);")
        for r in range(count):
            lines.append(f"        s{r} += *(const V *)({matrix} + (i + {r}) * {row} + p) * x;")
        lines.append("      }")
        for r in range(count):
            lines.append(f"      {{ {kind} t[{lanes}]; *(V *)t = s{r};")
            half = lanes // 2
            while half:
                lines.append(f"        for (fl_size l = 0; l < {half}; l++) t[l] += t[l + {half}];")
                half //= 2
            if general:
                lines.append(f"        for (fl_size p = {whole}; p < {k}; p++) "
                             f"t[0] = {_FUSED[kind]}({matrix}[(i + {r}) * {row} + p], {vector}[p], t[0]);")  # fmt: skip
            for p in range(k // lanes * lanes, 0 if general else k):
                lines.append(f"        t[0] = {_FUSED[kind]}({matrix}[(i + {r}) * {row} + {p}], {vector}[{p}], t[0]);")
            before = f"c[(i + {r}) * {c_step}] + " if add else ""
            lines.append(f"        c[(i + {r}) * {c_step}] = {before}t[0]; }}")
        lines.append("    }")
    return "\n".join(lines) + "\n"


def _whole(size: int, block: int, general: bool) -> int | str:
    """The part of a size that is a multiple of a block."""
    return f"{size} / {block} * {block}" if general else size // block * block


def _blocks(total: int, size: int, general: bool) -> list[tuple[str, int]]:
    """(loop, how many at a time): whole blocks, then the rest; `general`: the rest by twos, then by ones."""
    if general:
        by_twos = f"{total} / {size} * {size}"
        by_ones = f"{by_twos} + {total} % {size} / 2 * 2"
        starts = (("0", size), (by_twos, 2), (by_ones, 1))
        return [(f"for (fl_size i = {start}; i + {n} <= {total}; i += {n})", n) for start, n in starts]
    whole, rest = total // size * size, total % size
    blocks = [(0, whole, size)] * (whole > 0) + [(whole, total, rest)] * (rest > 0)
    return [(f"for (fl_size i = {first}; i < {end}; i += {n})", n) for first, end, n in blocks]


def is_eagers_own(m: int, n: int, k: int, b_col: int, kind: str) -> bool:
    """Return True if eager's loop for small products would compute it; its sums start with the initial value."""
    return m * n * k <= 4096 and n % (8 if kind == "f32" else 4) == 0 and (b_col == 1 or k * n <= 512)


def is_inline(a: Window, b: Window, out: Window) -> bool:
    """Return True if a product is written inline: it is small, and its result's rows are contiguous.

    Products that eager passes to BLAS use BLAS here, too, if the overhead is small, because BLAS adds in its own order.
    """
    m, k = a.sizes[-2:]
    n = b.sizes[-1]
    if 1 not in (m, n) and m * n * k <= MOST_EXACT and not is_eagers_own(m, n, k, b.strides[-1], C_TYPES[out.dtype]):
        return False
    if C_TYPES[out.dtype] not in ("f32", "f64") or m * n * k > MOST_WORK or 0 in (m, n, k):
        return False
    if b.strides[-1] != 1 and n > 1 and m > 1 and k * n > PACKED:
        return False
    return out.strides[-1] == 1 or n == 1
