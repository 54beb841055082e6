"""How operations become functions of torch and methods of Tensor.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well, unless its ``variants`` say otherwise. In-place methods (``name_``) are made from rows that have
the fact ``inplace``; see facts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from ..facts import Facts, facts_of
from ..inplace import inplace
from ..keywords import OF_METHODS, all_renaming, as_method, of_input, renaming, taking_numpy_names
from ..overloads import is_overloaded
from ..own_names import all_named
from ..refusals import all_refusing, has_flags, refusing
from ..rows import ROWS
from ..tensor import Tensor
from . import names


class _Functions(dict[str, Callable[..., Any]]):
    """By their names; see Note [Operations asked for late]."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        if name in names.MODULE_OF:
            from . import late

            late.load(names.MODULE_OF[name])
        if name not in self:  # there may be a method of that name alone
            raise KeyError(name)
        return self[name]

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


FUNCTIONS = _Functions()


def _origin(function: Callable[..., Any]) -> str:
    """The module in which a function, or a row's forward, was written."""
    row = getattr(function, "row", None)
    return getattr(function, "__module__", "") if row is None else row.forward.__module__


def public(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's functions for torch: those it lists as PUBLIC, else its own without an underscore in front."""
    listed = getattr(module, "PUBLIC", None)
    if listed is not None:
        return {name: getattr(module, name) for name in listed}
    found = {}
    for name, value in vars(module).items():
        if name.startswith("_") or name == "attach" or not callable(value) or isinstance(value, type):
            continue
        if _origin(value) == module.__name__:
            found[name.rstrip("_") if name == "slice_" else name] = value
    return found


def variants(name: str, function: Callable[..., Any]) -> str:
    """Whether an operation is a function, a method or both."""
    found = known(function).variants
    return found if found is not None else "method" if name.endswith("_") else "function, method"


def known(function: Callable[..., Any]) -> Facts:
    """The facts of a row or of a composite."""
    row = getattr(function, "row", None)
    return facts_of(function) if row is None else row.facts


class LateMethod:
    """A method of Tensor that was not asked for so far, see Note [Operations asked for late]."""

    __slots__ = ("load", "name")

    def __init__(self, name: str, load: Callable[[], None]) -> None:
        self.name, self.load = name, load

    def __get__(self, instance: Tensor | None, owner: type[Tensor]) -> Any:
        self.load()
        return vars(Tensor)[self.name].__get__(
            instance, owner
        )  # a subclass may have another, which calls this one


def _free(name: str) -> bool:
    """Whether Tensor has no attribute of that name yet."""
    return isinstance(vars(Tensor).get(name, _NOTHING), LateMethod)


_NOTHING = LateMethod("", lambda: None)


def attach(modules: Iterable[ModuleType], parts: Iterable[ModuleType] = ()) -> None:
    """Make the operations of modules functions of torch and methods of Tensor.

    Args:
        parts: what has other methods of Tensor, which come before operations of the same names.
    """
    before = dict(vars(Tensor)) if FUNCTIONS else {}  # the first ones are attached with what tensor.py has
    for part in parts:
        part.attach()
    functions: dict[str, Callable[..., Any]] = {}
    for module in modules:
        functions |= {name: taking_numpy_names(each, name) for name, each in public(module).items()}
    for name in names.INTERNAL.split():
        functions.pop(name, None)
    functions = {name: each for name, each in functions.items() if variants(name, each)}
    for name, function in functions.items():
        if _free(name) and "method" in variants(name, function):
            row = getattr(function, "row", None)
            setattr(Tensor, name, as_method(function, name) if row is None else row.method)
    functions = {name: each for name, each in functions.items() if "function" in variants(name, each)}
    _attach_inplace(functions, {module.__name__.rpartition(".")[2] for module in modules})
    for module in modules:
        if hasattr(module, "attach"):
            module.attach()
    for name in names.LOOKED_AT_BEFORE.split():
        if name in functions:
            functions[name] = renaming(functions[name], {}, name)
    functions = all_refusing(all_renaming(functions))
    added: dict[str, Any] = {
        name: each
        for name, each in vars(Tensor).items()
        if isinstance(each, FunctionType) and each is not before.get(name)
    }
    changed = _refusing(added, functions)
    for name, method in (changed | all_named(added | changed, methods=True)).items():
        setattr(Tensor, name, method)
    FUNCTIONS.update(functions | all_named(functions))
    for module in modules:
        FUNCTIONS.update(getattr(module, "FUNCTIONS", {}))


def _refusing(
    methods: dict[str, FunctionType], functions: dict[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """Methods that take torch's names for arguments, and refuse what torch refuses."""
    frequent, refuse = names.IN_INNER_LOOPS.split(), names.REFUSING_METHODS.split()
    found: dict[str, Callable[..., Any]] = {}
    for name, method in methods.items():
        taking = renaming(method, OF_METHODS[name]) if name in OF_METHODS else method
        if not name.startswith("_") and name not in frequent:
            listed = name in functions or name in refuse or is_overloaded(f"Tensor.{name}")
            if listed or has_flags(taking):
                taking = refusing(taking, f"Tensor.{name}")
        if taking is not method:
            found[name] = taking
    return found


def _attach_inplace(functions: dict[str, Callable[..., Any]], modules: set[str]) -> None:
    """``name_`` of each row named ``name`` or ``name_``, and of what is ``name`` under another name."""
    of_torch = [name for name in functions if name.endswith("_")]  # written out
    for row in ROWS.values():
        if f"{row.name}_" in ROWS:
            continue
        name = f"{row.name.removesuffix('_')}_"
        elsewhere = names.MODULE_OF.get(name, "") not in {"", *modules}
        if row.facts.inplace and _free(name) and not elsewhere:
            setattr(Tensor, name, inplace(row))
            of_torch += [name] * ("function" in row.facts.inplace)
    for name, function in [*functions.items()]:
        facts, original = known(function), f"{function.__name__}_"
        if facts.inplace and _free(f"{name}_") and not _free(original):
            setattr(Tensor, f"{name}_", getattr(Tensor, original))
            of_torch += [f"{name}_"] * ("function" in facts.inplace)
    for name, each in vars(Tensor).items():
        own = getattr(each, "__name__", "") == name and not FUNCTIONS
        if own and name.endswith("_") and facts_of(each).variants == "function, method":
            of_torch.append(name)
    for name in of_torch:
        functions[name] = of_input(functions.get(name) or getattr(Tensor, name))
