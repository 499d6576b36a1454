"""``torch._subclasses``: fake tensors, which have sizes and no elements."""

from flambeau._subclasses.fake_tensor import FakeTensor as FakeTensor
from flambeau._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
from flambeau._subclasses.fake_tensor import UnsupportedFakeTensorException as UnsupportedFakeTensorException
