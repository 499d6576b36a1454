"""``python -m flambeau script.py …``: run a script, a module (``-m``) or a command (``-c``) written for PyTorch."""
import sys

USAGE = "usage: python -m flambeau (script.py | -m module | -c command) [arguments]"


def main(arguments: list[str]) -> int:
    """Run what the command line names with flambeau in PyTorch's place."""
    import runpy

    import flambeau

    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    flambeau.install_as_torch()
    first = arguments[0]
    if first in ("-m", "-c"):
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)
            return 2
        sys.path.insert(0, "")
        if first == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = ["-c", *arguments[2:]]
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
        return 0
    import os

    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(first)))
    runpy.run_path(first, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
