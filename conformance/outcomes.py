"""A pytest plugin that writes what came of each test to the file that OUTCOMES names, as each one ends.

A test that was begun and has no line is one that ended the process.
"""

import json
import os
import signal

import pytest

LIMIT = int(os.environ.get("OUTCOMES_SECONDS", "60"))  # of the processor that a test may take


class Timeout(Exception):
    pass


def write(**line):
    with open(os.environ["OUTCOMES"], "a") as f:
        f.write(json.dumps(line) + "\n")


def expired(*_):
    raise Timeout(f"more than {LIMIT} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    write(test=item.nodeid, outcome="ended the process")
    signal.signal(signal.SIGPROF, expired)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        line = report.longrepr.reprcrash.message if hasattr(report.longrepr, "reprcrash") else str(report.longrepr)
        reason = {} if report.passed else {"reason": line.strip().splitlines()[0][:200] if line.strip() else ""}
        write(test=report.nodeid, outcome=report.outcome, **reason)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, outcome="not collected", reason=str(report.longrepr).strip().splitlines()[-1][:200])
