"""The backward pass: ``run_backward`` (torch: autograd/engine.cpp, Engine::execute).

From ``b.backward()`` to a gradient: backward.py checks the arguments and calls ``run_backward`` with the edges of the roots.
That creates a ``GraphTask``, counts the dependencies of each node (``count_dependencies``), and runs nodes as they become
ready (``_run``). Of the ready nodes the one created last runs first, and AccumulateGrad nodes run before all others. The
loop is not recursive, so graphs may have any depth. tests/engine/reference_loop.py is the same without optimizations.
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
from .._c10.layout import LayoutError
from .._c10.modes import ThreadLocals, _set, restore_thread_locals, state, thread_locals
from .._c10.shapes import is_dense
from .._c10.tensor_metadata import InputMetadata
from .._c10.warn_once import warn_once
from .accumulate_grad import accumulate_grad, sum_of_layouts
from .anomaly_mode import check_nan, tracebacks
from .batched_tensor import for_each_sample, level_of, uses_batch_rules, vmap_of
from .hooks import run_post_hooks, run_pre_hooks, run_tensor_pre_hooks
from .node import AccumulateGrad, Edge, Gradients, GraphRoot, Node, new_node
from .ready_queue import Buffer, Heap, pop, push, pushpop
from .tensor import Tensor, make
from .validate_outputs import validate_gradient, validate_gradients, validate_outputs
from .views import increment_version

AccumulateGrad._apply = accumulate_grad  # type: ignore[method-assign, assignment]
MAX_DEPTH = 32  # nested (reentrant) backward passes on one thread's stack (torch: engine.h, MAX_DEPTH)


class GraphTask:
    """The state of one backward pass (torch: autograd/graph_task.h).

    With ``inputs=``, only part of the graph runs (torch: GraphTask::exec_info_). ``needed`` has the nodes to run: those from
    which one of the inputs can be reached; it is None if the whole graph runs. ``captures`` has, for each node whose incoming
    gradients are requested, pairs of input number and position in ``captured``, the list that ``grad`` returns.
    """

    __slots__ = (
        "callbacks", "captured", "captures", "create_graph", "dependencies", "keep_graph", "locals", "needed", "number",
        "roots", "running", "warnings",
    )  # fmt: skip
    dependencies: dict[Node, int]  # missing gradients of each node; negative once the first one has arrived
    roots: tuple[Edge, ...]
    numbers = itertools.count()

    def __init__(self, keep_graph: bool, create_graph: bool) -> None:
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.needed: set[Node] | None = None
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Tensor | None] = []
        self.number = next(GraphTask.numbers)
        self.callbacks: list[Callable[[], Any]] = []
        self.warnings: list[str] = []  # issued when the pass has ended
        self.running: Node | None = None  # the node whose hooks or Python backward are running
        # See Note [Thread-local state of a node]; saved when user code first runs in this pass.
        self.locals: ThreadLocals | None = None

    def enter_python(self, node: Node) -> None:
        """Call before user code (a hook, a Python backward) runs inside the node."""
        self.running = node
        if self.locals is None:
            self.locals = thread_locals()

    def leave_python(self) -> None:
        """Call after user code has run: restore the thread-local state."""
        self.running = None
        restore_thread_locals(self.locals)

    def should_compute(self, node: Node | None) -> bool:
        """Whether this pass needs a gradient for this node (torch: task_should_compute_output)."""
        return self.needed is None or node in self.needed or node in self.captures


def execution_order(task: GraphTask) -> list[Node]:
    """The nodes that a pass has not run yet, in execution order (torch: _get_current_graph_task_execution_order)."""
    dependencies = {node: abs(remaining) for node, remaining in task.dependencies.items()}
    heap: Heap = []
    for root, _ in task.roots:
        assert root is not None
        push(heap, root, [])
    result = []
    while heap:
        node, _ = pop(heap)
        result.append(node)
        for next_node in node.next_nodes:
            if next_node is None or not task.should_compute(next_node):
                continue
            if not dependencies[next_node]:  # the pass has already run the roots, or has one of them twice
                raise RuntimeError(errors.NO_DEPENDENCIES)
            dependencies[next_node] -= 1
            if not dependencies[next_node]:
                push(heap, next_node, [])
    return result


Loop = Callable[[GraphTask, Node, Buffer, dict[Node, int]], None]  # a function like _run


def run_backward(
    roots: tuple[Edge, ...], gradients: Gradients, keep_graph: bool, create_graph: bool,
    input_edges: Sequence[Edge], accumulate: bool, loop: Loop | None = None,
) -> list[Tensor | None]:  # fmt: skip
    """Run one backward pass.

    Args:
        roots: the edges of the outputs.
        gradients, keep_graph, create_graph: as in torch.autograd.backward; one gradient for each root.
        input_edges: those of the ``inputs``; if empty, the whole graph runs.
        accumulate: whether gradients are accumulated into ``.grad``; otherwise those of ``input_edges`` are returned.
        loop: runs the nodes instead of ``_run``; see tests/engine/reference_loop.py.

    Raises:
        RuntimeError: a gradient does not fit its root, or a node raises.
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
    if input_edges:
        _init_to_execute(task, root, input_edges, accumulate)
    modes = (state.grad_enabled, state.inference)
    outer = (state.graph_task, state.evaluating, state.checkpoint_valid, state.nesting)
    # See Note [torch_function costs nothing until used].
    overriding, state.overriding = state.overriding, False
    function_modes, state.function_modes = state.function_modes, ()
    _set(create_graph, state.inference)
    state.graph_task, state.checkpoint_valid = task, outer[2] and not input_edges
    state.nesting += 1
    run = loop or _run
    if state.anomaly:
        run = partial(_run_traced, run)
    try:
        if state.nesting < MAX_DEPTH:
            run(task, root, buffer, dependencies)
        else:
            _run_in_new_thread(run, task, root, buffer, dependencies)
        for callback in task.callbacks:  # a callback may queue others
            callback()
    finally:
        restore_thread_locals(task.locals)
        _set(*modes)
        state.overriding, state.function_modes = overriding, function_modes
        state.graph_task, state.evaluating, state.checkpoint_valid, state.nesting = outer
        for text in task.warnings:
            warn_once(text)
    return task.captured


def _run_in_new_thread(run: Loop, *arguments: Any) -> None:
    """Run a deeply nested pass in a new thread, whose stack is empty (torch: add_thread_pool_task)."""
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
    """Run a pass in anomaly mode: if a node raises, warn with the traceback of its forward call."""
    try:
        loop(task, *arguments)
    except Exception:
        task.warnings += tracebacks(state.evaluating)
        raise


def count_dependencies(root: Node) -> dict[Node, int]:
    """How many edges lead to each node that can be reached from the root (torch: Engine::compute_dependencies)."""
    dependencies: dict[Node, int] = {}
    stack = [root]
    for reached in stack:  # grows while it is iterated over
        for node in reached.next_nodes:
            if node is not None:
                if node in dependencies:
                    dependencies[node] += 1
                else:
                    dependencies[node] = 1
                    stack.append(node)
    return dependencies


def _init_to_execute(task: GraphTask, root: Node, input_edges: Sequence[Edge], accumulate: bool) -> None:
    """Find the nodes that lead to the wanted edges; the others get no gradients (torch: GraphTask::init_to_execute)."""
    needed: set[Node] = set()
    for number, (node, input_nr) in enumerate(input_edges):
        assert node is not None
        if accumulate:
            needed.add(node)
        else:
            task.captures.setdefault(node, []).append((input_nr, number))
    task.captured = [None] * len(input_edges)
    captures = task.captures
    reached = {root, *task.dependencies}
    ends = {node for node in reached if not any(node.next_nodes)}
    if not ends - needed - captures.keys():  # all paths end at wanted nodes: all nodes but these are needed
        reached -= ends
        reached |= needed
        task.needed = reached
        return
    remaining = dict(task.dependencies)
    order = [root]  # topological order: a node comes after all nodes that lead to it
    for node in order:  # grows while it is iterated over
        for next_node in node.next_nodes:
            if next_node is not None:
                remaining[next_node] = before = remaining[next_node] - 1
                if not before:
                    order.append(next_node)
    for node in reversed(order):
        for next_node in node.next_nodes:
            if next_node in needed or next_node in captures:
                needed.add(node)
                break
    task.needed = needed
    for node in order:
        if node not in needed and node not in captures:
            task.dependencies[node] = 0
    if root not in needed:
        captures.setdefault(root, [])  # so that the root does not run


_HANDED_ON: Buffer = []  # replaces a buffer whose gradients were passed on, to drop the references


def _run(task: GraphTask, node: Node, buffer: Buffer, dependencies: dict[Node, int]) -> None:
    """Run nodes as they become ready (torch: Engine::thread_main and evaluate_function).

    ``_loop`` in tests/engine/reference_loop.py is the same without the optimizations. Nodes without hooks run right here
    (built-in ones only, if only part of the graph runs), all others in ``_call_function``. No variable keeps a reference
    to a gradient after it is passed on: see Note [Stealing a gradient].

    This function is long on purpose: its loop runs once for each node, where every further call costs time.
    """
    heap: Heap = []
    not_ready: dict[Node, Buffer] = {}
    captures, selected = task.captures, task.needed is not None
    keep_graph, create_graph = task.keep_graph, task.create_graph
    out_of_place = _sums_out_of_place(create_graph)
    plain = _is_plain(node, buffer)
    entered = False  # whether user code ran inside the node
    while True:
        if not plain:
            state.evaluating = node
        outputs: Any
        frees = False
        if captures and node in captures and not _capture(task, node, buffer):
            outputs = ()
            entered = task.running is not None
        elif plain and node.hooks is None and (not selected or node.selective):
            outputs = node._apply(buffer)
            # It may raise; then nothing is freed. Casts and sums are recorded before the additions that follow.
            if outputs and (create_graph or outputs.__class__ is not list):
                outputs = validate_outputs(node, outputs)
            if task.running is not None:  # user code ran inside, and may have registered a hook on the node
                outputs = _post_hooks(node, outputs, ())
                entered = True
            frees = not keep_graph
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
            fits = outputs.__class__ is not list  # a list was not validated yet
            if fits:
                outputs = list(outputs)
            for number, next_node in enumerate(node.next_nodes):
                if next_node is None:
                    continue
                remaining = dependencies[next_node]
                if not remaining:  # not needed: see _init_to_execute
                    outputs[number] = None
                    continue
                gradient = outputs[number]
                outputs[number] = None
                metadata = next_node.input_metadata
                input_nr = 0
                # Otherwise the gradient fits, and the node has one input: see Note [Shared metadata].
                if gradient is not None and gradient._shared_metadata is not metadata:
                    input_nr = input_nrs[number]
                    if not fits:
                        shape, kind = metadata[input_nr]
                        array = gradient._array
                        if array.shape != shape or array.dtype is not kind:
                            gradient = validate_gradient(gradient, next_node, input_nr, number, node.name)
                        array = None
                if remaining > 0:  # the first gradient for this node
                    remaining -= 1
                    if len(metadata) == 1:
                        pending = [gradient]
                    else:
                        pending = [None] * len(metadata)
                        pending[input_nr] = gradient
                    if remaining:
                        not_ready[next_node] = pending
                    dependencies[next_node] = -remaining
                else:
                    remaining += 1
                    dependencies[next_node] = remaining
                    pending = not_ready[next_node] if remaining else not_ready.pop(next_node)
                    if gradient is None:
                        pass
                    elif pending[input_nr] is None:
                        pending[input_nr] = gradient
                    else:
                        separate = _sums_out_of_place(state.grad_enabled) if entered else out_of_place
                        _accumulate(pending, input_nr, gradient, separate)
                gradient = None
                if not remaining:
                    if ready is not None:
                        push(heap, ready, buffer)
                    ready, buffer = next_node, pending
            pending = _HANDED_ON
        if frees:  # a gradient that does not fit has raised before: then nothing is freed
            node.release()
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


def _sums_out_of_place(create_graph: bool) -> bool:
    """Whether sums are new tensors: with create_graph they are recorded; the other cases are the same in torch."""
    return (
        create_graph
        or state.before_mutation is not None
        or bool(transforms.carrying and (state.dispatch_modes or transforms.since))
    )


def _is_plain(node: Node, buffer: Buffer) -> bool:
    """Whether nothing but the nodes themselves needs to see each node: no anomaly mode or vmap."""
    batched = bool(transforms.carrying) and (
        level_of(buffer) >= 0 or level_of(getattr(node, "gradients", ())) >= 0
    )
    return not (state.anomaly or batched)


_UNSHARED = 3  # reference count of a buffered gradient that only the pass refers to


def _accumulate(buffer: Buffer, input_nr: int, gradient: Tensor, out_of_place: bool) -> None:
    """Add a gradient to a node's buffer, in place if only the pass refers to the first one (torch: InputBuffer::accumulate)."""
    first = buffer[input_nr]
    if not out_of_place and getrefcount(first) <= _UNSHARED:
        array = first._array
        if (
            getrefcount(array) <= _UNSHARED
            and array.__class__ is ndarray  # see Note [ZeroTensor]
            and first._view is None  # see Note [Conjugate views]
            and (not (carrying := transforms.carrying) or _is_dense_tensor(first, gradient))
            and (array.base is None or _owns_memory(array))
        ):
            try:
                if array.dtype is gradient._array.dtype and array.dtype.kind != "c" and not carrying:
                    add(array, gradient._array, array)
                    increment_version(first)
                else:  # dtypes differ (a leaf with grad_dtype=None), or there are tangents to add as well
                    first.add_(gradient)
                return
            except LayoutError:  # see Note [Sparse arrays]
                pass
    buffer[input_nr] = sum_of_layouts(first, gradient)


def _is_dense_tensor(first: Tensor, gradient: Tensor) -> bool:
    """Whether neither a subclass nor another layout has to handle the addition."""
    return first.__class__ is Tensor and gradient._array.__class__ is ndarray


def _owns_memory(array: ndarray[Any, Any]) -> bool:
    """Whether an array is the only view of its memory and covers all of it, as the copy that CopySlices makes."""
    memory = array.base
    return (
        isinstance(memory, ndarray) and memory.base is None and getrefcount(memory) <= _UNSHARED and is_dense(array)
        and memory.nbytes == array.nbytes
    )  # fmt: skip


def _call_function(node: Node, inputs: Gradients, keep_graph: bool) -> Gradients:
    """Run a node with its hooks, validate its outputs and release its saved variables (torch: call_function)."""
    hooks = node.hooks
    if hooks is not None:
        state.graph_task.enter_python(node)
        inputs = run_tensor_pre_hooks(hooks, inputs)
        inputs = run_pre_hooks(hooks, inputs)
    hooked = hooks is not None and hooks.post is not None
    outputs = _apply_batched(node, inputs) if transforms.count else node._apply(inputs)
    if outputs:  # also those that the pass does not need
        outputs = validate_outputs(node, outputs)
    outputs = _post_hooks(node, outputs, inputs if hooked else ())
    if not keep_graph:
        node.release()
    if state.anomaly and state.anomaly_check_nan:
        check_nan(node, outputs)
    return outputs


def _apply_batched(node: Node, inputs: Gradients) -> Gradients:
    """Apply a node to gradients that may be batched; see Note [Batched gradients]."""
    level = -1 if node.accepts_batches else level_of(inputs)
    if level < 0:
        return node._apply(inputs)
    old = vmap_of(level).old
    before, state.unpacked = state.unpacked, {} if state.unpacked is None else state.unpacked
    try:
        if old or uses_batch_rules(level):
            try:
                return node._apply(inputs)
            except RuntimeError as error:  # the formula has no batch rule
                if old and str(error).startswith("Batching rule"):
                    raise
        result: Gradients = for_each_sample(
            lambda *each: tuple(_apply_batched(node, each)), inputs, {}, level
        )
    finally:
        state.unpacked = before
    return result


def _post_hooks(node: Node, outputs: Gradients, inputs: Gradients) -> Gradients:
    """Run the post hooks of a node; without inputs, if the first one was registered while the node ran."""
    hooks = node.hooks
    if hooks is None or not hooks.post:
        return outputs
    if outputs:
        outputs = validate_outputs(node, outputs)
    return run_post_hooks(hooks, _needed_outputs(node, outputs), inputs)


def _needed_outputs(node: Node, outputs: Gradients) -> Gradients:
    """The outputs that post hooks get: built-in nodes of torch do not compute those that the pass does not need."""
    task: GraphTask = state.graph_task
    if task.needed is None or not node.selective:
        return tuple(outputs)
    return tuple(
        each if task.should_compute(next_node) else None
        for next_node, each in zip(node.next_nodes, outputs, strict=False)
    )


def _capture(task: GraphTask, node: Node, buffer: Buffer) -> bool:
    """Store the requested gradients of a node; return whether the node must run as well."""
    runs = task.needed is None or node in task.needed
    inputs = tuple(buffer)
    if not runs and node.hooks is not None:
        task.enter_python(node)
        inputs = run_tensor_pre_hooks(node.hooks, inputs)
    for input_nr, number in task.captures[node]:
        task.captured[number] = inputs[input_nr]
    return runs


def ones_like_root(metadata: InputMetadata) -> Tensor:
    """A one with the shape and dtype of a root: the implicit gradient of a scalar."""
    return make(ones(metadata[0], metadata[1]))
