"""Writes what the engine knows of torch's interface from the installed torch: `python -m tests.engine.torch_api`.

See Note [torch_api.txt] in conformance/engine/torch_api.py.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any

import torch

from conformance import engine
from conformance.engine._arguments import torch_api

# Names --------------------------------------------------------------------------------------------

# The modules that the engine has.
MODULES = """
torch torch.accelerator torch.autograd torch.autograd.functional torch.autograd.graph
torch.backends torch.backends.cuda torch.backends.cudnn torch.backends.mps
torch.backends.opt_einsum torch.compiler torch.cuda torch.distributions
torch.distributions.constraints torch.distributions.transforms torch.fft torch.func torch.functional
torch.jit torch.library torch.linalg torch.nn torch.nn.attention torch.nn.functional torch.nn.init
torch.nn.utils torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
torch.random torch.sparse torch.special torch.testing torch.types
torch.utils torch.utils.checkpoint
"""


def _torchs(value: Any) -> bool:
    """Whether it is torch's own: no number, no text, nothing that a module imported from elsewhere."""
    if isinstance(value, ModuleType):
        return value is not torch and value.__name__.startswith("torch.")
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)):
        return True
    return callable(value) and (getattr(value, "__module__", None) or "torch").startswith("torch")


def _names() -> dict[str, str]:
    """The public names of each module, and of Tensor."""
    found = {}
    for path in MODULES.split():
        module = importlib.import_module(path)
        names = [name for name in dir(module) if name[0] != "_" and _torchs(getattr(module, name))]
        found[path] = " ".join(names)
    found["Tensor"] = " ".join(name for name in dir(torch.Tensor) if name[0] != "_")
    return found


# Signatures ---------------------------------------------------------------------------------------

_LISTED = re.compile(
    r"(\w+)\(\) received an invalid combination of arguments - got .*?, but expected one of:\n(.*)", re.S
)
# What has effects; and random_, which takes a None that its text does not tell of.
_LEFT_OUT = ("init_num_threads", "manual_seed", "random_", "seed", "set_num_threads", "share_memory_")
_BY_HAND = {  # what schemas do not tell
    "nonzero": "(Tensor input, *, bool as_tuple = False)",
    "Tensor.copy_": "(Tensor other, bool non_blocking = False)",
}


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
    declared = _BY_HAND.get("Tensor." * method + found[1]) or _declared(found[1], method)
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
    """What torch and the engine raise for odd arguments."""
    try:
        function(*[_Odd()] * count)
    except Exception as error:
        return str(error)
    return ""


def _of_functions(theirs: Any, ours: Any) -> dict[str, list[str]]:
    """By the functions' own names, the signatures of a module's functions that the engine has too."""
    lines: dict[str, list[str]] = {}
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
    return lines


def _of_methods() -> dict[str, list[str]]:
    """The signatures of the methods that the engine has too."""
    lines = {}
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
            lines[f"Tensor.{name}"] = [torch_api.NO_ARGUMENTS]
    return lines


def _signatures() -> dict[str, str]:
    """The signatures of each function and method, between tabs."""
    modules = [(torch, engine)]
    modules += [(getattr(torch, name), getattr(engine, name)) for name in ("linalg", "special", "fft")]
    modules.append((torch.nn.functional, engine.nn.functional))
    lines: dict[str, list[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for theirs, ours in modules:
            lines |= _of_functions(theirs, ours)
        # torch.split is written in Python
        found = _asked(torch._VF.split)  # type: ignore[attr-defined]
        assert found is not None
        lines["_VF.split"] = found[1]
        lines |= _of_methods()
    return {name: "\t".join(lines[name]) for name in sorted(lines)}


def text() -> str:
    """All of it, as the file has it."""
    parts = [
        "# Written from torch by `python -m tests.engine.torch_api`; torch_api.py says what stands here.\n"
    ]
    for heading, section in {"names": _names(), "signatures": _signatures()}.items():
        parts.append(f"[{heading}]\n")
        parts += [f"{name}\t{rest}\n" for name, rest in section.items()]
    return "".join(parts)


if __name__ == "__main__":
    Path(torch_api.FILE).write_text(text(), encoding="utf-8")
