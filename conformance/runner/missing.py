"""Find the name of torch that an engine lacks from the error that a program raised."""

from __future__ import annotations

import re
from functools import cache
from types import FrameType, ModuleType
from typing import Any

from conformance.language.vocabulary import PATHS, is_attribute
from conformance.language.words import BOUND
from conformance.runner.engine import Engine
from conformance.runner.isolate import lookup
from conformance.runner.paths import OWN_MODULE

_CALLED = r"(?:.*?\.)??([\w<>]+)(?:\.__init__)?\(\) "  # a class appears by its own name
_KEYWORD = re.compile(rf"{_CALLED}got an unexpected keyword argument '(\w+)'")
_COUNT = re.compile(rf"{_CALLED}takes .*arguments? (?:but |\()(\d+) (?:was |were )?given")
_WITHOUT = re.compile(rf"{_CALLED}missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'")
_BINARY = re.compile(r"unsupported operand type\(s\) for ([^\s:]+).*: '(\w+)' and '(\w+)'")
_ORDER = re.compile(r"'([<>=]+)' not supported between instances of '(\w+)' and '(\w+)'")
_ALONE = (
    (re.compile(r"bad operand type for unary -: '(\w+)'"), "-Tensor"),
    (re.compile(r"bad operand type for unary \+: '(\w+)'"), "+Tensor"),
    (re.compile(r"bad operand type for unary ~: '(\w+)'"), "~Tensor"),
    (re.compile(r"'(\w+)' object is not subscriptable"), "Tensor[...]"),
    (re.compile(r"'(\w+)' object does not support item assignment"), "Tensor[...] = ..."),
    (re.compile(r"'(\w+)' object is not iterable"), "Tensor in a loop"),
    (re.compile(r"object of type '(\w+)' has no len\(\)"), "len(Tensor)"),
)
_KERNEL = re.compile(
    r"(?:Could not run '|^)(aten::[\w.]+)(?:' with arguments from the '|: attempted to run this operator)"
)
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
        case NameError(name=str(name)):
            return BOUND.get(name, "")  # an engine without torch.optim leaves it unbound
        case AttributeError(name=str(name)):
            return _named(error.obj, name, engine)
        case TypeError() if (frame := _raised_by_the_call(error)) is not None:
            if found := _KEYWORD.match(str(error)):
                return f"{found[1]}({found[2]}=...)"
            if found := _COUNT.match(str(error)):
                return f"{found[1]}() with {found[2]} arguments"
            if found := _WITHOUT.match(str(error)):
                return f"{found[1]}() without {found[2]}"
            if str(error) == "'module' object is not callable":
                return _module_called(frame, engine)
            return _operator(str(error), frame, engine)
    return ""


def _raised_by_the_call(error: BaseException) -> FrameType | None:
    """The program's frame, if the call raised before any code of the engine ran."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_globals.get("__name__") != OWN_MODULE:
        return None
    return traceback.tb_frame


def _module_called(frame: FrameType, engine: Engine) -> str:
    """The called name that is a module in the engine and callable in torch."""
    called = frame.f_code.co_names
    modules = (path for path, kind in PATHS.items() if kind != "module" and path.rpartition(".")[2] in called)
    return next((path for path in modules if is_module(engine.torch, path)), "")


def is_module(torch: Any, path: str) -> bool:
    """Whether an engine has a module at a path of the vocabulary."""
    return isinstance(lookup(torch, path.partition(".")[2]), ModuleType)


def _operator(text: str, frame: FrameType, engine: Engine) -> str:
    """The operator that the engine's tensors lack; their class is known from the program's variables."""
    held = [*frame.f_globals.values(), *frame.f_locals.values()]
    classes = {type(value).__name__: type(value) for value in held if engine.observe(value) is not None}
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
    if engine.observe(owner) is not None:
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
