"""Declaring functions of ``torch.nn.functional`` that are made of other operators."""
from flambeau_nn._kernels import fast_path as kernels
from flambeau_nn.ops import NAMESPACE
from flambeau_tensor import Operator


def with_fast_path(schema, fast, general, *, arguments, defaulted, matching=False, doc):
    """The function of ``schema``: calls ``fast``, a compiled operator, with the arguments at the positions
    ``arguments`` where those at ``defaulted`` are left out and the first one holds floats, else ``general`` with all of
    them. ``matching`` asks for two first arguments of one size and dtype."""
    op = Operator(f"{schema} -> Tensor", kernels.fast_path, namespace=NAMESPACE, variants="function", composite=True,
                  doc=doc)
    kernels.connect(op, fast, general, tuple(arguments), tuple(defaulted), matching)
    return op


def composite(schema, doc):
    """Decorator: the function of ``schema`` is a composition of other operations."""
    def declare(function):
        return Operator(f"{schema} -> Tensor" if "->" not in schema else schema, function, namespace=NAMESPACE,
                        variants="function", composite=True, doc=doc)
    return declare
