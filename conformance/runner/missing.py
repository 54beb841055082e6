"""Find the name of torch that an engine lacks from the error that a program raised."""

from __future__ import annotations

import builtins
import contextlib
import dis
import re
from functools import cache
from types import FrameType, ModuleType
from typing import Any

from conformance.language.vocabulary import PATHS, is_attribute
from conformance.language.words import BOUND
from conformance.runner.engine import Engine, observed
from conformance.runner.own_state import lookup
from conformance.runner.paths import OWN_MODULE

_CALLED = r"(?:.*?\.)??([\w<>]+)(?:\.__init__)?\(\) "  # a class appears by its own name
_KEYWORD = re.compile(rf"{_CALLED}got an unexpected keyword argument '(\w+)'")
_COUNT = re.compile(rf"{_CALLED}takes .*arguments? (?:but |\()(\d+) (?:was |were )?given")
_WITHOUT = re.compile(rf"{_CALLED}missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'")
# What pybind11 and nanobind, SWIG, Cython, Boost.Python and PyO3 say if no overload takes the arguments.
_OF_ARGUMENT = re.compile(r"argument '(\w+)': ")  # PyO3
_OVERLOADS = (
    re.compile(r"(?:.*?\.)??([\w<>]+)\(\): incompatible (?:function|constructor) arguments"),
    re.compile(r"Wrong number or type of arguments for overloaded function '(?:\w+_)?(\w+)'"),
    re.compile(r"No matching signature found()"),
    re.compile(r"Python argument types in\s+(?:[\w.]*\.)?(\w+)\("),
    _OF_ARGUMENT,
    re.compile(
        r"(?:there is )?[Nn]o (?:matching )?(?:overload|signature)(?: found)? (?:for|of) [`']?([\w.]+)"
    ),
)
_TYPE = r"'(?:[\w.]*\.)?(\w+)'"  # of compiled code with its module
_BINARY = re.compile(rf"unsupported operand type\(s\) for ([^\s:]+).*: {_TYPE} and {_TYPE}")
_ORDER = re.compile(rf"'([<>=]+)' not supported between instances of {_TYPE} and {_TYPE}")
_ALONE = (
    (re.compile(rf"bad operand type for unary -: {_TYPE}"), "-Tensor"),
    (re.compile(rf"bad operand type for unary \+: {_TYPE}"), "+Tensor"),
    (re.compile(rf"bad operand type for unary ~: {_TYPE}"), "~Tensor"),
    (re.compile(rf"{_TYPE} object is not subscriptable"), "Tensor[...]"),
    (re.compile(rf"{_TYPE} object does not support item assignment"), "Tensor[...] = ..."),
    (re.compile(rf"{_TYPE} object is not iterable"), "Tensor in a loop"),
    (re.compile(rf"object of type {_TYPE} has no len\(\)"), "len(Tensor)"),
)
_PROTOCOL = re.compile(rf"{_TYPE} object (is not callable|does not support the context manager protocol)")
_READ_ONLY = re.compile(
    r"property .*of '[\w.]+' object has no (?:setter|deleter)|can't (?:set|delete) attribute|readonly attribute"
    r"|attribute '\w+' of '[\w.]+' objects is not writable|'[\w.]+' object attribute '\w+' is read-only"
)
_KERNEL = re.compile(
    r"(?:Could not run '|^)(aten::[\w.]+)(?:' with arguments from the '|: attempted to run this operator)"
)
_PYTHONS = {
    *vars(builtins),
    "NoneType",
    "function",
    "method",
    "builtin_function_or_method",
    "generator",
    "ellipsis",
}
_SIGNS = "+ - * / // % ** @ << >> & | ^"
_WORDS = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor"
_METHODS = dict(zip(_SIGNS.split(), _WORDS.split(), strict=True))


def missing_name(error: BaseException, engine: Engine) -> str:
    """``torch.nn.Linear``, ``Tensor.retain_grad``, ``backward(inputs=...)``, ``Tensor / ...``; empty if no name
    is missing.

    The comparison decides whether torch raises the same error, so that nothing is missing.
    """
    own = getattr(engine, "missing", None)
    if own is not None and (name := own(error)):
        return str(name)
    match error:
        case NotImplementedError() if found := _KERNEL.search(str(error)):
            return found[1]  # the operator, of which a device has no kernel
        case NotImplementedError():
            return str(error) or "an implementation"
        case ModuleNotFoundError(name=str(name)):
            return f"the module {name}, which is not installed"
        case NameError(name=str(name)):
            return BOUND.get(name, "")  # an engine without torch.optim leaves it unbound
        case AttributeError() if _READ_ONLY.match(str(error)):
            return _assigned(error)
        case AttributeError(name=str(name)):
            return _named(error.obj, name, engine)
        case TypeError() if overload := _overload(error):
            return overload
        case TypeError() if (frame := _raised_by_the_call(error)) is not None:
            if found := _KEYWORD.match(str(error)):
                return f"{found[1]}({found[2]}=...)"
            if found := _COUNT.match(str(error)):
                return f"{found[1]}() with {found[2]} arguments"
            if found := _WITHOUT.match(str(error)):
                return f"{found[1]}() without {found[2]}"
            if str(error) == "'module' object is not callable":
                return _module_called(frame, engine)
            if (found := _PROTOCOL.match(str(error))) and _is_engines(found[1], frame):
                return f"{found[1]}() of the object" if "callable" in found[2] else f"with {found[1]}"
            return _operator(str(error), frame, engine)
    return ""


def _overload(error: TypeError) -> str:
    """The call for which compiled code of the engine has no overload; empty if the error is another one."""
    text = str(error)
    for pattern in _OVERLOADS:
        if found := pattern.match(text):
            if pattern is _OF_ARGUMENT:
                return f"{_called(error)}({found[1]}=...)"
            return f"{found[1] or _called(error)}() with these arguments"
    return ""


def _assigned(error: AttributeError) -> str:
    """The attribute that the program sets or deletes, and that the engine has for reading alone."""
    last = _instructions(error)[-1:]
    if last and last[0].opname in ("STORE_ATTR", "DELETE_ATTR") and is_attribute(last[0].argval):
        name = last[0].argval
        return f"Tensor.{name} = ..." if last[0].opname == "STORE_ATTR" else f"del Tensor.{name}"
    return ""


def _instructions(error: BaseException) -> list[dis.Instruction]:
    """Those of the program up to the one that raised the error."""
    traceback, place = error.__traceback__, None
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__") == OWN_MODULE:
            place = traceback
        traceback = traceback.tb_next
    if place is None:
        return []
    return [each for each in dis.get_instructions(place.tb_frame.f_code) if each.offset <= place.tb_lasti]


def _called(error: TypeError) -> str:
    """What the program called, or its operator, when the error was raised."""
    before = _instructions(error)
    if not before:
        return "a function"
    call = before[-1]
    if call.opname == "BINARY_OP":
        return f"Tensor {call.argrepr} ..."
    start = _start(call)
    loads = [each for each in before if each.opname.startswith("LOAD") and _start(each) == start]
    return str(loads[-1].argval) if loads else "a function"


def _start(each: dis.Instruction) -> tuple[int | None, int | None]:
    return (each.positions.lineno, each.positions.col_offset) if each.positions else (None, None)


def _raised_by_the_call(error: BaseException) -> FrameType | None:
    """The program's frame, if the call raised before any code of the engine ran."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_globals.get("__name__") != OWN_MODULE:
        return None
    return traceback.tb_frame


def _is_engines(name: str, frame: FrameType) -> bool:
    """Whether a class of this name is neither Python's nor the program's: an object of the engine."""
    own = frame.f_globals.get(name, frame.f_locals.get(name))
    return name not in _PYTHONS and not (isinstance(own, type) and own.__module__ == OWN_MODULE)


def _module_called(frame: FrameType, engine: Engine) -> str:
    """The called name that is a module in the engine and callable in torch."""
    called = frame.f_code.co_names
    modules = (path for path, kind in PATHS.items() if kind != "module" and path.rpartition(".")[2] in called)
    return next((path for path in modules if is_module(engine.torch, path)), "")


def is_module(torch: Any, path: str) -> bool:
    """Whether an engine has a module at a path of the vocabulary."""
    return isinstance(lookup(torch, path.partition(".")[2]), ModuleType)


def _operator(text: str, frame: FrameType, engine: Engine) -> str:
    """The operator that the engine's tensors lack."""
    held = [*frame.f_globals.values(), *frame.f_locals.values()]
    classes = {cls.__name__: cls for cls in _classes(engine)}  # of a tensor that no variable holds
    classes |= {type(value).__name__: type(value) for value in held if observed(engine, value) is not None}
    for pattern, name in _ALONE:
        if (found := pattern.match(text)) and found[1] in classes:
            return name
    if (found := _ORDER.match(text)) and (found[2] in classes or found[3] in classes):
        return f"Tensor {found[1]} ..."
    if found := _BINARY.match(text):
        method = _METHODS.get(found[1].removesuffix("="), "")
        for operand, form in ((found[2], f"__{method}__"), (found[3], f"__r{method}__")):
            if operand in classes and not hasattr(classes[operand], form):
                return f"Tensor {found[1]} ..." if operand == found[2] else f"... {found[1]} Tensor"
    return ""


def _classes(engine: Engine) -> list[type]:
    """The classes of the engine's tensors, as far as its namespace tells them."""
    named = getattr(engine.torch, "Tensor", None)
    found = [named] if isinstance(named, type) else []
    with contextlib.suppress(Exception):  # it may have another function, or none
        found.append(type(engine.torch.tensor([1.0])))
    return found


def _named(owner: Any, name: str, engine: Engine) -> str:
    for path in _modules():
        full = ".".join(filter(None, ("torch", path, name)))
        found = lookup(engine.torch, path)
        if owner is not None and owner is found:
            return full
        if owner is None and found is None and full in PATHS and _has(engine.torch, path):
            return full  # the engine has None instead of a module
    if not is_attribute(name):  # not a name of torch: a mistake in the engine's own code
        return ""
    if observed(engine, owner) is not None:
        return f"Tensor.{name}"
    cls = owner if isinstance(owner, type) else type(owner)
    return "" if cls.__module__ in (OWN_MODULE, "builtins") else f"{cls.__name__}.{name}"


def _has(torch: Any, path: str) -> bool:
    parent, _, name = path.rpartition(".")
    return hasattr(lookup(torch, parent), name)


@cache
def _modules() -> tuple[str, ...]:
    """The modules of the vocabulary as paths below torch, torch itself first."""
    return (
        "",
        *(path.partition(".")[2] for path, kind in PATHS.items() if kind == "module" and path != "torch"),
    )
