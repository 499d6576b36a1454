"""The shape of the repository: packages look only downward and at each other's public side, and files stay short.

Each check is a function of the sources, so that a test can also show it a source that breaks the rule.
"""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from monorepo import ORDER, PROJECTS, closure, extras, module  # noqa: E402

PACKAGES = {ROOT / "packages" / folder: project for folder, project in PROJECTS.items()}
FILES = sorted(f for folder in PACKAGES for f in folder.glob("src/**/*.p*") if f.suffix in {".py", ".pyx", ".pxd"})
SOURCES = {f.relative_to(ROOT).as_posix(): f.read_text() for f in FILES}
# What is in no package may not reach into one either.
OUTSIDE = {
    f.relative_to(ROOT).as_posix(): f.read_text()
    for pattern in ("packages/*/tests/*.py", "conformance/*.py", "fuzz/*.py", "benchmarks/*.py", "examples/**/*.py")
    for f in sorted(ROOT.glob(pattern))
}
MAX_CODE_LINES = 500
MAX_FUNCTION_LINES = 65
LONG = {  # with the reason
    "packages/nn/src/flambeau_nn/_kernels/recurrent.pyx backward": "one walk back in time over buffers that all share",
}
TENSOR = "packages/tensor/src/flambeau_tensor"


REQUIREMENTS = {
    module(project["project"]["name"]): set(map(module, [*project["project"]["dependencies"], *extras(folder)]))
    for folder, project in PROJECTS.items()
}
NAMES = {folder.relative_to(ROOT).as_posix(): module(p["project"]["name"]) for folder, p in PACKAGES.items()}


def allowed(name):
    """The packages of this repository that ``name`` may import: itself and what it declares, directly or not."""
    found, waiting = set(), {name}
    while waiting:
        found |= waiting
        waiting = {r for n in waiting for r in REQUIREMENTS[n] if r in REQUIREMENTS} - found
    return found


def owner(path):
    """The package that a file belongs to."""
    return NAMES.get("/".join(path.split("/")[:2]))


def module_of(path):
    """The module that a source file is: ``flambeau_tensor.ops.views``."""
    return re.sub(r"(/__init__)?\.\w+$", "", path.split("/src/")[1]).replace("/", ".")


MODULES = {module_of(path) for path in SOURCES}


@cache
def imported(path, text):
    """The modules that a Python or Cython file imports or cimports, at whatever depth, with their lines."""
    found = []
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and not node.level:
                found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
            elif isinstance(node, ast.Import):
                found += [(alias.name, node.lineno) for alias in node.names]
    else:
        text = re.sub(r"\bc?import[ ]+\([^()]*\)|\\\n", lambda m: " ".join(m[0].replace("\\", "").split("\n")), text)
        for number, line in enumerate(text.splitlines(), 1):
            if m := re.match(r"\s*from\s+([\w.]+)\s+c?import\s+\(?\s*(.*)", line):
                found += [(f"{m[1]}.{name.split()[0]}", number) for name in m[2].strip(" )").split(",") if name.strip()]
            elif m := re.match(r"\s*c?import\s+([\w., ]+)", line):
                found += [(name.split()[0], number) for name in m[1].split(",")]
    return {(name if name in MODULES else name.rpartition(".")[0] or name, line) for name, line in found}


def code_lines(text):
    """How many lines are neither blank, comments nor docstrings."""
    text = re.sub(r'^\s*[rR]?"""(?:.|\n)*?"""', "", text, flags=re.MULTILINE)
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


# --- packages -------------------------------------------------------------------------------------------------------


def upward(sources):
    """Imports of packages that are not declared as requirements."""
    return [
        f"{path}:{line} imports {target}"
        for path, text in sources.items()
        for target, line in imported(path, text)
        if target.split(".")[0] in REQUIREMENTS and target.split(".")[0] not in allowed(owner(path))
    ]


def private(sources):
    """Imports and cimports of another package's private folders and files, and of private ones by public .pxd files."""
    wrong = []
    for path, text in sources.items():
        shipped = path.endswith(".pxd") and "/_" not in path
        for target, line in imported(path, text):
            package, *parts = target.split(".")
            hidden = package in REQUIREMENTS and any(re.match(r"_[a-zA-Z]", part) for part in parts)
            if hidden and (shipped or package != owner(path)):
                wrong.append(f"{path}:{line} uses {target}")
    return wrong


def methods_cross(sources):
    """Classes in public .pxd files: nobody checks the method tables of a module that was built at another time."""
    return [
        f"{path}:{number} shows a class"
        for path, text in sources.items()
        if path.endswith(".pxd") and "/_" not in path
        for number, line in enumerate(text.splitlines(), 1)
        if re.match(r"\s*(?:cdef|ctypedef) (?:public |api )?class\b", line)
    ]


def numbered(sources):
    """Packages that use another's numbered interface and do not ask whether it is the one they were built for."""
    wrong = []
    users = {
        (owner(path), target)
        for path, text in sources.items()
        if re.search(r"\.p(yx|xd)$", path)
        for target, _ in imported(path, text)
        if re.fullmatch(r"flambeau_\w+\.(abi|compute)", target)
    }
    for package, target in users:
        number = {"abi": f"{target.split('.')[0][9:].upper()}_ABI", "compute": "COMPUTE_ABI"}[target.split(".")[1]]
        asked = (
            re.search(rf"^require\w*\({number}, ", text, re.MULTILINE)
            for path, text in sources.items()
            if owner(path) == package
        )
        if package != target.split(".")[0] and not any(asked):
            wrong.append(f"{package} uses {target} without require({number}, ...)")
    return wrong


def test_the_whole_package_depends_on_every_other():
    """Whoever installs or looks for all packages takes them from its dependencies."""
    assert REQUIREMENTS["flambeau"] >= set(NAMES.values()) - {"flambeau"}


def test_the_readme_names_every_package_lowest_first():
    table = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| \[(packages/\w+)\]\(\1\) \| `([\w-]+)` \|", table, re.MULTILINE)
    assert {folder: module(name) for folder, name in rows} == NAMES
    names = [module(name) for _, name in rows]
    assert all(names.index(other) <= at for at, name in enumerate(names) for other in allowed(name))


@pytest.mark.parametrize("package", ORDER)
def test_a_packages_readme_installs_it_with_what_it_needs(package):
    readme = (ROOT / "packages" / package / "README.md").read_text()
    folders = re.search(r"^    pip install (packages/.*)$", readme, re.MULTILINE)[1].split()
    assert folders == (["packages/*"] if package == "flambeau" else [f"packages/{name}" for name in closure(package)])


# --- the order inside flambeau_tensor -------------------------------------------------------------------------------

LAYERS = ["flambeau_tensor._core", "flambeau_tensor._kernels", "flambeau_tensor.ops"]


def layer(name):
    """The place of a module in the order; None for what stands beside it, such as printing."""
    return next((i for i, folder in enumerate(LAYERS) if f"{name}.".startswith(f"{folder}.")), None)


def disordered(sources):
    """Imports, at import or later, by which the core reaches kernels or operators, or a kernel operators.

    A module beside the three folders is as high as what it imports.
    """
    imports = {}
    for path, text in sources.items():
        if path.startswith(TENSOR):
            imports.setdefault(module_of(path), {}).update(
                {
                    target: f"{path}:{line}"
                    for target, line in imported(path, text)
                    if target.startswith("flambeau_tensor.")
                }
            )

    def height(name, seen):
        if layer(name) is not None or name in seen:
            return layer(name) or 0
        return max((height(target, seen | {name}) for target in imports.get(name, ())), default=0)

    return [
        f"{where} imports {target}"
        for name, targets in imports.items()
        if layer(name) is not None
        for target, where in targets.items()
        if height(target, {name}) > layer(name)
    ]


# --- calls upward ---------------------------------------------------------------------------------------------------

SOCKETS = re.compile(r"^\s*cdef (?:public |readonly )?\w+ (\w+)  # ([\w.]+)(?:, for \w+)?: .+$", re.MULTILINE)
FILLED = re.compile(r"\s*((?:_?sockets(?:_in_c)?\.\w+(?:\[\w+\])?(?:, )?)+) = ")
PASSED = re.compile(r"^(?:\w+\.)*((?:set|plug|connect|listen|provide|borrow)(?:_\w+)?)\(", re.MULTILINE)


def sockets(sources):
    """Who fills each socket of flambeau_tensor, as declared; and what is wrong with who does."""
    text = sources[f"{TENSOR}/_core/call/sockets.pxd"]
    declared = dict(SOCKETS.findall(text))
    fields = set(re.findall(r"^\s*cdef (?:public |readonly )?\w+ (\w+)\b(?!:)", text, re.MULTILINE)) - {"sockets"}
    wrong = [f"{name} does not say who fills it" for name in sorted(fields - {*declared, "Sockets"})]
    filled = {}
    for path, source in sources.items():
        if path.startswith(f"{TENSOR}/_core/call/sockets."):
            continue
        for line in source.splitlines():
            for name in re.findall(r"\.(\w+)", m[1]) if (m := FILLED.match(line)) else ():
                filled.setdefault(name, set()).add(module_of(path))
    wrong += [
        f"{name} is to be filled by {by}, and is by {sorted(filled.get(name, ())) or 'nobody'}"
        for name, by in declared.items()
        if filled.get(name) != {by}
    ]
    return wrong


def handed_down(sources):
    """Functions that are handed to modules below in any other way: by a setter, or by assigning to their variables."""
    wrong = []
    for path, text in sources.items():
        if not path.startswith(TENSOR):
            continue
        bound = {
            m[2] or m[1].rpartition(".")[2]
            for m in re.finditer(r"^(?:from [\w.]+ )?c?import ([\w.]+)(?: as (\w+))?$", text, re.MULTILINE)
        }
        for number, line in enumerate(text.splitlines(), 1):
            if (m := PASSED.match(line)) and m[1] != "set_attribute" and not re.search(rf"def {m[1]}\(", text):
                wrong.append(f"{path}:{number} calls {m[1]}")
            if (m := re.match(r"(\w+)\.\w+ = ", line)) and m[1] in bound and "sockets" not in m[1]:
                wrong.append(f"{path}:{number} assigns to {m[1]}")
    return wrong


# --- complex numbers ------------------------------------------------------------------------------------------------

COMPLEX_CAST = re.compile(r"<(?:complex_t|complex128|(?:double|float) complex|(?:double|float)complex)>")


def complex_casts(sources):
    """Casts between complex types, which Cython makes of the parts as x + y*I: infinite y spoil x."""
    return [
        f"{path}:{number} casts a complex number: see _kernels/complex_conversion.pxd"
        for path, text in sources.items()
        if path.endswith((".pyx", ".pxd"))
        for number, line in enumerate(text.splitlines(), 1)
        if COMPLEX_CAST.search(line)
    ]


# --- loops ----------------------------------------------------------------------------------------------------------

PART = r"(?:[^(),]|\((?:[^()]|\([^()]*\))*\))+"
STEPPED = re.compile(rf"for \w+ in range\({PART},{PART},(?! *-?\d)")


def python_ranges(sources):
    """Loops in compiled code whose step is no constant: its sign is unknown, so Cython goes along Python's range."""
    return [
        f"{path}:{number} has a range whose step is no constant: count the steps"
        for path, text in sources.items()
        if path.endswith((".pyx", ".pxd"))
        for number, line in enumerate(text.splitlines(), 1)
        if STEPPED.search(line)
    ]


# --- one home -------------------------------------------------------------------------------------------------------

# What has one home, and where: sizes from which kernels share their work, and an error that every dimension may raise.
HOMES = {
    re.compile(r"^ +(?:HEAVY_)?(?:GIL_FREE|GRAIN) = ", re.MULTILINE): f"{TENSOR}/grain.pxd",
    re.compile(r"Dimension out of range \(expected to be in range of"): f"{TENSOR}/_core/memory/tensor.pyx",
    re.compile(r"Dimension specified as \{"): f"{TENSOR}/_core/elementwise/operands.pyx",
}


def repeated(sources):
    """What stands in another file than its home."""
    return [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1} repeats what {home} has"
        for what, home in HOMES.items()
        for path, text in sources.items()
        if path != home
        for found in what.finditer(text)
    ]


WORDS = re.compile(
    r" (?:not )?in str\((?:e|error|exc|exception)\)|str\((?:e|error|exc|exception)\)\.(?:starts|ends)with"
)


def decided_by_words(sources):
    """Control flow by the text of an error; documentation may show a text."""
    return [
        f"{path}:{number} decides by the words of an error"
        for path, text in sources.items()
        for number, line in enumerate(text.splitlines(), 1)
        if WORDS.search(line) and not line.lstrip().startswith(("...", ">>>"))
    ]


# --- types ----------------------------------------------------------------------------------------------------------


def public_functions(body):
    """The functions and methods that users name."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("_") or node.name.endswith("__"):
                yield node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body)


def own_getattr(sources):
    """Modules with a ``__getattr__`` of their own instead of that of `flambeau_tensor.lazy_attributes`."""
    own = (
        "packages/flambeau/src/flambeau/__init__.py",  # which says what `import *` takes
        "packages/cext/src/flambeau_cext/__init__.py",  # which does not import flambeau_tensor
    )
    return [
        f"{path}:{node.lineno} use attach() of flambeau_tensor.lazy_attributes"
        for path, text in sources.items()
        if path.endswith(".py") and path not in own
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
    ]


def unannotated(sources):
    """Public functions of `flambeau` without annotations, which mypy would pass over."""
    wrong = []
    for path, text in sources.items():
        if not re.match(r"packages/flambeau/src/(?!.*/_(?!_)).*\.py$", path):
            continue
        for node in public_functions(ast.parse(text).body):
            a = node.args
            named = [arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg]
            bare = [arg.arg for arg in named if arg.annotation is None and arg.arg not in ("self", "cls", "ctx")]
            if bare or not (node.returns or (node.name == "__init__" and len(named) > 1)):
                wrong.append(f"{path}:{node.lineno} {node.name} lacks types: {', '.join(bare) or 'of the result'}")
    return wrong


CHECKS = [
    upward,
    private,
    methods_cross,
    numbered,
    disordered,
    sockets,
    handed_down,
    complex_casts,
    python_ranges,
    repeated,
    decided_by_words,
    unannotated,
    own_getattr,
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_sources_keep_the_rule(check):
    wrong = check(SOURCES | OUTSIDE if check is private else SOURCES)
    assert not wrong, "\n".join(wrong)


# --- length -------------------------------------------------------------------------------------------------------


def long_functions(sources):
    """Functions of more than ``MAX_FUNCTION_LINES`` lines of code, without signature and docstring."""
    found = []
    for path, text in sources.items():
        for line, name, body in python_bodies(text) if path.endswith(".py") else cython_bodies(text):
            if (n := code_lines(body)) > MAX_FUNCTION_LINES and f"{path} {name}" not in LONG:
                found.append(f"{path}:{line} {name} has {n} lines")
    return found


def python_bodies(text):
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name, "\n".join(lines[node.body[0].lineno - 1 : node.end_lineno])


def cython_bodies(text):
    """By indentation, as Cython's own parser takes a second a file."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if m := re.match(r"( *)(?:cdef|cpdef|def) (?!class\b|extern\b|struct\b|enum\b)[^=#]*?(\w+)\(", line):
            start = at
            while start < len(lines) - 1 and not lines[start].partition("  #")[0].rstrip().endswith(":"):
                start += 1
                if not lines[start].startswith(m[1] + " "):  # a variable, or a declaration without body
                    break
            else:
                end = start + 1
                while end < len(lines) and (not lines[end].strip() or lines[end].startswith(m[1] + " ")):
                    end += 1
                yield at + 1, m[2], "\n".join(lines[start + 1 : end])


@pytest.mark.parametrize(
    ("check", "path", "added"),
    [
        (upward, "overrides/src/flambeau_overrides/modes.py", "import flambeau_tensor"),
        (
            upward,
            "tensor/src/flambeau_tensor/_core/memory/tensor.pyx",
            "def f():\n    from flambeau_autograd.abi cimport g",
        ),
        (private, "nn/src/flambeau_nn/functional.py", "from flambeau_tensor._core.schema.registry import functions"),
        (private, "nn/src/flambeau_nn/functional.py", "def f():\n    from flambeau_tensor import _kernels"),
        (
            private,
            "autograd/src/flambeau_autograd/_engine/graph/node.pyx",
            "from flambeau_tensor._core.memory.tensor cimport Tensor",
        ),
        (
            private,
            "autograd/src/flambeau_autograd/_engine/graph/node.pyx",
            "import flambeau_tensor._core.elementwise.dtype as d",
        ),
        (private, "tensor/src/flambeau_tensor/compute.pxd", "from flambeau_tensor._core.memory.tensor cimport Tensor"),
        (private, "nn/tests/test_loss.py", "from flambeau_autograd._engine.levels import layers"),
        (
            private,
            "tensor/src/flambeau_tensor/_core/memory/tensor.pyx",
            "from flambeau_overrides._thread cimport has_mode",
        ),
        (methods_cross, "overrides/src/flambeau_overrides/abi.pxd", "cdef class State:\n    cdef int depth(self)"),
        (numbered, "cext/src/flambeau_cext/new.pyx", "from flambeau_tensor.abi cimport is_tensor"),
        (numbered, "nn/src/flambeau_nn/_module.pyx", "from flambeau_overrides.abi cimport overridden"),
        (
            disordered,
            "tensor/src/flambeau_tensor/_core/elementwise/copying.pyx",
            "from flambeau_tensor._kernels.blas cimport gemm",
        ),
        (
            disordered,
            "tensor/src/flambeau_tensor/_core/call/operator.pyx",
            "def f():\n    from flambeau_tensor import dlpack",
        ),
        (disordered, "tensor/src/flambeau_tensor/_kernels/views.pyx", "def f():\n    import flambeau_tensor.ops.views"),
        (disordered, "tensor/src/flambeau_tensor/options.py", "from flambeau_tensor.ops.views import view"),
        (sockets, "tensor/src/flambeau_tensor/_core/call/sockets.pxd", "cdef object more"),
        (
            sockets,
            "tensor/src/flambeau_tensor/_core/call/sockets.pxd",
            "cdef object more  # flambeau_nn: what nobody fills",
        ),
        (sockets, "nn/src/flambeau_nn/functional.py", "sockets.become = relu"),
        (sockets, "cext/src/flambeau_cext/ops.py", "sockets.check_read, sockets.become = None, None"),
        (handed_down, "tensor/src/flambeau_tensor/ops/views.py", "set_views(view)"),
        (handed_down, "tensor/src/flambeau_tensor/ops/views.py", "kernels.connect(view)"),
        (
            handed_down,
            "tensor/src/flambeau_tensor/_core/schema/registry.pyx",
            "from flambeau_tensor._core.call cimport operator as calls\ncalls.declare = find",
        ),
        (long_functions, "tensor/src/flambeau_tensor/options.py", "def f():\n    ..." + 65 * "\n    print()"),
        (
            long_functions,
            "tensor/src/flambeau_tensor/_core/elementwise/dtype.pyx",
            "cdef class A:\n    cdef int f(self,\n               int x) except -1:\n        y = x"
            + 65 * "\n        y += x",
        ),
        (
            complex_casts,
            "tensor/src/flambeau_tensor/_kernels/hot/special.pyx",
            "cdef f(x):\n    return <double complex>x",
        ),
        (
            python_ranges,
            "nn/src/flambeau_nn/_kernels/loss.pyx",
            "cdef f():\n    for i in range(0, len(x), max(n, 1)):\n        pass",
        ),
        (repeated, "nn/src/flambeau_nn/_kernels/loss.pyx", "cdef enum:\n    GRAIN = 16384"),
        (
            repeated,
            "nn/src/flambeau_nn/functional.py",
            "IndexError('Dimension out of range (expected to be in range of [0, 1])')",
        ),
        (decided_by_words, "nn/src/flambeau_nn/functional.py", "if 'vmap' not in str(error):\n    raise"),
        (decided_by_words, "nn/src/flambeau_nn/functional.py", "if str(e).startswith('size'):\n    raise"),
        (unannotated, "flambeau/src/flambeau/hub.py", "class Loader:\n    def get(self, name): ..."),
        (unannotated, "flambeau/src/flambeau/hub.py", "def get(name: str): ..."),
        (own_getattr, "nn/src/flambeau_nn/functional.py", "def __getattr__(name): ..."),
    ],
)
def test_the_rule_finds_who_breaks_it(check, path, added):
    sources = SOURCES | OUTSIDE if check is private else dict(SOURCES)
    path = f"packages/{path}"
    assert check(sources | {path: f"{sources.get(path, '')}\n{added}\n"})


def compiled_files():
    """The Python files that packages have compiled, by their CMakeLists.txt."""
    for folder in PACKAGES:
        if (folder / "CMakeLists.txt").exists():
            text = re.sub("#.*", "", (folder / "CMakeLists.txt").read_text())
            for names in re.findall(r"COMPILED([^)]*)\)", text):
                yield from (f"packages/{folder.name}/src/flambeau_{folder.name}/{name}" for name in names.split())


def test_compiled_files_declare_no_operators():
    """A compiled module does not run a second time where an import failed, and has no lines for errors to name."""
    files = list(compiled_files())
    assert files
    assert [f for f in files if re.search(r"\b(Operator|overloads|composite|define_property)\(", SOURCES[f])] == []


def test_files_are_short():
    long = {name: n for name, text in SOURCES.items() if (n := code_lines(text)) > MAX_CODE_LINES}
    assert not long, f"files of more than {MAX_CODE_LINES} lines of code: {long}"


def test_functions_are_short():
    assert not long_functions(SOURCES)


def test_every_package_has_the_same_skeleton():
    files = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "src", "tests"}
    missing = {folder.name: sorted(files - {f.name for f in folder.iterdir()}) for folder in PACKAGES}
    assert not any(missing.values()), missing
