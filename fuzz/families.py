"""Random calls whose arguments have to fit each other: convolutions, pooling, recurrent layers, attention, transforms,
losses with targets, storages. Drawn from schemas alone they would hardly ever get past their checks."""

import random

import calls
import operands

FLOATS = ["float32"] * 5 + ["float64"] * 3 + ["float16", "bfloat16"]
F, NN = "torch.nn.functional", "torch.nn"


class Fit(calls.Draw):
    """A program whose sizes fit; with wildness, now and then one does not."""

    def __init__(self, rng, wildness):
        super().__init__(rng, wildness)
        self.dtype = rng.choice(FLOATS)
        self.grad = rng.random() < 0.4 and self.dtype in ("float32", "float64")

    def n(self, *choices):
        """One of some ints, or any."""
        if self.wild(0.04):
            return self.rng.choice([0, -1, 2**31, 2**62, -(2**63), 7])
        return self.rng.choice(choices)

    def t(self, *shape, dtype=None, grad=True, pattern=None):
        """The name of a tensor of this shape, in any layout."""
        rng = self.rng
        sizes = [n if abs(n) < 100 else 3 for n in shape]
        if sizes and self.wild(0.06):
            sizes[rng.randrange(len(sizes))] += rng.choice([-1, 1])
        if self.wild(0.03):
            sizes = sizes[1:] if rng.random() < 0.5 else [1, *sizes]
        sizes = tuple(max(n, 0) for n in sizes)
        if dtype is None:
            dtype = rng.choice(calls.DTYPES) if self.wild(0.06) else self.dtype
        strides, offset = self.layout(sizes)
        text = f"T('{dtype}', {sizes!r}"
        text += f", {strides!r}" if strides is not None else ""
        text += f", offset={offset}" if offset else ""
        pattern = pattern or (rng.choice(["edge", "unit"]) if rng.random() < 0.05 else None)
        text += f", pattern='{pattern}'" if pattern else ""
        text += f", seed={rng.randrange(1, 6)}"
        text += ", grad=True" if self.grad and grad and dtype in calls.FLOATS else ""
        return self.define(text + ")", sizes, dtype)

    def index(self, *shape, below=3):
        """Indices below 3, or below 1 as zeros."""
        if below < 3 and not self.wild(0.2):
            return f"({self.t(*shape, dtype='int64', pattern='index')} % {max(below, 1)})"
        return self.t(*shape, dtype="int64", pattern="index")

    def maybe(self, text, chance=0.5):
        return text if self.rng.random() < chance else "None"

    def flag(self):
        return self.rng.choice(["True", "False"])

    def each(self, d, *choices):
        """An int for all dimensions, or one for each."""
        if self.rng.random() < 0.6:
            return str(self.n(*choices))
        return "(" + "".join(f"{self.n(*choices)}, " for _ in range(d)) + ")"


def convolution(f):
    d, groups = f.rng.choice([1, 2, 2, 3]), f.n(1, 1, 2, 3)
    g = max(1, min(groups, 3))
    into, out, k = g * f.n(1, 2), g * f.n(1, 2, 3), [f.n(1, 2, 3) for _ in range(d)]
    sizes = [f.n(3, 4, 5, 7) for _ in range(d)]
    batch = [f.n(1, 2, 0)] if f.rng.random() < 0.85 else []
    bias = f.maybe(f.t(out))
    if f.rng.random() < 0.6:
        x, w = f.t(*batch, into, *sizes), f.t(out, into // g, *k)
        padding = f.each(d, 0, 1, 2) if f.rng.random() < 0.8 else f.rng.choice(["'same'", "'valid'", "'x'"])
        return f"{F}.conv{d}d({x}, {w}, {bias}, {f.each(d, 1, 1, 2)}, {padding}, {f.each(d, 1, 1, 2)}, {groups})"
    x, w = f.t(*batch, into, *sizes), f.t(into, out // g, *k)
    return (
        f"{F}.conv_transpose{d}d({x}, {w}, {bias}, {f.each(d, 1, 2)}, {f.each(d, 0, 1)}, {f.each(d, 0, 0, 1)}, "
        f"{groups}, {f.each(d, 1, 1, 2)})"
    )


def pooling(f):
    d = f.rng.choice([1, 2, 2, 3])
    x = f.t(*([f.n(1, 2)] if f.rng.random() < 0.8 else []), f.n(1, 2), *(f.n(3, 4, 6) for _ in range(d)))
    k, stride = f.each(d, 1, 2, 3), f.maybe(f.each(d, 1, 2), 0.7)
    kind = f.rng.randrange(6)
    if kind == 0:
        return f"{F}.max_pool{d}d({x}, {k}, {stride}, {f.each(d, 0, 1)}, {f.each(d, 1, 1, 2)}, {f.flag()}, {f.flag()})"
    if kind == 1:
        return f"{F}.avg_pool{d}d({x}, {k}, {stride}, {f.each(d, 0, 1)}, {f.flag()}, {f.flag()})"
    if kind == 2:
        return f"{F}.adaptive_{f.rng.choice(['max', 'avg'])}_pool{d}d({x}, {f.each(d, 1, 2, 3, 5)})"
    if kind == 3:
        return f"{F}.lp_pool{d}d({x}, {f.rng.choice('1 2 3 inf -inf 0.5'.split())}, {k}, {stride}, {f.flag()})"
    if kind == 4:
        return f"{F}.max_unpool{d}d(*{F}.max_pool{d}d({x}, {k}, {stride}, return_indices=True), {k}, {stride})"
    return f"{F}.unfold({x}, {f.each(2, 1, 2)}, {f.each(2, 1, 2)}, {f.each(2, 0, 1)}, {f.each(2, 1, 2)})"


def resampling(f):
    d = f.rng.choice([1, 2, 2, 3])
    x = f.t(f.n(1, 2), f.n(1, 2, 4), *(f.n(2, 3, 4) for _ in range(d)))
    kind = f.rng.randrange(5)
    if kind == 0:
        mode = f.rng.choice(
            {
                1: ["nearest", "linear", "nearest-exact", "area"],
                2: ["nearest", "bilinear", "bicubic", "area", "nearest-exact"],
                3: ["nearest", "trilinear", "area"],
            }[d]
        )
        corners = f.flag() if "linear" in mode or mode == "bicubic" else "None"
        if f.rng.random() < 0.5:
            return f"{F}.interpolate({x}, {f.each(d, 1, 2, 5, 7)}, None, '{mode}', {corners})"
        return f"{F}.interpolate({x}, None, {f.rng.choice([0.5, 2, 1.5, 2.0, 0.1])}, '{mode}', {corners}, {f.flag()})"
    if kind == 1:
        x = f.t(2, 2, 3, 4)
        grid = f.t(2, f.n(1, 3), f.n(2, 3), 2)
        mode = f.rng.choice(["bilinear", "nearest", "bicubic"])
        padding = f.rng.choice(["zeros", "border", "reflection"])
        return f"{F}.grid_sample({x}, {grid}, '{mode}', '{padding}', {f.flag()})"
    if kind == 2:
        return f"{F}.pixel_{f.rng.choice(['shuffle', 'unshuffle'])}({x}, {f.n(1, 2)})"
    if kind == 3:
        pads = ", ".join(str(f.n(0, 1, 2, -1)) for _ in range(2 * f.rng.randrange(1, d + 1)))
        return f"{F}.pad({x}, ({pads}), '{f.rng.choice(['constant', 'reflect', 'replicate', 'circular'])}')"
    x = f.t(2, 4, f.n(4, 9, 12))
    steps = f"{f.each(2, 1, 2)}, {f.each(2, 1, 2)}, {f.each(2, 0, 1)}, {f.each(2, 1, 2)}"
    return f"{F}.fold({x}, {f.each(2, 3, 4)}, {steps})"


def recurrence(f):
    kind, into, size, layers = f.rng.choice(["LSTM", "GRU", "RNN"]), f.n(1, 2, 3), f.n(1, 2, 3), f.rng.choice([1, 2])
    if not all(0 < n < 9 for n in (into, size)):
        return f"{NN}.{kind}({into}, {size}, {layers})(torch.ones(2, 2, 2))[0].shape"
    both, first = f.flag(), f.flag()
    x = f.t(*([f.n(0, 1, 3), f.n(1, 2)] if f.rng.random() < 0.85 else [3]), into, dtype="float32")
    options = f"bias={f.flag()}, batch_first={first}, bidirectional={both}"
    f.lines.append(f"m = {NN}.{kind}({into}, {size}, {layers}, {options})")
    f.lines.append("_ = [p.data.fill_(0.25) for p in m.parameters()]")
    if f.rng.random() < 0.3:
        lengths = f.rng.choice(["[3, 2]", "[3, 1]", "[2, 3]", "[1]", "[0, 1]", "T('int64', (2,), pattern='index') + 1"])
        packed = f"{NN}.utils.rnn.pack_padded_sequence({x}, {lengths}, {first}, {f.flag()})"
        return f"{NN}.utils.rnn.pad_packed_sequence(m({packed})[0], {f.flag()})"
    if f.rng.random() < 0.3:
        state = f.t(layers * (2 if both == "True" else 1), 2, size, dtype="float32")
        return f"m({x}, {f'({state}, {state})' if kind == 'LSTM' else state})"
    return f"m({x})"


def attention(f):
    heads, n, m, e = f.n(1, 2), f.n(1, 3), f.n(2, 4), f.n(1, 4)
    lead = [2, heads][: f.rng.randrange(3)]
    q, k, v = f.t(*lead, n, e), f.t(*lead, m, e), f.t(*lead, m, f.n(1, 4))
    mask = f.maybe(f.t(n, m, dtype=f.rng.choice(["bool", f.dtype]), grad=False), 0.4)
    return (
        f"{F}.scaled_dot_product_attention({q}, {k}, {v}, {mask}, 0.0, {f.rng.choice(['True'] + ['False'] * 3)}, "
        f"scale={f.maybe('0.5', 0.3)})"
    )


def loss(f):
    n, c, sizes = f.n(1, 2, 3), f.n(1, 3, 4), f.rng.choice([[], [], [2], [2, 3]])
    reduction = f.rng.choice(["'mean'", "'sum'", "'none'"])
    kind = f.rng.randrange(7)
    if kind < 2:
        x = f.t(n, c, *sizes)
        weight = f.maybe(f.t(c, grad=False, pattern="unit"), 0.3)
        if kind == 0 and f.rng.random() < 0.3:
            return f"{F}.cross_entropy({x}, {f.t(n, c, *sizes)}, {weight}, label_smoothing=0.1, reduction={reduction})"
        target = f.index(n, *sizes, below=c)
        name = "cross_entropy" if kind == 0 else "nll_loss"
        return f"{F}.{name}({x}, {target}, {weight}, ignore_index={f.n(-100, 0, 1)}, reduction={reduction})"
    if kind == 2:
        x, target = f.t(f.n(4, 5), 2, 3), f.index(2, 2, below=2)
        lengths = f.rng.choice(["(4, 4)", "(4, 2)", "(0, 4)", "(3, 5)", "T('int64', (2,), pattern='index')", "(9, -1)"])
        ends = f.rng.choice(["(2, 2)", "(1, 2)", "(0, 1)", "(2, 3)", "T('int64', (2,), pattern='index')", "(-1, 9)"])
        return f"{F}.ctc_loss({x}.log_softmax(-1), {target} + 1, {lengths}, {ends}, 0, {reduction}, {f.flag()})"
    if kind == 3:
        return f"{F}.multi_margin_loss({f.t(n, c)}, {f.index(n, below=c)}, {f.n(1, 2)}, reduction={reduction})"
    if kind == 4:
        return f"{F}.multilabel_margin_loss({f.t(n, c)}, {f.index(n, c, below=c)} - 1, reduction={reduction})"
    if kind == 5:
        e, rows = f.n(1, 2, 4), f.n(3, 5)
        w, i = f.t(rows, e), f.index(2, 3)
        if f.rng.random() < 0.5:
            return f"{F}.embedding({i}, {w}, {f.maybe(str(f.n(0, 1, -1)))}, None, 2.0, {f.flag()})"
        mode = f.rng.choice(["sum", "mean", "max"])
        offsets = f"torch.tensor([0, {f.n(0, 2, 3)}, {f.n(3, 4, 5)}, 6])"
        return (
            f"{F}.embedding_bag({i}.flatten(), {w}, {offsets}, mode='{mode}', "
            f"include_last_offset={f.flag()}, padding_idx={f.maybe('1', 0.3)})"
        )
    name = f.rng.choice(["gaussian_nll_loss", "triplet_margin_loss", "cosine_embedding_loss", "margin_ranking_loss"])
    third = f.t(n, grad=False) if name == "cosine_embedding_loss" else f.t(n, c)
    return f"{F}.{name}({f.t(n, c)}, {f.t(n, c)}, {third}, reduction={reduction})"


def normalization(f):
    n, c, sizes = f.n(1, 2), f.n(2, 4), f.rng.choice([[3], [2, 3], [2, 2, 2], []])
    x, w, b = f.t(n, c, *sizes), f.t(c), f.t(c)
    kind = f.rng.randrange(5)
    if kind == 0:
        return f"{F}.batch_norm({x}, {f.t(c, grad=False)}, {f.t(c, grad=False, pattern='unit')}, {w}, {b}, {f.flag()})"
    if kind == 1:
        return f"{F}.group_norm({x}, {f.n(1, 2)}, {w}, {b})"
    if kind == 2:
        shape = [c, *sizes][-f.rng.randrange(1, len(sizes) + 2) :]
        return f"{F}.layer_norm({x}, {tuple(shape)!r}, {f.t(*shape)}, {f.maybe(f.t(*shape))})"
    if kind == 3:
        return f"{F}.instance_norm({x}, None, None, {w}, {b})"
    return f"{F}.local_response_norm({x}, {f.n(1, 2, 3)})"


def transform(f):
    name = f.rng.choice(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]) + f.rng.choice(["", "", "2", "n"])
    f.dtype = f.rng.choice(["float32", "float64", "complex64", "complex128", "int64"])
    if name in ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"):
        f.dtype = f.rng.choice(["float32", "float64", "int64", "bool"])
    x = f.t(*f.rng.choice([(5,), (2, 6), (3, 4, 5), (1, 1), (0, 3), (17,), (2, 97)]))
    norm = f.rng.choice(["None", "'ortho'", "'forward'", "'backward'"])
    if name[-1] == "n" or name[-1] == "2":
        s = f.rng.choice(["None", "None", f"({f.n(1, 4, 7)},)", f"({f.n(2, 3)}, {f.n(4, 5)})", f"({f.n(-1, 3)}, -1)"])
        dim = f.rng.choice(["(-2, -1)", "(0,)", "(-1, 0)", "None", f"({f.n(0, 1)}, {f.n(0, 1)})"])
        return f"torch.fft.{name}({x}, {s}, {dim}, {norm})"
    return f"torch.fft.{name}({x}, {f.maybe(str(f.n(1, 2, 3, 8, 31)))}, {f.n(-1, 0)}, {norm})"


def spectrogram(f):
    x, size = f.t(*f.rng.choice([(16,), (2, 20), (31,)])), f.n(4, 5, 8)
    window = f.maybe(f.t(f.n(4, size), grad=False, pattern="unit"))
    hop, pad = f.maybe(str(f.n(1, 2, 3))), f.rng.choice(["reflect", "constant"])
    start = f"torch.stft({x}, {size}, {hop}, None, {window}, {f.flag()}, '{pad}', {f.flag()}, "
    if f.rng.random() < 0.6:
        return start + f"{f.flag()}, return_complex=True)"
    f.lines.append(f"s = {start}True, return_complex=True)")
    return f"torch.istft(s, {size}, {hop}, None, {window}, {f.flag()}, length={f.maybe(str(f.n(8, 16)))})"


def equations(f):
    f.dtype = f.rng.choice(["float32", "float64", "complex64", "complex128"])
    lead = f.rng.choice([[], [], [2], [0], [2, 1]])
    n = f.n(1, 2, 3, 4)
    a, b = f.t(*lead, n, n), f.t(*lead, n, f.n(1, 2))
    m = f"({a} + 9 * torch.eye({a}.shape[-1], dtype={a}.dtype))"
    return f.rng.choice(
        [
            f"torch.linalg.solve({m}, {b})",
            f"torch.linalg.inv({m})",
            f"torch.linalg.det({m})",
            f"torch.linalg.slogdet({m})",
            f"torch.linalg.cholesky({m} @ {m}.mH)",
            f"torch.cholesky_solve({b}, {m}.tril())",
            f"torch.linalg.solve_triangular({m}, {b}, upper={f.flag()})",
            f"torch.linalg.lstsq({m}, {b})[0]",
            f"torch.linalg.eigvalsh({m} + {m}.mH)",
            f"torch.linalg.svdvals({a})",
            f"torch.linalg.matrix_exp({a})",
            f"torch.linalg.lu_solve(*torch.linalg.lu_factor({m}), {b})",
            f"torch.linalg.matrix_power({a}, {f.n(-1, 0, 2, 5)})",
            f"torch.linalg.multi_dot([{a}, {a}, {b}])",
            f"torch.linalg.cond({m})",
            f"torch.linalg.pinv({m})",
            f"torch.linalg.ldl_solve(*torch.linalg.ldl_factor({m} + {m}.mT), {b})",
            f"torch.cdist({b}.real, {b}.real)",
            f"torch.linalg.matrix_norm({a}, {f.rng.choice(['2', repr('nuc'), '1', 'inf', repr('fro'), '-2'])})",
        ]
    )


def gathering(f):
    n, m = f.n(2, 3, 5), f.n(1, 3)
    x, src = f.t(n, m), f.t(f.n(2, 4), m)
    rows = f.index(4, m, below=min(n, 3))
    reduce = f.rng.choice(["'sum'", "'prod'", "'mean'", "'amax'", "'amin'"])
    return f.rng.choice(
        [
            f"{x}.scatter_reduce(0, {rows}[:2], {src}, {reduce}, include_self={f.flag()})",
            f"{x}.index_reduce(0, {f.index(2, below=n)}, {src}[:2], {reduce.replace('sum', 'prod')})",
            f"{x}.scatter_add(0, {rows}[:2], {src})",
            f"{x}.gather(0, {rows})",
            f"{x}.index_add(0, {f.index(2, below=n)}, {src}[:2])",
            f"torch.segment_reduce({x}, {reduce.replace('amax', 'max').replace('amin', 'min')}, "
            f"lengths=torch.tensor([{f.n(0, 1, 2)}, {f.n(0, 1)}, {f.n(1, 2)}]))",
            f"torch.take_along_dim({x}, {rows}, 0)",
            f"torch.bucketize({x}, torch.arange(5.))",
            f"torch.histogramdd({x}, [{', '.join(['3'] * min(m, 9))}])[0]",
            f"torch.bincount({rows}.flatten(), {x}.flatten()[:4])",
            f"torch.unique({x}, True, True, True, dim={f.maybe('0')})",
        ]
    )


def storages(f):
    f.grad = False
    x = f.t(f.n(2, 4), 3)
    size, stride = (f.n(1, 2, 3), f.n(1, 2)), (f.n(1, 3, 0), f.n(1, 2, -1))
    f.lines.append(f"v = {x}[1:]")
    f.lines.append(
        f.rng.choice(
            [
                f"{x}.untyped_storage().resize_({f.n(0, 8, 400)})",
                f"{x}.resize_({f.n(0, 2, 30)}, {f.n(1, 5)})",
                f"v.set_({x}.untyped_storage(), {f.n(0, 1, 5)}, {size}, {stride})",
                f"v.resize_({f.n(1, 40)}).zero_()",
                f"v.set_(T('{f.dtype}', (2, 2)))",
                f"{x}.share_memory_()",
                f"{x}.untyped_storage().copy_(v.untyped_storage())",
                f"v = {x}.as_strided({size}, {stride}, {f.n(0, 2, 5)})",
                f"{x}.untyped_storage().fill_({f.n(0, 1)})",
                f"v = torch.frombuffer(bytearray(24), dtype=torch.{f.dtype}, count={f.n(-1, 1, 3)}, "
                f"offset={f.n(0, 1, 8)})",
                f"v = {x}.view(torch.{f.rng.choice(calls.DTYPES)})",
            ]
        )
    )
    f.lines.append(f"{x}.untyped_storage().nbytes()")
    return f.rng.choice(["v + 1", "v.clone()", f"{x}.clone()", "v.sum()", "v.untyped_storage().nbytes()", "v.tolist()"])


def lists(f):
    f.grad = False
    a, b = ([f.t(*shape) for shape in ((2, 3), (3,), ())[: f.n(1, 2, 3)]] for _ in range(2))
    a, b = f"[{', '.join(a)}]", f"[{', '.join(b)}]"
    name = f.rng.choice(["add", "sub", "mul", "div", "maximum", "minimum", "pow"])
    mark = f.rng.choice(["", "_"])
    return f.rng.choice(
        [
            f"torch._foreach_{name}{mark}({a}, {b})",
            f"torch._foreach_{name}{mark}({a}, {f.rng.choice(['2', '0.5', 'nan'])})",
            f"torch._foreach_addcmul{mark}({a}, {b}, {b}, value=0.5)",
            f"torch._foreach_addcdiv{mark}({a}, {b}, {b})",
            f"torch._foreach_lerp{mark}({a}, {b}, 0.5)",
            f"torch._foreach_norm({a}, {f.n(1, 2)})",
            f"torch._foreach_exp{mark}({a})",
            f"torch._foreach_copy_({a}, {b})",
            f"torch._foreach_zero_({a})",
            f"torch._foreach_sqrt{mark}({a})",
            f"{NN}.utils.clip_grad_norm_([{NN}.Parameter(t) for t in {a}], 1.0)",
        ]
    )


FAMILIES = [
    convolution,
    convolution,
    pooling,
    resampling,
    recurrence,
    attention,
    loss,
    loss,
    normalization,
    transform,
    spectrogram,
    equations,
    gathering,
    storages,
    lists,
    *operands.FAMILIES,
]


def program(seed):
    """The program of a seed, half of them with gradients."""
    rng = random.Random(seed)
    f = Fit(rng, rng.choice([0, 0, 1]))
    family = rng.choice(FAMILIES)
    f.lines.append(f"r = {family(f)}")
    if f.grad:
        f.lines.append("(r if isinstance(r, torch.Tensor) else r[0]).sum().backward()")
    return family.__name__, "\n".join(f.lines)
