"""``torch.distributed.device_mesh``: not built."""

from flambeau.distributed import DeviceMesh as DeviceMesh
from flambeau.distributed import init_device_mesh as init_device_mesh
