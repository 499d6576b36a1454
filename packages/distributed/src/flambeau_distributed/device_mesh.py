"""``torch.distributed.device_mesh``: not built."""

from flambeau_distributed import DeviceMesh as DeviceMesh
from flambeau_distributed import init_device_mesh as init_device_mesh
