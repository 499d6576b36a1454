"""Layered drawing: boxes in rows, so that all edges point down, with few crossings and short edges.

The steps are those of Sugiyama, Tagawa and Toda: rows by the longest path, bends where an edge crosses a row, an order
within rows by the mean positions of neighbors, and positions as close to the neighbors as the widths allow.
"""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

_SWEEPS = 12
_LONG = 40  # rows; a longer edge is drawn behind the boxes
_MOST = 20_000  # boxes and bends


class Layout(NamedTuple):
    """Centres of boxes, the way of each edge through the rows from box to box, and the size of it all."""

    places: "dict[Hashable, tuple[float, float]]"
    ways: "list[list[tuple[float, float]]]"
    width: float
    height: float


def layered(
    sizes: "dict[Hashable, tuple[float, float]]",
    edges: "Sequence[tuple[Hashable, Hashable]]",
    gap: float = 24.0,
    row_gap: float = 36.0,
) -> Layout:
    """Places for boxes of given widths and heights, in the order in which edges pass: each points down.

    Args:
        sizes: box -> (width, height).
        edges: pairs of boxes; the first one is placed above the second. There must be no cycle.

    Raises:
        ValueError: there would be more than 20,000 boxes and bends.
    """
    rank = _ranks(sizes, edges)
    bent = [range(rank[a] + 1, rank[b]) if rank[b] - rank[a] <= _LONG else range(0) for a, b in edges]
    if len(sizes) + sum(map(len, bent)) > _MOST:
        raise ValueError(f"the graph is too large to draw: it has more than {_MOST:,} boxes and bends")
    rows: list[list[Hashable]] = [[] for _ in range(max(rank.values()) + 1)]
    widths = {box: size[0] for box, size in sizes.items()}
    for box in sizes:
        rows[rank[box]].append(box)
    above: dict[Hashable, list[Hashable]] = {box: [] for box in sizes}
    below: dict[Hashable, list[Hashable]] = {box: [] for box in sizes}
    chains: list[list[Any]] = []
    for number, (a, b) in enumerate(edges):
        bends: list[Hashable] = [("bend", number, row) for row in bent[number]]
        for row, bend in zip(bent[number], bends, strict=True):
            rows[row].append(bend)
            widths[bend], above[bend], below[bend] = 0.0, [], []
        chains.append([a, *bends, b])
        for high, low in zip(chains[-1], chains[-1][1:], strict=False):
            below[high].append(low)
            above[low].append(high)
    _order(rows, above, below)
    centre = _columns(rows, above, below, widths, gap)
    left = min(centre[box] - widths[box] / 2 for box in centre)
    heights = [max((sizes[box][1] for box in row if box in sizes), default=0.0) for row in rows]
    tops = [sum(heights[:row]) + row * row_gap for row in range(len(rows))]
    places = {box: (centre[box] - left, tops[rank[box]] + heights[rank[box]] / 2) for box in sizes}
    ways: list[list[tuple[float, float]]] = []
    for (a, b), chain in zip(edges, chains, strict=True):
        start, end = places[a][1] + sizes[a][1] / 2, places[b][1] - sizes[b][1] / 2
        turns = [(centre[bend] - left, tops[bend[2]] + heights[bend[2]] / 2) for bend in chain[1:-1]]
        ways.append([(places[a][0], start), *turns, (places[b][0], end)])
    right = max(centre[box] + widths[box] / 2 for box in centre)
    return Layout(places, ways, right - left, tops[-1] + heights[-1])


def _ranks(boxes, edges):
    """Return the rows of boxes, counted from the top: each box right above the highest box that it points to."""
    out = {box: [] for box in boxes}
    waiting = dict.fromkeys(boxes, 0)  # box -> number of edges out of it whose ends have no row yet
    into = {box: [] for box in boxes}
    for a, b in edges:
        out[a].append(b)
        into[b].append(a)
        waiting[a] += 1
    ready = [box for box, count in waiting.items() if not count]
    height = {}
    while ready:
        box = ready.pop()
        height[box] = max((height[end] + 1 for end in out[box]), default=0)
        for start in into[box]:
            waiting[start] -= 1
            if not waiting[start]:
                ready.append(start)
    top = max(height.values())
    return {box: top - height[box] for box in boxes}


def _order(rows, above, below):
    """Sort each row by the mean position of its neighbors in the row before, downwards and upwards in turn."""
    at = {box: i for row in rows for i, box in enumerate(row)}
    for sweep in range(_SWEEPS):
        neighbours, walk = (above, rows[1:]) if sweep % 2 == 0 else (below, rows[-2::-1])
        for row in walk:
            mean = {box: _mean([at[n] for n in neighbours[box]], at[box]) for box in row}
            row.sort(key=mean.__getitem__)
            at.update((box, i) for i, box in enumerate(row))


def _columns(rows, above, below, widths, gap):
    """Centres: as near to the neighbors' mean as the order and the widths of a row allow."""
    centre = {}
    for row in rows:
        x = 0.0
        for box in row:
            centre[box] = x + widths[box] / 2
            x += widths[box] + gap
    for sweep in range(_SWEEPS):
        neighbours, walk = (above, rows) if sweep % 2 else (below, rows[::-1])
        for row in walk:
            wished = [_mean([centre[n] for n in neighbours[box]], centre[box]) for box in row]
            apart = [0.0]
            for a, b in zip(row, row[1:], strict=False):
                apart.append(apart[-1] + (widths[a] + widths[b]) / 2 + gap)
            near = _nondecreasing([w - a for w, a in zip(wished, apart, strict=True)])
            centre.update((box, x + a) for box, x, a in zip(row, near, apart, strict=True))
    return centre


def _nondecreasing(values):
    """The nearest numbers, in squares, each at least the one before: those out of order are pooled."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, count = pools.pop()
            total = pools[-1][1] + count
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * count) / total, total]
    return [mean for mean, count in pools for _ in range(int(count))]


def _mean(values, default):
    return sum(values) / len(values) if values else default
