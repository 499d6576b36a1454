"""Switches, and the default device; PyTorch's rules as literals (2.13, CPU)."""

import threading

import pytest

import flambeau_tensor as ft
from flambeau_tensor.default_device import _FACTORIES


def test_determinism():
    assert not ft.are_deterministic_algorithms_enabled() and ft.get_deterministic_debug_mode() == 0
    try:
        ft.use_deterministic_algorithms(True, warn_only=True)
        assert ft.are_deterministic_algorithms_enabled() and ft.is_deterministic_algorithms_warn_only_enabled()
        for given, number in (("error", 2), (1, 1), ("default", 0), (2, 2), ("warn", 1)):
            ft.set_deterministic_debug_mode(given)
            assert ft.get_deterministic_debug_mode() == number
    finally:
        ft.use_deterministic_algorithms(False)


def test_the_rest():
    assert ft.get_float32_matmul_precision() == "highest" and not ft.is_warn_always_enabled()
    assert ft.get_num_interop_threads() >= 1
    try:
        ft.set_float32_matmul_precision("high")
        assert ft.get_float32_matmul_precision() == "high"
        with pytest.warns(UserWarning, match="x is not one of 'highest', 'high', or 'medium'"):
            ft.set_float32_matmul_precision("x")
        ft.set_warn_always(True)
        assert ft.is_warn_always_enabled()
        ft.set_num_interop_threads(3)
        assert ft.get_num_interop_threads() == 3
    finally:
        ft.set_float32_matmul_precision("highest")
        ft.set_warn_always(False)


def test_denormal_numbers():
    """The setting applies to every thread of the computation, and to no others."""
    x = ft.full((400_000,), 1e-310, dtype=ft.float64)
    if not ft.set_flush_denormal(True):
        pytest.skip("this processor cannot")
    try:
        assert (x * 1).sum() == 0 and int(((x + x) != 0).sum()) == 0
        elsewhere = []
        other = threading.Thread(target=lambda: elsewhere.append((x[:10] * 1)[0].item()))
        other.start()
        other.join()
        assert elsewhere == [1e-310]
    finally:
        assert ft.set_flush_denormal(False)
    assert ((x * 1) == 1e-310).all()


SIZES = {
    "arange": (3,),
    "as_tensor": ([1],),
    "asarray": ([1],),
    "empty_strided": ((1,), (1,)),
    "eye": (2,),
    "empty_permuted": ((1,), (0,)),
    "full": ((1,), 2),
    "linspace": (0, 1, 2),
    "logspace": (0, 1, 2),
    "randint": (3, (1,)),
    "randperm": (3,),
    "range": (0, 2),
    "tensor": ([1],),
    "tril_indices": (2, 2),
    "triu_indices": (2, 2),
}


@pytest.mark.parametrize("name", [name for name in _FACTORIES if hasattr(ft, name)])
def test_factories_take_the_default_device(name):
    factory, arguments = getattr(ft, name), SIZES.get(name, (2,))
    with ft.device("cuda"):
        with pytest.raises(AssertionError, match="not compiled with CUDA"):
            factory(*arguments)
        factory(*arguments, device="cpu")
        with ft.device("cpu"):
            factory(*arguments)
    factory(*arguments)


def test_default_device():
    assert ft.get_default_device() == ft.device("cpu")
    try:
        ft.set_default_device("cuda:1")
        assert ft.get_default_device() == ft.device("cuda", 1)
        with pytest.raises(AssertionError, match="not compiled with CUDA"):
            ft.zeros(2)
        seen = []
        other = threading.Thread(target=lambda: seen.append(ft.zeros(1).item()))  # a thread has its own setting
        other.start()
        other.join()
        assert seen == [0]
        with ft.device("cpu") as inner:
            assert ft.get_default_device() == inner and ft.ones(2).sum() == 2
        ft.set_default_device("cpu")
        assert ft.zeros(2).shape == (2,)
    finally:
        ft.set_default_device(None)
    assert ft.get_default_device() == ft.device("cpu")


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: ft.use_deterministic_algorithms(3),
            TypeError,
            r"argument 'mode' \(position 1\) must be bool, not int",
        ),
        (
            lambda: ft.set_deterministic_debug_mode("x"),
            RuntimeError,
            "expected one of `default`, `warn`, `error`, but got",
        ),
        (lambda: ft.set_deterministic_debug_mode(5), RuntimeError, "expected 0, 1, or 2, but got 5"),
        (
            lambda: ft.set_deterministic_debug_mode(1.5),
            TypeError,
            "debug_mode must be str or int, but got <class 'float'>",
        ),
        (lambda: ft.set_flush_denormal(1), RuntimeError, "flush_denormal expects a bool, but got int"),
        (lambda: ft.set_warn_always(1), RuntimeError, "setWarnOnlyOnce expects a bool, but got int"),
        (lambda: ft.set_num_interop_threads(0), RuntimeError, "set_num_interop_threads expects a positive integer"),
        (lambda: ft.set_num_interop_threads("a"), RuntimeError, "set_num_interop_threads expects an int, but got str"),
        (lambda: ft.set_default_device("foo"), RuntimeError, "Expected one of cpu"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
