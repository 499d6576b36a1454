"""The C++ headers say what the operators' schemas say."""

import flambeau.nn  # noqa: F401  (its operators are in the headers)
import pytest

from flambeau_cext import operator_headers


@pytest.mark.parametrize("name", ["Functions.h", "MethodDeclarations.h"])
def test_headers_follow_the_schemas(name):
    written = (operator_headers.INCLUDE / name).read_text(encoding="utf-8")
    again = "write it again: python -m flambeau_cext.operator_headers flambeau.nn"
    assert operator_headers.headers()[name] == written, again
