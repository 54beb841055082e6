"""What provides the slots that are filled on first use, see Note [Slots] in slots.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import slots

PROVIDERS: dict[str, str] = {
    "ask_modes": "overrides.ask",
    "attach_to": "torch_functions.attach_to",
    "attend": "dispatch_classes.attend",
    "make_tensors_ask": "torch_functions.make_tensors_ask",
    "overridable": "torch_functions.overridable",
    "resolve_torch_function": "torch_functions.resolve_name",
    "ask_late": "torch_functions.ask_late",
    "are_wholes": "func.levels.are_wholes",
    "of_wholes": "func.levels.of_wholes",
    "old_vmap": "func.vmap.old_vmap",
    "ones_like": "dispatch_doors.ones_like",
    "enter_device": "utils._device._enter_device",
    "leave_mode": "overrides.leave_mode",
    "close_dispatch_doors": "dispatch_doors.close",
    "open_dispatch_doors": "dispatch_doors.reopen",
    "nn_functions": "nn.functions.all_functions",
    "refuse_named": "func.functions.refuse_named",
    "apply_transformed": "func.functions.apply_transformed",
    "of_complex_numbers": "ops.complex_formulas.formula_of",
    "new_sparse": "sparse.legacy.new",
    "linalg_svd": "linalg.decompositions.svd",
    "linalg_inv": "linalg.inv",
    "sparse_gradient_of_bags": "sparse.gradients.of_bags",
    "view_batch_in_place": "func.inplace_rules.view_in_place",
    "matrix_norm": "linalg.matrix_norm",
    "sparse_kernel": "sparse.kernels.evaluated",
    "sparse_in_place": "sparse.inplace.written",
    "sparse_values": "sparse.methods.raw_values",
    "wrapped_text": "func.shown.wrapped_text",
    "from_numpy": "from_data.from_numpy",
    "stft": "short_time.stft",
    "istft": "short_time.istft",
    "tensor_text": "text.tensor_text",
    "in_place": "forward.in_place",
    "dispatch": "forward.dispatch",
    "custom_op": "library.custom_op",
    "guard_traced": "traced_functions.guard",
    "batch_rule_of": "func.batch_rules.rule_of",
    "warn_of_fallback": "func.batched_fallback.warn_of",
    "write_wholes": "func.inplace_rules.write_wholes",
    "composed_functions": "torch_functions.composed_functions",
    "aten": "dispatch.aten",
    "namespace_of_operators": "_library.operators.namespace",
    "new_tensor": "legacy.made",
    "set_autocast_enabled": "casting.set_autocast_enabled",
}
"""The slots by name, and the modules and functions that fill them."""


def provide(slot: str) -> Any:
    """The function that fills a slot, whose module is imported if it was not."""
    module, _, name = PROVIDERS[slot].rpartition(".")
    return getattr(import_module(f"{__package__}.{module}"), name)


def begin() -> None:
    """Let slots find what fills them."""
    slots.provide = provide
