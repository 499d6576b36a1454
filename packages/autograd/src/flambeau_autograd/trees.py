"""Arguments and results that are tuples, lists and dicts of each other with tensors inside."""

from collections import OrderedDict, defaultdict

from flambeau_tensor.return_types import NamedResult


def is_leaf(tree):
    """Whether a value is not a container that transforms look into."""
    return type(tree) not in (tuple, list, dict, OrderedDict, defaultdict) and not is_namedtuple(tree) \
        and not isinstance(tree, NamedResult)


def is_namedtuple(tree):
    return isinstance(tree, tuple) and hasattr(type(tree), "_fields")


def children(tree):
    return list(tree.values()) if isinstance(tree, dict) else list(tree)


def rebuilt(tree, parts):
    """A container like ``tree`` with other contents."""
    if isinstance(tree, dict):
        out = type(tree)() if not isinstance(tree, defaultdict) else defaultdict(tree.default_factory)
        out.update(zip(tree, parts, strict=True))
        return out
    return type(tree)(*parts) if is_namedtuple(tree) else type(tree)(parts)


def tree_map(function, tree, *others):
    """``function`` of every leaf (and of what stands in its place in trees of the same form)."""
    if is_leaf(tree):
        return function(tree, *others)
    return rebuilt(tree, [tree_map(function, *each)
                          for each in zip(children(tree), *map(children, others), strict=True)])


def leaves(tree):
    """The leaves in order."""
    return [tree] if is_leaf(tree) else [leaf for child in children(tree) for leaf in leaves(child)]


def _joined(function, tree, other):
    """``function`` of the children of two containers in pairs, dicts by their keys, as one list of what it returns.

    None if the containers differ, in type, too, or if it is None for a pair.
    """
    if type(tree) is not type(other) or len(children(tree)) != len(children(other)):
        return None
    if isinstance(tree, dict):
        if tree.keys() != other.keys():
            return None
        other = [other[key] for key in tree]
    out = []
    for t, o in zip(children(tree), children(other), strict=True):
        part = function(t, o)
        if part is None:
            return None
        out += part
    return out


def leaves_like(tree, other):
    """The leaves of ``other`` in the order of those of ``tree``; None if the forms do not agree."""
    if is_leaf(tree) or is_leaf(other):
        return [other] if is_leaf(tree) and is_leaf(other) else None
    return _joined(leaves_like, tree, other)


def filled(tree, values):
    """A tree of the form of ``tree`` whose leaves are ``values``, in order."""
    values = iter(values)
    return tree_map(lambda _: next(values), tree)


def broadcast(prefix, tree):
    """The leaves of ``prefix``, whose leaves may stand for whole branches of ``tree``, one for each of the latter's.

    Returns None if the forms do not agree.
    """
    if is_leaf(prefix):
        return [prefix] * len(leaves(tree))
    if is_leaf(tree):
        return None
    return _joined(lambda t, p: broadcast(p, t), tree, prefix)


class _Leaf:
    def __repr__(self):
        return "*"


def form(tree):
    """A tree's containers, for messages."""
    return tree_map(lambda _: _Leaf(), tree)
