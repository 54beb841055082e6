"""Sample objects of the types whose attributes the vocabulary names, created with the engine's torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Make = Callable[[Any], Any]

_MODULES: tuple[Make, ...] = (
    lambda torch: torch.nn.Linear(2, 2),
    lambda torch: torch.nn.Bilinear(1, 1, 1),
    lambda torch: torch.nn.Embedding(2, 2),
    lambda torch: torch.nn.Conv2d(1, 1, 1),
    lambda torch: torch.nn.BatchNorm1d(2),
    lambda torch: torch.nn.SyncBatchNorm(2),
    lambda torch: torch.nn.LayerNorm(2),
    lambda torch: torch.nn.Dropout(),
    lambda torch: torch.nn.LeakyReLU(),
    lambda torch: torch.nn.PReLU(),
    lambda torch: torch.nn.FractionalMaxPool2d(1, 1),
    lambda torch: torch.nn.AvgPool2d(1),
    lambda torch: torch.nn.Upsample(2),
    lambda torch: torch.nn.ELU(),
    lambda torch: torch.nn.MSELoss(),
    lambda torch: torch.nn.RNN(1, 2, 2, bidirectional=True),
    lambda torch: torch.nn.LSTM(1, 2, proj_size=1),
    lambda torch: torch.nn.RNNCell(1, 1),
    lambda torch: torch.nn.MultiheadAttention(2, 1),
    lambda torch: torch.nn.TransformerEncoderLayer(2, 1, 2),
    lambda torch: torch.nn.Transformer(2, 1, 1, 1, 2),
    lambda torch: torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(2, 1, 2), 1),
    lambda torch: torch.nn.Softplus(),
    lambda torch: torch.optim.swa_utils.AveragedModel(torch.nn.Linear(1, 1)),
    lambda torch: torch.nn.Linear(1, 1).load_state_dict({}, strict=False),
    lambda torch: torch.nn.LazyLinear(1),
    lambda torch: torch.nn.UninitializedParameter,  # itself
    lambda torch: torch.nn.AdaptiveLogSoftmaxWithLoss(2, 2, [1]),
    lambda torch: torch.nn.AdaptiveLogSoftmaxWithLoss(2, 2, [1])(torch.ones(2), torch.tensor(0)),
    lambda torch: torch.nn.utils.prune.identity(torch.nn.Linear(1, 1), "weight"),
    lambda torch: torch.nn.utils.prune.identity(torch.nn.Linear(1, 1), "bias"),
)

_RESULTS: tuple[Make, ...] = (
    lambda torch: torch.ones(3).max(0),
    lambda torch: torch.ones(3).sort(),
    lambda torch: torch.linalg.slogdet(torch.eye(2)),
    lambda torch: torch.linalg.qr(torch.eye(2)),
    lambda torch: torch.svd(torch.eye(2)),
    lambda torch: torch.linalg.svd(torch.eye(2)),
    lambda torch: torch.linalg.eigh(torch.eye(2)),
    lambda torch: torch.linalg.lu(torch.eye(2)),
    lambda torch: torch.linalg.lu_factor(torch.eye(2)),
    lambda torch: torch.linalg.inv_ex(torch.eye(2)),
    lambda torch: torch.linalg.lstsq(torch.eye(2), torch.eye(2)),
    lambda torch: torch.aminmax(torch.ones(3)),
    lambda torch: torch.frexp(torch.ones(1)),
    lambda torch: torch.triangular_solve(torch.eye(2), torch.eye(2)),
    lambda torch: torch.nn.utils.rnn.pack_sequence([torch.ones(1)]),
)

_MAKERS: dict[str, tuple[Make, ...]] = {
    "torch.Tensor": (lambda torch: torch.ones(1, 1, requires_grad=True),),
    "torch.UntypedStorage": (lambda torch: torch.ones(1).untyped_storage(),),
    "torch.Generator": (lambda torch: torch.Generator(),),
    "torch.finfo": (lambda torch: torch.finfo(torch.float32),),
    "torch.device": (lambda torch: torch.ones(1).device,),
    "torch.autograd.graph.GradientEdge": (
        lambda torch: torch.autograd.graph.get_gradient_edge(torch.ones(1, requires_grad=True)),
    ),
    "torch.nn.Module": (lambda torch: torch.nn.Linear(1, 1),),
    "torch.optim.Optimizer": (lambda torch: _optimizer(torch),),
    "torch.amp.GradScaler": (lambda torch: torch.amp.GradScaler("cpu"),),
    "torch.distributions.Distribution": (
        lambda torch: torch.distributions.Normal(0.0, 1.0),
        lambda torch: torch.distributions.Uniform(0.0, 1.0),
        lambda torch: torch.distributions.Exponential(1.0),
        lambda torch: torch.distributions.Bernoulli(0.5),
        lambda torch: torch.distributions.Beta(1.0, 1.0),
        lambda torch: torch.distributions.Gamma(1.0, 1.0),
        lambda torch: torch.distributions.RelaxedBernoulli(torch.ones(1), 0.5),
        lambda torch: torch.distributions.MultivariateNormal(torch.zeros(1), torch.eye(1)),
        lambda torch: torch.distributions.Independent(torch.distributions.Normal(torch.zeros(1), 1.0), 1),
        lambda torch: torch.distributions.MixtureSameFamily(
            torch.distributions.Categorical(torch.ones(1)), torch.distributions.Normal(torch.zeros(1), 1.0)
        ),
    ),
    "Transform": (lambda torch: torch.distributions.ExpTransform(),),
    "Constraint": (
        lambda torch: torch.distributions.constraints.interval(0, 1),
        lambda torch: torch.distributions.constraints.cat([torch.distributions.constraints.real]),
        lambda torch: torch.distributions.constraints.real_vector,
    ),
    "torch.utils.checkpoint.CheckpointPolicy": (lambda torch: torch.utils.checkpoint.CheckpointPolicy,),
    "SelectiveCheckpointContext": (
        lambda torch: torch.utils.checkpoint.SelectiveCheckpointContext(is_recompute=False),
    ),
    "Node": (
        lambda torch: (torch.ones(1, requires_grad=True) * 2).grad_fn,
        lambda torch: (torch.ones(1, requires_grad=True) * 2).grad_fn.next_functions[0][0],
    ),
    "Variable": (lambda torch: torch.autograd.Variable,),
    "Engine": (lambda torch: torch.autograd.Variable._execution_engine,),
    "Handle": (lambda torch: torch.ones(1, requires_grad=True).register_hook(print),),
    "SavedTensor": (  # itself: such an object refers to its node, which may be freed
        lambda torch: type((torch.ones(1, requires_grad=True) ** 2).grad_fn._raw_saved_self),
    ),
    "Function": (lambda torch: torch.autograd.Function, lambda torch: _node(torch)),
    "Module": _MODULES,
    "Parametrized": (
        lambda torch: torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(1, 1)),
        lambda torch: (
            torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(1, 1)).parametrizations.weight
        ),
        lambda torch: (
            torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(1, 1)).parametrizations.weight
        ),
        lambda torch: torch.nn.utils.weight_norm(torch.nn.Linear(1, 1)),
    ),
    "VmapInfo": (lambda torch: _vmap_info(torch),),
    "Scheduler": (
        lambda torch: torch.optim.lr_scheduler.StepLR(_optimizer(torch), 1),
        lambda torch: torch.optim.lr_scheduler.ExponentialLR(_optimizer(torch), 0.5),
        lambda torch: torch.optim.lr_scheduler.ReduceLROnPlateau(_optimizer(torch)),
    ),
    "Result": _RESULTS,
    "torch.nn.attention.SDPBackend": (lambda torch: torch.nn.attention.SDPBackend,),
    "CustomOpDef": (lambda torch: _operator(torch),),
    "Operator": (
        lambda torch: _operator(torch)._opoverload,
        lambda torch: _operator(torch)._opoverload.overloadpacket,
    ),
    "Argument": (
        lambda torch: _operator(torch)._opoverload._schema.arguments[0],
        lambda torch: _operator(torch)._opoverload._schema,
    ),
    "torch.Tag": (lambda torch: torch.Tag,),
    "torch.library.Library": (lambda torch: torch.library.Library,),
}

OWNERS = frozenset(_MAKERS)
"""The types with samples; the vocabulary's other types are Python's own."""


def samples(torch: Any, owner: str) -> Iterator[Any]:
    """The samples of a type; those that raise are omitted."""
    for make in _MAKERS[owner]:
        try:
            yield make(torch)
        except Exception:
            continue


def _operator(torch: Any) -> Any:
    return torch.library.custom_op(
        "conformance::sample", lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor"
    )


def _optimizer(torch: Any) -> Any:
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)


def _node(torch: Any) -> Any:
    """The node of a custom Function, which has the attributes of ``ctx``."""

    class Square(torch.autograd.Function):  # type: ignore[misc]  # of any engine
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    return Square.apply(torch.ones(1, requires_grad=True)).grad_fn


def _vmap_info(torch: Any) -> Any:
    """The info that a Function's vmap rule receives."""
    infos: list[Any] = []

    class Same(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(x: Any) -> Any:
            return x.clone()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            infos.append(info)
            return x.clone(), 0

    torch.func.vmap(Same.apply)(torch.ones(1))
    return infos[0]
