"""torch.utils._pytree: nested values as lists of leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..pytree import REGISTERED, TreeSpec, flatten, flatten_up_to, unflatten

__all__ = [
    "TreeSpec", "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only", "tree_flatten",
    "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

PyTree = Any
Test = Callable[[Any], bool]


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], tuple[list[Any], Any]], unflatten_fn: Callable[[Any, Any], Any]
) -> None:
    """Values of a class are nodes from here on: ``flatten_fn`` gives what they hold and how to make them again.

    Raises:
        ValueError: they are already.
    """
    if cls in REGISTERED or cls in (tuple, list, dict):
        raise ValueError(f"{cls} is already registered as pytree node.")
    REGISTERED[cls] = flatten_fn, unflatten_fn


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
