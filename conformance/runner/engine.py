"""What an autograd engine is to this suite."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

from conformance.language.scenario import Scenario
from conformance.runner.trace import Trace

GROUPS = ("values", "flags", "graph", "errors", "messages")
"""The groups of facets that an engine claims, each as a whole."""


@runtime_checkable
class Engine(Protocol):
    """A name, a version, what the word ``torch`` stands for in a program, and a way to look at tensors.

    ``observe`` returns, for a tensor of this engine, an object that answers torch's attribute names
    (``shape``, ``tolist()``, ``is_leaf``, ``grad_fn`` ...): the tensor itself where it does so already.
    For anything else it returns None.  Nodes are told apart by ``==``.  Two tensors share a storage when
    their ``untyped_storage().data_ptr()`` is the same; an object may have a plain attribute ``storage``
    instead: any hashable, None where nothing is shared.
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
    """An engine that runs no program here, and yet has its trace: in another interpreter, or in a recording."""

    @property
    def available(self) -> AbstractSet[str]: ...  # what scenarios may need that is there

    def starting(self) -> bool: ...  # whether one would have to wait for it

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace: ...


def provides_traces(engine: Engine | TraceProvider) -> TypeGuard[TraceProvider]:
    """isinstance, which takes long for protocols."""
    return hasattr(engine, "trace_of")
