"""torch's public names and the signatures of its functions, read from torch_api.txt.

Note [torch_api.txt]: the file is generated from the installed torch by `python -m tests.engine.torch_api`; nothing in it is
written by hand. ``[names]`` has a line for each module, and for Tensor, with its public names. ``[signatures]`` has a line for
each function that the engine implements, and for each method as ``Tensor.name``: its signatures, separated by tabs. Several
signatures have the form of torch's error messages. A single one is from the operator's schema: there ``?`` marks a type
that may be None, and ``[]`` a tuple for which a single number is not accepted. ``none`` marks methods without arguments,
which torch does not parse.
"""

from __future__ import annotations

import os.path
from functools import cache

FILE = os.path.join(os.path.dirname(__file__), "torch_api.txt")
NO_ARGUMENTS = "none"  # instead of a signature: Python itself rejects arguments


@cache
def _sections() -> dict[str, dict[str, str]]:
    """The lines of each section, by their first column."""
    found: dict[str, dict[str, str]] = {}
    # by its path: importlib.resources would double the time that importing the engine takes
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            if line.startswith("["):
                section = found[line[1:-2]] = {}
            elif not line.startswith("#"):
                name, _, rest = line[:-1].partition("\t")
                section[name] = rest
    return found


@cache
def public_names(owner: str) -> frozenset[str]:
    """torch's public names of a module or class.

    Raises:
        KeyError: they are not listed.
    """
    return frozenset(_sections()["names"][owner].split())


def signature_texts(name: str) -> list[str]:
    """The signatures of a function, or of a method as ``Tensor.name``; none if it is not listed."""
    texts = _sections()["signatures"].get(name)
    return texts.split("\t") if texts else []


def is_overloaded(name: str) -> bool:
    """Whether a function has several signatures; a method is called ``Tensor.name``."""
    return "\t" in _sections()["signatures"].get(name, "")
