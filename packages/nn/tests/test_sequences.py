"""``torch.nn.utils.rnn``: packing and padding, as PyTorch 2.13 does it."""

import copy
import pickle

import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn.utils import rnn
from flambeau_nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

X = ft.arange(12.0).reshape(3, 2, 2)


def test_packing_sorts_and_padding_sorts_back():
    packed = pack_padded_sequence(X, [1, 3], enforce_sorted=False)
    assert packed.data.tolist() == [[2, 3], [0, 1], [6, 7], [10, 11]]
    assert packed.batch_sizes.tolist() == [2, 1, 1]
    assert packed.sorted_indices.tolist() == packed.unsorted_indices.tolist() == [1, 0]
    padded, lengths = pad_packed_sequence(packed)
    assert padded.tolist() == [[[0, 1], [2, 3]], [[0, 0], [6, 7]], [[0, 0], [10, 11]]] and lengths.tolist() == [1, 3]
    padded, _ = pad_packed_sequence(packed, batch_first=True, padding_value=-1, total_length=4)
    assert padded.tolist() == [[[0, 1]] + 3 * [[-1, -1]], [[2, 3], [6, 7], [10, 11], [-1, -1]]]


def test_gradients_pass():
    x = X.clone().requires_grad_()
    packed = pack_padded_sequence(x, [3, 1])
    padded, _ = pad_packed_sequence(packed, total_length=5)
    (found,) = grad((padded * padded).sum(), x)
    assert found.tolist() == [[[0, 2], [4, 6]], [[8, 10], [0, 0]], [[16, 18], [0, 0]]]


def test_batch_first():
    packed = pack_padded_sequence(X.transpose(0, 1), ft.tensor([3, 2]), batch_first=True)
    assert packed.data.equal(pack_padded_sequence(X, [3, 2]).data) and packed.sorted_indices is None


def test_lists_of_sequences():
    sequences = [ft.tensor([1.0, 2]), ft.tensor([3.0, 4, 5])]
    assert pad_sequence(sequences, padding_side="left").tolist() == [[0, 3], [1, 4], [2, 5]]
    assert pad_sequence(sequences, batch_first=True, padding_value=9).tolist() == [[1, 2, 9], [3, 4, 5]]
    assert pad_sequence(ft.ones(2, 3)).shape == (3, 2)
    packed = pack_sequence(sequences, enforce_sorted=False)
    assert packed.data.tolist() == [3, 1, 4, 2, 5]
    assert [s.tolist() for s in rnn.unpack_sequence(packed)] == [[1, 2], [3, 4, 5]]
    assert [s.tolist() for s in rnn.unpad_sequence(ft.ones(3, 2), ft.tensor([1, 3]))] == [[1], [1, 1, 1]]
    assert rnn.invert_permutation(None) is None


def test_the_class():
    packed = PackedSequence(ft.ones(3), ft.tensor([2, 1]), ft.tensor([1, 0]))
    assert packed.unsorted_indices.tolist() == [1, 0] and isinstance(packed, tuple) and len(packed) == 4
    assert PackedSequence((ft.ones(3), ft.tensor([3]))).batch_sizes.tolist() == [3]
    assert packed.to(ft.float32) is packed and packed.double().data.dtype is ft.float64
    assert packed.double().sorted_indices is packed.sorted_indices and not packed.is_cuda and not packed.is_pinned()
    for other in (copy.deepcopy(packed), pickle.loads(pickle.dumps(packed))):
        assert type(other) is PackedSequence and other.data.equal(packed.data)
    assert packed._replace(data=ft.zeros(3)).data.sum().item() == 0
    assert repr(packed).startswith("PackedSequence(data=tensor([1., 1., 1.]), batch_sizes=tensor([2, 1]), sorted_")
    for method in ("cpu", "float", "half", "long", "int", "short", "char", "byte"):
        assert type(getattr(packed, method)()) is PackedSequence


SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
    "not need ONNX exportability."
)
ERRORS = {
    "rising": (lambda: pack_padded_sequence(X, [1, 3]), RuntimeError, SORTED),
    "empty": (
        lambda: pack_padded_sequence(X, [3, 0]),
        RuntimeError,
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
    ),
    "few": (
        lambda: pack_padded_sequence(X, [3]),
        RuntimeError,
        "Expected `len(lengths)` to be equal to batch_size, but got 1 (batch_size=2)",
    ),
    "long": (
        lambda: pack_padded_sequence(X, [4, 3]),
        RuntimeError,
        "pack_padded_sequence(): a sequence of length 4 does not fit into 3 times",
    ),
    "total": (
        lambda: pad_packed_sequence(pack_padded_sequence(X, [3, 1]), total_length=2),
        ValueError,
        "Expected total_length to be at least the length of the longest sequence in input, but got "
        "total_length=2 and max sequence length being 3",
    ),
    "side": (
        lambda: pad_sequence([ft.ones(2)], padding_side="x"),
        RuntimeError,
        "Expected padding_side to be one of left or right, but got x.",
    ),
    "number": (
        lambda: pad_sequence(3),
        RuntimeError,
        "pad_sequence: Expected iterable for input sequences, but got arg of type: <class 'int'>",
    ),
    "none": (lambda: pad_sequence([]), RuntimeError, "received an empty list of sequences"),
    "data": (lambda: PackedSequence(ft.ones(3)), AssertionError, "Expected data to be a list or tuple of length 2"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])
