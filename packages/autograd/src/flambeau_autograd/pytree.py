"""Arguments and results that are tuples, lists and dicts of each other with tensors inside."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import NamedTuple

from flambeau_tensor import Tensor
from flambeau_tensor.extend import deeper
from flambeau_tensor.return_types import NamedResult


class Node(NamedTuple):
    """Functions that flatten containers of a type into children and a context, and restore them."""

    flatten: object
    unflatten: object
    keyed: object = None  # children as pairs with the key of each
    to_json: object = None
    from_json: object = None
    name: str | None = None  # in JSON

    # PyTorch's names of the first fields, by which packages read them.

    @property
    def flatten_fn(self):
        return self.flatten

    @property
    def unflatten_fn(self):
        return self.unflatten

    @property
    def flatten_with_keys_fn(self):
        return self.keyed


def _unflatten_dict(children, keys):
    return dict(zip(keys, children, strict=True))


def _flatten_defaultdict(tree):
    return list(tree.values()), [tree.default_factory, list(tree)]


def _unflatten_defaultdict(children, context):
    return defaultdict(context[0], zip(context[1], children, strict=True))


_PLAIN = {tuple, list}  # whose items are their children

# By type; all types of namedtuples are listed under their factory. torch.utils._pytree adds to it.
NODES = {
    tuple: Node(lambda tree: (list(tree), None), lambda children, _: tuple(children), name="builtins.tuple"),
    list: Node(lambda tree: (tree, None), lambda children, _: list(children), name="builtins.list"),
    dict: Node(lambda tree: (list(tree.values()), list(tree)), _unflatten_dict, name="builtins.dict"),
    namedtuple: Node(
        lambda tree: (list(tree), type(tree)), lambda children, kind: kind(*children), name="collections.namedtuple"
    ),
    OrderedDict: Node(
        lambda tree: (list(tree.values()), list(tree)),
        lambda children, keys: OrderedDict(zip(keys, children, strict=True)),
        name="collections.OrderedDict",
    ),
    defaultdict: Node(_flatten_defaultdict, _unflatten_defaultdict, name="collections.defaultdict"),
    deque: Node(
        lambda tree: (list(tree), tree.maxlen),
        lambda children, maxlen: deque(children, maxlen=maxlen),
        name="collections.deque",
    ),
}


def is_leaf(tree):
    """Return True if a value is not a container that transforms look into."""
    kind = type(tree)
    return kind is Tensor or (
        kind not in NODES
        and not (isinstance(tree, tuple) and (hasattr(kind, "_fields") or isinstance(tree, NamedResult)))
    )


def is_namedtuple(tree):
    return isinstance(tree, tuple) and hasattr(type(tree), "_fields")


def node_type(tree):
    """Return the key of a value's type in `NODES`: its own type for structseqs; None for a leaf."""
    kind = type(tree)
    if kind in NODES:
        return kind
    if is_namedtuple(tree):
        return namedtuple
    return kind if isinstance(tree, NamedResult) else None


def flatten_node(tree):
    """Return the children of a container and its context."""
    node = NODES.get(node_type(tree))
    return (list(tree), None) if node is None else node.flatten(tree)


def unflatten_node(kind, context, children):
    """A container of a type that `node_type` gave."""
    node = NODES.get(kind)
    return kind(children) if node is None else node.unflatten(children, context)


def children(tree):
    return list(tree if type(tree) in _PLAIN else flatten_node(tree)[0])


def rebuilt(tree, parts):
    """A container like ``tree`` with other contents."""
    return unflatten_node(node_type(tree), flatten_node(tree)[1], parts)


def tree_map(function, tree, *others):
    """Apply ``function`` to every leaf, with the corresponding leaves of further trees of the same structure."""
    return function(tree, *others) if is_leaf(tree) else _mapped(function, tree, *others)


def _mapped(function, tree, *others):
    if others:
        pairs = zip(children(tree), *map(children, others), strict=True)
        parts = [function(*each) if is_leaf(each[0]) else deeper(_mapped, function, *each) for each in pairs]
    else:
        parts = [function(t) if is_leaf(t) else deeper(_mapped, function, t) for t in children(tree)]
    kind = type(tree)
    return parts if kind is list else tuple(parts) if kind is tuple else rebuilt(tree, parts)


def leaves(tree):
    """The leaves in order."""
    return [tree] if is_leaf(tree) else _leaves_of(tree)


def _leaves_of(tree):
    out = []
    for child in children(tree):
        if is_leaf(child):
            out.append(child)
        else:
            out += deeper(_leaves_of, child)
    return out


def _joined(function, tree, other):
    """Apply ``function`` to pairs of children of two containers (dicts by key) and join the lists that it returns.

    Return None if the containers or their types differ, or if the function returns None for a pair.
    """
    if type(tree) is not type(other):
        return None
    parts = children(tree)
    if isinstance(tree, dict):
        if tree.keys() != other.keys():
            return None
        others = [other[key] for key in tree]
    else:
        others = children(other)
    if len(parts) != len(others):
        return None
    out = []
    for t, o in zip(parts, others, strict=True):
        part = deeper(function, t, o)
        if part is None:
            return None
        out += part
    return out


def leaves_like(tree, other):
    """The leaves of ``other`` in the order of those of ``tree``; None if the forms do not agree."""
    if is_leaf(tree):
        return [other] if is_leaf(other) else None
    return None if is_leaf(other) else _joined(leaves_like, tree, other)


def filled(tree, values):
    """A tree of the form of ``tree`` whose leaves are ``values``, in order."""
    values = iter(values)
    return tree_map(lambda _: next(values), tree)


def broadcast(prefix, tree):
    """Return the leaves of ``prefix``, each repeated for every leaf of the branch of ``tree`` that it corresponds to.

    Return None if the structures do not match.
    """
    if type(prefix) is int or is_leaf(prefix):
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
