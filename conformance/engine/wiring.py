"""What provides the slots that are filled on first use, see Note [Slots] in slots.py."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

from . import slots
from .location import PACKAGE

PROVIDERS: dict[str, str] = {
    "apply_transformed": "func.functions:apply_transformed",
    "are_wholes": "func.levels:are_wholes",
    "ask_late": "torch_functions:ask_late",
    "ask_modes": "overrides:ask",
    "aten": "dispatch:aten",
    "attach_to": "torch_functions:attach_to",
    "attend": "dispatch_classes:attend",
    "autocast_operator_kernel": "amp.autocast_mode:operator_kernel",
    "batch_rule_of": "func.batch_rules:rule_of",
    "check_autocast_available": "amp.autocast_mode:check_available",
    "check_autocast_device_type": "amp.autocast_mode:check_device_type",
    "composed": "torch_functions:composed",
    "composed_functions": "torch_functions:composed_functions",
    "custom_op": "library:custom_op",
    "delayed_error": "autograd.outputs:delayed_error",
    "dispatch": "forward:dispatch",
    "dispatched_operation": "dispatch:operation",
    "enter_device": "utils._device:_enter_device",
    "from_numpy": "from_data:from_numpy",
    "give_tangents": "autograd.jvp:give_tangents",
    "in_place": "forward:in_place",
    "install_dispatch_wrappers": "dispatch_doors:install",
    "istft": "short_time:istft",
    "leave_mode": "overrides:leave_mode",
    "legacy_storage": "storage:legacy",
    "linalg_inv": "linalg.functions:inv",
    "linalg_square": "linalg.checks:square",
    "linalg_svd": "linalg.decompositions:svd",
    "make_tensors_ask": "torch_functions:make_tensors_ask",
    "matrix_norm": "linalg.functions:matrix_norm",
    "namespace_of_operators": "_library.operators:namespace",
    "new_sparse": "sparse.legacy:new",
    "new_tensor": "legacy:made",
    "nn_functions": "nn.functions:all_functions",
    "of_complex_numbers": "ops.complex_formulas:formula_of",
    "of_wholes": "func.levels:of_wholes",
    "old_vmap": "func.vmap:old_vmap",
    "ones_like": "dispatch_doors:ones_like",
    "overridable": "torch_functions:overridable",
    "pad": "nn.functions.padding:pad",
    "refuse_named": "func.functions:refuse_named",
    "remove_dispatch_wrappers": "dispatch_doors:remove",
    "resize": "autograd._functions:Resize.apply",
    "resolve_torch_function": "torch_functions:resolve_name",
    "safe_softmax": "nn.functions.attention:_safe_softmax",
    "sample_dirichlet": "_distributions.gamma_sampling:_sample_dirichlet",
    "scalar_tensor": "creation:scalar_tensor",
    "set_autocast_enabled": "casting:set_autocast_enabled",
    "sparse_accumulated": "sparse.gradients:accumulated",
    "sparse_gradient_of_bags": "sparse.gradients:of_bags",
    "sparse_gradient_of_embedding": "sparse.gradients:of_embedding",
    "sparse_gradient_of_gather": "sparse.gradients:of_gather",
    "sparse_in_place": "sparse.inplace:written",
    "sparse_kernel": "sparse.kernels:evaluated",
    "sparse_methods": "sparse.methods:METHODS",
    "sparse_text": "sparse.text:tensor_text",
    "sparse_values": "sparse.methods:raw_values",
    "sparse_zeros": "sparse.array:zeros",
    "standard_gamma": "_distributions.gamma_sampling:_standard_gamma",
    "stft": "short_time:stft",
    "swap_tensors": "utils.swapping:swap_tensors",
    "tensor_text": "text:tensor_text",
    "through_vmap_rule": "func.functions:through_rule",
    "typed_storage": "storage:TypedStorage",
    "untyped_storage": "storage:UntypedStorage.of",
    "view_batch_in_place": "func.inplace_rules:view_in_place",
    "warn_of_fallback": "func.batched_fallback:warn_of",
    "warn_of_typed_storage": "storage:_warn_typed_storage_removal",
    "wrap_traced": "traced_functions:wrap",
    "wrapped_text": "func.shown:wrapped_text",
    "write_wholes": "func.inplace_rules:write_wholes",
    "zeros_like": "creation:zeros_like",
}
"""The slots by name, and the modules and functions that fill them."""


def provide(slot: str) -> Any:
    """The function that fills a slot, whose module is imported if it was not."""
    module, _, name = PROVIDERS[slot].partition(":")
    return attrgetter(name)(import_module(f"{PACKAGE}.{module}"))


def begin() -> None:
    """Let slots find what fills them."""
    slots.provide = provide
