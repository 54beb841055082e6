"""The backward graph: nodes and the edges between them (torch: autograd/function.h, edge.h)."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from .._c10 import dtypes, errors
from .._c10.device import CPU
from .._c10.location import FOLDER
from .._c10.modes import state
from .._c10.slots import unfilled
from .._c10.tensor_metadata import InputMetadata

if TYPE_CHECKING:
    from .tensor import Tensor

# See Note [Slots].
add_hook: Callable[..., Any] = unfilled  # from hooks
is_tensor: Callable[[Any], bool] = unfilled  # from tensor

# An edge leads to a node and says which of the node's inputs (outputs of the forward operation) it feeds.
Edge: TypeAlias = "tuple[Node | None, int]"
NO_EDGE: Edge = (None, 0)
Gradients: TypeAlias = "tuple[Tensor | None, ...]"


class GradientEdge(NamedTuple):
    """A place in the graph, that backward and grad take where they take a tensor."""

    node: Node
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


class _InputMetadata:
    """What ``Node._input_metadata`` shows of one input."""

    __slots__ = ("dtype", "shape")
    __module__ = "torch._C._autograd"

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = list(shape), dtypes.BY_NUMPY[dtype]

    @property
    def device(self) -> Any:
        return CPU

    is_nested_tensor = is_cpp_nested_tensor = False


class NodeHooks:
    """The hooks of one node, in the order in which they run.

    ``tensor_pre`` and ``retains_grad`` belong to tensors and carry the output number of theirs; ``pre`` and
    ``post`` belong to the node and see all its gradients.
    """

    __slots__ = ("post", "pre", "retains_grad", "tensor_pre")

    def __init__(self) -> None:
        self.tensor_pre: list[tuple[int, dict[int, Callable[..., Any]]]] = []
        self.retains_grad: dict[int, weakref.ref[Tensor]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] | None = None  # made with the first, and then there for good


_PUBLIC_ATTRIBUTES = (
    "__call__", "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata", "name",
    "next_functions", "register_hook", "register_prehook", "requires_grad",
)  # fmt: skip


class Node:
    """One step of the backward pass: takes the gradients of its outputs, returns those of its inputs.

    An edge is kept as its two halves, the node it leads to and which of that node's inputs it feeds: an object for each
    edge is one more for Python's cyclic collection to look at, and most feed input 0.

    Invariants: ``len(next_nodes)`` is what ``apply`` returns; ``input_metadata`` has one entry for each
    gradient it takes; ``sequence_nr`` grows with creation, so that a node comes after all it leads to; see FIRST.
    """

    __slots__ = ("_metadata", "hooks", "input_metadata", "input_nrs", "next_nodes", "sequence_nr")
    __module__ = "builtins"

    next_nodes: tuple[Node | None, ...]
    input_nrs: tuple[int, ...]
    input_metadata: tuple[InputMetadata, ...]
    sequence_nr: int
    hooks: NodeHooks | None  # made with the first hook
    _metadata: dict[str, Any]  # made when first asked for
    selective = True  # computes only what the pass needs
    accepts_batches = False  # of gradients, as they are; see Note [Batched gradients]
    visible_edges: Callable[[tuple[Edge, ...]], tuple[Edge, ...]] | None = (
        None  # see Note [Levels of one graph]
    )

    def apply(self, grads: Gradients) -> Gradients:
        """The gradients of the inputs, given those of the outputs (None: undefined, taken as zero)."""
        raise NotImplementedError

    def release(self) -> None:
        """Drop what was saved for backward."""

    # What torch shows of a node -------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        """torch's names: what the engine keeps in a node besides is no one's business."""
        saved = [name for name in object.__dir__(self) if name.startswith(("_saved_", "_raw_saved_"))]
        return [*dir(object), *_PUBLIC_ATTRIBUTES, *saved]

    def name(self) -> str:
        """The node's name; with its namespace for those that are not generated."""
        return type(self).__name__

    @property
    def next_edges(self) -> tuple[Edge, ...]:
        """The edges, as pairs of node (or None) and input number."""
        return tuple(zip(self.next_nodes, self.input_nrs, strict=True))

    @next_edges.setter
    def next_edges(self, edges: Iterable[Edge]) -> None:
        pairs = tuple(edges)
        self.next_nodes = tuple(node for node, _ in pairs)
        self.input_nrs = tuple(number for _, number in pairs)

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """The edges, as torch's Python shows them."""
        return self.next_edges if Node.visible_edges is None else Node.visible_edges(self.next_edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user; anomaly mode keeps the forward traceback in it."""
        if not hasattr(self, "_metadata"):
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        return True

    @property
    def _input_metadata(self) -> tuple[_InputMetadata, ...]:
        return tuple(_InputMetadata(*each) for each in self.input_metadata)

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, value: int) -> None:
        self.sequence_nr = value

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """Run ``hook(grad_inputs, grad_outputs)`` after the node; it may replace the grad_inputs."""
        hooks = node_hooks(self)
        if hooks.post is None:
            hooks.post = {}
        return add_hook(hooks.post, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        """Run ``hook(grad_outputs)`` before the node; it may replace them."""
        return add_hook(node_hooks(self).pre, hook)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        node_hooks(self).tensor_pre.append((tensor._output_nr, tensor._hooks))

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise TypeError("keyword arguments are not supported")
        if len(grads) != len(self.input_metadata):
            raise TypeError(f"expected {len(self.input_metadata)} arguments, got {len(grads)} instead")
        for number, each in enumerate(grads):
            if each is not None and not is_tensor(each):
                raise TypeError(f"argument {number} is not a Variable")
        result = self.apply(grads)
        return result[0] if len(result) == 1 else tuple(result)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def node_hooks(node: Node) -> NodeHooks:
    """The node's hooks, made when first asked for."""
    hooks = node.own_hooks if isinstance(node, AccumulateGrad) else node.hooks
    if hooks is None:
        hooks = node.hooks = NodeHooks()
    return hooks


# The sequence number of what runs before all else that is ready: leaves, and what only raises.
MAX_SEQUENCE_NR = 2**64 - 1


def new_node(cls: type[Any]) -> Any:
    """A node with the next sequence number of this thread; edges and metadata are the caller's to set."""
    node = cls.__new__(cls)
    node.hooks = None
    recorder = state.recorder
    node.sequence_nr = MAX_SEQUENCE_NR if issubclass(cls, Error) else next(recorder.sequence_nrs)
    if recorder.anomaly:
        store_traceback(node)
    return node


def store_traceback(node: Node) -> None:
    """Keep, in anomaly mode, where the operation was called, and by which node where one is running."""
    node.metadata["traceback_"] = forward_traceback()
    if state.evaluating is not None:
        node.metadata["parent_"] = state.evaluating


def forward_traceback() -> list[str]:
    """Where in the user's program the running operation was called."""
    import traceback  # slow to import

    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith((FOLDER, "<row ")):
        frames.pop()
    return frames.format()


class AccumulateGrad(Node):
    """Where a leaf's gradient ends: adds it to the leaf's ``grad``.

    The leaf refers weakly to its accumulator, the accumulator strongly to the leaf: it lives as long as a graph
    that uses the leaf. What it does is in _autograd/accumulate_grad.py.
    """

    __slots__ = ("__weakref__", "own_hooks", "variable")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "variable"]

    variable: Tensor
    own_hooks: NodeHooks | None

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    @property
    def _input_metadata(self) -> tuple[_InputMetadata, ...]:
        array = self.variable._array  # whatever gradients the leaf takes
        return (_InputMetadata(array.shape, array.dtype),)

    @property
    def hooks(self) -> NodeHooks | None:
        """The node's own hooks, and before them those of the leaf."""
        own = self.own_hooks
        on_leaf = self.variable._hooks
        if not on_leaf:
            return own
        both = NodeHooks()
        both.tensor_pre = [(0, on_leaf)]
        if own is not None:
            both.pre, both.post = own.pre, own.post
        return both

    @hooks.setter
    def hooks(self, value: NodeHooks | None) -> None:
        self.own_hooks = value


def grad_accumulator(tensor: Tensor) -> AccumulateGrad:
    """The leaf's one accumulator, made when first needed."""
    reference = tensor._grad_accumulator
    if reference is not None:
        found: AccumulateGrad | None = reference()
        if found is not None:
            return found
    node = AccumulateGrad.__new__(AccumulateGrad)
    node.sequence_nr = MAX_SEQUENCE_NR
    node.next_nodes = node.input_nrs = ()
    own = tensor._grad_dtype is False and tensor._shared_metadata
    node.input_metadata = own or ((tensor._array.shape, tensor._gradient_type()),)
    node.variable, node.own_hooks = tensor, None
    if state.anomaly:
        store_traceback(node)
    tensor._grad_accumulator = weakref.ref(node)
    return node


def gradient_edge(tensor: Tensor) -> Edge:
    """Where a gradient of this tensor flows: its grad_fn, or its accumulator; none if it requires no grad.

    A view made under no_grad of a leaf requires grad because its base does, but has no place in the graph.
    """
    node = tensor._node if tensor._view is None else tensor.grad_fn
    if node is not None:
        return (node, tensor._output_nr)
    return (grad_accumulator(tensor), 0) if tensor._requires_grad else NO_EDGE


class GraphRoot(Node):
    """The root of a backward pass with several outputs: hands each its gradient."""

    __slots__ = ("gradients",)
    gradients: Gradients

    def apply(self, grads: Gradients) -> Gradients:
        return self.gradients


class Identity(Node):
    """Hands the gradient on: of the primal of a dual; also stands for an input that the graph cannot reach."""

    __slots__ = ()

    def name(self) -> str:
        return "torch::autograd::Identity"

    def apply(self, grads: Gradients) -> Gradients:
        return grads


class Alias(Identity):
    """An Identity of torch.func, to which a level is an alias."""

    __slots__ = ()

    def name(self) -> str:
        return "AliasBackward0"


class Error(Node):
    """The node of a result that must not be differentiated again; raises when reached."""

    __slots__ = ("message",)
    message: str

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grads: Gradients) -> Gradients:
        raise RuntimeError(self.message)


class NotImplementedNode(Error):  # noqa: N818 - a node, and no exception
    """The node of an operation whose derivative torch does not have."""

    __slots__ = ("operation",)
    operation: str

    def name(self) -> str:
        return "torch::autograd::NotImplemented"

    def apply(self, grads: Gradients) -> Gradients:
        raise RuntimeError(errors.NO_DERIVATIVE.format(self.operation))


NotImplementedNode.__name__ = NotImplementedNode.__qualname__ = "NotImplemented"
Alias.__name__ = Alias.__qualname__ = "AliasBackward0"
Identity.__name__ = Identity.__qualname__ = "CppFunction"  # torch has no class of its own for it
