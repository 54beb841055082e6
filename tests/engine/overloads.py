"""torch's signatures, as the engine lists them; `python -m tests.engine.overloads` writes them down."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import torch

from conformance import engine
from conformance.engine import overloads

_FILES = {several: Path(overloads.__file__).with_name(name) for several, name in overloads.FILES.items()}
_LISTED = re.compile(
    r"(\w+)\(\) received an invalid combination of arguments - got .*?, but expected one of:\n(.*)", re.S
)
# What has effects; and random_, which takes a None that its text does not tell of.
_LEFT_OUT = ("init_num_threads", "manual_seed", "random_", "seed", "set_num_threads", "share_memory_")
_BY_HAND = {"nonzero": "(Tensor input, *, bool as_tuple = False)"}  # what schemas do not tell


class _Odd:
    """What no function takes."""


def _asked(function: Callable[..., Any]) -> tuple[str, list[str]] | None:
    """A function's own name and its signatures, which torch tells where arguments fit none."""
    for count in (40, 0):
        try:
            function(*[_Odd()] * count)
        except Exception as error:
            found = _LISTED.match(str(error))
            if found:
                return found[1], [line[3:] for line in found[2].split("\n") if line.startswith(" * ")]
    return None


_KINDS = {
    "SymInt": "int", "Scalar": "Number", "ScalarType": "torch.dtype", "Layout": "torch.layout",
    "Device": "torch.device", "MemoryFormat": "torch.memory_format", "Generator": "torch.Generator",
}  # fmt: skip
_LISTS = {
    "int": "tuple of ints",
    "float": "tuple of floats",
    "Number": "tuple of Scalars",
    "Tensor": "tuple of Tensors",
}
_ARGUMENT = re.compile(r"(\w+)(?:\([^)]*\))?((?:\[\d*\])?\??(?:\[\])?\??) (\w+)(?:=(.*))?")


def _declared(name: str, method: bool) -> str | None:
    """The one signature of a function, from its schema; see Note [Overloads]; out= is left to the engine."""
    schemas = [str(each) for each in torch._C._jit_get_schemas_for_operator(f"aten::{name}")]
    plain = [each for each in schemas if not re.search(r"\* *, .*\(\w!\) \w", each) and "Dimname" not in each]
    found = next((each for each in plain if "Tensor" in each.split(") ->")[0]), plain[0] if plain else None)
    if found is None:
        return None
    inner = re.fullmatch(r"aten::[\w.]+\((.*)\) -> .*", found)
    assert inner is not None, found
    parts = []
    for part in re.split(r", (?![^\[(]*[\])])", inner[1]):
        argument = _ARGUMENT.fullmatch(part)
        if argument is None:
            parts.append(part)
            continue
        kind, form, own, default = argument.groups()
        kind = _KINDS.get(kind, kind)
        if "[" in form:
            kind = _LISTS[kind] + "[]" * ("[]" in form)
        if method and own == "self":
            continue
        shown = "input" if own == "self" else own
        parts.append(
            f"{kind}{'?' * form.endswith('?')} {shown}"
            + (f" = {default.replace(', ', ',')}" if default else "")
        )
    if "bool? pin_memory = None" in parts:  # what makes tensors
        parts.append("bool requires_grad = False")
    return f"({', '.join(each for each in parts if each)})"


def _alone(function: Callable[..., Any], method: bool) -> tuple[str, list[str]] | None:
    """The own name and the signature of a function that has one, if it refuses arguments as its schema would."""
    found = re.match(r"(\w+)\(\)", _refused(function, 40))
    if found is None:
        return None
    declared = (not method and _BY_HAND.get(found[1])) or _declared(found[1], method)
    if declared is None:
        return None
    first, *rest = declared[1:-1].partition("*")[0].removesuffix(", ").split(", ")
    if first:
        kind, name = first.split(" = ")[0].rsplit(" ", 1)
        told = f"{found[1]}(): argument '{name}' (position 1) must be {kind.rstrip('[]?')}, "
        if not _refused(function, 1 + len(rest)).startswith(told):
            return None  # written by hand
    return found[1], [declared]


def _refused(function: Callable[..., Any], count: int) -> str:
    """What is said of so many odd arguments."""
    try:
        function(*[_Odd()] * count)
    except Exception as error:
        return str(error)
    return ""


def texts() -> dict[Path, str]:
    """By the file, a line for each function and each method that the engine has."""
    lines = {}
    modules = [(torch, engine)]
    modules += [(getattr(torch, name), getattr(engine, name)) for name in ("linalg", "special", "fft")]
    modules.append((torch.nn.functional, engine.nn.functional))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for theirs, ours in modules:
            for name in dir(theirs):
                function = getattr(theirs, name)
                if name.startswith("_") or name in _LEFT_OUT or isinstance(function, type):
                    continue
                if not callable(function) or not hasattr(ours, name):
                    continue
                found = _asked(function)
                if found is not None:
                    lines[found[0]] = found[1]
                elif isinstance(function, BuiltinFunctionType) and (alone := _alone(function, False)):
                    lines.setdefault(*alone)
        # torch.split is written in Python
        found = _asked(torch._VF.split)  # type: ignore[attr-defined]
        assert found is not None
        lines["_VF.split"] = found[1]
        tensor = torch.ones(2, 2)
        for name in dir(torch.Tensor):
            if name.startswith("_") or name in _LEFT_OUT or not hasattr(engine.Tensor, name):
                continue
            if not callable(getattr(torch.Tensor, name)):
                continue
            method = getattr(tensor, name)
            found = _asked(method)
            if found is not None:
                lines[f"Tensor.{name}"] = found[1]
            elif isinstance(method, BuiltinFunctionType) and (alone := _alone(method, True)):
                lines[f"Tensor.{name}"] = alone[1]
            elif re.match(r"Tensor\.\w+\(\) takes no arguments", _refused(method, 1)):
                lines[f"Tensor.{name}"] = [overloads.NONE]
    return {
        path: "".join(
            "\t".join([name, *lines[name]]) + "\n"
            for name in sorted(lines)
            if (len(lines[name]) > 1) == several
        )
        for several, path in _FILES.items()
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
