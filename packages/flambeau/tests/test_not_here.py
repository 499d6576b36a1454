"""Modules for what is not here: they answer in the way in which programs ask, and raise what PyTorch does."""

import importlib

import pytest

import flambeau as torch
from flambeau.torch_version import TorchVersion
from flambeau_tensor.not_built import NotBuiltError, names_of_pytorch


@pytest.mark.parametrize("name", ["cuda", "xpu"])
def test_devices_that_are_not_here(name):
    module = importlib.import_module(f"flambeau.{name}")
    assert not module.is_available() and not module.is_initialized() and module.device_count() == 0
    assert module.manual_seed(3) is module.manual_seed_all(3) is module.empty_cache() is None
    assert module.memory_allocated() == module.max_memory_allocated() == 0 and module.memory_stats() == {}
    assert module.get_rng_state_all() == [] and module.set_rng_state_all([]) is None
    for function in (
        "synchronize",
        "current_device",
        "get_device_name",
        "get_device_properties",
        "current_stream",
        "reset_peak_memory_stats",
        "mem_get_info",
        "init",
    ):
        with pytest.raises(AssertionError, match=f"^Torch not compiled with {name.upper()} enabled$"):
            getattr(module, function)()
    with pytest.raises(AssertionError):
        module.set_device(0)
    assert module.set_device(-1) is None
    with pytest.raises(RuntimeError, match=f"torch.{name}.Stream requires {name.upper()} support"):
        module.Stream()
    with module.device(-1), module.device(None), module.stream(None), module.device_of(torch.ones(1)):
        pass
    with pytest.raises(RuntimeError, match="compiled without"), module.device(f"{name}:0"):
        pass
    with pytest.raises(NotBuiltError, match=f"torch.{name}.tunable is not built"):
        module.tunable  # noqa: B018


def test_types_of_tensors_on_cuda():
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    with pytest.raises(TypeError, match="type torch.cuda.FloatTensor not available. Torch not compiled with CUDA"):
        torch.cuda.FloatTensor(1)
    with pytest.raises(RuntimeError, match="NVTX"):
        torch.cuda.nvtx.range_push("x")
    decorated = torch.cuda.nvtx.range("x")(len)  # packages do this at import
    with pytest.raises(RuntimeError, match="NVTX"):
        decorated([])


def test_other_devices():
    assert not torch.mps.is_available() and not torch.mtia.is_available() and torch.mps.manual_seed(1) is None
    with pytest.raises(RuntimeError, match=r"^Cannot execute deviceSynchronize\(\) without MPS backend.$"):
        torch.mps.synchronize()
    assert torch.accelerator.current_accelerator() is None and not torch.accelerator.is_available()
    with pytest.raises(RuntimeError, match="^Cannot access accelerator device when none is available.$"):
        torch.accelerator.synchronize()
    assert torch.cpu.is_available() and torch.cpu.device_count() == 1 and torch.cpu.synchronize() is None
    with torch.cpu.stream(torch.cpu.Stream()):
        assert isinstance(torch.cpu.current_stream(), torch.cpu.Stream)


@pytest.mark.parametrize("name", importlib.import_module("flambeau.backends").MODULES)
def test_backends(name):
    module = getattr(torch.backends, name)
    assert module is importlib.import_module(f"flambeau.backends.{name}")
    assert not getattr(module, "is_available", bool)() or name == "opt_einsum"  # which may be installed


def test_switches_of_backends_are_kept():
    with getattr(torch.backends, "__allow_nonbracketed_mutation")():  # noqa: B009
        pass
    cudnn = torch.backends.cudnn
    assert cudnn.enabled and not cudnn.benchmark and not cudnn.deterministic and cudnn.version() is None
    with cudnn.flags(enabled=False, deterministic=True):
        assert cudnn.deterministic and not cudnn.enabled
    assert not cudnn.deterministic and cudnn.enabled
    assert cudnn.set_flags(_benchmark=True)[:2] == (True, False) and cudnn.benchmark
    cudnn.benchmark = False
    with torch.backends.cuda.sdp_kernel(enable_flash=False):
        assert not torch.backends.cuda.flash_sdp_enabled() and torch.backends.cuda.math_sdp_enabled()
    assert torch.backends.cuda.flash_sdp_enabled() and torch.backends.cpu.get_cpu_capability() in (
        "AVX512",
        "AVX2",
        "DEFAULT",
    )


def test_distributed():
    dist = torch.distributed
    assert dist.is_available() and not dist.is_initialized() and not dist.is_nccl_available()
    for name in ("get_rank", "get_world_size", "barrier"):
        with pytest.raises(ValueError, match="^Default process group has not been initialized"):
            getattr(dist, name)()
    with pytest.raises(ValueError, match="^Default process group has not been initialized"):
        dist.all_reduce(torch.ones(1))
    with pytest.raises(RuntimeError, match="doesn't have NCCL built in: the backends are gloo and mpi"):
        dist.init_process_group("nccl")
    with pytest.raises(NotBuiltError, match="torch.distributed.fsdp.MixedPrecisionPolicy is not built"):
        dist.fsdp.MixedPrecisionPolicy()
    for name in (
        "rpc.init_rpc",
        "optim.ZeroRedundancyOptimizer",
        "tensor.DTensor",
        "init_device_mesh",
        "pipelining.Pipe",
    ):
        module, _, last = name.rpartition(".")
        with pytest.raises(NotBuiltError, match=f"torch.distributed.{name} is not built"):
            getattr(importlib.import_module(f"flambeau.distributed.{module}".rstrip(".")), last)()
    assert not isinstance(1, dist.ProcessGroup) and dist.ReduceOp.SUM.name == "SUM" and dist.group.WORLD is None
    assert importlib.import_module("flambeau.distributed.nn").all_reduce.__name__ == "all_reduce"
    assert dist.distributed_c10d.ReduceOp is dist.ReduceOp


def test_versions():
    assert torch.__version__ is torch.version.__version__ and isinstance(torch.__version__, str)
    assert torch.__version__ >= "2.13" and torch.__version__ > (1, 8) and torch.__version__ < "2.14"
    assert torch.__version__.startswith("2.13.0+flambeau.") and torch.version.cuda is torch.version.hip is None
    ordered = ["1.8", "1.13.1", "2.0.0a1", "2.0.0rc1", "2", "2.0.0+cpu", "2.0.post1", "2.0.1", "10.0"]
    versions = list(map(TorchVersion, ordered))
    assert sorted(versions, reverse=True) == versions[::-1]
    assert TorchVersion("2.0") == "2.0.0" != TorchVersion("2.0.1") and TorchVersion("2.0") >= (2, 0)
    assert "NumPy" in torch.__config__.show() and "threads" in torch.__config__.parallel_info()


def test_every_missing_name_says_so_in_one_way():
    """Modules, classes and their attributes alike: the error names it, and `hasattr` is False."""
    wrong = []
    for place, names in names_of_pytorch().items():
        owner = torch
        for part in place.split(".")[1:]:
            owner = getattr(owner, part)
        for name in sorted(names):
            if hasattr(owner, name):
                continue
            try:
                getattr(owner, name)
            except NotBuiltError as e:
                if not str(e).startswith(f"{place}.{name} is not built"):
                    wrong.append(str(e))
            except Exception as e:
                wrong.append(f"{place}.{name}: {e!r}")
    assert not wrong


def test_every_placeholder_says_what_it_is():
    for name in ("cuda", "xpu", "mps", "accelerator", "distributed", "jit", "compiler", "_dynamo", "onnx", "profiler"):
        module = importlib.import_module(f"flambeau.{name}")
        with pytest.raises(NotBuiltError, match=rf"^torch.{name}.nonsense is not built"):
            module.nonsense  # noqa: B018
        assert not hasattr(module, "__wrapped__")
    assert not torch.onnx.is_in_onnx_export()
