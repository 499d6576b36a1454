"""Names of PyTorch's that packages import or use without need of what is behind them."""

import importlib
import io
import subprocess
import sys
from collections import OrderedDict, namedtuple

import pytest

import flambeau as torch
from flambeau_tensor.not_built import NotBuiltError


def test_dtypes_that_no_tensor_has():
    eight = torch.float8_e4m3fn
    assert isinstance(eight, torch.dtype) and repr(eight) == "torch.float8_e4m3fn" and eight != torch.uint8
    assert (eight.itemsize, eight.is_floating_point, eight.is_signed, eight.is_complex) == (1, True, True, False)
    assert (torch.qint32.itemsize, torch.uint4.is_signed, torch.int4.is_signed) == (4, False, True)
    assert {torch.float8_e5m2: 1}[torch.float8_e5m2] == 1 and eight.to_real() is eight
    with pytest.raises(RuntimeError, match="^Unknown Complex ScalarType for Float8_e5m2$"):
        torch.float8_e5m2.to_complex()
    with pytest.raises(RuntimeError, match="^isSignedType not supported for quantized types$"):
        assert torch.quint8.is_signed
    limits = torch.finfo(eight)  # as PyTorch has them
    assert (limits.max, limits.min, limits.eps, limits.tiny, limits.bits) == (448.0, -448.0, 0.125, 0.015625, 8)
    assert torch.finfo(torch.float8_e5m2).max == 57344.0
    for make in (
        lambda: torch.zeros(2, dtype=eight),
        lambda: torch.zeros(2).view(torch.int4),
        lambda: torch.zeros(2).sum(dtype=torch.float8_e5m2),
        lambda: torch.nn.Linear(2, 3, dtype=eight),
    ):
        with pytest.raises(NotBuiltError, match="tensors of torch.* are not built"):
            make()


def test_sets_of_dispatch_keys():
    key = torch._C.DispatchKey
    both = torch._C.DispatchKeySet(key.CPU) | torch._C.DispatchKeySet(key.AutocastCPU)
    assert both.has(key.CPU) and not both.remove(key.CPU).has(key.CPU) and both.add(key.Meta) & both == both
    x = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch._C._ExcludeDispatchKeyGuard(both):
            assert (x @ x).dtype is torch.float32
        assert (x @ x).dtype is torch.bfloat16


def test_questions_about_where_things_are():
    assert torch._C._get_accelerator() == torch.device("cpu") and torch.get_device_module() is torch.cpu
    assert torch._C._nn._parse_to("cpu", torch.float64, non_blocking=True) == (
        torch.device("cpu"), torch.float64, True, None,
    )  # fmt: skip
    assert torch._utils._get_device_index("cuda:1") == 1 and torch._utils._get_device_index("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="^Expected a non cpu device, but got: cpu$"):
        torch._utils._get_device_index("cpu")
    assert torch._utils._element_size(torch.bfloat16) == 2


def test_numbers_that_could_be_symbols():
    assert (torch.sym_int(-2.7), torch.sym_float(3), torch.sym_min(2, 3.0), torch.sym_max(2, 3)) == (-2, 3.0, 2.0, 3)
    assert torch.sym_not(True) is False and torch.sym_ite(False, 1, 2) == 2 and torch.sym_sum([1, 2]) == 3
    assert torch._shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3]
    with pytest.raises(RuntimeError, match="^Expected Tensor with single nonzero value, but got zero$"):
        torch._assert_async(torch.tensor(0))


def test_tensors_laid_end_to_end():
    parts = [torch.ones(2, 3), torch.zeros(2)]
    flat = torch._utils._flatten_dense_tensors(parts)
    assert flat.shape == (8,)
    again = torch._utils._unflatten_dense_tensors(flat, parts)
    assert all(torch.equal(a, b) for a, b in zip(again, parts, strict=True))


def test_records_of_a_file():
    file = io.BytesIO()
    torch.save({"a": torch.arange(3.0)}, file)
    reader = torch.PyTorchFileReader(file)
    assert reader.has_record("data.pkl") and not reader.has_record("data/7")
    assert reader.get_storage_from_record("data/0", 3, torch.float32).tolist() == [0.0, 1.0, 2.0]


def test_how_containers_are_flattened():
    tree = importlib.import_module("flambeau.utils._pytree")
    assert tree._dict_flatten({"b": 1, "a": 2}) == ([1, 2], ["b", "a"])
    pairs, context = tree._dict_flatten_with_keys({"b": 1})
    assert [(key.key, value) for key, value in pairs] == [("b", 1)] and context == ["b"]
    assert tree._get_node_type([1]) is list and tree._get_node_type(1) is int


def test_contexts_decorate_functions_and_generators():
    contexts = importlib.import_module("flambeau.utils._contextlib")
    heard = []

    class Heard(contexts._DecoratorContextManager):
        def __enter__(self):
            heard.append("in")

        def __exit__(self, *exc):
            heard.append("out")

    assert Heard()(lambda: heard.append("f") or 3)() == 3 and heard == ["in", "f", "out"]

    @Heard()
    def steps():
        yield 1
        yield 2

    heard.clear()
    for _ in steps():
        heard.append("between")
    assert heard == ["in", "out", "between", "in", "out", "between", "in", "out"]


def test_marks_of_quantization_pass_values_on():
    x = torch.ones(2)
    assert torch.ao.quantization.QuantStub()(x) is x and torch.ao.quantization.DeQuantStub()(x) is x
    assert not hasattr(torch.ao.quantization, "convert")
    for name in ("ObserverBase", "FakeQuantizeBase"):
        assert not isinstance(torch.ao.quantization.QuantStub(), getattr(torch.ao.quantization, name))
        with pytest.raises(NotImplementedError, match=rf"^torch\.ao\.quantization\.{name} is not built$"):
            getattr(torch.ao.quantization, name)()


@pytest.mark.parametrize(
    "statement",
    [
        "from torch.optim.adamw import AdamW as found; from torch.optim import AdamW as wanted",
        "from torch.optim.adamax import Adamax as found; from torch.optim import Adamax as wanted",
        "from torch.optim.nadam import NAdam as found; from torch.optim import NAdam as wanted",
        "from torch.optim.radam import RAdam as found; from torch.optim import RAdam as wanted",
        "from torch._C import Graph, Value, Node, Block; found = wanted = None",
        "from torch.nested import nested_tensor, as_nested_tensor; found = wanted = None",
        "from functorch import vmap as found; from torch import vmap as wanted",
    ],
)
def test_imports_that_packages_begin_with(statement):
    done = subprocess.run(
        [sys.executable, "-m", "flambeau", "-c", f"{statement}; assert found is wanted"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_private_conversions():
    x = torch.tensor([3.7, -1.0], requires_grad=True)
    assert torch._cast_Long(x).tolist() == [3, -1] and torch._cast_Char(x).dtype is torch.int8
    torch._cast_Double(x, True).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_nodes_of_trees_can_be_registered_again_by_their_own_functions():
    from flambeau.utils import _pytree as tree

    class Pair(namedtuple("Pair", "a b")):  # noqa: SLOT002
        pass

    tree.register_pytree_node(Pair, tree._namedtuple_flatten, tree._namedtuple_unflatten)
    assert tree.tree_map(lambda x: x + 1, {"p": Pair(1, [2])}) == {"p": Pair(2, [3])}
    for made, flatten, unflatten in (
        ([1, 2], tree._list_flatten, tree._list_unflatten),
        ((1, 2), tree._tuple_flatten, tree._tuple_unflatten),
        ({"b": 1, "a": 2}, tree._dict_flatten, tree._dict_unflatten),
        (OrderedDict(b=1, a=2), tree._ordereddict_flatten, tree._ordereddict_unflatten),
    ):
        values, context = flatten(made)
        assert list(values) == [1, 2]
        again = unflatten(values, context)
        assert again == made and type(again) is type(made)


def test_storages_say_how_much_memory_they_take():
    x = torch.zeros(1000, dtype=torch.float64)
    assert 8000 <= sys.getsizeof(x.untyped_storage()) < 8200
    small = sys.getsizeof(torch.zeros(0).untyped_storage())
    assert sys.getsizeof(torch.zeros(3, dtype=torch.int16).untyped_storage()) == small + 6
    storage = torch.ByteStorage._from_buffer(b"abc")
    assert storage.tolist() == [97, 98, 99] and sys.getsizeof(storage) > 3


@pytest.mark.parametrize(
    "name",
    [
        "_custom_ops",
        "_dynamo._trace_wrapped_higher_order_op",
        "_dynamo.exc",
        "_functorch.vmap",
        "_guards",
        "_subclasses.fake_tensor",
        "distributed._composable.fsdp",
        "distributed._tensor.experimental",
        "distributed.autograd",
        "distributed.elastic.multiprocessing.errors",
        "distributed.optim",
        "distributed.tensor.parallel",
        "distributed.tensor.placement_types",
        "export",
        "fx.experimental.symbolic_shapes",
        "jit._state",
        "jit.annotations",
        "nn.utils._named_member_accessor",
        "onnx.symbolic_helper",
        "utils._foreach_utils",
        "utils._triton",
        "utils.deterministic",
    ],
)
def test_modules_that_are_imported_without_need(name):
    assert importlib.import_module(f"flambeau.{name}").__doc__


def test_modules_answer_that_there_is_nothing():
    assert not importlib.import_module("flambeau._subclasses.fake_tensor").is_fake(torch.ones(1))
    shapes = importlib.import_module("flambeau.fx.experimental.symbolic_shapes")
    assert shapes.guard_or_false(2 > 1) and not shapes.has_free_symbols(torch.ones(2).shape)


def test_a_tensor_takes_the_place_of_another():
    swap = importlib.import_module("flambeau.nn.utils._named_member_accessor").swap_tensor
    layer = torch.nn.Linear(2, 2)
    before, other = layer.weight, torch.zeros(2, 2)
    assert swap(layer, "weight", other) is before and layer.weight is other
    with pytest.raises(AttributeError, match="Linear has no attribute `w`"):
        swap(layer, "w", other)


def test_libraries_change_what_vmap_takes_for_a_tensor(monkeypatch):
    steps = importlib.import_module("flambeau._functorch.vmap")
    inside = importlib.import_module("flambeau._C._functorch")

    class Pair:
        def __init__(self, a, b):
            self.parts = a, b

    def process(in_dims, args, func):
        return len(args[0].parts[0]), [in_dims], list(args), args

    def create(dims, flat, level, spec):
        return [Pair(*(inside._add_batch_dim(part, dims[0], level) for part in flat[0].parts))]

    def unwrap(result, out_dims, level, size, func):
        return Pair(*(inside._remove_batch_dim(part, level, size, out_dims) for part in result.parts))

    monkeypatch.setattr(steps, "_process_batched_inputs", process)
    monkeypatch.setattr(steps, "_create_batched_inputs", create)
    monkeypatch.setattr(steps, "_unwrap_batched", unwrap)
    swapped = torch.vmap(lambda pair: Pair(pair.parts[1].sum(), pair.parts[0] + 1))(
        Pair(torch.arange(3.0), torch.ones(3, 2))
    )
    assert [part.tolist() for part in swapped.parts] == [[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]]


def test_parameters_are_made_inside_of_transforms():
    x = torch.tensor([1.0, 2.0])
    assert torch.vmap(lambda a: torch.nn.Parameter(a) * 2)(x).tolist() == [2.0, 4.0]
    assert torch.vmap(lambda a: torch.nn.Parameter(a, requires_grad=False) * 2)(x).tolist() == [2.0, 4.0]
    assert torch.func.grad(lambda a: (a * torch.nn.Parameter(torch.ones(2))).sum())(x).tolist() == [1.0, 1.0]


def test_untyped_storages_are_what_programs_ask_for():
    assert isinstance(torch.ones(2).untyped_storage(), torch.StorageBase)


def test_modules_as_functions_of_tuples():
    functorch = importlib.import_module("flambeau.functorch")
    layer = torch.nn.Linear(2, 1)
    f, params = functorch.make_functional(layer)
    x = torch.ones(3, 2)
    assert f(params, x).tolist() == layer(x).tolist() and params[0] is not layer.weight
    gradient = functorch.grad(lambda params: f(params, x).sum())(params)
    assert gradient[0].tolist() == [[3.0, 3.0]]
    with pytest.raises(RuntimeError, match="has buffers"):
        functorch.make_functional(torch.nn.BatchNorm1d(2))
    f, params, buffers = functorch.combine_state_for_ensemble([layer, torch.nn.Linear(2, 1)])
    assert functorch.vmap(f, in_dims=(0, 0, None))(params, buffers, x).shape == (2, 3, 1)


def test_functorch_comes_with_torch():
    code = "import flambeau; flambeau.install_as_torch(); import functorch; print(functorch.vmap.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "vmap\n"


def test_exceptions_that_are_raised_again_elsewhere():
    names = importlib.import_module("flambeau._utils")
    try:
        raise KeyError("a")
    except KeyError:
        kept = names.ExceptionWrapper(where="in worker 3")
    with pytest.raises(KeyError, match=r"Caught KeyError in worker 3\.\nOriginal Traceback") as raised:
        kept.reraise()
    assert "\n" in repr(raised.value.args[0])
    assert names._get_device_module("cpu") is torch.cpu
    with pytest.raises(RuntimeError, match="^Device 'there' does not have a corresponding module registered as"):
        names._get_device_module("there")


def test_parts_of_jacobians():
    parts, vmap = torch.autograd.functional, importlib.import_module("flambeau._vmap_internals")._vmap
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    given, (y,) = parts._as_tuple(x**2, "outputs", "jacobian")
    (basis,) = parts._construct_standard_basis_for((y,), (2,))
    rows = vmap(lambda v: torch.autograd.grad(y, x, v, create_graph=True)[0])(basis)
    jacobian = parts._tuple_postprocess(parts._grad_postprocess(((rows,),), False), (given, False))
    assert jacobian.tolist() == [[2, 0], [0, 4]] and not jacobian.requires_grad
    first, second = parts._construct_standard_basis_for((torch.ones(2), torch.ones(1)), (2, 1))
    assert first.tolist() == [[1, 0], [0, 1], [0, 0]] and second.tolist() == [[0], [0], [1]]
    with pytest.raises(TypeError, match="^The outputs given to jac must be either a Tensor or a tuple of Tensors"):
        parts._as_tuple(3, "outputs", "jac")


def test_line_search_of_lbfgs():
    module = importlib.import_module("flambeau_nn.optim.lbfgs")
    assert module._cubic_interpolate(0.0, 1.0, -1.0, 1.0, 0.5, 0.3) == pytest.approx(0.85504)
    assert module._cubic_interpolate(0.0, 1.0, -1.0, 1.0, 0.5, 0.3, bounds=(0.0, 0.2)) == 0.2

    def loss(x, t, d):
        at = x + t * d
        return (at**2).sum().item(), 2 * at

    x, d = torch.tensor([1.0, -2.0]), torch.tensor([-1.0, 2.0])
    f, g = loss(x, 0.0, d)
    value, gradient, t, calls = module._strong_wolfe(loss, x, 0.5, d, f, g, g.dot(d))
    assert value < f and abs(gradient.dot(d)) <= 0.9 * abs(g.dot(d)) and 0 < t <= 5 and calls >= 1


def test_single_names():
    tree = importlib.import_module("flambeau.utils._pytree")
    node = tree.SUPPORTED_NODES[dict]
    children, context = node.flatten_fn({"a": 1})
    assert node.unflatten_fn(children, context) == {"a": 1}
    clipped = torch.distributions.transforms._clipped_sigmoid(torch.tensor([-200.0, 0.0, 200.0]))
    assert 0 < clipped[0] < 1e-30 and clipped[1] == 0.5 and clipped[2] < 1
    assert torch.Storage is torch.FloatStorage and torch._VF.add is torch.add and isinstance(torch.DeviceObjType, type)
    assert torch.utils.data._utils.HAS_NUMPY


def test_parts_of_derivatives_that_packages_prepare():
    from flambeau.autograd import functional as parts

    x = torch.ones(2, requires_grad=True)
    joined, fresh = (parts._grad_preprocess((x,), create_graph, True)[0] for create_graph in (True, False))
    assert joined.grad_fn is not None and fresh.is_leaf and fresh.requires_grad
    assert not parts._grad_preprocess((torch.ones(2),), True, False)[0].requires_grad
    parts._validate_v((torch.ones(2),), (x,), False)
    with pytest.raises(RuntimeError, match="v has invalid size"):
        parts._validate_v((torch.ones(3),), (x,), False)
    with pytest.raises(RuntimeError, match="a tuple of invalid length: should be 1 but got 2"):
        parts._validate_v((x, x), (x,), True)
