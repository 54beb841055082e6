"""torch.nn.functional."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._arguments.absent_names import look_up
from .._arguments.argument_errors import check_all_arguments, check_all_kernel_arguments
from .._arguments.torch_api import public_names
from .._aten.blas.matmul import linear
from .._c10.keyword_names import taking_numpy_names

_PUBLIC = public_names("torch.nn.functional")
_MODULES = """
activation convolution ctc_loss distance dropout embedding embedding_bag fractional_pooling grid_sample interpolate
linear_cross_entropy loss margin_loss multi_head_attention normalization padding pooling scaled_dot_product_attention
"""
for _name in _MODULES.split():
    _found = vars(import_module(f"..._nn.{_name}", __name__))  # the first that has a name defines it
    _own = {name: each for name, each in _found.items() if name in _PUBLIC}
    globals().update(_own | {name: globals()[name] for name in _own.keys() & globals().keys()})

# Functions that torch does not write in Python.
_NATIVE = """
adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ conv1d conv2d conv3d conv_transpose1d
conv_transpose2d conv_transpose3d cosine_similarity elu_ hardtanh_ leaky_relu_ one_hot pairwise_distance pdist prelu
relu_ rrelu_ scaled_dot_product_attention selu_ threshold_
"""
globals().update(
    check_all_arguments({name: taking_numpy_names(globals()[name], name) for name in _NATIVE.split()})
)
# Functions whose Python part in torch accepts any object: only the arguments of the C++ function below are checked.
_KERNELS = """
alpha_dropout: alpha_dropout(Tensor input, object p, bool train@training)
batch_norm: batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps)
cosine_embedding_loss: cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin)
cross_entropy: cross_entropy_loss(Tensor input, Tensor target, Tensor? weight, object reduction, int ignore_index, float label_smoothing)
dropout: dropout(Tensor input, object p, bool train@training)
dropout1d: feature_dropout(object input, object p, bool train@training)
dropout2d: feature_dropout(object input, object p, bool train@training)
dropout3d: feature_dropout(object input, object p, bool train@training)
embedding: embedding(Tensor weight, Tensor indices@input, int? padding_idx, bool scale_grad_by_freq, bool sparse)
feature_alpha_dropout: feature_alpha_dropout(Tensor input, object p, bool train@training)
glu: glu(object input, int dim)
grid_sample: grid_sampler(Tensor input, Tensor grid, object mode, object padding_mode, bool? align_corners)
group_norm: group_norm(object input, int num_groups, Tensor? weight, Tensor? bias, float eps)
hinge_embedding_loss: hinge_embedding_loss(Tensor input, Tensor target, float margin)
huber_loss: huber_loss(object input, object target, object reduction, float delta)
instance_norm: instance_norm(object input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps)
kl_div: kl_div(Tensor input, Tensor target, object reduction, *, bool log_target)
layer_norm: layer_norm(Tensor input, tuple of ints[] normalized_shape, Tensor? weight, Tensor? bias, float eps)
margin_ranking_loss: margin_ranking_loss(object input1, object input2, object target, float margin)
multilabel_margin_loss: multilabel_margin_loss(Tensor input, Tensor target)
multi_margin_loss: multi_margin_loss(object input, object target, object p, Number margin)
nll_loss: nll_loss_nd(Tensor input, Tensor target, Tensor? weight, object reduction, int ignore_index)
pad: pad(Tensor input, object pad, str mode, float? value)
poisson_nll_loss: poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps)
rms_norm: rms_norm(Tensor input, tuple of ints[] normalized_shape, Tensor? weight, float? eps)
rrelu: rrelu(Tensor input, Number lower, Number upper, bool training)
smooth_l1_loss: smooth_l1_loss(object input, object target, object reduction, float beta)
triplet_margin_loss: triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, object margin, float p, float eps, bool swap)
"""
globals().update(check_all_kernel_arguments(globals(), _KERNELS))
_look_up = look_up("torch.nn.functional")


def __getattr__(name: str) -> Any:
    if name == "grad":
        return import_module("..grad", __name__)
    return _look_up(name)
