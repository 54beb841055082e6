"""What torch's interface is: the names that its modules and Tensor have, and the signatures of its functions.

Note [The data about torch]: ``torch_api.txt`` is written from the installed torch by `python -m tests.engine.torch_api`, and
nothing in it by hand. Under ``[names]`` stands a line for each module, and for Tensor, with its public names. Under
``[signatures]`` stands a line for each function that the engine has too, and for each method as ``Tensor.name``: its
signatures, between tabs. Where there are several, they are as torch's errors tell them; one alone is from its schema:
there ``?`` marks what may be None, and ``[]`` a tuple for which no single number stands; ``none`` is said of methods
without arguments, which torch's parser never sees.
"""

from __future__ import annotations

import os.path
from functools import cache

FILE = os.path.join(os.path.dirname(__file__), "torch_api.txt")
NO_ARGUMENTS = "none"  # in place of a signature: Python itself refuses arguments


@cache
def _sections() -> dict[str, dict[str, str]]:
    """Line by line what stands under each heading."""
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
