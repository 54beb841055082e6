"""What the facets of a name tell of its value, and which of two values can be compared.

Note [What cannot be read]: an engine need not have everything that torch has. Something that an engine has no way to
show is not compared:
  - the grad of a tensor that is not a leaf, if the engine cannot say whether it retains its grad;
  - a grad of zeros where torch has none, if the engine says that its grads are zeros until a pass fills them;
  - what a module or an optimizer holds, if the engine has no class by which it can be recognized, or if this has no
    method or attribute that lists it (torch's named_parameters(), param_groups).
`conformance engine` says which of these an engine cannot show.
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from conformance.runner.trace import Facet, Facets, State
from conformance.runner.values import bounds, parsed, texts_close

BOUND, UNREAD = "bound", "bound, unread"
"""The value of what is not observed. The second one, of an engine that has no class of modules or of optimizers: it
may be one. And of a module or an optimizer that cannot be read."""

UNFILLED = "unfilled"
"""Not a facet that is compared: the engine cannot say whether this grad, which is zero, is None."""

CANNOT_SAY = ("raises AttributeError", "raises TypeError", "raises NotImplementedError")

Kind: TypeAlias = Literal["tensor", "array", "node", "bound", "module", "dtype", "plain"]

_OF_MODULES = ("module", "optimizer")
_DTYPE = re.compile(r"\b(bfloat16|float(?:16|32|64)|complex(?:32|64|128)|u?int(?:8|16|32|64)|bool)\b")


def kind_of(facets: Facets) -> Kind:
    """What kind of value has these facets."""
    if "shape" in facets:
        return "tensor" if "requires_grad" in facets else "array"
    if "value" not in facets:
        return "node"
    value = facets["value"]
    if value in (BOUND, UNREAD):
        return "bound"
    if value in _OF_MODULES:
        return "module"
    return "dtype" if isinstance(value, str) and value.startswith("torch.") and dtype_in(value) else "plain"


def is_number(facets: Facets) -> bool:
    """Whether it is a number of NumPy's."""
    return facets.get("shape") == "[]" and "requires_grad" not in facets


def dtype_in(text: str) -> str:
    """The dtype that a text names, whatever the engine's module is called; empty if it names none."""
    found = _DTYPE.search(text)
    return found[1] if found else ""


def same_dtype(one: Facets, other: Facets) -> bool:
    """Whether two values name one dtype."""
    names = [dtype_in(str(each.get("value"))) for each in (one, other)]
    return bool(names[0]) and names[0] == names[1]


def is_unread(reference: Facets, engine: Facets) -> bool:
    """Whether torch has a module or an optimizer and the engine no class of those: see Note [What cannot be read]."""
    return reference.get("value") in _OF_MODULES and engine.get("value") == UNREAD


def is_unfilled(name: str, reference: State, engine: State) -> bool:
    """Whether torch has no grad, and the engine one of zeros, under any name: see Note [What cannot be read]."""
    return UNFILLED in resolved(engine, name) and resolved(reference, name).get("value") == "None"


def is_unread_grad(name: str, reference: State, engine: State) -> bool:
    """Whether a grad that one side alone has says nothing about the engine: see Note [What cannot be read]."""
    if not name.endswith(".grad"):
        return False
    if name not in reference:
        return UNFILLED in engine[name]
    parent = name.removesuffix(".grad")
    if parent not in engine:
        return False
    facets = resolved(engine, parent)
    return facets.get("is_leaf") is False and str(facets.get("retains_grad")).startswith(CANNOT_SAY)


def resolved(state: State, name: str) -> Facets:
    """The facets of a name, also if it is a second name of an object."""
    facets = state[name]
    first = facets.get("is")
    if not isinstance(first, str):
        return facets
    found = dict(state[first])
    if "storage" in found:
        found["storage"] = found["storage"] or first
    if "edges" in found and not str(found["edges"]).startswith("as "):
        found["edges"] = f"as {first}"
    return found


def below(name: str) -> tuple[str, str]:
    """How the paths into a name begin."""
    return f"{name}.", f"{name}["


def is_like_plain(text: Facet, state: State, name: str) -> bool:
    """Whether a list that is observed entry by entry, such as one of NumPy's numbers, is this list of numbers."""
    if "shape" in resolved(state, name):  # no list, and its numbers may be many
        return False
    data = parsed(text) if isinstance(text, str) else text
    return isinstance(data, list | dict) and _is_like(data, state, name)


def _is_like(data: Any, state: State, name: str) -> bool:
    facets = resolved(state, name) if name in state else {}
    value = facets.get("value")
    if isinstance(data, list) and str(value) == f"sequence of {len(data)}":
        return all(_is_like(item, state, f"{name}[{i}]") for i, item in enumerate(data))
    if isinstance(data, dict) and str(value) == f"mapping of {len(data)}":
        return all(_is_like(item, state, f"{name}[{key!r}]") for key, item in data.items())
    if data is None and UNFILLED in facets:
        return True
    alone = "shape" not in facets or is_number(facets)
    return alone and isinstance(value, str) and texts_close(value, repr(data), bounds(None, None))
