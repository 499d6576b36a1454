"""The command line, for build systems and for people whose builds fail:

python -m flambeau_cext doctor          what this machine has for building extensions
python -m flambeau_cext include-paths   folders for the compiler's -I, one in a line
python -m flambeau_cext cmake-dir       the folder of the CMake package
python -m flambeau_cext bindings        write the Python bindings of C or C++ functions
python -m flambeau_cext prune           empty the cache of what nobody uses, or of everything
"""

import argparse
import sys
from pathlib import Path


def main(arguments: list[str] | None = None, prog: str = "python -m flambeau_cext") -> int:
    """Run the command line; 0 when nothing is missing."""
    parser = argparse.ArgumentParser(prog=prog, description="Building extensions for flambeau.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help="report on compilers, headers and the cache")
    commands.add_parser("include-paths", help="print the folders for the compiler's -I, one in a line")
    commands.add_parser("cmake-dir", help="print the folder of the CMake package")
    bindings = commands.add_parser("bindings", help="write the Python bindings of C or C++ functions")
    bindings.add_argument("module", help="the module's name, without its package")
    bindings.add_argument("sources", nargs="+", type=Path, help="the sources that declare the functions")
    bindings.add_argument("-f", "--function", action="append", required=True, dest="functions", help="one to be bound")
    bindings.add_argument("-o", "--output", required=True, type=Path, help="the file to write")
    bindings.add_argument("-I", action="append", default=[], dest="include_paths", help="a folder for headers")
    bindings.add_argument("-D", action="append", default=[], dest="macros", help="a macro")
    prune = commands.add_parser("prune", help="remove builds that were not used for a month from the cache")
    prune.add_argument("--all", action="store_true", help="remove everything that was not used in the last hour")
    chosen = parser.parse_args(arguments)
    return _COMMANDS[chosen.command](chosen)


def _doctor(chosen: argparse.Namespace) -> int:
    from flambeau_cext.doctor import report

    text, ok = report()
    print(text)
    return 0 if ok else 1


def _include_paths(chosen: argparse.Namespace) -> int:
    from flambeau_cext.build import include_paths

    print("\n".join(include_paths()))
    return 0


def _cmake_dir(chosen: argparse.Namespace) -> int:
    import flambeau_cext

    print(flambeau_cext.get_cmake_dir())
    return 0


def _bindings(chosen: argparse.Namespace) -> int:
    from flambeau_cext import compiler
    from flambeau_cext.build import Source, base_flags, generate_bindings
    from flambeau_cext.errors import CompileError, first_error
    from flambeau_cext.processes import Processes

    processes = Processes()
    flags = [*(f"-I{path}" for path in chosen.include_paths), *(f"-D{macro}" for macro in chosen.macros)]
    flags += base_flags(chosen.module)

    def preprocessed(source: Source) -> str:
        command = compiler.find(source.language).preprocess(source.path, flags)
        done = processes.run(command, merge=False)
        if done.status != 0:
            raise CompileError(first_error(processes.run(command).output))
        return done.output

    try:
        sources = [Source(path, compiler.SUFFIXES[path.suffix]) for path in chosen.sources]
        made = generate_bindings(chosen.module, dict.fromkeys(chosen.functions, ""), sources, preprocessed)
        assert made is not None and made.text is not None  # `preprocessed` raises instead
        chosen.output.write_text(made.text, encoding="utf-8")
    except (CompileError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _prune(chosen: argparse.Namespace) -> int:
    from flambeau_cext import cache

    root = cache.root()
    removed = cache.prune(root, days=0 if chosen.all else cache.KEPT_DAYS)
    print(f"removed {removed} entries of {root}")
    return 0


_COMMANDS = {"doctor": _doctor, "include-paths": _include_paths, "cmake-dir": _cmake_dir, "bindings": _bindings,
             "prune": _prune}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
