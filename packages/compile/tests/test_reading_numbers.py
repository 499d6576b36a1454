"""Programs that read a number of a tensor, and may find another one than the traced run did, when they give up.

They do so before a caller could notice that they began: a check runs first where nothing before it matters to it, and
what the default generator drew is drawn again.
"""

import numpy as np
import pytest

import flambeau_autograd  # noqa: F401  (plugs itself in)
import flambeau_tensor as ft
from flambeau_compile import compile, explain


def both(make, *calls, programs):
    """The results of the same calls of a function as it is and of the compiled one, each made anew by `make`."""
    found = []
    for through in (lambda f: f, compile):
        ft.manual_seed(3)
        function, state = make()
        function = through(function)
        results = [function(*args) for args in calls]
        found.append([*results, *state(), ft.rand(3)])
    for eager, compiled in zip(*found, strict=True):
        assert ft.equal(eager, compiled)
    assert len(function.entries) == programs, explain(function)


def test_a_check_runs_before_writes_that_it_does_not_read():
    def make():
        w, mean, count = ft.ones(3), ft.zeros(3), ft.zeros((), dtype=ft.int64)

        def step(x):
            w.add_(x)
            if count == 0:
                mean.copy_(w)
            else:
                mean.lerp_(w, 0.25)
            count.add_(1)
            return mean.sum()

        return step, lambda: (w, mean, count)

    both(make, *((ft.full((3,), float(i)),) for i in range(5)), programs=2)


def test_what_a_check_needs_is_not_moved_over_what_reads_it():
    def make():
        w = ft.ones(2)

        def step(x):
            t = x + 1
            w.add_(x)
            u = t * 2
            t.add_(1)
            return u - w if t.sum() > 4 else u + w

        return step, lambda: (w,)

    with pytest.warns(RuntimeWarning, match="reads a number that depends on memory"):
        compiled = compile(make()[0])
        compiled(ft.ones(2))
    eager, state = make()
    again, own = make()
    compiled = compile(again)
    with pytest.warns(RuntimeWarning, match="runs eagerly"):
        for i in range(4):
            assert ft.equal(eager(ft.full((2,), float(i))), compiled(ft.full((2,), float(i))))
    assert ft.equal(state()[0], own()[0])


def test_numbers_that_were_written_are_refused():
    w = ft.ones(2)

    def step(x):
        w.add_(x)
        return x if w.sum() > 4 else -x

    with pytest.warns(RuntimeWarning, match="depends on memory of the caller's that was written to"):
        compile(step)(ft.ones(2))


def test_random_numbers_are_drawn_again():
    def make():
        def step(x):
            r = ft.rand(())
            return x * r if r > 0.5 else x - r - ft.rand(())

        return step, lambda: ()

    both(make, *((ft.ones(2),) for _ in range(20)), programs=2)


def test_numbers_of_a_generator_of_its_own_are_refused():
    generator = ft.Generator()

    def step(x):
        r = ft.rand((), generator=generator)
        return x * r if r > 0.5 else x

    with pytest.warns(RuntimeWarning, match="on a generator's numbers"):
        compile(step)(ft.ones(2))


def test_gradients_of_leaves_that_the_function_makes():
    w = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def step(x):
        y = (2 * x).requires_grad_()
        z = (3 * x).requires_grad_()
        (y * w * z).sum().backward()
        return y

    compiled = compile(step)
    for i in range(4):
        x = ft.arange(3.0) + i
        w.grad = None
        eager = step(x)
        expected, w.grad = w.grad, None
        found = compiled(x)
        assert ft.equal(found.grad, eager.grad) and ft.equal(w.grad, expected)
        assert found.is_leaf and found.requires_grad
    assert len(compiled.entries) == 1


def test_penalty_on_gradients_is_one_program():
    w = ft.randn(4, 2, dtype=ft.float64, requires_grad=True)

    def step(x):
        x = (x * 1).requires_grad_()
        (g,) = flambeau_autograd.grad((x @ w.T).tanh().sum(), x, create_graph=True)
        w.grad = None
        ((g.norm(2, dim=1) - 1) ** 2).mean().backward()
        return w.grad.clone()

    compiled = compile(step)
    for _ in range(3):
        x = ft.randn(5, 2, dtype=ft.float64)
        assert ft.allclose(compiled(x), step(x), rtol=1e-12)
    assert len(compiled.entries) == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[x > 0],
        lambda x: x.view(2, 3)[:, x[:3] > 0],
        lambda x: ft.repeat_interleave(x, (x > 0).long()),
        lambda x: ft.masked_select(x, x > 0),
    ],
)
def test_shapes_that_depend_on_elements_are_refused(function):
    compiled = compile(function)
    with pytest.warns(RuntimeWarning, match="depends on elements"):
        compiled(ft.arange(6.0) - 2)
    x = ft.arange(6.0) - 4
    assert ft.equal(compiled(x), function(x))


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[(x > 0).sum().to(ft.int16) - 1],
        lambda x: x.clone().index_put_(((x > 0),), ft.tensor(7.0)),
        lambda x: written(x.clone(), (x > 0).to(ft.uint8)),
    ],
)
def test_indices_of_other_dtypes_are_computed_at_each_call(function):
    compiled = compile(function)
    for k in range(4):
        x = ft.arange(6.0) - k
        assert ft.equal(compiled(x), function(x))


def written(y, mask):
    y[mask] = 7.0
    return y


@pytest.mark.parametrize("size", [2, 2000])
def test_equal_is_a_number_that_is_read(size):
    reference = ft.zeros(size)
    compiled = compile(lambda x: x + 1 if ft.equal(x, reference) else x - 1)
    for value in (0.0, 0.0, 3.0, 0.0, 3.0):
        assert compiled(ft.full((size,), value))[0].item() == (1.0 if value == 0 else value - 1)
    reference.fill_(3.0)
    assert compiled(ft.full((size,), 3.0))[0].item() == 4.0


@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        "{:.1f}".format,
        lambda x: float(np.asarray(x)),
        lambda x: float(np.array(x)),
        lambda x: float(np.from_dlpack(x)),
        lambda x: float(x.__array__()),
        lambda x: memoryview(x)[()],
    ],
    ids=["str", "repr", "format", "asarray", "array", "dlpack", "__array__", "buffer"],
)
def test_what_shows_the_memory_of_a_tensor_runs_eagerly(show):
    compiled = compile(lambda x: (show(x), x + 1))
    with pytest.warns(RuntimeWarning, match=r"memory of a tensor|hands out"):
        for value in (1.0, 2.0, 3.0):
            shown, y = compiled(ft.tensor(value))
            assert y.item() == value + 1 and shown == show(ft.tensor(value))


def test_checks_of_random_numbers_run_before_writes():
    """What a program draws may be checked, as distributions do, after it has stepped an optimizer."""

    def make():
        w, log = ft.ones(2), ft.zeros(2)

        def step(x):
            a = ft.rand(())
            w.add_(x)
            b = ft.rand(())
            log.add_(a)
            return w + log if b > 0.4 else w - b * ft.rand(())

        return step, lambda: (w, log)

    both(make, *((ft.ones(2),) for _ in range(12)), programs=2)


def test_draws_into_memory_of_the_caller_stay_where_they_are():
    w = ft.ones(2)

    def step(x):
        w.uniform_()
        return x if ft.rand(()) > 0.5 else -x

    with pytest.warns(RuntimeWarning, match="on a generator's numbers"):
        compile(step)(ft.ones(2))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, b: x[b > 0],
        lambda x, b: x[0, b > 0],
        lambda x, b: x.index_put((b.reshape(1) > 0,), ft.tensor(2.0)),
    ],
)
def test_masks_without_dimensions_are_read_at_each_call(function):
    compiled = compile(function)
    x = ft.arange(3.0).reshape(1, 3)
    for value in (-1.0, -1.0, 1.0, 1.0, -1.0):
        b = ft.tensor(value)
        assert ft.equal(compiled(x, b), function(x, b))


def test_writes_at_masks_without_dimensions():
    def put(x, b):
        x[b > 0] = 7

    compiled = compile(put)
    for value in (-1.0, -1.0, 1.0, 1.0, -1.0):
        x = ft.arange(3.0)
        compiled(x, ft.tensor(value))
        assert x.tolist() == ([7.0] * 3 if value > 0 else [0.0, 1.0, 2.0])
