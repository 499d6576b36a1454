"""`torch.cond`, `torch.while_loop`, and the functions on numbers that may be symbols; values of PyTorch 2.13."""

import math

import pytest

import flambeau as torch
from flambeau._higher_order_ops.associative_scan import associative_scan
from flambeau._higher_order_ops.scan import scan


def test_cond_takes_one_branch_and_records_it():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    taken = []

    def yes(x):
        taken.append("yes")
        return x * 3

    def no(x):
        taken.append("no")
        return x * x

    for pred, slope in ((torch.tensor(True), [3.0, 3.0]), (False, [2.0, 4.0]), (2, [3.0, 3.0])):
        (grad,) = torch.autograd.grad(torch.cond(pred, yes, no, (x,)).sum(), x)
        assert grad.tolist() == slope
    assert taken == ["yes", "no", "yes"]
    assert torch.cond(True, lambda: torch.ones(1), lambda: torch.zeros(1)).item() == 1


@pytest.mark.parametrize(
    ("pred", "operands", "text"),
    [
        (torch.ones(2), (1,), "Expected pred to be bool or single-element tensor, but got"),
        (True, torch.ones(2), "Expected operands to be a tuple or list"),
    ],
)
def test_cond_refuses(pred, operands, text):
    with pytest.raises(RuntimeError, match=text):
        torch.cond(pred, lambda x: x, lambda x: x, operands)


def test_while_loop_runs_until_the_condition_fails():
    i, x = torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    assert i.item() == 3 and x.tolist() == [8.0, 8.0]
    x = torch.ones(2, requires_grad=True)
    _, y = torch.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), [0, x])
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="as many values as it takes, 2, not 1"):
        torch.while_loop(lambda i, x: True, lambda i, x: i, (0, 1))
    with pytest.raises(RuntimeError, match="carried_inputs"):
        torch.while_loop(lambda i: i, lambda i: i, 1)


def test_functions_of_numbers_that_may_be_symbols():
    assert (torch.sym_int(-3.7), torch.sym_int(torch.tensor(2.5))) == (-3, 2)
    found = torch.sym_float(3), torch.sym_max(3, 2.0), torch.sym_min(1, 2.0), torch.sym_sqrt(4), torch.sym_max(1, 2)
    assert found == (3.0, 3.0, 1.0, 2.0, 2) and [type(v) for v in found] == [float] * 4 + [int]
    assert torch.sym_not(3) is False and torch.sym_sum((1, 2.5)) == 3.5 and torch.sym_fresh_size(5) == 5
    assert torch.sym_ite(True, 1, 2) == 1
    with pytest.raises(AssertionError, match="expected SymBool or bool"):
        torch.sym_ite(1, 1, 2)
    with pytest.raises(AssertionError, match="type mismatch"):
        torch.sym_ite(True, 1, 2.0)
    assert math.isclose(torch.sym_sqrt(2), 2**0.5)
    assert torch._shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3]


def test_assertions_on_tensors():
    torch._assert_async(torch.tensor(1))
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        torch._assert_async(torch.tensor(0))
    with pytest.raises(RuntimeError, match="^told$"):
        torch._assert_async(torch.tensor(False), "told")


def test_streams_and_events_of_the_cpu_are_up_to_date():
    stream = torch.Stream(device="cpu")
    start, end = torch.Event(enable_timing=True), torch.Event(enable_timing=True)
    with stream:
        stream.record_event(start)
        end.record()
    assert stream.query() and end.query() and start.elapsed_time(end) >= 0
    with pytest.raises(ValueError, match="enable_timing"):
        torch.Event().elapsed_time(end)
    with pytest.raises(RuntimeError, match="PyTorch is not linked with support for cuda devices"):
        torch.Event(device="cuda")


def test_the_module_of_a_device():
    assert torch.get_device_module() is torch.get_device_module("cpu") is torch.cpu
    assert torch.get_device_module("cuda") is torch.cuda
    with pytest.raises(RuntimeError, match="Device 'meta' does not have a corresponding module registered"):
        torch.get_device_module(torch.device("meta"))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_run_over_any_dimension(n, reverse):
    x = torch.arange(1.0, 3 * n + 1).reshape(3, n)
    found = associative_scan(torch.add, x, 1, reverse)
    assert torch.equal(found, x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1))


def test_scans_of_several_tensors_solve_recurrences_with_their_gradients():
    def after(first, second):  # y -> a y + b, one behind the other
        return {"a": first["a"] * second["a"], "b": second["a"] * first["b"] + second["b"]}

    torch.manual_seed(0)
    a, b = (torch.rand(7, 2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    y, steps = torch.zeros(2, dtype=torch.float64), []
    for k in range(7):
        y = a[k] * y + b[k]
        steps.append(y)
    expected = torch.stack(steps)
    found = associative_scan(after, {"a": a, "b": b}, 0, combine_mode="generic")["b"]
    assert torch.allclose(found, expected)
    weights = torch.rand(7, 2, dtype=torch.float64)
    for one, other in zip(*(torch.autograd.grad((weights * t).sum(), (a, b)) for t in (found, expected)), strict=True):
        assert torch.allclose(one, other)


def test_scans_say_what_is_wrong():
    x = torch.ones(3)
    with pytest.raises(ValueError, match="Combine_fn must be a callable, but got 3"):
        associative_scan(3, x, 0)
    with pytest.raises(ValueError, match="Combine_mode must either"):
        associative_scan(torch.add, x, 0, combine_mode="other")
    with pytest.raises(IndexError, match="Dimension out of range"):
        associative_scan(torch.add, x, 3)
    with pytest.raises(ValueError, match="same size along dim 0"):
        associative_scan(lambda a, b: a, (x, torch.ones(2)), 0)
    with pytest.raises(ValueError, match="combine_fn must return what xs is"):
        associative_scan(lambda a, b: (a, b), x, 0)
    with pytest.raises(ValueError, match="at least one tensor"):
        associative_scan(torch.add, [], 0)


# --- under vmap -------------------------------------------------------------------------------------------------------


def test_examples_take_branches_of_their_own():
    def f(x):
        return torch.cond(x.sum() > 0, lambda x: (x * x, {"a": x + 1}), lambda x: (-x, {"a": x - 1}), (x,))

    x = torch.tensor([[1.0, 2.0], [-1.0, -2.0]])
    first, rest = torch.func.vmap(f)(x)
    assert first.tolist() == [[1, 4], [1, 2]] and rest["a"].tolist() == [[2, 3], [-2, -3]]
    jacobians = torch.func.vmap(torch.func.jacrev(lambda x: f(x)[0]))(x)
    assert jacobians.tolist() == [[[2, 0], [0, 4]], [[-1, 0], [0, -1]]]
    with pytest.raises(RuntimeError, match="same structure"):
        torch.func.vmap(lambda x: torch.cond(x > 0, lambda x: x, lambda x: (x,), (x,)))(x[0])


def test_examples_leave_loops_each_in_its_turn():
    def count(x):
        return torch.while_loop(lambda i, x: x < 10, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))

    steps, last = torch.func.vmap(count)(torch.tensor([1.0, 3.0, 20.0]))
    assert steps.tolist() == [4, 2, 0] and last.tolist() == [16, 12, 20]
    steps, _ = torch.func.vmap(torch.func.vmap(count))(torch.tensor([[1.0, 3.0], [20.0, 9.0]]))
    assert steps.tolist() == [[4, 2], [0, 1]]


def test_scan():
    x = torch.arange(6.0).reshape(3, 2)
    carry, out = scan(lambda total, x: (total + x["x"], {"y": total * 2}), torch.zeros(2), {"x": x})
    assert carry.tolist() == [6, 9] and out["y"].tolist() == [[0, 0], [0, 2], [4, 8]]
    carry, out = scan(lambda total, x: (total + x, total), torch.zeros(3), x, dim=1, reverse=True)
    assert carry.tolist() == [1, 5, 9] and out.tolist() == [[1, 3, 5], [0, 0, 0]]
    batched = torch.func.vmap(lambda x: scan(lambda c, y: (c + y, c), torch.tensor(0.0), x))(x)
    assert batched[0].tolist() == [1, 5, 9] and batched[1].tolist() == [[0, 0], [0, 2], [0, 4]]
    gradient = torch.func.grad(lambda x: scan(lambda c, y: (c * y, c), torch.tensor(1.0), x)[0])(
        torch.tensor([2.0, 3.0])
    )
    assert gradient.tolist() == [3, 2]
    for wrong in (torch.tensor(1.0), torch.zeros(0, 2), (x, x[:2])):
        with pytest.raises(RuntimeError, match=r"scan\(\): xs "):
            scan(lambda c, y: (c, c), torch.tensor(0.0), wrong)


def test_higher_order_operations_are_modules_too():
    import importlib

    for name in ("cond", "while_loop", "scan", "associative_scan"):
        module = importlib.import_module(f"flambeau._higher_order_ops.{name}")
        assert getattr(module, name) is getattr(torch._higher_order_ops, name)
