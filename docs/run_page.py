"""Runs the listings of a page as a reader would: one after the other, in a process where nothing else happened.

    python docs/run_page.py docs/quickstart.md

Listings are what stands in fences named `python`, `testcode` and `doctest`; a fence `testoutput` says what the listing
before it prints. A comment `% run in FOLDER` names the folder, from the top of the checkout, that the page tells its
reader to start in.
"""

import contextlib
import doctest
import io
import linecache
import os
import re
import sys
import traceback
import types
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = "python|testcode|testoutput|doctest"
FENCE = re.compile(
    rf"^(?P<fence>`{{3,}})\{{?(?P<kind>{KINDS})\}}?[^\n]*\n(?P<text>.*?)^(?P=fence) *$", re.MULTILINE | re.DOTALL
)
OPTION = re.compile(r"\A(:[\w-]+:.*\n)+\n?")
FLAGS = doctest.ELLIPSIS | doctest.DONT_ACCEPT_TRUE_FOR_1
CHECKER = doctest.OutputChecker()


def listings(text):
    """(line, kind, listing) of each fence."""
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text"))
        yield line, found["kind"], OPTION.sub("", found["text"])


def folder_of(text):
    """Where the page tells its reader to start; None where it does not matter."""
    found = re.search(r"^% run in (\S+)$", text, re.MULTILINE)
    return ROOT / found[1] if found else None


def run_program(page, line, source, names):
    """What the listing prints; an error leaves with the page's line numbers."""
    name = f"{page}[{line + 1}]"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + source, str(page), "exec", dont_inherit=True), names)  # noqa: S102
    return printed.getvalue()


def run_page(page, names):
    """Run every listing of the page in `names`; returns what failed, as texts."""
    failed = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    pending = None  # what the last program printed, while nobody has said what it should
    for line, kind, source in listings(page.read_text(encoding="utf-8")):
        if kind == "testoutput":
            example = doctest.Example("", source)
            if pending is None or not CHECKER.check_output(source, pending, FLAGS):
                difference = CHECKER.output_difference(example, pending or "", FLAGS)
                failed.append(f"{page}:{line + 1}: other output\n{difference}")
            pending = None
        elif kind == "doctest" or source.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(source, {}, page.stem, str(page), line)
            test.globs = names
            report = io.StringIO()
            runner.run(test, out=report.write, clear_globs=False)
            failed += [report.getvalue()] if report.getvalue() else []
        else:
            try:
                pending = run_program(page, line, source, names)
            except Exception:
                failed.append(f"{page}:{line + 1}: raised\n{traceback.format_exc()}")
                pending = None
    return failed


def main():
    page = Path(sys.argv[1]).resolve()
    folder = folder_of(page.read_text(encoding="utf-8"))
    if folder:
        os.chdir(folder)
    sys.path[0] = ""  # as in `python`, instead of the folder of this file
    # What the listings define stands in __main__, where pickle looks for it.
    sys.modules["__main__"] = main_module = types.ModuleType("__main__")
    failed = run_page(page, vars(main_module))
    sys.stdout.write("".join(failed))
    return bool(failed)


if __name__ == "__main__":
    this = sys.modules["__main__"]  # which stays alive
    sys.exit(main())
