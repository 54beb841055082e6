"""The backward pass of the in-house engine (_autograd/engine.py) without its optimizations.

``reference_backward`` takes the arguments of ``run_backward``. Both must compute the same gradients, run nodes and
hooks in the same order, and raise the same errors. ``engine._run`` is optimized: it runs nodes without hooks in its own
frame, does not put the node that became ready last into the queue, validates gradients one by one as it passes them on,
and marks in ``dependencies`` which nodes have a buffer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from conformance.engine._autograd.engine import GraphTask, _accumulate, _call_function, run_backward
from conformance.engine._autograd.hooks import run_tensor_pre_hooks
from conformance.engine._autograd.node import Edge, Gradients, Node
from conformance.engine._autograd.ready_queue import Buffer, Heap, pop, push
from conformance.engine._autograd.tensor import Tensor
from conformance.engine._c10.interpreter_stack import transforms
from conformance.engine._c10.modes import state


def reference_backward(
    roots: tuple[Edge, ...],
    gradients: Gradients,
    keep_graph: bool,
    create_graph: bool,
    input_edges: Sequence[Edge],
    accumulate: bool,
) -> list[Tensor | None]:
    """``run_backward`` with the loop below."""
    loop = partial(_loop, input_edges, accumulate)
    return run_backward(roots, gradients, keep_graph, create_graph, input_edges, accumulate, loop)


def _loop(
    input_edges: Sequence[Edge],
    accumulate: bool,
    task: GraphTask,
    root: Node,
    buffer: Buffer,
    _: dict[Node, int],
) -> None:
    """Run each node when all its gradients have arrived; of several ready nodes, the one created last.

    Computes again, independently of ``engine``, which nodes run and how many gradients each waits for. No variable
    keeps a     gradient after it is passed on: see Note [Stealing a gradient].
    """
    running = _plan(task, root, input_edges, accumulate)
    not_ready = {root: buffer}  # the sums of the gradients so far
    ready: Heap = []
    push(ready, root, [])
    while ready:
        node, _buffer = pop(ready)
        outputs = _run_node(task, node, node in running, tuple(not_ready.pop(node)))
        for next_node, input_nr in node.next_edges if outputs else ():
            if next_node not in task.dependencies:
                outputs.pop(0)
                continue
            _add_to_buffer(task, not_ready, next_node, input_nr, outputs.pop(0))
            task.dependencies[next_node] -= 1
            if task.dependencies[next_node] == 0:
                push(ready, next_node, [])
        if task.running is not None:  # a hook or a Function may have changed thread-local state
            task.leave_python()


def _plan(task: GraphTask, root: Node, input_edges: Sequence[Edge], accumulate: bool) -> set[Node]:
    """The nodes that run: all, or those that lead to the wanted edges; others get gradients only if captured."""
    reached = _reached_from(root)
    running = reached
    task.captures = {}
    if input_edges:
        ends = {node for node, _ in input_edges if node is not None}
        running = _leading_to(ends, reached) | (ends if accumulate else set())
        task.needed = running
        for number, (node, input_nr) in enumerate(input_edges if not accumulate else ()):
            assert node is not None
            task.captures.setdefault(node, []).append((input_nr, number))
    edges = (next_node for node in reached & running for next_node in node.next_nodes)
    task.dependencies = dict(
        Counter(each for each in edges if each is not None and task.should_compute(each))
    )
    return running


def _reached_from(root: Node) -> set[Node]:
    reached, left = {root}, [root]
    while left:
        for next_node in left.pop().next_nodes:
            if next_node is not None and next_node not in reached:
                reached.add(next_node)
                left.append(next_node)
    return reached


def _leading_to(ends: Iterable[Node], reached: set[Node]) -> set[Node]:
    """The nodes from which one of the ends can be reached."""
    before = defaultdict(set)
    for node in reached:
        for next_node in node.next_nodes:
            before[next_node].add(node)
    leading: set[Node] = set()
    left = [*ends]
    while left:
        new = before[left.pop()] - leading
        leading |= new
        left += new
    return leading


def _run_node(task: GraphTask, node: Node, runs: bool, inputs: Gradients) -> list[Tensor | None]:
    """Capture the requested gradients; run the node with its hooks if it is needed."""
    state.evaluating = node
    if not runs and node.hooks is not None:
        task.enter_python(node)
        inputs = run_tensor_pre_hooks(node.hooks, inputs)
    for input_nr, number in task.captures.get(node, ()):
        task.captured[number] = inputs[input_nr]
    return list(_call_function(node, inputs, task.keep_graph)) if runs else []


def _add_to_buffer(
    task: GraphTask, not_ready: dict[Node, Buffer], node: Node, input_nr: int, gradient: Tensor | None
) -> None:
    """Add a gradient to the buffer of a node, in place if it is not shared."""
    buffer = not_ready.setdefault(node, [None] * len(node.input_metadata))
    if buffer[input_nr] is None:
        buffer[input_nr] = gradient
    elif gradient is not None:
        watched = transforms.carrying and (state.dispatch_modes or transforms.since)
        out_of_place = state.grad_enabled or state.before_mutation is not None or bool(watched)
        _accumulate(buffer, input_nr, gradient, out_of_place)
