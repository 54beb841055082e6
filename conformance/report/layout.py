"""Positions for boxes and arrows, in layers: arrows go down, boxes do not overlap, few arrows cross."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

Key: TypeAlias = tuple[Any, ...]
Size: TypeAlias = tuple[float, float]
Point: TypeAlias = tuple[float, float]

BETWEEN, BELOW = 24.0, 40.0  # space between boxes, and between layers
_SWEEPS = 8
_LARGE = 400  # boxes; larger drawings use fewer sweeps


@dataclass(frozen=True, slots=True)
class Layout:
    """The centre of each box, and the points of each arrow including its ends."""

    width: float
    height: float
    places: Mapping[Key, Point]
    arrows: Sequence[tuple[Point, ...]]


def place(sizes: Mapping[Key, Size], arrows: Sequence[tuple[Key, Key]]) -> Layout:
    """Positions for boxes of these sizes; the arrows have no cycle."""
    layer = _layers(sizes, arrows)
    order, chains = _with_bends(sizes, arrows, layer)
    above: dict[Key, list[Key]] = defaultdict(list)
    below: dict[Key, list[Key]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            below[one].append(other)
            above[other].append(one)
    sweeps = _SWEEPS if len(sizes) < _LARGE else 2
    order = _uncrossed(order, above, below, sweeps)
    widths = {key: sizes[key][0] if key in sizes else 2.0 for row in order for key in row}
    x = _columns(order, above, below, widths, sweeps)
    left = min((x[key] - widths[key] / 2 for key in x), default=0.0)
    right = max((x[key] + widths[key] / 2 for key in x), default=0.0)
    rows = _rows(order, sizes)
    places = {key: (x[key] - left, sum(rows[n]) / 2) for n, row in enumerate(order) for key in row}
    paths = _paths(chains, places, sizes, {key: rows[n] for n, row in enumerate(order) for key in row})
    return Layout(right - left, rows[-1][1], {key: places[key] for key in sizes}, paths)


def _layers(sizes: Mapping[Key, Size], arrows: Sequence[tuple[Key, Key]]) -> dict[Key, int]:
    """The layer of each box: the length of the longest path to it; sources are just above their targets."""
    after: dict[Key, list[Key]] = defaultdict(list)
    open_arrows = dict.fromkeys(sizes, 0)
    for start, end in arrows:
        after[start].append(end)
        open_arrows[end] += 1
    ready = [key for key, count in open_arrows.items() if not count]
    layer = dict.fromkeys(sizes, 0)
    done = []
    while ready:
        key = ready.pop()
        done.append(key)
        for end in after[key]:
            layer[end] = max(layer[end], layer[key] + 1)
            open_arrows[end] -= 1
            if not open_arrows[end]:
                ready.append(end)
    entered = {end for _, end in arrows}
    for key in reversed(done):
        only = [layer[end] - 1 for end in after[key]]
        if only and (key not in entered or _moves(key, arrows)):
            layer[key] = min(only)
    return layer


def _moves(key: Key, arrows: Sequence[tuple[Key, Key]]) -> bool:
    """Whether a box and its only predecessor move down together: AccumulateGrad and its leaf."""
    starts = [start for start, end in arrows if end == key]
    return (
        len(starts) == 1
        and all(end != starts[0] for _, end in arrows)
        and sum(s == starts[0] for s, _ in arrows) == 1
    )


def _with_bends(
    sizes: Mapping[Key, Size], arrows: Sequence[tuple[Key, Key]], layer: Mapping[Key, int]
) -> tuple[list[list[Key]], list[list[Key]]]:
    """The layers, with a bend for each arrow that passes one, and the bends of each arrow."""
    order: list[list[Key]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for key in sizes:
        order[layer[key]].append(key)
    chains: list[list[Key]] = []
    for number, (start, end) in enumerate(arrows):
        bends: list[Key] = [("bend", number, row) for row in range(layer[start] + 1, layer[end])]
        for row, bend in enumerate(bends, start=layer[start] + 1):
            order[row].append(bend)
        chains.append([start, *bends, end])
    return order, chains


def _uncrossed(
    order: list[list[Key]], above: Mapping[Key, list[Key]], below: Mapping[Key, list[Key]], sweeps: int
) -> list[list[Key]]:
    """Each layer sorted by the positions of its neighbours, in alternating sweeps; returns the best order."""
    best, fewest = order, _crossings(order, below)
    for turn in range(sweeps):
        down = turn % 2 == 0
        order = [list(row) for row in order]
        rows = order if down else order[::-1]
        for fixed, row in pairwise(rows):
            at = {key: float(number) for number, key in enumerate(fixed)}
            near = above if down else below
            own = {key: float(number) for number, key in enumerate(row)}
            row.sort(key=lambda key: _mean([at[other] for other in near.get(key, ())], own[key]))
        count = _crossings(order, below)
        if count < fewest:
            best, fewest = order, count
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(order: Sequence[Sequence[Key]], below: Mapping[Key, list[Key]]) -> int:
    count = 0
    for row, next_row in pairwise(order):
        at = {key: number for number, key in enumerate(next_row)}
        ends = [sorted(at[other] for other in below.get(key, ())) for key in row]
        flat = [end for each in ends for end in each]
        count += (
            sum(one > other for i, one in enumerate(flat) for other in flat[i + 1 :])
            if len(flat) < 300
            else 0
        )
    return count


def _columns(
    order: Sequence[Sequence[Key]],
    above: Mapping[Key, list[Key]],
    below: Mapping[Key, list[Key]],
    widths: Mapping[Key, float],
    sweeps: int,
) -> dict[Key, float]:
    """Each box centred below its predecessors and above its successors, as far as there is room."""
    x: dict[Key, float] = {}
    for row in order:
        right = 0.0
        for key in row:
            x[key] = right + widths[key] / 2
            right += widths[key] + BETWEEN
    for turn in range(2 * sweeps):
        for row in order if turn % 2 == 0 else reversed(order):
            near = [above, below] if turn >= sweeps else [above if turn % 2 == 0 else below]
            wanted = [
                _mean([x[other] for sides in near for other in sides.get(key, ())], x[key]) for key in row
            ]
            _spread(row, wanted, widths, x)
    return x


def _spread(
    row: Sequence[Key], wanted: Sequence[float], widths: Mapping[Key, float], x: dict[Key, float]
) -> None:
    """Positions close to the wanted ones; neighbours that would overlap move as one block."""
    blocks: list[tuple[float, list[int]]] = []  # the position of its first member, its members
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (widths[one] + widths[other]) / 2 + BETWEEN)
    for number in range(len(row)):
        members = [number]
        start = wanted[number] - offsets[number]
        while blocks and blocks[-1][0] > start:
            members = blocks.pop()[1] + members
            start = sum(wanted[each] - offsets[each] for each in members) / len(members)
        blocks.append((start, members))
    for start, members in blocks:
        for number in members:
            x[row[number]] = start + offsets[number]


def _rows(order: Sequence[Sequence[Key]], sizes: Mapping[Key, Size]) -> list[tuple[float, float]]:
    """Top and bottom of each layer."""
    rows, top = [], 0.0
    for row in order:
        bottom = top + max((sizes[key][1] for key in row if key in sizes), default=0.0)
        rows.append((top, bottom))
        top = bottom + BELOW
    return rows


def _paths(
    chains: Sequence[Sequence[Key]],
    places: Mapping[Key, Point],
    sizes: Mapping[Key, Size],
    rows: Mapping[Key, tuple[float, float]],
) -> list[tuple[Point, ...]]:
    """The points of each arrow, vertical within a layer so that it passes between the boxes.

    Several arrows of one box are placed side by side, in the order of their origins.
    """
    into: dict[Key, list[int]] = defaultdict(list)
    out: dict[Key, list[int]] = defaultdict(list)
    for number, chain in enumerate(chains):
        into[chain[-1]].append(number)
        out[chain[0]].append(number)
    for numbers in into.values():
        numbers.sort(key=lambda number: places[chains[number][-2]][0])
    for numbers in out.values():
        numbers.sort(key=lambda number: places[chains[number][1]][0])

    def port(key: Key, numbers: Sequence[int], number: int) -> float:
        x, width = places[key][0], sizes[key][0]
        step = min(18.0, width / (len(numbers) + 1))
        return x + (numbers.index(number) - (len(numbers) - 1) / 2) * step

    paths = []
    for number, chain in enumerate(chains):
        start, end = chain[0], chain[-1]
        left, right = port(start, out[start], number), port(end, into[end], number)
        points = [(left, places[start][1] + sizes[start][1] / 2), (left, rows[start][1])]
        points += [(places[bend][0], y) for bend in chain[1:-1] for y in rows[bend]]
        points += [(right, rows[end][0]), (right, places[end][1] - sizes[end][1] / 2)]
        paths.append(tuple(points))
    return paths
