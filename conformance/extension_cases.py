"""The calls of each project's operators; extension_calls.py runs them on both sides.

Each function gets a `Calls` object, which makes arguments and keeps results. Arguments that a project's code does not
check (indices, sizes) are valid, because wrong ones write to any memory.
"""

import types

import numpy as np


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


def mmcv(c):
    def in_place(name, *args, result, **options):
        """Call a function that writes its result to an argument, the last of `args`."""
        written = c.zeros(*result)
        c(name, *args, written, written=[written], **options)

    for n, m in ((0, 3), (6, 4), (5, 5)):
        for mode in (0, 1):
            in_place("bbox_overlaps", c.boxes(n), c.boxes(m), result=(n, m), mode=mode, aligned=False, offset=0)
            in_place("box_iou_rotated", c.rotated(n), c.rotated(m), result=(n * m,), mode_flag=mode, aligned=False)
        if n == m:
            in_place("bbox_overlaps", c.boxes(n), c.boxes(m), result=(n,), mode=0, aligned=True, offset=1)
            in_place("box_iou_rotated", c.rotated(n), c.rotated(m), result=(n,), mode_flag=0, aligned=True)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]).ravel()
    quadri = [c.tensor(corners * 4 + np.tile(c.random.uniform(0, 3, (n, 2)), 4), "float32") for n in (6, 4)]
    in_place("box_iou_quadri", *quadri, result=(24,), mode_flag=0, aligned=False)
    c("nms_quadri", quadri[0], c.real(6), c.integers(6, below=6), quadri[0], 0.3, 0)
    for threshold in (0.1, 0.5):
        c("nms", c.boxes(20), c.real(20), threshold, 0)
        c("nms", c.boxes(20), c.real(20), threshold, 1)
        c("nms_match", c.torch.cat([c.boxes(12), c.real(12, 1)], 1), threshold)
        c("nms_rotated", c.rotated(9), c.real(9), c.integers(9, below=9), c.rotated(9), c.zeros(9), threshold, 0)
        for method in (0, 1, 2):
            found = c.zeros(10, 5)
            scores = c.real(10, low=0, high=1)
            c("softnms", c.boxes(10), scores, found, threshold, 0.5, 0.01, method, 0, written=[found])
    for dtype in ("float32", "float64"):
        image, rois = c.real(2, 4, 12, 10, dtype=dtype), c.rois(5, 2, size=10.0, dtype=dtype)
        for mode in (0, 1):
            for scale, aligned in ((1.0, True), (0.5, False)):
                outs = [c.zeros(5, 4, 3, 2, dtype=dtype) for _ in range(3)]
                c("roi_align_forward", image, rois, *outs, 3, 2, scale, 2, mode, aligned, written=outs)
                grad, into = c.real(5, 4, 3, 2, dtype=dtype), c.zeros(2, 4, 12, 10, dtype=dtype)
                args = (grad, rois, *outs[1:], into, 3, 2, scale, 2, mode, aligned)
                c("roi_align_backward", *args, written=[into])
        turned = c.torch.cat([rois[:, :1], c.rotated(5, 10.0, dtype, 3)], 1)
        points = c.torch.cat([rois[:, :1], c.real(5, 16, dtype=dtype, low=0, high=9)], 1)
        for name, boxes, last in (("roi_align_rotated", turned, (True, False)), ("bezier_align", points, (True,))):
            out, into = c.zeros(5, 4, 3, 2, dtype=dtype), c.zeros(2, 4, 12, 10, dtype=dtype)
            c(f"{name}_forward", image, boxes, out, 3, 2, 1.0, 2, *last, written=[out])
            grad = c.real(5, 4, 3, 2, dtype=dtype)
            args = (boxes, into, grad) if name == "roi_align_rotated" else (grad, boxes, into)
            c(f"{name}_backward", *args, 3, 2, 1.0, 2, *last, written=[into])
        for kind in (0, 1):
            sizes = {"psa_type": kind, "num_": 2, "h_feature": 4, "w_feature": 3, "h_mask": 5, "w_mask": 3,
                     "half_h_mask": 2, "half_w_mask": 1}  # fmt: skip
            out, into = c.zeros(2, 12, 4, 3, dtype=dtype), c.zeros(2, 15, 4, 3, dtype=dtype)
            c("psamask_forward", c.real(2, 15, 4, 3, dtype=dtype), out, written=[out], **sizes)
            c("psamask_backward", c.real(2, 12, 4, 3, dtype=dtype), into, written=[into], **sizes)
        indices = c.tensor(1 + c.random.randint(0, 9, (8, 3, 3, 4)), "int32")
        out, into = c.zeros(8, 24, 3, 3, dtype=dtype), c.zeros(2, 3, 8, 3, 3, dtype=dtype)
        c("active_rotated_filter_forward", c.real(2, 3, 8, 3, 3, dtype=dtype), indices, out, written=[out])
        c("active_rotated_filter_backward", c.real(8, 24, 3, 3, dtype=dtype), indices, into, written=[into])
        boxes = c.tensor(c.random.uniform(1, 5, (2, 6, 5, 5)), dtype)
        for count in (1, 5):
            for way in ("forward", "backward"):
                out = c.zeros(2, 3, 6, 5, dtype=dtype)
                args = (c.real(2, 3, 6, 5, dtype=dtype), boxes, out, 0.5, count)
                c(f"rotated_feature_align_{way}", *args, written=[out])
        for groups, offsets in ((1, 1), (2, 2)):
            image, weight = c.real(2, 4, 7, 8, dtype=dtype), c.real(6, 4 // groups, 3, 3, dtype=dtype)
            offset, mask = c.real(2, 18 * offsets, 7, 8, dtype=dtype), c.real(2, 9 * offsets, 7, 8, dtype=dtype)
            out, grad = c.zeros(2, 6, 7, 8, dtype=dtype), c.real(2, 6, 7, 8, dtype=dtype)
            empty = c.zeros(0, dtype=dtype)
            how = (3, 3, 1, 1, 1, 1, 1, 1, groups, offsets)
            c("deform_conv_forward", image, weight, offset, out, empty, empty, *how, 2, written=[out])
            into = [c.zeros(*t.shape, dtype=dtype) for t in (image, offset)]
            args = (image, offset, grad, *into, weight, empty, *how, 2)
            c("deform_conv_backward_input", *args, written=into)
            into = c.zeros(*weight.shape, dtype=dtype)
            c("deform_conv_backward_parameters", image, offset, grad, into, empty, empty, *how, 1.0, 2, written=[into])
            bias, out = c.real(6, dtype=dtype), c.zeros(2, 6, 7, 8, dtype=dtype)
            args = (image, weight, bias, empty, offset, mask)
            c("modulated_deform_conv_forward", *args, out, empty, *how, True, written=[out])
            into = [c.zeros(*t.shape, dtype=dtype) for t in (image, weight, bias, offset, mask)]
            c("modulated_deform_conv_backward", *args, empty, *into, grad, *how, True, written=into)
    points = c.real(40, 4, low=0, high=4)
    space = [c.tensor([0.5, 0.5, 1.0], "float32"), c.tensor([0, 0, 0, 4, 4, 4], "float32")]
    for most, many in ((3, 100), (1, 5)):
        outs = [c.zeros(many, most, 4), c.zeros(many, 3, dtype="int32"), c.zeros(many, dtype="int32"), c.tensor(0)]
        c("hard_voxelize_forward", points, *space, *outs, most, many, 3, True, written=outs)
    out = c.zeros(40, 3, dtype="int32")
    c("dynamic_voxelize_forward", points, *space, out, 3, written=[out])
    boxes = c.torch.cat([c.real(3, 3, low=0, high=4), c.real(3, 4, low=0.5, high=2)], 1)
    out = c.zeros(3, 40, dtype="int32")
    c("points_in_boxes_cpu_forward", boxes, points[:, :3].contiguous(), out, written=[out])
    label = c.tensor(np.kron([[1, 0, 0], [0, 0, 2], [0, 0, 0]], np.ones((3, 3))), "int32")
    kernels = c.tensor(c.random.randint(0, 2, (2, 9, 9)), "uint8")
    c("contour_expand", kernels, label, 1, 2)
    c("get_compiler_version")
    # Mistakes: operators without code for the CPU, another number of dimensions, another type.
    c("sigmoid_focal_loss_forward", c.real(3, 2), c.integers(3, below=2), c.real(2), c.zeros(3, 2), 2.0, 0.25)
    c("get_indice_pairs_2d_forward", c.zeros(4, 3), 1, *([[3, 3]] * 7), 0, 0)
    c("deform_conv_forward", c.real(2, 4), weight, offset, out, empty, empty, *how, 2)
    c("nms", c.boxes(3, dtype="float64"), c.real(3), 0.5, 0)
    c("nms", [1.0], c.real(3), 0.5, 0)


def pytorch3d(c):
    def faces(n, dtype="float32"):
        return c.real(n, 3, 3, dtype=dtype)

    def distances(name, dtype, first, second, counts, *area):
        """Distances between two kinds of shapes in each of the items of a batch, and their gradients."""
        starts = [c.tensor([0, count // 2]) for count in counts]
        dists, nearest = c(f"{name}_dist_forward", first, starts[0], second, starts[1], max(counts), *area)
        c(f"{name}_dist_backward", first, second, nearest, c.real(*dists.shape, dtype=dtype), *area)

    for dtype in ("float32",):  # most operators take no other
        verts, triangles = c.real(8, 3, dtype=dtype), c.integers(6, 3, below=8)
        c("face_areas_normals_forward", verts, triangles)
        grads = c.real(6, dtype=dtype), c.real(6, 3, dtype=dtype)
        c("face_areas_normals_backward", *grads, verts, triangles)
        first = c.tensor([0, 3, 4])
        c("packed_to_padded", c.real(9, 2, dtype=dtype), first, 5)
        c("padded_to_packed", c.real(3, 5, 2, dtype=dtype), first, 9)
        p1, p2 = c.real(2, 9, 3, dtype=dtype), c.real(2, 7, 3, dtype=dtype)
        lengths = c.tensor([9, 5]), c.tensor([7, 3])
        for norm in (1, 2):
            for k in (1, 3):
                nearest, _ = c("knn_points_idx", p1, p2, *lengths, norm, k, -1)
                c("knn_points_backward", p1, p2, *lengths, nearest, norm, c.real(2, 9, k, dtype=dtype))
        for radius in (0.5, 2.0):
            for skip in (True, False):
                c("ball_query", p1, p2, *lengths, 4, radius, skip)
        c("sample_farthest_points", p1, lengths[0], c.tensor([4, 2]), c.tensor([0, 1]), -1)
        for directed in (True, False):
            for backward in (True, False):
                c("gather_scatter", c.real(8, 3, dtype=dtype), c.integers(10, 2, below=8), directed, backward)
        points = c.real(6, 3, dtype=dtype)
        distances("point_face", dtype, points, faces(5, dtype), (6, 5), 1e-3)
        triangles, segments = faces(5, dtype), c.real(5, 2, 3, dtype=dtype)
        distances("point_edge", dtype, points, segments, (6, 5))
        starts = (c.tensor([0, 3]), c.tensor([0, 2]))
        for name, shapes, area in (("face", triangles, (1e-3,)), ("edge", segments, ())):
            dists, nearest = c(f"{name}_point_dist_forward", points, starts[0], shapes, starts[1], 5, *area)
            c(f"{name}_point_dist_backward", points, shapes, nearest, c.real(*dists.shape, dtype=dtype), *area)
            c(f"point_{name}_array_dist_forward", points, shapes, *area)
            c(f"point_{name}_array_dist_backward", points, shapes, c.real(6, 5, dtype=dtype), *area)
    c("mesh_normal_consistency_find_verts", c.tensor([0, 0, 1, 1, 1, 3]))
    for splat in (True, False):
        for aligned in (True, False):
            points, features = c.real(2, 9, 3, low=-1, high=1), c.real(2, 9, 2)
            sizes, mask = c.tensor([[4, 5, 3], [4, 4, 3]]), c.tensor(c.random.randint(0, 2, (2, 9)), "float32")
            volumes = [c.zeros(2, 1, 4, 5, 3), c.zeros(2, 2, 4, 5, 3)]
            how = (sizes, mask, 0.7, aligned, splat)
            c("points_to_volumes_forward", points, features, *volumes, *how, written=volumes)
            grads, into = [c.real(*v.shape) for v in volumes], [c.zeros(2, 9, 3), c.zeros(2, 9, 2)]
            c("points_to_volumes_backward", points, features, *how, *grads, *into, written=into)
    clouds = c.tensor([0, 12]), c.tensor([12, 8])
    points = c.torch.cat([c.real(20, 2, low=-1, high=1), c.real(20, 1, low=0.2, high=2)], 1)
    radius = c.real(20, low=0.1, high=0.5)
    found, depths, dists = c("rasterize_points", points, *clouds, (16, 12), radius, 3, 0, 0)
    c("rasterize_points_backward", points, found, c.real(*depths.shape), c.real(*dists.shape))
    c("_rasterize_points_coarse", points, *clouds, (16, 12), radius, 8, 20)
    shapes = c.torch.cat([c.real(9, 3, 2, low=-1, high=1), c.real(9, 3, 1, low=0.5, high=2)], 2)
    meshes, clipped = (c.tensor([0, 4]), c.tensor([4, 5])), c.tensor([-1] * 9)
    for correct in (True, False):
        for blur in (0.0, 0.05):
            how = (correct, blur > 0, False)
            args = (shapes, *meshes, clipped, (14, 10), blur, 2)
            found, depths, inside, dists = c("rasterize_meshes", *args, 0, 0, *how)
            c("rasterize_meshes", *args, 8, 9, correct, blur > 0, True)
            grads = [c.real(*t.shape) for t in (depths, inside, dists)]
            c("rasterize_meshes_backward", shapes, found, *grads, correct, blur > 0)
    c("_rasterize_meshes_coarse", shapes, *meshes, (14, 10), 0.05, 8, 9)
    alphas = c("sigmoid_alpha_blend", dists, found, 0.3)
    c("sigmoid_alpha_blend_backward", c.real(*alphas.shape), alphas, dists, found, 0.3)
    for kind in ("weightedsumnorm", "weightedsum", "alphacomposite"):
        features, weights = c.real(4, 9), c.real(2, 3, 5, 6, low=0.1, high=0.9)
        index = c.integers(2, 3, 5, 6, below=9) - 1
        blended = c(f"accum_{kind}", features, weights, index)
        c(f"accum_{kind}_backward", c.real(*blended.shape), features, weights, index)
    samples = c.real(4, 6, low=0, high=1)
    bins = c.tensor(np.sort(c.random.uniform(0, 1, (4, 9)), 1), "float32")
    c("sample_pdf", bins, c.real(4, 8, low=0, high=1), samples, 1e-5, written=[samples])
    unit = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    boxes = [c.tensor(unit + c.random.uniform(0, 0.7, (n, 1, 3)), "float32") for n in (3, 4)]
    c("iou_box3d", *boxes)
    for level in (0.0, 0.4):
        c("marching_cubes", c.real(5, 4, 6), level)
    # Mistakes: operators without code for the CPU, other sizes, types and devices.
    c("interp_face_attrs_forward", found, inside, c.real(9, 3, 2))
    c("knn_points_idx", c.real(2, 9, 3), c.real(2, 7, 3, dtype="float64"), *lengths, 2, 1, -1)
    c("rasterize_points", points[:, :2], *clouds, (16, 12), radius, 3, 0, 0)
    c("packed_to_padded", c.real(9, 2), None, 5)


CASES = {
    "torch_scatter": torch_scatter,
    "torch_cluster": torch_cluster,
    "torch_sparse": torch_sparse,
    "torch_spline_conv": torch_spline_conv,
    "torchvision": torchvision,
    "torchvision_0_21": torchvision_0_21,
    "torchaudio": torchaudio,
    "detectron2": detectron2,
    "mmcv": mmcv,
    "pytorch3d": pytorch3d,
}
