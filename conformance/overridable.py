"""Records what PyTorch lists as overridable, and says what of it dispatches here.

    python conformance/overridable.py record    # with PyTorch 2.13: write the list beside flambeau's tests
    python conformance/overridable.py report    # with flambeau: count what exists here, and name what misses

The names are those of ``torch.overrides.resolve_name``. A function counts as existing here if its name is found and
calling it does not raise NotImplementedError, and as dispatching if the handler of its argument is asked. The arguments
are made from the signature: a tensor subclass for methods and attributes, an object that is no tensor for the rest.
"""

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "packages/flambeau/tests"
RECORD = TESTS / "pytorch_overridable.txt"


def record():
    """Write the names that PyTorch lists, sorted, one on each line."""
    import torch

    names = [torch.overrides.resolve_name(f) for f in torch.overrides.get_testing_overrides()]
    found = sorted({name for name in names if name is not None})
    version = torch.__version__.partition("+")[0]
    RECORD.write_text(
        "\n".join(
            [
                f"# What torch.overrides.get_testing_overrides() of PyTorch {version} lists, by "
                "torch.overrides.resolve_name(), one on each line.",
                f"# Left out are {names.count(None)} functions without such a name: private ones, and those of "
                "torch.distributed.",
                *found,
                "",
            ]
        )
    )


def report():
    """Print how many of the recorded functions exist here, how many dispatch, and those that do not."""
    sys.path.insert(0, str(TESTS))
    from test_overrides import LISTED_BY_PYTORCH, survey

    built, arrived, unlisted = survey()
    print(
        f"PyTorch lists {len(LISTED_BY_PYTORCH)}; {len(built)} of them exist here; {len(arrived)} dispatch "
        f"({len(arrived) / len(built):.1%})"
    )
    for title, names in (("do not dispatch", set(built) - set(arrived)), ("are not listed here", set(unlisted))):
        print(f"{len(names)} {title}", *sorted(names), sep="\n  ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["record", "report"])
    {"record": record, "report": report}[parser.parse_args().what]()
