"""Whether a program may hand a function of the engine to something that writes to it, by its text alone.

Note [Functions that are only called]: after a scenario the namespaces of all functions of the engine are compared with
what they were, see Note [Namespaces of functions], which takes as long as a tenth of a small program. A program that
does no more with functions than call them cannot have changed one. Whatever is not plainly of that kind counts as a
program that may: one with attributes that are neither called nor known to be data, with methods of classes that are
called with a ``self``, with imports, with paths other than the common ones, or with words that look attributes up.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ATTRIBUTE = re.compile(r"(?<![\w.])([\w.]*)\.(\w+)(?![\w.])(?=([ \t]*\()?)")
"""A path and its last name; and the bracket of a call, which on another line may belong to another statement."""
_BASES = re.compile(r"(?m)^class \w+\((?:nn\.Module|(?:torch\.)?autograd\.Function)\):")
_LOOKING_UP = re.compile(r"\b(?:import|getattr|setattr|vars|dir|type|super|partial|__\w+)\b")
_IN_PARTS = re.compile(r"[^\0-\x7f]|\\\n|\.[ \t]*[\n#]|\.[ \t]+\w|\s\.[ \t\nA-Za-z_]")
"""A path that is not written in one piece, or in other letters."""
_MODULES = re.compile(
    r"(?:torch|F|nn|optim|autograd|(?:torch\.)?nn\.functional|torch\.(?:nn|autograd|optim|linalg|fft|special|func))\.?"
)
_NUMBER = re.compile(r"\d+")
_DATA = frozenset(
    """
    grad grad_fn shape dtype device requires_grad retains_grad is_leaf data T mT ndim real imag
    output_nr _version saved_tensors needs_input_grad
    """.split()  # noqa: SIM905  one line for many words
)
_DTYPES = frozenset(
    """
    float float16 float32 float64 double half bfloat16 int int8 int16 int32 int64 uint8 long short
    bool complex64 complex128 cfloat cdouble inf nan pi e strided
    """.split()  # noqa: SIM905  one line for many words
)


@lru_cache(maxsize=4096)
def may_pass_on(text: str) -> bool:
    """Whether a program or an expression may write to a function of the engine."""
    if _LOOKING_UP.search(text) or _IN_PARTS.search(text):
        return True
    attributes = _ATTRIBUTE.finditer(_BASES.sub("", text))
    return not all(_is_only_called(*found.groups()) for found in attributes)


def _is_only_called(path: str, name: str, called: str | None) -> bool:
    """Whether ``path.name`` is called, as a function of a module or a method of a value, or is data."""
    root, *between = path.split(".")
    if root in ("torch", "F", "nn", "optim", "autograd"):
        return bool(_MODULES.fullmatch(path)) and (
            called is not None or (name in _DTYPES and path == "torch")
        )
    if called is None:
        return name in _DATA or bool(_NUMBER.fullmatch(root + name))
    of_a_class = [each for each in (root, *between) if each[:1].isupper()]
    return not of_a_class or (name == "apply" and not between)
