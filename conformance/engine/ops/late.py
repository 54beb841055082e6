"""Operations that are imported when they are first asked for.

Note [Operations asked for late]: a program uses a few dozen of some 900 operations, and to read their code is most of an
import. The modules of names.LATE are imported when the first of their operations is asked for: as an attribute of torch,
as a method, in whose place a LateMethod stands, or as a row. Who looks at operations as a whole asks for everything() before.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from threading import RLock

from ..tensor import Tensor
from . import names
from .attaching import FUNCTIONS, LateMethod, attach

_waiting = {*names.LATE}
_lock = RLock()


def load(module: str) -> None:
    """Import a module of operations, if none of them was asked for so far."""
    found = import_module(f"{__package__}.{module}")
    with _lock:
        if module in _waiting:
            attach([found])
            torch = vars(sys.modules[__package__.rpartition(".")[0]])
            for name, owner in names.MODULE_OF.items():
                if owner == module and name in FUNCTIONS:
                    torch.setdefault(name, FUNCTIONS[name])
            _waiting.remove(module)


def everything() -> None:
    """Import all operations that were not asked for so far."""
    for module in sorted(_waiting):
        load(module)


def stand_in() -> None:
    """Let a LateMethod stand in for each method that is asked for late."""
    alone = names.FUNCTIONS_ALONE.split()
    for name, module in names.MODULE_OF.items():
        if name not in alone:
            setattr(Tensor, name, LateMethod(name, partial(load, module)))
