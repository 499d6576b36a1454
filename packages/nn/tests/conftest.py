"""Fixtures that several files share."""

import pytest


@pytest.fixture
def check_error():
    """Checks that a call raises, with exactly this text."""

    def check(call, kind, text):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text

    return check
