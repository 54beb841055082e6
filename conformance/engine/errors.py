"""torch 2.13.0's error and warning texts, word for word, in one place."""

from __future__ import annotations

from typing import Any

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
    "if you need to access saved tensors after calling backward."
)
HOOKS_AFTER_FREE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph "
    "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved variables after calling backward."
)
HOOKS_ALREADY_SET = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks "
    "is allowed at a time."
)
HOOKS_ON_NONE = "Calling register_hooks on a saved tensor with value None is forbidden"
UNPACK_NOT_TENSOR = (
    "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}"
)
PACK_INPLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
    "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
    "you need to perform in-place operations on the input to a pack hook."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
    "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
INFERENCE_VERSION = "Inference tensors do not track version counter."
INFERENCE_REQUIRES_GRAD = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
)
INFERENCE_INPLACE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
    "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
NO_DERIVATIVE = "derivative for {} is not implemented"
HOOKS_NOT_CALLABLE = (
    "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
    "supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
    "Invoked with: {!r}, {!r}"
)
LEAF_IN_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)
NOT_TENSORS_TO_COUNT = "increment_version expects each element of the iterable to be a tensor"
NO_COMPLEX_HERE = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
    "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
    "modified inplace must all be outputs of the Function."
)
DIRTY_NOT_AN_INPUT = (
    "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to "
    "pass it to mark_dirty()."
)
DIRTY_VIEW_OF_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
    "more than one Tensor. This is not supported by the current autograd engine. You should either make sure the "
    "input is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
    "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
    "does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
    "this change."
)
INPUT_RETURNED_AND_SAVED = (
    "A input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
    "setup ctx inside the forward function itself."
)
LEAF_CHANGED_BY_FUNCTION = "a leaf Variable that requires grad has been used in an in-place operation."
LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
RETAIN_GRAD = "can't retain_grad on Tensor that has requires_grad=False"
REQUIRES_GRAD_NON_LEAF = "you can only change requires_grad flags of leaf variables."
REQUIRES_GRAD_NON_LEAF_OFF = (
    REQUIRES_GRAD_NON_LEAF + " If you want to use a computed variable in a subgraph that doesn't require "
    "differentiation use var_no_grad = var.detach()."
)
REQUIRES_GRAD_DTYPE = "only Tensors of floating point dtype can require gradients"
REQUIRES_GRAD_DTYPE_ATTRIBUTE = "only Tensors of floating point and complex dtype can require gradients"
REQUIRES_GRAD_DTYPE_NEW = "Only Tensors of floating point and complex dtype can require gradients"
NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make "
    "sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
CREATE_GRAPH = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
    "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
    "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
    "after use to break the cycle and avoid the leak."
)
NUMPY_REQUIRES_GRAD = (
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
)

_SCOPE = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the {0} block (if you don't want the inplace to "
    "be tracked) or both outside (if you want the inplace to be tracked)."
)
_VIEW_REASONS = {
    "multi_output": (
        " This view is the output of a function that returns multiple views. Such functions do not allow the "
        "output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "no_grad": _SCOPE.format("no_grad"),
    "inference": _SCOPE.format("inference_mode"),
    "custom_function": (
        " This view was created inside a custom Function (or because an input was returned as-is) and the "
        "autograd logic to handle view+inplace would override the custom backward associated with the custom "
        "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
        "output of the custom Function."
    ),
}


def short_name(node: Any) -> str:
    """A node's name as the texts about views and versions have it: without Backward0."""
    name: str = node.name()
    head, sep, tail = name.rpartition("Backward")
    return head if sep and (not tail or tail.isdigit()) else name


def modified(text: str, node: Any, output_nr: int, current: int, saved: int) -> str:
    """A saved tensor was changed in place."""
    origin = "" if node is None else f", which is output {output_nr} of {short_name(node)},"
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{text}]{origin} is at version {current}; expected version {saved} instead. Hint: enable anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def modified_view(creation: str, node: Any, output_nr: int, indirect: bool) -> str:
    """A view that refuses it is modified in place (or, indirectly, its base is)."""
    what = "its base or another view of its base has been" if indirect else "is being"
    if creation in ("inference", "no_grad") or node is None:
        place, where = (
            ("inference mode", "in normal mode") if creation == "inference" else ("no_grad mode", "with grad mode enabled")
        )
        head = f"A view was created in {place} and {what} modified inplace {where}."
    else:
        head = f"Output {output_nr} of {short_name(node)} is a view and {what} modified inplace."
    return head + _VIEW_REASONS[creation]


DEEPCOPY_NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
    "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
    "see https://github.com/pytorch/pytorch/pull/103001"
)
_C_NAMES = {
    "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "float16": "c10::Half", "float32": "float", "float64": "double", "bool": "bool",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def c_name(kind: Any) -> str:
    """The C++ type's name of a numpy dtype."""
    name = _C_NAMES[kind.name]
    return name.removeprefix("c10::") if kind.kind == "f" else name


def grad_dtype_assigned(got: Any, wanted: Any) -> str:
    """A gradient of another dtype than grad_dtype was assigned."""
    return (
        f"attempting to assign a gradient with dtype '{_C_NAMES[got.name]}' to a tensor with grad_dtype "
        f"'{wanted.legacy}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
        "You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
        "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems "
        "that assume they match."
    )


def grad_dtype_set(wanted: Any, got: Any) -> str:
    """grad_dtype was set while a gradient of another dtype was there."""
    return (
        f"Cannot set grad_dtype to '{wanted.legacy}' because there is already a gradient with dtype "
        f"'{_C_NAMES[got.name]}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
        "the new grad_dtype matches the existing gradient's dtype."
    )
