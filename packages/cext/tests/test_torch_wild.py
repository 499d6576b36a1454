"""Programs as people write them after PyTorch's guides: each compiles unchanged, and computes what the operators do.

The sources in programs/wild compile against PyTorch as well, with the same results.
"""

import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_cext import ops

pytest.importorskip("flambeau_autograd")  # several of them differentiate
FOLDER = Path(__file__).parent / "programs" / "wild"
CHECKS = {}


def program(check):
    """What is checked of the program of that name."""
    CHECKS[check.__name__] = check
    return check


def close(got, want, rtol=1e-5, atol=1e-6):
    got, want = (np.asarray(t.detach() if getattr(t, "requires_grad", False) else t) for t in (got, want))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


def matrix(rows=3, columns=4):
    return torch.arange(rows * columns, dtype=torch.float32).reshape(rows, columns)


@program
def accessors(m):
    a, b = torch.randn(3, 4, dtype=torch.float64), torch.randn(2, 4, dtype=torch.float64)
    close(m.distances(a, b), (a[:, None] - b[None]).abs().sum(2))
    x, w = torch.randn(2, 3, 9), torch.randn(4, 3, 2)
    rows = [sum((x[:, :, t * 2 + k][:, None] * w[None, :, :, k]).sum(2) for k in range(2)) for t in range(4)]
    close(m.conv1d(x, w, stride=2), torch.stack(rows, 2))
    assert m.conv1d(x, w).shape == (2, 4, 8)
    for t in (torch.randn(4, 3), torch.randn(3, 4).t(), torch.tensor([[1, 5, 2], [9, 0, 3]])):
        values, indices = m.row_max(t)
        assert torch.equal(values, t.max(1)[0])
        assert torch.equal(indices, t.max(1)[1])
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        m.distances(a, b.float())


@program
def options(m):
    x = matrix(2, 3)
    made = m.made(x)
    dtypes = "float64 int32 bool float32 int64 int64 int64 int16 float32 float32 float32 float32 int64 float32 float64"
    dtypes += " float32 float64 float32 float32 float32 float32 int64"
    assert [str(t.dtype).removeprefix("torch.") for t in made] == dtypes.split()
    values = [np.zeros((2, 2)), np.ones((2, 3)), np.zeros((2, 3)), np.full((2, 2), 3.5), [7, 7, 7], [0, 1],
              [0, 1, 2, 3], [], np.full((2, 3), 2), np.eye(3), np.zeros((2, 2)), [1.5, 1.5], [0],
              [0, 0.25, 0.5, 0.75, 1], [1, 2], [1, 2, 3], 4.25, 3, [[1, 2, 3], [4, 5, 6]], [1, 3, 5], x.numpy() * 2,
              10]  # fmt: skip
    for got, want in zip(made, values, strict=True):
        close(got, want)


@program
def checks(m):
    ones = torch.ones(3)
    assert m.dot(ones, ones * 2).item() == 6
    for call, message in (
        (lambda: m.dot(ones, torch.ones(4)), r"sizes differ: \[3\] vs \[4\]"),
        (lambda: m.dot(ones, torch.ones(3, dtype=torch.float64)), "expected Float but got Double"),
        (lambda: m.dot(torch.ones(2, 2), ones), "a must have 1 dimensions, got 2"),
        (lambda: m.dot(torch.ones(6)[::2], ones), "a must be contiguous"),
        (lambda: m.dot(torch.ones(0), torch.ones(0)), r"Expected a\.numel\(\) > 0 to be true, but got false"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()
    for how, error, message in (
        ("check", RuntimeError, "a number: 3, a flag: 1, a float: 0.5"),
        ("index", IndexError, "no such index 7"),
        ("value", ValueError, "no such value"),
        ("type", TypeError, "no such type"),
        ("not implemented", NotImplementedError, "not yet"),
        ("error", RuntimeError, "old style"),
        ("std", RuntimeError, "of the standard library"),
        ("invalid", ValueError, "an invalid argument"),
        ("range", IndexError, "out of range"),
        ("operator", RuntimeError, "shapes cannot be multiplied"),
        ("item", RuntimeError, "elements cannot be converted to Scalar"),
        ("undefined", RuntimeError, "."),
        ("accessor", RuntimeError, "expected scalar type Double but found Float"),
        ("dims", RuntimeError, "TensorAccessor expected 1 dims but tensor has 2"),
        ("size", IndexError, "Dimension out of range"),
        ("data", RuntimeError, "expected scalar type Int but found Float"),
        ("internal", RuntimeError, r"1 \+ 1 == 3 INTERNAL ASSERT FAILED"),
        ("caught", KeyError, "caught"),
    ):
        with pytest.raises(error, match=message):
            m.fail(how)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        m.dot(ones, "b")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m.warns()
    assert "careful with 2 things" in str(caught[0].message)


@program
def parallel(m):
    for t in (torch.randn(7, 5), torch.randn(1000, 9, dtype=torch.float64), torch.randn(5, 6).t()):
        close(m.softmax_rows(t), torch.softmax(t, 1))
    assert m.total(torch.arange(10_000, dtype=torch.float64)) == 9999 * 10_000 / 2
    assert [m.pieces(n) for n in (0, 1, 12_345)] == [0, 1, 12_345]
    with pytest.raises(RuntimeError, match="thrown in a loop"):
        m.throws(100)


@program
def optionals(m):
    x, w = torch.tensor([1.0, -2.0]), torch.tensor([3.0, 4.0])
    close(m.affine(x), x)
    close(m.affine(x, w), x * w)
    close(m.affine(x, bias=w, scale=2), (x + w) * 2)
    close(m.affine(x, None, None, 0.5, square=True, reduction="sum"), 1.25)
    with pytest.raises(RuntimeError, match="unknown reduction: most"):
        m.affine(x, reduction="most")
    with pytest.raises(TypeError):
        m.affine(x, w, w, 2.0, True)
    assert m.largest(None) is None
    assert m.largest(x).item() == 1
    assert m.undefined_is_none(x, False) is x
    assert m.undefined_is_none(x, True) is None
    with pytest.raises(TypeError, match="incompatible function arguments"):
        m.undefined_is_none(None, True)
    assert (m.size_or(matrix()), m.size_or(matrix(), -1)) == (12, 4)
    close(m.sum_of(matrix()), 66)
    close(m.sum_of(matrix(), [0], keepdim=True), [[12, 15, 18, 21]])
    assert m.cast(x).dtype is torch.float64
    assert m.cast(x, torch.int32).dtype is torch.int32


@program
def returns(m):
    x = matrix()
    first, second = m.halves(x)
    assert (first.shape, second.shape) == ((1, 4), (2, 4))
    least, most, *rest = m.described(x)
    assert (least.item(), most.item(), rest) == (0, 11, [2, 66.0, True])
    assert m.named(x)[1] == "one more"
    close(m.moments(x)["var"], np.var(x.numpy()))
    assert m.as_dict(x)["x"] is x
    assert (m.as_dict(x)["size"], m.as_dict(x)["dtype"]) == ([3, 4], "Float")
    assert (list(m.shape(x)), list(m.strides(x)), m.dtype(x)) == ([3, 4], [4, 1], torch.float32)
    assert [m.scalar(torch.tensor(v)) for v in (2.5, 3)] == [2.5, 3]
    assert m.nested(x.t())[1] == [1, 5, 9]
    y = torch.zeros(2)
    m.fill(y, 3)
    assert m.same(y) is y
    close(y, [4, 4])
    assert [t.item() for t in m.each([x, y])] == [66, 8]
    close(m.from_python(lambda t, scale: t * scale, y), [8, 8])
    close(m.through_python(lambda t: t - 1, y), [9, 9])
    with pytest.raises(ZeroDivisionError):
        m.through_python(lambda t: 1 / 0, y)
    assert m.sum_ints([1, 2, 3], (4, 5)) == 26


def with_grad(*shape):
    return torch.randn(*shape, dtype=torch.float64).requires_grad_()


@program
def functions(m):
    autograd = pytest.importorskip("flambeau_autograd")
    x, w, b = with_grad(2, 3), with_grad(4, 3), with_grad(4)
    close(m.linear(x, w, b), x @ w.t() + b)
    assert autograd.gradcheck(m.linear, (x, w, b))
    assert autograd.gradcheck(m.linear, (x, w))
    assert autograd.gradgradcheck(m.linear, (x, w, b))
    assert autograd.gradcheck(lambda x: m.mul_constant(x, 2.5), (x,))
    assert autograd.gradgradcheck(lambda x: m.mul_constant(x, 2.5), (x,))
    values, indices, total = m.sorted_sum(x, 1)
    assert torch.equal(indices, x.sort(1)[1])
    assert (values.requires_grad, indices.requires_grad, total.requires_grad) == (True, False, True)
    for chosen in (0, 2):
        assert autograd.gradcheck(lambda x, chosen=chosen: m.sorted_sum(x, 1)[chosen], (x,))


@program
def autograd_key(m):
    autograd = pytest.importorskip("flambeau_autograd")
    x = with_grad(3)
    close(m.cube(x.detach(), 2.0), 2 * x.detach() ** 3)
    close(ops.wild_cube.cube(x, scale=2.0), 2 * x.detach() ** 3)
    for f in (m.cube, lambda x: ops.wild_cube.cube(x, 0.5), ops.wild_cube.guarded):
        assert autograd.gradcheck(f, (x,))
        assert autograd.gradgradcheck(f, (x,))
    assert not ops.wild_cube.cube(x.detach()).requires_grad
    with autograd.no_grad():
        assert not ops.wild_cube.guarded(x).requires_grad


@program
def fragments(m):
    pieces = ops.wild_pieces
    x = torch.tensor([[-3.0, 4.0], [1.0, 2.0]])
    close(pieces.scale(x, x), x * x)
    close(pieces.scale(x, 2), x * 2)
    close(pieces.scale.Scalar(x, 0.5), x / 2)
    assert set(pieces.scale.overloads()) == {"Tensor", "Scalar"}
    close(pieces.norm_dims(x, [1]), [5, math.sqrt(5)])
    assert pieces.norm_dims(x, [0], True, dtype=torch.float64).dtype is torch.float64
    low, high = pieces.min_max(x)
    assert (low.tolist(), high.tolist()) == ([-3, 1], [4, 2])
    assert pieces.min_max(x, dim=0)[0].tolist() == [-3, 2]
    assert [t.tolist() for t in pieces.shifted([x[0], x[1]], by=1)] == [[-2, 5], [2, 3]]
    y = x.clone()
    pieces.clamp_in_place(y, 2.5)
    close(y, [[-2.5, 2.5], [1, 2]])
    assert pieces.weighted(x).item() == 1
    assert pieces.weighted(x, x, reduction="sum").item() == 30
    assert (pieces.count(x), pieces.kind(x)) == (3, "Float")
    pieces.store(x, out=y)
    close(y, x.abs())
    assert pieces.mean_of([1, 2.5, 4]) == 2.5
    assert [t is x for t in pieces.present([None, x, None])] == [True]
    assert (pieces.absent([None, x, None]), pieces.lengths([x, x[0], x[:1]])) == (2, [2, 2, 1])
    close(pieces.plus_one(x), x + 1)
    with pytest.raises((TypeError, RuntimeError)):
        pieces.count("x")


@program
def indexing(m):
    x, rows = matrix(), torch.tensor([2, 0])
    mask = x > 6
    n, r = x.numpy(), [2, 0]
    wanted = [n[0], n[:, 1], n[1:, ::2], n[..., -1], n[..., 0:2], n[None, 1], n[r], n[r, 1:3], n[:, r], n[n > 6],
              n[[0, 1], [2, 0]], n[1], n[1][2], n[:, 2], n[:, 1:3], n[:, 0:4:3], n[r], n[n > 6], n[:, :1], n.ravel(),
              n[2]]  # fmt: skip
    for got, want in zip(m.looked_up(x, rows, mask), wanted, strict=True):
        close(got, want)
    y = n.copy()
    y[0] = 7
    y[:, 1] = [0, 1, 2]
    y[r, 2] = -1
    y[n > 6] = 0
    y[2, 3] = 9
    y[1] *= 2
    y[:, :1] += 100
    y[2] = 1
    y[0] += 1
    y[:, 3] = 5
    y[y > 50] = 50
    close(m.written(x, rows, mask), y)
    close(x, n)
    close(m.cell(x, -1), [n[0, -1]])
    for call, message in (
        (lambda: m.row(x, 3), "index 3 is out of bounds for dimension 0 with size 3"),
        (lambda: m.cell(x, -5), "index -5 is out of bounds for dimension 1 with size 4"),
        (lambda: m.row(x[0, 0], 0), "invalid index of a 0-dim tensor"),
    ):
        with pytest.raises(IndexError, match=message):
            call()


@program
def arithmetic(m):
    pytest.importorskip("flambeau_nn")
    a, b = torch.randn(2, 3), torch.randn(2, 3)
    x = a * b + 1
    y = 1 / (a.abs() + 2.5) - b / 2
    w = ((x + 0.5 * b - 1) * a / 2).clamp(-3, 3).relu()
    computed = m.computed(a, b)
    for got, want in zip(computed, [x, y, ((-x + y) * 2 - a) / 4, w, a.max(1)[0], a.max(1)[1]], strict=False):
        close(got, want)
    n, k = a.numpy(), b.numpy()
    soft = np.exp(n) / np.exp(n).sum(1, keepdims=True)
    sigmoid = 1 / (1 + np.exp(-n))
    product = n @ k.T
    gelu = np.vectorize(lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))
    wanted = [
        np.argsort(-n, 1)[:, :2], -np.sort(-n, 1), (n > k) & (n != 0), (n < 0) | (k <= 0), np.maximum(n, 0),
        np.sqrt((n**2).sum(-1, keepdims=True)),
        n.mean(), n.mean(0), n.std(ddof=1), n.sum(0), n.sum(), n.prod(), n.argmax(1), n.cumsum(0), n.any(),
        np.sqrt((n**2).sum()), product, product, 0.5 + 2 * product, product[None], np.outer(n[0], k[0]),
        n[0] @ k[0], np.concatenate([n, k]), np.stack([n, k], -1), n[:, 2:], n[:1], n.reshape(-1, 2),
        n.reshape(3, 2), n.T, n.T, np.tile(n, (2, 1)), n[::-1], sigmoid * np.tanh(k), np.log1p(np.exp(n)), soft,
        np.log(soft), np.maximum(n, 0), gelu(n),
        np.where(n > 0, n, 0.2 * n), np.where(n > 0, n, np.expm1(n)), np.log1p(np.exp(n)), np.maximum(n, k),
        np.minimum(n, k), np.maximum(n, 0), np.maximum(n, -0.5), n + 0.3 * (k - n), np.fmod(n, 2),
        np.remainder(n, 2), np.round(n), n // 2, 2**n, np.arctan2(n, k), np.nan_to_num(np.sign(n) * np.inf),
        np.ones((2, 3)), n == k, n != 0, n, np.triu(n, 1), np.argwhere(n > 0), w, n - k, np.concatenate([n, n]),
        np.roll(n, 1, 1), n.T,
    ]  # fmt: skip
    for i, (got, want) in enumerate(zip(computed[6:], wanted, strict=True)):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-5, err_msg=f"result {i + 6}")
    assert m.is_close(a, a + 1e-6)
    assert not m.is_close(a, a + 1)
    assert m.number(torch.tensor([1.5, 2.0])) == 3.5 + 2 + 1.5


@program
def guards(m):
    pytest.importorskip("flambeau_autograd")
    first, w_grad, third, second = m.gradients()
    x = np.arange(1, 4)
    for got, want in zip((first, w_grad, third, second), (2 * x, x**2, 3 * x**2, 6 * x), strict=True):
        close(got, want)
    assert m.modes(torch.ones(1).requires_grad_()) == [True, False, True, False, False, True, False, True]
    p, q = torch.ones(2).requires_grad_(), torch.ones(2).requires_grad_()
    (p * 3).sum().backward()
    m.step([p, q], lr=0.5)
    close(p, [-0.5, -0.5])
    close(p.grad, [0, 0])
    assert q.grad is None
    close(m.guarded(torch.ones(2)), [2, 2])


@program
def sizes(m):
    x = torch.arange(24.0).reshape(2, 3, 4)
    assert m.reshaped(x, [4, 6]).shape == (4, 6)
    with pytest.raises(RuntimeError, match=r"cannot make \[5, 5\] of \[2, 3, 4\]"):
        m.reshaped(x, [5, 5])
    assert m.strides_of([2, 3, 4]) == [12, 4, 1]
    assert m.facts(x) == "[2, 3, 4] 3 4 2 [3, 4] 4 12 3 24 4 1 1 3 10 2 0/2/3/4,2,3,4"
    close(m.windows(torch.arange(5.0), 3), [[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    close(m.total([x[0], x[1]], [1.0, -1.0]), np.full((3, 4), -12))
    close(m.flattened(x), x.reshape(2, 12))
    length, part = ops.symbolic.halves(torch.arange(4.0)[:, None], 2, [2, 3])
    assert length == 3 and part.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert str(ops.symbolic.doubled.default._schema) == "symbolic::doubled(SymInt _0) -> SymInt"
    assert ops.symbolic.doubled(4) == 8
    assert m.storage(x[1]) == "96 48 1 cpu"
    assert m.storage_of(x[1]).data_ptr() == x.data_ptr() and m.bytes_of(x.untyped_storage()) == (96, 1)
    assert m.default_generator() is torch.default_generator
    assert m.seed_of(m.seeded(7)) == 7 and m.seed_of(None) == torch.initial_seed()
    assert m.formatted(torch.channels_last) == (torch.channels_last, 1 + 2j, 3)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        m.seed_of(7)


@program
def dispatching(m):
    for dtype in (torch.float32, torch.float64, torch.int8, torch.int64, torch.float16, torch.bfloat16, torch.uint8):
        assert m.square(torch.tensor([1, -3], dtype=torch.int8).to(dtype)).dtype is dtype
    assert m.square(torch.tensor([3, 4], dtype=torch.int16)).tolist() == [9, 16]
    named = [("floating", torch.float32, "f"), ("half", torch.float16, "2"), ("integral", torch.int16, "s"),
             ("complex", torch.complex128, "16"), ("bool", torch.bool, "b"), ("index", torch.int64, "l"),
             ("v2", torch.int32, "i"), ("v2", torch.float64, "d")]  # fmt: skip
    for family, dtype, name in named:
        assert m.named(torch.ones(1, dtype=dtype), family) == name
    for family, dtype, known in (("floating", torch.int32, "Int"), ("v2", torch.int64, "Long")):
        with pytest.raises(NotImplementedError, match=f"\"named\" not implemented for '{known}'"):
            m.named(torch.ones(1, dtype=dtype), family)
    kinds = [m.by_switch(torch.ones(1, dtype=getattr(torch, d))) for d in "float32 float64 int64 bool int16".split()]
    assert kinds == ["float", "double", "long", "bool", "Short"]
    assert m.asked(torch.ones(1)) == [bool(int(c)) for c in "11101011111110101"][:13] + [False, True, False, True]
    dtypes = "float64 int32 int64 float16 bool int16 float32 float32 float32".split()
    converted = m.converted(torch.tensor([0.0, 2.75]))
    assert [str(t.dtype).removeprefix("torch.") for t in converted] == dtypes
    assert [t.tolist()[1] for t in converted] == [2.75, 2, 2, 2.75, True, 2, 2.75, 2.75, 2.75]
    assert m.half_sum(torch.ones(3000, dtype=torch.float16)).item() == 3000


@program
def classes(m):
    mean = m.RunningMean(2, momentum=0.5)
    close(mean.update(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), [1, 1.5])
    close(mean(torch.ones(2)), [0, -0.5])
    assert (mean.count, repr(mean)) == (1, "RunningMean(2)")
    mean.mean = torch.zeros(2)
    again = pickle.loads(pickle.dumps(mean))
    assert again.count == 1
    close(again.mean, [0, 0])

    class Double(m.Base):
        def forward(self, x):
            return x * 2

    close(Double().twice(torch.ones(2)), [4, 4])
    with pytest.raises(RuntimeError, match="pure virtual"):
        m.Base().twice(torch.ones(1))
    assert m.sub.reduce(torch.ones(3)).item() == 3
    assert m.sub.reduce(torch.ones(3), m.Mode.Mean).item() == 1
    assert [m.overloaded(v) for v in (7, torch.ones(1), "text")] == [1, 2, 3]
    assert m.version == "1.2"


@program
def detection(m):
    boxes = torch.tensor([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 9, 9.5]])
    close(m.iou(boxes, boxes[:2]), [[1, 81 / 119], [81 / 119, 1], [0, 0], [0.855, 68 / 117.5]])
    assert m.iou(boxes, torch.ones(0, 4)).shape == (4, 0)
    for call, error, message in (
        (lambda: m.iou(boxes[0], boxes), ValueError, r"boxes must be N x 4, got \[4\]"),
        (lambda: m.iou(boxes, boxes.double()), TypeError, "dtypes differ: float and double"),
        (lambda: m.iou(boxes.int(), boxes.int()), NotImplementedError, "\"iou\" not implemented for 'Int'"),
        (lambda: m.batched_nms(boxes, boxes[0, :3], boxes[0], 0.5), RuntimeError, "dimension 0, got 4 and 3"),
        (
            lambda: m.roi_pool(torch.ones(1, 1, 2, 2), torch.ones(1, 5).double(), size=(1, 1)),
            RuntimeError,
            r"the same type as tensor for argument #2 'rois'; but type .*arguments for roi_pool",
        ),
        (
            lambda: m.roi_pool(torch.ones(1, 1, 2, 3).mT, torch.ones(1, 5), size=(1, 1)),
            RuntimeError,
            "input must be contiguous",
        ),
        (lambda: m.corners([[1]]), IndexError, "."),
        (lambda: m.clip(boxes, [1]), TypeError, "incompatible function arguments"),
    ):
        with pytest.raises(error, match=message):
            call()
    scores, one = torch.tensor([0.5, 0.9, 0.3, 0.4]), torch.zeros(4, dtype=torch.int64)
    for dtype in (torch.float32, torch.float64, torch.float16):
        assert m.batched_nms(boxes.to(dtype), scores, one, 0.5).tolist() == [1, 2]
    assert m.batched_nms(boxes, scores, torch.tensor([0, 1, 0, 0]), 0.5).tolist() == [1, 0, 2]
    assert m.batched_nms(boxes, scores, one, 0.99).tolist() == [1, 0, 3, 2]
    image = torch.arange(2 * 36.0).reshape(2, 1, 6, 6)
    out, places = m.roi_pool(image, torch.tensor([[1, 0, 0, 10, 10], [0, 4, 4, 6, 6.0]]), scale=0.5, size=(2, 2))
    close(out[:, 0], [[[50, 53], [68, 71]], [[14, 15], [20, 21]]])
    close(places[0, 0], [[14, 17], [32, 35]])
    assert m.corners([[1, 2, 3, 4]]) == [[1, 2, 4, 6]]
    close(m.clip(boxes - 5, (8, 6)), [[0, 0, 5, 5], [0, 0, 6, 6], [0, 0, 4, 4.5]])


@program
def lists(m):
    pytest.importorskip("flambeau_nn")
    a, b = torch.randn(3, 3), torch.randn(3, 3)
    n, k = a.numpy(), b.numpy()
    wanted = [n @ k, (n * n).sum(), n.sum(1), n @ k, n @ k, n @ k, np.kron(n, k), n @ k, n @ k @ k.T]
    for got, want in zip(m.products(a, b), wanted, strict=True):
        close(got, want, atol=1e-5)
    with pytest.raises(RuntimeError, match=r"einsum\(\)"):
        m.products(a[0], b)
    y, x = np.linspace(-1, 1, 3), np.linspace(-1, 1, 2)
    xx, yy = np.meshgrid(x, y)
    wanted = [np.stack([xx.ravel(), yy.ravel()], 1), xx, yy, [[i, j] for i in range(2) for j in range(3)], yy, xx,
              [[-1, 0, 1, 0, 0], [0, 0, 0, -1, 1]], [*y, *x], [*y, *x], [x, x]]  # fmt: skip
    for got, want in zip(m.grids(3, 2), wanted, strict=True):
        close(got, want)
    wanted = [[1, 2, 3], [[2, 0, 0], [2, 0, 0], [1, 1, 0]], [5, 2, 2], [[2, 2, 1], [3, 1, 1]], [1, 1, 0], [1, 2],
              [3, 1, 3, 1, 2, 1], [0, 1, 1, 2, 3, 3, 4, 4, 5], [1, 2, 1, 2, 2, 1], []]  # fmt: skip
    for got, want in zip(m.distinct(torch.tensor([[3, 1, 1], [3, 1, 1], [2, 2, 1]])), wanted, strict=True):
        assert got.tolist() == want
    made = m.borrowed()
    assert [t.tolist() for t in made] == [[[0, 1, 2], [3, 4, 5]], [1.5, 3.5], [7, 8, 9], [7, 8, 9], [1, 2], 3]
    view = made[0][1]
    del made
    assert m.how_many_released() == 1
    assert view.tolist() == [3, 4, 5]
    del view
    assert m.how_many_released() == 2
    found = m.statistics({"a": a})
    assert set(found) == {"a.mean", "a.norm", "a.range"}
    close(found["a.range"], n.max(1) - n.min(1))
    p, g, first, second = torch.ones(2).requires_grad_(), torch.tensor([1.0, -2.0]), torch.zeros(2), torch.zeros(2)
    m.adam_step([p], [g], [first], [second], 0.1, (0.9, 0.999), 1e-8, 1)
    close(p, [0.9, 1.1])
    close(second, [0.001, 0.004])
    assert m.described(a) == "[3, 3] Float none [] float 110 n=9,2 cpu 4"
    assert (
        m.described(torch.ones(2, 3, dtype=torch.int64).t(), torch.float64, (3,))
        == "[3, 2] Long Double [3] long int 000 n=6,2 cpu 8"
    )
    from flambeau_nn import functional as f

    x, y = torch.randn(2, 3), torch.randn(2, 3)
    p, q = x.log_softmax(-1), y.softmax(1)
    wanted = [
        f.kl_div(p, q, reduction="sum"), np.zeros((2, 3)), f.mse_loss(x, y), (x - y).abs(), f.pairwise_distance(x, y),
        f.cosine_similarity(x, y), f.binary_cross_entropy_with_logits(x, q), -(p[0, 0] + p[1, 2]) / 2,
        f.pad(x, (1, 2), value=0.5), f.pad(x, (1, 1), value=2), x[:, :2].max(1, keepdim=True)[0][None],
        ((x[:, :2] + x[:, 1:]) / 2)[None], f.instance_norm(x[None]), f.rms_norm(x, (3,)),
        f.triplet_margin_loss(x, y, x.flip(1)),
    ]  # fmt: skip
    for got, want in zip(m.losses(x, y), wanted, strict=True):
        close(got, want, atol=1e-5)


def test_every_program_is_checked():
    assert {path.stem for path in FOLDER.glob("*.cpp")} == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_program(name):
    CHECKS[name](cext.load(name, FOLDER / f"{name}.cpp", extra_cflags=["-O1"]))
