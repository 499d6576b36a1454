"""``torch.Tag``: tags that classify operators.

>>> from flambeau_cext import ops
>>> Tag.pointwise in ops.aten.add.Tensor.tags, Tag.inplace_view in ops.aten.t_.default.tags
(True, True)
"""

from enum import Enum
from typing import Any

from flambeau_tensor.extend import Elementwise, Operator

_NAMES = (
    "core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view "
    "maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order "
    "nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction view_copy"
)
_make: Any = Enum  # whose members are not known to type checkers
Tag = _make("Tag", _NAMES.split(), module=__name__, start=0)
Tag.__doc__ = """A word that is said of operators, such as `pointwise`.

>>> Tag.core.name
'core'
"""
_given: dict[Operator, tuple[Any, ...]] = {}  # the arguments of `Library.define`


def give_tags(op: Operator, tags: Any) -> None:
    """Attach tags to an operator: a Tag, or several."""
    found = tuple(tags) if isinstance(tags, (tuple, list)) else (tags,)
    if found:
        _given[op] = (*_given.get(op, ()), *found)


def tags_of(op: Operator) -> list[Any]:
    """Return the tags of an operator: those that it was declared with, and those that follow from its declaration."""
    from flambeau_cext.dispatch.forms import behind

    found = set(_given.get(op, ()))
    target = behind(op)
    if op.namespace == "torch.ops.aten":
        found.add(Tag.pt2_compliant_tag)
    if target is not None:
        if isinstance(target.implementation, Elementwise):
            found.add(Tag.pointwise)
        if target.random:
            found.add(Tag.nondeterministic_seeded)
        if target.writes and op.name.endswith("_"):
            found.add(Tag.inplace)
            if target.functional is not None and any(r.alias for r in target.functional.schema.returns):
                found.add(Tag.inplace_view)
    return sorted(found, key=lambda tag: tag.value)
