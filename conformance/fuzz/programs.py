"""Generate programs of the scenario language with Hypothesis.

A program is a list of statements, each a step of its own, so that one that raises does not end it. The generator
follows the shape and dtype of every name, so that most statements are legal; some are not, on purpose.
Hypothesis shrinks a diverging program by leaving statements out and by choosing earlier alternatives: what is
simplest stands first in every list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias

from hypothesis import strategies as st

from conformance.fuzz.derivative_scenes import DERIVATIVE_SCENES
from conformance.fuzz.features import Pair
from conformance.fuzz.graph_scenes import GRAPH_SCENES
from conformance.fuzz.meetings import PHRASES, START, pool
from conformance.fuzz.phrases import (
    APPLIED,
    BACKWARD,
    BASES,
    CLOSING,
    DECORATED,
    FLAGS,
    GENERATED,
    GRADS,
    HOOKS,
    IN_PLACE,
    IN_PLACE_WITH,
    INFERRED,
    JOINED,
    MODES,
    READS,
    USES,
)
from conformance.fuzz.scene import AGAIN, LEAF, PASS, Scene
from conformance.fuzz.scope import LiveTensor, Program, Scope
from conformance.fuzz.seam_scenes import SEAM_SCENES
from conformance.fuzz.statements import (
    Draw,
    backward,
    binary,
    bind,
    delete,
    flag,
    function,
    grad,
    hook,
    in_place,
    mate,
    one,
    parts,
    pick,
    read,
    reduction,
    said,
    source,
    switch,
    tensor,
    unary,
    view,
)
from conformance.fuzz.use_scenes import USE_SCENES

_Kind: TypeAlias = Callable[[Draw, Scope], None]


def story(draw: Draw, scope: Scope) -> None:
    """Longer patterns that single statements rarely produce: a tensor is prepared, used and changed."""
    a = source(draw, scope)
    base = a
    if one(draw, (True, True, True, False)):
        text = said(draw, one(draw, (BASES, BASES, APPLIED)), a).format(a=a.name, b=mate(draw, scope, a).name)
        base = bind(scope, text, a)
    for _ in range(one(draw, (0, 1, 2))):
        _said_of(draw, scope, one(draw, _PREPARATIONS), base, a)
    used = bind(scope, said(draw, USES, a).format(a=base.name, b=a.name), a)
    root = used
    if one(draw, (False, True)):
        text = said(draw, USES, a).format(a=used.name, b=base.name)
        root = bind(scope, text, a)
    for _ in range(one(draw, (1, 0, 2))):
        _said_of(draw, scope, one(draw, _CHANGES), one(draw, (base, used, a, root)), a)
    for _ in range(one(draw, (1, 2))):
        _said_of(
            draw, scope, one(draw, _PASSES), one(draw, (root, root, used, base)), one(draw, (a, base, used))
        )


_Phrases: TypeAlias = tuple[str, ...]
_RETAINING: _Phrases = ("{a}.retain_grad()",)
_PREPARATIONS: tuple[_Phrases, ...] = (_RETAINING, HOOKS, _RETAINING, FLAGS)
_CHANGES: tuple[_Phrases, ...] = (IN_PLACE, IN_PLACE_WITH, FLAGS, HOOKS, READS, _RETAINING)
_PASSES: tuple[_Phrases, ...] = (BACKWARD, BACKWARD, GRADS)


def _said_of(draw: Draw, scope: Scope, phrases: _Phrases, a: LiveTensor, b: LiveTensor) -> None:
    template = said(draw, phrases, a)
    if ".data = " in template and a.complex is not b.complex:  # see in_place
        b = a
    text = template.format(a=a.name, b=b.name)
    scope.add(f"made, *_ = {text}" if phrases is GRADS else text)


def scene(draw: Draw, scope: Scope) -> None:
    """A scene on tensors of its own."""
    chosen: Scene = one(draw, _SCENES)
    names = {letter: scope.fresh() for letter in "abcd"}
    for line in chosen.lines:
        text = str(one(draw, line)).format(**names)
        if text:
            scope.add(text)


# Those where features meet twice, since faults there were missed most.
_SCENES = (*GRAPH_SCENES, *USE_SCENES, *DERIVATIVE_SCENES, *SEAM_SCENES * 2)


def meeting(among: tuple[Pair, ...], draw: Draw, scope: Scope) -> None:
    """Two features on the same tensors, maybe one of them twice."""
    pair: Pair = one(draw, among)
    again = one(draw, ((), (0,), (1,)))
    a, b = scope.fresh(), scope.fresh()
    for line in (LEAF, START):
        scope.add(str(one(draw, line)).format(a=a, b=b))
    for feature in (*pair, *(pair[place] for place in again)):
        phrase = str(one(draw, PHRASES[feature]))
        c, d = scope.fresh(), scope.fresh()
        scope.add(phrase.format(a=a, b=b, c=c, d=d))
        b = c if "{c}" in phrase else b
    for ending in (PASS, AGAIN):
        if text := str(one(draw, ending)).format(a=a, b=b):
            scope.add(text)


def crowd(draw: Draw, scope: Scope) -> None:
    """Leaves that are ready at the same time: hooks record the order in which a pass reaches them."""
    names = [bind(scope, _LEAF, _CROWDED).name for _ in range(3)]
    for name in names:
        scope.add(f"{name}.register_hook(lambda g: print('{name}'))")
    order = draw(st.permutations(names))
    joined = str(one(draw, JOINED)).format(*order, all=", ".join(order))
    root = bind(scope, joined, _CROWDED)
    scope.add(f"({root.name} * {names[1]}).sum().backward()")


_LEAF = "torch.tensor([1., 2.], requires_grad=True)"
_CROWDED = LiveTensor("", (2,), "float32", flows=True)


def mode(draw: Draw, scope: Scope) -> None:
    """Some statements inside a mode, or in a loop."""
    head = str(one(draw, _HEADS))
    inferring = head == "with torch.inference_mode()"
    inner = Scope(list(scope.names), [], [], scope.count)
    kinds = _COMPUTING if inferring else one(draw, (_INSIDE, (story,)))
    for _ in range(one(draw, (1, 2, 3)) if len(kinds) > 1 else 1):
        one(draw, kinds)(draw, inner)
    body = "\n".join(f"    {line}" for each in inner.statements for line in each.split("\n"))
    scope.add(f"{head}:\n{body}")
    made = [name for name in inner.names if name not in scope.names]
    if inferring:
        # torch counts versions of results computed from these kernel by kernel, so only INFERRED uses them.
        scope.inferred += made
    else:
        scope.names += made
    scope.count = inner.count


_HEADS = (*(f"with {each}" for each in MODES), "for turn in range(2)")


def inferred(draw: Draw, scope: Scope) -> None:
    """Legal and illegal uses of an inference tensor outside inference mode."""
    a = source(draw, scope)
    if not scope.inferred:
        made = LiveTensor(scope.fresh(), a.shape, a.dtype)
        scope.add(f"with torch.inference_mode():\n    {made.name} = {a.name} * 2")
        scope.inferred.append(made)
    for _ in range(one(draw, (1, 2))):
        used: LiveTensor = draw(st.sampled_from(scope.inferred))
        text = str(one(draw, INFERRED)).format(i=used.name, a=a.name)
        scope.add(text)


def decorated(draw: Draw, scope: Scope) -> None:
    """A function or a generator with a mode for its decorator, and a call."""
    a = pick(draw, scope)
    several = one(draw, (False, True))
    head = str(one(draw, _DECORATORS))
    scope.add(str(one(draw, GENERATED if several else DECORATED)).format(mode=head))
    if not several:
        bind(scope, f"inner({a.name})", a)
        return
    first, second = scope.fresh(), scope.fresh()
    scope.add(f"{first}, {second} = inner({a.name})")
    scope.names += [replace(a, name=first), replace(a, name=second)]


_DECORATORS = tuple(each for each in MODES if each.startswith(("torch.no", "torch.enable", "torch.set_grad")))
_COMPUTING: tuple[_Kind, ...] = (unary, view, in_place, binary, reduction)
_INSIDE: tuple[_Kind, ...] = (
    *_COMPUTING, tensor, unary, view, in_place, backward, story, grad, flag, hook, read, mode,
)  # fmt: skip
_KINDS: tuple[_Kind, ...] = (
    unary, binary, backward, reduction, view, in_place, tensor, grad, flag, unary, view, in_place, backward,
    parts, function, hook, mode, delete, binary, inferred, read, hook, story, story, story, decorated, switch, crowd,
    *(scene,) * 10,
)  # fmt: skip


@cache
def _kinds(unmet: tuple[Pair, ...]) -> tuple[_Kind, ...]:
    return (*_KINDS, *(partial(meeting, pool(unmet)),) * _MEETINGS)


_MEETINGS = 10  # as often as scenes


def closing(draw: Draw, scope: Scope) -> None:
    """A backward pass through the last tensor that requires grad, so that earlier operations are checked."""
    for each in [each for each in reversed(scope.names) if each.flows][: one(draw, (1, 0, 2, 3))]:
        scope.add(said(draw, CLOSING, each).format(a=each.name))


@st.composite
def programs(draw: Draw, unmet: tuple[Pair, ...] = (), most: int = 14) -> Program:
    """A program of up to ``most`` kinds of statement after its first tensor; features of ``unmet`` meet more often."""
    scope = Scope()
    tensor(draw, scope)
    for _ in range(draw(st.integers(1, most))):
        one(draw, _kinds(unmet))(draw, scope)
    closing(draw, scope)
    return Program(tuple(scope.statements))
