"""torch.utils._pytree: nested containers flattened to lists of leaves."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from .._c10.pytree import REGISTERED, TreeSpec, flatten, flatten_up_to, unflatten

__all__ = [
    "TreeSpec", "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_iter", "tree_leaves", "tree_map",
    "tree_map_", "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

PyTree = Any
Test = Callable[[Any], bool]

_BUILT_IN = (tuple, list, dict, OrderedDict, defaultdict, deque)


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
    REGISTERED[cls] = flatten_fn, unflatten_fn


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
