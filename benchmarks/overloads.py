"""What choosing among the overloads of a name costs: a call of each set, less a call of the operator that it ends in.

    python benchmarks/overloads.py              # nanoseconds: both in turns, the least of many rounds
    python benchmarks/overloads.py clamp max    # of these names alone

Calls are those of `samples/` whose arguments go by position. Under `valgrind --tool=callgrind` instructions say the
same without noise; see `FLAMBEAU_CPU_LEVEL` for processors that valgrind does not know.
"""

import gc
import sys
from pathlib import Path
from time import perf_counter_ns
from warnings import catch_warnings, simplefilter

sys.path.insert(0, str(Path(__file__).parents[1]))

import flambeau  # noqa: E402, F401
from flambeau_tensor.extend import Forward, OverloadSet, functions  # noqa: E402
from samples import families, table  # noqa: E402

NAMESPACES = "torch", "torch.linalg", "torch.nn.functional", "torch.special", "torch.fft"
MOST = 10  # nanoseconds
ROUNDS, CALLS = 60, 50


def end_of(op, arguments):
    """The operator that a member is under other arguments, as long as those that are given stay as they are."""
    n = len(arguments)
    while True:
        kernel = op.implementation
        if hasattr(kernel, "forwards"):  # several, by what is given
            names = [a.name for a in op.schema.arguments[:n]]
            given = {name for name, value in zip(names, arguments, strict=True) if value is not None}
            kernel = kernel.forwards[frozenset(given & set().union(*kernel.forwards))]
        if not isinstance(kernel, Forward) or kernel.fixed:
            return op
        target = kernel.target if op.functional is None else kernel.target.inplace
        if [a.name for a in target.schema.arguments[:n]] != [a.name for a in op.schema.arguments[:n]]:
            return op
        op = target


def called(op, arguments):
    """Whether it takes them."""
    try:
        op(*arguments)
        return True
    except (TypeError, RuntimeError, IndexError, ValueError):
        return False


def calls_of(sets):
    """Set, operator and arguments of one call for each set and number of arguments."""
    found = {}
    for package in ("tensor", "nn"):
        for family in families(package):
            for sample in table(f"{package}.{family}").values():
                if sample.via is not None or sample.options:
                    continue
                arguments = sample.bind(sample.one())[0]
                for s in sets:
                    if not {*s.overloads} & {*sample.operator.overloads}:
                        continue
                    member = next((op for op in s.overloads if called(op, arguments)), None)
                    if member is None or not called(s, arguments):
                        continue
                    inner = end_of(member, arguments)
                    inner = inner if called(inner, arguments) else member
                    found.setdefault((id(s), len(arguments)), (s, inner, arguments))
    return list(found.values())


def least(functions_, arguments):
    """The least time of a call of each, in nanoseconds."""
    times = [float("inf")] * len(functions_)
    for _ in range(ROUNDS):
        for i, function in enumerate(functions_):
            start = perf_counter_ns()
            for _ in range(CALLS):
                function(*arguments)
            times[i] = min(times[i], (perf_counter_ns() - start) / CALLS)
    return times


def all_sets():
    """Every set of overloads that users can reach, as a function or behind a method."""
    for namespace in NAMESPACES:
        functions(namespace)  # loads what loads late
    return [o for o in gc.get_objects() if type(o) is OverloadSet]


def main(names):
    sets = [s for s in all_sets() if not names or s.name in names]
    with catch_warnings():
        simplefilter("ignore")
        calls = calls_of(sets)
        rows = []
        for s, inner, arguments in calls:
            whole, part = least((s, inner), arguments)
            rows.append((whole - part, f"{s.__torch_name__}({', '.join(type(a).__name__ for a in arguments)})", inner))
    for above, text, inner in sorted(rows, key=lambda row: row[0]):
        print(f"{above:8.1f} ns  {text}  above {inner.__torch_name__}")
    under = sum(1 for row in rows if row[0] <= MOST)
    print(f"{under} of {len(rows)} calls at most {MOST} ns; {len({id(s) for s, *_ in calls})} of {len(sets)} sets")


if __name__ == "__main__":
    main(sys.argv[1:])
