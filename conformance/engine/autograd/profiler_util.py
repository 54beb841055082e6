"""torch.autograd.profiler_util: events of a profile, their averages, and tables of both."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import InitVar, dataclass
from enum import Enum
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from . import _profiler_tables

__all__ = [
    "EventList", "FormattedTimesMixin", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel",
]  # fmt: skip


class DeviceType(Enum):
    """torch.autograd.DeviceType."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    MTIA = 19
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    PrivateUse1 = 20


BACKWARD_FUNCTION = 1  # the scope of a node's event (torch: at::RecordScope::BACKWARD_FUNCTION)


def _formatted(name: str) -> Any:
    return property(lambda self: _profiler_tables.format_time(getattr(self, name)))


def _of_one_call(name: str) -> Any:
    return property(lambda self: 0.0 if self.count == 0 else 1.0 * getattr(self, name) / self.count)


class FormattedTimesMixin:
    """Formatted times, for classes with ``*_time_total`` and ``count``."""

    __module__ = "torch.autograd.profiler_util"

    cpu_time_str = _formatted("cpu_time")
    device_time_str = _formatted("device_time")
    cpu_time_total_str = _formatted("cpu_time_total")
    device_time_total_str = _formatted("device_time_total")
    self_cpu_time_total_str = _formatted("self_cpu_time_total")
    self_device_time_total_str = _formatted("self_device_time_total")

    cpu_time, device_time = _of_one_call("cpu_time_total"), _of_one_call("device_time_total")


# Events -------------------------------------------------------------------------------------------


class Interval:
    """An interval of time in microseconds."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """The length of the interval."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel on another device."""

    name: str
    device: int
    duration: float


def _check_cpu(event: Any, whose: str = "") -> None:
    if not isinstance(event, FunctionEvent):
        raise AssertionError(f"Expected {whose.strip()} to be a FunctionEvent")
    if event.device_type != DeviceType.CPU:
        raise AssertionError(f"Expected {whose}device_type to be CPU")


@dataclass(eq=False, repr=False)
class FunctionEvent(FormattedTimesMixin):
    """The event of one call of an operation or node, or of a ``record_function`` block.

    Args:
        start_us: the start time in microseconds.
        end_us: the end time in microseconds.
        scope: 1 for a node, 7 for a user scope, else 0.
        sequence_nr: the node's sequence number, for an operation that of the node it may create; -1 if there is none.
        input_shapes: the sizes of each argument (empty unless it is a tensor), or [].
    """

    id: int
    name: str
    thread: int
    start_us: InitVar[float]
    end_us: InitVar[float]
    overload_name: str | None = None
    fwd_thread: int | None = None
    input_shapes: Any = None
    stack: list[str] | None = None
    scope: int = 0
    use_device: str | None = None
    cpu_memory_usage: int = 0
    device_memory_usage: int = 0
    is_async: bool = False
    is_remote: bool = False
    sequence_nr: int = -1
    node_id: int = -1
    device_type: DeviceType = DeviceType.CPU
    device_index: int = 0
    device_resource_id: int | None = None
    is_legacy: bool = False
    flops: int | None = None
    trace_name: str | None = None
    concrete_inputs: list[Any] | None = None
    kwinputs: dict[str, Any] | None = None
    is_user_annotation: bool = False

    def __post_init__(self, start_us: float, end_us: float) -> None:
        self.time_range = Interval(start_us, end_us)
        self.kernels: list[Kernel] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        if self.device_resource_id is None:
            self.device_resource_id = self.thread
        self.self_cpu_percent: Any = -1
        self.total_cpu_percent: Any = -1
        self.total_device_percent: Any = -1

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Add a kernel that it launched on another device."""
        _check_cpu(self)
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add a direct child."""
        _check_cpu(self)
        _check_cpu(child, "child ")
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Set the parent event."""
        _check_cpu(self)
        _check_cpu(parent, "parent ")
        self.cpu_parent = parent

    def _without_children(self, name: str) -> Any:
        if self.is_async or self.device_type != DeviceType.CPU:
            return 0
        return getattr(self, name) - sum(getattr(child, name) for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes allocated outside of its children."""
        return self._without_children("cpu_memory_usage")

    @property
    def self_device_memory_usage(self) -> int:
        """The bytes allocated on another device outside of its children."""
        return self._without_children("device_memory_usage")

    @property
    def cpu_time_total(self) -> float:
        """The CPU time in microseconds."""
        return self.time_range.elapsed_us() if self.device_type == DeviceType.CPU else 0

    @property
    def self_cpu_time_total(self) -> float:
        """The CPU time outside of its children."""
        return self._without_children("cpu_time_total")

    @property
    def device_time_total(self) -> float:
        """The time of its kernels."""
        if self.is_async or not self.use_device:
            return 0
        if self.device_type != DeviceType.CPU:
            return self.time_range.elapsed_us()
        children = [] if self.is_legacy else self.cpu_children
        return sum(each.duration for each in self.kernels) + sum(each.device_time_total for each in children)

    @property
    def self_device_time_total(self) -> float:
        """The time of its own kernels, without its children's."""
        if self.is_async or not self.use_device:
            return 0
        inside = self.cpu_children if self.device_type == DeviceType.CPU else []
        return self.device_time_total - sum(child.device_time_total for child in inside)

    @property
    def key(self) -> str:
        """The key by which events are grouped."""
        return self.name

    def __repr__(self) -> str:
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} {device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


_TOLD = (
    "key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack",
    "scope", "device_type", "is_legacy", "use_device", "is_user_annotation",
)  # fmt: skip
_SUMMED = (
    "cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
    "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count",
)  # fmt: skip


class FunctionEventAvg(FormattedTimesMixin):
    """The average of events with one key: attributes of the first, and summed times."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self) -> None:
        for name in _SUMMED:
            setattr(self, name, 0)
        self.key: str | None = None
        self.node_id = 0
        self.is_async = self.is_remote = self.is_legacy = False
        self.use_device: str | None = None
        self.input_shapes = self.overload_name = self.stack = self.scope = None
        self.cpu_children = self.cpu_parent = None
        self.device_type = DeviceType.CPU
        self.flops: int | None = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Add an event or another average.

        Raises:
            AssertionError: the argument is neither, or has another key.
        """
        if self.key is None:
            for name in _TOLD:
                setattr(self, name, getattr(other, name))
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.flops is None:
            self.flops = other.flops
        elif other.flops is not None:
            self.flops += other.flops
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "  # type: ignore[attr-defined]
            f"{device}_memory_usage={self.device_memory_usage}>"  # type: ignore[attr-defined]
        )


# Lists of events ----------------------------------------------------------------------------------

_METRICS = [f"self_{device}_time_total" for device in ("cpu", "cuda", "xpu", "privateuse1")]


def _attribute(name: str) -> str:
    """An attribute by its device-specific name."""
    for device in ("cuda", "xpu", "privateuse1"):
        name = name.replace(device, "device")
    return name


class EventList(list[Any]):
    """A list of events ordered by start time, or of averages."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        super().__init__(events)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops
        self._tree_built = False

    def _build_tree(self) -> None:
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._tree_built = True

    def __str__(self) -> str:
        return self.table()

    def _populate_cpu_children(self) -> None:
        """Set each event's parent: the innermost event of its thread that contains it."""
        nested = [event for event in self if not event.is_async and event.device_type == DeviceType.CPU]
        nested.sort(key=attrgetter("thread"))
        for _, of_thread in groupby(nested, key=attrgetter("thread", "node_id")):
            around: list[FunctionEvent] = []
            for event in sorted(of_thread, key=lambda each: (each.time_range.start, -each.time_range.end)):
                begin, end = event.time_range.start, event.time_range.end
                while around and (begin >= around[-1].time_range.end or end > around[-1].time_range.end):
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                    if event.cpu_parent is not None:
                        raise AssertionError(f"There is already a CPU parent event for {event.key}")
                    event.set_cpu_parent(around[-1])
                around.append(event)

    def _remove_dup_nodes(self) -> None:
        """Remove events that are the only child of an event with the same name."""
        while True:
            twice = []
            for event in self:
                parent = event.cpu_parent
                if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
                    parent.cpu_children, parent.kernels = event.cpu_children, event.kernels
                    for child in event.cpu_children:
                        child.cpu_parent = parent
                    twice.append(id(event))
            if not twice:
                return
            self[:] = [event for event in self if id(event) not in twice]

    @property
    def self_cpu_time_total(self) -> float:
        """The total CPU time of all events, each without its children."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table with a row for each event, sorted in descending order of an attribute if requested.

        Raises:
            AttributeError: events do not have the attribute ``sort_by``.
        """
        if not self:
            return ""
        events: list[Any] = self
        if sort_by is not None:
            events = sorted(events, key=attrgetter(_attribute(sort_by)), reverse=True)
        columns = _profiler_tables.columns_of(
            events,
            max_name_column_width,
            max_shapes_column_width,
            max_src_column_width,
            memory=self._profile_memory,
            flops=self._with_flops,
        )
        shown = [event for event in events if not (top_level_events_only and event.cpu_parent is not None)]
        titles = [] if header is None else [header]
        if top_level_events_only:
            titles.append("This report only display top-level ops statistics")
        return _profiler_tables.table_of(
            shown if row_limit < 0 else shown[:row_limit],
            columns,
            total=sum(event.self_cpu_time_total for event in events),
            titles=titles,
            name_width=max_name_column_width,
            time_unit=time_unit,
        )

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The averages of events by key, in order of first occurrence.

        Raises:
            AssertionError: the list has averages already.
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        sums: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            key = (event.key, event.node_id, event.device_type, event.is_legacy, event.is_user_annotation)
            key += (event.overload_name,) if group_by_overload_name else ()
            key += (str(event.input_shapes),) if group_by_input_shapes else ()
            key += tuple(event.stack[:group_by_stack_n]) if group_by_stack_n > 0 else ()
            sums.setdefault(key, FunctionEventAvg()).add(event)
        averages = EventList(
            sums.values(),
            use_device=self._use_device,
            profile_memory=self._profile_memory,
            with_flops=self._with_flops,
        )
        for each in averages:
            each.stack = each.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                each.input_shapes = ""
            if not group_by_overload_name:
                each.overload_name = ""
        return averages

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events, under the key "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
            total.key = None
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Write the events to a file for Chrome's trace viewer."""
        events = [
            {
                "name": event.trace_name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": event.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for event in self
            if event.trace_name is not None
        ]
        with open(path, "w") as file:
            json.dump(events, file)

    def supported_export_stacks_metrics(self) -> list[str]:
        """The metrics of ``export_stacks``."""
        return [*_METRICS]

    def export_stacks(self, path: str, metric: str) -> None:
        """Write the events' stacks and a metric to a file.

        Raises:
            ValueError: the metric is not supported.
        """
        if metric not in _METRICS:
            raise ValueError(f"metric should be one of: {_METRICS}")
        names = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                took = int(getattr(event, _attribute(metric)))
                if event.stack and took > 0:
                    file.write(
                        f"{';'.join(each.translate(names) for each in reversed(event.stack))} {took}\n"
                    )
