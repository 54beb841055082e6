"""The engine's layers look down only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.commands.documenting import engine_parts
from tests.test_layout import PACKAGE, import_graph

ENGINE = "conformance.engine"

# Lowest first. The public namespaces are above all of these, and ``_wiring``, which fills the slots of
# lower layers, above everything.
LAYERS: list[str] = engine_parts()["layers"]


def height(module: str) -> int:
    """How high the layer of a module of the engine is."""
    part = module.removeprefix(f"{ENGINE}.").partition(".")[0]
    if part in LAYERS:
        return LAYERS.index(part)
    return len(LAYERS) + (part == "_wiring" or module == ENGINE)


def upward(graph: dict[str, set[str]]) -> Iterator[str]:
    """The imports that lead to a higher layer."""
    for module, imported in graph.items():
        if module.startswith(ENGINE):
            yield from (
                f"{module} imports {each}"
                for each in sorted(imported)
                if each.startswith(ENGINE) and height(each) > height(module)
            )


def test_layers_look_down() -> None:
    """What a layer needs of a higher one is a slot that the higher one fills; see Note [Slots]."""
    assert list(upward(import_graph(PACKAGE))) == []


@pytest.mark.parametrize(
    ("module", "imported", "is_upward"),
    [
        ("_c10.modes", "_autograd.tensor", True),
        ("_autograd.engine", "autograd", True),
        ("nn.functional", "_wiring.providers", True),
        ("_aten.out", "_aten.registry", False),
        ("autograd.graph", "_autograd.node", False),
    ],
)
def test_what_looks_up(module: str, imported: str, is_upward: bool) -> None:
    """The check above can fail."""
    graph = {f"{ENGINE}.{module}": {f"{ENGINE}.{imported}"}}
    assert bool(list(upward(graph))) == is_upward
