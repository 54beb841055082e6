"""The in-house engine."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import conformance
import conformance.engine
from conformance.adapters.guards import copy_bytes, guard_libraries, guard_schedulers
from conformance.adapters.module import ZeroTensorEngine
from conformance.engine._c10.errors import is_foreign
from conformance.language.scenario import Scenario

_GUARDS = {"library": guard_libraries, "optim.lr_scheduler": guard_schedulers}
"""What puts checked functions into modules, which are imported when a scenario names them."""


@cache
def _guard(module: str) -> None:
    _GUARDS[module](importlib.import_module(f"conformance.engine.{module}"))


class Inhouse(ZeroTensorEngine):
    """The engine, which can show the functions that it generates for its operators."""

    def state(self, scenario: Scenario) -> AbstractContextManager[Any]:
        """None; but the modules that a scenario names are guarded, as those of torch are."""
        for module in _GUARDS:
            if any(module.rpartition(".")[2] in step.run for step in scenario.steps):
                _guard(module)
        return nullcontext()

    def missing(self, error: BaseException) -> str:
        """What the engine leaves out, if an error is in words of NumPy or Python."""
        return "the text of an error for arguments that do not fit" if is_foreign(error) else ""

    @property
    def listings(self) -> Any:
        """The module that lists the source of operators."""
        from conformance.engine._wiring import generated_code

        return generated_code


engine = Inhouse("inhouse", conformance.engine, version=conformance.__version__, complete=True)

copy_bytes(conformance.engine)
