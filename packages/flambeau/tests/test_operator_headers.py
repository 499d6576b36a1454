"""The C++ headers say what the operators' schemas say."""

import flambeau.nn  # noqa: F401  (its operators are in the headers)
from flambeau_cext import operator_headers


def test_headers_follow_the_schemas():
    headers = operator_headers.headers()
    again = "write them again: python -m flambeau_cext.operator_headers flambeau.nn"
    for name, text in headers.items():
        assert (operator_headers.INCLUDE / name).read_text(encoding="utf-8") == text, again
    one_by_one = {f"ops/{path.name}" for path in (operator_headers.INCLUDE / "ops").iterdir()}
    assert one_by_one == {name for name in headers if "/" in name}, again
