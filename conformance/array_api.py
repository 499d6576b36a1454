"""Runs the array API standard's published test suite on ``Tensor.__array_namespace__()``.

    python conformance/array_api.py [--suite DIR] [--scratch DIR] [--json array_api.json] [--examples 50]

Needs flambeau, pytest, hypothesis and ndindex in one environment. The suite is a clone of data-apis/array-api-tests
with its submodule, which is made in the scratch folder where ``--suite`` names none. Left out are the dtypes that
PyTorch computes little on (uint16, uint32, uint64). ``REASONS`` says why tests fail.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = "https://github.com/data-apis/array-api-tests"
VERSION = "2024.12"
SKIPPED = "uint16,uint32,uint64"
PROMOTION = "an operator gives tensors without dimensions the lesser say in promotion, as PyTorch does"
QUOTIENT = "quotients and remainders of infinities and zeros are PyTorch's"
# A pattern of a test's name -> why it fails.
REASONS = {
    r"test_getitem$|test_setitem$": "slices have no negative steps, as in PyTorch",
    r"masking": "a mask has the sizes of what it selects from, as in PyTorch",
    r"\[__\w+__\(x1, x2\)\]|\[__\w+__\(x, s\)\]|\[__i\w+__\(x1, x2\)\]": PROMOTION,
    r"tanh": "beside an infinity, the zero has the sign that C and PyTorch give it",
    r"(floor_?div|ifloordiv|floordiv|mod|remainder)": QUOTIENT,
}


def obtain(suite, scratch):
    if suite is None:
        suite = scratch / "array-api-tests"
        if not suite.exists():
            command = ["git", "clone", "-q", "--depth", "1", "--recurse-submodules", REPOSITORY, str(suite)]
            subprocess.run(command, check=True)
    return suite


def run(suite, examples):
    """The outcome of each test, by name."""
    environment = {
        **os.environ,
        "ARRAY_API_TESTS_MODULE": "flambeau_tensor.array_api",
        "ARRAY_API_TESTS_VERSION": VERSION,
        "ARRAY_API_TESTS_SKIP_DTYPES": SKIPPED,
    }
    options = ["-v", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", "--max-examples", str(examples)]
    command = [sys.executable, "-m", "pytest", *options, "array_api_tests"]
    output = subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True).stdout
    lines = re.findall(r"^array_api_tests/(\w+)\.py::(.*?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b", output, re.M)
    if not lines:
        raise RuntimeError(output[-3000:])
    return {f"{file}::{name}": outcome for file, name, outcome in lines}


def reason(name):
    return next((text for pattern, text in REASONS.items() if re.search(pattern, name)), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--scratch", type=Path, default=Path())
    parser.add_argument("--json", type=Path)
    parser.add_argument("--examples", type=int, default=50)
    args = parser.parse_args()
    found = run(obtain(args.suite, args.scratch).resolve(), args.examples)
    failed = {name: reason(name) for name, outcome in found.items() if outcome in ("FAILED", "ERROR")}
    passed = sum(outcome == "PASSED" for outcome in found.values())
    if args.json:
        table = {"version": VERSION, "passed": passed, "of": passed + len(failed), "failed": failed}
        args.json.write_text(json.dumps(table, indent=0))
    for name, why in failed.items():
        print(name, "-", why or "NO REASON")
    print(f"array API {VERSION}: {passed} of {passed + len(failed)} tests pass")


if __name__ == "__main__":
    main()
