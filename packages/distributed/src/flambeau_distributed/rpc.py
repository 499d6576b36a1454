"""``torch.distributed.rpc``: calls to other processes, which are not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function


def is_available() -> bool:
    """False."""
    return False


for _name in ("get_worker_info", "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown"):
    globals()[_name] = _function(f"rpc.{_name}")
for _name in ("BackendType", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo"):
    globals()[_name] = _class(f"rpc.{_name}")
