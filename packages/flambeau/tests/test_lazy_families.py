"""Families of operators that are declared when one of their names is first used."""

import os
import subprocess
import sys
import textwrap

import pytest

import flambeau as torch
from flambeau_tensor.extend import lazy_names, operators

# A family as `flambeau_tensor.ops` has them, in a package of its own.
NAMES = "torch.linalg.third torch.fourth torch.quartic torch.Tensor.fourth torch.Tensor.fourth_"
OPS = """
from flambeau_tensor._core.schema.registry import alias
from flambeau_tensor.extend import FUNCTION, INPLACE, METHOD, Operator

third = Operator("third(Tensor self) -> Tensor", lambda x: x * x * x, namespace="torch.linalg", variants=FUNCTION)
fourth = Operator("fourth(Tensor self) -> Tensor", lambda x: x * x * x * x, variants=FUNCTION | METHOD | INPLACE)
alias("quartic", fourth, method=False)
"""
DERIVATIVES = """
from flambeau_autograd.extend import derivative
from odd.ops import powers

derivative(powers.third, self=lambda grad, self: grad * 3 * self ** 2)
derivative(powers.fourth, self=lambda grad, self: grad * 4 * self ** 3)
"""
BATCHING = """
from flambeau_autograd.batching.table import batched, plain

batched(plain, "torch.linalg.third")
"""
START = """
import sys
import textwrap
import flambeau as torch
import odd.ops
assert "odd.ops.powers" not in sys.modules
from flambeau_tensor.extend import find_operator, late_families
x = torch.tensor([1., 2.], requires_grad=True)
"""


@pytest.fixture
def odd(tmp_path):
    """Runs code in a process of its own that has the package; returns what it prints, or its last line of error."""

    def run(code, *, start=START, names=NAMES, ops=OPS, derivatives=DERIVATIVES):
        declaring = f"from flambeau_tensor.extend import declare_lazily\ndeclare_lazily('odd.ops.powers', '{names}')\n"
        for name, text in {"": "", "ops/": declaring, "derivatives/": "", "batching/": ""}.items():
            (tmp_path / "odd" / name).mkdir(exist_ok=True, parents=True)
            (tmp_path / "odd" / name / "__init__.py").write_text(text)
        for name, text in {"ops": ops, "derivatives": derivatives, "batching": BATCHING}.items():
            (tmp_path / "odd" / name / "powers.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", start + code],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )
        return done.stdout if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    return run


USES = {
    "function": "torch.fourth(x)",
    "alias": "torch.quartic(x)",
    "method": "x.fourth()",
    "unbound method": "torch.Tensor.fourth(x)",
    "in place": "x.clone().fourth_()",
    "in a namespace": "torch.linalg.third(x) * x",
    "by name": "find_operator('torch.fourth')(x)",
    "imported": "__import__('flambeau.linalg', fromlist=['third']).third(x) * x",
    "of a subclass": "x.as_subclass(type('S', (torch.Tensor,), {})).fourth()",
    "under vmap": "torch.vmap(torch.linalg.third)(x) * x",
    "by reduction": "__import__('pickle').loads(__import__('pickle').dumps(torch.fourth))(x)",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_the_first_use_loads_operators_and_rules(odd, use):
    assert (
        odd(f"""
y = {use}
assert y.tolist() == [1, 16], y
y.sum().backward()
assert x.grad.tolist() == [4, 32], x.grad
assert "odd.ops.powers" in late_families()
assert torch.fourth is find_operator("torch.fourth")
print("done")
""")
        == "done\n"
    )


def test_names_are_there_before_the_family_is(odd):
    assert (
        odd("""
assert {"fourth", "quartic"} <= set(dir(torch)) and "third" in dir(torch.linalg) and "fourth_" in dir(torch.Tensor)
assert "odd.ops.powers" not in sys.modules
print(hasattr(x, "fourth"), hasattr(torch, "fifth"), hasattr(torch.linalg, "fifth"))
""")
        == "True False False\n"
    )


@pytest.mark.parametrize("listing", ["get_overridable_functions()[torch.Tensor]", "get_testing_overrides()"])
def test_what_lists_everything_loads_it(odd, listing):
    assert (
        odd(
            f"print(torch.overrides.resolve_name(torch.Tensor.add), late_families())\n"
            f"found = torch.overrides.{listing}\nprint(torch.Tensor.fourth in found)"
        )
        == "torch.Tensor.add []\nTrue\n"
    )


def test_tensors_alone_load_it_and_autograd_adds_its_rules(odd):
    assert (
        odd(
            """
import flambeau_tensor as torch
import odd.ops
y = torch.fourth(torch.tensor(2.))
import sys
import textwrap
assert "flambeau_autograd" not in sys.modules
import flambeau_autograd
x = torch.tensor(2., requires_grad=True)
print(y.item(), *flambeau_autograd.grad(torch.fourth(x), x))
""",
            start="",
        )
        == "16.0 tensor(32.)\n"
    )


def test_threads_that_name_it_at_the_same_time_wait_for_it(odd):
    assert (
        odd("""
import threading
found, ready = [], threading.Barrier(8)
def use():
    ready.wait()
    found.append(torch.fourth)
threads = [threading.Thread(target=use) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(len(found), len(set(map(id, found))))
""")
        == "8 1\n"
    )


INCOMPLETE = {
    "no derivative": (
        {"derivatives": DERIVATIVES.rpartition("derivative(")[0]},
        "ImportError: these operators are differentiable and have no derivative: torch.fourth (",
    ),
    "a name too many": (
        {"names": NAMES + " torch.fifth"},
        "ImportError: odd.ops.powers declares nothing beyond its list of names, and not torch.fifth",
    ),
    "a name too few": (
        {"names": NAMES.replace("torch.Tensor.fourth_", "")},
        "ImportError: odd.ops.powers declares torch.Tensor.fourth_ beyond its list of names, and not less",
    ),
    "a name that is taken": ({"names": NAMES + " torch.add"}, "ValueError: operator torch.add is declared twice"),
    "imported directly": (
        {"start": START + "import odd.ops.powers\n"},
        "ImportError: torch.linalg.third is declared before its family is named: odd.ops.powers is "
        "imported by find_operator('torch.linalg.third'), with its rules, and not directly",
    ),
}


@pytest.mark.parametrize(("changed", "said"), INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_family_is_complete(odd, changed, said):
    assert odd("torch.fourth", **changed).startswith(said)


def test_all_families_of_the_packages_load():
    operators()
    assert not [name for place in ("torch", "torch.linalg", "torch.Tensor") for name in lazy_names(place)]
    assert torch.linalg.vector_norm(torch.ones(4)).item() == 2


def test_functions_of_torch_that_layers_need():
    """They load ``flambeau_nn`` when one is named; that all of them stand in the list, the test of stubs says."""
    code = """
        import sys, pickle, flambeau as torch
        assert "flambeau_nn" not in sys.modules and "conv2d" in dir(torch)
        assert torch.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)).sum().item() == 16
        assert torch.nn.functional.conv2d is torch.conv2d is pickle.loads(pickle.dumps(torch.conv2d))
        listed = torch.overrides.get_overridable_functions()
        assert torch.conv2d in listed[torch] and torch.conv2d in listed[torch.nn.functional]
        assert torch.overrides.resolve_name(torch.conv2d) == "torch.nn.functional.conv2d"
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


FAILING = """
import os
if "HALF" in os.environ:
    raise RuntimeError("half of it")
"""


@pytest.mark.parametrize("room", ["ops", "derivatives"])
def test_a_family_that_fails_halfway_is_tried_again(odd, room):
    texts = {"ops": OPS, "derivatives": DERIVATIVES}
    texts[room] += FAILING
    out = odd(
        """
import os
os.environ["HALF"] = "1"
for use in ("torch.fourth(x)", "x.fourth()", "torch.linalg.third(x)", "x.fourth_()"):
    try:
        eval(use)
    except RuntimeError as error:
        print(error)
assert not late_families() or "odd.ops.powers" not in late_families()
del os.environ["HALF"]
listed = [f for f in torch.overrides.get_testing_overrides() if getattr(f, "__name__", "") == "fourth"]
print(len(listed), torch.fourth(x).tolist(), x.fourth().tolist(), torch.quartic(x).tolist())
torch.linalg.third(x).sum().backward()
print(x.grad.tolist(), find_operator("torch.fourth") is torch.fourth, x.detach().clone().fourth_().tolist())
""",
        **texts,
    )
    assert out.split("\n")[:6] == [
        *["half of it"] * 4,
        "2 [1.0, 16.0] [1.0, 16.0] [1.0, 16.0]",
        "[3.0, 12.0] True [1.0, 16.0]",
    ], out
