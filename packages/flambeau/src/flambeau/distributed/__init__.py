"""``torch.distributed``: computing in several processes is not built. ``is_available()`` says so; what programs name
without asking is here, and says what it misses when it is called.

>>> import flambeau as torch
>>> torch.distributed.is_available(), torch.distributed.is_initialized()
(False, False)
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import class_not_built as _class_not_built
from flambeau_tensor.not_built import function_not_built as _function_not_built

_NEED_A_GROUP = (
    "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_reduce all_reduce_coalesced "
    "all_to_all all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list destroy_process_group "
    "gather gather_object get_backend get_backend_config get_global_rank get_group_rank get_process_group_ranks "
    "get_rank get_world_size irecv isend monitored_barrier new_group new_subgroups recv recv_object_list reduce "
    "reduce_scatter reduce_scatter_tensor scatter scatter_object_list send send_object_list split_group"
).split()
_NOT_BUILT = ("init_device_mesh", "init_process_group", "rendezvous", "register_rendezvous_handler")
_CLASSES = (
    "Backend",
    "DeviceMesh",
    "FileStore",
    "P2POp",
    "ProcessGroup",
    "Work",
)
_MODULES = ("autograd", "device_mesh", "distributed_c10d", "fsdp", "nn", "optim", "rpc", "tensor")


class ReduceOp(Enum):
    """What a reduction over processes computes."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


class GroupMember:
    """Stands for what is in no group, or in all."""

    WORLD = None
    NON_GROUP_MEMBER = object()


group = GroupMember
reduce_op = ReduceOp


def _no(name):
    def answer() -> bool:
        """False."""
        return False

    answer.__name__ = answer.__qualname__ = name
    return answer


for _name in (
    "available",
    "initialized",
    "gloo_available",
    "mpi_available",
    "nccl_available",
    "ucc_available",
    "xccl_available",
    "torchelastic_launched",
):
    globals()[f"is_{_name}"] = _no(f"is_{_name}")


def is_backend_available(backend: str) -> bool:
    """False."""
    return False


def supports_complex(reduceOp: Any) -> bool:  # noqa: N803
    """Whether a reduction can take complex numbers."""
    return reduceOp not in (ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PRODUCT, ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)


def function_of_a_group(name: str) -> Callable[..., Any]:
    """A function that says that there is no group of processes."""

    def function(*args, **kwargs):
        raise ValueError(
            "Default process group has not been initialized, please make sure to call "
            f"init_process_group. (torch.distributed.{name} was called, which is not built)"
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises a ValueError: there is no group of processes."
    return function


def function_not_built(name: str) -> Callable[..., NoReturn]:
    """A function that says that it is not built."""
    return _function_not_built(f"torch.distributed.{name}", ": there is one process")


def class_not_built(name: str) -> type:
    """A class that says that it is not built when it is made. Nothing is an instance."""
    return _class_not_built(f"torch.distributed.{name}", ": there is one process")


for _name in _NEED_A_GROUP:
    globals()[_name] = function_of_a_group(_name)
for _name in _NOT_BUILT:
    globals()[_name] = function_not_built(_name)
for _name in _CLASSES:
    globals()[_name] = class_not_built(_name)


_STORES = ("HashStore", "PrefixStore", "Store", "TCPStore")


_names = dict.fromkeys(_STORES, ".stores")
__getattr__, __dir__ = _attach(__name__, "torch.distributed", _names, _MODULES, unlisted=True)
