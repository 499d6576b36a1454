"""The command ``flambeau``, also ``python -m flambeau``.

flambeau run script.py [arguments]   run a program written for PyTorch; also -m module and -c command
flambeau check program.py folder/    which of PyTorch's names a program uses that are not built
flambeau export program.py:name      a function as C, for CasADi or as WebAssembly; --help says more
flambeau doctor                      versions, what this processor runs, and what building extensions needs
flambeau demo                        train a network on handwritten digits
flambeau coverage module:Type        which functions a type with __torch_function__ answers
flambeau --version                   the versions of all packages

``python -m flambeau script.py`` is ``flambeau run script.py``.
"""

import sys
from collections.abc import Callable
from types import TracebackType

RUN = "usage: flambeau run (script.py | -m module | -c command) [arguments]"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print((__doc__ or RUN).partition("\n\n")[2])
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        return version(arguments[1:])
    command = COMMANDS.get(arguments[0])
    return command(arguments[1:]) if command else run(arguments)


def run(arguments: list[str]) -> int:
    """Run a script, a module (``-m``) or a command (``-c``) with flambeau in PyTorch's place."""
    import os
    import runpy

    import flambeau

    first = arguments[0] if arguments else ""
    if first in ("-h", "--help"):
        print(RUN)
        return 0
    if not first or first in ("-m", "-c") and len(arguments) < 2:
        print(RUN, file=sys.stderr)
        return 2
    if first not in ("-m", "-c") and not os.path.exists(first):
        print(f"flambeau: there is no file {first!r}, and no such command: flambeau --help lists them", file=sys.stderr)
        return 2
    flambeau.install_as_torch()
    _begin_tracebacks_at_the_program()
    if first == "-m":
        sys.path.insert(0, "")
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(first)))
        runpy.run_path(first, run_name="__main__")
    return 0


def _begin_tracebacks_at_the_program() -> None:
    """Show tracebacks without the frames of this command and of ``runpy``."""
    show = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        below = tb
        while below is not None and below.tb_frame.f_code is not run.__code__:
            below = below.tb_next
        while below is not None and (
            below.tb_frame.f_globals is globals() or below.tb_frame.f_globals.get("__name__") == "runpy"
        ):
            below = below.tb_next
        tb = below or tb
        show(kind, error.with_traceback(tb), tb)

    sys.excepthook = excepthook


def check(arguments: list[str]) -> int:
    """Say which names of PyTorch's are not here."""
    from flambeau.program_names import report

    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: flambeau check (program.py | folder) …")
        return 0 if arguments else 2
    try:
        text, complete = report(arguments)
    except OSError as error:
        print(f"flambeau check: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0 if complete else 1


def export(arguments: list[str]) -> int:
    """Write a function of a program as C."""
    from flambeau.exporting import main as write

    return write(arguments)


def doctor(arguments: list[str]) -> int:
    """Report on this installation."""
    from flambeau import __config__
    from flambeau_cext.__main__ import main as extensions

    if not arguments:
        print(__config__.show().rstrip())
    return extensions(["doctor", *arguments], prog="flambeau")


def demo(arguments: list[str]) -> int:
    """Train the demonstration's network."""
    from flambeau.demo.__main__ import main as demonstrate

    demonstrate(arguments)
    return 0


def coverage(arguments: list[str]) -> int:
    """Say which functions a type answers."""
    from flambeau_overrides.coverage import main as cover

    return cover(arguments, prog="flambeau coverage")


def version(arguments: list[str]) -> int:
    """Print the versions of the packages that are installed, NumPy's and Python's."""
    import importlib.metadata
    import platform

    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions() if d.metadata["Name"]}
    names = ["flambeau", *sorted(name for name in found if name.startswith("flambeau-")), "numpy"]
    print("\n".join(f"{name} {found[name]}" for name in names if name in found))
    print(f"Python {platform.python_version()}")
    return 0


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "check": check,
    "export": export,
    "doctor": doctor,
    "demo": demo,
    "coverage": coverage,
}

if __name__ == "__main__":
    sys.exit(main())
