"""torch.profiler: profiles of training loops in cycles of steps, see Note [What a profile shows]."""

from __future__ import annotations

import gzip as _gzip
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from ._arguments.absent_names import look_up
from .autograd import profiler as autograd_profiler
from .autograd.profiler import KinetoStepTracker, record_function
from .autograd.profiler_util import DeviceType, EventList

__all__ = [
    "DeviceType", "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(Enum):
    """The activities that can be profiled; here only the CPU."""

    CPU = 0
    XPU = 1
    MTIA = 4
    CUDA = 2
    HPU = 3
    PrivateUse1 = 5

    def __repr__(self) -> str:
        return f"<ProfilerActivity.{self.name}: {self.value}>"


class RecordScope(Enum):
    """The kind of an event."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    TORCHSCRIPT_FUNCTION = 2
    KERNEL_FUNCTION_DTYPE = 3
    CUSTOM_CLASS = 4
    BUILD_FEATURE = 5
    LITE_INTERPRETER = 6
    USER_SCOPE = 7
    STATIC_RUNTIME_OP = 8
    STATIC_RUNTIME_MODEL = 9


class ProfilerAction(Enum):
    """The action of the profiler at a step."""

    __module__ = "torch.profiler.profiler"

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def kineto_available() -> bool:
    """torch.profiler.kineto_available: whether torch was built with Kineto."""
    return True


def supported_activities() -> set[ProfilerActivity]:
    """The activities that this machine supports."""
    return {ProfilerActivity.CPU}


# Steps --------------------------------------------------------------------------------------------


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A function from the step to the action: cycles of wait, warmup and active steps.

    Args:
        repeat: the number of cycles; 0 means no limit.
        skip_first: steps before the first cycle.
        skip_first_wait: nonzero if the first cycle skips ``wait``.

    Raises:
        AssertionError: a number is negative, or ``active`` is 0.
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active

    def action_at(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait != 0:
            step += wait
        place = step % length
        if (repeat > 0 and step / length >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action_at


def _record_all(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """An ``on_trace_ready`` that writes each trace to a new file in a directory."""

    def write(ready: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        end = ".gz" if use_gzip else ""
        ready.export_chrome_trace(
            os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json{end}"),
            use_python_export=use_python_export,
        )

    return write


# Profiles -----------------------------------------------------------------------------------------

_warned = False


def _warn_of_clearing() -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be "
            "reported. To keep events across cycles, set acc_events=True.",
            stacklevel=3,
        )


def _parse_activities(activities: Iterable[Any]) -> set[ProfilerActivity]:
    """The activities; each may come with a list of the kinds of events to record.

    Raises:
        TypeError: an element is not an activity.
        ValueError: an activity is given twice.
    """
    found: set[ProfilerActivity] = set()
    for item in activities:
        if not isinstance(item, (ProfilerActivity, dict)):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
        for each in item if isinstance(item, dict) else (item,):
            if each in found:
                raise ValueError(f"Activity {each} specified more than once")
            found.add(each)
    return found


_DEVICES = {
    ProfilerActivity.CUDA: "cuda",
    ProfilerActivity.XPU: "xpu",
    ProfilerActivity.MTIA: "mtia",
    ProfilerActivity.HPU: "hpu",
    ProfilerActivity.PrivateUse1: "privateuseone",
}


class _KinetoProfile:
    """The base of ``profile``, which is prepared, started and stopped explicitly."""

    __module__ = "torch.profiler.profiler"

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = supported_activities() if activities is None else _parse_activities(activities)
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.experimental_config, self.execution_trace_observer = (
            experimental_config,
            execution_trace_observer,
        )
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.profiler: autograd_profiler.profile | None = None
        self.use_device = next((name for each, name in _DEVICES.items() if each in self.activities), None)
        self.preset_metadata: dict[str, str] = {}
        self._trace_metadata: dict[str, str] = {}

    def start(self) -> None:
        """Prepare and begin to record."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """Stop recording."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Prepare to record."""
        if self.profiler is not None and not self.acc_events:
            _warn_of_clearing()
        if self.profiler is None or not self.acc_events:
            self.profiler = autograd_profiler.profile(
                use_cpu=ProfilerActivity.CPU in self.activities,
                use_device=self.use_device,
                record_shapes=self.record_shapes,
                with_flops=self.with_flops,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                with_modules=self.with_modules,
                use_kineto=True,
                experimental_config=self.experimental_config,
                acc_events=self.acc_events,
                custom_trace_id_callback=self.custom_trace_id_callback,
                post_processing_timeout_s=self.post_processing_timeout_s,
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        """Begin to record.

        Raises:
            AssertionError: it is not prepared.
        """
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self._begun("starting trace")._start_trace()
        self._trace_metadata.update(self.preset_metadata)

    def stop_trace(self) -> None:
        """Stop recording.

        Raises:
            AssertionError: it was not started.
        """
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        self._begun("stopping trace").__exit__(None, None, None)

    def _begun(self, before: str) -> autograd_profiler.profile:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {before}")
        return self.profiler

    def events(self) -> EventList:
        """All events of the current cycle.

        Raises:
            AssertionError: there is no trace, also in the methods below.
        """
        return self._begun("accessing events").function_events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The events summed by their names, see EventList."""
        return self._begun("getting key averages").key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write the events to a file for Chrome's trace viewer, compressed if its name ends in .gz."""
        begun = self._begun("exporting chrome trace")
        begun.export_chrome_trace(path)
        if path.endswith(".gz"):
            with open(path, "rb") as file:
                plain = file.read()
            with _gzip.open(path, "wb") as packed:
                packed.write(plain)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the events' stacks to a file."""
        self._begun("exporting stacks").export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Resume or pause recording."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a string to the trace's metadata."""
        quoted = value.replace('"', '\\"')
        self.add_metadata_json(key, f'"{quoted}"')

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a JSON value to the trace's metadata."""
        self._trace_metadata[key] = value

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Add a JSON value to the metadata of later traces."""
        self.preset_metadata[key] = value


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile(_KinetoProfile):
    """A profiler of a loop that calls ``step`` at the end of each iteration.

    Args:
        activities: the activities to profile, among them the CPU.
        schedule: a function from the step to the action; without it all steps are recorded.
        on_trace_ready: called with this profiler at the end of a cycle.

    Raises:
        AssertionError: there are no activities.
        ValueError: the schedule begins with an invalid action.
    """

    __module__ = "torch.profiler.profiler"

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        use_cuda: bool | None = None,
        **settings: Any,
    ) -> None:
        if activities is not None:
            activities = [*activities]
            if not any(isinstance(each, (ProfilerActivity, dict)) and each != {} for each in activities):
                raise AssertionError("No valid profiler activities found")
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2
            )
        super().__init__(activities=activities, **settings)
        self.schedule = schedule or _record_all
        self.record_steps = bool(schedule)
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.step_rec_fn: record_function | None = None
        self.current_action = self._scheduled(0)
        KinetoStepTracker.init_step_count("ProfilerStep")

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        KinetoStepTracker.erase_step_count("ProfilerStep")

    def _scheduled(self, step: int) -> ProfilerAction:
        found = self.schedule(step)
        if found == ProfilerAction.DEVICE_STOPPED:
            raise ValueError(
                "ProfilerAction.DEVICE_STOPPED is set internally by the profiler and must not be returned by a "
                "user-provided schedule"
            )
        return found

    def start(self) -> None:
        """Perform the action of the first step."""
        self._transition(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the current cycle, and call ``on_trace_ready`` if it recorded."""
        self._end_step()
        self._transition(self.current_action, None)

    def step(self) -> None:
        """End a step and begin the next.

        Raises:
            ValueError: the schedule returns an invalid transition.
        """
        self._end_step()
        action = self._scheduled(self.step_num + 1)
        self.step_num += 1
        before, self.current_action = self.current_action, action
        self._transition(before, action)
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__()
            self.step_rec_fn = None

    def _transition(self, before: ProfilerAction, now: ProfilerAction | None) -> None:
        """Make the transition between two actions; None means the end."""
        warm, saving = ProfilerAction.WARMUP, before == ProfilerAction.RECORD_AND_SAVE
        if now in _RECORDING and before == ProfilerAction.RECORD:
            return
        if before in _RECORDING and now in (ProfilerAction.NONE, warm) and not saving:
            warnings.warn(f"Incorrect schedule: RECORD followed by {now.name}", stacklevel=3)
        if before == warm and now in (ProfilerAction.NONE, None):
            if now is not None:
                warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=3)
            self.start_trace()
            self.stop_trace()
        if before in _RECORDING:
            self.stop_trace()
            if (saving or now is None) and self.on_trace_ready:
                self.on_trace_ready(self)
        if now in (warm, *_RECORDING) and before != warm and (before == ProfilerAction.NONE or saving):
            self.prepare_trace()
        if now in _RECORDING:
            self.start_trace()

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set a function that returns the names of traces."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """The name of the current trace."""
        return None if self.profiler is None else self.profiler.trace_id


__getattr__ = look_up("torch.profiler")
