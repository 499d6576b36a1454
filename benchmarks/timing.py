"""The least mean time of a call, over windows of a third of a millisecond."""

import time


def least(function, budget=0.4):
    for _ in range(20):
        function()
    begin = time.perf_counter()
    function()
    calls = max(1, int(3e-4 / (time.perf_counter() - begin)))
    best, end, windows = float("inf"), time.perf_counter() + budget, 0
    while windows < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - begin) / calls)
        windows += 1
    return best
