"""Private names of PyTorch that packages use, with what they give there."""

import re
import warnings

import pytest

import flambeau as torch


def test_subclasses_print_themselves():
    class Labelled(torch.Tensor):
        def __repr__(self):
            text = torch._tensor_str._tensor_str(self, 9)
            return torch._tensor_str._add_suffixes("Labelled(" + text, ["label='a'"], 9, False)

    x = torch.arange(4.0).reshape(2, 2).as_subclass(Labelled)
    assert repr(x) == "Labelled([[0., 1.],\n          [2., 3.]], label='a')"
    assert torch._tensor_str._str_intern(x, tensor_contents="...") == "Labelled(...)"
    assert torch._tensor_str._add_suffixes("x(1", ["a", "b"], 2, True) == "x(1,\n  a, b)"  # as PyTorch prints it


def test_questions_to_the_compiled_module():
    inside = []
    torch.vmap(lambda x: inside.append(torch._C._are_functorch_transforms_active()) or x)(torch.ones(2))
    assert inside == [True] and not torch._C._are_functorch_transforms_active()
    assert torch._C._get_default_device() == "cpu"


def test_what_torch_is_built_with():
    """Test suites skip what a build lacks."""
    assert torch._C.has_lapack and torch._C.has_spectral and not torch._C.has_mkl and not torch._C.has_openmp


def test_metadata_of_tensors():
    x, check = torch.ones(2, 3), torch._assert_tensor_metadata
    check(x, [2, 3], (3, 1), torch.float32, device="cpu", layout=torch.strided)
    for options, text in (
        ({"size": (2, 4)}, "Tensor sizes mismatch! Expected: [2, 4], Got: [2, 3]"),
        ({"stride": (1, 1)}, "Tensor strides mismatch! Expected: [1, 1], Got: [3, 1]"),
        ({"dtype": torch.float64}, "Tensor dtype mismatch! Expected: Double, Got: Float"),
        ({"device": "meta"}, "Tensor device mismatch! Expected: meta, Got: cpu"),
        ({"layout": torch.sparse_coo}, "Tensor layout mismatch! Expected: Sparse, Got: Strided"),
    ):
        with pytest.raises(RuntimeError, match=re.escape(text)):
            check(x, **options)
    assert torch._C._infer_size(torch.Size((2, 1)), torch.Size((3,))) == (2, 3)
    with pytest.raises(RuntimeError, match="broadcast"):
        torch._C._infer_size(torch.Size((2, 1)), torch.Size((3, 2)))


def test_storage_types():
    with warnings.catch_warnings(action="ignore"):
        assert torch.ones(1).storage_type() is torch.FloatStorage
        assert torch.ones(1, dtype=torch.bfloat16).storage_type() is torch.BFloat16Storage


def test_vmap_that_returns_where_results_are_batched():
    from flambeau._functorch.vmap import restore_vmap

    x = torch.arange(6.0).reshape(2, 3)
    (total, same, one), dims = restore_vmap(lambda x, y: (x + y, y, 1), (0, None), 2, "error")(x, x)
    assert dims == (0, None, None) and one == 1 and same is x
    assert torch.equal(total, x[:, None] + x)
    assert restore_vmap(lambda x: x, (None,), 5, "error")(x)[1] is None


def test_types_for_annotations():
    from flambeau.types import Device, FileLike, Number, _size, _TensorOrTensors

    assert isinstance(3, Number) and isinstance(None, Device) and isinstance("cpu", Device)
    assert isinstance(torch.ones(1), _TensorOrTensors) and isinstance(torch.Size([1]), _size)
    assert str in FileLike.__args__ and torch.types._Number == (int, float, bool)


def test_the_module_has_itself_among_its_names():
    assert torch.torch is torch and torch.torch.ones(1).item() == 1


def test_either_of_two_functions():
    both = torch._jit_internal.boolean_dispatch("twice", 1, False, lambda x, twice=False: 2 * x, lambda x: x)
    assert (both(3), both(3, twice=True)) == (3, 6)


def test_functions_below_the_python_of_nn():
    assert torch._C._nn.gelu is torch.nn.functional.gelu and not hasattr(torch._C._nn, "nothing")
    assert torch._C._nn._parse_to("cpu", torch.float64) == (torch.device("cpu"), torch.float64, False, None)


def test_where_backward_is():
    x, inside = torch.ones(1, requires_grad=True), []
    x.register_hook(lambda grad: inside.append(torch._C._current_graph_task_id()))
    (x * 2).backward()
    assert inside[0] >= 0 and torch._C._current_graph_task_id() == -1
    assert issubclass(torch._C._TensorMeta, type) and isinstance(torch.Tensor, torch._C._TensorMeta)


def test_the_device_that_is_not_the_cpu():
    assert torch._C._get_accelerator() == torch.device("cpu")
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
        torch._C._get_accelerator(True)


def test_what_distributed_training_asks_of_tensors():
    tensors = [torch.ones(2), torch.zeros(1, 3)]
    flat = torch._utils._flatten_dense_tensors(tensors)
    assert flat.tolist() == [1, 1, 0, 0, 0]
    assert [t.shape for t in torch._utils._unflatten_dense_tensors(flat, tensors)] == [(2,), (1, 3)]
    assert torch._utils._element_size(torch.float64) == 8
    assert torch._utils._get_device_index("cuda:1") == 1 and torch._utils._get_device_index(None, True) is None
    assert torch._utils._get_device_index(torch.device("cpu"), allow_cpu=True) == -1
    with pytest.raises(ValueError, match="Expected a torch.device with a specified index or an integer"):
        torch._utils._get_device_index(None)
    with pytest.raises(ValueError, match="Expected a non cpu device"):
        torch._utils._get_device_index("cpu")


def test_dicts_taken_apart():
    tree = torch.utils._pytree
    values, keys = tree._dict_flatten({"a": 1, "b": 2})
    assert (values, keys) == ([1, 2], ["a", "b"]) and tree._dict_unflatten(values, keys) == {"a": 1, "b": 2}
    assert str(tree._dict_flatten_with_keys({"a": 1})[0][0][0]) == "['a']" and tree._get_node_type({}) is dict


def test_modules_that_packages_import_from():
    from flambeau._dynamo.exc import TorchDynamoException, Unsupported
    from flambeau._tensor import _rebuild_from_type_v2
    from flambeau.jit.annotations import BroadcastingList2
    from flambeau.profiler.profiler import profile

    assert issubclass(Unsupported, TorchDynamoException) and BroadcastingList2[int] is None
    assert profile is torch.profiler.profile and torch._tensor.Tensor is torch.Tensor
    assert _rebuild_from_type_v2(torch.ones, torch.Tensor, (2,), {}).tolist() == [1, 1]
    assert torch.ScriptModule is torch.jit.ScriptModule and torch.GradScaler is torch.amp.GradScaler


def test_questions_of_sparse_tensors_to_dense_ones():
    x = torch.ones(2, 3)
    assert (x.sparse_dim(), x.dense_dim(), x.is_distributed(), x.is_same_size(torch.ones(2, 3))) == (0, 2, False, True)
    assert x.pin_memory() is x and x.narrow_copy(1, 0, 2).tolist() == [[1, 1], [1, 1]]
    for name in ("coalesce", "is_coalesced", "values", "indices", "crow_indices", "row_indices"):
        with pytest.raises(RuntimeError, match=f"{name} expected sparse .*tensor layout but got Strided"):
            getattr(x, name)()


def test_losses_that_take_a_number_for_the_reduction():
    losses, x, y = torch._C._nn, torch.ones(3), torch.zeros(3)
    for number, result in ((0, [1, 1, 1]), (1, 1), (2, 3)):
        assert losses.mse_loss(x, y, number).tolist() == result == losses.l1_loss(x, y, reduction=number).tolist()
    assert losses.huber_loss(x, y).tolist() == [0.5, 0.5, 0.5] and losses.smooth_l1_loss(x, y, 1, 2.0) == 0.25
    scores, classes = torch.tensor([[1.0, 2.0, 4.0]] * 2), torch.tensor([0, 1])
    assert losses.nll_loss(scores, classes, None, 2, -100) == -3
    assert losses.nll_loss_nd(scores, classes).tolist() == [-1, -2]
    assert losses.cross_entropy_loss(scores, classes, None, 1) == torch.nn.functional.cross_entropy(scores, classes)
    assert losses.multi_margin_loss(scores, classes, 1, 1.0, None, 2) == 2 * torch.nn.functional.multi_margin_loss(
        scores, classes
    )
    for wrong, error in (("mean", TypeError), (True, TypeError), (None, TypeError), (3, RuntimeError)):
        with pytest.raises(error, match="reduction"):
            losses.mse_loss(x, y, wrong)
    for name in ("l1_loss", "mse_loss", "smooth_l1_loss"):
        with pytest.warns(UserWarning, match="target size"):
            assert getattr(losses, name)(torch.tensor(0.5), torch.ones(3).half()).dtype is torch.float16


def test_vmap_in_a_number_of_pieces():
    from flambeau.functorch.experimental import chunk_vmap

    x = torch.arange(10.0).view(5, 2)
    seen = []

    def function(row):
        seen.append(1)
        return row.sum()

    for chunks in (1, 2, 5, 7):
        seen.clear()
        assert torch.equal(chunk_vmap(function, chunks=chunks)(x), x.sum(1)) and len(seen) == min(chunks, 5)
    with pytest.raises(ValueError, match="chunks should be greater than 0, got 0"):
        chunk_vmap(function, chunks=0)


def test_calls_that_go_on_to_the_modules_own():
    class Doubled(torch.nn.Linear):
        def __call__(self, x):
            return 2 * self._call_impl(x)

    layer = Doubled(2, 1)
    heard = []
    layer.register_forward_hook(lambda *args: heard.append(args))
    x = torch.ones(1, 2)
    assert torch.equal(layer(x), 2 * (x @ layer.weight.T + layer.bias)) and len(heard) == 1


def test_schemas_are_read():
    text = "shop::total.of(Tensor(a!) prices, int[2] x=[1, 2], *, float? tax=None) -> Tensor(a!)"
    schema = torch._C.parse_schema(text)
    assert (schema.name, schema.overload_name, schema.is_mutable) == ("shop::total", "of", True)
    assert [(a.name, a.kwarg_only, a.has_default_value()) for a in schema.arguments] == [
        ("prices", False, False),
        ("x", False, True),
        ("tax", True, True),
    ]
    assert isinstance(schema, torch._C.FunctionSchema) and isinstance(schema.returns[0], torch._C.Argument)
    assert isinstance(torch.ops.aten.add.Tensor._schema, torch._C.FunctionSchema)
    with pytest.raises(RuntimeError, match="a schema reads"):
        torch._C.parse_schema("total(")


def test_classes_of_operators():
    from flambeau._ops import OpOverload, OpOverloadPacket, ops

    assert ops is torch.ops
    assert isinstance(torch.ops.aten.add, OpOverloadPacket) and isinstance(torch.ops.aten.add.Tensor, OpOverload)


def test_tensors_and_nodes_in_the_compiled_module():
    x = torch.ones(2, requires_grad=True)
    assert isinstance((x * 2).grad_fn.next_functions[0][0], torch._C._functions.AccumulateGrad)
    assert torch._C._is_alias_of(x, x.view(2, 1)) and not torch._C._is_alias_of(x, x.clone())
    reference = torch._C._WeakTensorRef(x)
    assert not reference.expired()
    del x
    assert reference.expired()
    assert torch._C.dtype is torch.dtype and torch._C.is_grad_enabled() and torch._C.Tag is torch.Tag
    assert torch.autograd._is_checkpoint_valid()


def test_helpers_of_packages():
    from flambeau._tensor import _convert
    from flambeau._utils import _set_obj_state
    from flambeau.amp.autocast_mode import _cast
    from flambeau.utils._device import DeviceContext, _device_constructors
    from flambeau.utils.benchmark.utils.common import Measurement

    class Mine(torch.Tensor):
        pass

    kinds = [type(t) for t in _convert((torch.ones(1), Mine([1.0])), Mine)]
    assert kinds == [Mine, Mine] and _convert(3, Mine) == 3
    assert [t.dtype for t in _cast((torch.ones(1), torch.ones(1, dtype=torch.float64)), "cpu", torch.bfloat16)] == [
        torch.bfloat16,
        torch.float64,
    ]
    with DeviceContext("meta"):
        assert torch.ones(1).device.type == "meta"
    assert torch.ones in _device_constructors() and Measurement is torch.utils.benchmark.Measurement
    assert vars(_set_obj_state(type("Thing", (), {})(), {"a": 1})) == {"a": 1}
    assert torch._has_compatible_shallow_copy_type(torch.ones(1), torch.ones(2))
    assert torch.utils._pytree.arg_tree_leaves(1, (2, [3]), a={"b": 4}) == [1, 2, 3, 4]
    assert {"Linear", "LSTM", "Module"} <= set(torch.nn.modules.__all__)
    assert torch.legacy_contiguous_format is torch.contiguous_format and torch.ScriptObject
    assert torch.backends.nnpack.set_flags(True) == (False,) and not torch.set_vital("a", "b", "c")


def test_functions_around_layers():
    masked = torch.tensor([[True, False], [False, False]])
    assert torch._masked_softmax(torch.ones(2, 2), masked, 1, 2).tolist() == [[0.0, 1.0], [0.5, 0.5]]
    rows = torch._masked_softmax(torch.ones(2, 1, 2, 2), masked, 3, 1)
    assert rows[0, 0].tolist() == [[0.0, 1.0], [0.0, 1.0]] and rows[1, 0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(RuntimeError, match="Mask should be a boolean tensor"):
        torch._masked_softmax(torch.ones(2), torch.ones(2))
    x = torch.tensor([-2.0, 1.0])
    assert torch._VF._add_relu(x, 1, alpha=1).tolist() == [0.0, 2.0] and torch._add_relu_(x, 3).tolist() == [1.0, 4.0]
    assert torch._softmax(x.bfloat16(), 0, True).dtype is torch.float32
    assert torch.equal(torch._log_softmax(x, 0, False).exp(), torch.log_softmax(x, 0).exp())
    with pytest.raises(RuntimeError):
        torch._C._nn.slow_conv3d(torch.empty(1, 1, 1, 0), torch.empty(1, 0, 1), 1)
    assert torch.nn.functional.GRID_SAMPLE_PADDING_MODES["border"] == 1
    assert torch._embedding_bag is torch.embedding_bag and torch.nn.functional.grad.conv1d_input


def test_hooks_on_saved_tensors():
    inner, graph = torch._C._autograd, torch.autograd.graph
    with graph.disable_saved_tensors_hooks("outer"):
        with graph.disable_saved_tensors_hooks("inner"):
            assert inner._saved_tensors_hooks_get_disabled_error_message() == "inner"
        assert not inner._saved_tensors_hooks_is_enabled()
        with pytest.raises(RuntimeError, match="outer"):
            inner._push_saved_tensors_default_hooks(id, id)
    assert inner._saved_tensors_hooks_is_enabled() and inner._top_saved_tensors_default_hooks() is None
    x = torch.ones(2, requires_grad=True)
    inner._push_saved_tensors_default_hooks(lambda t: t * 5, lambda t: t)
    y = x * x
    with pytest.raises(RuntimeError, match="no hooks may be"):
        inner._saved_tensors_hooks_disable("no hooks may be")
    inner._pop_saved_tensors_default_hooks()
    with pytest.raises(RuntimeError, match="no hooks on saved tensors"):
        inner._pop_saved_tensors_default_hooks()
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [10.0, 10.0]
    inner._saved_tensors_hooks_disable("off")
    inner._saved_tensors_hooks_enable()
    inner._saved_tensors_hooks_enable()
    assert inner._saved_tensors_hooks_is_enabled()
    assert type(y.grad_fn._raw_saved_self) is torch.autograd.SavedTensor is inner.SavedTensor
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        torch.autograd.SavedTensor()
    with pytest.raises(TypeError, match="incompatible function arguments"):
        y.grad_fn._raw_saved_self.register_hooks(id)


def test_nodes_that_a_backward_executes():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z, found = y.exp(), []

    def ask(grad):
        found.append([torch._C._will_engine_execute_node(t.grad_fn) for t in (y, z)])
        with torch.autograd.set_multithreading_enabled(False):
            found.append([node.name() for node in torch._C._current_graph_task_execution_order()])

    y.register_hook(ask)
    y.sum().backward()
    assert found == [[True, False], ["MulBackward0", "torch::autograd::AccumulateGrad"]]
    for call in (torch._C._current_graph_task_execution_order, lambda: torch._C._will_engine_execute_node(y.grad_fn)):
        with pytest.raises(RuntimeError, match="during the backward pass"):
            call()
    with pytest.raises(RuntimeError, match="expects an grad_fn"):
        torch._C._will_engine_execute_node(y)


def test_functions_whose_gradient_is_an_error_or_undefined():
    x = torch.ones(2, requires_grad=True)
    for message in ("Boom", b"Boom"):
        y = torch._C._functions.DelayedError(message, 1)(x)
        with pytest.raises(RuntimeError, match="Boom"):
            y.sum().backward()
    torch._C._functions.UndefinedGrad()(x * 2).sum().backward()
    assert x.grad is None
    assert issubclass(torch._C._functions.DelayedError, torch.autograd.graph.Node)


def test_forward_mode_is_switched():
    torch._C._set_fwd_grad_enabled(False)
    try:
        assert not torch._C._is_fwd_grad_enabled()
    finally:
        torch._C._set_fwd_grad_enabled(True)
    assert torch._C._is_fwd_grad_enabled()


def test_distinct_elements():
    x = torch.tensor([3, 1, 3])
    values, where = torch._unique(x, return_inverse=True)
    assert values.tolist() == [1, 3] and where.tolist() == [1, 0, 1]
    assert [t.tolist() for t in torch._unique2(x, return_counts=True)] == [[1, 3], [], [1, 2]]


def test_records_of_files(tmp_path):
    path = tmp_path / "a.pt"
    torch.save({"x": torch.arange(4.0)}, path)
    reader = torch._C.PyTorchFileReader(str(path))
    assert {"data.pkl", "data/0", "version"} <= set(reader.get_all_records())
    assert reader.get_record("version") == b"3\n" and not reader.has_record("other")
    assert reader.get_record_offset("data/0") % 64 == 0
    assert reader.get_storage_from_record("data/0", 4, torch.float32).tolist() == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="file not found"):
        reader.get_record("other")
    with torch.serialization._open_zipfile_writer(str(path)) as writer:
        writer.write_record("k", b"abc", 2)
        assert writer.archive_name() == "a"
    with torch.serialization._open_zipfile_reader(str(path)) as reader:
        assert reader.get_record("k") == b"ab"
    with open(path, "rb") as file:
        assert torch.serialization._is_zipfile(file) and file.tell() == 0


def test_functions_that_run_aside():
    assert torch.jit._wait(torch.jit._fork(torch.add, torch.ones(2), 1)).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="size of tensor"):
        torch.jit.fork(torch.add, torch.ones(2), torch.ones(3))
