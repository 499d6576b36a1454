"""Programs in several processes: users' ``torch.distributed``.

The processes of one host share memory; those that MPI has started, on any number of hosts, use MPI.

>>> import flambeau_tensor as torch
>>> import flambeau_distributed as dist
>>> dist.init_process_group(store=dist.HashStore(), rank=0, world_size=1)
>>> x = torch.ones(2)
>>> dist.all_reduce(x)
>>> dist.get_world_size(), x
(1, tensor([1., 1.]))
>>> dist.destroy_process_group()
"""

__version__ = "0.1.0"

import os as _os

from flambeau_distributed import _compiled  # noqa: F401  (finds the compiled modules)
from flambeau_distributed.collectives import *  # noqa: F403
from flambeau_distributed.errors import DistBackendError as DistBackendError
from flambeau_distributed.errors import DistError as DistError
from flambeau_distributed.errors import DistNetworkError as DistNetworkError
from flambeau_distributed.errors import DistStoreError as DistStoreError
from flambeau_distributed.errors import QueueEmptyError as QueueEmptyError
from flambeau_distributed.file_store import FileStore as FileStore
from flambeau_distributed.methods import ProcessGroup as ProcessGroup
from flambeau_distributed.methods import ProcessGroupGloo as ProcessGroupGloo
from flambeau_distributed.mpi import is_mpi_available as is_mpi_available
from flambeau_distributed.objects import *  # noqa: F403
from flambeau_distributed.point_to_point import *  # noqa: F403
from flambeau_distributed.reduce_op import AllreduceCoalescedOptions as AllreduceCoalescedOptions
from flambeau_distributed.reduce_op import AllreduceOptions as AllreduceOptions
from flambeau_distributed.reduce_op import AllToAllOptions as AllToAllOptions
from flambeau_distributed.reduce_op import BarrierOptions as BarrierOptions
from flambeau_distributed.reduce_op import BroadcastOptions as BroadcastOptions
from flambeau_distributed.reduce_op import DebugLevel as DebugLevel
from flambeau_distributed.reduce_op import GatherOptions as GatherOptions
from flambeau_distributed.reduce_op import GroupMember as GroupMember
from flambeau_distributed.reduce_op import RedOpType as RedOpType
from flambeau_distributed.reduce_op import ReduceOp as ReduceOp
from flambeau_distributed.reduce_op import ReduceOptions as ReduceOptions
from flambeau_distributed.reduce_op import ReduceScatterOptions as ReduceScatterOptions
from flambeau_distributed.reduce_op import ScatterOptions as ScatterOptions
from flambeau_distributed.reduce_op import default_pg_timeout as default_pg_timeout
from flambeau_distributed.reduce_op import group as group
from flambeau_distributed.reduce_op import reduce_op as reduce_op
from flambeau_distributed.reduce_op import supports_complex as supports_complex
from flambeau_distributed.rendezvous import register_rendezvous_handler as register_rendezvous_handler
from flambeau_distributed.rendezvous import rendezvous as rendezvous
from flambeau_distributed.stores import HashStore as HashStore
from flambeau_distributed.stores import PrefixStore as PrefixStore
from flambeau_distributed.stores import Store as Store
from flambeau_distributed.tcp_store import TCPStore as TCPStore
from flambeau_distributed.unbuilt import class_not_built, function_not_built
from flambeau_distributed.work import Work as Work
from flambeau_distributed.world import Backend as Backend
from flambeau_distributed.world import BackendConfig as BackendConfig
from flambeau_distributed.world import destroy_process_group as destroy_process_group
from flambeau_distributed.world import get_backend as get_backend
from flambeau_distributed.world import get_backend_config as get_backend_config
from flambeau_distributed.world import get_default_backend_for_device as get_default_backend_for_device
from flambeau_distributed.world import get_global_rank as get_global_rank
from flambeau_distributed.world import get_group_rank as get_group_rank
from flambeau_distributed.world import get_node_local_rank as get_node_local_rank
from flambeau_distributed.world import get_pg_count as get_pg_count
from flambeau_distributed.world import get_process_group_ranks as get_process_group_ranks
from flambeau_distributed.world import get_rank as get_rank
from flambeau_distributed.world import get_world_size as get_world_size
from flambeau_distributed.world import init_process_group as init_process_group
from flambeau_distributed.world import is_initialized as is_initialized
from flambeau_distributed.world import new_group as new_group
from flambeau_distributed.world import new_subgroups as new_subgroups
from flambeau_distributed.world import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from flambeau_nn.parallel.distributed import GradBucket as GradBucket
from flambeau_tensor.lazy_attributes import attach as _attach

_MODULES = (
    "algorithms", "autograd", "constants", "device_mesh", "distributed_c10d", "elastic", "fsdp", "launch", "nn",
    "optim", "pipelining", "rpc", "run", "tensor",
)  # fmt: skip

DeviceMesh = class_not_built("DeviceMesh")
init_device_mesh = function_not_built("init_device_mesh")
split_group = function_not_built("split_group", ": use new_group")
shrink_group = function_not_built("shrink_group", ": use new_group")


def is_available() -> bool:
    """Return True if programs may run in several processes.

    >>> torch.distributed.is_available()
    True
    """
    return True


def is_gloo_available() -> bool:
    """Return True if the backend "gloo" is available. It uses memory that the processes of this host share.

    >>> torch.distributed.is_gloo_available()
    True
    """
    return True


def is_nccl_available() -> bool:
    """Return False: there are no GPUs."""
    return False


def is_ucc_available() -> bool:
    """False."""
    return False


def is_xccl_available() -> bool:
    """False."""
    return False


def is_backend_available(backend: str) -> bool:
    """Return True if a backend is available.

    >>> torch.distributed.is_backend_available("gloo"), torch.distributed.is_backend_available("nccl")
    (True, False)
    """
    return backend.lower() == "gloo" or backend.lower() == "mpi" and is_mpi_available()


def is_torchelastic_launched() -> bool:
    """Return True if ``torchrun`` has started this process.

    >>> torch.distributed.is_torchelastic_launched()
    False
    """
    return "TORCHELASTIC_RUN_ID" in _os.environ


_level = [DebugLevel.OFF]


def get_debug_level() -> DebugLevel:
    """Return the level set by `set_debug_level`. It has no effect, as every call is checked."""
    return _level[0]


def set_debug_level(level: DebugLevel) -> None:
    """Keep a level, which changes nothing."""
    _level[0] = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """Take the level from ``TORCH_DISTRIBUTED_DEBUG``.

    Raises:
        RuntimeError: it names no level.
    """
    text = _os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if text not in DebugLevel.__members__:
        raise RuntimeError(
            "The value of TORCH_DISTRIBUTED_DEBUG must be one of OFF, INFO, or DETAIL (case-insensitive)"
        )
    _level[0] = DebugLevel[text]


all_gather_single = all_gather_into_tensor  # noqa: F405  (its newer name)
reduce_scatter_single = reduce_scatter_tensor  # noqa: F405
_all_gather_base, _reduce_scatter_base = all_gather_into_tensor, reduce_scatter_tensor  # noqa: F405  (older ones)

__getattr__, __dir__ = _attach(__name__, "torch.distributed", {}, _MODULES, unlisted=True)
