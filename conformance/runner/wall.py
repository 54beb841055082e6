"""The second wall around programs: an audit hook that refuses what the vocabulary is meant to keep out of reach.

Note [The wall knows no names]: the vocabulary judges a program by its text, and functions of torch that take the name
of an attribute or a module as text can do what the text does not show. So while a program runs, an audit hook
(PEP 578; nothing takes one off again) refuses to write files, start processes, open sockets and use ctypes, and to read
files and import modules other than those of torch, NumPy, SciPy, ml_dtypes, the standard library and the engine. Every
event that is not known to be harmless is refused. Three things are not the program's doing, and are allowed:

- what happens while an ``import`` statement of these packages is executed: its text fixes what is imported;
- searching the folders of ``sys.path``, which an import of a module that is missing does as well;
- ctypes, gc and tracing, if code of torch, NumPy or the engine itself uses them;
- reading the source lines of the running functions for a traceback.

Code is known by its file, so a program may not make code that names another one, except by an import.

Note [No switch within reach]: the hook's state is in a closure of which no module holds a reference. The runner changes
it by audit events, which the hook ignores if a frame of a program is on the stack; and with such a frame on the stack
the wall is up, whatever the state says.

It does not hold against a program that corrupts native memory.
"""

from __future__ import annotations

import dis
import importlib
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from conformance.runner.normalize import PROGRAM

PACKAGES = ("torch", "functorch", "torchgen", "numpy", "scipy", "ml_dtypes")
"""The packages that programs may read and import from, in addition to the standard library and the engine's own."""

MAY = frozenset({"files", "processes", "ctypes"})
"""What an adapter may allow its engine with an attribute ``may``."""

_UP, _DOWN = "conformance.wall.up", "conformance.wall.down"

_HARMLESS = frozenset(
    """
    object.__setattr__ object.__getattr__ object.__delattr__ builtins.id marshal.dumps marshal.loads exec
    sys._getframe sys._getframemodulename function.__new__ array.__new__ sys.unraisablehook sys.excepthook
    resource.setrlimit resource.prlimit time.sleep _thread.start_new_thread _thread.start_joinable_thread
    cpython.PyThreadState_New sys.addaudithook os.getxattr ctypes.addressof ctypes.cdata/buffer
    """.split()  # noqa: SIM905  one line for many words
)
_PROCESSES = (
    "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty.", "os.kill",
)  # fmt: skip
_FILES = ("open", "os.", "shutil.", "tempfile.", "glob.", "mmap.", "fcntl.", "pathlib.")
_SOCKETS = ("socket.", "ssl.", "http.", "ftplib.", "smtplib.", "urllib.", "imaplib.", "poplib.", "nntplib.")
_OF_THE_ENGINE = (
    "ctypes.",
    "gc.",
    "sys.set",
    "sys._current",
    "sys.monitoring",
    "pickle.",
    "signal.",
    "mmap.",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_SEARCH = "<frozen importlib._bootstrap_external>"
_IMPORT = "<frozen importlib._bootstrap>"
_IMPORTLIB = importlib.import_module.__code__.co_filename  # of import_module, which imports by a name in text


class Refused(BaseException):
    """What the wall refuses. Not an Exception, since programs and engines catch those."""


class Policy(NamedTuple):
    """What an engine's programs may do."""

    roots: tuple[str, ...]  # files below may be read
    own: tuple[str, ...]  # of these, the packages of torch and the engine
    trusted: tuple[str, ...]  # of these, the packages of a third engine, which may import by a name in text
    packages: frozenset[str]  # may be imported
    may: frozenset[str]


_policies: dict[tuple[int, str, frozenset[str]], tuple[Any, Policy]] = {}  # with the object that has the id


@contextmanager
def walled(engine: Any, refusals: list[str]) -> Iterator[None]:
    """Inside, programs are refused what Note [The wall knows no names] says; ``refusals`` receives what was tried."""
    _install()
    key = id(engine.torch), str(getattr(engine, "asked", "")), frozenset(getattr(engine, "may", ()))
    if key not in _policies:
        _policies[key] = engine.torch, policy_of(engine)
    others = frozenset(
        thread.ident
        for thread in threading.enumerate()
        if thread.ident != threading.get_ident() and not isinstance(thread, threading._DummyThread)
    )
    bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # an import would write files
    environment: Any = os.environ
    variables = environment._data  # which `posix` shares
    hidden = {
        each: variables[each] for each in variables if not is_harmless_variable(environment.decodekey(each))
    }
    for each in hidden:
        del variables[each]
    sys.audit(_UP, _policies[key][1], others, refusals)
    try:
        yield
    finally:
        sys.audit(_DOWN)
        variables |= hidden
        sys.dont_write_bytecode = bytecode


_VARIABLES = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|TZ|TERM|COLUMNS|LINES|TMPDIR|TMP|TEMP|SYSTEMROOT|CC|CXX|CPU|DEV|DEBUG|VIRTUAL_ENV"
    r"|(LC|LD|DYLD|OMP|KMP|GOMP|MKL|OPENBLAS|BLIS|CUDA|NVIDIA|HIP|ROCM|XLA|JAX|TORCH|TORCHINDUCTOR|PYTORCH|ATEN|CONFORMANCE)_\w+"
    r"|PYTHON\w+",
    re.IGNORECASE,
)
_SECRET = re.compile(r"TOKEN|SECRET|KEY|PASS|AUTH|CREDENTIAL", re.IGNORECASE)


@cache
def is_harmless_variable(name: str) -> bool:
    """Whether programs may see a variable of the environment: of the system, Python and libraries of arrays."""
    return bool(_VARIABLES.fullmatch(name)) and not _SECRET.search(name)


@contextmanager
def unwalled() -> Iterator[None]:
    """Inside, programs do what they like, also in a process in which others had the wall."""
    sys.audit(_UP, None, frozenset(), [])
    try:
        yield
    finally:
        sys.audit(_DOWN)


def policy_of(engine: Any) -> Policy:
    """The policy of an engine; it allows the packages of the engine's adapter and of its torch."""
    modules = [
        type(engine).__module__,
        getattr(engine.torch, "__name__", ""),
        getattr(engine.torch, "__module__", ""),
        str(getattr(engine, "asked", "")).partition(":")[0],
    ]
    tops = {str(name).partition(".")[0] for name in modules if name}
    if tops.isdisjoint(PACKAGES):  # else the namespace is torch itself
        tops |= {
            str(getattr(each, "__module__", "")).partition(".")[0]
            for each in vars(engine.torch).values()
            if callable(each)
        }
    third = (
        tops
        - {"", "None", "builtins", "types", "__main__", "conformance", *PACKAGES}
        - sys.stdlib_module_names
    )
    names = third | {"conformance", *PACKAGES}
    own, trusted = ({path for name in each for path in _folders(name)} for each in (names, third))
    paths = sysconfig.get_paths()
    library = {os.path.realpath(paths[key]) for key in ("stdlib", "platstdlib")}
    return Policy(
        tuple(sorted(own | library | {_bytecode_of(each) for each in own | library})),
        tuple(sorted(own)),
        tuple(sorted(trusted)),
        frozenset(names) | sys.stdlib_module_names,
        frozenset(getattr(engine, "may", ())) & MAY,
    )


def _bytecode_of(folder: str) -> str:
    """Where the bytecode of a folder is: below the folder, unless PYTHONPYCACHEPREFIX names another place."""
    prefix = sys.pycache_prefix
    return folder if prefix is None else os.path.join(os.path.realpath(prefix), folder.lstrip(os.sep))


@cache
def _folders(package: str) -> tuple[str, ...]:
    """The folders of a package, or the file of a module; none if it does not exist."""
    module = sys.modules.get(package)
    spec = getattr(module, "__spec__", None)
    if module is None or (
        isinstance(module, ModuleType) and spec is None and not hasattr(module, "__path__")
    ):
        try:
            spec = find_spec(package)
        except (ImportError, ValueError):
            spec = None
    folders = getattr(module, "__path__", None) or getattr(spec, "submodule_search_locations", None)
    found = list(
        folders or filter(None, [getattr(module, "__file__", None) or getattr(spec, "origin", None)])
    )
    return tuple(os.path.realpath(each) for each in found)


@cache
def _install() -> None:
    """Add the hook to this process, once."""
    os.putenv("TORCH_SYMBOLIZE_MODE", "dladdr")  # else C++ starts addr2line, which no hook sees
    sys.addaudithook(_hook())


def _hook() -> Callable[[str, tuple[Any, ...]], None]:
    """The hook with its state: see Note [No switch within reach]."""
    up = False
    policy: Policy | None = None
    others: frozenset[int | None] = frozenset()  # threads that are not the program's
    refusals: list[str] = []
    harmless, getframe, thread = _HARMLESS, sys._getframe, threading.get_ident
    # What a program replaces in this module does not count.
    private: dict[str, Any] = {**globals(), "_places": {}}
    for name, value in private.items():
        if isinstance(value, FunctionType) and value.__module__ == __name__ and not value.__closure__:
            private[name] = FunctionType(value.__code__, private, name, value.__defaults__)
    judge, is_program, refused = private["_refusal"], private["_below_a_program"], Refused
    frequent = "ctypes.cdata"  # for each tensor whose storage the in-house engine shows
    allowed = None  # the last function of the engine that was judged to cause it

    def hook(event: str, args: tuple[Any, ...]) -> None:
        nonlocal up, policy, others, refusals, allowed
        if event in harmless:
            return
        caller = getframe().f_back  # None at the end of the interpreter
        if event == frequent and caller is not None and caller.f_code is allowed:
            return
        if event in (_UP, _DOWN):
            if not is_program(caller):
                up = event == _UP
                if up:
                    if policy is not args[0]:
                        allowed = None
                    policy, others, refusals = args
            return
        if policy is None or not ((up and thread() not in others) or is_program(caller)):
            return
        reason = judge(event, args, policy, caller)
        if reason:
            refusals.append(reason)
            raise refused(reason)
        if event == frequent and caller is not None:
            allowed = caller.f_code

    return hook


def _below_a_program(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM:
            return True
        frame = frame.f_back
    return False


def is_of_a_program(frame: FrameType | None) -> bool:
    """Whether a program is on the stack, and no import between it and the frame: those are torch's own affair."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file in (PROGRAM, _IMPORT):
            return file == PROGRAM
        frame = frame.f_back
    return False


def _refusal(event: str, args: tuple[Any, ...], policy: Policy, frame: FrameType) -> str:
    """Why an event is refused; empty if it is allowed."""
    if event == "import":
        name = str(args[0])
        anything = policy.may >= MAY  # a compiler writes modules, which it imports
        if name.partition(".")[0] in policy.packages or anything or _is_imported(frame, policy, True):
            return ""
        return f"a program may not import the module {name}"
    if event in ("compile", "code.__new__"):
        # The modules of the standard library may: `types.coroutine` copies code while asyncio is imported.
        return "" if _is_imported(frame, policy, False) else _forgery(args[1], frame)
    if event in ("os.listdir", "os.scandir") and frame.f_code.co_filename == _SEARCH:
        return ""
    if event == "open":
        path, flags = args[0], args[2]
        writes = isinstance(flags, int) and bool(flags & _WRITING)
        what = "write" if writes else "read"
        if "files" in policy.may or _is_imported(frame, policy, False):
            return ""
        if not writes and (_is_below(path, policy.roots) or _is_running(path, frame)):
            return ""
        return (
            f"a program may not {what} files: {os.fsdecode(path) if isinstance(path, str | bytes) else path}"
        )
    if event.startswith(_OF_THE_ENGINE) and _is_of_the_engine(frame, policy):
        return ""
    if _allowed(event) & policy.may or _is_imported(frame, policy, False):
        return ""
    return f"a program may not {_described(event)}"


_LOADS = SourceFileLoader.get_code.__code__


def _forgery(file: Any, frame: FrameType | None) -> str:
    """Why code may not be made that says it is from ``file``: the wall trusts code by its file."""
    name = os.fsdecode(file) if isinstance(file, str | bytes) else ""
    if name.startswith("<") and not name.startswith("<frozen"):
        return ""
    while frame is not None and frame.f_code.co_filename != PROGRAM:
        if frame.f_code is _LOADS:  # an import
            return ""
        frame = frame.f_back
    return "" if frame is None else f"a program may not make code that says it is from {name}"


def _allowed(event: str) -> set[str]:
    """What of `MAY` allows an event."""
    if event.startswith(_PROCESSES):
        return {"processes"}
    if event.startswith("ctypes."):
        return {"ctypes"}
    return {"files"} if event.startswith(_FILES) else set()


def _described(event: str) -> str:
    for prefixes, text in (
        (_PROCESSES, "start or end processes"),
        (_SOCKETS, "use the network"),
        (("ctypes.",), "use ctypes"),
        (("os.putenv", "os.unsetenv"), "change the environment"),
        (_FILES, "reach files"),
    ):
        if event.startswith(prefixes):
            return f"{text}: {event}"
    return f"do this: {event}"


def _is_below(path: Any, roots: tuple[str, ...]) -> bool:
    if not isinstance(path, str | bytes):  # an open file descriptor
        return False
    real = os.path.realpath(os.fsdecode(path))
    found = next((root for root in roots if real == root or real.startswith(root + os.sep)), None)
    if found is None:
        return False
    rest = real[len(found) :]  # other packages are often below the standard library
    return not rest.startswith(
        (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
    ) or _is_below(path, tuple(root for root in roots if root != found))


def _is_running(path: Any, frame: FrameType | None) -> bool:
    """Whether a file is the source of a function on the stack."""
    while frame is not None:
        if frame.f_code.co_filename == path:
            return True
        frame = frame.f_back
    return False


def _is_of_the_engine(frame: FrameType | None, policy: Policy) -> bool:
    """Whether the code that called is torch's, NumPy's or the engine's; ctypes is called through its own module."""
    folder = f"{os.sep}ctypes{os.sep}"
    while frame is not None and folder in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None:
        return False
    place = frame.f_code.co_filename, policy.own
    found = _places.get(place)
    if found is None:
        found = _places[place] = _is_below(*place)
    return found


_places: dict[tuple[str, tuple[str, ...]], bool] = {}
"""Whether a file of code is below some folders: the engine calls ctypes often, and reading links takes 0.1 ms."""


def _is_imported(frame: FrameType | None, policy: Policy, importing: bool) -> bool:
    """Whether an import by allowed code is being executed, inside the program's own frames.

    It must be an ``import`` statement, whose text is fixed, if the code is torch's or ours. ``importing``: the frame
    itself imports.
    """
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if file == PROGRAM:
            return False
        if file in (_IMPORT, _SEARCH):
            importing = True
        elif importing:
            if code.co_code[frame.f_lasti] == _IMPORT_NAME and _is_below(file, policy.roots):
                return True
            if _is_below(file, policy.trusted):
                return True
            importing = file == _IMPORTLIB
        frame = frame.f_back
    return False


_IMPORT_NAME = dis.opmap["IMPORT_NAME"]
