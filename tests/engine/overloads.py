"""torch's overloads, as the engine lists them; `python -m tests.engine.overloads` writes them down."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from conformance import engine
from conformance.engine import overloads

PATH = Path(overloads.__file__).with_name("overloads.txt")
_LISTED = re.compile(
    r"(\w+)\(\) received an invalid combination of arguments - got .*?, but expected one of:\n(.*)", re.S
)
# What has effects; and random_, which takes a None that its text does not tell of.
_LEFT_OUT = ("init_num_threads", "manual_seed", "random_", "seed", "set_num_threads", "share_memory_")


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


def text() -> str:
    """A line for each function and each method of several overloads that the engine has."""
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
                found = _asked(function) if callable(function) and hasattr(ours, name) else None
                if found is not None:
                    lines[found[0]] = found[1]
        tensor = torch.ones(2, 2)
        for name in dir(torch.Tensor):
            if name.startswith("_") or name in _LEFT_OUT or not hasattr(engine.Tensor, name):
                continue
            found = _asked(getattr(tensor, name)) if callable(getattr(torch.Tensor, name)) else None
            if found is not None:
                lines[f"Tensor.{name}"] = found[1]
    return "".join("\t".join([name, *lines[name]]) + "\n" for name in sorted(lines))


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
