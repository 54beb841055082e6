"""Tables of profiler events, with formatted times and sizes (torch: autograd/profiler_util.py)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, log10
from typing import Any, NamedTuple

# Formatting of times and sizes ---------------------------------------------------------------------


def format_time(microseconds: float) -> str:
    """A time in the largest unit in which it is at least 1."""
    for unit, length in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= length:
            return f"{microseconds / length:.3f}{unit}"
    return f"{microseconds:.3f}us"


def _in_unit(microseconds: float, unit: str | None) -> str:
    length = {"s": 1e6, "ms": 1e3, "us": 1.0}.get(unit or "")
    return format_time(microseconds) if length is None else f"{microseconds / length:.3f}{unit}"


def format_time_share(microseconds: float, total: float) -> str:
    if total == 0:
        if microseconds != 0:
            raise AssertionError(f"Expected time_us == 0 but got {microseconds}")
        return "NaN"
    return f"{microseconds * 100.0 / total:.2f}%"


def format_memory(nbytes: int) -> str:
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


# Tables -------------------------------------------------------------------------------------------

_WIDTH = 12
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


class Column(NamedTuple):
    """A column's title, width and alignment."""

    title: str
    width: int
    side: str = ">"


def table_of(
    events: Sequence[Any],
    columns: Sequence[Column],
    *,
    total: float,
    titles: Sequence[str],
    name_width: int | None,
    time_unit: str | None,
) -> str:
    """A table with a row for each event under the titles.

    Args:
        total: the time of which percentages are computed.
    """
    form = "".join(f"{{: {each.side}{each.width}}}  " for each in columns)
    rule = "".join("-" * each.width + "  " for each in columns)
    length = sum(each.width + 2 for each in columns) - 2
    lines = [line for title in titles for line in ("=" * length, title)]
    lines += [rule, form.format(*(each.title for each in columns)), rule]
    widths = {each.title: each.width for each in columns}
    for event in events:
        cells = _row_cells(event, widths, name_width, total, time_unit)
        lines.append(form.format(*(cells[title] for title in widths)))
        if "Source Location" in widths:
            blank = [""] * (len(columns) - 1)
            for entry in (*event.stack[1:], ""):
                lines.append(form.format(*blank, _shortened_path(entry, widths["Source Location"])))
    lines += [rule, f"Self CPU time total: {_in_unit(total, time_unit)}"]
    return "\n".join(lines) + "\n"


def columns_of(
    events: Sequence[Any],
    name: int | None,
    shapes: int | None,
    source: int | None,
    *,
    memory: bool,
    flops: bool,
) -> list[Column]:
    """The columns of a table.

    Args:
        name, shapes, source: the maximum widths of these columns, None for no limit.
        memory: whether to include memory columns.
        flops: whether to include a column of FLOPs.
    """
    named = _column_width((event.key for event in events), name)
    found = [Column("Name", named)]
    if any(event.overload_name for event in events):
        found.append(Column("Overload Name", named))
    titles = ["Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    if memory:
        titles += ["CPU Mem", "Self CPU Mem"]
    titles.append("# of Calls")
    if any(event.node_id != -1 for event in events):
        titles.append("Node ID")
    found += [Column(title, _WIDTH) for title in titles]
    if any(event.input_shapes for event in events):
        found.append(
            Column("Input Shapes", _column_width((str(event.input_shapes) for event in events), shapes))
        )
    entries = [entry for event in events if event.stack for entry in event.stack]
    if entries:
        found.append(Column("Source Location", _column_width(entries, source), "<"))
    counted = [event.flops for event in events if event.flops and event.flops > 0]
    if flops and counted:
        found.append(Column(f"Total {_FLOPS[max(0, min(int(log10(min(counted)) / 3), 5))]}", _WIDTH))
    return found


def _column_width(texts: Iterable[str], most: int | None) -> int:
    """The width of a column for these texts."""
    width = max(map(len, texts)) + 4
    return width if most is None else min(width, most)


def _row_cells(
    event: Any, widths: dict[str, int], name_width: int | None, total: float, unit: str | None
) -> dict[str, Any]:
    """The cells of an event's row, by column title."""

    def cut(text: str) -> str:
        fits = name_width is None or len(text) < name_width - 3
        return text if fits else text[: name_width - 3] + "..."  # type: ignore[operator]

    event.self_cpu_percent = format_time_share(event.self_cpu_time_total, total)
    event.total_cpu_percent = 0 if event.is_async else format_time_share(event.cpu_time_total, total)
    cells = {
        "Name": cut(event.key),
        "Overload Name": cut(event.overload_name or ""),
        "Self CPU %": event.self_cpu_percent,
        "Self CPU": _in_unit(event.self_cpu_time_total, unit),
        "CPU total %": event.total_cpu_percent,
        "CPU total": _in_unit(event.cpu_time_total, unit),
        "CPU time avg": _in_unit(event.cpu_time, unit),
        "CPU Mem": format_memory(event.cpu_memory_usage),
        "Self CPU Mem": format_memory(event.self_cpu_memory_usage),
        "# of Calls": event.count,
        "Node ID": event.node_id,
        "Input Shapes": str(event.input_shapes)[: widths.get("Input Shapes", 0)],
    }
    if "Source Location" in widths:
        cells["Source Location"] = (
            _shortened_path(event.stack[0], widths["Source Location"]) if event.stack else ""
        )
    for power, title in enumerate(_FLOPS):
        scaled = (event.flops or 0) * 10.0 ** (floor(power) * -3)
        cells[f"Total {title}"] = f"{scaled:8.3f}" if scaled > 0 else "--"
    last, before = [*widths][-1], [*widths][-2]
    if before == "Source Location":  # torch swaps these two
        cells[last], cells[before] = cells[before], cells[last]
    return cells


def _shortened_path(path: str, width: int) -> str:
    """A path, shortened at its beginning if it is too long."""
    if len(path) <= width:
        return path
    end = path[len(path) - width :]
    return "..." + end[3:] if len(end) > 3 else end
