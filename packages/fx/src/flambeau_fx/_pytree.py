"""Arguments in the structure of a pytree: functions that generated code calls if arguments are containers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from flambeau_autograd.treespec import TreeSpec, tree_flatten

__all__ = ["register_pytree_flatten_spec", "tree_flatten", "tree_flatten_spec"]

FlattenFuncSpec = Callable[[Any, TreeSpec], list[Any]]
FlattenFuncExactMatchSpec = Callable[[Any, TreeSpec], bool]


def _sequence(tree: Any, spec: TreeSpec) -> list[Any]:
    return [tree[i] for i in range(spec.num_children)]


def _mapping(tree: Any, spec: TreeSpec) -> list[Any]:
    return [tree[key] for key in spec.context]


def _same_number(tree: Any, spec: TreeSpec) -> bool:
    return len(tree) == spec.num_children


SUPPORTED_NODES: dict[Any, FlattenFuncSpec] = {
    dict: _mapping, list: _sequence, tuple: _sequence, namedtuple: _sequence
}  # fmt: skip
SUPPORTED_NODES_EXACT_MATCH: dict[Any, FlattenFuncExactMatchSpec | None] = dict.fromkeys(SUPPORTED_NODES, _same_number)


def register_pytree_flatten_spec(
    cls: Any,
    flatten_fn_spec: FlattenFuncSpec,
    flatten_fn_exact_match_spec: FlattenFuncExactMatchSpec | None = None,
) -> None:
    """Register how `tree_flatten_spec` flattens instances of a class.

    Args:
        cls: the class, which must be registered in ``torch.utils._pytree``.
        flatten_fn_spec: from an instance and a structure to the children that the structure has.
        flatten_fn_exact_match_spec: whether an instance has no other children.

    >>> register_pytree_flatten_spec(list, lambda tree, spec: [tree[i] for i in range(spec.num_children)])
    """
    SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_spec, flatten_fn_exact_match_spec


def tree_flatten_spec(pytree: Any, spec: TreeSpec, exact_structural_match: bool = False) -> list[Any]:
    """Return the parts of a value at the leaves of a structure.

    Args:
        exact_structural_match: whether to reject containers with more children.

    Raises:
        RuntimeError: the class of a container is not registered, or a container has more children.

    >>> _, spec = tree_flatten({"a": 1, "b": [2]})
    >>> tree_flatten_spec({"b": [6], "a": 5, "c": 7}, spec)
    [5, 6]
    """
    if spec.is_leaf():
        return [pytree]
    if spec.type not in SUPPORTED_NODES:
        raise RuntimeError(
            f"{type(pytree)} does not have a flatten_fn_spec associated with it. Please register one with "
            "torch.fx._pytree.register_pytree_flatten_spec."
        )
    children = SUPPORTED_NODES[spec.type](pytree, spec)
    matches = SUPPORTED_NODES_EXACT_MATCH[spec.type]
    if exact_structural_match and matches is not None and not matches(pytree, spec):
        raise RuntimeError(f"Cannot flatten pytree {pytree}, given spec: {spec}")
    return [
        leaf
        for child, part in zip(children, spec.children_specs, strict=True)
        for leaf in tree_flatten_spec(child, part, exact_structural_match)
    ]
