"""A drawing as an SVG file; `conformance.report.page` has the same for scripts of a page that contains the style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from conformance.report.drawing import Box, Drawing
from conformance.report.layout import Point, place

CHARACTER, LINE, MARGIN = 7.25, 16.0, 10.0  # of a monospaced font of 12 px

STYLE = """
.graph { --ink: #1c2430; --paper: #ffffff; --line: #5d6776; --node: #e3e6ea; --leaf: #bfe0f7; --result: #c9ecc2;
  --saved: #fbd9a8; --kept: #b3261e; font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.graph rect { fill: var(--node); stroke: var(--line); rx: 3; }
.graph .leaf rect { fill: var(--leaf); }
.graph .result rect { fill: var(--result); }
.graph .saved rect { fill: var(--saved); }
.graph .cut rect { stroke-dasharray: 4 3; fill: none; }
.graph .retained rect { stroke: var(--kept); stroke-width: 2.2; }
.graph text { fill: var(--ink); text-anchor: middle; }
.graph .tensor { font-style: italic; }
.graph .retained .tensor { fill: var(--kept); }
.graph path { fill: none; stroke: var(--line); stroke-width: 1.3; }
.graph path.saved { stroke-dasharray: 4 3; }
.graph .tip { fill: var(--line); stroke: none; }
.graph .number { fill: var(--line); font-size: 11px; text-anchor: start; }
"""
DARK = """
.graph { --ink: #e6e9ee; --paper: #14181f; --line: #97a1b0; --node: #343c48; --leaf: #1d4e6e; --result: #2b5a2a;
  --saved: #6b4a16; --kept: #ff8a80; }
"""


def svg(drawing: Drawing, *, title: str = "") -> str:
    """The picture as a file, with its style for light and dark mode."""
    sizes = {box.key: box_size(box) for box in drawing.boxes}
    layout = place(sizes, [(arrow.start, arrow.end) for arrow in drawing.arrows])
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
    ]
    if title:
        parts.append(f"<title>{escape(title)}</title>")
    parts.append(f"<style>{STYLE}@media (prefers-color-scheme: dark) {{{DARK}}}</style>")
    parts.append('<rect width="100%" height="100%" style="fill: var(--paper); stroke: none"/>')
    parts.append(f'<g transform="translate({MARGIN:.0f} {MARGIN:.0f})">')
    for arrow, points in zip(drawing.arrows, layout.arrows, strict=True):
        parts += _arrow(points, arrow.label, saved=arrow.saved)
    for box in drawing.boxes:
        parts += _box(box, layout.places[box.key], sizes[box.key])
    return "".join([*parts, "</g></svg>"])


def box_size(box: Box) -> tuple[float, float]:
    """Width and height of a box."""
    lines = (*box.lines, *box.tensors)
    return max(map(len, lines)) * CHARACTER + 18, len(lines) * LINE + 8


def _box(box: Box, middle: Point, size: tuple[float, float]) -> Iterator[str]:
    (x, y), (width, height) = middle, size
    yield f'<g class="{box.kind}{" retained" if box.retained else ""}">'
    yield f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    for number, line in enumerate((*box.lines, *box.tensors)):
        kind = ' class="tensor"' if number >= len(box.lines) else ""
        yield f'<text{kind} x="{x:.1f}" y="{y - height / 2 + 16 + number * LINE:.1f}">{escape(line)}</text>'
    yield "</g>"


def _arrow(points: Sequence[Point], label: str, *, saved: bool) -> Iterator[str]:
    """A curve that starts and ends vertically."""
    path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (y + to_y) / 2
        curve = f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        path.append(f"V{to_y:.1f}" if x == to_x else curve)
    x, y = points[-1]
    kind = ' class="saved"' if saved else ""
    curve = " ".join(path)
    yield f'<path{kind} d="{curve}"/>'
    yield f'<path class="tip" d="M{x:.1f} {y:.1f}l-4 -8h8z"/>'
    if label:
        yield f'<text class="number" x="{points[0][0] + 4:.1f}" y="{points[0][1] + 11:.1f}">{escape(label)}</text>'
