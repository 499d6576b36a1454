"""The interfaces that separately built packages share: their declarations do not change without their numbers.

``interfaces.lock`` has the number of each interface and a hash of its declarations, without comments and without the
bodies of inline functions. ``python tests/test_interfaces.py`` renews it after the number was raised.
"""

import hashlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = Path(__file__).with_name("interfaces.lock")
FOLDER = "packages/tensor/src/flambeau_tensor"
NUMBERS = {  # where the number of each interface stands
    "packages/overrides/src/flambeau_overrides/abi.pxd": r"\bOVERRIDES_ABI = (\d+)",
    f"{FOLDER}/abi.pxd": r"\bTENSOR_ABI = (\d+)",
    f"{FOLDER}/compute.pxd": r"\bCOMPUTE_ABI = (\d+)",
    f"{FOLDER}/include/flambeau/tensor.h": r"#define FL_ABI_MAJOR (\d+)\n#define FL_ABI_MINOR (\d+)",
}


def declarations(name, text):
    """What compiled code depends on: one line a declaration, however it is laid out and commented."""
    if name.endswith(".h"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
        inline = re.compile(r"^(static [^;{}]*\)\s*)\{(?:[^\n]*\}[ \t]*$|.*?^\})", re.DOTALL | re.MULTILINE)
        return " ".join(inline.sub(r"\1;", text).split())
    text = re.sub(r'^\s*""".*?"""', "", text, flags=re.DOTALL | re.MULTILINE)
    lines = (re.sub(r"\s+", " ", line.split("#")[0].rstrip()) for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip())


def entry(name, text):
    """The number of an interface, such as "1.0", and the hash of its declarations."""
    number = ".".join(re.search(NUMBERS[name], text).groups())
    return number, hashlib.sha256(declarations(name, text).encode()).hexdigest()


def locked():
    rows = (line.split() for line in LOCK.read_text().splitlines() if not line.startswith("#"))
    return {name: (number, digest) for name, number, digest in rows}


@pytest.mark.parametrize("name", NUMBERS)
def test_an_interface_changes_with_its_number_only(name):
    number, digest = entry(name, (ROOT / name).read_text())
    old_number, old_digest = locked()[name]
    if digest != old_digest:
        assert number != old_number, f"the declarations of {name} changed: raise its number, {number}"
    assert (number, digest) == (old_number, old_digest), "renew the lock file: python tests/test_interfaces.py"


@pytest.mark.parametrize("name", NUMBERS)
def test_what_counts_as_a_change(name):
    text = (ROOT / name).read_text()
    before = entry(name, text)
    comment = "/* more */" if name.endswith(".h") else "# more"
    assert entry(name, text + f"\n{comment}\n\n") == before
    added = "int more(int);" if name.endswith(".h") else "cdef int more(int n)"
    assert entry(name, text + f"\n{added}\n")[1] != before[1]
    if name.endswith(".h"):
        assert "fl_api" in declarations(name, text) and "PyErr_SetString" not in declarations(name, text)


def renew():
    """Write the lock file; refuses while an interface has changed under its old number."""
    old = locked() if LOCK.exists() else {}
    rows = []
    for name in NUMBERS:
        number, digest = entry(name, (ROOT / name).read_text())
        if name in old and old[name][0] == number and old[name][1] != digest:
            sys.exit(f"the declarations of {name} changed: raise its number, {number}, first")
        rows.append(f"{name} {number} {digest}\n")
    LOCK.write_text(
        "# Written by `python tests/test_interfaces.py`: interface, number, hash of the declarations.\n" + "".join(rows)
    )


if __name__ == "__main__":
    renew()
