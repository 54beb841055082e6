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
from .ownership import Owner

if TYPE_CHECKING:
    from .tensor import Tensor

# See Note [Slots].
add_hook: Callable[..., Any] = unfilled  # from hooks
is_tensor: Callable[[Any], bool] = unfilled  # from tensor

# A node, and which of its inputs (outputs of the forward operation) a gradient flows to.
Edge: TypeAlias = "tuple[Node | None, int]"
NO_EDGE: Edge = (None, 0)
Gradients: TypeAlias = "tuple[Tensor | None, ...]"


class GradientEdge(NamedTuple):
    """torch.autograd.graph.GradientEdge: an edge, which backward and grad accept in place of a tensor."""

    node: Node
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


class _InputMetadata:
    """One entry of ``Node._input_metadata``, as Python sees it."""

    __slots__ = ("dtype", "shape")
    __module__ = "torch._C._autograd"

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = list(shape), dtypes.BY_NUMPY[dtype]

    @property
    def device(self) -> Any:
        return CPU

    is_nested_tensor = is_cpp_nested_tensor = False


class NodeHooks:
    """The hooks of one node, in the order in which they run (torch: function_hook.h).

    ``tensor_pre`` and ``retains_grad`` are hooks of tensors, with the output number of each; ``pre`` and ``post`` are hooks
    of the node and get all its gradients. ``owner`` owns those of a node, see Note [Owned from C++].
    """

    __slots__ = ("owner", "post", "pre", "retains_grad", "tensor_pre")

    def __init__(self) -> None:
        self.tensor_pre: list[tuple[int, dict[int, Callable[..., Any]]]] = []
        self.retains_grad: dict[int, weakref.ref[Tensor]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] | None = None  # None until the first hook is registered
        self.owner: Owner


_PUBLIC_ATTRIBUTES = (
    "__call__", "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata", "name",
    "next_functions", "register_hook", "register_prehook", "requires_grad",
)  # fmt: skip


class Node:
    """A node of the autograd graph: takes the gradients of its outputs and returns those of its inputs (torch: Node).

    Edges are stored as two tuples, ``next_nodes`` and ``input_nrs``, since a tuple for each edge would be one more object
    for Python's garbage collector to visit.

    Invariants: ``_apply`` returns one gradient for each of ``next_nodes``; ``input_metadata`` has one entry for each gradient
    that ``_apply`` takes; ``sequence_nr`` grows with creation, so a node has a greater one than all nodes that it leads to,
    except those with MAX_SEQUENCE_NR.
    """

    __slots__ = ("_metadata", "hooks", "input_metadata", "input_nrs", "next_nodes", "sequence_nr")
    __module__ = "builtins"

    next_nodes: tuple[Node | None, ...]
    input_nrs: tuple[int, ...]
    input_metadata: tuple[InputMetadata, ...]
    sequence_nr: int
    hooks: NodeHooks | None  # None until the first hook is registered
    _metadata: dict[str, Any]  # created on first access
    selective = True  # a built-in node: computes only the gradients that the pass needs
    accepts_batches = (
        False  # whether ``_apply`` is called with batched gradients; see Note [Batched gradients]
    )
    visible_edges: Callable[[tuple[Edge, ...]], tuple[Edge, ...]] | None = (
        None  # see Note [Levels of one graph]
    )

    def _apply(self, grads: Gradients) -> Gradients:
        """The gradients of the inputs, given those of the outputs (None: undefined, taken as zero)."""
        raise NotImplementedError

    def release(self) -> None:
        """Drop what was saved for backward."""

    # Public attributes ---------------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        """The attributes that torch's nodes have; the engine's own are left out."""
        saved = [name for name in object.__dir__(self) if name.startswith(("_saved_", "_raw_saved_"))]
        return [*dir(object), *_PUBLIC_ATTRIBUTES, *saved]

    def name(self) -> str:
        """The node's name; hand-written nodes of torch have their C++ namespace."""
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
        """The edges that Python sees: without the nodes of torch.func's levels."""
        return self.next_edges if Node.visible_edges is None else Node.visible_edges(self.next_edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user; anomaly mode stores the forward traceback in it."""
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
            hooks.owner.own(hooks.post)
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
        result = self._apply(grads)
        return result[0] if len(result) == 1 else tuple(result)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def node_hooks(node: Node) -> NodeHooks:
    """The node's hooks, created on first access."""
    hooks = node.own_hooks if isinstance(node, AccumulateGrad) else node.hooks
    if hooks is None:
        hooks = node.hooks = NodeHooks()
        hooks.owner = Owner(hooks.tensor_pre, hooks.pre)
    return hooks


# The sequence number of AccumulateGrad and Error nodes, which run before all other ready nodes.
MAX_SEQUENCE_NR = 2**64 - 1


def new_node(cls: type[Any]) -> Any:
    """Create a node with the next sequence number of this thread; the caller sets its edges and metadata."""
    node = cls.__new__(cls)
    node.hooks = None
    recorder = state.recorder
    node.sequence_nr = MAX_SEQUENCE_NR if issubclass(cls, Error) else next(recorder.sequence_nrs)
    if recorder.anomaly:
        store_traceback(node)
    return node


def store_traceback(node: Node) -> None:
    """In anomaly mode, store the forward traceback and the node that is running (torch: AnomalyMetadata::store_stack)."""
    node.metadata["traceback_"] = forward_traceback()
    if state.evaluating is not None:
        node.metadata["parent_"] = state.evaluating


def forward_traceback() -> list[str]:
    """The traceback of the line in the user's program that called the running operation."""
    import traceback  # slow to import

    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith((FOLDER, "<row ")):
        frames.pop()
    return frames.format()


class AccumulateGrad(Node):
    """The node of a leaf: adds the incoming gradient to the leaf's ``grad``.

    The leaf has a weak reference to its node, the node a strong one to the leaf: so the node lives as long as a graph that
    uses the leaf. Its ``_apply`` is in _autograd/accumulate_grad.py.
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
        array = self.variable._array  # whatever its grad_dtype
        return (_InputMetadata(array.shape, array.dtype),)

    @property
    def hooks(self) -> NodeHooks | None:
        """The hooks of the leaf, then those of the node itself."""
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
    """The AccumulateGrad node of a leaf, created on first access (torch: impl::grad_accumulator)."""
    reference = tensor._grad_accumulator
    if reference is not None:
        result: AccumulateGrad | None = reference()
        if result is not None:
            return result
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
    """The edge to which a gradient of this tensor flows: its grad_fn, or its AccumulateGrad; NO_EDGE without requires_grad.

    A view of a leaf made under no_grad requires grad because its base does, but has no gradient edge (torch:
    impl::gradient_edge).
    """
    node = tensor._node if tensor._view is None else tensor.grad_fn
    if node is not None:
        return (node, tensor._output_nr)
    return (grad_accumulator(tensor), 0) if tensor._requires_grad else NO_EDGE


class GraphRoot(Node):
    """The root of a backward pass with several outputs: passes the given gradients on."""

    __slots__ = ("gradients",)
    gradients: Gradients

    def _apply(self, grads: Gradients) -> Gradients:
        return self.gradients


class Identity(Node):
    """Passes its gradient on: the node of a primal of a dual tensor, and of an input that the graph does not reach."""

    __slots__ = ()

    def name(self) -> str:
        return "torch::autograd::Identity"

    def _apply(self, grads: Gradients) -> Gradients:
        return grads


class Alias(Identity):
    """The Identity between two levels of torch.func, named as torch names it."""

    __slots__ = ()

    def name(self) -> str:
        return "AliasBackward0"


class Error(Node):
    """The node of a result that cannot be differentiated (again); its ``_apply`` raises."""

    __slots__ = ("message",)
    message: str

    def name(self) -> str:
        return "torch::autograd::Error"

    def _apply(self, grads: Gradients) -> Gradients:
        raise RuntimeError(self.message)


class NotImplementedNode(Error):  # noqa: N818 - a node, and no exception
    """The node of an operation that torch cannot differentiate."""

    __slots__ = ("operation",)
    operation: str

    def name(self) -> str:
        return "torch::autograd::NotImplemented"

    def _apply(self, grads: Gradients) -> Gradients:
        raise RuntimeError(errors.NO_DERIVATIVE.format(self.operation))


NotImplementedNode.__name__ = NotImplementedNode.__qualname__ = "NotImplemented"
Alias.__name__ = Alias.__qualname__ = "AliasBackward0"
Identity.__name__ = Identity.__qualname__ = (
    "CppFunction"  # the Python class of all C++ nodes without one of their own
)
