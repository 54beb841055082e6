"""The in-house engine."""

from __future__ import annotations

from typing import Any

import conformance
import conformance.engine
from conformance.adapters.guards import copy_bytes
from conformance.adapters.module import TellingZeros


class Inhouse(TellingZeros):
    """The engine, which can show the functions that it generates for its operators."""

    @property
    def listings(self) -> Any:
        """The module that lists the source of operators."""
        from conformance.engine._wiring import generated_code

        return generated_code


engine = Inhouse("inhouse", conformance.engine, version=conformance.__version__, complete=True)

copy_bytes(conformance.engine)
