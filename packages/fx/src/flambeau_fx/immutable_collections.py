"""Immutable lists and dicts for a node's arguments. They can only be changed by assigning `node.args`, so that the
graph can update its record of users."""

from typing import Any, NoReturn

from flambeau_autograd.pytree import NODES, Node

__all__ = ["immutable_dict", "immutable_list"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(
        f"'{type(self).__name__}' object does not support mutation. If you are attempting to "
        "modify the kwargs or args of a torch.fx.Node object,\ninstead create a new copy of it "
        "and assign the copy to the node:\n    new_args = ... # copy and mutate args\n"
        "    node.args = new_args"
    )


class immutable_list(list[Any]):  # noqa: N801  (PyTorch's name)
    """An immutable list."""

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_list, (tuple(iter(self)),)


class immutable_dict(dict[Any, Any]):  # noqa: N801
    """An immutable dict."""

    clear = pop = popitem = setdefault = update = _refuse
    __delitem__ = __ior__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_dict, (dict(self.items()),)


NODES[immutable_list] = Node(
    lambda tree: (list(tree), None), lambda children, _: immutable_list(children), name="torch.fx.immutable_list"
)
NODES[immutable_dict] = Node(
    lambda tree: (list(tree.values()), list(tree)),
    lambda children, keys: immutable_dict(zip(keys, children, strict=True)),
    name="torch.fx.immutable_dict",
)
