"""Logs of traces on request: ``TORCH_LOGS=recompiles``, or ``torch._logging.set_logs(recompiles=True)``."""

import logging
import os
import sys
from collections import Counter, defaultdict

KINDS = {  # of lines: which settings show them
    "compiled": ("dynamo", "inductor"),
    "recompiles": ("dynamo", "recompiles", "recompiles_verbose"),
    "graph_breaks": ("dynamo", "graph_breaks"),
    "output_code": ("output_code",),
}

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
_shown: set[str] = set()


def set_logs(**settings: object) -> None:
    """Select the logs that are written to ``sys.stderr``: each setting is True or a level of `logging`.

    >>> set_logs(recompiles=True)
    >>> set_logs()
    """
    _shown.clear()
    _shown.update(name for name, value in settings.items() if _is_on(value))


def _is_on(value: object) -> bool:
    return value is not None and value is not False and (value is True or value in (logging.INFO, logging.DEBUG))


def say(kind: str, text: str) -> None:
    """Write a log line of that kind, if it is enabled."""
    if not _shown.isdisjoint(KINDS[kind]):
        print(f"[__{kind}] {text}", file=sys.stderr)


def _read_environment() -> None:
    names = [name.strip().lstrip("+") for name in os.environ.get("TORCH_LOGS", "").split(",")]
    set_logs(**{name: True for name in names if name and not name.startswith("-")})


_read_environment()
