"""``torch._subclasses``: PyTorch's own subclasses of Tensor, which programs ask for. Nothing here is one of them.

Tensors that have sizes and no elements lie on device ``'meta'``.
"""

from flambeau._subclasses.fake_tensor import FakeTensor as FakeTensor
from flambeau._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
