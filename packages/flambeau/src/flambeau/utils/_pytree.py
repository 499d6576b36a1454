"""``torch.utils._pytree``: functions of all leaves of tuples, lists, dicts and other containers in each other.

Dicts keep the order of their keys, and None is a leaf. The transforms of ``torch.func`` support the same containers,
including those that are registered here.

>>> tree_map(lambda x: x + 1, {"a": 1, "b": (2, [3])})
{'a': 2, 'b': (3, [4])}
>>> tree_flatten((1, [2, 3]))
([1, 2, 3], TreeSpec(tuple, None, [*,
  TreeSpec(list, None, [*,
    *])]))
"""

from collections import OrderedDict, defaultdict, namedtuple
from functools import wraps
from typing import Any

from flambeau_autograd.pytree import NODES, Node, flatten_node, node_type
from flambeau_autograd.pytree import is_namedtuple as is_namedtuple
from flambeau_autograd.treespec import (
    GetAttrKey,
    LeafSpec,
    MappingKey,
    SequenceKey,
    TreeSpec,
    key_get,
    keystr,
    tree_flatten,
    treespec_dumps,
    treespec_loads,
)
from flambeau_tensor.return_types import NamedResult

PyTree = Any
Context = Any
PyTreeSpec = TreeSpec
SUPPORTED_NODES = NODES
BUILTIN_TYPES = frozenset(NODES)
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})

__all__ = [
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dumps",
    "treespec_loads",
    "treespec_pprint",
]


def register_pytree_node(
    cls,
    flatten_fn,
    unflatten_fn,
    *,
    serialized_type_name=None,
    to_dumpable_context=None,
    from_dumpable_context=None,
    flatten_with_keys_fn=None,
) -> None:
    """Register a class as a container.

    Args:
        cls: the class; subclasses must be registered separately.
        flatten_fn: returns the list of children and the context of an instance.
        unflatten_fn: creates an instance from children and context.
        serialized_type_name: the name of the class in `treespec_dumps`.
        to_dumpable_context, from_dumpable_context: convert the context to JSON types, and back.
        flatten_with_keys_fn: like ``flatten_fn``, with a pair (key, child) for each child.

    Raises:
        ValueError: the class is registered, or only one of the functions for JSON is given.
    """
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    if cls in NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    NODES[cls] = Node(
        flatten_fn, unflatten_fn, flatten_with_keys_fn, to_dumpable_context, from_dumpable_context, serialized_type_name
    )


_register_pytree_node = register_pytree_node
_private_register_pytree_node = register_pytree_node


def _deregister_pytree_node(cls) -> None:
    NODES.pop(cls)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None) -> None:
    """Register a dataclass as a container of its fields.

    Args:
        cls: the class.
        field_names: the fields; by default all that ``__init__`` accepts.
        drop_field_names: fields to omit.
        serialized_type_name: the name of the class in `treespec_dumps`.
    """
    from dataclasses import fields

    names = list(field_names) if field_names is not None else [f.name for f in fields(cls) if f.init]
    names = [name for name in names if name not in (drop_field_names or ())]

    def flatten(obj):
        given = [name for name in names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in given], [given, [name for name in names if name not in given]]

    register_pytree_node(
        cls,
        flatten,
        lambda children, context: cls(**dict(zip(context[0], children, strict=True)), **dict.fromkeys(context[1])),
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=lambda obj: (
            [(GetAttrKey(k), getattr(obj, k)) for k in flatten(obj)[1][0]],
            flatten(obj)[1],
        ),
    )


def tree_is_leaf(tree, is_leaf=None) -> bool:
    """Return True if a value is not a container."""
    return (is_leaf is not None and bool(is_leaf(tree))) or node_type(tree) is None


def tree_iter(tree, is_leaf=None):
    """Generate the leaves in order."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
    else:
        for child in flatten_node(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree, is_leaf=None) -> list:
    """The leaves."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args, **kwargs) -> list:
    """Return the leaves of the arguments of a call."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def tree_structure(tree, is_leaf=None) -> TreeSpec:
    """The structure."""
    return tree_flatten(tree, is_leaf)[1]


def tree_unflatten(leaves, treespec: TreeSpec):
    """A tree of a structure with the leaves given.

    Raises:
        TypeError: ``treespec`` is none.
        ValueError: their number is another.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_map(func, tree, *rests, is_leaf=None):
    """Return a tree of the results of ``func`` on each leaf and on the corresponding parts of further trees.

    Raises:
        ValueError: the other trees do not have the structure of the first.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(other) for other in rests]))


def tree_map_(func, tree, *rests, is_leaf=None):
    """Call ``func`` as `tree_map` does; returns the tree."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for each in zip(leaves, *[spec.flatten_up_to(other) for other in rests], strict=True):
        func(*each)
    return tree


def map_only(type_or_types_or_pred, /):
    """A decorator: the function for leaves of some types, or for which a predicate holds; others pass through."""
    holds = _predicate(type_or_types_or_pred)

    def decorator(func):
        @wraps(func)
        def inner(x):
            return func(x) if holds(x) else x

        return inner

    return decorator


def _predicate(kinds):
    if isinstance(kinds, (type, tuple)) or hasattr(kinds, "__args__"):
        return lambda x: isinstance(x, kinds)
    if callable(kinds):
        return kinds
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """`tree_map` of the leaves of some types, or for which a predicate holds; other leaves are unchanged."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    """Call ``func`` as `tree_map_only` does; returns the tree."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None) -> bool:
    """Return True if a predicate holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None) -> bool:
    """Return True if a predicate holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None) -> bool:
    """Return True if a predicate holds for all leaves of some types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None) -> bool:
    """Return True if a predicate holds for a leaf of some types."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_flatten_with_path(tree, is_leaf=None):
    """The leaves as pairs with their paths, which are tuples of keys; and the structure."""
    return list(_with_path((), tree, is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None) -> list:
    """The leaves as pairs with their paths."""
    return list(_with_path((), tree, is_leaf))


def _with_path(path, tree, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    for key, child in _keyed(tree):
        yield from _with_path((*path, key), child, is_leaf)


def _keyed(tree):
    kind = node_type(tree)
    node = NODES.get(kind)
    if node is not None and node.keyed is not None:
        return node.keyed(tree)[0]
    if kind is namedtuple:
        return [(GetAttrKey(name), child) for name, child in zip(tree._fields, tree, strict=True)]
    if kind in STANDARD_DICT_TYPES:
        return [(MappingKey(key), child) for key, child in tree.items()]
    if kind in BUILTIN_TYPES or node is None:
        return [(SequenceKey(index), child) for index, child in enumerate(flatten_node(tree)[0])]
    raise ValueError(
        f"Did not find a flatten_with_keys_fn for type: {type(tree)}. Please pass a flatten_with_keys_fn "
        "argument to register_pytree_node."
    )


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """`tree_map` with the path of the leaf as the function's first argument."""
    paths = [path for path, _ in _with_path((), tree, is_leaf)]
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, paths, leaves, *[spec.flatten_up_to(other) for other in rests]))


# Pairs of functions that packages reuse to register their own classes.


def _list_flatten(d):
    return d, None


def _list_unflatten(values, context):
    return list(values)


def _tuple_flatten(d):
    return list(d), None


def _tuple_unflatten(values, context):
    return tuple(values)


def _namedtuple_flatten(d):
    return list(d), type(d)


def _namedtuple_unflatten(values, context):
    return context(*values)


def _dict_flatten(d):
    return list(d.values()), list(d)


def _dict_unflatten(values, context):
    return dict(zip(context, values, strict=True))


_ordereddict_flatten = _odict_flatten = _dict_flatten


def _ordereddict_unflatten(values, context):
    return OrderedDict(zip(context, values, strict=True))


_odict_unflatten = _ordereddict_unflatten


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """Return the leaves of ``tree``, repeated for the leaves of the corresponding branch of a structure, or None."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or node_type(tree) is not treespec.type:
        return None
    children, context = flatten_node(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    parts = [
        _broadcast_to_and_flatten(child, spec, is_leaf)
        for child, spec in zip(children, treespec.children(), strict=True)
    ]
    return None if None in parts else [leaf for part in parts for leaf in part]


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as text, with ``*`` for leaves."""
    return repr(treespec.unflatten([_Asterisk()] * treespec.num_leaves))


class _Asterisk:
    def __repr__(self):
        return "*"


def is_namedtuple_class(cls) -> bool:
    """Return True if a class is a named tuple class."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


is_namedtuple_instance = is_namedtuple


def is_structseq(obj) -> bool:
    """Whether a value is the named result of an operator, such as ``torch.return_types.max``, or the class of one."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls) -> bool:
    """Return True if a class is one of named results of operators."""
    return isinstance(cls, type) and issubclass(cls, NamedResult)


def is_structseq_instance(obj) -> bool:
    """Return True if a value is the named result of an operator."""
    return isinstance(obj, NamedResult)


def _get_node_type(tree):
    """Return the type under which `tree` is registered; its own class if it is not a container."""
    return node_type(tree) or type(tree)


def _is_leaf(tree, is_leaf=None) -> bool:
    return tree_is_leaf(tree, is_leaf)


def _flatten_with_keys(tree):
    """The children of a container as pairs with the key of each, and its context."""
    return _keyed(tree), flatten_node(tree)[1]


_dict_flatten_with_keys = _list_flatten_with_keys = _tuple_flatten_with_keys = _flatten_with_keys
_NODES: Any = NODES  # whose tuples mypy joins to objects
_dict_flatten, _dict_unflatten = _NODES[dict][:2]
_list_flatten, _list_unflatten = _NODES[list][:2]
_tuple_flatten, _tuple_unflatten = _NODES[tuple][:2]
