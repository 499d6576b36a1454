"""``torch.autocast``: operators that take most of the time compute in a smaller dtype, and some only in float32.

The arguments are cast by a mode that overrides functions, so code outside ``with torch.autocast`` has no overhead.
"""

import threading
import warnings
from collections.abc import Callable
from functools import cache, wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

import flambeau_tensor as torch
from flambeau_autograd.checkpoint import keep_for_second_run
from flambeau_autograd.pytree import tree_map
from flambeau_overrides import TorchFunctionMode
from flambeau_overrides.modes import Guarded, _get_current_function_mode_stack
from flambeau_tensor.extend import find_operator

F = TypeVar("F", bound=Callable[..., Any])

# Operators by the dtype to which their arguments are cast: the autocast dtype, or float32.
LOWER = """
    matmul mm bmm addmm addbmm baddbmm einsum chain_matmul inner tensordot linalg.vecdot linalg.multi_dot linalg.matmul
    nn.functional.linear nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d
    nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.conv_tbc
    nn.functional.scaled_dot_product_attention conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    nn.functional.multi_head_attention_forward nn.functional.prelu lstm rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell
""".split()
FLOAT32 = """
    cdist cholesky cholesky_inverse cholesky_solve geqrf inverse lu_solve nanquantile orgqr ormqr pinverse polar prod qr
    quantile stft svd trace triangular_solve view_as_complex
    nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d nn.functional.avg_pool3d
    nn.functional.max_pool3d nn.functional.grid_sample nn.functional.fractional_max_pool2d
    nn.functional.fractional_max_pool3d
    nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d
    nn.functional.linear_cross_entropy nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits
    nn.functional.cosine_embedding_loss nn.functional.cross_entropy nn.functional.ctc_loss
    nn.functional.hinge_embedding_loss nn.functional.huber_loss nn.functional.kl_div nn.functional.l1_loss
    nn.functional.margin_ranking_loss nn.functional.mse_loss nn.functional.multi_margin_loss
    nn.functional.multilabel_margin_loss nn.functional.nll_loss nn.functional.poisson_nll_loss
    nn.functional.smooth_l1_loss nn.functional.soft_margin_loss nn.functional.triplet_margin_loss
    fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfft2 fft.irfft2 fft.rfftn fft.irfftn
    fft.hfft fft.ihfft
    linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve
    linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
""".split()
LIKE_INPUT = "gru gru_cell lstm_cell".split()  # their weights and states are cast to the dtype of a smaller input
DEVICES = {
    "cpu": torch.bfloat16,
    "cuda": torch.float16,
    "xpu": torch.float16,
    "mps": torch.float16,
    "hpu": torch.bfloat16,
    "xla": torch.bfloat16,
    "mtia": torch.bfloat16,
    "ipu": torch.float16,
    "meta": torch.float16,
}
_SMALLER = (torch.float16, torch.bfloat16)
_LOWERED = (torch.float32, *_SMALLER)


class _State(threading.local):
    """The autocast state of a thread, by device: whether it is on, and the dtype."""

    def __init__(self):
        self.enabled = {}
        self.dtypes = {}
        self.cache_enabled = True


_state = _State()


def is_autocast_available(device_type: str) -> bool:
    """Return True if autocasting is available for a device, which is the CPU only.

    Raises:
        RuntimeError: the device type is unknown.

    >>> is_autocast_available("cpu"), is_autocast_available("cuda")
    (True, False)
    """
    torch.device(device_type)
    return device_type == "cpu"


def _known(device_type: str) -> str:
    """Return the device type; raise a RuntimeError if neither flambeau nor PyTorch has a device of that name."""
    if device_type not in DEVICES:
        torch.device(device_type)
    return device_type


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return True if autocasting is on in this thread; without an argument, for CUDA, which is never available.

    Raises:
        RuntimeError: the device type is unknown.

    >>> with torch.autocast("cpu"):
    ...     print(is_autocast_enabled("cpu"))
    True
    >>> is_autocast_enabled("cpu")
    False
    """
    return _state.enabled.get(_known(device_type), False)


def is_autocast_cpu_enabled() -> bool:
    """Return True if autocasting is on in this thread for the CPU.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     print(is_autocast_cpu_enabled())
    False
    """
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> torch.dtype:
    """The dtype of computations under autocast.

    Raises:
        RuntimeError: the device type is unknown.

    >>> get_autocast_dtype("cpu")
    torch.bfloat16
    """
    found = _state.dtypes.get(_known(device_type)) or DEVICES.get(device_type)
    if found is None:
        raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
    return found


def get_autocast_cpu_dtype() -> torch.dtype:
    """``get_autocast_dtype("cpu")``.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     print(get_autocast_cpu_dtype())
    torch.bfloat16
    """
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> torch.dtype:
    """``get_autocast_dtype("cuda")``.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     print(get_autocast_gpu_dtype())
    torch.float16
    """
    return get_autocast_dtype("cuda")


def set_autocast_dtype(device_type: str, dtype: torch.dtype) -> None:
    """Set the dtype of computations under autocast.

    Raises:
        RuntimeError: the device type is unknown.
        TypeError: the argument is not a dtype.

    >>> set_autocast_dtype("cpu", torch.bfloat16)
    """
    if not isinstance(dtype, torch.dtype):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}"
        )
    _state.dtypes[_known(device_type)] = dtype


def is_autocast_cache_enabled() -> bool:
    """Return the setting of ``cache_enabled``. It has no effect, as casts are not cached.

    >>> is_autocast_cache_enabled()
    True
    """
    return _state.cache_enabled


@cache
def _casts():
    """Every function and method that is cast -> whether to the smaller dtype; None: to the input's."""
    from importlib import import_module

    found = {}
    for names, lower in ((LOWER, True), (FLOAT32, False), (LIKE_INPUT, None)):
        for name in names:
            place, _, short = name.rpartition(".")
            owners = [import_module("flambeau" + (place and f".{place}"))] if place != "fft" else []
            if place == "fft":
                try:
                    owners = [import_module("flambeau.fft")]
                except ModuleNotFoundError:
                    continue
            if not place:
                owners.append(torch.Tensor)
            for owner in owners:
                function = getattr(owner, short, None)
                if function is not None:
                    found[function] = lower
    for name in ("__matmul__", "__rmatmul__"):
        found[getattr(torch.Tensor, name)] = True
    for name in ("torch.matmul", "torch.mm", "torch.bmm", "torch.addmm"):
        found[find_operator(name)] = True
    return found


def _kernel(func):
    """Return the kernel that a user has registered for an operator under autocast."""
    given = getattr(getattr(func, "target", func), "library", None)
    return None if given is None else given.by_key.get("AutocastCPU")


class _Casting(TorchFunctionMode):
    """A mode that casts the arguments of the listed functions."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not _state.enabled.get("cpu"):
            return func(*args, **kwargs)
        lower = _casts().get(func, ...)
        if lower is ... and (kernel := _kernel(func)) is not None:
            return kernel(*args, **kwargs)
        if lower is ... or kwargs.get("out") is not None:  # as in PyTorch, a call with `out` is not cast
            return func(*args, **kwargs)
        if lower is None:
            dtype, from_ = args[0].dtype, _LOWERED
            if dtype not in _SMALLER:
                return func(*args, **kwargs)
        else:
            dtype = (_state.dtypes.get("cpu") or torch.bfloat16) if lower else torch.float32
            from_ = _LOWERED if lower else _SMALLER

        def cast(x):
            if isinstance(x, torch.Tensor):
                given = x.dtype
                return x.to(dtype) if given is not dtype and given in from_ else x
            return tree_map(cast, x) if isinstance(x, (tuple, list, dict)) else x

        args = [cast(x) for x in args]
        return func(*args, **{name: cast(x) for name, x in kwargs.items()}) if kwargs else func(*args)


def _as_now() -> Callable[[], "autocast"]:
    enabled, dtype, cached = _state.enabled.get("cpu", False), get_autocast_dtype("cpu"), _state.cache_enabled
    return lambda: autocast("cpu", dtype, enabled, cached)


keep_for_second_run(_as_now)


class autocast(Guarded):  # noqa: N801
    """A context or decorator in which matrix products, linear layers and convolutions use a smaller dtype.

    Args:
        device_type: ``"cpu"``; other devices have no effect.
        dtype: bfloat16 (the default) or float16.
        enabled: False disables autocast within the block.
        cache_enabled: has no effect; casts of parameters are not cached.

    Raises:
        RuntimeError: the device type is unknown.

    >>> with autocast("cpu"):
    ...     y = torch.ones(2, 2) @ torch.ones(2, 2)
    >>> y.dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: torch.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and device_type == "cpu" and self.fast_dtype not in _SMALLER:
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
                "only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._cache_enabled = _state.cache_enabled if cache_enabled is None else cache_enabled
        self._entered: list[Any] = []

    def _enter(self) -> tuple[Any, ...]:
        mode = _Casting() if self._enabled and self.device == "cpu" else None
        before = _state.enabled.get(self.device, False), _state.dtypes.get(self.device), _state.cache_enabled, mode
        try:
            _state.enabled[self.device] = self._enabled
            _state.dtypes[self.device] = self.fast_dtype
            _state.cache_enabled = self._cache_enabled
            if mode is not None:
                mode.__enter__()
            return before
        except BaseException:  # an interrupt, too, because a block that was not entered is not exited
            self._leave(before)
            raise

    def _leave(self, before: tuple[Any, ...]) -> None:
        enabled, dtype, cache_enabled, mode = before
        if mode is not None and mode in _get_current_function_mode_stack():
            mode.__exit__(None, None, None)
        self._restore(enabled, dtype, cache_enabled)

    def _restore(self, enabled: bool, dtype: torch.dtype | None, cache_enabled: bool) -> None:
        _state.enabled[self.device], _state.cache_enabled = enabled, cache_enabled
        if dtype is None:
            _state.dtypes.pop(self.device, None)
        else:
            _state.dtypes[self.device] = dtype

    def __call__(self, func: F) -> F:
        if iscoroutinefunction(func):

            @wraps(func)
            async def decorated(*args, **kwargs):
                with self:
                    return await func(*args, **kwargs)
        else:

            @wraps(func)
            def decorated(*args, **kwargs):
                with self:
                    return func(*args, **kwargs)

        return cast(F, decorated)


def _check_name(device_type: object) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, device_type: str, dtype: torch.dtype) -> Any:
    """Return `value` with floating point tensors cast to `dtype`, except float64 ones and those on other devices."""

    def cast(x):
        eligible = isinstance(x, torch.Tensor) and x.is_floating_point() and x.dtype is not torch.float64
        return x.to(dtype) if eligible and x.device.type == device_type else x

    return tree_map(cast, value)


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: torch.dtype | None = None
) -> Callable[..., Any]:
    """A decorator for the ``forward`` of a `torch.autograd.Function`: backward then casts as forward did.

    Args:
        fwd: the function.
        device_type: the device type of the autocasting.
        cast_inputs: the dtype to which floating point tensors among the arguments are cast under autocast, which is
            then off in ``forward``.

    Raises:
        ValueError: ``device_type`` is not a text.

    >>> class Half(torch.autograd.Function):
    ...     @staticmethod
    ...     @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, x):
    ...         return x / 2
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         return grad / 2
    >>> with torch.autocast("cpu"):
    ...     print(Half.apply(torch.ones(1, dtype=torch.bfloat16)).dtype)
    torch.float32
    """
    _check_name(device_type)
    if fwd is None:
        return lambda fwd: custom_fwd(fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorated(*args, **kwargs):
        ctx, on = args[0], is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)

        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator for the ``backward`` that belongs to a ``forward`` with `custom_fwd`.

    Raises:
        ValueError: ``device_type`` is not a text.

    >>> class Half(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return x / 2
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         return grad / 2
    >>> x = torch.ones(1, requires_grad=True)
    >>> Half.apply(x).backward()
    >>> x.grad
    tensor([0.5000])
    """
    _check_name(device_type)
    if bwd is None:
        return lambda bwd: custom_bwd(bwd, device_type=device_type)

    @wraps(bwd)
    def decorated(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorated
