"""The default group of processes, the other groups, and the ranks of processes in them."""

import os
import warnings
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from flambeau_distributed import mpi, rendezvous
from flambeau_distributed.methods import ProcessGroup
from flambeau_distributed.reduce_op import GroupMember, default_pg_timeout
from flambeau_distributed.shared_memory import SharedMemory
from flambeau_distributed.stores import PrefixStore, Store
from flambeau_tensor import get_num_threads, process_groups, set_num_threads

NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."


class Backend(str):
    """The name of a transport between processes: ``"gloo"`` or ``"mpi"``.

    On one host, both names mean shared memory. If MPI has started the processes, both mean MPI.

    >>> torch.distributed.Backend("GLOO")
    'gloo'
    """

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"
    FAKE = "fake"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]
    default_device_backend_map = {"cpu": GLOO}

    def __new__(cls, name: str) -> "Backend":
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, got {type(name).__name__}")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name: str, func: Any, extended_api: bool = False, devices: Any = None) -> None:
        """Backends of other packages are not taken.

        Raises:
            NotBuiltError: always.
        """
        from flambeau_tensor.not_built import not_built

        raise not_built("torch.distributed.Backend.register_backend", "a backend is shared memory or MPI")


class BackendConfig:
    """The backend of each device.

    Args:
        backend: its name, or pairs as in ``"cpu:gloo"``.

    >>> repr(torch.distributed.BackendConfig(torch.distributed.Backend("gloo")))
    'cpu:gloo'
    """

    def __init__(self, backend: str) -> None:
        text = str(backend)
        pairs = [pair.split(":") for pair in text.split(",")] if ":" in text else [["cpu", text]]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"Invalid backend argument: {text!r}; it is a name, or pairs such as cpu:gloo")
        self.device_backend_map = {device: Backend(name) for device, name in pairs}

    def __repr__(self) -> str:
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())

    def get_device_backend_map(self) -> "dict[str, Backend]":
        """Names by device."""
        return self.device_backend_map


class _World:
    """The groups of this process."""

    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.groups: dict[str, ProcessGroup] = {}
        self.count = 0


world = _World()


def default_group() -> ProcessGroup:
    """The group of all processes.

    Raises:
        ValueError: `init_process_group` has not been called.
    """
    if world.default is None:
        raise ValueError(NOT_INITIALIZED)
    return world.default


def group_of(group: Any) -> "ProcessGroup | None":
    """Return the group that is meant; None if this process is not in it."""
    if group is None:
        return default_group()
    if isinstance(group, ProcessGroup):
        return group
    if group == GroupMember.NON_GROUP_MEMBER:
        return None
    raise ValueError(
        f"Process group {group!r} is not initialized in the world group map. Please initialize the group first."
    )


def member_of(group: Any, function: str, stacklevel: int = 3) -> "ProcessGroup | None":
    """Return the group, or None, with a warning, in a process that is not in it."""
    found = group_of(group)
    if found is None:
        warnings.warn(
            f"Running {function} on global rank {default_group().rank()} which does not belong to the given group.",
            stacklevel=stacklevel,
        )
    return found


# --- making and ending groups ---------------------------------------------------------------------------------------


def init_process_group(
    backend: "str | None" = None,
    init_method: "str | None" = None,
    timeout: "timedelta | None" = None,
    world_size: int = -1,
    rank: int = -1,
    store: "Store | None" = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the default group of this process and those that call this with the same address.

    Args:
        backend: ``"gloo"`` or ``"mpi"``: processes of one host share memory, whichever it is; processes that MPI has
            started (``mpirun``, ``srun``) use MPI.
        init_method: how processes find each other: ``env://`` (the default: by ``MASTER_ADDR``, ``MASTER_PORT``,
            ``RANK``
            and ``WORLD_SIZE``, which ``torchrun`` sets), ``file:///path`` or ``tcp://localhost:port``.
        timeout: how long a process waits for the others, 30 minutes by default.
        world_size: the number of processes.
        rank: the rank of this process.
        store: the store by which they find each other, instead of `init_method`.
        group_name: ignored, as by PyTorch.
        pg_options: ignored.
        device_id: None or the CPU.

    Raises:
        ValueError: there already is a default group, or rank and size are unknown.
        RuntimeError: the backend is not built, or the processes run on several hosts and MPI has not started them.

    >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> torch.distributed.get_world_size()
    1
    >>> torch.distributed.destroy_process_group()
    """
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    name = checked_backend(backend)
    timeout = checked_timeout(timeout)
    if store is None and mpi.started():
        carrier: Any = mpi.Mpi.world(timeout.total_seconds())
        store = mpi.MpiStore(carrier)
        if name == Backend.GLOO and carrier.rank == 0:
            warnings.warn("MPI has started this process, so its groups use MPI, not gloo", stacklevel=2)
        name = Backend("mpi")
    else:
        if store is None:
            found = rendezvous.rendezvous(init_method or "env://", rank, world_size, timeout=timeout)
            store, rank, world_size = next(iter(found))
            store.set_timeout(timeout)
        elif rank < 0 or world_size < 1:
            raise AssertionError("world_size must be positive and rank non-negative if using store")
        store = PrefixStore("default_pg", store)
        carrier = SharedMemory(store, rank, world_size, timeout.total_seconds())
    _use_one_thread(carrier.size)
    made = ProcessGroup(carrier, store, range(carrier.size), name, "0", timeout)
    made.group_desc = "default_pg"
    world.default = world.groups["0"] = GroupMember.WORLD = made
    world.count = 1


def _use_one_thread(size: int) -> None:
    """Let each of several processes compute in one thread, unless the user has set another number."""
    if size > 1 and "OMP_NUM_THREADS" not in os.environ and get_num_threads() > 1:
        set_num_threads(1)


def checked_backend(backend: "str | None") -> Backend:
    """Check that a backend is available and return its name.

    Raises:
        RuntimeError: it is not.
    """
    if backend in (None, "undefined", ""):
        return Backend("mpi" if mpi.started() else "gloo")
    names = BackendConfig(Backend(str(backend))).device_backend_map
    name = names.get("cpu", Backend("undefined"))
    if name not in ("gloo", "mpi"):
        known = {"nccl": "NCCL", "ucc": "UCC", "xccl": "XCCL"}
        if name in known:
            raise RuntimeError(
                f"Distributed package doesn't have {known[name]} built in: the backends are gloo and mpi"
            )
        raise RuntimeError(f"Unknown c10d backend type {str(backend).upper()}: the backends are gloo and mpi")
    return name


def checked_timeout(timeout: "timedelta | None") -> timedelta:
    """The time that processes wait for each other."""
    if timeout is None:
        return default_pg_timeout
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout!r}")
    return timeout


def new_group(
    ranks: "Iterable[int] | None" = None,
    timeout: "timedelta | None" = None,
    backend: "str | None" = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: "str | None" = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """Create a group of some of the processes; all processes call this, including those that are not in it.

    Args:
        ranks: ranks of the default group; by default all.
        timeout: how long a process waits for the others, by default as in the default group.
        backend: as for `init_process_group`.
        pg_options: ignored.
        use_local_synchronization: whether only the processes in the group call this.
        group_desc: a description of the group.
        device_id: ignored.
        sort_ranks: whether to number the members by their ranks; otherwise they have the given order.

    Returns:
        The group, or ``GroupMember.NON_GROUP_MEMBER`` in a process that is not in it.

    Raises:
        ValueError: a rank is out of range or occurs twice.
    """
    whole = default_group()
    name = checked_backend(backend or whole.backend)
    size = whole.size()
    members = list(range(size)) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    for rank in members:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    if len(set(members)) != len(members) or not members:
        raise ValueError(f"new_group() takes different ranks, at least one, got {members}")
    world.count += 1
    mark = "_".join(map(str, members)) if use_local_synchronization else str(world.count)
    if whole.rank() not in members:
        return GroupMember.NON_GROUP_MEMBER
    wait = whole.timeout if timeout is None else checked_timeout(timeout)
    store = PrefixStore(f"group/{mark}", whole.store)
    carrier: Any
    if isinstance(whole.carrier, SharedMemory):
        carrier = SharedMemory(store, members.index(whole.rank()), len(members), wait.total_seconds())
    else:
        carrier = whole.carrier.part(members, world.count, wait.total_seconds())
    made = ProcessGroup(carrier, store, members, name, mark, wait)
    made.group_desc = group_desc or "undefined"
    world.groups[mark] = made
    return made


def new_subgroups(
    group_size: "int | None" = None,
    group: Any = None,
    timeout: "timedelta | None" = None,
    backend: "str | None" = None,
    pg_options: Any = None,
    group_desc: "str | None" = None,
) -> "tuple[Any, list[Any]]":
    """Make groups of ``group_size`` processes in a row; by default of all of this host.

    Returns:
        The group of this process, and all groups.

    Raises:
        ValueError: the size does not divide the number of processes.
    """
    whole = group_of(group) or default_group()
    size = group_size or whole.size()
    if size > whole.size():
        raise ValueError(f"the arg group_size ({size}) must not exceed the world size ({whole.size()})")
    if whole.size() % size:
        raise ValueError(f"the world size ({whole.size()}) must be divisible by group_size={size}")
    ranks = [whole.ranks[start : start + size] for start in range(0, whole.size(), size)]
    return new_subgroups_by_enumeration(ranks, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: "timedelta | None" = None,
    backend: "str | None" = None,
    pg_options: Any = None,
    group_desc: "str | None" = None,
) -> "tuple[Any, list[Any]]":
    """Make a group of each list of ranks.

    Returns:
        The group of this process (None if it is not in any), and all groups.

    Raises:
        ValueError: a rank is in two groups, or there is no group.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if len(set(seen)) != len(seen):
        raise ValueError("a rank is in two subgroups")
    mine, groups = None, []
    for ranks in ranks_per_subgroup_list:
        made = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        groups.append(made)
        if get_rank() in ranks:
            mine = made
    return mine, groups


def destroy_process_group(group: Any = None) -> None:
    """End a group, by default the default one, and with it all others.

    Raises:
        ValueError: the group does not exist.

    >>> torch.distributed.init_process_group(store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> torch.distributed.destroy_process_group()
    >>> torch.distributed.is_initialized()
    False
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    found = group_of(group)
    if found is None or found.group_name not in world.groups:
        raise ValueError("Invalid process group specified")
    ending = list(world.groups.values()) if found is world.default else [found]
    for one in reversed(ending):
        one.close()
        del world.groups[one.group_name]
    if found is world.default:
        world.default = GroupMember.WORLD = None


# --- ranks and groups -----------------------------------------------------------------------------------------------


def is_initialized() -> bool:
    """Return True if there is a default group.

    >>> torch.distributed.is_initialized()
    False
    """
    return world.default is not None


def get_rank(group: Any = None) -> int:
    """The rank of this process in a group; -1 if it is not in it.

    Raises:
        ValueError: `init_process_group` has not been called.
    """
    found = group_of(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """Return the number of processes in a group, or -1 if this process is not in it.

    Raises:
        ValueError: `init_process_group` has not been called.
    """
    found = group_of(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """Return the name of a group's backend.

    Raises:
        ValueError: the group does not exist, or this process is not in it.
    """
    found = group_of(group)
    if found is None:
        raise ValueError("Invalid process group specified")
    return Backend(found.backend)


def get_backend_config(group: Any = None) -> str:
    """Return the backends of a group by device.

    Raises:
        ValueError: the group does not exist, or this process is not in it.
    """
    return repr(BackendConfig(get_backend(group)))


def get_default_backend_for_device(device: Any) -> str:
    """``"gloo"`` for the CPU.

    Raises:
        ValueError: it is another device.

    >>> torch.distributed.get_default_backend_for_device("cpu")
    'gloo'
    """
    if str(device).partition(":")[0] != "cpu":
        raise ValueError(f"Default backend not registered for device : {device}")
    return "gloo"


def get_group_rank(group: Any, global_rank: int) -> int:
    """Return the rank in a group of the process with a global rank.

    Raises:
        ValueError: it is not in the group, or the group does not exist.
    """
    found = group_of(group) if group is not GroupMember.WORLD else default_group()
    if found is None:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if global_rank not in found.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return found.ranks.index(global_rank)


def get_global_rank(group: Any, group_rank: int) -> int:
    """Return the global rank of the process with a rank in a group.

    Raises:
        ValueError: the rank or the group does not exist.
    """
    found = group_of(group)
    if found is None:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if not 0 <= group_rank < found.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return found.ranks[group_rank]


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The ranks among all processes of a group's members.

    Raises:
        ValueError: `init_process_group` has not been called.
    """
    found = group_of(group)
    return [] if found is None else list(found.ranks)


def get_node_local_rank(fallback_rank: "int | None" = None) -> int:
    """Return the rank of this process on its host: ``LOCAL_RANK`` of the environment.

    Raises:
        RuntimeError: the variable is not set, and there is no `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow it")
    return fallback_rank


def get_pg_count() -> int:
    """Return the number of groups."""
    return len(world.groups)


process_groups.default = lambda: world.default
