"""The C++ headers say what the operators' schemas say."""

import json
import subprocess
import sys

from flambeau_cext.operator_headers import INCLUDE


def test_headers_follow_the_schemas():
    # In a process of its own, as they are written: what else declares operators is not in them.
    code = "import json, flambeau.nn; from flambeau_cext import operator_headers as o; print(json.dumps(o.headers()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    headers = json.loads(done.stdout)
    again = "write them again: python -m flambeau_cext.operator_headers flambeau.nn"
    for name, text in headers.items():
        assert (INCLUDE / name).read_text(encoding="utf-8") == text, again
    one_by_one = {f"ops/{path.name}" for path in (INCLUDE / "ops").iterdir()}
    assert one_by_one == {name for name in headers if name.startswith("ops/")}, again
