"""Every operator has a sample call in the table of its family, and every family its test files, which run the checks
of `samples/values.py` and `samples/derivatives.py` on the table."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import flambeau_tensor
from flambeau_tensor.extend import FUNCTION, Forward, OverloadSet, operators
from flambeau_tensor.probes import dtypes
from samples import Dtypes, excused, families, find, table
from samples.derivatives import has_derivative, is_batched

ROOT = Path(__file__).parents[1]
PACKAGES = ("tensor", "nn")
# Declared by modules that are no families: what concerns a tensor's history, copies and pickles.
OUTSIDE = re.compile(
    r"torch\.(Tensor\.(requires_grad|grad|grad_fn|is_leaf|output_nr|retains_grad|_backward_hooks|data)\b|"
    r"Tensor\.(__\w+__|backward|requires_grad_|_is_view|_view_func|retain_grad|register_\w+)$|detach_?$)"
)
# In the path of the file that declares an operator: its package, and its family where there is one.
DECLARED = re.compile(r"flambeau_(tensor|autograd|nn)/(?:ops/(\w+))?")


@cache
def owners():
    """The family that declares each operator: ``{"torch.hypot": "tensor.pointwise"}``; "" for other modules."""
    found = {name: DECLARED.search(op.declared_at) for name, op in operators().items() if ".ops." not in name}
    return {name: ".".join(m.groups()) if m[2] else "" for name, m in found.items() if m}


def members(name):
    """The operators that a name in a table may stand for."""
    found = find(name)
    return list(found.overloads) if isinstance(found, OverloadSet) else [found]


def called(sample):
    """The operator that answers the call: of several with one name, the first that takes the arguments."""
    if not isinstance(sample.operator, OverloadSet):
        return [sample.operator]
    if sample.via is not None:
        return list(sample.operator.overloads)
    tensors = sample.one()
    for op in sample.operator.overloads:
        arguments, options = sample.bind([t.clone() for t in tensors])
        try:
            op(*arguments, **options)
            return [op]
        except TypeError:
            pass
    raise AssertionError(f"{sample} is taken by no overload")


@cache
def reached():
    """The names of operators that have samples, with what they forward to, and what they are in place."""
    found = set()
    for package in PACKAGES:
        for family in families(package):
            for sample in table(f"{package}.{family}").values():
                found |= {op.__torch_name__ for op in called(sample)}
            for names in excused(f"{package}.{family}").values():
                found |= {op.__torch_name__ for name in names.split() for op in members(name)}
    found |= {
        op.implementation.target.__torch_name__
        for name, op in operators().items()
        if name in found and isinstance(op.implementation, Forward)
    }
    return found


def without_samples(declared):
    """Operators that no table has a line for, and the file that is to have it."""
    wrong = []
    for name, op in declared.items():
        original = op.functional or op
        target = getattr(original.implementation, "target", original)
        named = {name, original.__torch_name__, *([target.__torch_name__] if isinstance(target, type(op)) else [])}
        if not named & reached() and not OUTSIDE.match(name):
            family = owners().get(name) or "tensor.FAMILY"
            place = f"samples/{family.replace('.', '/')}.py"
            wrong.append(f"{name}, declared at {op.declared_at}, has no sample: add a line to {place}")
    return sorted(wrong)


def declared():
    reached()  # which loads the families of every package
    return {name: op for name, op in operators().items() if name in owners()}


def test_every_operator_has_samples():
    wrong = without_samples(declared())
    assert not wrong, "\n".join(wrong)


def test_a_new_operator_without_samples_is_found(monkeypatch):
    op = flambeau_tensor.Operator(
        "sampleless(Tensor self) -> Tensor", lambda x: x, namespace="torch._test", composite=True, variants=FUNCTION
    )
    try:
        monkeypatch.setitem(owners(), "torch._test.sampleless", "tensor.pointwise")
        [missing] = without_samples(declared())
        assert re.fullmatch(
            r"torch._test.sampleless, declared at .*test_samples.py:\d+, has no sample: add a line to "
            "samples/tensor/pointwise.py",
            missing,
        )
    finally:
        flambeau_tensor.extend.forget(op)


def test_tables_are_the_families():
    """A table for each family, by its basename, and what is excused in it is an operator of that family."""
    for package in PACKAGES:
        expected = {family.partition(".")[2] for family in owners().values() if family.startswith(f"{package}.")}
        assert set(families(package)) == expected
        for family in families(package):
            for sample in table(f"{package}.{family}").values():
                owner = {owners()[op.__torch_name__] for op in called(sample)}
                assert owner == {f"{package}.{family}"}, f"{sample} belongs to {owner}"


# --- what documentation says ----------------------------------------------------------------------------------------

# Where the example of an operator is another call than its sample.
OTHER_CALLS = {
    "Tensor.__rpow__": "of a number that is no bool",
    "igamma igammac": "of two real arguments, while the sample's first stays what it is",
    "index_reduce": "a product; the sample asks for the largest",
    "nn.functional.dropout nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d": "in training",
    "nn.functional.interpolate": "in a mode without bytes",
    "nn.functional.pad": "in a mode without bool",
    "affine_grid_generator": "to the corners",
}


def of_one_call(sample):
    """Whether the sample is a plain call of an operator that documentation describes by its example."""
    op = sample.operator
    return not (
        isinstance(op, OverloadSet)
        or op.is_overload
        or op.namespace == "torch.ops.aten"
        or "._" in op.namespace
        or "," in sample.name
        or sample.via
        or sample.in_place_of
        or not any(d.kind == "real" for d in sample.drawn)
    )


def test_documentation_names_the_dtypes_that_the_samples_admit():
    wrong, compared = [], 0
    others = " ".join(OTHER_CALLS).split()
    for name in (f"{package}.{family}" for package in PACKAGES for family in families(package)):
        for sample in filter(of_one_call, table(name).values()):
            said = dtypes(sample.operator)
            admitted = {str(t).removeprefix("torch.") for t in sample.admitted}
            if said is not None and sample.name not in others:
                compared += 1
                more = set() if Dtypes.UNASKED in sample.dtypes else said - admitted
                wrong += [f"{sample}: {sorted(more | admitted - said)}"] * bool(more | admitted - said)
    assert not wrong and compared > 400


# --- test files -----------------------------------------------------------------------------------------------------


def missing_checks(read):
    """Test files that do not run their family's table, given what reads a file."""
    wrong = []
    for package in PACKAGES:
        for family in families(package):
            samples, name = list(table(f"{package}.{family}").values()), f"{package}.{family}"
            above = "autograd" if package == "tensor" else package
            needed = {
                f"packages/{package}/tests/test_{family}.py": [f'TestSamples = check_values("{name}")']
                if samples
                else [],
            }
            needed.setdefault(f"packages/{above}/tests/test_{family}.py", []).extend(
                [f'TestDerivatives = check_derivatives("{name}")'] * any(map(has_derivative, samples))
                + [f'TestBatches = check_batches("{name}")'] * any(map(is_batched, samples))
            )
            for path, lines in needed.items():
                if lines or above != "autograd" or "/tensor/" in path:
                    text = read(path)
                    wrong += [f"{path} is missing"] * (text is None)
                    wrong += [f"{path} lacks {line}" for line in lines if line not in (text or "").splitlines()]
    return wrong


def read(path):
    file = ROOT / path
    return file.read_text() if file.exists() else None


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_family_has_its_test_files():
    wrong = missing_checks(read)
    assert not wrong, "\n".join(wrong)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("packages/tensor/tests/test_storages.py", "is missing"),
        ("packages/autograd/tests/test_segments.py", 'lacks TestBatches = check_batches("tensor.segments")'),
        ("packages/nn/tests/test_distance.py", 'lacks TestSamples = check_values("nn.distance")'),
    ],
)
def test_a_missing_test_file_is_found(path, found):
    wrong = missing_checks(lambda other: None if other == path else read(other))
    assert f"{path} {found}" in wrong


def test_a_family_runs_in_every_package():
    """By the option of the conftest.py beside the packages."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "--family"]
    run = subprocess.run([*command, "statistics"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    files = {line.partition("::")[0] for line in run.stdout.splitlines() if "::" in line}
    assert files == {str(f.relative_to(ROOT)) for f in ROOT.glob("packages/*/tests/test_statistics.py")}
    assert {"packages/tensor/tests/test_statistics.py", "packages/autograd/tests/test_statistics.py"} <= files
    run = subprocess.run([*command, "statistic"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 4 and "--family statistic: no package has tests/test_statistic.py" in run.stderr
