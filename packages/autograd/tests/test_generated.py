"""Every operator under ``vmap`` against a loop, and in forward mode against differences.

The functions are those that the other tests differentiate, by their tables, and those below that have no derivative or
write in place. A test names the operators that none of them reaches, so an operator that is added is tested here.
"""

import itertools
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd.batching import table
from flambeau_autograd.func import grad, jvp, vmap
from flambeau_tensor.extend import Elementwise, find_operator, operators

STEP = 1e-6
CUT = {"detached", "ranges between tensors", "indefinite matrices"}  # tangents end here


def tables(name):
    return run_path(str(Path(__file__).with_name(f"test_{name}.py")))


POINTWISE, INDEXING, VIEWS, MATMUL, LINEAR_ALGEBRA, FFT, SPECIAL = (
    tables(name) for name in ("pointwise", "indexing", "views", "matmul", "linear_algebra", "fft", "special")
)
embedding, one_hot = (find_operator(f"torch.nn.functional.{name}") for name in ("embedding", "one_hot"))


def _write(x, index, value):
    x = x.clone()
    x[index] = value
    return x


def _solve_indefinite(a, b):
    LD, pivots, _ = find_operator("torch.linalg.ldl_factor_ex")(a)
    return find_operator("torch.linalg.ldl_solve")(LD, pivots, b)


MASKS = [
    [[True, False, True, True], [False, False, True, False], [True, True, True, True]],
    [[False, False, False, True], [True, False, True, False], [False, True, True, False]],
    [[True, True, True, True], [False, True, True, False], [True, False, False, True]],
]
# name: (function, arguments). An argument is (shape, low, high) of random numbers, or a list with one value for each of
# three examples, whose dtype is its own.
X = ((3, 4), -2, 2)
V = ((4,), -2, 2)
PLACES = [[2, 0, 2], [1, 1, 0], [0, 2, 1]]
COLUMNS = [[[0], [3], [2]], [[1], [1], [0]], [[3], [0], [0]]]
INTS = [[5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6]]
TRUTHS = [[True, False, True], [False, False, True], [True, True, True]]
UNIQUE = [[2, 0, 1], [1, 2, 0], [0, 1, 2]]

OWN = {
    "diagonal_scatter": (lambda x, v: torch.diagonal_scatter(x, v, 1), [X, ((3,), -2, 2)]),
    "select_scatter": (lambda x, v: torch.select_scatter(x, v, -2, 1), [X, V]),
    "slice_scatter": (lambda x, y: torch.slice_scatter(x, y, 1, 1, 4, 2), [X, ((3, 2), -2, 2)]),
    "index": (lambda x, i: x[i], [X, PLACES]),
    "index, second dimension": (lambda x, i: x[:, i], [X, PLACES]),
    "index, both": (lambda x, i, j: x[i, j], [X, PLACES, PLACES]),
    "index, apart": (lambda x, i, j: x[i, :, j], [((3, 2, 3), -1, 1), PLACES, PLACES]),
    "index, last two": (lambda x, i, j: x[:, i, j], [((2, 3, 3), -1, 1), PLACES, PLACES]),
    "index, of two dimensions": (lambda x, i: x[:, i], [X, COLUMNS]),
    "index, a number": (lambda x, i: x[i], [X, [2, 0, 1]]),
    "index_put": (lambda x, i, v: x.index_put((i,), v), [X, UNIQUE, V]),
    "index_put, columns": (lambda x, i, v: x.index_put((None, i), v), [X, UNIQUE, ((3, 3), -1, 1)]),
    "index_put, apart": (lambda x, i, v: x.index_put((i, None, i), v), [((3, 2, 3), -1, 1), UNIQUE, ((3, 2), -1, 1)]),
    "index_put, added": (lambda x, i, v: x.index_put((i, i), v, True), [X, PLACES, ((3,), -1, 1)]),
    "index_put by a mask": (lambda x, m, v: x.index_put((m,), v), [X, MASKS, ((), -1, 1)]),
    "index_put by a mask of rows": (lambda x, m, v: x.index_put((m,), v), [X, TRUTHS, V]),
    "index_put by a mask, added": (lambda x, m, v: x.index_put((m,), v, True), [X, MASKS, ((1,), -1, 1)]),
    "index_put_": (lambda x, i, v: x.clone().index_put_((None, i), v), [X, UNIQUE, ((3,), -1, 1)]),
    "index_put_ by a mask": (lambda x, m, v: x.clone().index_put_((m,), v), [X, MASKS, ((), -1, 1)]),
    "writing to brackets": (_write, [X, UNIQUE, V]),
    "index_select": (lambda x, i: torch.index_select(x, 1, i), [X, PLACES]),
    "index_select of a number": (lambda x, i: torch.index_select(x, 0, i), [((), -1, 1), [[0], [0], [0]]]),
    "index_add": (lambda x, i, s: torch.index_add(x, -1, i, s, alpha=2), [X, PLACES, ((3, 3), -1, 1)]),
    "index_add_": (lambda x, i, s: x.clone().index_add_(0, i, s), [X, PLACES, X]),
    "index_copy": (lambda x, i, s: torch.index_copy(x, 1, i, s), [X, UNIQUE, ((3, 3), -1, 1)]),
    "index_copy_": (lambda x, i, s: x.clone().index_copy_(0, i, s), [X, UNIQUE, X]),
    "index_fill": (lambda x, i, v: torch.index_fill(x, 1, i, v), [X, PLACES, ((), -1, 1)]),
    "index_fill by a number": (lambda x, i: torch.index_fill(x, 0, i, 0.5), [X, [[0, 2], [1, 0], [2, 1]]]),
    "index_fill_": (lambda x, i: x.clone().index_fill_(0, i, 0.5), [X, PLACES]),
    "gather": (lambda x, i: torch.gather(x, 1, i), [X, COLUMNS]),
    "gather of a number": (lambda x, i: torch.gather(x, 0, i), [((), -1, 1), [0, 0, 0]]),
    "scatter": (lambda x, i, s: torch.scatter(x, 1, i, s), [X, COLUMNS, X]),
    "scatter of a value": (lambda x, i: torch.scatter(x, 1, i, value=0.5), [X, COLUMNS]),
    "scatter_": (lambda x, i, s: x.clone().scatter_(1, i, s), [X, COLUMNS, X]),
    "scatter_add": (lambda x, i, s: torch.scatter_add(x, 1, i, s), [X, COLUMNS, X]),
    "scatter_reduce": (
        lambda x, i, s: torch.scatter_reduce(x, 1, i, s, "prod"),
        [((3, 4), 0.5, 2), COLUMNS, ((3, 1), 0.5, 2)],
    ),
    "take": (lambda x, i: torch.take(x, i), [X, INTS]),
    "put": (lambda x, i, s: torch.put(x, i, s), [X, UNIQUE, ((3,), -1, 1)]),
    "put, added": (lambda x, i, s: torch.put(x, i, s, True), [X, INTS, V]),
    "masked_fill": (lambda x, m, v: torch.masked_fill(x, m, v), [X, MASKS, ((), -1, 1)]),
    "masked_fill_": (lambda x, m: x.clone().masked_fill_(m, 0.5), [X, MASKS]),
    "masked_select": (lambda x: torch.masked_select(x, torch.tensor(MASKS[0])), [X]),
    "masked_scatter": (lambda x, m, s: torch.masked_scatter(x, m, s), [X, MASKS, ((12,), -1, 1)]),
    "masked_scatter_": (lambda x, m, s: x.clone().masked_scatter_(m, s), [X, MASKS, ((12,), -1, 1)]),
    "embedding": (embedding, [PLACES, X]),
    "embedding with padding": (lambda i, w: embedding(i, w, 0), [PLACES, X]),
    "one_hot": (lambda i: one_hot(i, 4), [PLACES]),
    "bucketize": (lambda x, b: torch.bucketize(x, b.sort()[0]), [X, V]),
    "bucketize, right": (lambda x, b: torch.bucketize(x, b, right=True), [INTS, [[1, 2, 5], [0, 1, 4], [-3, 3, 4]]]),
    "bucketize, a number": (lambda b: torch.bucketize(0.3, b.sort()[0]), [V]),
    "searchsorted, a number": (lambda b: torch.searchsorted(b.sort()[0], 0.3), [V]),
    "view, dtype": (lambda x: x.view(torch.int64), [X]),
    "searchsorted": (lambda b, x: torch.searchsorted(b.sort(-1)[0], x), [X, ((3, 2), -2, 2)]),
    "searchsorted, sorter": (lambda b, x: torch.searchsorted(b, x, sorter=b.argsort()), [V, ((3, 2), -2, 2)]),
    "histogram": (lambda x: torch.histogram(x, 5, range=(-1.5, 1)), [X]),
    "histogram of points": (lambda x: torch.histogramdd(x, 2)[0], [((5, 2), -1, 1)]),
    "nonzero_static": (lambda x: torch.nonzero_static((x > 0).long(), size=5), [X]),
    "distances of rows": (lambda a, b: torch.cdist(a, b), [X, ((3, 4), -2, 2)]),
    "distances of rows by products": (
        lambda a, b: torch.cdist(a, b, 2.0, "use_mm_for_euclid_dist"),
        [X, ((3, 4), -2, 2)],
    ),
    "frexp": (lambda x: torch.frexp(x), [((3, 4), 0.6, 0.9)]),
    "index_reduce": (lambda x, i, s: torch.index_reduce(x, 0, i, s, "amax"), [X, PLACES, X]),
    "index_reduce_": (lambda x, i, s: x.clone().index_reduce_(0, i, s, "mean"), [X, PLACES, X]),
    "renorm": (lambda x: torch.renorm(x, 2, 0, 1), [X]),
    "diagflat": (lambda x: torch.diagflat(x, 1), [((2, 2), -1, 1)]),
    "unsafe pieces": (
        lambda x: (
            *torch.unsafe_chunk(x, 2, 1),
            *torch.unsafe_split(x, 3, 1),
            *torch.unsafe_split_with_sizes(x, (1, 2)),
        ),
        [X],
    ),
    "indefinite matrices": (_solve_indefinite, [((3, 3), -2, 2), ((2, 3, 2), -2, 2)]),
    "histc": (lambda x: torch.histc(x, 5, -1.5, 1), [X]),
    "histc of all": (lambda x: torch.histc(x, 5), [X]),
    "bincount": (lambda i: torch.bincount(i, minlength=9), [[[1, 2], [8, 1], [0, 0]]]),
    "ranges between tensors": (lambda a, b: (torch.linspace(a, b, 4), torch.logspace(a, 2, 3)), [((), 0, 1)] * 2),
    "repeat_interleave": (lambda x, n: torch.repeat_interleave(x, n, 0), [X, [[1, 3, 0], [2, 1, 1], [4, 0, 0]]]),
    "nonzero": (lambda x: torch.nonzero(x * x + 1), [((2, 2), -1, 1)]),
    "argwhere": (lambda x: torch.argwhere(x * x + 1), [((2, 2), -1, 1)]),
    "unique": (lambda i: torch.unique(i), [UNIQUE]),
    "std": (lambda x: torch.std(x, 1), [X]),
    "extremes and medians of all": (lambda x: (torch.max(x), torch.min(x), torch.median(x), torch.nanmedian(x)), [X]),
    "max of a number": (lambda x: torch.max(x, 0), [((), -1, 1)]),
    "softmax of a number": (lambda x: torch.softmax(x, 0), [((), -1, 1)]),
    "sort of a number": (lambda x: torch.sort(x, 0)[1], [((), -1, 1)]),
    "sums": (lambda x: (x.sum(0), torch.nansum(x), x.mean(1), x.prod(0), x.amin(1), x.argmin(0), x.argmax()), [X]),
    "truth": (lambda x: ((x > 0).all(0), (x > 0).any(), torch.count_nonzero(x > 0, 1)), [X]),
    "order": (
        lambda x: (
            torch.min(x, 1),
            torch.mode(x),
            torch.kthvalue(x, 2),
            torch.nanmedian(x, 0),
            torch.median(x, 0),
            torch.cummin(x, 0),
            torch.argsort(x, 0),
        ),
        [X],
    ),
    "norms": (lambda x: (torch.norm(x, 1), torch.norm(x, 2, 0), torch.var(x), torch.logsumexp(x, 1)), [X]),
    "running, in place": (lambda x: (x.clone().cumsum_(0), x.clone().cumprod_(1)), [X]),
    "scattered, in place": (
        lambda x, i: (x.clone().scatter_add_(1, i, x), x.clone().scatter_reduce_(1, i, x[:, :1], "sum")),
        [X, COLUMNS],
    ),
    "where": (torch.where, [MASKS, X, V]),
    "copy_": (lambda x, y: x.clone().copy_(y), [X, V]),
    "fill_": (lambda x, y: x.clone().fill_(y), [X, ((), -1, 1)]),
    "put_": (lambda x, i, s: x.clone().put_(i, s), [X, UNIQUE, ((3,), -1, 1)]),
    "triangles, in place": (
        lambda x: (x.clone().tril_(), x.clone().triu_(1), x.clone().zero_(), x.clone().fill_(2)),
        [X],
    ),
    "products, in place": (
        lambda s, a, b: (
            s.clone().addmm_(a, b),
            s[0].clone().addmv_(b.t(), a[0]),
            s[None].clone().baddbmm_(a[None], b[None]),
        ),
        [((2, 3), -1, 1), ((2, 4), -1, 1), ((4, 3), -1, 1)],
    ),
    "after the pattern of one": (
        lambda x: (
            torch.zeros_like(x),
            torch.ones_like(x),
            torch.full_like(x, 2.5),
            x.new_zeros(2),
            x.new_ones((2, 1)),
            x.new_full((2,), 3),
            x.new_tensor([1, 2]),
            torch.empty_like(x).zero_(),
            x.new_empty(2).fill_(1),
            x.new_empty_strided((2, 2), (1, 2)).fill_(1),
        ),
        [X],
    ),
    "detached": (lambda x: (x.detach(), x.clone().detach_()), [X]),
    "views": (
        lambda x: (
            x.view(4, 3),
            x.flatten(),
            x[1:, ::2],
            x.T,
            x.squeeze(),
            x.unfold(0, 2, 1),
            x.narrow(1, 1, 2),
            x.unflatten(1, (2, 2)),
            x.chunk(2, 1),
            x.movedim(0, 1),
            x.swapaxes(0, 1),
        ),
        [X],
    ),
    "negative and imaginary views": (lambda x, y: x._neg_view() * torch.complex(x, y).conj().imag, [X, X]),
    "real numbers of complex ones": (lambda x, y: torch.view_as_real(torch.complex(x, y).conj_physical()), [X, X]),
    "unique_consecutive": (lambda i: torch.unique_consecutive(i), [UNIQUE]),
}

# Where in memory, and writing to a tensor without examples: in test_func_semantics.py.
ELSEWHERE = {
    "as_strided",
    "as_strided_scatter",
    "as_strided, overlapping",
    "as_strided of a transposed one",
    "copy_",
    "fill_",
}
OWN |= {f"unary {name}": (getattr(torch, name), [((2, 3), *bounds)]) for name, bounds in POINTWISE["UNARY"].items()}
OWN |= {
    f"{where} {name}": (function, [X])
    for where, table_ in (("indexing", INDEXING), ("views", VIEWS))
    for name, function in table_["CASES"].items()
    if name not in ELSEWHERE
}
OWN |= {
    f"{family} {name}": (function, [(shape, -2, 2) for shape in shapes])
    for family, cases in (("linear algebra", LINEAR_ALGEBRA["CASES"]), ("transform", FFT["CASES"] | FFT["REAL"]))
    for name, (function, shapes) in cases.items()
}
OWN |= {f"special {name}": (function, [((2, 3), 0.6, 1.9)]) for name, function in SPECIAL["SECOND"].items()}
OWN |= {
    f"product {name}": (function, [(shape, -2, 2) for shape in shapes])
    for name, (function, *shapes) in MATMUL["CASES"].items()
}


# --- elementwise operators, from their schemas ----------------------------------------------------------------------

OTHERWISE = {"copy_", "complex", "where", *SPECIAL["SECOND"]}


def elementwise_operators():
    """Those that take nothing but tensors, and what works in place; each by the name it is found under."""
    for name, op in operators().items():
        if isinstance(op.implementation, Elementwise) and op.name not in OTHERWISE:
            required = [a for a in op.schema.arguments if not a.has_default]
            if all(a.type in ("Tensor", "Tensor(a!)") for a in required):
                yield name, op, len(required)


def range_of(op):
    return (POINTWISE["UNARY"] | SPECIAL["UNARY"]).get((op.functional or op).name, (0.6, 1.9))


def call_elementwise(op):
    def function(*args):
        return op(args[0].clone(), *args[1:]) if op.functional is not None else op(*args)

    return function


def elementwise_case(op, count):
    """(function, arguments), of integers where there are no other numbers."""
    function, low_high = call_elementwise(op), range_of(op)
    shapes = [(2, 3), (3,), (2, 1)][:count] if op.functional is None or count == 1 else [(2, 3), (3,), (2, 1)][:count]
    try:
        function(*[torch.ones(shape, dtype=torch.float64) for shape in shapes])
        return function, [(shape, *low_high) for shape in shapes]
    except (RuntimeError, NotImplementedError, TypeError):
        return function, [INTEGERS, *[SMALL] * (count - 1)]


INTEGERS, SMALL = [[5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6]], [[1, 2, 3, 1], [2, 2, 1, 3], [3, 1, 1, 2]]
CUT |= {f"operator {name}" for name, op, _ in elementwise_operators() if not op.records}
CASES = OWN | {f"operator {name}": elementwise_case(op, count) for name, op, count in elementwise_operators()}


# --- under vmap -----------------------------------------------------------------------------------------------------


def drawn(arguments):
    """Three examples of each argument, stacked."""
    state = np.random.RandomState(3)
    out = []
    for a in arguments:
        out.append(
            torch.tensor(a) if isinstance(a, list) else torch.from_numpy(np.asarray(state.uniform(*a[1:], (3, *a[0]))))
        )
    return out


def flat(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for item in result for t in flat(item)]


def same(found, expected):
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype is b.dtype and a.shape == b.shape
        a, b = a.resolve_conj().resolve_neg(), b.resolve_conj().resolve_neg()
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-12)


def looped(function, stacked, batched, size=3):
    rows = [flat(function(*[a[i] if b else a[0] for a, b in zip(stacked, batched, strict=True)])) for i in range(size)]
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def listed(function):
    return lambda *args: tuple(flat(function(*args)))


@pytest.mark.parametrize("name", CASES)
def test_vmap_is_a_loop(name):
    """Wherever the examples lie, and whichever arguments they share."""
    function, arguments = CASES[name]
    stacked = drawn(arguments)
    choices = [c for c in itertools.product([True, False], repeat=len(stacked)) if any(c)]
    for batched in choices:
        if not batched[0] and (name.endswith(("_", "_ by a mask")) or name.startswith("writing") or "in place" in name):
            continue  # many examples written into one tensor
        expected = looped(function, stacked, batched)
        for place in (0, -1):
            given = [a.movedim(0, place) if b else a[0] for a, b in zip(stacked, batched, strict=True)]
            found = vmap(listed(function), tuple(place if b else None for b in batched))(*given)
            same(found, expected)


@pytest.mark.parametrize("name", CASES)
def test_nested(name):
    """Examples of examples: the outer ones in the last dimension."""
    function, arguments = CASES[name]
    stacked = drawn(arguments)
    inner = vmap(listed(function))
    shuffled = [torch.stack([a, a[[1, 2, 0]]], -1) for a in stacked]
    found = vmap(inner, in_dims=-1)(*shuffled)
    first = looped(function, stacked, [True] * len(stacked))
    second = looped(function, [a[[1, 2, 0]] for a in stacked], [True] * len(stacked))
    same(found, [torch.stack(pair) for pair in zip(first, second, strict=True)])


# --- forward mode ---------------------------------------------------------------------------------------------------


def moving(stacked):
    return [i for i, a in enumerate(stacked) if a.is_floating_point()]


def results(function):
    """The floating point results, as real numbers."""

    def of(*args):
        out = [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in flat(function(*args))]
        return tuple(t for t in out if t.is_floating_point())

    return of


DIFFERENTIABLE = [
    name
    for name, (function, arguments) in CASES.items()
    if moving(drawn(arguments)) and results(function)(*[a[0] for a in drawn(arguments)])
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_forward_mode(name):
    """Tangents against differences, for one example and for all of them at once."""
    function, arguments = CASES[name]
    stacked = drawn(arguments)
    where, state = moving(stacked), np.random.RandomState(5)
    directions = [torch.from_numpy(np.asarray(state.uniform(-1, 1, tuple(stacked[i].shape)))) for i in where]
    calls = results(function)

    def along(*args):
        values, tangents = args[: len(stacked)], args[len(stacked) :]

        def of_moving(*given):
            full = list(values)
            for i, g in zip(where, given, strict=True):
                full[i] = g
            return calls(*full)

        return jvp(of_moving, tuple(values[i] for i in where), tuple(tangents))[1]

    found = [along(*[a[i] for a in stacked], *[d[i] for d in directions]) for i in range(3)]
    for i in range(3):
        shifted = []
        for sign in (1, -1):
            values = [a[i] for a in stacked]
            for k, d in zip(where, directions, strict=True):
                values[k] = values[k] + sign * STEP * d[i]
            shifted.append(calls(*values))
        for tangent, plus, minus in zip(found[i], *shifted, strict=True):
            if name in CUT:
                assert not tangent.numpy().any()
            else:
                np.testing.assert_allclose(tangent.numpy(), (plus - minus).numpy() / (2 * STEP), rtol=1e-4, atol=1e-6)
    batched = vmap(along)(*stacked, *directions)
    same(batched, [torch.stack(column) for column in zip(*found, strict=True)])


# --- gradients of examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_for_each_example(name):
    """``vmap(grad(f))`` and ``grad`` through ``vmap`` against a loop."""
    function, arguments = CASES[name]
    stacked = drawn(arguments)
    where, calls = moving(stacked), results(function)

    def total(*args):
        out = [t for t in calls(*args)]
        return sum(((t * t).sum() for t in out), torch.zeros((), dtype=torch.float64))

    of = grad(total, argnums=tuple(where))
    expected = looped(of, stacked, [True] * len(stacked))
    same(vmap(of)(*stacked), expected)
    same(grad(lambda *args: vmap(total)(*args).sum(), argnums=tuple(where))(*stacked), expected)


# --- complete -------------------------------------------------------------------------------------------------------

UNREACHED = {
    "random numbers": "bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ multinomial normal normal_ "
    "poisson random_ rand_like randn_like randint_like uniform_ binomial _standard_gamma "
    "_sample_dirichlet _standard_gamma_grad _dirichlet_grad",
    "concerns the tensor itself": "__deepcopy__ resize_",
    "where in memory, and the base of views": "as_strided as_strided_backward alias",
    "runs in the kernel of lstsq": "_least_squares",
    "gives no elements": "to_meta",
    "has no derivative": "geqrf",
}


def test_no_operator_is_left_out(monkeypatch):
    """Every operator that a table of rules could hold is called by a function above, or by its derivative."""
    seen, rule_of = set(), table.rule_of

    def note(op):
        seen.add(op.__torch_name__)
        return rule_of(op)

    monkeypatch.setattr(table, "rule_of", note)
    for function, arguments in CASES.values():
        stacked = drawn(arguments)
        vmap(listed(function))(*stacked)
        where, calls = moving(stacked), results(function)
        if where and calls(*[a[0] for a in stacked]):
            vmap(grad(lambda *a, c=calls: sum((t * t).sum() for t in c(*a)), tuple(where)))(*stacked)
    monkeypatch.undo()
    expected = {op.__torch_name__ for op in operators().values() if takes_and_gives_tensors(op)}
    excused = {name for names in UNREACHED.values() for name in names.split()}
    left = {name for name in expected - seen if operators()[name].name not in excused}
    assert not left


LOOPED = {
    "numbers are read from tensors": "linspace logspace",
    "counts between edges of their own": "histogram_counts histogram_edges",
    "rows up to a number": "nonzero_static",
    "results whose size depends on the elements": "argwhere bincount nonzero repeated unique unique_consecutive",
    "where in memory, and the base of views": "as_strided_backward",
    "concerns the tensor itself": "__deepcopy__ resize_",
}


def test_what_runs_once_for_each_example():
    """No other operator lacks a rule."""
    left = {op.name for op in operators().values() if takes_and_gives_tensors(op) and table.rule_of(op) is table.looped}
    assert left == {name for names in LOOPED.values() for name in names.split()}


def takes_and_gives_tensors(op):
    given = [a for a in op.schema.arguments if a.type.startswith("Tensor") and a.name != "out"]
    of_elements = not (op.is_composite or op.object_state)
    return of_elements and given and op.schema.returns and "Tensor" in op.schema.returns[0].type
