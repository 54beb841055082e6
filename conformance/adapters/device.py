"""Torch itself on another device, compared with torch on the CPU.

Note [Observed elsewhere]: an engine that is torch itself, elsewhere, agrees with torch wherever it does not get there:
with the default device lost, everything would run on the CPU and agree. So a trace counts what the engine is about:
here the tensors that were on the device. A scenario that has none is *not observed*, and a run without any fails. One
that is on the CPU, while its program names no device, differs: its values cannot be read. The device of a tensor is
read by torch's own getter, which was looked up before the device's module was imported.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from conformance.adapters.module import ModuleEngine, TensorProxy, ZeroTensor
from conformance.adapters.registry import EngineNotFoundError
from conformance.adapters.torch import engine as reference
from conformance.language.scenario import Scenario
from conformance.runner.engine import GROUPS, Terms
from conformance.runner.probes import uses_second_device
from conformance.runner.trace import NOT_READ, Facets, Moment, Raised, Trace, Warned

_torch: Any = reference.torch
_device_of: Any = _torch._C.TensorBase.device.__get__
_below_autograd: Any = _torch._C._AutoDispatchBelowAutograd
_copied: Any = _torch.ops.aten._to_copy.default  # what to() calls, the one kernel that every device has
_CPU = _torch.device("cpu")


class DeviceEngine(ModuleEngine):
    """Torch with another default device, which ``module`` adds to torch if it is not torch's own.

    The module may define ``divergences``, ``claims``, ``tolerances`` (dtype -> (rtol, atol)), ``may``, and
    ``same_random_numbers = True`` if the device draws the CPU's random numbers.
    """

    def __init__(self, device: str, module: str = "") -> None:
        declared = _imported(module) if module else ModuleType("none")
        super().__init__(
            f"torch-device-{device}",
            _torch,
            version=reference.version,
            claims=_claimed(declared),
            may=getattr(declared, "may", ()),
        )
        self.device = _known(device, module)
        self.divergences = getattr(declared, "divergences", None)
        self.packages = (module,) if module else ()
        self.terms = Terms(
            left_out=("a device", "NumPy", "a legacy constructor"),
            counted=f"tensors on {device}",
            tolerances=tuple(
                (dtype, tuple(two)) for dtype, two in getattr(declared, "tolerances", {}).items()
            ),
        )
        self._seen = 0
        self._moves = False  # whether the program moves tensors between the CPU and the device
        self._renamed = partial(_as_cpu, re.compile(_NAMED.replace("NAME", re.escape(device))))

    @property
    def second_device(self) -> Any:
        """The device that programs know as ``second_device``."""
        return _torch.device(self.device)

    @contextmanager
    def state(self, scenario: Scenario) -> Iterator[None]:
        """The default device, unless the scenario itself names a second one."""
        self._seen, self._moves = 0, uses_second_device(scenario)
        if self._moves:
            yield
            return
        _torch.set_default_device(self.device)
        try:
            found = _device_of(_torch.empty(0)).type
            if found != self.device:
                raise RuntimeError(f"the default device has no effect: a new tensor is on {found}")
            yield
        finally:
            _torch.set_default_device(None)

    def observe(self, value: Any, /) -> Any | None:
        """The tensor; if it is on the device, with values from a copy."""
        found = super().observe(value)
        if found is None:
            return None
        if _device_of(found).type != self.device:
            if not self._moves and found.dim():  # a number that an operation saved is a tensor of the CPU
                return OnCPU(found)
            return ZeroTensor(found, _torch) if found._is_zerotensor() else found
        self._seen += 1
        return OnDevice(found)

    def missing(self, error: BaseException) -> str:
        """What the device lacks, where the error's type does not say it: a tensor without memory has no number."""
        without = self.device == "meta" and isinstance(error, RuntimeError)
        return "numbers of a meta tensor" if without and _NO_NUMBERS.search(str(error)) else ""

    def finish(self, trace: Trace) -> Trace:
        """The trace with the CPU's name for the device, and the number of tensors seen there."""
        moments = tuple(_moment(each, self._renamed) for each in trace.moments)
        return replace(trace, moments=moments, counts={self.terms.counted: self._seen})


_NO_NUMBERS = re.compile(r"cannot be called on meta tensors|on meta tensors?\b|meta tensor")


class OnDevice(TensorProxy):
    """A tensor of the device, of which reading the values moves no version and makes no node."""

    def tolist(self) -> Any:
        """The values of a copy on the CPU."""
        if self._own.is_meta:
            return _NotRead()
        if self._own._is_zerotensor():
            return ZeroTensor(_copied(self._own, device=_CPU), _torch).tolist()
        with _below_autograd():
            return _copied(self._own, device=_CPU).tolist()

    @property
    def storage(self) -> int | None:
        """The storage itself: the address of its memory is 0 on meta."""
        if self._own._is_zerotensor():
            return None
        tensor = self._own._values() if self._own.is_sparse else self._own
        storage = tensor.untyped_storage()
        return int(storage._cdata) if storage.nbytes() or tensor.numel() else None


class OnCPU(TensorProxy):
    """A tensor that is not on the device though its program names none: see Note [Observed elsewhere]."""

    def tolist(self) -> Any:
        """No values: those of the CPU say nothing about the device."""
        raise RuntimeError("the tensor is on the CPU, and its program does not move it there")


class _NotRead:
    def __repr__(self) -> str:
        return NOT_READ


# In a printed tensor, in the names of types in Python and in C++, and anywhere else.
_NAMED = (
    r"(?P<printed>,\s+device='NAME(?::\d+)?')|(?P<type>\btorch\.NAME\.?(?=[A-Z]\w*(?:Tensor|Storage)\b))"
    r"|\b(?i:NAME)(?P<dtype>[A-Z]\w*)Type\b|(?P<repr>type='NAME'(?:, index=\d+)?)|(?<![\w.])NAME(?::\d+)?\b"
)
_LEGACY = frozenset("Double Float Half BFloat16 Int Long Short Char Byte".split())  # noqa: SIM905


def _as_cpu(named: re.Pattern[str], text: str) -> str:
    """A text with the CPU's name for the device; numbers that were not printed are not read."""
    if "tensor(..., device='meta'" in text:
        return NOT_READ
    return named.sub(_name_of_cpu, text)


def _name_of_cpu(found: re.Match[str]) -> str:
    if found["printed"]:
        return ""
    if found["type"]:
        return "torch."
    if dtype := found["dtype"]:
        return f"torch.{dtype}Tensor" if dtype in _LEGACY else f"CPU{dtype}Type"
    return "type='cpu'" if found["repr"] else "cpu"


def _moment(moment: Moment, named: Any) -> Moment:
    raised = moment.raised and Raised(moment.raised.type, named(moment.raised.message), moment.raised.missing)
    return replace(
        moment,
        state=None if moment.state is None else {n: _facets(f, named) for n, f in moment.state.items()},
        raised=raised,
        warned=tuple(Warned(each.category, named(each.message)) for each in moment.warned),
        printed=named(moment.printed),
        values=tuple((expression, named(value)) for expression, value in moment.values),
    )


def _facets(facets: Facets, named: Any) -> Facets:
    return {name: named(value) if isinstance(value, str) else value for name, value in facets.items()}


def _claimed(declared: ModuleType) -> list[str]:
    """The groups that the module claims; by default all, and values after a draw only of the CPU's random numbers."""
    groups: Iterable[str] = getattr(declared, "claims", GROUPS)
    return [each for each in groups if each != "random" or getattr(declared, "same_random_numbers", False)]


def _imported(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise EngineNotFoundError(
            f"--device-module {module} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _known(device: str, module: str) -> str:
    """The type of a device that works; raises `EngineNotFoundError` otherwise."""
    hint = "" if module else ": name the module that adds it with --device-module"
    try:
        known = _torch.device(device).type
    except RuntimeError:
        raise EngineNotFoundError(f"torch does not know the device {device!r}{hint}") from None
    if known != device:
        raise EngineNotFoundError(
            f"--device takes the name of a device without an index: {known}, not {device}"
        )
    try:
        _torch.zeros(1, device=device)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise EngineNotFoundError(f"a tensor cannot be made on the device {device}: {reason}") from None
    return device


def make(argument: str) -> DeviceEngine:
    """The engine ``torch-device:NAME`` or ``torch-device:NAME,MODULE``."""
    device, _, module = argument.partition(",")
    return DeviceEngine(device, module)
