"""Classes of torch under another name: nothing may be stored on them there either."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from conformance.spec.bindings import Bindings, Located


def stores_on_aliases(trees: Sequence[tuple[int, ast.AST]], bindings: Bindings) -> Iterator[Located]:
    """Attribute stores on names that may hold a class of torch."""
    yield from ()
