"""Shared by modules of absent devices: queries answer "none", and functions that need a device raise an error."""

from collections import OrderedDict

from flambeau_tensor import device as Device

NOTHING = ("empty_cache", "manual_seed", "manual_seed_all", "seed", "seed_all")
ZERO = ("device_count", "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
FALSE = ("is_available", "is_bf16_supported", "is_initialized", "is_tf32_supported")
ABSENT = (
    "can_device_access_peer",
    "clock_rate",
    "current_device",
    "current_stream",
    "device_memory_used",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_per_process_memory_fraction",
    "get_rng_state",
    "get_stream_from_external",
    "graph_pool_handle",
    "init",
    "initial_seed",
    "is_current_stream_capturing",
    "make_graphed_callables",
    "mem_get_info",
    "memory_snapshot",
    "memory_usage",
    "power_draw",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_stream",
    "synchronize",
    "temperature",
    "utilization",
)


def _function(place, name, answer, doc):
    def function(*args, **kwargs):
        return answer() if callable(answer) else answer

    function.__name__ = function.__qualname__ = name
    function.__module__ = place
    function.__doc__ = doc
    return function


def absent(place: str, names, label: str) -> dict:
    """Return functions that raise an error about the missing device: ``{"synchronize": function, ...}``."""

    def refuse():
        raise AssertionError(f"Torch not compiled with {label} enabled")

    return {
        name: _function(place, name, refuse, f"Raises an AssertionError: there is no {label} device.") for name in names
    }


def _classes(place, label):
    def refuse(self, *args, **kwargs):
        raise RuntimeError(f"{place.replace('flambeau', 'torch', 1)}.{type(self).__name__} requires {label} support")

    out = {
        name: type(name, (), {"__init__": refuse, "__module__": place, "__doc__": f"Raises: there is no {label}."})
        for name in ("Event", "Stream", "MemPool")
    }

    class device:
        """A ``with`` block on another device: nothing for the index -1 or None, and an error otherwise."""

        def __init__(self, device):
            self.idx = -1 if device is None else device if isinstance(device, int) else Device(device).index or 0

        def __enter__(self):
            if self.idx >= 0:
                raise RuntimeError(f"PyTorch was compiled without {label} support")

        def __exit__(self, kind, value, traceback):
            return False

    class device_of(device):
        """A ``with`` block on the device of a tensor; nothing for one on the CPU."""

        def __init__(self, obj):
            super().__init__(-1)

    class StreamContext:
        """A context for a stream; None means no stream."""

        def __init__(self, stream):
            if stream is not None:
                raise RuntimeError(f"{place}.stream requires {label} support")
            self.stream = stream

        def __enter__(self):
            return None

        def __exit__(self, kind, value, traceback):
            return False

    for cls in (device, device_of, StreamContext):
        cls.__module__, cls.__qualname__ = place, cls.__name__
        out[cls.__name__] = cls
    return out


def device_module(place: str, label: str) -> dict:
    """Return the functions of ``torch.cuda`` and similar modules for an unsupported device."""
    out = {name: _function(place, name, None, "Does nothing: the device is not supported.") for name in NOTHING}
    out |= {name: _function(place, name, 0, "0: the device is not supported.") for name in ZERO}
    out |= {name: _function(place, name, False, "False: the device is not supported.") for name in FALSE}
    out |= absent(place, ABSENT, label)
    out |= _classes(place, label)
    out["set_device"] = _set_device(place, label)
    out["stream"] = out["StreamContext"]
    out["default_generators"] = ()
    out["get_arch_list"] = _function(place, "get_arch_list", list, "An empty list.")
    out["get_gencode_flags"] = _function(place, "get_gencode_flags", str, "An empty string.")
    out["get_rng_state_all"] = _function(place, "get_rng_state_all", list, "An empty list.")
    out["memory_stats"] = _function(place, "memory_stats", OrderedDict, "An empty dict.")
    out["memory_stats_as_nested_dict"] = _function(place, "memory_stats_as_nested_dict", dict, "An empty dict.")
    out["set_rng_state_all"] = _set_rng_state_all
    return out


def _set_device(place, label):
    def set_device(device):
        """Nothing for a negative index; otherwise an error, as the device is not supported."""
        if not isinstance(device, int) or device >= 0:
            raise AssertionError(f"Torch not compiled with {label} enabled")

    set_device.__module__ = place
    return set_device


def _set_rng_state_all(new_states):
    """Do nothing for an empty list of states; there is no device that could have one."""
    if len(new_states):
        raise RuntimeError("set_rng_state_all(): there are no such devices")
