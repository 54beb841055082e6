"""Read which features a program uses that only the CPU has.

Note [Elsewhere]: where torch itself is the engine, on another device, a program that names a device, passes memory to
NumPy or calls a constructor of the CPU's own tensors stays on the CPU whatever the default device is. It says nothing
about the other device and is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from conformance.language.scenario import Scenario

Use: TypeAlias = Literal["a device", "NumPy", "a legacy constructor"]

SAID: Mapping[Use, str] = {
    "a device": "it names a device",
    "NumPy": "it shares memory with NumPy or Python",
    "a legacy constructor": "it calls a constructor of the CPU's own tensors",
}

_DEVICE = re.compile(r"(cpu|cuda|meta|mps|xpu|xla|hpu|npu|mtia|privateuseone)(:\d+)?$")
_OF_DEVICES = frozenset(
    """
    cpu cuda xpu mps is_cpu is_cuda is_meta get_device set_default_device get_default_device Generator
    default_generator pin_memory is_pinned map_location accelerator device_count get_device_module share_memory_
    is_shared fork_rng data_ptr
    """.split()  # noqa: SIM905  one line for many words
)
_OF_MEMORY = frozenset(
    "numpy from_numpy frombuffer asarray as_tensor from_dlpack to_dlpack __array__ __dlpack__ from_buffer".split()  # noqa: SIM905
)
_OF_STORAGES = frozenset("Tensor UntypedStorage TypedStorage".split())  # noqa: SIM905
_LEGACY = re.compile(r"(Float|Double|Half|BFloat16|Int|Long|Short|Char|Byte|Bool)(Tensor|Storage)$")


def uses_of(scenario: Scenario) -> frozenset[Use]:
    """What all steps of a program use, and the expressions that are evaluated after them."""
    return frozenset(use for text in scenario.texts for use in _uses(text))


@lru_cache(maxsize=4096)
def _uses(source: str) -> frozenset[Use]:
    """What the statements, or the expression, use."""
    return frozenset(use for node in ast.walk(ast.parse(source.strip())) for use in _of(node))


def _of(node: ast.AST) -> Iterator[Use]:
    match node:
        case ast.Constant(value=str(text)) if _DEVICE.match(text):
            yield "a device"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name)) if name in _OF_STORAGES:
            yield "a legacy constructor"
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            yield from _of_name(name)


@cache
def _of_name(name: str) -> tuple[Use, ...]:
    found: list[Use] = []
    last = name.rpartition(".")[2]
    if last in _OF_DEVICES:
        found.append("a device")
    if last in _OF_MEMORY:
        found.append("NumPy")
    if _LEGACY.match(last) or last == "new":
        found.append("a legacy constructor")
    return tuple(found)
