"""torch.utils._pytree: nested values as lists of leaves."""

from __future__ import annotations

import dataclasses
import warnings
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._c10.pytree import REGISTERED, TreeSpec, children, flatten, flatten_up_to, outline, unflatten

__all__ = [
    "GetAttrKey", "MappingKey", "SequenceKey", "TreeSpec", "arg_tree_leaves", "key_get", "keystr", "register_constant",
    "register_dataclass", "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only",
    "tree_flatten", "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path",
    "tree_map", "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path", "tree_structure",
    "tree_unflatten", "treespec_pprint",
]  # fmt: skip

PyTree = Any
Context = Any
Test = Callable[[Any], bool]

# Nodes --------------------------------------------------------------------------------------------

_BUILT_IN = (tuple, list, dict, OrderedDict, defaultdict, deque)
# What gives the parts of a registered class beside their keys.
_WITH_KEYS: dict[type, Callable[[Any], tuple[list[tuple[Any, Any]], Any]]] = {}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Values of a class are nodes from here on: ``flatten_fn`` gives what they hold and how to make them again.

    Raises:
        ValueError: they are already.
    """
    if cls in REGISTERED or cls in _BUILT_IN:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn=flatten_with_keys_fn)


def _private_register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """register_pytree_node, which may replace what was registered."""
    if cls in REGISTERED or cls in _BUILT_IN:
        warnings.warn(
            f"{cls} is already registered as pytree node. Overwriting the previous registration.",
            stacklevel=2,
        )
    REGISTERED[cls] = flatten_fn, unflatten_fn
    _WITH_KEYS.pop(cls, None)
    if flatten_with_keys_fn is not None:
        _WITH_KEYS[cls] = flatten_with_keys_fn


def _register_pytree_node(*args: Any, **kwargs: Any) -> None:
    """Deprecated: the same."""
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    _private_register_pytree_node(*args, **kwargs)


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Instances of a dataclass are nodes from here on, which hold those fields that are not None.

    Raises:
        ValueError: it is no dataclass, and no fields are named, or others than it has.
    """
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a "
                "dataclass."
            )
    else:
        own = {each.name for each in dataclasses.fields(cls) if each.init}
        if field_names is None:
            field_names = [each.name for each in dataclasses.fields(cls) if each.init]
        else:
            _check_fields(own - set(drop_field_names or ()), set(field_names))
    names = field_names

    def flatten_fn(value: Any) -> tuple[list[Any], Any]:
        present = [name for name in names if getattr(value, name) is not None]
        return [getattr(value, name) for name in present], [
            present,
            [name for name in names if name not in present],
        ]

    def unflatten_fn(parts: Any, context: Any) -> Any:
        return cls(**dict(zip(context[0], parts, strict=True)), **dict.fromkeys(context[1]))

    def with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        parts, (present, _) = flatten_fn(value)
        return [(GetAttrKey(name), part) for name, part in zip(present, parts, strict=True)], present

    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn=with_keys)


def _check_fields(own: set[str], named: set[str]) -> None:
    if own == named:
        return
    text = "field_names does not include all dataclass fields.\n"
    if own - named:
        text += (
            f"Missing fields in `field_names`: {own - named}. If you want to include these fields in the pytree, please "
            "add them to `field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if named - own:
        text += (
            f"Unexpected fields in `field_names`: {named - own}. Please remove these fields, or add them to "
            "`drop_field_names`.\n"
        )
    raise ValueError(text)


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    """What is kept of a constant, which holds nothing."""

    value: Any


def register_constant(cls: type) -> None:
    """Instances of a class are nodes from here on that hold nothing.

    Raises:
        TypeError: they are not compared, or not hashed, by what they are.
    """
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) is (object.__eq__ if name == "__eq__" else None):
            raise TypeError(
                f"register_constant(cls) expects `cls` to have a non-default `{name}` implementation."
            )
    _private_register_pytree_node(
        cls,
        lambda value: ([], ConstantNode(value)),
        lambda parts, context: context.value,
        flatten_with_keys_fn=lambda value: ([], ConstantNode(value)),
    )


# Paths --------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A place in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """What is there."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """What is there."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """What is there."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path as a text."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """What is at the end of a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _with_keys(node: TreeSpec, parts: list[Any], tree: PyTree) -> list[tuple[Any, Any]]:
    """The keys of a node's parts, and these.

    Raises:
        ValueError: its class was registered without.
    """
    keys: Iterable[Any]
    if node.type in REGISTERED:
        if node.type not in _WITH_KEYS:
            raise ValueError(
                f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a flatten_with_keys_fn argument "
                "to register_pytree_node."
            )
        return list(_WITH_KEYS[node.type](tree)[0])
    if issubclass(node.type, dict):
        keys = map(MappingKey, tree)
    elif hasattr(node.type, "_fields"):
        keys = map(GetAttrKey, node.type._fields)
    else:
        keys = map(SequenceKey, range(len(parts)))
    return list(zip(keys, parts, strict=True))


def _paths(
    path: tuple[Any, ...], tree: PyTree, is_leaf: Test | None
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    node = None if is_leaf is not None and is_leaf(tree) else children(tree)
    if node is None:
        yield path, tree
        return
    for key, part in _with_keys(*node, tree):
        yield from _paths((*path, key), part, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: Test | None = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves from left to right, each behind its path."""
    return list(_paths((), tree, is_leaf))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Test | None = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """The leaves from left to right, each behind its path, and how they are nested."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None
) -> PyTree:
    """tree_map, whose function is given the leaf's path first."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [flatten_up_to(each, spec) for each in rests]
    return unflatten([func(*leaf, *each) for leaf, *each in zip(leaves, *others, strict=True)], spec)


# Leaves -------------------------------------------------------------------------------------------


def tree_flatten(tree: PyTree, is_leaf: Test | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and how they are nested."""
    return flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of these leaves.

    Raises:
        TypeError: ``treespec`` is none.
        ValueError: there are more or fewer leaves than it has.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
        )
    listed = list(leaves)
    if len(listed) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(listed)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return unflatten(listed, treespec)


def tree_leaves(tree: PyTree, is_leaf: Test | None = None) -> list[Any]:
    """The leaves from left to right."""
    return flatten(tree, is_leaf)[0]


tree_iter = tree_leaves


def tree_structure(tree: PyTree, is_leaf: Test | None = None) -> TreeSpec:
    """How the leaves are nested."""
    return flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None) -> PyTree:
    """The tree with a function applied to each leaf, and to what is at its place in the other trees."""
    leaves, spec = flatten(tree, is_leaf)
    others = [flatten_up_to(each, spec) for each in rests]
    return unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None) -> PyTree:
    """Apply a function to each leaf, and return the tree as it was."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: Test | None = None) -> PyTree:
    """The tree with a function applied to the leaves of a type."""
    return tree_map(lambda each: func(each) if isinstance(each, kind) else each, tree, is_leaf=is_leaf)


def tree_all(pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether all leaves pass."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether a leaf passes."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(kind: Any, pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether all leaves of a type pass."""
    return all(pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, kind))


def tree_any_only(kind: Any, pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether a leaf of a type passes."""
    return any(pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, kind))


def tree_map_only_(
    kind: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: Test | None = None
) -> PyTree:
    """Apply a function to the leaves of a type, and return the tree as it was."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def tree_is_leaf(tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether a value is looked into no further."""
    return (is_leaf is not None and is_leaf(tree)) or children(tree) is None


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of a call's arguments."""
    return [leaf for each in (*args, *kwargs.values()) for leaf in tree_leaves(each)]


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree with a star for each leaf."""
    return outline(treespec)
