"""torch.nn.modules: the classes of modules."""

import functools
from types import FunctionType
from typing import Any

from . import activation, batchnorm, conv, instancenorm, linear, padding, utils
from ._multihead_attention import MultiheadAttention
from .activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)  # fmt: skip
from .adaptive import AdaptiveLogSoftmaxWithLoss
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm
from .channelshuffle import ChannelShuffle
from .container import Container, ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .distance import CosineSimilarity, PairwiseDistance
from .dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from .flatten import Flatten, Unflatten
from .fold import Fold, Unfold
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
)  # fmt: skip
from .linear import Bilinear, Identity, Linear
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    CTCLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LinearCrossEntropyLoss,
    MarginRankingLoss,
    MSELoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    NLLLoss2d,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)  # fmt: skip
from .module import Module
from .normalization import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
from .padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)  # fmt: skip
from .pixelshuffle import PixelShuffle, PixelUnshuffle
from .pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)  # fmt: skip
from .rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell, RNNCellBase
from .sparse import Embedding, EmbeddingBag
from .transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)  # fmt: skip
from .upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

__all__ = [name for name, each in vars().items() if isinstance(each, type) and issubclass(each, Module)]


def _set_module_names(*modules: Any) -> None:
    """Set ``__module__`` of the classes to torch's modules."""
    for each in modules:
        each.__module__ = each.__module__.replace(__name__, "torch.nn.modules")


_set_module_names(*(globals()[name] for name in __all__))


def _set_torch_attributes(module: Any, *classes: Any) -> None:
    """Set the attributes of a torch module whose classes are defined in another file here."""
    for each in classes:
        each.__module__ = module.__name__.replace(__name__, "torch.nn.modules")
        setattr(module, each.__name__, each)


_set_torch_attributes(activation, MultiheadAttention)
_set_torch_attributes(batchnorm, LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d)
_set_torch_attributes(conv, LazyConv1d, LazyConv2d, LazyConv3d)
_set_torch_attributes(conv, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d)
_set_torch_attributes(instancenorm, LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d)
_set_torch_attributes(linear, LazyLinear)


# Names that several of torch's modules have.
_SHARED = frozenset(
    [
        "_AdaptiveAvgPoolNd.__init__",
        "_AdaptiveMaxPoolNd.__init__",
        "_BatchNorm.__init__",
        "_BatchNorm.forward",
        "_DropoutNd.__init__",
        "_InstanceNorm.__init__",
        "_InstanceNorm.forward",
        "_LPPoolNd.__init__",
        "_LazyNormBase.__init__",
        "_Loss.__init__",
        "_MaxPoolNd.__init__",
        "_NormBase.__init__",
        "_PadNd.forward",
        "_CircularPadNd.forward",
        "_ConstantPadNd.forward",
        "_WeightedLoss.__init__",
    ]
)


def _copy_inherited_methods(*modules: Any) -> None:
    """Give classes their own copies of inherited methods as in torch, whose qualified names errors about arguments show."""
    for each in sorted(modules, key=lambda module: len(module.__mro__)):
        for name in ("__init__", "forward", "pop"):
            method = getattr(each, name, None)
            shared = getattr(method, "__qualname__", "")
            if isinstance(method, FunctionType) and shared.startswith("_") and shared not in _SHARED:
                _copy_method(each, name)


def _copy_method(module: Any, name: str) -> None:
    """Copy an inherited method to a class under the class's qualified name."""
    method = getattr(module, name)
    parts = (method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    found = FunctionType(*parts)
    functools.update_wrapper(found, method)
    found.__kwdefaults__, found.__qualname__ = method.__kwdefaults__, f"{module.__name__}.{name}"
    del vars(found)["__wrapped__"]
    setattr(module, name, found)


_copy_inherited_methods(*(globals()[name] for name in __all__))
for _class in (batchnorm._BatchNorm, instancenorm._InstanceNorm):
    _copy_method(_class, "__init__")
for _padding in (padding._ReflectionPadNd, padding._ReplicationPadNd):
    _copy_method(_padding, "forward")
