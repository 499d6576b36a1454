"""Sequences of different lengths: packed without gaps for recurrent layers, or padded into one tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import flambeau_tensor as ft
from flambeau_tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence_(NamedTuple):
    """The fields of a PackedSequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def _bind(
    data: Any,
    batch_sizes: Tensor | None = None,
    sorted_indices: Tensor | None = None,
    unsorted_indices: Tensor | None = None,
) -> tuple[Any, Any, Any, Any]:
    if batch_sizes is None:  # (data, batch_sizes) as one argument
        if not isinstance(data, (list, tuple)) or len(data) != 2:
            raise AssertionError("Expected data to be a list or tuple of length 2")
        data, batch_sizes = data
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    return data, batch_sizes, sorted_indices, unsorted_indices


class PackedSequence(PackedSequence_):
    """Sequences of different lengths without gaps, as recurrent layers accept them.

    :func:`pack_padded_sequence` and :func:`pack_sequence` create it.

    Attributes:
        data: rows of all sequences: those of the first time, the longest sequence first, then those of the second, ….
        batch_sizes: for each time, how many sequences are at least that long (int64).
        sorted_indices: the original index of each sequence, sorted by decreasing length; None: they were sorted.
        unsorted_indices: the inverse permutation.

    Raises:
        TypeError: the device does not exist; by ``to``.
        RuntimeError: the device does not exist; by ``to``.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> packed.data, packed.batch_sizes
    (tensor([1, 4, 2, 3]), tensor([2, 1, 1]))
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        return super().__new__(cls, *_bind(data, batch_sizes, sorted_indices, unsorted_indices))

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence with ``data.to(*args, **kwargs)``; the sequence itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence itself: everything is on the CPU."""
        return self.to(*args, device="cpu", **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Raises: tensors live on the CPU."""
        return self.to(*args, device="cuda", **kwargs)

    def pin_memory(self) -> PackedSequence:
        """The sequence itself."""
        return self

    def is_pinned(self) -> bool:
        """Always False: memory is not pinned."""
        return False

    @property
    def is_cuda(self) -> bool:
        """Always False: everything is on the CPU."""
        return False

    def double(self) -> PackedSequence:
        """With data of float64."""
        return self.to(dtype=ft.float64)

    def float(self) -> PackedSequence:
        """With data of float32."""
        return self.to(dtype=ft.float32)

    def half(self) -> PackedSequence:
        """With data of float16."""
        return self.to(dtype=ft.float16)

    def long(self) -> PackedSequence:
        """With data of int64."""
        return self.to(dtype=ft.int64)

    def int(self) -> PackedSequence:
        """With data of int32."""
        return self.to(dtype=ft.int32)

    def short(self) -> PackedSequence:
        """With data of int16."""
        return self.to(dtype=ft.int16)

    def char(self) -> PackedSequence:
        """With data of int8."""
        return self.to(dtype=ft.int8)

    def byte(self) -> PackedSequence:
        """With data of uint8."""
        return self.to(dtype=ft.uint8)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation (N) of int64 that undoes another one.

    Raises:
        RuntimeError: an entry is out of range.

    >>> import flambeau_tensor as ft
    >>> invert_permutation(ft.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return ft.empty_like(permutation).scatter_(0, permutation, ft.arange(permutation.numel(), dtype=permutation.dtype))


def _packed_rows(lengths: list[int], batch: int, times: int) -> tuple[list[int], list[int]]:
    """The rows of (time, batch) that sequences fill, time by time, and how many at each time; lengths fall."""
    sizes = [sum(length > t for length in lengths) for t in range(lengths[0])]
    return [t * batch + b for t, size in enumerate(sizes) for b in range(size)], sizes


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are padded in one tensor.

    Args:
        input: (time, batch, *), or (batch, time, *) with ``batch_first``.
        lengths: the length of each sequence.
        enforce_sorted: whether lengths must be decreasing; otherwise they are sorted, and the order is stored.

    Raises:
        RuntimeError: a length is not between 1 and the number of time steps, the number of lengths does not match, or
            they increase.

    >>> import flambeau_tensor as ft
    >>> pack_padded_sequence(ft.tensor([[1, 2], [3, 0]]), [2, 1]).data
    tensor([1, 2, 3])
    """
    lengths = ft.as_tensor(lengths, dtype=ft.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = ft.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    if batch_first:
        input = input.transpose(0, 1)
    times, batch = input.shape[:2]
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.numel() != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.numel()} (batch_size={batch})"
        )
    each = lengths.tolist()
    if min(each) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if each != sorted(each, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
            "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    if each[0] > times:
        raise RuntimeError(f"pack_padded_sequence(): a sequence of length {each[0]} does not fit into {times} times")
    rows, sizes = _packed_rows(each, batch, times)
    data = input.reshape((times * batch, *input.shape[2:])).index_select(0, ft.tensor(rows))
    return PackedSequence(data, ft.tensor(sizes), sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undo :func:`pack_padded_sequence`: the padded tensor and the lengths.

    Args:
        sequence: the packed sequence.
        batch_first: whether the result is (batch, time, *) rather than (time, batch, *).
        padding_value: the value after the end of a sequence.
        total_length: the number of time steps of the result; by default that of the longest sequence.

    Raises:
        ValueError: ``total_length`` is too short.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 0, 0]]), tensor([3, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    times = len(sizes)
    if total_length is not None:
        if total_length < times:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but "
                f"got total_length={total_length} and max sequence length being {times}"
            )
        times = total_length
    batch = sizes[0]
    lengths = [sum(size > b for size in sizes) for b in range(batch)]
    rows, _ = _packed_rows(lengths, batch, times)
    data = sequence.data
    padded = ft.full((times * batch, *data.shape[1:]), padding_value, dtype=data.dtype)
    padded = padded.index_copy(0, ft.tensor(rows), data).reshape((times, batch, *data.shape[1:]))
    lengths_then = ft.tensor(lengths)
    if batch_first:
        padded = padded.transpose(0, 1)
    order = sequence.unsorted_indices
    if order is not None:
        padded, lengths_then = padded.index_select(0 if batch_first else 1, order), lengths_then[order]
    return padded, lengths_then


def pad_sequence(
    sequences: Tensor | list[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Pad sequences (length, *) to one tensor (time, batch, *), or (batch, time, *) with ``batch_first``.

    Raises:
        RuntimeError: there are no sequences, their last sizes differ, or ``padding_side`` is invalid.

    >>> import flambeau_tensor as ft
    >>> pad_sequence([ft.tensor([1, 2]), ft.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    each = sequences.unbind(0) if isinstance(sequences, Tensor) else tuple(sequences)
    if not each:
        raise RuntimeError("received an empty list of sequences")
    longest = max(s.shape[0] for s in each)
    padded = []
    for s in each:
        gap = longest - s.shape[0]
        if gap:
            filling = ft.full((gap, *s.shape[1:]), padding_value, dtype=s.dtype)
            s = ft.cat((filling, s) if padding_side == "left" else (s, filling))
        padded.append(s)
    return ft.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Return the sequences (length, *) in a padded tensor (time, batch, *).

    Raises:
        AttributeError: lengths are not a tensor.

    >>> unpad_sequence(torch.tensor([[1, 2], [4, 0]]), torch.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([4])]
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [s[:length] for s, length in zip(padded_sequences.unbind(0), lengths.tolist(), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (length, *), longest first unless ``enforce_sorted`` is False.

    Raises:
        RuntimeError: with ``enforce_sorted``, lengths increase; there are no sequences.

    >>> import flambeau_tensor as ft
    >>> pack_sequence([ft.tensor([1, 2, 3]), ft.tensor([4])]).data
    tensor([1, 4, 2, 3])
    """
    lengths = [s.shape[0] for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences (length, *) of a packed one, in their order.

    Raises:
        AttributeError: the argument is not packed.

    >>> unpack_sequence(torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([4])]))
    [tensor([1, 2]), tensor([4])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
