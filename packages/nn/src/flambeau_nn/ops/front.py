"""Declaring functions that hand their usual form to one compiled operator (``flambeau_nn._kernels.front``)."""
from flambeau_nn._kernels import front as kernels
from flambeau_nn.ops import NAMESPACE
from flambeau_tensor import Operator


def front(schema, usual, other, *, take, absent, alike=False, doc):
    """The function of ``schema``: calls ``usual`` with the arguments at the positions ``take`` where those at
    ``absent`` are left out and the first one holds floats, else ``other`` with all of them. ``alike`` asks for two
    first arguments of one size and dtype."""
    op = Operator(f"{schema} -> Tensor", kernels.front, namespace=NAMESPACE, variants="function", composite=True,
                  doc=doc)
    kernels.connect(op, usual, other, tuple(take), tuple(absent), alike)
    return op


def composite(schema, doc):
    """Decorator: the function of ``schema`` is a composition of other operations."""
    def declare(function):
        return Operator(f"{schema} -> Tensor" if "->" not in schema else schema, function, namespace=NAMESPACE,
                        variants="function", composite=True, doc=doc)
    return declare
