"""Pytrees: nested tuples, lists and dicts, flattened to lists of leaves (torch: utils/_pytree.py)."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from . import structseq
from .errors import MisfitError, need_fitting
from .size import Size


@dataclass(frozen=True)
class TreeSpec:
    """The structure of a pytree: type, context (keys, class) and children; the type of a leaf is None."""

    type: Any = None
    context: Any = None
    parts: tuple[TreeSpec, ...] = ()

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.type is None else sum(each.num_leaves for each in self.parts)

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        name = "namedtuple" if hasattr(self.type, "_fields") else self.type.__name__
        listed = ",\n  ".join(repr(each).replace("\n", "\n  ") for each in self.parts)
        return f"TreeSpec({name}, {self.context}, [{listed}])"


LEAF = TreeSpec()
# The classes that users have registered: functions that flatten and unflatten their objects.
REGISTERED: dict[type, tuple[Callable[[Any], tuple[list[Any], Any]], Callable[[Any, Any], Any]]] = {}

_DICTS = frozenset([dict, OrderedDict, defaultdict])  # interchangeable (torch: STANDARD_DICT_TYPES)


class _Asterisk:
    def __repr__(self) -> str:
        return "*"


def outline(spec: TreeSpec) -> str:
    """The tree with a star for each leaf."""
    return repr(unflatten([_Asterisk()] * spec.num_leaves, spec))


def children(value: Any) -> tuple[TreeSpec, list[Any]] | None:
    """The TreeSpec of a value without children, and the children; None for a leaf."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return TreeSpec(type(value), type(value)), list(value)
    if isinstance(value, structseq.StructSequence):
        return TreeSpec(type(value), type(value)), list(value)
    if type(value) in (tuple, list, Size):
        return TreeSpec(type(value)), list(value)
    if type(value) in (dict, OrderedDict):
        return TreeSpec(type(value), list(value)), list(value.values())
    if type(value) is defaultdict:
        return TreeSpec(type(value), [value.default_factory, list(value)]), list(value.values())
    if type(value) is deque:
        return TreeSpec(type(value), value.maxlen), list(value)
    if type(value) in REGISTERED:
        parts, context = REGISTERED[type(value)][0](value)
        return TreeSpec(type(value), context), list(parts)
    return None


def flatten(value: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """torch.utils._pytree.tree_flatten: the leaves from left to right, and the structure."""
    node = None if is_leaf is not None and is_leaf(value) else children(value)
    if node is None:
        return [value], LEAF
    leaves: list[Any] = []
    parts = []
    for each in node[1]:
        found, spec = flatten(each, is_leaf)
        leaves += found
        parts.append(spec)
    return leaves, TreeSpec(node[0].type, node[0].context, tuple(parts))


def unflatten(leaves: list[Any], spec: TreeSpec) -> Any:
    """torch.utils._pytree.tree_unflatten: a value with this structure and these leaves."""
    return _build(iter(leaves), spec)


def _build(leaves: Iterator[Any], spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    parts = [_build(leaves, each) for each in spec.parts]
    if spec.type in REGISTERED:
        return REGISTERED[spec.type][1](parts, spec.context)
    if spec.type in (dict, OrderedDict):
        return spec.type(zip(spec.context, parts, strict=True))
    if spec.type is defaultdict:
        return defaultdict(spec.context[0], zip(spec.context[1], parts, strict=True))
    if spec.type is deque:
        return deque(parts, spec.context)
    if spec.type in (tuple, list, Size) or issubclass(spec.type, structseq.StructSequence):
        return spec.type(parts)
    return spec.type(*parts)


def flatten_up_to(value: Any, spec: TreeSpec) -> list[Any]:
    """The subtrees of a value at the leaves of a structure (torch: TreeSpec.flatten_up_to).

    Raises:
        MisfitError: the value has another structure.
    """
    if spec.type is None:
        return [value]
    node = children(value)
    are_dicts = _DICTS.issuperset((type(value), spec.type))
    if node is None or len(node[1]) != len(spec.parts) or not (are_dicts or node[0].type is spec.type):
        raise MisfitError(f"the text of tree_map's error for {value!r} and {spec}")
    parts = node[1]
    if are_dicts:
        keys = spec.context[1] if spec.type is defaultdict else spec.context
        need_fitting(set(keys) == value.keys(), "torch.utils._pytree.tree_map")
        parts = [value[key] for key in keys]
    else:
        need_fitting(node[0].context == spec.context or spec.type is deque, "torch.utils._pytree.tree_map")
    return [
        each for part, inner in zip(parts, spec.parts, strict=True) for each in flatten_up_to(part, inner)
    ]


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    """torch.utils._pytree.tree_map: apply a function to each leaf."""
    leaves, spec = flatten(value)
    return unflatten([function(each) for each in leaves], spec)


def broadcast_to_and_flatten(prefix: Any, spec: TreeSpec) -> list[Any] | None:
    """The leaf of a tree prefix for each leaf of a structure; None if it is not a prefix (torch: _broadcast_to_and_flatten)."""
    if spec.type is None:
        return [prefix] if children(prefix) is None else None
    node = children(prefix)
    if node is None:
        return [prefix] * spec.num_leaves
    if node[0] != TreeSpec(spec.type, spec.context) or len(node[1]) != len(spec.parts):
        return None
    found: list[Any] = []
    for each, part in zip(node[1], spec.parts, strict=True):
        inner = broadcast_to_and_flatten(each, part)
        if inner is None:
            return None
        found += inner
    return found
