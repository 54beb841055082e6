"""Every scenario starts from the same global state and leaves none behind."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from conformance.runner.own_flags import keep_flags, restore_flags
from conformance.runner.own_state import adopt_modes, enter_modes, forget_hooks, leave_modes, lookup

_KEPT = object()  # not changed at the start, restored at the end
_FAILED = object()

# Getter, setter and initial value of each setting, by torch's names; used if an engine has them.
_SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("is_grad_enabled", "set_grad_enabled", True),
    ("get_default_dtype", "set_default_dtype", "float32"),
    # Otherwise a once-only warning appears in one scenario only.
    ("is_warn_always_enabled", "set_warn_always", True),
    ("is_anomaly_check_nan_enabled", "_set_check_nan", True),
    ("is_anomaly_enabled", "set_anomaly_enabled", False),
    # Otherwise another package decides on the graph.
    ("backends.opt_einsum.enabled", "_set_opt_einsum", False),
    *(
        (f"backends.cuda.{name}_sdp_enabled", f"backends.cuda.enable_{name}_sdp", True)
        for name in ("flash", "math", "mem_efficient", "cudnn")
    ),
    # Otherwise the number of processors decides how sums are rounded.
    ("get_num_threads", "set_num_threads", int(os.environ.get("CONFORMANCE_THREADS", "1"))),
    ("are_deterministic_algorithms_enabled", "use_deterministic_algorithms", _KEPT),
    ("get_float32_matmul_precision", "set_float32_matmul_precision", _KEPT),
    ("_C._is_multithreading_enabled", "_C._set_multithreading_enabled", _KEPT),
    ("_C._is_grad_layout_enforcement_enabled", "_C._set_grad_layout_enforcement_enabled", _KEPT),
    ("_C._check_sparse_tensor_invariants", "_C._set_check_sparse_tensor_invariants", False),
    *(
        (
            f"__future__.get_{way}_module_params_on_conversion",
            f"__future__.set_{way}_module_params_on_conversion",
            False,
        )
        for way in ("swap", "overwrite")
    ),
    ("_C._is_view_replay_enabled", "_C._set_view_replay_enabled", _KEPT),
    ("get_rng_state", "set_rng_state", _KEPT),
    ("_tensor_str.PRINT_OPTS", "_set_all_printoptions", _KEPT),
)

# The same for the interpreter, which the engine shares with the reference and with this package.
_OF_THE_INTERPRETER: tuple[tuple[Callable[[], Any], Callable[[Any], Any]], ...] = (
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (os.getcwd, os.chdir),
    (
        lambda: (sys.stdout, sys.stderr),
        lambda streams: vars(sys).update(stdout=streams[0], stderr=streams[1]),
    ),
)

_FACTORY: dict[str, Any] = {
    "is_grad_enabled": True,
    "get_default_dtype": "float32",
    "is_warn_always_enabled": False,
    "is_anomaly_check_nan_enabled": True,
    "is_anomaly_enabled": False,
    **{f"backends.cuda.{name}_sdp_enabled": True for name in ("flash", "math", "mem_efficient", "cudnn")},
    "_C._check_sparse_tensor_invariants": False,
    "are_deterministic_algorithms_enabled": False,
    "get_float32_matmul_precision": "highest",
    "_C._is_multithreading_enabled": True,
    "_C._is_view_replay_enabled": False,
    **{f"__future__.get_{way}_module_params_on_conversion": False for way in ("swap", "overwrite")},
}
"""Torch's own value of settings that the suite starts with one of its own: another one is the engine's."""
_PRINTING = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
_THREADS, _PRINT_OPTIONS = "get_num_threads", "_tensor_str.PRINT_OPTS"

_own: dict[int, tuple[Any, dict[str, Any]]] = {}  # id of an engine -> that engine and its own settings
_found: dict[int, tuple[Any, list[_Setting]]] = {}  # id of an engine -> that engine and its settings


class _Setting(NamedTuple):
    name: str  # of the function that reads it
    read: Callable[[], Any]
    write: Callable[[Any], Any]
    start: Any
    compare: bool  # comparing a tensor takes longer than writing it


@contextlib.contextmanager
def isolated(torch: Any, owner: Any = None) -> Iterator[list[warnings.WarningMessage]]:
    """Inside: manual_seed(0), grad mode on, default dtype float32, one thread; all warnings go to the yielded list.

    Afterwards all is restored. Settings of an engine, ``owner``, replace these: Note [An engine's own state].
    """
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        read = [(setting, _attempt(setting.read)) for setting in _settings(torch, owner)]
        before = [(setting, value) for setting, value in read if value is not _FAILED]
        operators = [list(each) for each in _operators(torch)]
        interpreter = [read() for read, _ in _OF_THE_INTERPRETER]
        try:
            for setting, value in before:
                if setting.start is not _KEPT and value != setting.start:
                    setting.write(setting.start)
            _attempt(enter_modes, torch, owner)
            if _PRINT_OPTIONS not in _settings_of(owner):
                _default_printing(torch)
            _attempt(_forget_deprecation, torch)
            _seed(torch)
            log.clear()
            yield log
        finally:
            for (found, write), it in zip(_OF_THE_INTERPRETER, interpreter, strict=True):
                if _attempt(found) != it:
                    write(it)
            _attempt(leave_modes, torch)
            _attempt(_forget_operators, torch, operators)
            _attempt(forget_hooks, torch)
            _attempt(_forget_deprecation, torch)
            restore_flags(owner)
            for setting, value in before:
                _attempt(_restore, setting, value)


def freeze_for_good() -> None:
    """Let collections skip all objects that there are, such as imported ones, as long as the process lives."""
    gc.freeze()
    _frozen.append(True)


_frozen: list[bool] = []  # not empty after that


@contextlib.contextmanager
def collected_on_demand(freeze: bool) -> Iterator[None]:
    """Inside, cyclic garbage is collected only by explicit calls.

    With ``freeze``, a collection examines only objects created inside, since examining a whole process with torch takes
    0.2 s. After `freeze_for_good` they stay frozen, together with everything created since.
    """
    enabled, frozen = gc.isenabled(), bool(_frozen)  # counting what is frozen takes 0.2 s too
    gc.disable()
    if freeze:
        gc.freeze()
    try:
        yield
    finally:
        if freeze and not frozen:
            gc.unfreeze()
        if enabled:
            gc.enable()


def adopt(engine: Any) -> None:
    """Keep what an engine has set when it was made as the state in which its scenarios start, and undo it.

    See Note [An engine's own state].
    """
    torch = engine.torch
    _attempt(adopt_modes, torch, engine)
    own: dict[str, Any] = {}
    for setting in _settings(torch, None):
        value = _attempt(setting.read)
        factory = _FACTORY.get(setting.name, _FAILED)
        if setting.name == "get_default_dtype":
            factory = lookup(torch, "float32")
        changed = value not in (factory, setting.start) if factory is not _FAILED else False
        if setting.name == _THREADS:
            changed = value not in {setting.start, *_default_threads()}
        if changed and value is not _FAILED:
            own[setting.name] = value
            if factory is not _FAILED:  # an engine that is made next in this process does not inherit it
                _attempt(setting.write, factory)
    options = _print_options(torch)
    if options is not None and {key: options().get(key) for key in _PRINTING} != _PRINTING:
        own[_PRINT_OPTIONS] = options()
        _default_printing(torch)
    _own[id(engine)] = (engine, own)
    _attempt(keep_flags, engine)


def _settings_of(owner: Any) -> dict[str, Any]:
    """The settings that are the engine's own."""
    return _own.get(id(owner), (None, {}))[1]


def _default_threads() -> set[int]:
    """The numbers of threads that torch may choose by itself: those of processors, or what the environment says."""
    count = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else count
    named = (os.environ.get(f"{library}_NUM_THREADS", "") for library in ("OMP", "MKL"))
    return {
        count,
        usable,
        max(count // 2, 1),
        max(usable // 2, 1),
        *(int(each) for each in named if each.isdigit()),
    }


def _settings(torch: Any, owner: Any) -> list[_Setting]:
    """The settings that an engine has, looked up once."""
    key = torch if owner is None else owner
    if id(key) not in _found:
        found = []
        for reading, writing, named in _SETTINGS:
            read = _READERS[reading](torch) if reading in _READERS else lookup(torch, reading)
            write = _WRITERS[writing](torch) if writing in _WRITERS else lookup(torch, writing)
            if read is not None and write is not None:
                start = lookup(torch, named) if isinstance(named, str) else named
                start = _settings_of(owner).get(reading, start)
                found.append(_Setting(reading, read, write, start, compare=reading != "get_rng_state"))
        _found[id(key)] = (key, found)
    return _found[id(key)][1]


def _print_options(torch: Any) -> Callable[[], Any] | None:
    """A shallow copy: torch's own function makes a deep one, which takes as long as a small program."""
    options = lookup(torch, "_tensor_str.PRINT_OPTS")
    return None if options is None else lambda: dict(vars(options))


def _opt_einsum(torch: Any) -> Callable[[], Any] | None:
    module = lookup(torch, "backends.opt_einsum")
    return None if module is None else lambda: module.enabled


def _invariants(torch: Any) -> Callable[[], Any] | None:
    """Set the current value explicitly, since torch warns until somebody does."""
    read, write = (lookup(torch, f"_C.{name}_sparse_tensor_invariants") for name in ("_check", "_set_check"))
    if read is not None and write is not None:
        write(read())
    found: Callable[[], Any] | None = read
    return found


_READERS: dict[str, Callable[[Any], Callable[[], Any] | None]] = {
    "_C._check_sparse_tensor_invariants": _invariants,
    "_tensor_str.PRINT_OPTS": _print_options,
    "backends.opt_einsum.enabled": _opt_einsum,
}

# Settings that are read as one and written by a function of another form.
_WRITERS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "_set_check_nan": lambda torch: (
        lambda value: torch.set_anomaly_enabled(torch.is_anomaly_enabled(), value)
    ),
    "_set_all_printoptions": lambda torch: lambda value: torch.set_printoptions(**value),
    "_set_opt_einsum": lambda torch: lambda value: setattr(torch.backends.opt_einsum, "enabled", value),
}


def _restore(setting: _Setting, value: Any) -> None:
    if not setting.compare or setting.read() != value:
        setting.write(value)


def _attempt(action: Callable[..., Any], *args: Any) -> Any:
    """The result, or ``_FAILED``: an engine may have a name that does not work."""
    try:
        return action(*args)
    except Exception:
        return _FAILED


def _forget_deprecation(torch: Any) -> None:
    """Whatever set_warn_always says, torch warns once of typed storages; make that once per scenario."""
    vars(torch.storage._warn_typed_storage_removal).pop("has_warned", None)


def _seed(torch: Any) -> None:
    # torch.manual_seed also queues a call for each absent accelerator, with its stack: 0.3 ms, and it grows
    seed = lookup(torch, "default_generator.manual_seed") or lookup(torch, "manual_seed")
    if seed is not None:
        seed(0)


def _default_printing(torch: Any) -> None:
    set_printoptions = lookup(torch, "set_printoptions")
    if set_printoptions is not None:
        with contextlib.suppress(TypeError):  # an engine may have the function without profiles
            set_printoptions(profile="default")


_LIBRARY = "_library.custom_ops"


def _operators(torch: Any) -> tuple[Any, Any, Any]:
    """What torch.library keeps for the life of a process: libraries by operator, libraries, names of operators.

    Modules that are not loaded are not imported for this.
    """
    package = getattr(torch, "__name__", None)  # an engine's torch may be any object
    whole, parts = (sys.modules.get(f"{package}.{name}") for name in ("library", _LIBRARY))
    of_functions = getattr(parts, "OPDEF_TO_LIB", None)
    return of_functions or {}, getattr(whole, "_keep_alive", None) or [], getattr(whole, "_defs", None) or ()


def _forget_operators(torch: Any, before: Sequence[Collection[Any]]) -> None:
    """Destroy the operators that a program defined, so that it can define them again; not those of torch."""
    of_functions, without_library, names = _operators(torch)
    known = frozenset(before[0])
    ended = {name for name in of_functions if name not in known and not _is_of_torch(torch, name)}
    for name in ended:
        of_functions.pop(name)._destroy()
        lookup(torch, f"{_LIBRARY}.OPDEFS").pop(name, None)
    while len(without_library) > len(before[1]):
        without_library.pop()._destroy()
    if set(names) - set(before[2]) - ended:  # a library of the program that is part of a cycle
        gc.collect()


def _is_of_torch(torch: Any, name: str) -> bool:
    """Whether a module of torch defines an operator, which was imported while a program ran."""
    definition = (lookup(torch, f"{_LIBRARY}.OPDEFS") or {}).get(name)
    module = str(getattr(getattr(definition, "_init_fn", None), "__module__", ""))
    return name.startswith("torch_nn::") or module.startswith("torch.")
