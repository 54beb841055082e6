"""What a program uses that is of the CPU, or of one stream of random numbers, found by reading it.

Note [Elsewhere]: where torch itself is the engine, on another device, a program that names a device, passes memory to
NumPy or calls a constructor of the CPU's own tensors stays on the CPU whatever the default device is. It says nothing
about the other device and is left out. Another device draws other random numbers: from the first draw on, values are
not compared, all else is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from conformance.language.scenario import Scenario
from conformance.runner.recorder import expressions_of

Use: TypeAlias = Literal["a device", "NumPy", "a legacy constructor", "random numbers"]

SAID: Mapping[Use, str] = {
    "a device": "it names a device",
    "NumPy": "it shares memory with NumPy or Python",
    "a legacy constructor": "it calls a constructor of the CPU's own tensors",
    "random numbers": "it draws random numbers",
}

_DEVICE = re.compile(r"(cpu|cuda|meta|mps|xpu|xla|hpu|npu|mtia|privateuseone)(:\d+)?$")
_OF_DEVICES = frozenset(
    """
    cpu cuda xpu mps is_cpu is_cuda is_meta get_device set_default_device get_default_device Generator
    default_generator pin_memory is_pinned map_location accelerator device_count get_device_module share_memory_
    is_shared fork_rng data_ptr
    """.split()  # noqa: SIM905  one line for many words
)
_OF_MEMORY = frozenset(
    "numpy from_numpy frombuffer asarray as_tensor from_dlpack to_dlpack __array__ __dlpack__ from_buffer".split()  # noqa: SIM905
)
_OF_STORAGES = frozenset("Tensor UntypedStorage TypedStorage".split())  # noqa: SIM905
_LEGACY = re.compile(r"(Float|Double|Half|BFloat16|Int|Long|Short|Char|Byte|Bool)(Tensor|Storage)$")
_DRAWING = frozenset(
    """
    rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson binomial
    normal_ uniform_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ dropout dropout_ alpha_dropout
    alpha_dropout_ feature_dropout feature_dropout_ feature_alpha_dropout feature_alpha_dropout_ native_dropout
    dropout1d dropout2d dropout3d rrelu rrelu_ gumbel_softmax fractional_max_pool2d fractional_max_pool3d
    fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices sample rsample sample_n
    scaled_dot_product_attention multi_head_attention_forward svd_lowrank pca_lowrank lobpcg gradcheck gradgradcheck
    trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_ initial_seed
    seed random_structured random_unstructured reset_parameters RandomSampler random_split get_rng_state
    Linear Bilinear LazyLinear Embedding EmbeddingBag RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention
    Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer TransformerDecoderLayer RReLU
    Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d
    LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d Dropout Dropout1d Dropout2d Dropout3d AlphaDropout
    FeatureAlphaDropout FractionalMaxPool2d FractionalMaxPool3d AdaptiveLogSoftmaxWithLoss spectral_norm
    RandomStructured RandomUnstructured
    """.split()  # noqa: SIM905
)


def uses_of(scenario: Scenario) -> frozenset[Use]:
    """What all steps of a program use, and the expressions that are evaluated after them."""
    texts = [text for step in scenario.steps for text in (step.run, *expressions_of(step))]
    return frozenset(use for text in texts for use, _ in _uses(text))


def first_draw(scenario: Scenario) -> tuple[int, int] | None:
    """The step and line of the first statement that may draw random numbers."""
    for number, step in enumerate(scenario.steps):
        lines = [line for use, line in _uses(step.run) if use == "random numbers"]
        if lines:
            return number, min(lines)
    return None


@lru_cache(maxsize=4096)
def _uses(source: str) -> tuple[tuple[Use, int], ...]:
    """Each use with the line of the statement of the program that contains it."""
    return tuple(
        (use, statement.lineno)
        for statement in ast.parse(source.strip()).body
        for node in ast.walk(statement)
        for use in _of(node)
    )


def _of(node: ast.AST) -> Iterator[Use]:
    match node:
        case ast.Constant(value=str(text)) if _DEVICE.match(text):
            yield "a device"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name)) if name in _OF_STORAGES:
            yield "a legacy constructor"
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            yield from _of_name(name)


@cache
def _of_name(name: str) -> tuple[Use, ...]:
    found: list[Use] = []
    last = name.rpartition(".")[2]
    if last in _OF_DEVICES:
        found.append("a device")
    if last in _OF_MEMORY:
        found.append("NumPy")
    if _LEGACY.match(last) or last == "new":
        found.append("a legacy constructor")
    if last in _DRAWING:
        found.append("random numbers")
    return tuple(found)
