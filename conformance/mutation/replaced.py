"""Give functions of an engine that is imported already the code of changed source.

Note [A fault in functions needs no import]: a fault that changes only what functions do when they are called can be put
into an imported engine: whatever holds the code of such a function is given the changed code. A fork of a process that
has imported the engine costs a tenth of what another import costs, and what generates and compiles its operators runs
in the fork, after the change. A fault in code that ran during the import is not put in so, since what that code made
stays as it is.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

Holders = Mapping[CodeType, list[Any]]


def holders_below(root: Path) -> dict[CodeType, list[Any]]:
    """What holds each code that has been loaded from files below a folder."""
    found: dict[CodeType, list[Any]] = {}
    for each in gc.get_objects():
        if type(each) is tuple:  # the constants of the code around it
            continue
        for code in gc.get_referents(each):
            if type(code) is CodeType and code.co_filename.startswith(str(root)):
                found.setdefault(code, []).append(each)
    return found


def replacements(before: bytes, after: bytes, path: Path) -> dict[CodeType, CodeType] | None:
    """The codes of functions of a file that differ, with what replaces them: outer before inner functions.

    None if something else differs: what runs when the file is imported, or a function's closure.
    """
    old, new = (compile(source, str(path), "exec", dont_inherit=True) for source in (before, after))
    found: dict[CodeType, CodeType] = {}
    return found if _collect(old, new, found) else None


def _collect(old: CodeType, new: CodeType, found: dict[CodeType, CodeType]) -> bool:
    """Whether each difference is one of a function; adds them."""
    inner = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
    alike = [each.co_name for each in inner[0]] == [each.co_name for each in inner[1]]
    within: dict[CodeType, CodeType] = {}
    if alike and not all(_collect(a, b, within) for a, b in zip(*inner, strict=True)):
        return False
    own = not alike or _own(old) != _own(new)
    if old.co_flags & inspect.CO_OPTIMIZED:  # a function's, rather than that of a class or module
        if old.co_freevars != new.co_freevars:
            return False
        if own or within:
            found[old] = new
    elif own:
        return False
    found.update(within)
    return True


def _own(code: CodeType) -> tuple[Any, ...]:
    """All that a code does, but for its position and for the functions inside."""
    constants = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars, code.co_flags


def replace(codes: Mapping[CodeType, CodeType], holders: Holders) -> bool:
    """Give the holders of these codes what replaces them; False, and nothing is changed, where that cannot be.

    It cannot be where nothing holds the code of the outer function, which something else was made of, and where a
    holder is not known to be safe to change.
    """
    outer = next(iter(codes), None)
    held = [(each, old, new) for old, new in codes.items() for each in holders.get(old, ())]
    if outer not in holders or not all(_places(each, old) for each, old, _ in held):
        return False
    for each, old, new in held:
        for name in _places(each, old):
            setattr(each, name, new)
    return True


def _places(holder: Any, code: CodeType) -> list[str]:
    """The attributes of an object that are a code."""
    if isinstance(holder, FunctionType):
        return ["__code__"]
    if isinstance(holder, CellType):
        return ["cell_contents"]
    names = [name for kind in type(holder).__mro__ for name in _slots(kind)]
    return [name for name in names if getattr(holder, name, None) == code]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
