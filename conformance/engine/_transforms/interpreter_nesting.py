"""The stack of running torch.func transforms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .._autograd.forward_grad import levels
from .._c10.interpreter_stack import transforms
from .._c10.modes import _set, state


class Running(NamedTuple):
    """A transform that is running."""

    depth: int  # the position in the stack, counted from 1
    age: int  # how many transforms had begun in total, with this one
    derivative: bool  # False for a vmap and for functionalize
    functional: bool = False  # functionalize


running: list[Running] = []  # the outermost first


@contextmanager
def nested(derivative: bool = True, backward: bool = True, functional: bool = False) -> Iterator[int]:
    """Push a transform on the stack, and yield its depth. A derivative leaves inference mode while it runs.

    A grad mode that the transformed function sets stays set afterwards, as in torch, unless the caller restores it.
    """
    before = transforms.since, transforms.backward, transforms.outermost, transforms.apart
    inference = state.inference
    transforms.depth += 1
    transforms.age += 1
    if derivative:
        transforms.since = transforms.age  # see Note [Captured tensors]
        transforms.outermost = transforms.outermost or transforms.age
        if backward:
            transforms.backward = transforms.age
            transforms.apart = transforms.age if levels else transforms.apart
        _set(state.grad_enabled, False)
    transforms.begin()
    running.append(Running(transforms.depth, transforms.age, derivative, functional))
    try:
        yield transforms.depth
    finally:
        running.pop()
        transforms.depth -= 1
        transforms.since, transforms.backward, transforms.outermost, transforms.apart = before
        if derivative:
            _set(state.grad_enabled, inference)
        transforms.end()
