"""The type of ``torch.__version__``: a str that compares as a version."""

import re
from typing import Any

_PARTS = re.compile(
    r"\s*v?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre>a|alpha|b|beta|c|rc|pre|preview)[-_.]?(?P<number>\d*))?"
    r"(?P<post>[-_.]?post\d*)?(?P<dev>[-_.]?dev\d*)?(?:\+(?P<local>[\w.-]+))?\s*$",
    re.IGNORECASE,
)


def _key(version):
    """Return the sort key of a version; None if it is not a version."""
    if isinstance(version, (tuple, list)):
        version = ".".join(map(str, version))
    m = _PARTS.match(str(version))
    if m is None:
        return None
    release = tuple(int(part) for part in m["release"].split("."))
    while release and release[-1] == 0:
        release = release[:-1]
    if m["pre"]:
        stage = (1, m["pre"][0].lower().replace("c", "r").replace("p", "r"), int(m["number"] or 0))
    else:
        stage = (0 if m["dev"] else 2, "", 0)
    return release, stage, bool(m["post"]), not m["dev"], m["local"] or ""


class TorchVersion(str):
    """A str that is compared, with another one or a tuple of numbers, as versions are.

    >>> TorchVersion("2.13.0") > "2.9", TorchVersion("2.13.0") >= (2, 13), TorchVersion("2.13.0") < "2.13.0rc1"
    (True, True, False)
    """

    __slots__ = ()

    def _compare(self, other, by):
        mine, theirs = _key(str(self)), _key(other)
        return getattr(str, by)(self, other) if mine is None or theirs is None else getattr(mine, by)(theirs)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._compare(other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, "__ge__")

    def __eq__(self, other: object) -> bool:
        return self._compare(other, "__eq__")

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__
