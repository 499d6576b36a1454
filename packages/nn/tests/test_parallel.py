"""What is for several devices, on one."""

from collections import namedtuple

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn import parallel
from flambeau_nn.parallel.scatter_gather import is_namedtuple, scatter_kwargs


def test_the_module_itself_runs():
    model = nn.Linear(2, 3)
    x = ft.ones(4, 2)
    assert parallel.DataParallel(model)(x).equal(model(x)) and parallel.data_parallel(model, x).equal(model(x))
    assert parallel.DataParallel is nn.DataParallel
    assert list(nn.DataParallel(model).state_dict()) == ["module.weight", "module.bias"]
    first, second = parallel.parallel_apply([model, nn.Identity()], [x, (x,)])
    assert first.equal(model(x)) and second is x
    with pytest.raises(ValueError, match="2 modules, 1 inputs"):
        parallel.parallel_apply([model, model], [x])


def test_what_needs_devices_says_so():
    x = ft.ones(4, 2)
    assert parallel.scatter(3, [0, 1]) == [3, 3] and scatter_kwargs((1,), None, [0]) == (((1,),), ({},))
    with pytest.raises(RuntimeError, match="no devices beside the CPU"):
        parallel.scatter({"a": [x]}, [0, 1])
    with pytest.raises(AssertionError, match="Gather function not implemented for CPU tensors"):
        parallel.gather([x], 0)
    with pytest.raises(AssertionError, match="Broadcast function not implemented for CPU tensors"):
        parallel.replicate(nn.Linear(1, 1), [0])
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        parallel.DistributedDataParallel(nn.Linear(1, 1))
    assert not isinstance(nn.Linear(1, 1), parallel.DistributedDataParallel)
    assert is_namedtuple(namedtuple("P", "x")(1)) and not is_namedtuple((1,))


def test_replicas_share_all_but_parameters():
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    module.register_buffer("kept", ft.ones(1))
    replica = module._replicate_for_data_parallel()
    assert type(replica) is nn.Sequential and replica[0] is module[0] and replica.kept is module.kept
    assert replica._is_replica and replica._modules is not module._modules
    layer = module[0]._replicate_for_data_parallel()
    assert not hasattr(layer, "weight") and len(list(module[0].parameters())) == 2
