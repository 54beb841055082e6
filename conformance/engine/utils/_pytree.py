"""torch.utils._pytree: nested containers flattened to lists of leaves."""

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
# The flatten functions with keys of registered classes.
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
    """Register a class as a node type: ``flatten_fn`` returns children and context, ``unflatten_fn`` rebuilds the value.

    Raises:
        ValueError: the class is registered already.
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
    """register_pytree_node without the check for an earlier registration."""
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
    """Deprecated; see ``register_pytree_node``."""
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
    """Register a dataclass as a node type, whose children are the fields that are not None.

    Raises:
        ValueError: the class is not a dataclass and ``field_names`` is missing, or names unknown fields.
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
    """The context of a constant, a node without children."""

    value: Any


def register_constant(cls: type) -> None:
    """Register a class whose instances are constants, nodes without children.

    Raises:
        TypeError: the class does not define ``__eq__`` and ``__hash__``.
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
    """An index of a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The child at this key."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The child at this key."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The child at this key."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A key path as a string."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """The value at the end of a key path."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _with_keys(node: TreeSpec, parts: list[Any], tree: PyTree) -> list[tuple[Any, Any]]:
    """The keys and children of a node.

    Raises:
        ValueError: the class was registered without ``flatten_with_keys_fn``.
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
    """The leaves from left to right, as pairs of key path and leaf."""
    return list(_paths((), tree, is_leaf))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Test | None = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """The pairs of key path and leaf, and the tree's structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None
) -> PyTree:
    """tree_map with a function of key path and leaf."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [flatten_up_to(each, spec) for each in rests]
    return unflatten([func(*leaf, *each) for leaf, *each in zip(leaves, *others, strict=True)], spec)


# Leaves -------------------------------------------------------------------------------------------


def tree_flatten(tree: PyTree, is_leaf: Test | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and the tree's structure."""
    return flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Rebuild the tree from leaves and structure.

    Raises:
        TypeError: ``treespec`` is not a TreeSpec.
        ValueError: the number of leaves is wrong.
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
    """The tree's structure."""
    return flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None) -> PyTree:
    """Apply a function to the corresponding leaves of trees, and return a tree of the results."""
    leaves, spec = flatten(tree, is_leaf)
    others = [flatten_up_to(each, spec) for each in rests]
    return unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Test | None = None) -> PyTree:
    """Apply a function to each leaf, and return the original tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: Test | None = None) -> PyTree:
    """Apply a function to the leaves of a type, and return a tree of the results."""
    return tree_map(lambda each: func(each) if isinstance(each, kind) else each, tree, is_leaf=is_leaf)


def tree_all(pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether the predicate holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether the predicate holds for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(kind: Any, pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether the predicate holds for all leaves of a type."""
    return all(pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, kind))


def tree_any_only(kind: Any, pred: Test, tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether the predicate holds for any leaf of a type."""
    return any(pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, kind))


def tree_map_only_(
    kind: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: Test | None = None
) -> PyTree:
    """Apply a function to the leaves of a type, and return the original tree."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def tree_is_leaf(tree: PyTree, is_leaf: Test | None = None) -> bool:
    """Whether a value is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or children(tree) is None


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of a call's arguments."""
    return [leaf for each in (*args, *kwargs.values()) for leaf in tree_leaves(each)]


def treespec_pprint(treespec: TreeSpec) -> str:
    """A string with the tree's structure and a star for each leaf."""
    return outline(treespec)
