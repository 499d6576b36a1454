"""torch.utils._pytree: leaves and structures of containers."""

import pickle
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import pytest

import flambeau as torch
from flambeau.utils import _pytree as pytree

Pair = namedtuple("Pair", "a b")
TREE = {"x": [1, (2, None)], "y": Pair(3, OrderedDict(z=4)), "d": deque([5], maxlen=3), "e": defaultdict(list, {1: 6})}
SHOWN = """TreeSpec(dict, ['x', 'y', 'd', 'e'], [TreeSpec(list, None, [*,
    TreeSpec(tuple, None, [*,
      *])]),
  TreeSpec(namedtuple, <class 'test_pytree.Pair'>, [*,
    TreeSpec(OrderedDict, ['z'], [*])]),
  TreeSpec(deque, 3, [*]),
  TreeSpec(defaultdict, [<class 'list'>, [1]], [*])])"""


class Box:
    def __init__(self, x):
        self.x = x


@pytest.fixture
def box():
    pytree.register_pytree_node(
        Box, lambda b: ([b.x], "made"), lambda children, _: Box(*children), serialized_type_name="Box"
    )
    yield Box
    pytree._deregister_pytree_node(Box)


def test_flatten_and_unflatten():
    leaves, spec = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 5, 6] and repr(spec) == SHOWN.replace("test_pytree", Pair.__module__)
    assert (spec.num_leaves, spec.num_nodes, spec.num_children, spec.type) == (7, 14, 4, dict)
    back = pytree.tree_unflatten(leaves, spec)
    assert back == TREE and [type(v) for v in back.values()] == [list, Pair, deque, defaultdict]
    assert back["d"].maxlen == 3 and back["e"].default_factory is list
    assert spec == pytree.tree_structure(back) and hash(spec) == hash(pytree.tree_structure(back))
    assert pickle.loads(pickle.dumps(pytree.tree_structure([1, {"a": 2}]))) == pytree.tree_structure([1, {"a": 2}])
    with pytest.raises(ValueError, match=r"`leaves` has length 1 but the spec refers to a pytree that holds 7 items"):
        spec.unflatten([1])
    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec"):
        pytree.tree_unflatten([1], 1)


def test_leaves():
    assert repr(pytree.LeafSpec()) == "*" and isinstance(pytree.tree_structure(1), pytree.LeafSpec)
    assert not isinstance(pytree.tree_structure([1]), pytree.LeafSpec) and pytree.LeafSpec().is_leaf()
    assert pytree.tree_leaves([1, [2]], is_leaf=lambda x: x == [2]) == [1, [2]]
    assert pytree.tree_is_leaf(None) and list(pytree.tree_iter({"a": (1, 2)})) == [1, 2]
    assert (
        repr(pytree.tree_structure([[], {}])) == "TreeSpec(list, None, [TreeSpec(list, None, []),\n"
        "  TreeSpec(dict, [], [])])"
    )


def test_map():
    assert pytree.tree_map(lambda a, b: (a, b), {"a": 1, "b": 2}, {"b": 1, "a": 3}) == {"a": (1, 3), "b": (2, 1)}
    assert pytree.tree_map(lambda a, b: (a, b), [1, 2], [1, [3]]) == [(1, 1), (2, [3])]
    assert pytree.tree_map_only(int, lambda x: -x, [1, "a"]) == [-1, "a"]
    assert pytree.tree_map_only((int, str), lambda x: x * 2, [1, "a", 2.0]) == [2, "aa", 2.0]
    assert pytree.tree_map_only(lambda x: x == 1, lambda x: 0, [1, 2]) == [0, 2]
    x = torch.ones(1)
    assert pytree.tree_map_(lambda t: t.add_(1), [x])[0] is x and x.item() == 2
    assert not pytree.tree_all(bool, [1, 0]) and pytree.tree_any_only(int, bool, [1, 0, ""])


@pytest.mark.parametrize(
    ("trees", "said"),
    [
        (([1, 2], [1]), "Node arity mismatch; expected 2, but got 1."),
        (([1, [2]], [1, 3]), "Node type mismatch; expected <class 'list'>, but got <class 'int'>."),
        (([1, 2], (1, 3)), "Node type mismatch; expected <class 'list'>, but got <class 'tuple'>."),
        (({"a": 1}, {"b": 1}), "Node keys mismatch; missing key(s): {'a'}; extra key(s): {'b'}."),
    ],
)
def test_trees_that_differ(trees, said):
    with pytest.raises(ValueError) as caught:
        pytree.tree_map(lambda *each: each, *trees)
    assert str(caught.value) == said


def test_classes_of_users(box):
    leaves, spec = pytree.tree_flatten(Box([1, 2]))
    assert leaves == [1, 2] and repr(spec) == "TreeSpec(Box, made, [TreeSpec(list, None, [*,\n    *])])"
    assert pytree.tree_map(lambda x: x + 1, Box(1)).x == 2
    with pytest.raises(ValueError, match="is already registered as pytree node"):
        pytree.register_pytree_node(Box, None, None)
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    out = torch.func.grad(lambda b: (b.x * b.x).sum())(Box(torch.tensor([1.0, 2.0])))  # the transforms know it, too
    assert isinstance(out, Box) and out.x.tolist() == [2, 4]
    assert torch.vmap(lambda b: Box(b.x * 2))(Box(torch.ones(2))).x.tolist() == [2, 2]


def test_dataclasses():
    @dataclass
    class Point:
        x: object
        y: object = None

    pytree.register_dataclass(Point)
    try:
        assert pytree.tree_map(lambda v: v + 1, Point(1)) == Point(2, None)
        assert pytree.tree_flatten_with_path(Point(1, [2]))[0] == [
            ((pytree.GetAttrKey("x"),), 1),
            ((pytree.GetAttrKey("y"), pytree.SequenceKey(0)), 2),
        ]
    finally:
        pytree._deregister_pytree_node(Point)


def test_paths():
    tree = {"a": [1, Pair(2, 3)]}
    paths = pytree.tree_leaves_with_path(tree)
    assert [pytree.keystr(path) for path, _ in paths] == ["['a'][0]", "['a'][1].a", "['a'][1].b"]
    assert [pytree.key_get(tree, path) for path, _ in paths] == [1, 2, 3]
    assert pytree.tree_map_with_path(lambda path, x: pytree.keystr(path) * x, {"a": [2]}) == {"a": ["['a'][0]['a'][0]"]}


def test_structures_as_json():
    spec = pytree.tree_structure([1, {"a": 2}])
    assert pytree.treespec_dumps(spec) == (
        '[1, {"type": "builtins.list", "context": "null", "children_spec": [{"type": null, "context": null, '
        '"children_spec": []}, {"type": "builtins.dict", "context": "[\\"a\\"]", "children_spec": [{"type": null, '
        '"context": null, "children_spec": []}]}]}]'
    )
    for tree in (TREE, (), [deque()], defaultdict(None, a=1)):
        spec = pytree.tree_structure(tree)
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


def test_results_with_names():
    found = torch.max(torch.ones(2, 2), 0)
    leaves, spec = pytree.tree_flatten(found)
    assert len(leaves) == 2 and spec.type is type(found) and type(spec.unflatten(leaves)) is type(found)
    assert pytree.is_structseq(found) and not pytree.is_namedtuple(found) and pytree.is_namedtuple(Pair(1, 2))


def test_broadcast():
    spec = pytree.tree_structure([1, [2, 3]])
    assert pytree._broadcast_to_and_flatten(0, spec) == [0, 0, 0]
    assert pytree._broadcast_to_and_flatten([0, 1], spec) == [0, 1, 1]
    assert pytree._broadcast_to_and_flatten((0, 1), spec) is None
