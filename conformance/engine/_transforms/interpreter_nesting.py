"""The transforms of torch.func that run, one inside another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .._autograd.forward_grad import levels
from .._c10.interpreter_stack import transforms
from .._c10.modes import _set, state


class Running(NamedTuple):
    """A transform that runs."""

    depth: int  # among those that run, counted from 1
    age: int  # how many had begun then
    derivative: bool  # or a vmap


running: list[Running] = []  # the outermost first


@contextmanager
def nested(derivative: bool = True, backward: bool = True) -> Iterator[int]:
    """Inside, one more transform runs: how deep it stands. A derivative leaves inference mode.

    The grad mode that the transformed function sets lasts, as in torch, where nothing around this restores it.
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
    running.append(Running(transforms.depth, transforms.age, derivative))
    try:
        yield transforms.depth
    finally:
        running.pop()
        transforms.depth -= 1
        transforms.since, transforms.backward, transforms.outermost, transforms.apart = before
        if derivative:
            _set(state.grad_enabled, inference)
        transforms.end()
