"""``torch._inductor``: the settings of PyTorch's code generator, which programs set."""

from flambeau._inductor import config as config
