"""Declare functions of ``torch.nn.functional`` that are composed of other operators."""

import re

from flambeau_nn._kernels import fast_path as kernels
from flambeau_nn.ops import NAMESPACE
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION

_PYTHONS = re.compile(r",? ?\b(bool inplace|bool\? size_average|bool\? reduce)=\w+")  # arguments that aten has not


def of_aten(schema, aten):
    """Return the schemas in `torch.ops.aten`: ``True`` means the function's own, without Python-only arguments.

    Results are a Tensor.
    """
    each = (_PYTHONS.sub("", schema),) if aten is True else (aten,) if isinstance(aten, str) else aten
    return tuple(f"{text} -> Tensor" for text in each)


def with_fast_path(schema, fast, general, *, arguments, defaulted, matching=False, aten=(), doc):
    """The function of ``schema``: calls ``fast``, a compiled operator, with the arguments at the positions
    ``arguments`` if those at ``defaulted`` have their defaults and the first one holds floats, else ``general`` with
    all. ``matching`` requires that the first two arguments have the same size and dtype."""
    op = Operator(
        f"{schema} -> Tensor",
        kernels.fast_path,
        namespace=NAMESPACE,
        variants=FUNCTION,
        composite=True,
        aten=of_aten(schema, aten),
        doc=doc,
    )
    kernels.connect(op, fast, general, tuple(arguments), tuple(defaulted), matching)
    return op


def composite(schema, doc, aten=(), numbers=(), namespace=NAMESPACE, variants=FUNCTION):
    """Decorator: the function of ``schema`` is a composition of other operations."""

    def declare(function):
        return Operator(
            f"{schema} -> Tensor" if "->" not in schema else schema,
            function,
            namespace=namespace,
            variants=variants,
            numbers=numbers,
            composite=True,
            aten=of_aten(schema, aten),
            doc=doc,
        )

    return declare
