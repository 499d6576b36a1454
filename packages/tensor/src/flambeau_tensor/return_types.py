"""The named tuples that operators with several named results return, such as ``torch.return_types.max``.

A type is created when an operator first returns it, or when this module is asked for it by name.
"""

import copyreg
import sys
from _collections import _tuplegetter  # the type of namedtuple's fields, which reads an item in C

from flambeau_tensor.lazy_attributes import attach as _attach

_types = {}


class _ResultType(type):
    """The metaclass of these types. They are pickled by name and fields if the module that they claim to be in does
    not exist."""


def _reduce_type(cls):
    if cls.__module__ in sys.modules:  # after install_as_torch()
        return cls.__name__
    return named_result, (cls.__name__, cls.__match_args__)


copyreg.pickle(_ResultType, _reduce_type)


class NamedResult(tuple, metaclass=_ResultType):
    """A tuple whose items have names. Concrete types come from `named_result`."""

    __slots__ = ()
    __match_args__ = ()
    n_unnamed_fields = 0

    def __new__(cls, values, attributes=None):  # pickles pass the fields besides the sequence, of which there are none
        return tuple.__new__(cls, values)

    def __repr__(self):
        items = ",\n".join(f"{name}={value!r}" for name, value in zip(self.__match_args__, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self):
        return type(self), (tuple(self), {})


def named_result(name: str, fields: tuple[str, ...]) -> type:
    """Return the named tuple type of an operator's results; the same type for the same name and fields.

    >>> named_result("max", ("values", "indices"))((3.0, 1))
    torch.return_types.max(
    values=3.0,
    indices=1)
    """
    cls = _types.get((name, fields))
    if cls is None:
        members = {field: _tuplegetter(i, f"Result {i}.") for i, field in enumerate(fields)}
        members |= {
            "__slots__": (),
            "__match_args__": fields,
            "__module__": "torch.return_types",
            "__doc__": f"What `{name}` returns: ({', '.join(fields)}).",
            "n_fields": len(fields),
            "n_sequence_fields": len(fields),
        }
        cls = _types[name, fields] = _ResultType(name, (NamedResult,), members)
    return cls


def _name_of(op) -> str:
    return "linalg_" + op.name if op.namespace == "torch.linalg" else op.name


def type_of_results(op) -> type:
    """Return the named tuple type for an operator with several named results."""
    return named_result(_name_of(op), tuple([r.name for r in op.schema.returns]))


def _of_operators():
    from flambeau_tensor._core.schema.registry import operators

    for op in operators().values():
        fields = tuple(r.name for r in op.schema.returns)
        if len(fields) > 1 and all(fields):
            yield _name_of(op), fields


def _of_operator(name):
    return next((named_result(name, fields) for operator, fields in _of_operators() if operator == name), None)


__getattr__ = _attach(__name__, "torch.return_types", find=_of_operator)[0]


def __dir__():
    return sorted({name for name, _ in _of_operators()})
