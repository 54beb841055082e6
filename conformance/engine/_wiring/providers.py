"""The functions that fill the slots of lower layers on first use, see Note [Slots] in _c10/slots.py."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

from .._c10 import slots
from .._c10.location import PACKAGE

PROVIDERS: dict[str, str] = {
    "apply_transformed": "_transforms.autograd_function:apply_transformed",
    "set_up_outside": "_transforms.autograd_function:set_up_outside",
    "autocast_operator_kernel": "amp.autocast_mode:operator_kernel",
    "batch_rule_of": "_transforms.batch_rules:rule_of",
    "check_autocast_available": "amp.autocast_mode:check_available",
    "check_autocast_device_type": "amp.autocast_mode:check_device_type",
    "composed": "_wiring.overridable_functions:composed",
    "composites_of_autocast": "_wiring.overridable_functions:composites_of_autocast",
    "delayed_error": "_autograd.custom_function_outputs:delayed_error",
    "dispatch": "_transforms.functorch_dispatch:dispatch",
    "dispatch_after_failure": "_wiring.overridable_functions:dispatch_after_failure",
    "dispatch_torch_function": "_autograd.torch_function:dispatch_torch_function",
    "dispatched_operation": "_dispatch.torch_dispatch:operation",
    "enter_device": "utils._device:_enter_device",
    "from_numpy": "_aten.creation.from_data:from_numpy",
    "give_tangents": "_transforms.custom_function_jvp:give_tangents",
    "grad_under_vmap": "_transforms.grad_levels:grad_under_vmap",
    "in_place": "_transforms.functorch_dispatch:in_place",
    "install_dispatch_wrappers": "_dispatch.dispatch_composite:install",
    "into_out": "_aten.out:into_out",
    "istft": "_aten.fft.stft:istft",
    "leave_mode": "_autograd.torch_function:leave_mode",
    "linalg_inv": "_aten.linalg.functions:inv",
    "linalg_square": "_aten.linalg.checks:square",
    "linalg_svd": "_aten.linalg.decompositions:svd",
    "matrix_norm": "_aten.linalg.functions:matrix_norm",
    "new_sparse": "_aten.sparse.construction:new",
    "new_tensor": "_aten.creation.legacy_constructors:made",
    "nn_functions": "_nn.functions:all_functions",
    "of_complex_numbers": "_aten.pointwise.complex_formulas:formula_of",
    "old_batch_rule": "_transforms.old_batch_rules:old_rule",
    "old_vmap": "_transforms.vmap:old_vmap",
    "ones_like": "_dispatch.dispatch_composite:ones_like",
    "pad": "_nn.padding:pad",
    "for_rule": "_transforms.autograd_function:for_rule",
    "register_dispatch_subclass": "_autograd.torch_dispatch_subclass:register_dispatch_subclass",
    "remove_dispatch_wrappers": "_dispatch.dispatch_composite:remove",
    "restore_autocast": "_dispatch.autocast:restore_autocast",
    "safe_softmax": "_nn.scaled_dot_product_attention:_safe_softmax",
    "sample_dirichlet": "_distributions.gamma_sampling:_sample_dirichlet",
    "scalar_tensor": "_aten.creation.factories:scalar_tensor",
    "sparse_accumulated": "_aten.sparse.gradients:accumulated",
    "sparse_gradient_of_bags": "_aten.sparse.gradients:of_bags",
    "sparse_gradient_of_embedding": "_aten.sparse.gradients:of_embedding",
    "sparse_gradient_of_gather": "_aten.sparse.gradients:of_gather",
    "sparse_in_place": "_aten.sparse.inplace:written",
    "sparse_kernel": "_aten.sparse.all_kernels:evaluated",
    "sparse_methods": "_aten.sparse.methods:METHODS",
    "sparse_text": "_aten.sparse.repr:tensor_text",
    "sparse_values": "_aten.sparse.methods:raw_values",
    "sparse_zeros": "_aten.sparse.sparse_array:zeros",
    "standard_gamma": "_distributions.gamma_sampling:_standard_gamma",
    "stft": "_aten.fft.stft:stft",
    "swap_tensors": "utils._swap_tensors:swap_tensors",
    "tensor_text": "_aten.tensor_repr:tensor_text",
    "through_vmap_rule": "_transforms.autograd_function:through_rule",
    "typed_storage": "_aten.storage:TypedStorage",
    "untyped_storage": "_aten.storage:UntypedStorage.of",
    "view_batch_in_place": "_transforms.inplace_batch_rules:view_in_place",
    "warn_of_fallback": "_transforms.batched_fallback:warn_of",
    "warn_of_typed_storage": "_aten.storage:_warn_typed_storage_removal",
    "wrap_subclass_methods": "_wiring.overridable_functions:wrap_subclass_methods",
    "wrap_tensor_methods": "_wiring.overridable_functions:wrap_tensor_methods",
    "wrapped_text": "_transforms.wrapper_repr:wrapped_text",
    "write_value": "_transforms.inplace_batch_rules:write_value",
    "zeros_like": "_aten.creation.factories:zeros_like",
}
"""The slots by name, and the module and function that fill each."""


def provide(slot: str) -> Any:
    """The function that fills a slot; its module is imported if necessary."""
    module, _, name = PROVIDERS[slot].partition(":")
    return attrgetter(name)(import_module(f"{PACKAGE}.{module}"))


def begin() -> None:
    """Connect the slots to their providers."""
    slots.provide = provide
