"""The C++ headers say what the operators' schemas say."""

import json
import subprocess
import sys

import pytest

from flambeau_cext.operator_headers import INCLUDE


@pytest.fixture(scope="module")
def told():
    """The headers, and the names of functions with their first parameters."""
    # In a process of its own, as they are written: what else declares operators is not in them.
    code = """
import json, flambeau.nn
from flambeau_cext import operator_headers as o
firsts = [(s.name, s.parameters[0].argument if s.parameters else "") for s in o.signatures() if s.function]
print(json.dumps([o.headers(), firsts]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_headers_follow_the_schemas(told):
    for name, text in told[0].items():
        again = "write them again: nox -s renew"
        assert (INCLUDE / name).read_text(encoding="utf-8") == text, again


def test_each_function_has_a_file_with_its_other_forms(told):
    names = {n.removesuffix("_out") if n.endswith("_out") and first == "out" else n.rstrip("_") for n, first in told[1]}
    by_hand = {"convolution_backward", "resize_as"}
    assert {path.stem for path in (INCLUDE / "ops").iterdir()} == names | by_hand
