"""What a program could reach beyond the vocabulary; `python -m tests.language.reserved` writes it down."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.nn.utils.prune
import torch.utils.checkpoint

from conformance.language import vocabulary

PATH = Path(vocabulary.__file__).with_name("reserved.txt")


_library: Any = torch.library.Library


def resolve(path: str) -> Any:
    """The object behind a dotted name: ``torch.nn.Linear``."""
    for cut in range(path.count(".") + 1, 0, -1):
        module, rest = ".".join(path.split(".")[:cut]), path.split(".")[cut:]
        try:
            value = importlib.import_module(module)
        except ImportError:
            continue
        for part in rest:
            value = getattr(value, part)
        above, _, name = module.rpartition(".")
        # A function may hide the module that it is in: torch.nn.utils.weight_norm.
        return value if rest or not above else getattr(importlib.import_module(above), name, value)
    raise LookupError(path)


def _generator() -> Iterator[int]:
    yield sys._getframe().f_lineno


async def _coroutine() -> None: ...


async def _async_generator() -> Any:
    yield None


def reachable() -> list[Any]:
    """A value or class of every kind that a program can hold."""
    x: Any = torch.ones(2, requires_grad=True)
    node = (x * x).grad_fn
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    generator: Any = _generator()
    coroutine = _coroutine()
    coroutine.close()
    values = [
        *(x, x.detach().numpy(), np.float32(1), x.dtype, x.device, x.shape, x.layout),
        *(x.untyped_storage(), node, node.next_functions[0][0], torch.autograd.graph.get_gradient_edge(x)),
        *(x.register_hook(print), torch.Generator(), torch.finfo(torch.float32), torch.iinfo(torch.int8)),
        *(module, module[0], optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1), torch.no_grad()),
        *(
            torch.max(x, 0),
            torch.linalg.qr(torch.eye(2)),
            torch.autograd.Function,
            node._raw_saved_self,
        ),
        *(reachable, generator, generator.gi_frame, generator.gi_code, coroutine, _async_generator()),
        *(
            print,
            "".join,
            torch.sin,
            torch.nn.functional.relu,
            torch.nn,
            type,
            object,
            super,
            property(print),
        ),
        *(1, 1.0, 1j, True, None, "", b"", [], (), {}, set(), frozenset(), range(1), slice(1), zip(), map),
        *(
            {}.keys(),
            {}.items(),
            iter([]),
            ValueError(),
            StopIteration(),
            AttributeError(),
            KeyError(),
            enumerate,
        ),
    ]
    try:
        raise ValueError
    except ValueError as error:
        values.append(error.__traceback__)
    operator = torch.library.custom_op(
        "conformance::reserved", lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    values += [operator, torch.ops.conformance.reserved, torch.ops.conformance.reserved.default]
    values += [operator._opoverload._schema, _library("conformance", "FRAGMENT")]
    values += [resolve(path) for path in vocabulary.PATHS]
    return values


def text() -> str:
    """All their attributes that the vocabulary lacks; no program holds a module."""
    known = {path.rpartition(".")[2] for path in vocabulary.PATHS}
    values = [value for value in reachable() if not isinstance(value, ModuleType)]
    found = {name for value in values for name in dir(value)}
    names = {
        name for name in found - known if not name.startswith("__") and not vocabulary.is_attribute(name)
    }
    return textwrap.fill(" ".join(sorted(names)), width=110, break_on_hyphens=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
