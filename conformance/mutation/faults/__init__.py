"""The declared faults."""

from __future__ import annotations

from conformance.mutation.faults.backward import BACKWARD
from conformance.mutation.faults.edge_cases import EDGE_CASES
from conformance.mutation.faults.functions import FUNCTIONS
from conformance.mutation.faults.graph import GRAPH
from conformance.mutation.faults.layouts import LAYOUTS
from conformance.mutation.faults.texts import TEXTS
from conformance.mutation.faults.writes import WRITES
from conformance.mutation.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (*GRAPH, *BACKWARD, *WRITES, *FUNCTIONS, *LAYOUTS, *EDGE_CASES, *TEXTS)
