"""The backward pass (torch: autograd/engine.cpp).

``run_backward`` counts how many edges lead to each node that the roots reach, then runs the nodes that are
ready, the latest made first and AccumulateGrad before all, until none is left. No recursion: depth costs nothing.
_autograd/reference_loop.py says the same in some twelve lines.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from functools import partial
from sys import getrefcount
from typing import Any

from numpy import add, ndarray, ones

from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import LayoutError, Unstrided
from .._c10.modes import ThreadLocals, _set, restore_thread_locals, state, thread_locals
from .._c10.shapes import is_dense
from .._c10.tensor_metadata import InputMetadata
from .._c10.warn_once import warn_once
from .accumulate_grad import accumulate_grad
from .anomaly_mode import check_nan, tracebacks
from .batched_tensor import for_each_sample, level_of, uses_batch_rules
from .hooks import run_post_hooks, run_pre_hooks, run_tensor_pre_hooks
from .node import AccumulateGrad, Edge, Gradients, GraphRoot, Node, new_node
from .ready_queue import Buffer, Heap, pop, push, pushpop
from .tensor import Tensor, make
from .validate_outputs import validate_gradient, validate_gradients, validate_outputs
from .views import increment_version

AccumulateGrad.apply = accumulate_grad  # type: ignore[method-assign, assignment]
MAX_DEPTH = 32  # backward passes inside one another on one thread's stack


class GraphTask:
    """One backward pass.

    ``needed`` and ``captures`` are None where the whole graph runs; else a node runs if it is needed (a wanted
    input lies behind it), and its incoming gradients are kept where they are wanted themselves.
    """

    __slots__ = (
        "callbacks",
        "captured",
        "captures",
        "create_graph",
        "dependencies",
        "keep_graph",
        "locals",
        "needed",
        "number",
        "roots",
        "running",
        "warnings",
    )
    dependencies: dict[Node, int]  # how many gradients are still to come; negative once one has
    roots: tuple[Edge, ...]
    numbers = itertools.count()

    def __init__(self, keep_graph: bool, create_graph: bool) -> None:
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.needed: set[Node] | None = None
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Tensor | None] = []
        self.number = next(GraphTask.numbers)
        self.callbacks: list[Callable[[], Any]] = []
        self.warnings: list[str] = []  # given when the pass has ended
        self.running: Node | None = None  # the node whose hooks or own Python backward run
        # What each node begins with, see Note [Each node begins as the pass]; looked up when Python runs first.
        self.locals: ThreadLocals | None = None

    def enter_python(self, node: Node) -> None:
        """A program's own code is about to run inside the node."""
        self.running = node
        if self.locals is None:
            self.locals = thread_locals()

    def leave_python(self) -> None:
        """It has."""
        self.running = None
        restore_thread_locals(self.locals)

    def should_compute(self, node: Node | None) -> bool:
        """Whether a gradient for this node is of any use in this pass."""
        return self.needed is None or node in self.needed or node in self.captures


def execution_order(task: GraphTask) -> list[Node]:
    """The nodes that a pass has before it, in the order in which it will run them."""
    dependencies = {node: abs(left) for node, left in task.dependencies.items()}
    heap: Heap = []
    for root, _ in task.roots:
        assert root is not None
        push(heap, root, [])
    found = []
    while heap:
        node, _ = pop(heap)
        found.append(node)
        for following in node.next_nodes:
            if following is None or not task.should_compute(following):
                continue
            if not dependencies[following]:  # the pass is beyond the roots, or has one of them twice
                raise RuntimeError(errors.NO_DEPENDENCIES)
            dependencies[following] -= 1
            if not dependencies[following]:
                push(heap, following, [])
    return found


# The pass -----------------------------------------------------------------------------------------

Loop = Callable[[GraphTask, Node, Buffer, dict[Node, int]], None]  # what runs the nodes


def run_backward(
    roots: tuple[Edge, ...],
    gradients: Gradients,
    keep_graph: bool,
    create_graph: bool,
    wanted: Sequence[Edge],
    accumulate: bool,
    loop: Loop | None = None,
) -> list[Tensor | None]:
    """Run backward from the roots; return the gradients of the wanted edges unless they are accumulated.

    ``loop`` runs the nodes, in place of ``_run``; see _autograd/reference_loop.py.
    """
    gradients = validate_gradients(roots, gradients)
    task = GraphTask(keep_graph, create_graph)
    if accumulate and create_graph:
        task.warnings.append(errors.CREATE_GRAPH)
    root: Node
    if len(roots) == 1:
        root = roots[0][0]  # type: ignore[assignment]
        buffer: Buffer = [None] * len(root.input_metadata)
        buffer[roots[0][1]] = gradients[0]
    else:
        root = new_node(GraphRoot)
        root.next_edges, root.gradients, root.input_metadata = roots, gradients, ()  # type: ignore[attr-defined]
        buffer = []
    task.roots = roots
    task.dependencies = dependencies = count_dependencies(root)
    if wanted:
        _init_to_execute(task, root, wanted, accumulate)
    modes = (state.grad_enabled, state.inference)
    outer = (state.graph_task, state.evaluating, state.checkpoint_valid, state.nesting)
    overriding, state.overriding = state.overriding, False  # see Note [Overriding costs others nothing]
    asked, state.function_modes = state.function_modes, ()
    _set(create_graph, state.inference)
    state.graph_task, state.checkpoint_valid = task, outer[2] and not wanted
    state.nesting += 1
    run = loop or _run
    if state.anomaly:
        run = partial(_run_traced, run)
    try:
        if state.nesting < MAX_DEPTH:
            run(task, root, buffer, dependencies)
        else:
            _run_in_new_thread(run, task, root, buffer, dependencies)
        for callback in task.callbacks:  # it may grow meanwhile
            callback()
    finally:
        restore_thread_locals(task.locals)
        _set(*modes)
        state.overriding, state.function_modes = overriding, asked
        state.graph_task, state.evaluating, state.checkpoint_valid, state.nesting = outer
        for text in task.warnings:
            warn_once(text)
    return task.captured


def _run_in_new_thread(run: Loop, *arguments: Any) -> None:
    """Run a pass that is nested deep in others in a thread of its own: its stack is empty."""
    here = vars(state)
    failed: list[BaseException] = []

    def work() -> None:
        vars(state).update(here, nesting=0)
        try:
            run(*arguments)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise failed.pop()


def _run_traced(loop: Loop, task: GraphTask, *arguments: Any) -> None:
    """Run a pass in anomaly mode: an error names the forward call that made the node which was running."""
    try:
        loop(task, *arguments)
    except Exception:
        task.warnings += tracebacks(state.evaluating)
        raise


def count_dependencies(root: Node) -> dict[Node, int]:
    """How many edges lead to each node that the root reaches."""
    dependencies: dict[Node, int] = {}
    stack = [root]
    for reached in stack:  # which grows meanwhile
        for node in reached.next_nodes:
            if node is not None:
                if node in dependencies:
                    dependencies[node] += 1
                else:
                    dependencies[node] = 1
                    stack.append(node)
    return dependencies


def _init_to_execute(task: GraphTask, root: Node, wanted: Sequence[Edge], accumulate: bool) -> None:
    """Mark the nodes that lead to what is wanted; the others wait for nothing, and no gradient flows to them."""
    needed: set[Node] = set()
    for number, (node, input_nr) in enumerate(wanted):
        assert node is not None
        if accumulate:
            needed.add(node)
        else:
            task.captures.setdefault(node, []).append((input_nr, number))
    task.captured = [] if accumulate else [None] * len(wanted)
    captures = task.captures
    reached = {root, *task.dependencies}
    ends = {node for node in reached if not any(node.next_nodes)}
    if not ends - needed - captures.keys():  # every way through the graph ends at what is wanted
        reached -= ends
        reached |= needed
        task.needed = reached
        return
    left = dict(task.dependencies)
    order = [root]  # what leads to a node stands before it
    for node in order:  # which grows meanwhile
        for following in node.next_nodes:
            if following is not None:
                left[following] = before = left[following] - 1
                if not before:
                    order.append(following)
    for node in reversed(order):
        for following in node.next_nodes:
            if following in needed or following in captures:
                needed.add(node)
                break
    task.needed = needed
    for node in order:
        if node not in needed and node not in captures:
            task.dependencies[node] = 0
    if root not in needed:
        captures.setdefault(root, [])  # so that the pass ends there


_HANDED_ON: Buffer = []  # what has been handed on


def _run(task: GraphTask, node: Node, buffer: Buffer, dependencies: dict[Node, int]) -> None:
    """Run the nodes as they become ready, as ``_loop`` in _autograd/reference_loop.py does.

    A node without hooks, of torch's own where only some are needed, is run right here; all else goes through
    ``_evaluate``.
    No reference to a gradient stays behind when it is handed on: see Note [Stealing a gradient].
    """
    heap: Heap = []
    waiting: dict[Node, Buffer] = {}
    captures, selected = task.captures, task.needed is not None
    keep_graph, create_graph = task.keep_graph, task.create_graph
    # Recorded, no sum is written into a gradient. Neither does torch write into one while
    # allow_mutation_on_saved_tensors watches, under modes and in derivatives of torch.func.
    afresh = (
        create_graph
        or state.before_mutation is not None
        or bool(transforms.carrying and (state.dispatch_modes or transforms.since))
    )
    batched = bool(transforms.carrying) and (
        level_of(buffer) >= 0 or level_of(getattr(node, "gradients", ())) >= 0
    )
    plain = not (state.anomaly or batched or (transforms.count and state.trace is not None))
    entered = False  # whether Python ran inside a node
    while True:
        if not plain:
            state.evaluating = node
        outputs: Any
        if captures and node in captures and not _capture(task, node, buffer):
            outputs = ()
        elif plain and node.hooks is None and (not selected or node.selective):
            outputs = node.apply(buffer)
            if outputs and create_graph:  # recorded before what they are added to
                outputs = validate_outputs(node, outputs, task.should_compute)
            elif outputs and outputs.__class__ is not list:  # they may not fit, and then nothing is freed
                outputs = validate_outputs(node, outputs)
            if task.running is not None:  # Python ran inside it, and may have registered a hook on it
                outputs = _post_hooks(node, outputs, ())
                entered = True
            if not keep_graph:
                node.release()
        else:
            inputs = tuple(buffer)
            buffer = _HANDED_ON
            outputs = _call_function(node, inputs, keep_graph)
            entered = task.running is not None
            inputs = ()
        buffer = _HANDED_ON
        ready: Node | None = None
        if outputs:
            input_nrs = node.input_nrs
            fits = outputs.__class__ is not list  # validate_outputs has seen to it
            if fits:
                outputs = list(outputs)
            for number, following in enumerate(node.next_nodes):
                if following is None:
                    continue
                left = dependencies[following]
                if not left:  # torch does not compute it: see _select
                    outputs[number] = None
                    continue
                gradient = outputs[number]
                outputs[number] = None
                metadata = following.input_metadata
                input_nr = 0
                if (
                    gradient is not None and gradient._shared_metadata is not metadata
                ):  # else it fits, and is all there is
                    input_nr = input_nrs[number]
                    if not fits:
                        shape, kind = metadata[input_nr]
                        array = gradient._array
                        if array.shape != shape or array.dtype is not kind:
                            gradient = validate_gradient(gradient, following, input_nr, number, node.name)
                        array = None
                if left > 0:  # the first to come
                    left -= 1
                    if len(metadata) == 1:
                        pending = [gradient]
                    else:
                        pending = [None] * len(metadata)
                        pending[input_nr] = gradient
                    if left:
                        waiting[following] = pending
                    dependencies[following] = -left
                else:
                    left += 1
                    dependencies[following] = left
                    pending = waiting[following] if left else waiting.pop(following)
                    if gradient is None:
                        pass
                    elif pending[input_nr] is None:
                        pending[input_nr] = gradient
                    else:
                        _accumulate(pending, input_nr, gradient, afresh)
                gradient = None
                if not left:
                    if ready is not None:
                        push(heap, ready, buffer)
                    ready, buffer = following, pending
            pending = _HANDED_ON
        if entered:
            task.leave_python()
            entered = False
        if ready is None:
            if not heap:
                break
            node, buffer = pop(heap)
        elif heap:
            node, buffer = pushpop(heap, ready, buffer)
        else:
            node = ready


_UNSHARED = 3  # references to a buffered gradient that nobody outside the pass holds


def _accumulate(buffer: Buffer, input_nr: int, gradient: Tensor, afresh: bool) -> None:
    """Sum gradients that meet: into the first one where the pass alone holds it and its memory, else afresh."""
    first = buffer[input_nr]
    if not afresh and getrefcount(first) <= _UNSHARED:
        array = first._array
        if (
            getrefcount(array) <= _UNSHARED
            and array.__class__ is ndarray  # see Note [Zeros without memory]
            and first._view is None  # see Note [Conjugated views]
            and (not (carrying := transforms.carrying) or _is_dense_tensor(first, gradient))
            and (array.base is None or _owns_whole_memory(array))
        ):
            try:
                alike = first._shared_metadata and first._shared_metadata is gradient._shared_metadata
                if (alike or array.dtype is gradient._array.dtype) and not carrying:
                    add(array, gradient._array, array)
                    increment_version(first)
                else:  # as at a leaf that takes gradients of any dtype; and tangents are not in the memory
                    first.add_(gradient)
                return
            except LayoutError:  # see Note [Arrays of other layouts]
                pass
    if (
        first._array.__class__ is not ndarray
        and isinstance(first._array, Unstrided)
        and not state.grad_enabled
    ):
        buffer[input_nr] = gradient + first
        return
    buffer[input_nr] = first + gradient


def _is_dense_tensor(first: Tensor, gradient: Tensor) -> bool:
    """Whether writing one gradient into another is no matter of a subclass or of another layout."""
    return first.__class__ is Tensor and gradient._array.__class__ is ndarray


def _owns_whole_memory(array: ndarray[Any, Any]) -> bool:
    """Whether an array is all that looks at its memory, and of all of it: CopySlices lays its copy out as the base."""
    memory = array.base
    return (
        isinstance(memory, ndarray) and memory.base is None and getrefcount(memory) <= _UNSHARED and is_dense(array)
        and memory.nbytes == array.nbytes
    )  # fmt: skip


def _call_function(node: Node, inputs: Gradients, keep_graph: bool) -> Gradients:
    """Run one node with its hooks; check and shape what it returns; free what it saved."""
    hooks = node.hooks
    if hooks is not None:
        state.graph_task.enter_python(node)
        inputs = run_tensor_pre_hooks(hooks, inputs)
        inputs = run_pre_hooks(hooks, inputs)
    hooked = hooks is not None and hooks.post is not None
    outputs = _apply_batched(node, inputs) if transforms.count else node.apply(inputs)
    if outputs:  # also what the pass has no use for
        outputs = validate_outputs(node, outputs)
    outputs = _post_hooks(node, outputs, inputs if hooked else ())
    if not keep_graph:
        node.release()
    if state.anomaly and state.anomaly_check_nan:
        check_nan(node, outputs)
    return outputs


def _apply_batched(node: Node, inputs: Gradients) -> Gradients:
    """What a node makes of its gradients, which may be batched; see Note [Batched gradients]."""
    level = -1 if node.accepts_batches else level_of(inputs)
    if level < 0:
        return node.apply(inputs)
    if uses_batch_rules(level):
        try:
            return node.apply(inputs)
        except RuntimeError:  # what the node computes has no rule for batches
            pass
    before, state.unpacked = state.unpacked, {} if state.unpacked is None else state.unpacked
    try:
        found: Gradients = for_each_sample(lambda *each: tuple(_apply_batched(node, each)), inputs, {}, level)
    finally:
        state.unpacked = before
    return found


def _post_hooks(node: Node, outputs: Gradients, inputs: Gradients) -> Gradients:
    """Run the node's own hooks on what it returned.

    The first may have been registered while the node ran: then torch has kept no inputs for it.
    """
    hooks = node.hooks
    if hooks is None or not hooks.post:
        return outputs
    if outputs:
        outputs = validate_outputs(node, outputs)
    return run_post_hooks(hooks, _needed_outputs(node, outputs), inputs)


def _needed_outputs(node: Node, outputs: Gradients) -> Gradients:
    """What the node's hooks see: torch's own operations do not compute what the pass has no use for."""
    task: GraphTask = state.graph_task
    if task.needed is None or not node.selective:
        return tuple(outputs)
    return tuple(
        each if task.should_compute(following) else None
        for following, each in zip(node.next_nodes, outputs, strict=False)
    )


def _capture(task: GraphTask, node: Node, buffer: Buffer) -> bool:
    """Keep the gradients wanted here; tell whether the node itself must run."""
    runs = task.needed is None or node in task.needed
    wanted = task.captures.get(node)
    if wanted is not None or not runs:
        inputs = tuple(buffer)
        if not runs and node.hooks is not None:
            inputs = run_tensor_pre_hooks(node.hooks, inputs)
        for input_nr, number in wanted or ():
            task.captured[number] = inputs[input_nr]
    return runs


def ones_like_root(metadata: InputMetadata) -> Tensor:
    """The gradient that a scalar root starts with."""
    return make(ones(metadata[0], metadata[1]))
