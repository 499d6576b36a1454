"""What a Tracer hears of ``.grad``, in order with operators."""

import flambeau_tensor as torch
from flambeau_tensor.extend import Operator, Tracer


def heard(tracer, names):
    """Records as text: operators by their names, events with the names of tensors."""
    text = []
    for record in tracer.records:
        if isinstance(record[0], Operator):
            text.append(record[0].name)
        else:
            text.append(
                " ".join([record[0], *(names.get(id(x), "a tensor") if x is not None else "None" for x in record[1:])])
            )
    return text


def test_backward_reads_and_sets_gradients():
    w = torch.ones(3, requires_grad=True)
    with Tracer() as tracer:
        (w * w).sum().backward()
    events = [line for line in heard(tracer, {id(w): "w", id(w.grad): "its gradient"}) if "grad_" in line]
    assert events == ["grad_read w None", "grad_set w its gradient"]
    assert w.grad.tolist() == [2.0, 2.0, 2.0]
    first = w.grad
    with Tracer() as tracer:
        (w * 3).sum().backward()
    text = heard(tracer, {id(w): "w", id(first): "its gradient"})
    assert text[-2:] == ["grad_read w its gradient", "add_"] and "grad_set" not in "".join(text)
    assert w.grad is first and w.grad.tolist() == [5.0, 5.0, 5.0]


def test_gradients_of_gradients_take_the_place_of_the_former():
    w = torch.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    first = w.grad
    with Tracer() as tracer:
        (w * w).sum().backward(create_graph=True)
    text = heard(tracer, {id(w): "w", id(first): "the first", id(w.grad): "the sum"})
    assert [line for line in text if "grad_" in line] == ["grad_read w the first", "grad_set w the sum"]
    w.grad = None


def test_the_property():
    w, g = torch.ones(2, requires_grad=True), torch.ones(2)
    with Tracer() as tracer:
        assert w.grad is None
        w.grad = g
        assert w.grad is g
        w.grad = None
        del w.grad
    assert heard(tracer, {id(w): "w", id(g): "g"}) == [
        "grad_read w None",
        "grad_set w g",
        "grad_read w g",
        "grad_set w None",
        "grad_set w None",
    ]


def test_retained_gradients():
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    y.retain_grad()
    with Tracer() as tracer:
        y.sum().backward()
    text = heard(tracer, {id(w): "w", id(y): "y", id(y.grad): "that of y", id(w.grad): "that of w"})
    assert [line for line in text if "grad_set" in line] == ["grad_set y that of y", "grad_set w that of w"]
    assert w.grad.tolist() == [2.0, 2.0]


def test_derivatives_choose_by_elements_as_without_a_tracer():
    x = torch.tensor([0.3, 0.7, 1.9], requires_grad=True)
    x.prod().backward()
    plain, x.grad = x.grad, None
    with Tracer():
        x.prod().backward()
    assert torch.equal(plain, x.grad)
