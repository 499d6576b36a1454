"""Calls operators of public C++ extensions with seeded arguments, and stores their results and gradients.

    python conformance/extension_calls.py ours|peer project library results.pickle

`ours` calls them in flambeau, `peer` in PyTorch. The library is a project's sources, built for one of them:
extensions.py builds them, runs this file on both sides and compares what the calls return. An error is a result, too:
its type and its first line. A tensor that requires grad gets the gradient of a random combination of all results.
"""

import importlib.machinery
import importlib.util
import pickle
import sys
import types
import warnings
import zlib
from pathlib import Path

import numpy as np

# Relative difference that another order of additions may make: float16 and bfloat16, float32, float64.
ROUNDING = {2: 1e-2, 4: 2e-5, 8: 1e-12}


class Calls:
    """Calls functions and keeps their results.

    Args:
        torch: the library.
        functions: the module of a project, or its operators.
    """

    def __init__(self, torch, functions):
        self.torch, self.functions, self.results = torch, functions, []
        self.random = np.random.RandomState(0)

    def __call__(self, name, *args, written=(), **keywords):
        """Call a function; the tensors in `written` are results, too."""
        label = f"{name} {len(self.results)}"
        rng = np.random.RandomState(zlib.crc32(label.encode()))
        leaves = [x for x in args if isinstance(x, self.torch.Tensor) and x.requires_grad]
        try:
            returned = getattr(self.functions, name)(*args, **keywords)
            tensors = [x for x in self._flat((returned, list(written))) if isinstance(x, self.torch.Tensor)]
            found = [self._kept(x) for x in self._flat((returned, list(written)))]
            differentiable = [x for x in tensors if x.requires_grad and x.grad_fn is not None]
            if leaves and differentiable:
                weights = [self.torch.tensor(rng.standard_normal(x.shape)).to(x.dtype) for x in differentiable]
                grads = self.torch.autograd.grad(differentiable, leaves, weights, allow_unused=True)
                found += [self._kept(x) for x in grads]
        except Exception as error:
            text = str(error).partition("\n")[0].replace(", please report a bug to PyTorch", "")
            returned, found = None, [f"{type(error).__name__}: {text}"]
        self.results.append((label, found))
        return returned

    def _flat(self, x):
        x = list(x.values()) if isinstance(x, dict) else x
        return [leaf for item in x for leaf in self._flat(item)] if isinstance(x, (tuple, list)) else [x]

    def _kept(self, x):
        if isinstance(x, self.torch.Tensor):
            return x.detach().clone().numpy()
        return x if isinstance(x, (int, float, str, type(None))) else type(x).__name__

    def real(self, *shape, dtype="float32", grad=False, low=None, high=None):
        """Random numbers: normal, or uniform between `low` and `high`."""
        values = self.random.standard_normal(shape) if low is None else self.random.uniform(low, high, shape)
        return self.torch.tensor(values.astype(dtype)).requires_grad_(grad)

    def integers(self, *shape, below, dtype="int64", ordered=False):
        """Random integers from 0, in ascending order if asked."""
        values = self.random.randint(0, below, shape)
        return self.tensor(np.sort(values, -1) if ordered else values, dtype)

    def tensor(self, values, dtype="int64"):
        return self.torch.tensor(np.asarray(values, dtype=dtype))

    def zeros(self, *shape, dtype="float32"):
        return self.torch.tensor(np.zeros(shape, dtype))

    def boxes(self, n, size=20.0, dtype="float32"):
        """Corners of boxes with positive sides."""
        corner = self.random.uniform(0, size * 0.6, (n, 2))
        return self.tensor(np.concatenate([corner, corner + self.random.uniform(1, size * 0.4, (n, 2))], 1), dtype)

    def rois(self, n, batch, size=20.0, dtype="float32"):
        """Boxes with the number of an image before them."""
        images = self.tensor(self.random.randint(0, batch, (n, 1)), dtype)
        return self.torch.cat([images, self.boxes(n, size, dtype)], 1)

    def rotated(self, n, size=20.0, dtype="float32", degrees=180):
        """Centers, sides and angles of boxes."""
        center, sides = self.random.uniform(2, size - 2, (n, 2)), self.random.uniform(2, 8, (n, 2))
        angles = self.random.uniform(-degrees, degrees, (n, 1))
        return self.tensor(np.concatenate([center, sides, angles], 1), dtype)

    def graph(self, nodes, edges):
        """Row pointers, rows and columns of a sparse matrix without duplicates."""
        cells = np.sort(self.random.choice(nodes * nodes, edges, replace=False))
        rows, columns = cells // nodes, cells % nodes
        pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=nodes))])
        return self.tensor(pointers), self.tensor(rows), self.tensor(columns)


def torch_scatter(c):
    for dtype in ("float32", "float64", "float16", "int64"):
        real = dtype.startswith("float")
        for dim in (0, 1, -1):
            for op in ("sum", "mul", "mean", "min", "max"):
                grad = real and dtype != "float16"
                source = c.real(6, 5, dtype=dtype, grad=grad) if real else c.integers(6, 5, below=9)
                index = c.integers(6, 5, below=4)
                c(f"scatter_{op}", source, index, dim, None, 4)
                c(f"scatter_{op}", source, index, dim, None, None)
        for op in ("sum", "mean", "min", "max"):
            source = c.real(8, 3, dtype=dtype, grad=real and dtype != "float16") if real else c.integers(8, 3, below=9)
            c(f"segment_{op}_coo", source, c.integers(8, below=4, ordered=True), None, 5)
            c(f"segment_{op}_coo", source, c.integers(8, below=4, ordered=True), None, None)
            c(f"segment_{op}_csr", source, c.tensor([0, 2, 2, 5, 8]), None)
            c(f"segment_{op}_csr", source, c.tensor([0, 3, 8]), None)
    for dtype in ("float32", "float64"):
        c("gather_coo", c.real(4, 3, dtype=dtype, grad=True), c.tensor([0, 0, 1, 3, 3]), None)
        c("gather_csr", c.real(3, 3, dtype=dtype, grad=True), c.tensor([0, 2, 3, 6]), None)
        c("scatter_sum", c.real(4, dtype=dtype), c.tensor([0, 1, 0, 1]), 0, c.real(2, dtype=dtype), None)
    # Mistakes: an index of another type or size.
    c("scatter_sum", c.real(4), c.real(4), 0, None, 2)
    c("scatter_min", c.real(4), c.real(4), 0, None, 2)
    c("segment_sum_csr", c.real(4), c.tensor([0, 4], "int32"), None)
    c("segment_sum_coo", c.real(4), c.tensor([[0, 1], [0, 1]]), None, 2)
    c("scatter_max", c.real(3, 2), c.integers(2, 2, below=2), 3, None, None)


def torch_spline_conv(c):
    for dtype in ("float32", "float64"):
        for degree in (1, 2, 3):
            sizes, opened = c.tensor([5, 4]), c.tensor([1, 0], "uint8")
            pseudo = c.real(7, 2, dtype=dtype, low=0, high=1, grad=True)
            basis, index = c("spline_basis", pseudo, sizes, opened, degree)
            basis = basis.detach().clone().requires_grad_()
            source, weight = c.real(7, 3, dtype=dtype, grad=True), c.real(20, 3, 4, dtype=dtype, grad=True)
            c("spline_weighting", source, weight, basis, index)
            c("spline_weighting", source.detach(), weight, basis.detach(), index)
    c("spline_basis", c.real(7), c.tensor([5]), c.tensor([1], "uint8"), 1)
    c("spline_basis", c.real(7, 1, low=0, high=1), c.tensor([5]), c.tensor([1], "uint8"), 4)


def torch_cluster(c):
    for dtype in ("float32", "float64"):
        x, y = c.real(20, 3, dtype=dtype), c.real(9, 3, dtype=dtype)
        many_x, many_y = c.tensor([0, 8, 20]), c.tensor([0, 4, 9])
        for ratio in (0.25, 0.5, 1.0):
            c("fps", x, many_x, c.tensor([ratio], dtype), False)
            c("fps", x, c.tensor([0, 20]), c.tensor([ratio], dtype), False)
        for size in (0.3, 1.0):
            cells = c.tensor([size] * 3, dtype)
            c("grid", x, cells, None, None)
            c("grid", x, cells, c.tensor([-3.0] * 3, dtype), c.tensor([3.0] * 3, dtype))
        for k in (1, 3, 30):
            for cosine in (False, True):
                c("knn", x, y, many_x, many_y, k, cosine, 1)
                c("knn", x, y, None, None, k, cosine, 1)
        for radius in (0.5, 1.5):
            for most in (2, 32):
                c("radius", x, y, many_x, many_y, radius, most, 1)
                c("radius", x, y, None, None, radius, most, 1)
    c("nearest", x, y, many_x, many_y)
    for nodes, edges in ((6, 20), (12, 30)):
        pointers, rows, columns = c.graph(nodes, edges)
        c.torch.manual_seed(0)
        c("graclus", pointers, columns, None)
        c.torch.manual_seed(0)
        c("graclus", pointers, columns, c.real(edges, low=0, high=1))
        for p, q in ((1.0, 1.0), (0.5, 2.0)):
            c.torch.manual_seed(0)
            c("random_walk", pointers, columns, c.tensor([0, 1, 2]), 5, p, q)
    c("knn", c.real(4, 2), c.real(4, 3), None, None, 1, False, 1)
    c("grid", c.real(4), c.real(4), None, None)
    c("fps", c.real(4, 2), c.real(2), c.real(1), False)


def torch_sparse(c):
    for nodes, edges in ((5, 12), (9, 40)):
        pointers, rows, columns = c.graph(nodes, edges)
        order = np.lexsort((rows.numpy(), columns.numpy()))
        transposed = c.tensor(np.concatenate([[0], np.cumsum(np.bincount(columns.numpy(), minlength=nodes))]))
        order, counts = c.tensor(order), c.tensor(np.bincount(rows.numpy(), minlength=nodes))
        c("ind2ptr", rows, nodes)
        c("ptr2ind", pointers, edges)
        c("non_diag_mask", rows, columns, nodes, nodes, 0)
        c("non_diag_mask", rows, columns, nodes, nodes, 1)
        for dtype in ("float32", "float64"):
            dense, value = c.real(nodes, 3, dtype=dtype, grad=True), c.real(edges, dtype=dtype, grad=True)
            for weights in (value, None):
                c("spmm_sum", rows, pointers, columns, weights, transposed, order, dense)
                c("spmm_mean", rows, pointers, columns, weights, counts, transposed, order, dense)
                c("spmm_min", pointers, columns, weights, dense)
                c("spmm_max", pointers, columns, weights, dense)
        some = c.tensor([0, 2, 3])
        c("relabel", columns, some)
        c("relabel_one_hop", pointers, columns, None, some, False)
        c("relabel_one_hop", pointers, columns, c.real(edges), some, True)
        c("saint_subgraph", some, pointers, rows, columns)
        c("sample_adj", pointers, columns, some, -1, False)
        c("neighbor_sample", pointers, columns, some, [-1, -1], False, True)
        c("partition", pointers, columns, None, 2, True)
        c.torch.manual_seed(0)
        c("random_walk", pointers, columns, some, 4)
    c("ind2ptr", c.real(4), 3)
    c("spmm_sum", None, pointers, columns, None, None, None, c.real(nodes))


def boxes_and_pools(c, grads):
    """Operators on boxes; `grads`: whether they are differentiable, not only accompanied by other operators."""
    for dtype in ("float32", "float64"):
        for n in (0, 1, 30):
            for threshold in (0.2, 0.5):
                c("nms", c.boxes(n, dtype=dtype), c.real(n, dtype=dtype), threshold)
        images, n = c.real(2, 8, 15, 18, dtype=dtype, grad=grads), 6
        for contiguous in (True, False):
            x = images if contiguous else images.transpose(2, 3)
            height, width = x.shape[2:]
            rois = c.rois(n, 2, dtype=dtype)
            for scale, ratio, aligned in ((1.0, 2, False), (0.5, -1, True), (0.7, 3, True)):
                c("roi_align", x, rois, scale, 3, 2, ratio, aligned)
                c("ps_roi_align", x, rois, scale, 2, 2, ratio)
                grad = c.real(n, 8, 3, 2, dtype=dtype)
                c("_roi_align_backward", grad, rois, scale, 3, 2, 2, 8, height, width, ratio, aligned)
                _, mapping = c("ps_roi_align", x.detach(), rois, scale, 2, 2, ratio)
                grad = c.real(n, 2, 2, 2, dtype=dtype)
                c("_ps_roi_align_backward", grad, rois, mapping, scale, 2, 2, ratio, 2, 8, height, width)
            for scale in (1.0, 0.5):
                c("roi_pool", x, rois, scale, 3, 2)
                c("ps_roi_pool", x, rois, scale, 2, 2)
                _, mapping = c("roi_pool", x.detach(), rois, scale, 3, 2)
                grad = c.real(n, 8, 3, 2, dtype=dtype)
                c("_roi_pool_backward", grad, rois, mapping, scale, 3, 2, 2, 8, height, width)
                _, mapping = c("ps_roi_pool", x.detach(), rois, scale, 2, 2)
                grad = c.real(n, 2, 2, 2, dtype=dtype)
                c("_ps_roi_pool_backward", grad, rois, mapping, scale, 2, 2, 2, 8, height, width)
    c("nms", c.real(4, 3), c.real(4), 0.5)
    c("nms", c.real(4, 4), c.real(3), 0.5)
    c("nms", c.real(4, 4), c.real(4, dtype="float64"), 0.5)
    c("roi_align", c.real(1, 2, 5, 5), c.real(2, 4), 1.0, 2, 2, 2, False)
    c("roi_pool", c.real(1, 2, 5, 5), c.real(2, 5, dtype="float64"), 1.0, 2, 2)
    c("ps_roi_pool", c.real(1, 3, 5, 5), c.rois(2, 1), 1.0, 2, 2)


def torchvision(c):  # its deform_conv2d needs a later release of PyTorch
    boxes_and_pools(c, grads=False)
    for dtype in ("float32", "float64"):
        c("box_iou_rotated", c.rotated(5, dtype=dtype), c.rotated(7, dtype=dtype))


def torchvision_0_21(c):
    boxes_and_pools(c, grads=True)
    for dtype in ("float32", "float64"):
        for groups, offsets, masked in ((1, 1, True), (2, 2, True), (1, 2, False)):
            x = c.real(2, 4, 7, 8, dtype=dtype, grad=True)
            weight = c.real(6, 4 // groups, 3, 2, dtype=dtype, grad=True)
            offset = c.real(2, 2 * offsets * 6, 4, 4, dtype=dtype, grad=True)
            mask = c.real(2, offsets * 6, 4, 4, dtype=dtype, grad=masked)
            bias = c.real(6, dtype=dtype, grad=True)
            mask = mask if masked else c.zeros(2, 0, dtype=dtype)
            how = (2, 2, 1, 0, 1, 1, groups, offsets, masked)
            c("deform_conv2d", x, weight, offset, mask, bias, *how)
            tensors = [t.detach() for t in (x, weight, offset, mask, bias)]
            c("_deform_conv2d_backward", c.real(2, 6, 4, 4, dtype=dtype), *tensors, *how)


def torchaudio(c):
    for dtype in ("float32", "float64"):
        for order in (1, 2, 3):
            wave = c.real(2, 3, 20, dtype=dtype, grad=True)
            filters = [c.real(3, order + 1, dtype=dtype, low=0.3, high=1, grad=True) for _ in range(2)]
            c("_lfilter", wave, *filters)
            source, output = c.real(2, 3, 20, dtype=dtype), c.zeros(2, 3, 20 + order, dtype=dtype)
            c("_lfilter_core_loop", source, filters[0].detach().flip(1), output, written=[output])
        wave, temporary, output = c.real(2, 9, dtype=dtype), c.real(2, 9, dtype=dtype), c.zeros(2, 9, dtype=dtype)
        last = [c.zeros(2, dtype=dtype) for _ in range(2)]
        c("_overdrive_core_loop", wave, temporary, *last, output, written=[*last, output])
        scores = c.torch.log_softmax(c.real(1, 12, 5, dtype=dtype), -1)
        c("forced_align", scores, c.tensor([[1, 2, 2, 4]]), c.tensor([12]), c.tensor([4]), 0)
        c("forced_align", scores, c.tensor([[1, 2]], "int32"), c.tensor([12], "int32"), c.tensor([2], "int32"), 0)
        c("forced_align", scores, c.tensor([[0, 2]]), c.tensor([12]), c.tensor([2]), 0)
        c("_simulate_rir", c.real(1, 3, 5, dtype=dtype), c.integers(1, 3, below=6, dtype="int32"), 12)
        c("_make_rir_filter", c.real(7, dtype=dtype, low=20, high=200), 1000.0, 16)
        for d in (2, 3):
            place = [c.tensor([value] * d, dtype) for value in (5.0, 1.0, 3.5)]
            walls = [c.real(1, 2 * d, dtype=dtype, low=0.1, high=0.4) for _ in range(2)]
            c("ray_tracing", *place[:2], place[2][None], 30, *walls, 0.5, 343.0, 1e-7, 0.1, 0.004)
    lengths = [c.tensor([4, 3], "int32"), c.tensor([2, 1], "int32")]
    for clamp, fused in ((-1.0, True), (0.05, True), (-1.0, False)):
        logits, targets = c.real(2, 4, 3, 5, grad=True), c.integers(2, 2, below=4, dtype="int32")
        c("rnnt_loss", logits, targets, *lengths, 4, clamp, fused)
        c("rnnt_loss_alphas", logits.detach(), targets, *lengths, 4, clamp)
        c("rnnt_loss_betas", logits.detach(), targets, *lengths, 4, clamp)
    c("rnnt_loss", c.real(2, 4, 3, 5, dtype="float64"), targets, *lengths, 4, -1.0, True)
    c("rnnt_loss", c.real(2, 4, 3, 5), targets[:1], *lengths, 4, -1.0, True)


def detectron2(c):
    operators = c.torch.ops.detectron2
    module, c.functions = c.functions, operators
    for dtype in ("float32", "float64"):
        for n in (0, 3, 12):
            c("box_iou_rotated", c.rotated(n, dtype=dtype), c.rotated(5, dtype=dtype))
            for threshold in (0.1, 0.5):
                c("nms_rotated", c.rotated(n, dtype=dtype), c.real(n, dtype=dtype), threshold)
        for scale, ratio in ((1.0, 2), (0.5, 0), (0.25, 3)):
            image = c.tensor(c.random.randint(0, 2, (4, 1)), dtype)
            rois = c.torch.cat([image, c.rotated(4, dtype=dtype)], 1)
            c("roi_align_rotated_forward", c.real(2, 3, 15, 18, dtype=dtype), rois, scale, 3, 2, ratio)
            c("roi_align_rotated_backward", c.real(4, 3, 3, 2, dtype=dtype), rois, scale, 3, 2, 2, 3, 15, 18, ratio)
    c("box_iou_rotated", c.rotated(2, dtype="float64"), c.rotated(2))
    c.functions = module
    c("get_compiler_version")
    c("has_cuda")
    thresholds, areas = [0.5, 0.75], [[0.0, 1e10], [0.0, 1024.0]]
    truth = [[[module.InstanceAnnotation(i, 0.0, 900.0 + i, False, False) for i in range(1, 4)]]]
    found = [[[module.InstanceAnnotation(i, 0.9 - 0.1 * i, 800.0 + i, False, False) for i in range(1, 5)]]]
    overlaps = [[c.random.uniform(0.2, 1, (4, 3)).tolist()]]
    evaluations = module.COCOevalEvaluateImages(areas, 100, thresholds, overlaps, truth, found)
    fields = {"iouThrs": thresholds, "recThrs": [i / 10 for i in range(11)], "maxDets": [1, 100], "catIds": [1],
              "areaRng": areas, "imgIds": [1], "useCats": 1}  # fmt: skip
    parameters = type("Parameters", (), fields)()

    def accumulated():  # the date is another result
        found = module.COCOevalAccumulate(parameters, evaluations)
        return [list(found[name]) for name in ("counts", "precision", "recall", "scores")]

    c.functions = types.SimpleNamespace(accumulated=accumulated)
    c("accumulated")


CASES = {
    "torch_scatter": torch_scatter,
    "torch_cluster": torch_cluster,
    "torch_sparse": torch_sparse,
    "torch_spline_conv": torch_spline_conv,
    "torchvision": torchvision,
    "torchvision_0_21": torchvision_0_21,
    "torchaudio": torchaudio,
    "detectron2": detectron2,
}


def compared(ours, peer):
    """Count the calls whose results are equal, equal up to rounding and different, and name the latter."""
    equal, rounded, different = 0, 0, []
    for (label, a), (other, b) in zip(ours, peer, strict=True):
        assert label == other
        grades = [grade(x, y) for x, y in zip(a, b, strict=False)] if len(a) == len(b) else [2]
        worst = max(grades, default=0)
        equal, rounded = equal + (worst == 0), rounded + (worst == 1)
        if worst == 2:
            different.append(label)
    return {"calls": len(ours), "equal": equal, "rounded": rounded, "different": different}


def grade(a, b):
    """0 for equal results, 1 for those that differ by rounding, 2 for others."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return 0 if type(a) is type(b) and a == b else 2
    if a.dtype != b.dtype or a.shape != b.shape:
        return 2
    if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
        return 0
    if a.dtype.kind not in "fc":
        return 2
    tolerance = ROUNDING[a.real.dtype.itemsize]
    size = np.abs(b[np.isfinite(b)]).max(initial=0)
    return 1 if np.allclose(a, b, rtol=tolerance, atol=tolerance * size, equal_nan=True) else 2


def main():
    side, project, library, target = sys.argv[1:]
    if side == "ours":
        import flambeau

        flambeau.install_as_torch()
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if b"PyInit_x" in Path(library).read_bytes():
        loader = importlib.machinery.ExtensionFileLoader("x", library)
        functions = importlib.util.module_from_spec(importlib.util.spec_from_loader("x", loader))
        loader.exec_module(functions)
    else:
        torch.ops.load_library(library)
        functions = getattr(torch.ops, project.removesuffix("_0_21"))
    calls = Calls(torch, functions)
    CASES[project](calls)
    Path(target).write_bytes(pickle.dumps(calls.results))


if __name__ == "__main__":
    main()
