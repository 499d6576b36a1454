"""Runs the examples of the reference as a reader pastes them, after these two lines and nothing else:

    import flambeau as torch
    from flambeau import nn

Each page begins anew. It prints what failed; `python docs/run_reference.py torch.nn` runs the names that begin so.
"""

import contextlib
import doctest
import inspect
import io
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import flambeau as torch
from flambeau import nn

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def docstrings(value):
    """The docstring of something, and for a class those of its public methods and properties, by name."""
    yield "", value.__doc__
    for name, member in vars(value).items() if inspect.isclass(value) else ():
        if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod, staticmethod))):
            yield f".{name}", member.__doc__


def shown():
    """(name, text) of each example in the reference, as its page has it."""
    from importlib import import_module

    import operator_pages
    from examples import namespace, qualified
    from operator_pages import by_name, example, families
    from reference import listed

    operator_pages.load()
    for ops in families().values():
        for name, overloads in by_name(ops).items():
            yield name, "\n".join(line or "<BLANKLINE>" for line in example(overloads[0]) or ())
    seen = set()
    for module, name, value in listed():
        for member, text in docstrings(value):
            if isinstance(text, str) and ">>>" in text and (id(value), member) not in seen:
                seen.add((id(value), member))
                names = namespace(value, import_module(module))
                own = (member or name).rpartition(".")[2]
                yield name + member, "\n".join(qualified(inspect.cleandoc(text).splitlines(), names, own))


def run(name, text):
    """What an example says of itself that is not so, as a text."""
    said = io.StringIO()
    test = doctest.DocTestParser().get_doctest(
        text + "\n", {"torch": torch, "nn": nn, "__name__": "__main__"}, name, None, 0
    )
    with torch.random.fork_rng(), warnings.catch_warnings(action="ignore"):
        torch.manual_seed(0)
        doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=said.write)
    return said.getvalue()


def main(prefix=""):
    failed, count = "", 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in shown():
            if name.startswith(prefix) and ">>>" in text:
                count += 1
                failed += run(name, text)
    sys.stdout.write(failed or f"{count} examples print what they say\n")
    return bool(failed)


if __name__ == "__main__":
    torch.install_as_torch()
    sys.exit(main(*sys.argv[1:]))
