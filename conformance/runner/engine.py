"""The interface of an autograd engine."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

from conformance.language.scenario import Scenario
from conformance.runner.normalize import error_text
from conformance.runner.trace import Trace

GROUPS = ("values", "dtypes", "flags", "graph", "errors", "messages", "random")
"""The groups of facets; an engine claims each as a whole. The last one has no facets of its own: it is the values from
the first random number on, which only an engine with torch's streams of random numbers can have."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms an engine is compared, if it is torch itself elsewhere."""

    left_out: tuple[str, ...] = ()  # the uses of programs that it does not run: see `uses`
    counted: str = ""  # what a scenario must count to be observed: see Note [Observed elsewhere]
    compiled: str = ""  # the backend that compiles; then a step is compared as a whole: see Note [Regions]
    tolerances: tuple[tuple[str, tuple[float, float]], ...] = ()  # dtype -> rtol, atol


EVERYWHERE = Terms()


def terms_of(engine: Any) -> Terms:
    """The engine's terms; by default a whole program is compared."""
    terms: Terms = getattr(engine, "terms", EVERYWHERE)
    return terms


@runtime_checkable
class Engine(Protocol):
    """A name, a version, the object that programs use as ``torch``, and a way to observe tensors.

    For a tensor of this engine, ``observe`` returns an object with torch's attributes (``shape``, ``tolist()``,
    ``is_leaf``, ``grad_fn`` ...), or the tensor itself if it has them. For anything else it returns None. Nodes are
    compared by ``==``. Two tensors share a storage if ``untyped_storage().data_ptr()`` is the same; instead, an object
    may have a plain attribute ``storage``: any hashable value, or None if nothing is shared.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def torch(self) -> Any: ...

    @property
    def claims(self) -> AbstractSet[str]: ...

    def observe(self, value: Any, /) -> Any | None: ...


@runtime_checkable
class TraceProvider(Protocol):
    """An engine that provides traces without running programs in this process: remote, or a recording."""

    @property
    def available(self) -> AbstractSet[str]: ...  # the needs of scenarios that are met there

    def starting(self) -> bool: ...  # whether a caller would have to wait

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace: ...


class AdapterError(Exception):
    """The adapter raised while it was asked about a value: the error is its own, not the engine's or the program's."""


def observed(engine: Engine, value: Any) -> Any | None:
    """What the engine's `observe` returns; raises `AdapterError` with its words and its place."""
    try:
        return engine.observe(value)
    except Exception as error:
        place = error.__traceback__.tb_next if error.__traceback__ else None
        said = f"`observe` of a {type(value).__name__} raises {type(error).__name__}: {error_text(error)}"
        if place is not None:
            said += f" ({Path(place.tb_frame.f_code.co_filename).name}, line {place.tb_lineno})"
    raise AdapterError(said)  # after the handler, so that the error is freed with its frames


def provides_traces(engine: Engine | TraceProvider) -> TypeGuard[TraceProvider]:
    """Like isinstance, which is slow for protocols."""
    return hasattr(engine, "trace_of")
