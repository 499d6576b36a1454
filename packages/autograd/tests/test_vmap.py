"""What ``vmap`` says of one example: its dimensions, its dtypes, its random numbers; and what it refuses.

Expected types, texts and dtypes are those of PyTorch 2.13 unless a comment says otherwise.
"""

import functools
import itertools

import pytest
from flambeau_autograd._engine.levels.level import levels

import flambeau_tensor as torch
from flambeau_autograd import Function, no_grad, set_detect_anomaly, set_grad_enabled
from flambeau_autograd.func import grad, grad_and_value, jacfwd, jacrev, jvp, vjp, vmap

ONE, V = torch.ones(2, 3), torch.arange(3.0)


# --- dimensions of one example --------------------------------------------------------------------------------------

PRODUCTS = {"mm": (2, 2), "mv": (2, 1), "dot": (1, 1), "vdot": (1, 1), "bmm": (3, 3)}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dims", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.parametrize("ranks", list(itertools.product((1, 2, 3), repeat=2)), ids=str)
def test_products_take_what_they_take_of_one_example(name, dims, ranks):
    """PyTorch names the shapes of dot and vdot in other words."""
    a, b = (torch.ones((2,) * (r + (d is not None))) for r, d in zip(ranks, dims, strict=True))
    product = vmap(getattr(torch, name), in_dims=dims)
    if ranks == PRODUCTS[name]:
        assert (
            product(a, b)[0].tolist()
            == getattr(torch, name)(torch.ones((2,) * ranks[0]), torch.ones((2,) * ranks[1])).tolist()
        )
    else:
        with pytest.raises(RuntimeError, match=f"incorrect dims for {name}.*dim {ranks[0]} and b has dim {ranks[1]} "):
            product(a, b)


@pytest.mark.parametrize(("name", "rank"), [("addmm", 1), ("addmv", 1), ("baddbmm", 2)])
def test_products_that_add(name, rank):
    with pytest.raises(RuntimeError, match=f"incorrect dims for {name.removeprefix('add').removeprefix('badd')}"):
        vmap(getattr(torch, name))(*[torch.ones((2,) * (rank + 1))] * 3)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: vmap(lambda x: x.squeeze(1))(V), IndexError, r"range of \[-1, 0\], but got 1"),
        (lambda: vmap(lambda x: x.squeeze(-2))(V), IndexError, r"range of \[-1, 0\], but got -2"),
        (lambda: vmap(lambda x: x.squeeze(5))(ONE), IndexError, r"range of \[-1, 0\], but got 5"),
        (lambda: vmap(lambda x: x.squeeze((0, 0)))(torch.ones(3, 1, 1)), RuntimeError, "dim 0 appears multiple times"),
        (lambda: vmap(lambda x: torch.flip(x, (1,)))(V), IndexError, r"range of \[-1, 0\], but got 1"),
        (lambda: vmap(lambda x: torch.flip(x, (0, 0)))(V), RuntimeError, "appears multiple times"),
        (lambda: vmap(lambda x: x.permute((0, 3)))(torch.ones(2, 3, 4)), IndexError, r"range of \[-2, 1\], but got 3"),
        (lambda: vmap(lambda x: x.permute((0, 0)))(torch.ones(2, 3, 4)), RuntimeError, "duplicate dims"),
        (lambda: vmap(lambda x: x.t())(torch.ones(2, 3, 4, 5)), RuntimeError, "<= 2 dimensions, but self is 3D"),
    ],
)
def test_dimensions_are_counted_in_one_example(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_an_example_without_dimensions_has_one_to_name():
    """As outside of vmap; PyTorch's vmap refuses these."""
    assert vmap(lambda x: torch.flip(x, (0,)))(V).tolist() == vmap(lambda x: x.squeeze(-1))(V).tolist() == V.tolist()


# --- promotion ------------------------------------------------------------------------------------------------------

DTYPES = (torch.float16, torch.float32, torch.float64, torch.int32, torch.int64)


@pytest.mark.parametrize("dims", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.parametrize("ranks", list(itertools.product((0, 1), repeat=2)), ids=str)
@pytest.mark.parametrize("call", [torch.add, torch.mul, torch.true_divide, torch.maximum], ids=lambda f: f.__name__)
def test_promotion_is_that_of_one_example(call, ranks, dims):
    for first, second in itertools.product(DTYPES, repeat=2):
        one = [torch.ones((3,) * r, dtype=d) for r, d in zip(ranks, (first, second), strict=True)]
        many = [o if d is None else torch.stack([o, o]) for o, d in zip(one, dims, strict=True)]
        found, expected = vmap(call, in_dims=dims)(*many), call(*one)
        assert found.dtype is expected.dtype and found[1].tolist() == expected.tolist()


def test_writing_keeps_the_dtype():
    rows = torch.ones(2, 3)
    vmap(lambda a, b: a.add_(b))(rows, torch.tensor([1.0, 2.0], dtype=torch.float64))
    assert rows.tolist() == [[2.0] * 3, [3.0] * 3] and rows.dtype is torch.float32


# --- random numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["uniform_", "normal_", "exponential_", "bernoulli_"])
def test_drawing_into_what_examples_share(name):
    def into_shared(x):
        return getattr(torch.ones(2), name)()

    assert len({tuple(row) for row in vmap(into_shared, randomness="same")(ONE).tolist()}) == 1
    with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unbatched tensor"):
        vmap(into_shared, randomness="different")(ONE)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        vmap(into_shared)(ONE)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: x.clone().bernoulli_(x * 0.5),
        lambda x: torch.bernoulli(x * 0.5),
        lambda x: torch.normal(x, 1.0),
        lambda x: torch.normal(0.0, x),
        lambda x: torch.multinomial(x, 1),
    ],
)
def test_the_same_numbers_for_distributions_that_differ(draw):
    with pytest.raises(RuntimeError, match="does not currently support same randomness with a batched tensor input"):
        vmap(draw, randomness="same")(ONE)
    assert vmap(draw, randomness="different")(ONE).shape[0] == 2


# --- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: vmap(torch.add, in_dims=[0, 0])(ONE, ONE), "expected `in_dims` to be int or .* got: <class 'list'>"),
        (lambda: vmap(torch.sin, in_dims=None)(ONE), "got: <class 'NoneType'>"),
        (lambda: vmap(lambda a: a[0], in_dims=([0, 0],))((ONE, ONE)), "not compatible with the structure"),
        (lambda: vmap(lambda a: a[0], in_dims=((0, 0),))([ONE, ONE]), "not compatible with the structure"),
        (lambda: vmap(lambda a: (a, a), out_dims=[0, 0])(ONE), "not compatible with the structure"),
        (lambda: vmap(lambda a: a, out_dims=1.0)(ONE), "`out_dims` must be an int, None or a python collection"),
        (lambda: vmap(lambda *, k: k)(k=ONE), "got no inputs"),
    ],
)
def test_forms_that_do_not_fit(call, match):
    with pytest.raises(ValueError, match=match):
        call()


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: grad(f, has_aux=True)(V),
        lambda f: grad_and_value(f, has_aux=True)(V),
        lambda f: vjp(f, V, has_aux=True),
        lambda f: jvp(f, (V,), (V,), has_aux=True),
        lambda f: jacrev(f, has_aux=True)(V),
        lambda f: jacfwd(f, has_aux=True)(V),
    ],
)
def test_aux_holds_tensors(transform):
    assert transform(lambda a: (a.sum(), {"a": a, "more": (a.long(),)}))
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type <class 'int'>"):
        transform(lambda a: (a.sum(), {"a": a, "n": 3}))


# --- data -----------------------------------------------------------------------------------------------------------


def assigned(a, b):
    a.data = b
    return a.sum()


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: vmap(lambda a: a.data)(ONE), "accessing `data` under vmap transform"),
        (lambda: vmap(lambda a: a.clone().data.mul_(2))(ONE), "accessing `data` under vmap transform"),
        (lambda: vmap(lambda a: assigned(torch.ones(3), a))(ONE), "with `.data` under vmap transform"),
        (lambda: vmap(lambda a: assigned(a, torch.ones(3)))(ONE), "with `.data` under vmap transform"),
        (lambda: grad(lambda a: assigned(a, torch.ones(3)))(V), "with `.data` inside functorch transform"),
        (lambda: jvp(lambda a: assigned(a, torch.ones(3)), (V,), (V,)), "with `.data` inside functorch transform"),
    ],
)
def test_data_inside_of_transforms(call, match):
    with pytest.raises(RuntimeError, match=match):
        call()


def test_data_has_no_derivative():
    assert grad(lambda a: (a.data * a).sum())(V).tolist() == V.tolist()
    assert jvp(lambda a: a.data * a, (V,), (torch.ones(3),))[1].tolist() == V.tolist()
    assert vmap(grad(lambda a: (a.data * a).sum()))(ONE).tolist() == ONE.tolist()


# --- recording ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("outside", "inside"), list(itertools.product((False, True), repeat=2)))
def test_vjp_records_where_its_function_is_called(outside, inside):
    w = torch.ones(3, requires_grad=True)
    with set_grad_enabled(outside):
        value, back = vjp(lambda a: a * w, V)
    with set_grad_enabled(inside):
        (gradient,) = back(torch.ones(3))
    assert value.requires_grad == outside and gradient.requires_grad == inside
    assert gradient.tolist() == [1.0, 1.0, 1.0]


def test_jacobians_under_no_grad():
    w = torch.ones(3, requires_grad=True)
    with no_grad():
        for jacobian in (jacrev, jacfwd):
            found = jacobian(lambda a: a * a * w)(V)
            assert not found.requires_grad and found.diagonal().tolist() == (2 * V).tolist()


# --- levels ---------------------------------------------------------------------------------------------------------


def test_the_fallback_knows_what_vmap_cannot_do():
    """By the error's class: a text with the name in it is the function's own business."""

    def fails(a):
        raise RuntimeError("not because of vmap")

    with pytest.raises(RuntimeError, match="not because of vmap"):
        vmap(fails, fallback="loop")(V)
    with pytest.warns(UserWarning, match="once for each example"):
        assert vmap(lambda a: a * a.item(), fallback="loop")(V).tolist() == [0.0, 1.0, 4.0]


def test_leaving_a_level_ends_those_inside_of_it():
    from flambeau_autograd._engine.levels.batch_level import BatchLevel

    with pytest.raises(KeyboardInterrupt), BatchLevel(3) as outer:
        BatchLevel(2).__enter__()  # and an interrupt before it is left
        raise KeyboardInterrupt
    assert levels() == () and not outer.alive
    assert vmap(torch.sin)(torch.zeros(3)).tolist() == [0.0] * 3


def test_functions_by_level():
    class Cube(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    assert vmap(grad(Cube.apply))(V).tolist() == (3 * V**2).tolist()
    assert jvp(vmap(grad(Cube.apply)), (V,), (torch.ones(3),))[1].tolist() == (6 * V).tolist()


@pytest.mark.parametrize("in_dim", [0, 2])
def test_examples_may_be_laid_out_with_channels_last(in_dim):
    x = torch.arange(720.0).reshape(2, 3, 4, 5, 6)
    for f in (torch.Tensor.contiguous, torch.clone):
        found = vmap(lambda v, f=f: f(v, memory_format=torch.channels_last), in_dim)(x.movedim(0, in_dim))
        assert torch.equal(found, x) and found[1].is_contiguous(memory_format=torch.channels_last)
    with pytest.raises(RuntimeError, match="required rank 5 tensor to use channels_last_3d format"):
        vmap(lambda v: v.contiguous(memory_format=torch.channels_last_3d))(x)


def test_named_results_keep_their_names():
    def matrix(x):
        return x.outer(x) + torch.eye(3)

    for call in (
        lambda x: torch.max(x, 0),
        lambda x: torch.sort(x),
        lambda x: torch.topk(x, 2),
        lambda x: torch.aminmax(x),
        lambda x: torch.linalg.qr(matrix(x)),
        lambda x: torch.linalg.cholesky_ex(matrix(x)),
        lambda x: torch.linalg.svd(matrix(x)),
        lambda x: torch.linalg.slogdet(matrix(x)),
        lambda x: torch.linalg.eigh(matrix(x)),
        lambda x: torch.linalg.lu_factor_ex(matrix(x)),
        lambda x: torch.linalg.inv_ex(matrix(x)),
        lambda x: torch.linalg.lstsq(matrix(x), x.unsqueeze(1)),
        lambda x: torch.linalg.ldl_factor(matrix(x)),
        lambda x: torch.geqrf(matrix(x)),
    ):
        kinds = []
        x = torch.rand(2, 3)

        def noted(x, call=call, kinds=kinds):
            result = call(x)
            kinds.append(type(result))
            return result[0]

        vmap(noted)(x)
        assert kinds == [type(call(x[0]))] and kinds[0] is not tuple


def test_truths_of_all_examples():
    x = torch.tensor([[True, True], [True, False]])
    seen = []

    def asked(row):
        seen.append((bool(torch._is_all_true(row)), bool(torch._is_any_true(row))))
        return row

    vmap(asked)(x)
    vmap(vmap(asked))(x)
    vmap(asked)(x[:1])
    assert seen == [(False, True), (False, True), (True, True)]
    with pytest.raises(RuntimeError, match="expected a tensor of dtype torch.bool"):
        torch._is_all_true(torch.ones(2))


class Nameless:
    """A callable whose repr takes long, as a large module's."""

    reprs = 0

    def __call__(self, x):
        return x * 2

    def __repr__(self):
        Nameless.reprs += 1
        return "nameless"


def test_only_errors_ask_for_names():
    for function in (Nameless(), functools.partial(Nameless())):
        assert vmap(function)(torch.ones(2)).tolist() == [2.0, 2.0]
    assert Nameless.reprs == 0
    with pytest.raises(ValueError, match="vmap.nameless, in_dims=3"):
        vmap(Nameless(), in_dims=3)(torch.ones(2))


def test_anomaly_mode_reads_every_example():
    with set_detect_anomaly(True):
        assert vmap(grad(lambda x: x.prod()))(torch.ones(2, 3)).tolist() == [[1, 1, 1]] * 2
        assert jacrev(lambda x: x * x)(torch.ones(2)).tolist() == [[2, 0], [0, 2]]
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"), pytest.warns(UserWarning):
            vmap(grad(lambda x: x.sqrt().sum() * 0))(torch.arange(4.0) - 1)


def test_containers_that_hold_themselves():
    held = [V]
    held.append(held)
    calls = [
        lambda: vmap(lambda x: x)(held),
        lambda: vmap(lambda x: x, in_dims=(held,))(V),
        lambda: vmap(lambda x: held)(V),
        lambda: grad(lambda x: x.sum())(held),
        lambda: jvp(lambda x: x, (held,), (held,)),
        lambda: jacrev(lambda x: held)(V),
    ]
    for call in calls:
        with pytest.raises(RecursionError):
            call()
