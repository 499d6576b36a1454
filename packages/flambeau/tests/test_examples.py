"""Every operator's documentation ends in an example that runs, with its result."""

import flambeau as torch
import flambeau.nn  # noqa: F401  (it declares)
from flambeau_tensor.examples import _written, example, full_name
from flambeau_tensor.extend import operators
from flambeau_tensor.probes import facts

NONE = {"torch.Tensor.cuda", "torch.Tensor.xpu"}  # which raise


def public():
    found = {}
    for op in operators().values():
        inside = "._" in op.namespace or op.namespace.startswith("torch.ops.") or op.name.startswith("_")
        if not inside:
            found.setdefault(full_name(op), op)
    return found


def test_every_operator_has_one():
    before, found = torch.get_rng_state(), public()
    without = {name for name, op in found.items() if not example(op)}
    assert without == NONE, "add a line to the package's ops/examples.txt"
    assert set(_written()) <= set(found), "a line of ops/examples.txt names no operator"
    assert torch.equal(torch.get_rng_state(), before)


# Whose examples show an attribute or a file that is gone, or sparse tensors, which are no plain ones.
SPARSE = "sparse_mask coalesce is_coalesced indices values crow_indices col_indices ccol_indices row_indices"
NOT_TRIED = NONE | {"torch.from_file"} | {f"torch.Tensor.{name}" for name in SPARSE.split()}
NO_DTYPES = {"torch.from_numpy", "torch.istft"}  # no tensor; one of the dtype of its window


def test_every_operator_says_its_shapes_dtypes_and_errors():
    before, found = torch.get_rng_state(), public()
    said = {name: facts(op) for name, op in found.items()}
    assert {name for name, one in said.items() if not one} == NOT_TRIED
    assert {name for name, one in said.items() if one and len(one) < 3} == NO_DTYPES
    assert torch.equal(torch.get_rng_state(), before)


def test_examples_are_heard_by_nobody_and_run_no_kernel_of_a_user():
    calls = []

    class Heard(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(func)
            return func(*args, **(kwargs or {}))

    with Heard():
        assert "Example:" in torch.exp.__doc__

    @torch.library.custom_op("examples::own", mutates_args=())
    def own(x: torch.Tensor) -> torch.Tensor:
        calls.append(own)
        return x.clone()

    assert "Example:" not in torch.ops.examples.own.default.__doc__ and not calls


def test_an_operator_in_place_shows_what_it_wrote_to():
    assert example(torch.Tensor.log_) == [
        ">>> out = torch.tensor([0.5, 1.0, 2.0])",
        ">>> out.log_()",
        "tensor([-0.6931,  0.0000,  0.6931])",
    ]


def test_they_are_in_the_documentation():
    assert torch.exp.__doc__.splitlines()[-6:-2] == [
        "Example:",
        "    >>> torch.exp(torch.tensor([0.5, 1.0, 2.0]))",
        "    tensor([1.6487, 2.7183, 7.3891])",
        "",
    ]
    assert torch.max.__doc__.count("Example:") == 1
    assert torch.rand.__doc__.count(">>> _ = torch.manual_seed(0)") == 1
    assert "    tensor([0.4963, 0.7682, 0.0885])" in torch.rand.__doc__  # PyTorch's numbers, too
    text = torch.lu_unpack.__doc__
    assert text.index(">>> A = torch.tensor") < text.index(">>> LU, pivots =") < text.index("\n    tensor([[2.")
