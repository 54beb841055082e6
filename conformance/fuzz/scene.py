"""Set pieces: a few statements about one part of autograd, on tensors of their own.

Statements drawn one by one seldom meet: what one prepares, another has freed or refused before a third asks for it.
A scene is a line of alternatives for each of its statements, drawn independently; "" leaves one out.
"""

from __future__ import annotations

from dataclasses import dataclass

Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Scene:
    """What it is an example of, and for each statement the alternatives, with {a} to {d} for fresh names."""

    about: str
    lines: Lines


LEAF = (
    "{a} = torch.tensor([1., -2.], requires_grad=True)",
    "{a} = torch.tensor([[1., 2.], [3., -1.]], requires_grad=True)",
    "{a} = torch.tensor(2., requires_grad=True)",
    "{a} = torch.tensor([0.5, 2., 0.], dtype=torch.float64, requires_grad=True)",
)
PASS = (
    "{b}.sum().backward()",
    "{b}.sum().backward(retain_graph=True)",
    "({b} * {b}).sum().backward()",
    "{b}.sum().backward(create_graph=True)",
    "made, = torch.autograd.grad({b}.sum(), {a})",
    "{b}.sum().backward(inputs=[{a}])",
)
AGAIN = ("", "{b}.sum().backward()", "({b} * {a}).sum().backward()")
