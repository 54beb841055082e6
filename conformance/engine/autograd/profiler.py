"""torch.autograd.profiler: the events of a program and their times, see Note [What a profile shows]."""

from __future__ import annotations

import itertools
import uuid
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ContextDecorator, nullcontext
from typing import Any, ClassVar

from .. import cuda as _cuda
from .._arguments.absent_names import look_up
from .._c10.modes import state
from .._dispatch.record_function import Event, Trace
from .profiler_util import EventList, FunctionEvent

__all__ = [
    "EnforceUnique", "EventList", "FunctionEvent", "KinetoStepTracker", "emit_itt", "emit_nvtx", "profile",
    "record_function",
]  # fmt: skip

_ABSENT_DEVICES = {"cuda": "CUDA", "xpu": "XPU", "hpu": "HPU"}


class profile:
    """A context that records the events of this thread.

    Args:
        enabled: False records nothing.
        record_shapes: record the sizes of operations' inputs.
        profile_memory: include memory columns in tables; memory is not measured, so they are 0.
        with_stack, with_modules, with_flops: accepted, but stacks, modules and FLOPs are not recorded.
        acc_events: keep the events of earlier cycles.

    Raises:
        AssertionError: the CPU is not among the activities.
        ValueError: a timeout is negative.
    """

    __module__ = "torch.autograd.profiler"

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: dict[Any, set[str]] | None = None,
    ) -> None:
        self.enabled = enabled
        if not enabled:
            return
        self.use_cuda, self.use_device = use_cuda, "cuda" if use_cuda else use_device
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
        self._function_events: EventList | None = None
        self._kept: EventList | None = None
        self._trace: Trace | None = None
        self._needs_processing = self.entered = False
        self.record_shapes, self.with_flops = record_shapes or with_flops, with_flops
        self.profile_memory, self.with_stack, self.with_modules = profile_memory, with_stack, with_modules
        self.use_cpu, self.acc_events, self.experimental_config = use_cpu, acc_events, experimental_config
        self.custom_trace_id_callback, self.trace_id = custom_trace_id_callback, ""
        self.post_processing_timeout_s, self.activity_filters = (
            post_processing_timeout_s,
            activity_filters or {},
        )
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if self.use_device is not None:
            self._without_device(self.use_device)
        if not use_cpu:
            raise AssertionError("No activities specified for the profiler")
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError("post_processing_timeout_s must be non-negative")

    def _without_device(self, asked: str) -> None:
        if asked in _ABSENT_DEVICES:
            name = _ABSENT_DEVICES[asked]
            warnings.warn(f"{name} is not available, disabling {name} profiling", stacklevel=3)
        elif asked == "mtia":
            raise AssertionError(
                "Legacy MTIA profiling is not supported. Requires use_kineto=True on MTIA devices."
            )
        else:
            warnings.warn(f"The {asked} is not a valid device option.", stacklevel=3)
        self.use_cuda = False if asked == "cuda" else self.use_cuda
        self.use_device = None

    def config(self, create_trace_id: bool = False) -> None:
        """The profiler's configuration, which is empty here."""

    def __enter__(self) -> profile | None:
        """Begin to record.

        Raises:
            RuntimeError: the context was used before.
        """
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self) -> None:
        self.entered = True
        callback = self.custom_trace_id_callback
        self.trace_id = callback() if callback else f"{uuid.uuid4().int:032X}"

    def _start_trace(self) -> None:
        self.entered = True
        self._trace = Trace(self.record_shapes)
        self._trace.start()

    def __exit__(self, *error: object) -> bool | None:
        if not self.enabled:
            return None
        if self._function_events and self.acc_events:
            self._kept = self._function_events
        self._function_events, self._needs_processing = None, True
        if self._trace is not None:
            self._trace.stop()
        if self.acc_events:
            self._ensure_function_events()
        return False

    def __repr__(self) -> str:
        if self._needs_processing:
            self._ensure_function_events()
        return (
            "<unfinished torch.autograd.profile>"
            if self._function_events is None
            else repr(self._function_events)
        )

    def __str__(self) -> str:
        if self._needs_processing:
            self._ensure_function_events()
        return (
            "<unfinished torch.autograd.profile>"
            if self._function_events is None
            else str(self._function_events)
        )

    def _ensure_function_events(self) -> EventList:
        if self._function_events is None:
            self._needs_processing = False
            trace = self._trace
            events = [] if trace is None or trace.running else trace.events
            self._function_events = EventList(
                map(self._function_event, events, itertools.count(1)),
                use_device=self.use_device,
                profile_memory=self.profile_memory,
                with_flops=self.with_flops,
            )
            self._function_events._build_tree()
            if self._kept:
                self._function_events.extend(self._kept)
                self._kept = None
        return self._function_events

    def _function_event(self, event: Event, number: int) -> FunctionEvent:
        return FunctionEvent(
            number,
            "ProfilerStep*" if event.name.startswith("ProfilerStep#") else event.name,
            1,
            event.start / 1000,
            event.end / 1000,
            overload_name="",
            fwd_thread=event.forward_thread,
            input_shapes=event.shapes,
            stack=[],
            scope=event.scope,
            use_device=self.use_device,
            is_async=event.is_async,
            sequence_nr=event.sequence_nr,
            flops=0,
            trace_name=event.name,
            concrete_inputs=[],
            kwinputs={},
            is_user_annotation=event.is_annotation,
        )

    @property
    def function_events(self) -> EventList:
        """All events, ordered by start time."""
        if self._function_events is None or self._needs_processing:
            self._ensure_function_events()
        assert self._function_events is not None
        return self._function_events

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The table of all events, see EventList."""
        return self._ensure_function_events().table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The events summed by their names, see EventList."""
        return self._ensure_function_events().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> Any:
        """The sum of all events."""
        return self._ensure_function_events().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The total CPU time of all events, each without its children."""
        return self._ensure_function_events().self_cpu_time_total

    def export_chrome_trace(self, path: str, *unused: Any, **also: Any) -> None:
        """Write the events to a file for Chrome's trace viewer."""
        self._ensure_function_events().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the events' stacks to a file.

        Raises:
            AssertionError: ``with_stack`` is not set.
        """
        events = self._ensure_function_events()
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """Resume or pause recording."""
        if self._trace is not None and any(each.name == "CPU" for each in activities):
            state.trace = self._trace if enabled else None


class record_function(ContextDecorator):
    """A context or decorator that records its block as an event with a name.

    Raises:
        AssertionError: it is exited without being entered.
    """

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self.record: AbstractContextManager[Any] | None = None

    def __enter__(self) -> record_function:
        self.record = nullcontext() if state.trace is None else state.trace.user_scope(self.name)
        self.record.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self.record is None:
            raise AssertionError("Expected record to be set")
        self.record.__exit__(None, None, None)


class emit_itt:
    """torch.autograd.profiler.emit_itt: a context that emits nothing here.

    Raises:
        RuntimeError: the context was used before.
    """

    __module__ = "torch.autograd.profiler"
    _what = "ITT"

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes, self.entered = enabled, record_shapes, False

    def __enter__(self) -> emit_itt | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self._what} annotation context manager is not reentrant")
        self.entered = True
        self._begin()
        return self

    def __exit__(self, *error: object) -> bool | None:
        return False if self.enabled else None

    def _begin(self) -> None:
        pass


class emit_nvtx(emit_itt):
    """torch.autograd.profiler.emit_nvtx, which requires CUDA.

    Raises:
        AssertionError: CUDA is not available.
    """

    __module__ = "torch.autograd.profiler"
    _what = "NVTX"

    def _begin(self) -> None:
        _cuda.synchronize()


class EnforceUnique:
    """Raises an error if a key is registered twice."""

    __module__ = "torch.autograd.profiler"

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Register a key.

        Raises:
            RuntimeError: the key was registered before.
        """
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


class KinetoStepTracker:
    """The global step count: the maximum over all requesters."""

    __module__ = "torch.autograd.profiler"
    _current_step = 0
    _step_dict: ClassVar[dict[str, int]] = defaultdict(int)

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Add a requester, which counts from the current step on."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Remove a requester, and return whether it existed."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Increment a requester's count, and return the current step."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        most = max(cls._step_dict.values())
        if most > cls._current_step + 1:
            warnings.warn(
                "Profiler step count has increased more than 1 - "
                f"current_step = {cls._current_step} step dict =  {cls._step_dict}",
                stacklevel=2,
            )
        cls._current_step = max(cls._current_step, most)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The current step."""
        return cls._current_step


def __getattr__(name: str) -> Any:
    if name == "_is_profiler_enabled":
        return state.trace is not None
    return _look_up(name)


_look_up = look_up("torch.autograd.profiler")
