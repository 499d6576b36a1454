"""Placement of temporaries: one block for all, in which memory is reused after its last read."""

from flambeau_compile.graph import Program, Step

ALIGNMENT = 64


def lifetimes(groups: list[list[Step]]) -> dict[int, tuple[int, int]]:
    """For each temporary, the first and the last group that touches it. The steps of a group run side by side."""
    spans: dict[int, tuple[int, int]] = {}
    for i, step in ((i, step) for i, group in enumerate(groups) for step in group):
        for window in (*step.windows(), *step.written()):
            buffer = window.buffer
            if buffer.tensor is None and not buffer.lasts:
                first, _ = spans.get(buffer.index, (i, i))
                spans[buffer.index] = (first, i)
    return spans


def place(
    program: Program, groups: list[list[Step]], but: set[int], alignment: int = ALIGNMENT
) -> tuple[dict[int, int], int]:
    """Return the offset of each temporary, and the number of bytes that all need.

    Args:
        program, groups: the program and its groups of steps.
        but: temporaries that have their own memory.
        alignment: the offsets are multiples of this number of bytes.

    Temporaries are placed in the order of their first use, at the lowest offset that is free during their lifetime.
    """
    spans = lifetimes(groups)
    places: dict[int, int] = {}
    alive: list[tuple[int, int, int]] = []  # (last group, begin, end)
    total = 0
    for index, (first, last) in sorted(spans.items(), key=lambda item: item[1]):
        if index in but:
            continue
        size = -(-max(program.buffers[index].nbytes, 1) // alignment) * alignment
        alive = [block for block in alive if block[0] >= first]
        begin = 0
        for _, low, high in sorted(alive, key=lambda block: block[1]):
            if begin + size <= low:
                break
            begin = max(begin, high)
        places[index] = begin
        alive.append((last, begin, begin + size))
        total = max(total, begin + size)
    return places, total
