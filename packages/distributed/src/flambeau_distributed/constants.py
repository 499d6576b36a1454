"""``torch.distributed.constants``."""

from flambeau_distributed.reduce_op import default_pg_timeout as default_pg_timeout

default_pg_nccl_timeout = None
