"""The fast loop of a backward pass against the one that says what it does; see reference_loop.py.

Random programs are run twice: all their passes by one loop, then by the other, with those that hooks and Functions
start. What both leave in a log has to be the same: gradients with their versions, the order in which nodes and hooks
ran, which nodes a pass had still before it, errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

import conformance.engine as torch
from conformance.engine._autograd.engine import run_backward
from conformance.engine._autograd.node import gradient_edge
from tests.engine.reference_loop import reference_backward

Pass = Callable[..., Any]
PROGRAMS = 1200


class Program:
    """One program of random operations, hooks and passes, and a log of what happens."""

    def __init__(self, seed: int, run: Pass) -> None:
        self.random, self.run = random.Random(seed), run
        self.log: list[Any] = []
        self.depth = 0
        self.accumulators: list[Any] = []
        self.leaves = [torch.tensor(self.numbers(), requires_grad=True) for _ in range(3)]
        self.tensors: list[Any] = [*self.leaves, torch.tensor(self.numbers())]

    def numbers(self) -> list[float]:
        return [self.random.choice((-1.5, -0.5, 0.25, 1.0, 2.0)) for _ in range(2)]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def execute(self) -> list[Any]:
        """Build a graph, run backward in it up to three times."""
        unpacking = torch.autograd.graph.saved_tensors_hooks(lambda x: x, self.unpacked)
        with unpacking if self.chance(0.5) else nullcontext():
            for _ in range(self.random.randint(4, 14)):
                made = self.random.choice(_OPERATIONS)(self)
                self.tensors += [each for each in made if each.shape == (2,)]
                for each in made:
                    self.hook(each)
        for _ in range(self.random.randint(1, 3)):
            with torch.autograd.detect_anomaly(check_nan=False) if self.chance(0.05) else nullcontext():
                self.random_pass()
            for number, each in enumerate(self.tensors):
                self.log.append((number, each._version, each.requires_grad and self.seen(self.grad_of(each))))
        return self.log

    # What is logged -------------------------------------------------------------------------------

    def seen(self, gradient: Any) -> Any:
        """A gradient, also as part of a graph."""
        if gradient is None:
            return None
        return repr(gradient.tolist()), gradient._version, self.recorded(gradient)

    def recorded(self, gradient: Any) -> list[str]:
        """The nodes of a gradient that is part of a graph, in the order in which they were made."""
        reached: list[Any] = [gradient.grad_fn] if gradient.grad_fn is not None else []
        for node in reached:  # which grows while the loop runs
            reached += [each for each, _ in node.next_functions if each is not None and each not in reached]
        return [each.name() for each in sorted(reached, key=lambda node: node._sequence_nr())]

    def grad_of(self, tensor: Any) -> Any:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def happens(self, what: str, *seen: Any) -> None:
        """Note something inside a pass, and what the pass has before it."""
        node = torch._C._current_autograd_node()
        try:
            ahead = [each.name() for each in torch._C._current_graph_task_execution_order()]
        except RuntimeError as error:
            ahead = [str(error)]
        self.log.append((what, node and node.name(), torch.is_grad_enabled(), ahead, *map(self.seen, seen)))

    def unpacked(self, value: Any) -> Any:
        self.log.append(("unpacked", value.tolist()))
        self.hook_the_running()
        return value

    def hook_the_running(self) -> None:
        """Perhaps register a hook on the node that runs."""
        node = torch._C._current_autograd_node()
        if node is not None and self.chance(0.1):
            node.register_hook(self.node_hooked("late post"))

    # Passes ---------------------------------------------------------------------------------------

    def random_pass(self) -> None:
        """A pass from some tensors, with some options."""
        possible = [each for each in self.tensors if each.requires_grad]
        roots = self.random.sample(possible, min(len(possible), self.random.choice((1, 1, 1, 2, 3))))
        wanted = self.random.sample(possible, self.random.randint(1, 2)) if self.chance(0.4) else []
        keep, create, accumulate = self.chance(0.7), self.chance(0.25), not wanted or self.chance(0.5)
        self.start(roots, wanted, keep or create, create, accumulate)

    def start(self, roots: Any, wanted: Any, keep: bool, create: bool, accumulate: bool) -> None:
        """A pass; its results or its error are logged."""
        gradients = tuple(torch.full(each.shape, 1.0 + number) for number, each in enumerate(roots))
        if accumulate:
            for each in wanted:
                each.retain_grad()
        edges = [tuple(map(gradient_edge, each)) for each in (roots, wanted)]
        try:
            found = self.run(edges[0], gradients, keep, create, edges[1], accumulate)
        except (RuntimeError, ValueError) as error:
            self.log.append(("error", str(error)))
        else:
            self.log.append(("found", [*map(self.seen, found)]))

    def start_inside(self) -> None:
        """A pass inside of another, through a graph of its own or the same one."""
        if self.depth == 2:
            return
        self.depth += 1
        self.log.append("inside")
        if self.chance(0.5):
            with torch.enable_grad():
                own = self.leaves[0] * self.leaves[1] + self.leaves[0]
            self.start([own], [], True, False, True)
        else:
            self.random_pass()
        self.depth -= 1

    # Hooks ----------------------------------------------------------------------------------------

    def hook(self, tensor: Any) -> None:
        """Perhaps register hooks on a tensor and its node."""
        if not tensor.requires_grad:
            return
        node = tensor.grad_fn
        if self.chance(0.25):
            tensor.register_hook(self.hooked("tensor"))
        if self.chance(0.2):
            tensor.retain_grad()
        if node is not None and self.chance(0.2):
            node.register_prehook(self.node_hooked("pre"))
        if node is not None and self.chance(0.2):
            node.register_hook(self.node_hooked("post"))
        if self.chance(0.1):
            leaf = self.random.choice(self.leaves)
            leaf.register_post_accumulate_grad_hook(lambda leaf: self.happens("accumulated", leaf.grad))
        if self.chance(0.1):
            accumulator = gradient_edge(self.random.choice(self.leaves))[0]
            assert accumulator is not None
            self.accumulators.append(accumulator)  # a leaf refers weakly to it
            accumulator.register_prehook(self.node_hooked("leaf pre"))
            accumulator.register_hook(self.node_hooked("leaf post"))

    def hooked(self, what: str) -> Callable[[Any], Any]:
        def hook(gradient: Any) -> Any:
            self.happens(what, gradient)
            self.maybe_more()
            if gradient is not None and self.chance(0.2):
                return gradient * 2
            return None

        return hook

    def node_hooked(self, what: str) -> Callable[..., Any]:
        def hook(gradients: Any, incoming: Any = ()) -> Any:
            self.happens(what, *gradients, *incoming)
            self.maybe_more()
            if self.chance(0.2):
                return tuple(each if each is None else each * 2 for each in gradients)
            return None

        return hook

    def maybe_more(self) -> None:
        """What else a hook may do: start a pass, set a mode, keep a gradient, fail."""
        if self.chance(0.1):
            self.start_inside()
        if self.chance(0.05):
            torch.set_grad_enabled(not torch.is_grad_enabled())
        if self.chance(0.02):
            raise ValueError("a hook fails")


# Operations, which return what they made ----------------------------------------------------------


def _one(program: Program) -> Any:
    return program.random.choice(program.tensors)


def _in_place(program: Program) -> Any:
    base = _one(program) * 1.0
    view = base[:1] if program.chance(0.5) else base
    view.mul_(_one(program)[:1]) if program.chance(0.5) else view.add_(_one(program)[0])
    return (base,)


def _parts(program: Program) -> Any:
    """A node with several outputs, of which not all need be used."""
    first, second = _one(program).unbind()
    return (first * _one(program), second.expand(2)) if program.chance(0.7) else (first.expand(2),)


class _Swapped(torch.autograd.Function):  # type: ignore[misc]
    """Two outputs; its backward logs, and may do what hooks do."""

    @staticmethod
    def forward(ctx: Any, program: Program, x: Any, y: Any) -> Any:
        ctx.program = program
        ctx.save_for_backward(x, y)
        return y * 2, x * 3

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any) -> Any:
        x, y = ctx.saved_tensors
        ctx.program.happens("Function", first, second, x, y)
        if ctx.program.chance(0.3):
            ctx.program.start_inside()
        if ctx.program.chance(0.03):
            raise ValueError("a Function fails")
        ctx.program.hook_the_running()
        if ctx.program.chance(0.08):
            return None, second.sum().expand(3), first * 2  # of a shape that does not fit
        return None, second * 3 if ctx.program.chance(0.8) else None, first * 2


_OPERATIONS: list[Callable[[Program], Any]] = [
    lambda program: (_one(program) * _one(program),),
    lambda program: (_one(program) + _one(program),),
    lambda program: (_one(program) - _one(program).sum(),),
    lambda program: (_one(program).tanh(),),
    lambda program: (torch.stack((_one(program), _one(program), _one(program))).sum(0),),
    lambda program: (torch.cat((_one(program), _one(program)))[1:3],),
    lambda program: (torch.where(_one(program) > 0, _one(program), _one(program)),),
    lambda program: (_one(program).detach() * _one(program),),
    _in_place,
    _parts,
    lambda program: _Swapped.apply(program, _one(program), _one(program)),
]


# Tests --------------------------------------------------------------------------------------------


def differences(seeds: range) -> list[int]:
    """The programs for which the loops do not agree."""
    return [
        seed
        for seed in seeds
        if Program(seed, run_backward).execute() != Program(seed, reference_backward).execute()
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(8))
def test_both_loops_do_the_same(part: int) -> None:
    size = PROGRAMS // 8
    assert differences(range(part * size, (part + 1) * size)) == []


class _Nested(torch.autograd.Function):  # type: ignore[misc]
    """Its backward runs another pass, nested as deeply as the argument says."""

    @staticmethod
    def forward(ctx: Any, x: Any, left: int, run: Pass, log: list[int]) -> Any:
        ctx.told = left, run, log
        return x * 1

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        left, run, log = ctx.told
        log.append(left)
        if left:
            with torch.enable_grad():
                x = torch.ones(2, requires_grad=True)
                y = _Nested.apply(x, left - 1, run, log)
            run((gradient_edge(y),), (gradient,), False, False, (), True)
            assert x.grad is not None
            return x.grad + 1, None, None, None
        return gradient, None, None, None


@pytest.mark.parametrize("run", [run_backward, reference_backward])
def test_passes_deep_inside_one_another(run: Pass) -> None:
    x = torch.ones(2, requires_grad=True)
    log: list[int] = []
    run((gradient_edge(_Nested.apply(x, 70, run, log)),), (torch.ones(2),), False, False, (), True)
    assert x.grad is not None
    assert (x.grad.tolist(), log) == ([71.0, 71.0], [*range(70, -1, -1)])


class _Unfit(torch.autograd.Function):  # type: ignore[misc]
    """Its first gradient has a wrong shape."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return torch.ones(3), gradient


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("run", [run_backward, reference_backward])
def test_a_gradient_that_nobody_wants_is_checked(run: Pass, create_graph: bool) -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    root = gradient_edge(_Unfit.apply(x, y))
    with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0"):
        run((root,), (torch.ones(2),), False, create_graph, (gradient_edge(y),), False)


def test_a_pass_of_many_nodes() -> None:
    """Neither loop recurs."""
    found: list[Any] = []
    for run in (run_backward, reference_backward):
        x = torch.ones(2, requires_grad=True)
        y = x
        for _ in range(5000):
            y = y + x
        found.append(run((gradient_edge(y),), (torch.ones(2),), False, False, (gradient_edge(x),), False)[0])
    assert [each.tolist() for each in found] == [[5001.0, 5001.0]] * 2
