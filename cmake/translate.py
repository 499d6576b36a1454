"""Turns the Cython sources of a package into C: what changed since the last time, in a few lasting processes.

Cython takes longer to start than it takes for most of our files, so one command a file would double a clean build.

    python translate.py JOBS --depfile FILE [--include FOLDER]... [--directive NAME=VALUE]...

JOBS has a line for each module: its source, its name and the C file, separated by "|". Beside each C file Cython writes
what it was made from (.dep); FILE joins these for the build system. FlambeauCython.cmake is the only caller.
"""

import argparse
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import Cython
from Cython.Compiler import Options
from Cython.Compiler.Main import CompilationOptions, Context, compile, default_options

DECLARED_BY = set()  # the .pxd files of the module at hand: Cython's own list lacks `from package cimport module`
_find_pxd_file = Context.find_pxd_file


def find_pxd_file(*args, **kwargs):
    found = _find_pxd_file(*args, **kwargs)
    if found:
        DECLARED_BY.add(os.path.relpath(found))
    return found


Context.find_pxd_file = find_pxd_file


def rule(target, names):
    """A line of a makefile."""
    spelled = " \\\n  ".join(name.replace(" ", "\\ ") for name in sorted(names))
    return f"{target}: \\\n  {spelled}\n"


def sources_of(output):
    """The files that a C file was made from, or None where nobody wrote them down."""
    try:
        written = Path(output + ".dep").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    _, _, names = written.replace("\\\n", " ").partition(": ")
    return [name.replace("\0", " ") for name in names.replace("\\ ", "\0").split()]


def is_current(output):
    """Whether a C file is there and younger than all that it was made from."""
    made_from = sources_of(output)
    try:
        written = os.stat(output).st_mtime_ns
        return made_from is not None and all(os.stat(name).st_mtime_ns <= written for name in made_from)
    except FileNotFoundError:
        return False


def leave_frames_out(code):
    """The C code, with few frames of its own in tracebacks unless FLAMBEAU_FULL_TRACEBACK was 1 when it was loaded.

    A frame of compiled code says where the library noticed a mistake, never where the user made it. Where an exception
    is handled at once, the code relies on a frame being there.
    """
    call = re.compile(r"(__Pyx_AddTraceback\(\"[^;]*\);)(?!\s*if \(__Pyx_GetException)")
    code, count = call.subn(r"if (flambeau_full_traceback) \1", code)
    if count == 0 and code.count("__Pyx_AddTraceback(") > 3:  # beside what declares and defines it
        raise ValueError("Cython calls __Pyx_AddTraceback in another way than this file knows")
    first, end, rest = code.partition("\n")  # by its first line Cython knows what it may write over
    return f"{first}{end}extern int flambeau_full_traceback; /* compiled.c.in */\n{rest}"


def translate(source, module, output, include, directives):
    """Whether Cython took the source; what it has against it, it prints."""
    Options.fast_fail = Options.warning_errors = True
    if source.endswith(".py"):
        # As Python reads it: annotations are for people and type checkers, indices count from the end, too.
        python = {"annotation_typing": False, "boundscheck": True, "wraparound": True, "cdivision": False}
        directives = {**directives, **python}
    options = CompilationOptions(
        default_options,
        include_path=include,
        compiler_directives=directives,
        language_level=3,
        output_file=output,
        depfile=True,
    )
    DECLARED_BY.clear()
    if compile(source, options, full_module_name=module).num_errors:
        Path(output).unlink(missing_ok=True)
        return False
    written = Path(output).read_text(encoding="utf-8")
    Path(output).write_text(leave_frames_out(written), encoding="utf-8")
    Path(output + ".dep").write_text(rule(output, {*sources_of(output), *DECLARED_BY}), encoding="utf-8")
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("jobs", type=Path)
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--directive", action="append", default=[])
    arguments = parser.parse_args()
    directives = Options.parse_directive_list(",".join(arguments.directive))

    jobs = [line.split("|") for line in arguments.jobs.read_text(encoding="utf-8").split("\n") if line]
    program = Path(__file__).read_text(encoding="utf-8")
    settings = repr((Cython.__version__, sys.version, sorted(directives.items()), arguments.include, program))
    record = arguments.jobs.with_suffix(".settings")  # of the last time that all of it succeeded
    same = record.exists() and record.read_text(encoding="utf-8") == settings
    due = [job for job in jobs if not (same and is_current(job[2]))]

    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    width = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", processors))
    passed = True
    with ProcessPoolExecutor(max(1, min(width, len(due)))) as pool:
        modules = {pool.submit(translate, *job, arguments.include, directives): job[1] for job in due}
        for n, future in enumerate(as_completed(modules), 1):
            print(f"Cython [{n}/{len(due)}] {modules[future]}", flush=True)
            passed = future.result() and passed
    if not passed:
        return 1

    made_from = {name for job in jobs for name in sources_of(job[2])}
    arguments.depfile.write_text(rule(jobs[0][2], made_from), encoding="utf-8")
    record.write_text(settings, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
