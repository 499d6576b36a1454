"""Recurrent layers and their cells. Compiled as it is (see CMakeLists.txt)."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as ft
from flambeau_nn import init
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_nn.utils.rnn import PackedSequence
from flambeau_overrides.modes import _get_current_function_mode_stack
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.extend import find_operator
from flambeau_tensor.options import Device

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_RUN = {mode: find_operator(f"torch.{mode.lower()}") for mode in _GATES}


def _check_type(name: str, value: object, wanted: type) -> None:
    if not isinstance(value, wanted):
        raise TypeError(f"{name} should be of type {wanted.__name__}, got: {type(value).__name__}")


def _apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Return the examples of a batch in another order."""
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The old name of ``index_select``."""
    warnings.warn(
        "apply_permutation is deprecated, please use tensor.index_select(dim, permutation) instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


class RNNBase(Module):
    """Base class of recurrent layers.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input_size: the size of an element of a sequence.
        hidden_size: the size of the state.
        num_layers: the number of layers; each runs on the output of the previous one.
        bias: whether there are biases.
        batch_first: whether batches are (batch, time, size) instead of (time, batch, size).
        dropout: the probability of dropout after every layer but the last.
        bidirectional: whether each layer also runs backwards; the outputs are concatenated.
        proj_size: the size to which an LSTM projects its state; 0 for no projection.

    Shape:
        those of :class:`RNN`

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0: parameters of the first layer, for all gates; the suffix
            `_reverse` marks those of the backward direction. All are initially uniform in ±1/sqrt(hidden_size).

    Raises:
        ValueError: the mode does not exist, a size is not positive, or ``dropout`` is not between 0 and 1.

    >>> RNNBase("GRU", 3, 4)(torch.ones(5, 1, 3))[0].shape
    torch.Size([5, 1, 4])
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        _check_type("bias", bias, bool)
        _check_type("batch_first", batch_first, bool)
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            _check_type(name, size, int)
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        width, out, directions = _GATES[mode] * hidden_size, proj_size or hidden_size, 2 if bidirectional else 1
        self._all_weights = []
        for layer in range(num_layers):
            for direction in range(directions):
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (width, input_size if layer == 0 else out * directions),
                    "weight_hh": (width, out),
                }
                if bias:
                    shapes |= {"bias_ih": (width,), "bias_hh": (width,)}
                if proj_size:
                    shapes["weight_hr"] = proj_size, hidden_size
                names = []
                for name, shape in shapes.items():
                    names.append(f"{name}_l{layer}{'_reverse' if direction else ''}")
                    setattr(self, names[-1], Parameter(ft.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Tensor]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights: list[Tensor]) -> None:
        for name, weight in zip(self._flat_weights_names, weights, strict=True):
            if getattr(self, name) is not weight:
                setattr(self, name, weight)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_flat_weights": self._flat_weights}  # as PyTorch reads it

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if name != "_flat_weights"})

    def flatten_parameters(self) -> None:
        """Nothing: it is for GPUs."""

    def reset_parameters(self) -> None:
        """Initialize all weights again."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise unless the layer can run on `input`."""
        weight = getattr(self, self._flat_weights_names[0])
        if input.dtype is not weight.dtype and not _get_current_function_mode_stack():  # as `autocast`, which casts
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert "
                f"input: input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        wanted = 3 if batch_sizes is None else 2
        if input.ndim != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.ndim}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        if batch_sizes is None and input.shape[1 if self.batch_first else 0] == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The size that states have for `input`."""
        batch = input.shape[0 if self.batch_first else 1] if batch_sizes is None else int(batch_sizes[0])
        return (self.num_layers * (2 if self.bidirectional else 1), batch, self.proj_size or self.hidden_size)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The size that cells have for `input`."""
        return (*self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size)

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise unless a state is of the size."""
        if hx.shape != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise unless the layer can run on `input`, with these states."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states of the sequences in another order."""
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def _initial(self, input: Any, batch_sizes: Tensor | None) -> Any:
        return ft.zeros(self.get_expected_hidden_size(input, batch_sizes), dtype=input.dtype, device=input.device)

    def _unbatched(self, hx: Any) -> Any:
        """The given states of a single sequence as those of a batch of it."""
        if hx.ndim != 2:
            raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.ndim}-D tensor")
        return hx.unsqueeze(1)

    def _check_batched(self, hx: Any) -> None:
        if hx.ndim != 3:
            raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {hx.ndim}-D tensor")

    def _single(self, hx: Any) -> Any:
        return hx.squeeze(1)

    _said = ""  # the end of the error for wrong dimensions

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Run over `input`: (time, batch, input_size), (time, input_size) or a PackedSequence; `hx` are the states at
        the start, zeros unless given."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D{self._said} instead"
            )
        single = input.ndim == 2
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if hx is None:
            self.check_input(input, None)
            hx = self._initial(input, None)
        else:
            if single:
                hx = self._unbatched(hx)
            else:
                self._check_batched(hx)
            self.check_forward_args(input, hx, None)
        output, *final = _RUN[self.mode](
            input,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            self.batch_first,
        )
        final = final[0] if len(final) == 1 else tuple(final)
        if single:
            return output.squeeze(0 if self.batch_first else 1), self._single(final)
        return output, final

    def _forward_packed(self, input: Any, hx: Any) -> tuple[PackedSequence, Any]:
        data, batch_sizes, order, back = input
        if hx is None:
            self.check_input(data, batch_sizes)
            hx = self._initial(data, batch_sizes)
        else:
            hx = self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, batch_sizes)
        output, *final = _RUN[self.mode](
            data,
            batch_sizes,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )
        final = final[0] if len(final) == 1 else tuple(final)
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(final, back)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh) over time, or relu with ``nonlinearity="relu"`` (Elman, 1990).

    Arguments are those of :class:`RNNBase`, without ``mode``, and ``nonlinearity`` as the fourth.

    Shape:
        (time, batch, input_size) and states (layers, batch, hidden_size) → (time, batch, hidden_size) and final states

    Raises:
        ValueError: a size is not positive, ``dropout`` is not between 0 and 1, or ``nonlinearity`` neither "tanh" nor
            "relu".
        RuntimeError: sizes of the input or of the first state do not fit.

    >>> import flambeau_tensor as ft
    >>> output, state = RNN(3, 5, num_layers=2)(ft.ones(7, 4, 3))
    >>> output.shape, state.shape
    (torch.Size([7, 4, 5]), torch.Size([2, 4, 5]))
    """

    _said = " tensor"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """A gated recurrent unit over time (Cho et al., 2014): gates are r, z, n, and h = (1 - z) n + z h.

    Arguments are those of :class:`RNNBase`, without ``mode``; shapes are those of :class:`RNN`.

    Shape:
        (L, N, input_size), (N, L, input_size) with ``batch_first``, or (L, input_size) → outputs with
        hidden_size (twice that if bidirectional), and the last states (layers, N, hidden_size)

    Raises:
        ValueError: a size is not positive, or ``dropout`` is not between 0 and 1.
        RuntimeError: sizes of the input or of the first state do not fit.

    >>> output, h = GRU(3, 4, num_layers=2)(torch.ones(5, 1, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory over time (Hochreiter and Schmidhuber, 1997): gates are i, f, g, o, the cells
    c = f c + i g, and h = o tanh(c), which ``proj_size`` projects.

    Arguments are those of :class:`RNNBase`, without ``mode``; shapes are those of :class:`RNN`, but there are two
    states, h and c.

    Shape:
        (L, N, input_size), (N, L, input_size) with ``batch_first``, or (L, input_size) → outputs with
        hidden_size (proj_size, if given; twice that if bidirectional), and a tuple of the last
        h and c, (layers, N, size) each

    Raises:
        ValueError: a size is not positive, ``dropout`` is not between 0 and 1, or ``proj_size`` not below
            ``hidden_size``.
        RuntimeError: sizes of the input or of the first state do not fit.

    >>> output, (h, c) = LSTM(3, 4, batch_first=True)(torch.ones(2, 5, 3))
    >>> output.shape, h.shape, c.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise unless the layer can run on `input`, with these states."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(
            hidden[0], self.get_expected_hidden_size(input, batch_sizes), "Expected hidden[0] size {}, got {}"
        )
        self.check_hidden_size(
            hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}"
        )

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states of the sequences in another order."""
        return hx if permutation is None else tuple(_apply_permutation(h, permutation) for h in hx)

    def _initial(self, input: Any, batch_sizes: Tensor | None) -> Any:
        h = super()._initial(input, batch_sizes)
        if not self.proj_size:
            return h, h
        return h, h.new_zeros(self.get_expected_cell_size(input, batch_sizes))

    def _unbatched(self, hx: Any) -> Any:
        if hx[0].ndim != 2 or hx[1].ndim != 2:
            raise RuntimeError(
                "For unbatched 2-D input, hx and cx should also be 2-D but got "
                f"({hx[0].ndim}-D, {hx[1].ndim}-D) tensors"
            )
        return hx[0].unsqueeze(1), hx[1].unsqueeze(1)

    def _check_batched(self, hx: Any) -> None:
        if hx[0].ndim != 3 or hx[1].ndim != 3:
            raise RuntimeError(
                f"For batched 3-D input, hx and cx should also be 3-D but got ({hx[0].ndim}-D, {hx[1].ndim}-D) tensors"
            )

    def _single(self, hx: Any) -> Any:
        return hx[0].squeeze(1), hx[1].squeeze(1)


# --- single steps ---------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """Base class of cells: the weights of `num_chunks` gates.

    Shape:
        not callable

    Raises:
        RuntimeError: a size is negative.

    >>> RNNCellBase(3, 4, bias=True, num_chunks=4).weight_ih.shape
    torch.Size([16, 3])
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        width = num_chunks * hidden_size
        self.weight_ih = Parameter(ft.empty((width, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(ft.empty((width, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(ft.empty((width,), device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize all weights again."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check(self, input: Tensor, states: Sequence[Tensor], said: str) -> None:
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        for k, h in enumerate(states):
            if h.ndim not in (1, 2):
                raise ValueError(f"{name}: Expected {said.format(k)} to be 1D or 2D, got {h.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")
        for k, h in enumerate(states):
            if h.ndim == input.ndim == 2 and h.shape[0] != input.shape[0]:
                raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden{k} batch size {h.shape[0]}")
            if h.shape[-1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{k} has inconsistent hidden_size: got {h.shape[-1]}, expected {self.hidden_size}"
                )
        if input.dtype is not self.weight_ih.dtype and not _get_current_function_mode_stack():
            names = [t.type().split(".")[-1].removesuffix("Tensor") for t in (input, self.weight_ih)]
            raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {names[0]} and {names[1]}")

    def _step(self, operator: Callable[..., Tensor], input: Tensor, hx: Tensor | None) -> Tensor:
        self._check(input, () if hx is None else (hx,), "hidden")
        single = input.ndim == 1
        if single:
            input = input.unsqueeze(0)
        if hx is None:
            hx = ft.zeros((input.shape[0], self.hidden_size), dtype=input.dtype, device=input.device)
        elif single:
            hx = hx.unsqueeze(0)
        out = operator(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return out.squeeze(0) if single else out


class RNNCell(RNNCellBase):
    """One step of an :class:`RNN`: (batch, input_size) and the state (batch, hidden_size) → the state after it.

    Shape:
        (N, input_size) or (input_size), state (N, hidden_size) or (hidden_size) → like the state

    Raises:
        RuntimeError: ``nonlinearity`` is neither "tanh" nor "relu", or sizes of the input or of the state do not fit.

    >>> cell, h = RNNCell(3, 4), torch.zeros(2, 4)
    >>> for x in torch.ones(5, 2, 3):
    ...     h = cell(x, h)
    >>> h.shape
    torch.Size([2, 4])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(find_operator(f"torch.rnn_{self.nonlinearity}_cell"), input, hx)


class GRUCell(RNNCellBase):
    """One step of a :class:`GRU`: (batch, input_size) and the state (batch, hidden_size) → the state after it.

    Shape:
        (N, input_size) or (input_size), state (N, hidden_size) or (hidden_size) → like the state

    Raises:
        RuntimeError: sizes of the input or of the state do not fit.

    >>> GRUCell(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(find_operator("torch.gru_cell"), input, hx)


class LSTMCell(RNNCellBase):
    """One step of an :class:`LSTM`: (batch, input_size) and (h, c), each (batch, hidden_size) → (h, c) after it.

    Shape:
        (N, input_size) or (input_size), (h, c) of (N, hidden_size) or (hidden_size) → (h, c)

    Raises:
        RuntimeError: sizes of the input or of the state do not fit.

    >>> h, c = LSTMCell(3, 4)(torch.ones(2, 3))
    >>> h.shape, c.shape
    (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check(input, () if hx is None else hx, "hx[{}]")
        single = input.ndim == 1
        if single:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = ft.zeros((input.shape[0], self.hidden_size), dtype=input.dtype, device=input.device)
            hx = zeros, zeros
        elif single:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        h, c = find_operator("torch.lstm_cell")(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)
