"""``torch.utils.swap_tensors`` and ``torch.utils.set_module``."""

import weakref


def swap_tensors(t1, t2):
    """Swap two tensors in place, including class, attributes and gradient, so that references to one refer to the
    other.

    Raises:
        RuntimeError: one of the tensors is the result of an operation, or is weakly referenced.
        TypeError: a parameter would get a class that is not for parameters.

    >>> a, b = torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.ones(3))
    >>> torch.utils.swap_tensors(a, b)
    >>> a.tolist(), b.tolist()
    ([1.0, 1.0, 1.0], [0.0, 0.0])
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
        if tensor.grad_fn is not None:
            raise RuntimeError(f"Cannot swap {name} because it is the result of an operation; swap leaves")
    kinds = type(t1), type(t2)
    if kinds[0] is not kinds[1]:
        t1.__class__ = kinds[1]
        try:
            t2.__class__ = kinds[0]
        except TypeError:
            t1.__class__ = kinds[0]
            raise
    grads, recorded = (t1.grad, t2.grad), (t1.requires_grad, t2.requires_grad)
    t1.grad = t2.grad = None
    one, two = t1.detach(), t2.detach()
    t1.requires_grad_(False)
    t2.requires_grad_(False)
    t1.data, t2.data = two, one
    t1.requires_grad_(recorded[1])
    t2.requires_grad_(recorded[0])
    t1.grad, t2.grad = grads[1], grads[0]
    attributes = dict(t1.__dict__), dict(t2.__dict__)
    for tensor, new in ((t1, attributes[1]), (t2, attributes[0])):
        tensor.__dict__.clear()
        tensor.__dict__.update(new)


def set_module(obj, mod):
    """Say which module an object belongs to.

    Raises:
        TypeError: `mod` is not a text.

    >>> def f(): pass
    >>> torch.utils.set_module(f, "mine")
    >>> f.__module__
    'mine'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
