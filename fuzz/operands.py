"""Random calls of operators whose operands have to fit each other, in dtypes, layouts and numbers of every kind:
products, slopes, distances, weighted losses, norms, reductions, writes by index, and what fills an `out`."""

F = "torch.nn.functional"
KINDS = ["float32"] * 4 + ["float64"] * 2 + ["float16", "bfloat16", "int64", "uint8", "bool", "complex64"]
ACTIVATIONS = "relu relu6 selu gelu silu mish hardswish hardsigmoid tanhshrink softsign logsigmoid sigmoid tanh"
OF_ONE = """
    erf erfc erfinv lgamma digamma expm1 log1p sinc logit i0 asinh atanh acosh rsqrt reciprocal frac trunc exp2 log2 sgn
    angle square deg2rad positive nan_to_num
"""
OF_TWO = """
    atan2 hypot fmod remainder copysign nextafter xlogy float_power fmax fmin maximum heaviside ldexp gcd floor_divide
    true_divide bitwise_xor bitwise_left_shift logical_xor
"""
REDUCTIONS = ["'mean'", "'sum'", "'none'"]


def kind(f):
    """A dtype for the whole program."""
    f.dtype = f.rng.choice(KINDS)
    f.grad = f.grad and f.dtype in ("float32", "float64")


def words(f):
    """What chooses one of several words."""
    return lambda text: f.rng.choice(text.split())


def mixed(f, *shape, grad=True):
    """A tensor, mostly of the program's dtype and these sizes, else of another one, or of sizes that broadcast."""
    rng = f.rng
    dtype = f.dtype if rng.random() < 0.8 else rng.choice(KINDS)
    if shape and rng.random() < 0.2:
        shape = rng.choice([shape[1:], (1, *shape[1:]), (*shape[:-1], 1)])
    return f.t(*shape, dtype=dtype, grad=grad, pattern=rng.choice([None, None, None, "edge", "unit"]))


def products(f):
    kind(f)
    rng, b, n, m, k = f.rng, f.n(1, 2), f.n(1, 3), f.n(1, 2, 4), f.n(1, 3, 0)
    one = words(f)
    name, left, right, out = rng.choice(
        [
            ("addmm", (n, k), (k, m), (n, m)),
            ("addmv", (n, k), (k,), (n,)),
            ("addbmm", (b, n, k), (b, k, m), (n, m)),
            ("baddbmm", (b, n, k), (b, k, m), (b, n, m)),
            ("addr", (n,), (m,), (n, m)),
            ("sspaddmm" if rng.random() < 0.02 else "addmm", (n, k), (k, m), (n, m)),
        ]
    )
    start = f.t(*(out if rng.random() < 0.7 else rng.choice([out[-1:], (), (1,)])))
    left, right = f.t(*left), f.t(*right)
    factors = f"beta={one('0 1 2 0.5 nan inf False -1')}, alpha={one('0 0.0 1 2 0.5 True -1')}"
    if rng.random() < 0.7:
        return f"torch.{name}({start}, {left}, {right}, {factors})"
    return f"{start}.{name}_({left}, {right}, {factors})"


def contractions(f):
    kind(f)
    rng, n, m, k = f.rng, f.n(1, 2, 3), f.n(2, 3), f.n(1, 3, 0)
    one = words(f)
    return rng.choice(
        [
            lambda: f"torch.matmul({f.t(*rng.choice([(n, k), (2, n, k), (k,), (2, 1, n, k)]))}, {f.t(k, m)})",
            lambda: (
                f"torch.tensordot({f.t(n, m, k)}, {f.t(m, k, n)}, "
                f"{rng.choice(['2', '0', '([1, 2], [0, 1])', '([2], [1])', '([0], [2])', '1'])})"
            ),
            lambda: (
                f"torch.einsum('{one('ij,jk->ik ij,jk ij,jk-> ij,jk->ki ij,jk->j ij,jk->ijk ...j,jk->...k')}', "
                f"{f.t(n, m)}, {f.t(m, k)})"
            ),
            lambda: (
                f"torch.einsum('{one('bij,bjk->bik bij,bjk->ik bij,bjk->b bij,cjk->bcik bij,bjk->kj')}', "
                f"{f.t(2, n, m)}, {f.t(2, m, k)})"
            ),
            lambda: f"{F}.bilinear({f.t(2, n)}, {f.t(2, m)}, {f.t(3, n, m)}, {f.maybe(f.t(3))})",
            lambda: (
                f"{F}.linear({f.t(*rng.choice([(k,), (2, k), (2, 0, k), (2, 3, k)]))}, {f.t(m, k)}, {f.maybe(f.t(m))})"
            ),
            lambda: f"torch.kron({f.t(n, m)}, {f.t(*rng.choice([(k,), (2, k), (2, 2, k)]))})",
            lambda: f"torch.chain_matmul({f.t(n, m)}, {f.t(m, k)}, {f.t(k, 2)})",
            lambda: f"torch.cross({f.t(n, 3)}, {mixed(f, n, 3)}, dim={f.n(-1, 1)})",
            lambda: f"torch.{one('inner vdot dot outer')}({f.t(k)}, {f.t(k)})",
            lambda: (
                f"torch.cov({f.t(n, m)}, correction={f.n(0, 1, 2)}, "
                f"fweights={f.maybe(f.t(m, dtype='int64', pattern='index', grad=False), 0.3)})"
            ),
            lambda: f"torch.corrcoef({f.t(n, m)})",
            lambda: f"torch.block_diag({f.t(n, m)}, {f.t(k)}, {mixed(f)})",
            lambda: f"torch.cartesian_prod({f.t(n)}, {f.t(m)})",
        ]
    )()


def slopes(f):
    kind(f)
    rng = f.rng
    one = words(f)
    sizes = rng.choice([(5,), (4, 3), (3, 4, 2), (2, 2), (1, 3), ()])
    n = len(sizes)
    x = f.t(*sizes)
    dims = rng.sample(range(n), rng.randrange(n + 1)) if rng.random() < 0.6 else None
    along = [sizes[d] for d in (range(n) if dims is None else dims)]
    places = [f.t(size, dtype=rng.choice([f.dtype, "float32", "float64"])) for size in along]
    number = one("2 0.5 -1 1j 0 3")
    spacing = rng.choice(["", f"spacing={number}, ", f"spacing=({', '.join(places)}{',' * bool(places)}), "])
    dim = "" if dims is None else f"dim={dims[0] if len(dims) == 1 and rng.random() < 0.5 else dims}, "
    order = rng.choice(["", "edge_order=2"])
    return rng.choice(
        [
            lambda: f"torch.gradient({x}, {spacing}{dim}{order})",
            lambda: f"torch.diff({x}, n={f.n(1, 2, 0)}, dim={rng.choice([-1, 0])})",
            lambda: f"torch.trapezoid({x}, dx={number})",
            lambda: f"torch.cumulative_trapezoid({x}, {f.t(*sizes)})",
            lambda: f"torch.trapezoid({x}, {f.t(*sizes[-1:])})",
        ]
    )()


def distances(f):
    kind(f)
    rng, n, m = f.rng, f.n(1, 3), f.n(1, 2, 4)
    one = words(f)
    p = one("2.0 1 3 inf 0 -inf 0.5 2 1.5")
    x = f.t(n, m)
    return rng.choice(
        [
            lambda: f"{F}.pairwise_distance({x}, {mixed(f, n, m)}, {p}, {one('1e-6 0 1')}, {f.flag()})",
            lambda: f"{F}.cosine_similarity({x}, {mixed(f, n, m)}, {f.n(0, 1, -1)}, {one('1e-8 1 0')})",
            lambda: f"torch.dist({x}, {mixed(f, n, m)}, {p})",
            lambda: f"torch.cdist({x}, {f.t(3, m)}, {p})",
            lambda: f"torch.pdist({x}, {p})",
            lambda: f"torch.norm({x}, {p}, {rng.choice(['0', '1', '(0, 1)', 'None'])}, {f.flag()})",
            lambda: f"torch.linalg.vector_norm({x}, {p}, {rng.choice(['0', '1', '(0, 1)', 'None'])}, {f.flag()})",
            lambda: f"torch.renorm({x}, {p}, {f.n(0, 1)}, {one('1 0.5 0 5')})",
            lambda: f"{F}.normalize({x}, {p}, {f.n(0, 1)}, {one('1e-12 1')})",
            lambda: (
                f"{F}.triplet_margin_loss({x}, {mixed(f, n, m)}, {f.t(n, m)}, {one('1.0 0.5')}, {p}, swap={f.flag()})"
            ),
            lambda: f"{F}.cosine_embedding_loss({x}, {f.t(n, m)}, {f.t(n, grad=False)}.sign(), {one('0 0.5')})",
        ]
    )()


def losses(f):
    kind(f)
    rng = f.rng
    one = words(f)
    sizes = rng.choice([(2, 3), (3,), (), (0, 3), (2, 3, 2)])
    x, y = f.t(*sizes), mixed(f, *sizes, grad=rng.random() < 0.4)
    reduction = f"reduction={rng.choice(REDUCTIONS)}"
    weight = f.maybe(mixed(f, *sizes, grad=False))
    unit = f.t(*sizes, grad=False, pattern="unit")
    return rng.choice(
        [
            lambda: f"{F}.l1_loss({x}, {y}, {reduction}, weight={weight})",
            lambda: f"{F}.mse_loss({x}, {y}, {reduction}, weight={weight})",
            lambda: f"{F}.huber_loss({x}, {y}, {reduction}, delta={one('1.0 0.5 2')}, weight={weight})",
            lambda: f"{F}.smooth_l1_loss({x}, {y}, {reduction}, beta={one('1.0 0 0.5')})",
            lambda: f"{F}.kl_div({x}, {y}, {reduction}, log_target={f.flag()})",
            lambda: f"{F}.poisson_nll_loss({x}, {y}, {f.flag()}, {f.flag()}, {reduction})",
            lambda: f"{F}.gaussian_nll_loss({x}, {y}, {mixed(f, *sizes)}.abs(), {f.flag()}, {reduction})",
            lambda: f"{F}.soft_margin_loss({x}, {y}, {reduction})",
            lambda: f"{F}.hinge_embedding_loss({x}, {y}.sign(), {one('1.0 0')}, {reduction})",
            lambda: f"{F}.margin_ranking_loss({x}, {y}, {mixed(f, *sizes)}.sign(), {one('0 0.5')}, {reduction})",
            lambda: f"{F}.binary_cross_entropy({x}.sigmoid(), {unit}, {weight}, {reduction})",
            lambda: (
                f"{F}.binary_cross_entropy_with_logits({x}, {unit}, {weight}, {reduction}, "
                f"pos_weight={f.maybe(f.t(*sizes[-1:], grad=False, pattern='unit'))})"
            ),
            lambda: (
                f"{F}.multilabel_soft_margin_loss({x}, {unit}, {f.maybe(f.t(*sizes[-1:], grad=False))}, {reduction})"
            ),
        ]
    )()


def norms_of_two_dtypes(f):
    rng, c = f.rng, 3
    f.dtype = rng.choice(["float32", "float32", "float64", "float16", "bfloat16"])
    f.grad = f.grad and f.dtype in ("float32", "float64")
    other = f.dtype if rng.random() < 0.6 else rng.choice(["float32", "float64", "float16", "bfloat16"])
    x = f.t(*rng.choice([(4, c), (2, c, 2), (2, c, 2, 2), (0, c), (1, c, 1)]))
    mean, var = rng.choice(
        [(f.t(c, dtype=other, grad=False), f.t(c, dtype=other, grad=False, pattern="unit")), ("None", "None")]
    )
    weight, bias = rng.choice([(f.t(c, dtype=other), f.t(c, dtype=other)), ("None", "None"), (f.t(c), "None")])
    return rng.choice(
        [
            lambda: f"{F}.batch_norm({x}, {mean}, {var}, {weight}, {bias}, {f.flag()})",
            lambda: f"torch.native_batch_norm({x}, {weight}, {bias}, {mean}, {var}, {f.flag()}, 0.1, 1e-5)",
            lambda: f"{F}.instance_norm({x}, {mean}, {var}, {weight}, {bias}, {f.flag()})",
            lambda: f"{F}.group_norm({x}, {f.n(1, 3)}, {weight}, {bias})",
            lambda: f"{F}.layer_norm({x}.transpose(1, -1), (3,), {weight}, {bias})",
            lambda: f"{F}.rms_norm({x}.transpose(1, -1), (3,), {weight})",
        ]
    )()


def fillers(f):
    kind(f)
    f.grad = False
    rng = f.rng
    out = f.t(*rng.choice([(5,), (2, 3), (0,), (), (3,), (5, 1)]))
    call = rng.choice(
        [
            "arange(5",
            "arange(0, 3",
            "arange(1, 2, 0.5",
            "range(0, 3",
            "linspace(0, 1, 5",
            "linspace(1, 2, 3",
            "logspace(0, 1, 3",
            "eye(2",
            "eye(2, 3",
            "full((2,), 3",
            "full((2, 3), 1.5",
            "zeros(2, 3",
            "ones(5",
            "tril_indices(2, 3",
        ]
    )
    dtype = f", dtype=torch.{rng.choice(KINDS)}" if rng.random() < 0.4 else ""
    return f"torch.{call}{dtype})" if "indices" in call or rng.random() < 0.3 else f"torch.{call}, out={out}{dtype})"


def reductions(f):
    kind(f)
    rng = f.rng
    one = words(f)
    sizes = rng.choice([(2, 3), (3,), (2, 3, 2), (), (0, 3), (3, 1)])
    x, n = mixed(f, *sizes), len(sizes)
    d = str(rng.randrange(-n, n)) if n else "0"
    ds = rng.choice([d, f"({d},)", "None", str(tuple(range(n)))])
    dtype = f", dtype=torch.{rng.choice(KINDS)}" if rng.random() < 0.3 else ""
    names = ["sum", "mean", "nansum", "nanmean"]
    return rng.choice(
        [
            lambda: f"torch.{rng.choice(names)}({x}, {ds}, {f.flag()}{dtype})",
            lambda: f"torch.prod({x}, {d}, {f.flag()}{dtype})",
            lambda: f"torch.{one('cumsum cumprod')}({x}, {d}{dtype})",
            lambda: f"torch.{one('cummax cummin logcumsumexp')}({x}, {d})",
            lambda: f"torch.{one('amax amin logsumexp count_nonzero')}({x}, {d})",
            lambda: f"torch.{one('amax amin logsumexp')}({x}, {ds if ds != 'None' else d}, {f.flag()})",
            lambda: (
                f"torch.{one('var std var_mean std_mean')}({x}, {ds}, correction={f.n(0, 1, 2)}, keepdim={f.flag()})"
            ),
            lambda: f"torch.{one('all any argmax argmin')}({x}, {d}, {f.flag()})",
            lambda: (
                f"torch.{one('max min median nanmedian mode aminmax')}({x})"
                if rng.random() < 0.3
                else f"torch.{one('max min median nanmedian')}({x}, {d}, {f.flag()})[0]"
            ),
            lambda: (
                f"torch.{one('quantile nanquantile')}({x}, {one('0.5 0.0 0.3')}, {ds if ds.isdigit() else d}, "
                f"{f.flag()}, interpolation='{one('linear lower higher nearest midpoint')}')"
            ),
            lambda: f"torch.{one('softmax log_softmax')}({x}, {d}{dtype})",
            lambda: f"{F}.softmin({x}, {d}{dtype})",
            lambda: f"torch.logaddexp({x}, {mixed(f, *sizes)})",
        ]
    )()


def writes(f):
    kind(f)
    rng, n, m = f.rng, f.n(2, 3), f.n(1, 3)
    one = words(f)
    x, y, i = f.t(n, m), mixed(f, 2, m), f.index(2, below=n)
    mask = f.t(*rng.choice([(n, m), (m,), (n, 1)]), dtype="bool", grad=False)
    mark = "_" if not f.grad and rng.random() < 0.4 else ""
    value = rng.choice(["2", "0.5", "nan", "-1", "1j", "True", mixed(f)])
    return rng.choice(
        [
            lambda: f"{x}.index_copy{mark}(0, {i}, {y})",
            lambda: f"{x}.index_fill{mark}(0, {i}, {value})",
            lambda: f"{x}.index_add{mark}(0, {i}, {y}, alpha={one('1 2 0.5 0')})",
            lambda: f"{x}.index_put{mark}(({i},), {mixed(f, m)}, accumulate={f.flag()})",
            lambda: f"{x}.index_put{mark}(({mask},), {mixed(f)})",
            lambda: f"{x}.masked_fill{mark}({mask}, {value})",
            lambda: f"{x}.masked_scatter{mark}({mask}, {f.t(n * m)})",
            lambda: (
                f"{x}.scatter{mark}(1, {f.index(n, 1, below=m)}, "
                f"{value if value[0] not in 'abcdefghijklm' else f.t(n, 1)})"
            ),
            lambda: f"{x}.where({mask}, {value})",
            lambda: f"{x}.put{mark}({i}, {f.t(2)}, {f.flag()})",
            lambda: f"torch.slice_scatter({x}, {mixed(f, 1, m)}, 0, 0, 1)",
            lambda: f"torch.select_scatter({x}, {mixed(f, m)}, 0, 1)",
            lambda: f"torch.diagonal_scatter({x}, {f.t(min(n, m) if min(n, m) > 0 else 0)})",
            lambda: f"torch.fill({x}, {value})",
            lambda: f"{x}.lerp{mark}({mixed(f, n, m)}, {rng.choice(['0.5', '2', mixed(f, n, m)])})",
            lambda: f"{x}.addcmul{mark}({mixed(f, n, m)}, {f.t(n, m)}, value={one('1 2 0.5')})",
            lambda: f"{x}.addcdiv{mark}({mixed(f, n, m)}, {f.t(n, m)}, value={one('1 2 0.5')})",
            lambda: (
                f"{x}.clamp{mark}({rng.choice(['0', 'None', '0.5', mixed(f, n, m)])}, "
                f"{rng.choice(['2', '1', mixed(f, n, m)])})"
            ),
            lambda: f"{x}.copy_({mixed(f, n, m)})",
            lambda: f"torch.where({mask}, {x}, {mixed(f, n, m)})",
        ]
    )()


def activations(f):
    kind(f)
    rng = f.rng
    one = words(f)
    x = f.t(*rng.choice([(2, 3), (3,), (), (2, 4, 2), (0, 4)]))
    a = rng.choice(["1.0", "0.5", "2", "0.1", "0", "-0.5"])
    return rng.choice(
        [
            lambda: f"{F}.{one(ACTIVATIONS)}({x})",
            lambda: f"{F}.gelu({x}, approximate='tanh')",
            lambda: f"{F}.elu({x}, {a})",
            lambda: f"{F}.celu({x}, {a})",
            lambda: f"{F}.leaky_relu({x}, {a})",
            lambda: f"{F}.softplus({x}, {a}, {one('20 1 0')})",
            lambda: f"{F}.{one('hardshrink softshrink')}({x}, {a})",
            lambda: f"{F}.hardtanh({x}, {one('-1.0 0 -0.5')}, {one('1.0 2 0')})",
            lambda: f"{F}.threshold({x}, {a}, {one('0 20 -1')})",
            lambda: f"{F}.prelu({x}, {rng.choice([f.t(1), f.t(4), f.t()])})",
            lambda: f"{F}.glu({x}, {one('-1 0 1')})",
            lambda: f"torch.{one(OF_ONE)}({x})",
            lambda: f"torch.special.{one('entr ndtr log_ndtr ndtri erfcx i0e i1 i1e')}({x})",
            lambda: f"torch.{one(OF_TWO)}({x}, {mixed(f, 3)})",
            lambda: f"torch.special.{one('xlog1py zeta gammainc gammaincc xlogy')}({x}, {mixed(f, 3)})",
            lambda: f"{F}.softmax({x}, -1, dtype=torch.{rng.choice(KINDS)})",
            lambda: (
                f"torch.{one('dropout alpha_dropout feature_dropout feature_alpha_dropout')}({x}, {one('0.0 1.0')}, "
                f"{f.flag()})"
            ),
        ]
    )()


def factors(f):
    f.dtype = f.rng.choice(["float32", "float64", "complex64", "complex128"])
    rng, n, k = f.rng, f.n(1, 2, 3), f.n(1, 2)
    one = words(f)
    lead = rng.choice([(), (), (2,), (0,)])
    a, b = f.t(*lead, n, n), f.t(*lead, n, k)
    m = f"({a} + 9 * torch.eye({a}.shape[-1], dtype={a}.dtype))"
    square = f"({a} @ {a}.mH + 9 * torch.eye({a}.shape[-1], dtype={a}.dtype))"
    flags = f"upper={f.flag()}"
    return rng.choice(
        [
            lambda: f"torch.triangular_solve({b}, {m}, {flags}, transpose={f.flag()}, unitriangular={f.flag()})",
            lambda: f"torch.linalg.solve_triangular({m}, {b}, {flags}, unitriangular={f.flag()})",
            lambda: f"torch.linalg.householder_product({f.t(*lead, 3, 2)}, {f.t(*lead, 2)})",
            lambda: f"torch.ormqr({f.t(*lead, 3, 2)}, {f.t(*lead, 2)}, {f.t(*lead, 3, k)}, True, {f.flag()})",
            lambda: f"torch.cholesky_solve({b}, torch.linalg.cholesky({square}), {f.flag()})",
            lambda: f"torch.cholesky_inverse(torch.linalg.cholesky({square}))",
            lambda: f"torch.linalg.cholesky({square}, {flags})",
            lambda: f"torch.linalg.eigvalsh({square}, UPLO='{rng.choice('LU')}')",
            lambda: f"torch.linalg.tensorinv(({f.t(4, 2, 2)}.reshape(4, 4) + 9 * torch.eye(4)).reshape(4, 2, 2), 1)",
            lambda: f"torch.linalg.vander({f.t(*lead, n)}, N={one('None 3 1')})",
            lambda: f"torch.linalg.lu_solve(*torch.linalg.lu_factor({m}), {b}, adjoint={f.flag()})",
            lambda: f"torch.linalg.lu_solve(*torch.linalg.lu_factor({m}), {b}.mT, left=False)",
            lambda: f"torch.linalg.{one('det inv matrix_exp')}({m})",
            lambda: f"torch.logdet({square})",
            lambda: (
                f"torch.linalg.norm({a}, {rng.choice(['None', '1', 'inf', repr('fro'), '-1', '-inf'])}, (-2, -1), "
                f"{f.flag()})"
            ),
            lambda: f"torch.linalg.qr({a}, mode='{one('r complete reduced')}')[1].abs()",
            lambda: f"torch.linalg.matrix_power({m}, {one('0 1 3 -2')})",
            lambda: f"torch.{one('tril triu trace diag diagonal diag_embed adjoint')}({a})",
        ]
    )()


def layers(f):
    rng = f.rng
    one = words(f)
    into, size = f.n(1, 2, 3), f.n(1, 2, 3)
    kind_ = rng.randrange(9)
    if kind_ < 2:
        name, gates = rng.choice([("gru_cell", 3), ("lstm_cell", 4), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)])
        h = f.t(2, size)
        state = f"({h}, {f.t(2, size)})" if name == "lstm_cell" else h
        biases = f"{f.t(gates * size)}, {f.t(gates * size)}" if rng.random() < 0.7 else "None, None"
        return f"torch.{name}({f.t(2, into)}, {state}, {f.t(gates * size, into)}, {f.t(gates * size, size)}, {biases})"
    if kind_ == 2:
        e, heads = rng.choice([(2, 1), (4, 2)])
        q, k, v = (f.t(n, 2, e) for n in (2, 3, 3))
        mask = f.maybe(f.t(2, 3, dtype="bool", grad=False), 0.3)
        return (
            lambda: (
                f"{F}.multi_head_attention_forward({q}, {k}, {v}, {e}, {heads}, {f.t(3 * e, e)}, {f.t(3 * e)}, None, "
                f"None, "
            ),
            lambda: f"{f.flag()}, 0.0, {f.t(e, e)}, {f.t(e)}, attn_mask={mask}, need_weights={f.flag()})",
        )
    if kind_ == 3:
        align = f.flag()
        return f"{F}.affine_grid({f.t(2, 2, 3)}, (2, 1, {f.n(1, 2, 3)}, {f.n(2, 3)}), {align})"
    if kind_ == 4:
        x, w = f.t(4, into), f.t(size, into)
        return f"{F}.linear_cross_entropy({x}, {w}, {f.index(4, below=size)}, reduction={rng.choice(REDUCTIONS)})"
    if kind_ == 5:
        return f"torch.conv_tbc({f.t(4, 2, into)}, {f.t(2, into, size)}, {f.t(size)}, {f.n(0, 1)})"
    if kind_ == 6:
        return f"{F}.one_hot({f.index(2, 3)}, {f.n(-1, 3, 4)})"
    if kind_ == 7:
        name, d = rng.choice([("shuffle", 4), ("unshuffle", 1)])
        return f"torch.pixel_{name}({f.t(1, 4 if name == 'shuffle' else 1, 2, 4)}, 2)"
    return f"{F}.embedding_bag({f.index(2, 3)}, {f.t(3, size)}, mode='{one('sum mean max')}', per_sample_weights=None)"


def complex_parts(f):
    f.dtype = f.rng.choice(["float32", "float64", "complex64", "complex128"])
    rng, n = f.rng, f.n(1, 2, 3)
    one = words(f)
    x, y = f.t(n, 2), f.t(n, 2)
    if f.dtype.startswith("complex"):
        name = one("real imag mT H T")
        return rng.choice(
            [
                f"torch.view_as_real({x})",
                f"{x}.{name}",
                f"torch.{one('abs angle sgn conj conj_physical resolve_conj isreal neg reciprocal')}({x})",
                f"torch.{one('exp log sqrt sin cos tan tanh sinh cosh asin acos atan log1p expm1 rsqrt')}({x})",
                f"{x} {one('+ - * / **')} {y}",
                f"{x} ** {one('2 0.5 -1 1j 0 3')}",
                f"{x}.conj() * {y}",
                f"torch.{one('prod cumprod cumsum mean var logsumexp')}({x}, 0)",
            ]
        )
    return rng.choice(
        [
            lambda: f"torch.view_as_complex({x})",
            lambda: f"torch.complex({x}, {y})",
            lambda: f"torch.polar({x}, {y})",
            lambda: f"{x} * {rng.choice(['1j', '(2 + 1j)'])}",
            lambda: f"torch.{one('angle sgn conj real isreal sign')}({x})",
        ]
    )()


def moves(f):
    kind(f)
    rng, n, m = f.rng, f.n(1, 2, 3), f.n(2, 3)
    one = words(f)
    x = f.t(n, m, 2)
    dims = rng.choice(["0", "-1", "(0, 1)", "1"])
    return rng.choice(
        [
            lambda: f"torch.flip({x}, {dims if dims[0] == '(' else f'({dims},)'})",
            lambda: f"torch.roll({x}, {rng.choice(['1', '-2', '(1, 2)'])}, {rng.choice(['0', '(0, 1)', 'None'])})",
            lambda: f"torch.rot90({x}, {f.n(1, 2, -1)})",
            lambda: f"{x}.repeat({f.n(1, 2)}, 1, {f.n(2, 0)})",
            lambda: (
                f"torch.repeat_interleave({x}, "
                f"{rng.choice(['2', f.t(n, dtype='int64', grad=False, pattern='index')])}, 0)"
            ),
            lambda: f"torch.tile({x}, ({f.n(1, 2)}, 2))",
            lambda: f"{x}.unfold({f.n(0, 1)}, {f.n(1, 2)}, {f.n(1, 2)})",
            lambda: f"{x}.as_strided((2, {f.n(1, 2)}), ({f.n(1, 2)}, 1), {f.n(0, 1)})",
            lambda: f"torch.as_strided_scatter({x}.contiguous(), {f.t(2, 1)}, (2, 1), (1, 1), 0)",
            lambda: f"torch.cat([{x}, {mixed(f, n, m, 2)}], {f.n(0, -1)})",
            lambda: f"torch.{one('stack hstack vstack dstack column_stack')}([{x}, {mixed(f, n, m, 2)}])",
            lambda: (
                f"torch.{one('sort cummax kthvalue')}({x}, {one('-1 0')})[0]"
                if rng.random() < 0.9
                else f"torch.msort({x})"
            ),
            lambda: f"torch.topk({x}, {f.n(1, 0)}, {f.n(0, 1)}, {f.flag()})[0]",
            lambda: f"torch.{one('diagonal movedim swapaxes transpose')}({x}, 0, {f.n(1, 2)})",
            lambda: f"{F}.pad({x}, ({f.n(0, 1)}, {f.n(1, 2, -1)}), '{one('constant reflect replicate circular')}')",
            lambda: (
                f"torch.{one('index_select gather take_along_dim')}({x}, 0, {f.index(2, below=n)})"
                if rng.random() < 0.3
                else f"torch.index_select({x}, 0, {f.index(2, below=n)})"
            ),
            lambda: f"{x}[{f.index(2, below=n)}, {rng.choice([':', '0', '...', 'None', f.index(2, below=m), '1:'])}]",
            lambda: f"{x}[{f.t(n, m, dtype='bool', grad=False)}]",
            lambda: f"torch.broadcast_to({x}, (2, {n}, {m}, 2))",
            lambda: f"torch.combinations({f.t(3)}, {f.n(1, 2)}, {f.flag()})",
            lambda: f"torch.unique_consecutive({x}.sort()[0].detach())",
            lambda: f"torch.searchsorted({f.t(4)}.nan_to_num().sort()[0].detach(), {x}.detach(), right={f.flag()})",
            lambda: f"torch.histc({x}.detach(), {f.n(3, 1)}, -4, 4)",
            lambda: (
                f"torch.logspace(0, 1, {f.n(3, 1)}, base={one('2 10.0 0.5')}, dtype=torch.{one('float32 float64')})"
            ),
        ]
    )()


FAMILIES = [
    products,
    contractions,
    slopes,
    distances,
    losses,
    norms_of_two_dtypes,
    fillers,
    reductions,
    writes,
    activations,
    factors,
    layers,
    complex_parts,
    moves,
]
