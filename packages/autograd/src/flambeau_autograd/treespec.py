"""The structure of a tree for ``torch.utils._pytree`` and ``torch.fx``, the keys of paths in it, structures as JSON."""

import json
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from importlib import import_module

from flambeau_autograd.pytree import NODES, flatten_node, node_type, unflatten_node

DICTS = (dict, OrderedDict, defaultdict)


class TreeSpec:
    """A structure: the type of a container, its ``context``, and the structures of its children."""

    __slots__ = ("_children", "context", "num_children", "num_leaves", "num_nodes", "type")

    def __init__(self, type, context, children_specs=()):
        self.type, self.context, self._children = type, context, list(children_specs)
        self.num_children = len(self._children)
        self.num_nodes = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves = sum(child.num_leaves for child in self._children) if type is not None else 1

    @property
    def children_specs(self) -> list:
        """The children's structures."""
        return self._children

    def children(self) -> list:
        """The children's structures."""
        return list(self._children)

    def child(self, index: int) -> "TreeSpec":
        """A child's structure."""
        return self._children[index]

    def is_leaf(self) -> bool:
        """Return True for the structure of a leaf."""
        return self.type is None

    def unflatten(self, leaves):
        """A tree with the leaves given.

        Raises:
            ValueError: their number is another.
        """
        if not isinstance(leaves, (list, tuple)):
            leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                f"pytree that holds {self.num_leaves} items ({self})."
            )
        return self._filled(iter(leaves))

    def _filled(self, leaves):
        if self.type is None:
            return next(leaves)
        return unflatten_node(self.type, self.context, [child._filled(leaves) for child in self._children])

    def flatten_up_to(self, tree) -> list:
        """The subtrees of a tree at the leaves of this structure.

        Raises:
            ValueError: the tree does not have this structure.
        """
        found: list = []
        self._flatten_up_to(tree, found)
        return found

    def _flatten_up_to(self, tree, found):
        if self.type is None:
            found.append(tree)
            return
        kind = node_type(tree)
        if self.type in DICTS:
            parts = self._dict_parts(tree)
        else:
            if kind is not self.type:
                raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
            parts, context = flatten_node(tree)
            if len(parts) != self.num_children:
                raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(parts)}.")
            if context != self.context:
                raise ValueError(
                    f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, but "
                    f"got {context!r}."
                )
        for child, part in zip(self._children, parts, strict=True):
            child._flatten_up_to(part, found)

    def _dict_parts(self, tree):
        """Dicts of all kinds match by their keys."""
        if not isinstance(tree, dict) or node_type(tree) is None:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        keys = self.context[1] if self.type is defaultdict else self.context
        if len(tree) != self.num_children and set(tree) == set(keys):
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(tree)}.")
        missing, extra = [k for k in keys if k not in tree], [k for k in tree if k not in keys]
        if missing or extra:
            said = [f"{name} key(s): {_set(some)}" for name, some in (("missing", missing), ("extra", extra)) if some]
            raise ValueError(f"Node keys mismatch; {'; '.join(said)}.")
        return [tree[key] for key in keys]

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return self.type is other.type and self.context == other.context and self._children == other._children

    def __hash__(self):
        context = self.context
        if isinstance(context, list):
            context = tuple(tuple(c) if isinstance(c, list) else c for c in context)
        return hash((self.type, context, tuple(self._children)))

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        inner = [child.__repr__(indent + 2) for child in self._children]
        text = inner[0] if inner else ""
        if len(inner) > 1:
            text += "," + ",".join("\n" + " " * (indent + 2) + each for each in inner[1:])
        return f"TreeSpec({self.type.__name__}, {self.context}, [{text}])"

    def __reduce__(self):
        return TreeSpec, (self.type, self.context, self._children)


def _set(keys):
    return "{" + ", ".join(map(repr, keys)) + "}"


class _Leaf(type):
    """Makes `LeafSpec()` a structure, and every structure of a leaf an instance of `LeafSpec`."""

    def __call__(cls):
        return TreeSpec(None, None)

    def __instancecheck__(cls, instance):
        return isinstance(instance, TreeSpec) and instance.type is None


class LeafSpec(metaclass=_Leaf):
    """The structure of a leaf."""


def tree_flatten(tree, is_leaf=None) -> tuple[list, TreeSpec]:
    """Return the leaves and the structure.

    Args:
        tree: any value.
        is_leaf: a function that returns True for containers that should be leaves.
    """
    leaves: list = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree, leaves, is_leaf):
    if (is_leaf is not None and is_leaf(tree)) or node_type(tree) is None:
        leaves.append(tree)
        return LeafSpec()
    children, context = flatten_node(tree)
    return TreeSpec(node_type(tree), context, [_flatten(child, leaves, is_leaf) for child in children])


@dataclass(frozen=True)
class SequenceKey:
    """An index in a list or tuple."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """Return the item at the index."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    key: object

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """Return the value of the key."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """Return the value of the attribute."""
        return getattr(obj, self.name)


def keystr(kp) -> str:
    """A path as text, such as ``['a'][0].b``."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """Return the value at a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


# --- JSON: [1, {"type": ..., "context": ..., "children_spec": [...]}], as PyTorch writes it ---------------------------


def _names():
    return {node.name: kind for kind, node in NODES.items() if node.name is not None}


def _to_json(spec):
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    node = NODES.get(spec.type)
    name = next((name for name, kind in _names().items() if kind is spec.type), None)
    if name is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg."
        )
    context = spec.context
    if node.to_json is not None:
        context = node.to_json(context)
    elif spec.type is namedtuple:
        context = f"{context.__module__}.{context.__qualname__}"
    elif spec.type is defaultdict:
        factory = context[0]
        context = {
            "default_factory_module": factory and factory.__module__,
            "default_factory_name": factory and factory.__qualname__,
            "dict_context": context[1],
        }
    return {
        "type": name,
        "context": context if isinstance(context, str) and node.to_json else json.dumps(context),
        "children_spec": [_to_json(child) for child in spec.children_specs],
    }


def _class(name):
    module, _, short = name.rpartition(".")
    return getattr(import_module(module), short)


def _from_json(data):
    if data["type"] is None:
        return LeafSpec()
    names = _names()
    if data["type"] not in names:
        raise ValueError(f"Unknown pytree node type {data['type']}.")
    kind = names[data["type"]]
    node, context = NODES[kind], data["context"]
    if node.from_json is not None:
        context = node.from_json(context)
    else:
        context = json.loads(context)
        if kind is namedtuple:
            context = _class(context)
        elif kind is defaultdict:
            name = context["default_factory_name"]
            context = [name and _class(f"{context['default_factory_module']}.{name}"), context["dict_context"]]
    return TreeSpec(kind, context, [_from_json(child) for child in data["children_spec"]])


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON.

    Raises:
        TypeError: ``treespec`` is not a TreeSpec.
        ValueError: ``protocol`` is not 1.
        NotImplementedError: a type in it has no registered name.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got "
            f"item of type {type(treespec)}."
        )
    if protocol not in (None, 1):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return json.dumps((1, _to_json(treespec)))


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` made JSON of."""
    protocol, data = json.loads(serialized)
    if protocol != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return _from_json(data)
