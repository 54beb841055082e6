"""The names a program may use: torch's dotted names, attributes, builtins, and two words for lifetime.

A name is here because a scenario can exercise it on the CPU and nothing that follows from it reaches a file, the
network, a process or a module. Groups are by area; ``operations`` are spelled once for ``torch.sin``,
``Tensor.sin`` and ``Tensor.sin_``.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["module", "class", "function", "value", "attribute"]


@dataclass(frozen=True, slots=True)
class Group:
    """Names of one kind that belong together; ``owner`` is a dotted module, or the class that has them."""

    area: str
    owner: str
    kind: Kind
    names: tuple[str, ...]


def _group(area: str, owner: str, kind: Kind, words: str) -> Group:
    return Group(area, owner, kind, tuple(words.split()))


def _operations(
    area: str, both: str = "", inplace: str = "", torch: str = "", method: str = ""
) -> list[Group]:
    """``both``: torch.f and Tensor.f; ``inplace``: these and Tensor.f_; or one of the two alone."""
    return [
        _group(area, "torch", "function", f"{both} {inplace} {torch}"),
        _group(area, "torch.Tensor", "attribute", f"{both} {inplace} {method}"),
        _group(area, "torch.Tensor", "attribute", " ".join(f"{name}_" for name in inplace.split())),
    ]


OPERATIONS: list[Group] = [
    *_operations(
        "arithmetic",
        inplace="""add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power
            neg negative reciprocal addcmul addcdiv lerp atan2 arctan2 hypot copysign heaviside xlogy ldexp
            nextafter gcd lcm bitwise_and bitwise_or bitwise_xor bitwise_not""",
        both="maximum minimum fmax fmin logaddexp logaddexp2 positive dist",
        torch="rsub",
    ),
    *_operations(
        "comparison",
        inplace="eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_and logical_or logical_not"
        " logical_xor",
        both="""isclose allclose equal isnan isinf isfinite isposinf isneginf isreal is_nonzero is_same_size""",
        torch="isin",
    ),
    *_operations(
        "unary",
        inplace="""abs absolute sign sgn square sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos
            atan arcsin arccos arctan sinh cosh tanh asinh acosh atanh arcsinh arccosh arctanh sigmoid logit erf
            erfc erfinv lgamma digamma polygamma mvlgamma i0 sinc ceil floor round trunc fix frac deg2rad rad2deg
            clamp clip clamp_min clamp_max nan_to_num relu""",
        both="signbit frexp conj real angle",
        torch="relu_ sigmoid_ tanh_ exp_ sin_ cos_ sqrt_ abs_ neg_ clamp_",
    ),
    *_operations(
        "reduction",
        both="""sum nansum mean nanmean prod std var amax amin aminmax max min all any argmax argmin logsumexp norm
            median nanmedian mode kthvalue quantile nanquantile count_nonzero trace cov corrcoef bincount histc""",
        torch="std_mean var_mean",
    ),
    *_operations(
        "scanning",
        inplace="cumsum cumprod",
        both="cummax cummin logcumsumexp sort argsort msort topk unique unique_consecutive diff",
        torch="searchsorted bucketize trapezoid trapz cumulative_trapezoid gradient",
    ),
    *_operations(
        "shape",
        inplace="squeeze unsqueeze transpose t swapaxes swapdims tril triu as_strided",
        both="""reshape ravel flatten unflatten broadcast_to permute movedim moveaxis narrow narrow_copy select unbind
            split split_with_sizes chunk tensor_split hsplit vsplit dsplit tile repeat_interleave roll flip fliplr
            flipud rot90 diagonal diag diag_embed diagflat clone select_scatter slice_scatter diagonal_scatter
            as_strided_scatter adjoint unsafe_chunk unsafe_split""",
        torch="""cat concat concatenate stack hstack vstack dstack row_stack column_stack atleast_1d atleast_2d
            atleast_3d meshgrid cartesian_prod combinations block_diag broadcast_tensors broadcast_shapes
            tril_indices triu_indices""",
        method="view view_as reshape_as expand expand_as repeat unfold sum_to_size contiguous T mT H mH",
    ),
    *_operations(
        "indexing",
        inplace="""index_add index_copy index_fill index_put index_reduce scatter scatter_add scatter_reduce
            masked_fill masked_scatter""",
        both="index_select gather masked_select where take take_along_dim nonzero argwhere",
        method="fill_diagonal_ put put_",
        torch="index_put_",
    ),
    *_operations(
        "matrix",
        inplace="addmm addmv addr addbmm baddbmm renorm",
        both="matmul mm bmm mv dot vdot inner outer ger kron cross",
        torch="einsum tensordot chain_matmul cdist vander bilinear",
    ),
    *_operations(
        "linalg",
        both="""det logdet slogdet inverse pinverse cholesky cholesky_solve cholesky_inverse qr svd matrix_exp
            matrix_power triangular_solve""",
    ),
    *_operations(
        "softmax",
        both="softmax log_softmax prelu",
        torch="selu selu_ celu celu_ rrelu rrelu_ threshold threshold_ dropout dropout_ alpha_dropout"
        " cosine_similarity pairwise_distance pdist",
    ),
    _group(
        "linalg",
        "torch.linalg",
        "function",
        """cholesky cond cross det diagonal eigh eigvals eigvalsh inv inv_ex lstsq lu lu_factor lu_solve matmul
        matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_triangular svd
        svdvals tensorinv tensorsolve vander vecdot vector_norm""",
    ),
    _group(
        "special",
        "torch.special",
        "function",
        """digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e log1p log_ndtr
        log_softmax logit logsumexp multigammaln ndtr ndtri polygamma psi round sinc softmax xlog1py xlogy zeta
        bessel_j0 bessel_j1""",
    ),
]

TENSORS: list[Group] = [
    _group(
        "creation",
        "torch",
        "function",
        """tensor as_tensor asarray zeros ones full empty zeros_like ones_like full_like empty_like empty_strided arange
        linspace logspace eye scalar_tensor from_numpy fill complex polar""",
    ),
    _group("creation", "torch.Tensor", "attribute", "new_tensor new_zeros new_ones new_full new_empty"),
    _group(
        "random",
        "torch",
        "function",
        """rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson
        manual_seed get_rng_state set_rng_state initial_seed""",
    ),
    _group("random", "torch", "class", "Generator"),
    _group("random", "torch", "value", "default_generator"),
    _group("random", "torch.random", "function", "manual_seed fork_rng get_rng_state set_rng_state"),
    _group(
        "random",
        "torch.Tensor",
        "attribute",
        "normal_ uniform_ bernoulli bernoulli_ exponential_ geometric_ cauchy_ log_normal_ random_ multinomial",
    ),
    _group("random", "torch.Generator", "attribute", "manual_seed get_state set_state initial_seed device"),
    _group("types", "torch", "class", "Tensor Size dtype device finfo iinfo"),
    _group(
        "types",
        "torch",
        "value",
        """float16 float32 float64 half float double bfloat16 int8 int16 int32 int64 short int long uint8 bool
        complex64 complex128 cfloat cdouble strided contiguous_format preserve_format channels_last pi e inf nan
        newaxis""",
    ),
    _group("types", "torch.finfo", "attribute", "eps max min tiny smallest_normal resolution bits"),
    _group(
        "types",
        "torch",
        "function",
        """get_default_dtype set_default_dtype result_type promote_types can_cast is_tensor is_floating_point
        is_complex numel""",
    ),
    _group(
        "types",
        "torch.Tensor",
        "attribute",
        """to type type_as half float double bfloat16 int long short char byte bool cpu cuda
        is_floating_point is_complex is_signed dtype device is_cuda""",
    ),
    _group("types", "torch.device", "attribute", "type index"),
    _group("types", "torch.cuda", "function", "is_available"),
    _group(
        "tensor",
        "torch.Tensor",
        "attribute",
        """shape size dim ndim ndimension numel nelement stride storage_offset element_size itemsize nbytes is_contiguous
        data_ptr untyped_storage item tolist numpy is_set_to""",
    ),
    _group("tensor", "torch.UntypedStorage", "attribute", "data_ptr nbytes size tolist"),
    _group("in-place", "torch.Tensor", "attribute", "copy_ fill_ zero_ resize_ set_ resize_as_ apply_ map_"),
]

AUTOGRAD: list[Group] = [
    _group(
        "autograd",
        "torch.Tensor",
        "attribute",
        """backward grad grad_fn requires_grad requires_grad_ is_leaf retain_grad retains_grad detach detach_ data
        output_nr grad_dtype register_hook register_post_accumulate_grad_hook _version _base _is_view is_inference
        _backward_hooks _post_accumulate_grad_hooks _grad _grad_fn""",
    ),
    _group("autograd", "torch", "function", "detach detach_ is_inference"),
    _group("autograd", "torch.autograd", "function", "backward grad gradcheck gradgradcheck"),
    _group("autograd", "torch.autograd", "class", "Function Variable"),
    _group("functional", "torch.autograd.functional", "function", "jacobian hessian vjp jvp hvp vhp"),
    _group("functional", "torch.autograd.gradcheck", "class", "GradcheckError"),
    _group(
        "modes",
        "torch",
        "class",
        "no_grad enable_grad set_grad_enabled inference_mode",
    ),
    _group(
        "modes",
        "torch",
        "function",
        """is_grad_enabled is_inference_mode_enabled is_anomaly_enabled is_anomaly_check_nan_enabled""",
    ),
    _group(
        "modes",
        "torch.autograd",
        "class",
        """no_grad enable_grad set_grad_enabled inference_mode detect_anomaly set_detect_anomaly
        set_multithreading_enabled""",
    ),
    _group(
        "modes",
        "torch.autograd.grad_mode",
        "class",
        "no_grad enable_grad set_grad_enabled inference_mode set_multithreading_enabled",
    ),
    _group("modes", "torch.autograd.anomaly_mode", "class", "detect_anomaly set_detect_anomaly"),
    _group("graph", "torch.autograd.graph", "class", "Node GradientEdge"),
    _group("graph", "torch.autograd.graph", "function", "get_gradient_edge increment_version"),
    _group("hooks", "torch.autograd.graph", "function", "register_multi_grad_hook"),
    _group(
        "saved tensors",
        "torch.autograd.graph",
        "class",
        "saved_tensors_hooks save_on_cpu disable_saved_tensors_hooks allow_mutation_on_saved_tensors",
    ),
    _group("saved tensors", "SavedTensor", "attribute", "register_hooks"),
    _group(
        "graph",
        "Node",
        "attribute",
        "name next_functions metadata variable register_hook register_prehook _sequence_nr _input_metadata",
    ),
    _group("graph", "torch.autograd.graph.GradientEdge", "attribute", "node output_nr ownership_token"),
    _group("hooks", "Handle", "attribute", "remove id"),
    _group("custom functions", "torch.autograd.function", "class", "Function FunctionCtx InplaceFunction"),
    _group("custom functions", "torch.autograd.function", "function", "once_differentiable"),
    _group(
        "custom functions",
        "Function",
        "attribute",
        """apply forward backward setup_context save_for_backward saved_tensors saved_variables needs_input_grad
        mark_dirty mark_non_differentiable set_materialize_grads materialize_grads to_save non_differentiable
        dirty_tensors""",
    ),
    _group(
        "checkpoint",
        "torch.utils.checkpoint",
        "function",
        "checkpoint checkpoint_sequential set_checkpoint_early_stop",
    ),
]

NN: list[Group] = [
    _group("nn", "torch.nn", "class", "Module Parameter Buffer ParameterList ParameterDict"),
    _group("nn", "torch.nn.parameter", "class", "Parameter"),
    _group("nn", "torch.nn", "class", "Sequential ModuleList ModuleDict Identity Flatten Unflatten"),
    _group(
        "layers",
        "torch.nn",
        "class",
        """Linear Bilinear Embedding Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d MaxPool1d MaxPool2d AvgPool1d
        AvgPool2d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d LPPool1d LPPool2d
        LayerNorm GroupNorm RMSNorm BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d Dropout
        Dropout1d Dropout2d AlphaDropout ZeroPad2d ConstantPad1d ConstantPad2d Upsample PixelShuffle
        CosineSimilarity PairwiseDistance""",
    ),
    _group(
        "activations",
        "torch.nn",
        "class",
        """ReLU ReLU6 LeakyReLU PReLU RReLU ELU SELU CELU GELU SiLU Mish Sigmoid LogSigmoid Hardsigmoid Hardswish
        Hardtanh Hardshrink Softshrink Tanhshrink Tanh Softplus Softsign Softmax Softmin LogSoftmax GLU Threshold""",
    ),
    _group(
        "losses",
        "torch.nn",
        "class",
        """MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss KLDivLoss
        PoissonNLLLoss GaussianNLLLoss HingeEmbeddingLoss MarginRankingLoss CosineEmbeddingLoss SoftMarginLoss
        TripletMarginLoss MultiMarginLoss""",
    ),
    _group(
        "activations",
        "torch.nn.functional",
        "function",
        """relu relu_ relu6 leaky_relu leaky_relu_ prelu rrelu rrelu_ elu elu_ selu selu_ celu celu_ gelu silu mish
        sigmoid logsigmoid hardsigmoid hardswish hardtanh hardtanh_ hardshrink softshrink tanhshrink tanh softplus
        softsign softmax softmin log_softmax glu threshold threshold_ gumbel_softmax""",
    ),
    _group(
        "layers",
        "torch.nn.functional",
        "function",
        """linear bilinear embedding one_hot conv1d conv2d conv3d conv_transpose1d conv_transpose2d max_pool1d max_pool2d
        avg_pool1d avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d
        lp_pool1d lp_pool2d layer_norm group_norm rms_norm batch_norm instance_norm normalize dropout dropout1d
        dropout2d alpha_dropout pad unfold fold interpolate pixel_shuffle cosine_similarity pairwise_distance
        pdist scaled_dot_product_attention""",
    ),
    _group(
        "losses",
        "torch.nn.functional",
        "function",
        """mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy nll_loss binary_cross_entropy
        binary_cross_entropy_with_logits kl_div poisson_nll_loss gaussian_nll_loss hinge_embedding_loss
        margin_ranking_loss cosine_embedding_loss soft_margin_loss triplet_margin_loss multi_margin_loss""",
    ),
    _group(
        "init",
        "torch.nn.init",
        "function",
        """uniform_ normal_ constant_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ kaiming_uniform_
        kaiming_normal_ trunc_normal_ orthogonal_ sparse_ calculate_gain""",
    ),
    _group(
        "nn utils",
        "torch.nn.utils",
        "function",
        """clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector
        vector_to_parameters""",
    ),
    _group(
        "nn",
        "torch.nn.Module",
        "attribute",
        """forward parameters named_parameters buffers named_buffers children named_children modules named_modules
        register_buffer register_parameter register_module add_module get_parameter get_buffer get_submodule
        state_dict load_state_dict train eval training zero_grad requires_grad_ apply to half float double extra_repr
        register_forward_hook register_forward_pre_hook register_full_backward_hook
        register_full_backward_pre_hook register_backward_hook register_state_dict_pre_hook
        register_load_state_dict_post_hook _parameters _buffers _modules""",
    ),
    _group(
        "nn",
        "Module",
        "attribute",
        """weight bias in_features out_features in1_features in2_features num_embeddings embedding_dim padding_idx
        in_channels out_channels kernel_size stride padding dilation groups num_features eps momentum affine
        track_running_stats running_mean running_var num_batches_tracked normalized_shape elementwise_affine p
        inplace negative_slope num_parameters alpha beta reduction reset_parameters reset_running_stats
        missing_keys unexpected_keys""",
    ),
]

OPTIM: list[Group] = [
    _group(
        "optim",
        "torch.optim",
        "class",
        "Optimizer SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam Rprop ASGD LBFGS",
    ),
    _group(
        "optim",
        "torch.optim.lr_scheduler",
        "class",
        """LRScheduler StepLR MultiStepLR ExponentialLR LambdaLR MultiplicativeLR ConstantLR LinearLR CosineAnnealingLR
        ReduceLROnPlateau SequentialLR""",
    ),
    _group(
        "optim",
        "torch.optim.Optimizer",
        "attribute",
        """step zero_grad param_groups state defaults state_dict load_state_dict add_param_group
        register_step_pre_hook register_step_post_hook""",
    ),
    _group(
        "optim",
        "Scheduler",
        "attribute",
        "step get_last_lr get_lr last_epoch base_lrs state_dict load_state_dict",
    ),
]

PYTHON: list[Group] = [
    _group(
        "results", "Result", "attribute", "values indices sign logabsdet eigenvalues eigenvectors solution"
    ),
    _group(
        "results", "Result", "attribute", "Q R U S V Vh L P LU pivots info residuals rank singular_values"
    ),
    _group("results", "Result", "attribute", "min max mantissa exponent inverse"),
    _group(
        "python",
        "list",
        "attribute",
        "append extend insert pop remove clear index count sort reverse copy",
    ),
    _group("python", "dict", "attribute", "keys items get setdefault update popitem fromkeys"),
    _group("python", "set", "attribute", "add discard union intersection difference issubset issuperset"),
    _group(
        "python",
        "str",
        "attribute",
        """join split rsplit splitlines strip lstrip rstrip startswith endswith replace upper lower find title
        partition isdigit zfill ljust rjust""",
    ),
    _group("python", "float", "attribute", "real imag is_integer conjugate bit_length hex"),
    _group("python", "slice", "attribute", "start stop step"),
    _group("python", "generator", "attribute", "send throw close"),
    _group("python", "property", "attribute", "setter getter"),
    _group("python", "BaseException", "attribute", "args"),
]

GROUPS: tuple[Group, ...] = (*OPERATIONS, *TENSORS, *AUTOGRAD, *NN, *OPTIM, *PYTHON)

BUILTINS = frozenset(
    """abs all any bool callable chr complex dict divmod enumerate filter float format frozenset hasattr hash id int
    isinstance issubclass iter len list map max min next object ord pow print property range repr reversed round set
    slice sorted staticmethod classmethod str sum super tuple zip bytes
    NotImplemented Ellipsis""".split()
)
EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type)
    and issubclass(value, Exception)
    and not issubclass(value, (OSError, ImportError))
    and not issubclass(value, (SyntaxError, BaseExceptionGroup))
)
TORCH_EXCEPTIONS = frozenset({"LinAlgError", "_LinAlgError", "GradcheckError", "CheckpointError"})

LIFETIME = {
    "weakref": "weakref(tensor) is a weak reference: called, it gives the tensor, or None once it is freed",
    "collect": "collect() runs the collector of cyclic garbage",
}
"""The two words for lifetime, bound beside torch."""

BOUND = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "autograd": "torch.autograd",
}
"""The modules that every program has without importing them."""


def _kinds() -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for group in GROUPS:
        if group.kind == "attribute":
            continue
        parts = group.owner.split(".")
        for length in range(1, len(parts) + 1):
            kinds.setdefault(".".join(parts[:length]), "module")
        kinds.update((f"{group.owner}.{name}", group.kind) for name in group.names)
    return kinds


PATHS: dict[str, Kind] = _kinds()
"""Every dotted name, with what it is."""

ATTRIBUTES: frozenset[str] = frozenset(
    name for group in GROUPS if group.kind == "attribute" for name in group.names
)
"""Every attribute that may be read of anything; nodes' ``_saved_...`` besides."""

BASES: frozenset[str] = frozenset(
    path
    for path, kind in PATHS.items()
    if kind == "class" and path.startswith(("torch.nn.", "torch.optim.", "torch.autograd."))
) - {"torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer", "torch.autograd.Variable"}
"""The classes that a program may derive its own from."""


def is_attribute(name: str) -> bool:
    """Whether ``name`` may be read as an attribute of anything."""
    return name in ATTRIBUTES or name.startswith(("_saved_", "_raw_saved_"))


@cache
def reserved() -> frozenset[str]:
    """What classes and modules of the vocabulary have beside it: no program may store under such a name.

    Else a program could store ``hub`` on a module of its own and then read it from torch.
    """
    text = resources.files("conformance.spec").joinpath("reserved.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def children(path: str) -> list[str]:
    """The names right below a dotted name."""
    prefix = f"{path}."
    return [
        name[len(prefix) :] for name in PATHS if name.startswith(prefix) and "." not in name[len(prefix) :]
    ]


def entries() -> Iterator[tuple[str, str]]:
    """Area and full name of everything that torch has: ``("unary", "torch.sin")``, ``("unary", "torch.Tensor.sin_")``."""
    for group in GROUPS:
        if group.area not in ("python", "results"):
            for name in group.names:
                yield group.area, f"{group.owner}.{name}"
