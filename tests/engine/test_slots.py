"""What lower modules call of higher ones: each slot has a provider, and is filled; see Note [Slots] in the engine."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from conformance import engine
from conformance.engine._c10 import slots
from conformance.engine._wiring import providers

PACKAGE = Path(engine.__file__).parent
TEXTS = {
    path: path.read_text() for path in PACKAGE.rglob("*.py") if path.name not in ("slots.py", "wiring.py")
}
LATER = re.compile(r'\b(?:on_first_use|provided)\(\s*"(\w+)"')
AT_IMPORT = re.compile(r"^(\w+): .* = (?:slots\.)?unfilled\b", re.MULTILINE)


def name_of(path: Path) -> str:
    """A module's name in the engine."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def test_each_slot_has_a_provider() -> None:
    """What wiring lists is what slots are called."""
    asked = {slot for text in TEXTS.values() for slot in LATER.findall(text)}
    assert asked == providers.PROVIDERS.keys()


@pytest.mark.parametrize("slot", providers.PROVIDERS)
def test_providers_provide(slot: str) -> None:
    """Each provider is there."""
    assert providers.provide(slot) is not None


def test_slots_are_filled_with_the_engine() -> None:
    """Whoever fills a slot at import is imported with the engine."""
    declared = [(name_of(path), slot) for path, text in TEXTS.items() for slot in AT_IMPORT.findall(text)]
    assert len(declared) > 10
    program = (
        "import sys, conformance.engine\n"
        f"found = [vars(sys.modules[f'conformance.engine.{{module}}'])[slot] for module, slot in {declared}\n"
        "         if f'conformance.engine.{module}' in sys.modules]\n"
        "print(sum(each is conformance.engine._c10.slots.unfilled for each in found), len(found))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", str(len(declared))]


def test_a_slot_without_provider_says_so() -> None:
    with pytest.raises(RuntimeError, match="Slots"):
        slots.unfilled()
    with pytest.raises(KeyError):
        slots.on_first_use("no_such_slot")()


def test_a_slot_calls_what_is_provided() -> None:
    call = slots.on_first_use("linalg_inv")
    matrix = engine.eye(2) * 2
    assert call(matrix).tolist() == import_module("conformance.engine.linalg").inv(matrix).tolist()
