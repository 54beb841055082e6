"""The error and warning messages of torch 2.13.0: long ones, and those that are raised in several places.

A short message that only one function raises is in that function.
"""

from __future__ import annotations

import dis
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import BY_NUMPY, c_name
from .location import FOLDER

UNDEFINED_ARGUMENT = (
    "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #{} '{}'"
)
VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
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
REGISTER_HOOKS = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n    1. (self: "
    "torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
    "Invoked with: "
)
HOOKS_ON_NONE = "Calling register_hooks on a saved tensor with value None is forbidden"
UNPACK_NOT_TENSOR = "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}"
SAVED_TENSORS_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
SAVED_DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
    "please use out-of-place `.detach()` instead"
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
NOT_DIFFERENTIABLE = "The function '{}' is not differentiable with respect to argument '{}'. This input cannot have requires_grad True."
NO_REDUCTION_DIM = (
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
    "argument."
)
NO_DERIVATIVE = "derivative for {} is not implemented"
HOOK_WITHOUT_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
HOOK_RETURNED = "expected Variable, but hook returned '{}'"
HOOKS_NOT_CALLABLE = (
    "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
    "supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
    "Invoked with: {!r}, {!r}"
)
HOOKS_DISABLED_WITHOUT_TEXT = (
    "_saved_tensors_hooks_disable(): incompatible function arguments. The following argument types are "
    "supported:\n    1. (error_message: str, fail_if_non_empty: bool = True) -> None\n\nInvoked with: {!r}"
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
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
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
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
    "setup ctx inside the forward function itself."
)
LEAF_CHANGED_BY_FUNCTION = "a leaf Variable that requires grad has been used in an in-place operation."
NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
NESTED_FORWARD = "Nested forward mode AD is not supported at the moment"
NO_FORWARD_MODE = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\n"
    "Please file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml "
    "so that we can prioritize its implementation."
)
CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation ({}) "
    "that would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to "
    "explicitly accept the mutated Tensor(s) as inputs."
)
LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
VIEW_WITHOUT_NODE = (
    'new_fn INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":198, '
    "please report a bug to PyTorch. "
)
RETAINING_WITHOUT_NODE = (
    'old_fn INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":205, '
    "please report a bug to PyTorch. "
)
RETAINING_NOT_FOUND = (
    'out != nullptr INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":207, '
    "please report a bug to PyTorch. "
)
NO_HOOKS_TO_POP = (
    "is_initialized && !tls.stack.empty() INTERNAL ASSERT FAILED at "
    '"/__w/pytorch/pytorch/aten/src/ATen/SavedTensorHooks.cpp":69, please report a bug to PyTorch. '
)
NO_DEPENDENCIES = (
    'it != dependencies.end() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/engine.cpp":477, '
    "please report a bug to PyTorch. "
)
GRADIENT_WITHOUT_DERIVATIVE = (
    "isDifferentiableType(grad.scalar_type()) INTERNAL ASSERT FAILED at "
    '"/__w/pytorch/pytorch/torch/csrc/autograd/engine.cpp":998, please report a bug to PyTorch. '
)
UNDEFINED_TANGENT = (
    "(new_grad_base.is_floating_point() || new_grad_base.is_complex()) && (self_base.is_floating_point() || "
    'self_base.is_complex()) INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/autograd_meta.cpp":159, '
    "please report a bug to PyTorch. Expected both tensor and its forward grad to be floating point or complex"
)
OUTSIDE_THE_GRAPH = "element {} of tensors does not require grad and does not have a grad_fn"
RETAIN_GRAD = "can't retain_grad on Tensor that has requires_grad=False"
REQUIRES_GRAD_NON_LEAF = "you can only change requires_grad flags of leaf variables."
REQUIRES_GRAD_NON_LEAF_OFF = (
    REQUIRES_GRAD_NON_LEAF + " If you want to use a computed variable in a subgraph that doesn't require "
    "differentiation use var_no_grad = var.detach()."
)
NO_CUDA = "Torch not compiled with CUDA enabled"
NO_PINNED = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
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
SPARSE_VMAP = "vmap over a sparse tensor"
COMPLEX_HALF = dtypes.COMPLEX_HALF
LAYOUT = (
    "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
    "grad.sizes() = {}, strides() = {}\nparam.sizes() = {}, strides() = {}"
)
NUMPY_REQUIRES_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."

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


_LEGACY = ("Byte", "Char", "Double", "Float", "Int", "Long", "Short", "Half")


def tensor_type(kind: Any) -> str:
    """The type name of a tensor in messages: the legacy class torch.FloatTensor; CPU...Type for dtypes without one."""
    return f"torch.{kind.legacy}Tensor" if kind.legacy in _LEGACY else f"CPU{kind.legacy}Type"


def short_name(node: Any) -> str:
    """The name of a node in messages about views and versions: FillBackward2 is Fill2, MulBackward0 is Mul."""
    name: str = node.name()
    head, found, number = name.rpartition("Backward")
    if not found or (number and not number.isdigit()):
        return name
    return head + ("" if number == "0" else number)


_HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_HINT_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
    "was changed in there or anywhere later. Good luck!"
)


def modified(text: str, node: Any, output_nr: int, versions: tuple[int, int], anomaly: bool) -> str:
    """The error for a saved tensor that was modified in place."""
    origin = "" if node is None else f", which is output {output_nr} of {short_name(node)},"
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{text}]{origin} is at version {versions[0]}; expected version {versions[1]} instead. Hint: "
        + (_HINT_ABOVE if anomaly else _HINT)
    )


def modified_view(creation: str, node: Any, output_nr: int, indirect: bool) -> str:
    """The error for a view that must not be modified in place, but is (or, with ``indirect``, its base was)."""
    what = "its base or another view of its base has been" if indirect else "is being"
    if creation in ("inference", "no_grad") or node is None:
        place, where = (
            ("inference mode", "in normal mode")
            if creation == "inference"
            else ("no_grad mode", "with grad mode enabled")
        )
        view = (
            "A view was"
            if node is None
            else f"Output {output_nr} of {short_name(node)} is a view of a view which was"
        )
        head = f"{view} created in {place} and {what} modified inplace {where}."
    else:
        head = f"Output {output_nr} of {short_name(node)} is a view and {what} modified inplace."
    return head + _VIEW_REASONS[creation]


DEEPCOPY_SUBCLASS = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass "
    "types that implement new_empty() and for which that function returns another instance of the same "
    "subclass. You should either properly implement new_empty() for your subclass or override "
    "__deepcopy__() if it is intended behavior for new_empty() to return an instance of a different type."
)
DEEPCOPY_NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
    "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
    "see https://github.com/pytorch/pytorch/pull/103001"
)


def grad_dtype_assigned(got: Any, wanted: Any) -> str:
    """The error for assigning a gradient of another dtype than grad_dtype."""
    return (
        f"attempting to assign a gradient with dtype '{c_name(got.numpy)}' to a tensor with grad_dtype "
        f"'{wanted.legacy}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
        "You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
        "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems "
        "that assume they match."
    )


def grad_dtype_set(wanted: Any, got: Any) -> str:
    """The error for setting grad_dtype while ``grad`` has another dtype."""
    return (
        f"Cannot set grad_dtype to '{wanted.legacy}' because there is already a gradient with dtype "
        f"'{c_name(got.numpy)}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
        "the new grad_dtype matches the existing gradient's dtype."
    )


INDEX_LIST_OF_INDICES = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
    "x[torch.tensor(seq)], which will result either in an error or a different result"
)

_TRANSFORMED = (
    "You are attempting to call Tensor.{0}(){1} inside of a function being transformed by a functorch transform. This is "
    "unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
    "{0}() outside of a function being transformed instead."
)
TRANSFORMED_REQUIRES_GRAD = _TRANSFORMED.format(
    "requires_grad_", " (or perhaps using torch.autograd.functional.* APIs)"
)
TRANSFORMED_RETAIN_GRAD = _TRANSFORMED.format("retain_grad", "")
TRANSFORMED_BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
VMAPPED_BACKWARD = (
    "backward() called inside torch.vmap. This is not supported, please call backward() outside torch.vmap or instead "
    "use torch.autograd.grad inside torch.vmap"
)


MULTI_TARGET = "0D or 1D target tensor expected, multi-target not supported"
UNINITIALIZED = (
    "Attempted to use an uninitialized parameter. This error happens when you are using a `LazyModule` or "
    "explicitly manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy batch to "
    "initialize the parameters before calling torch functions"
)
UNINITIALIZED_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
    "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before "
    "accessing their attributes."
)
UNINITIALIZED_NORM = (
    "The module passed to `{}` can't have uninitialized parameters. Make sure to run the dummy forward before applying {} "
    "normalization"
)
BATCH_NORM_SHARED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for resources "
    "on how to patch your module to work with vmap"
)


# Names of types -----------------------------------------------------------------------------------

_MADE_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_DOTTED = ("dtype", "device", "layout", "memory_format", "Size")


def typename(value: Any) -> str:
    """The name of a value's type in messages (torch: THPUtils_typename); C types have their module."""
    kind = type(value)
    name = kind.__name__
    if kind.__module__ in ("numpy", "collections") and not kind.__flags__ & _MADE_IN_PYTHON:
        return f"{kind.__module__}.{name}"
    return f"torch.{name}" if name in _DOTTED else name


# Dtypes and shapes -----------------------------------------------------------------------------------


def unimplemented(kernel: str, kind: np.dtype[Any]) -> NotImplementedError:
    """The error of a kernel that does not support a dtype (torch: AT_DISPATCH)."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[kind].legacy}'")


def expected_scalar_type(wanted: np.dtype[Any], found: np.dtype[Any]) -> RuntimeError:
    """The error of a kernel that expects elements of another dtype (torch: Tensor::data_ptr)."""
    return RuntimeError(f"expected scalar type {BY_NUMPY[wanted].legacy} but found {BY_NUMPY[found].legacy}")


def output_shape_differs(shape: Sequence[int], broadcast: Sequence[int]) -> RuntimeError:
    """The error for an output that cannot be resized to the broadcast shape (torch: TensorIterator.cpp)."""
    return RuntimeError(
        f"output with shape {list(shape)} doesn't match the broadcast shape {list(broadcast)}"
    )


# Arguments ----------------------------------------------------------------------------------------


def missing_arguments(function: str, names: Sequence[str]) -> TypeError:
    """The error for missing arguments (torch: FunctionSignature::parse, utils/python_arg_parser.cpp)."""
    listed = ", ".join(f'"{each}"' for each in names)
    plural = "s" * (len(names) == 1)  # sic
    return TypeError(f"{function}() missing {len(names)} required positional argument{plural}: {listed}")


def wrong_type(function: str, argument: str, must: str, value: Any, position: int = 0) -> TypeError:
    """The error for an argument of another type than torch accepts (torch: utils/python_arg_parser.cpp).

    Args:
        must: the expected type in torch's words: "Tensor", "tuple of ints", "bool" ...
        position: of a positional argument, from 1; 0 for a keyword argument.
    """
    where = f" (position {position})" if position else ""
    return TypeError(f"{function}(): argument '{argument}'{where} must be {must}, not {typename(value)}")


def wrong_element(function: str, argument: str, number: int, value: Any, position: int = 0) -> TypeError:
    """The error for an element of a tuple of ints that is not an int; the message for the first element differs."""
    if number:
        return TypeError(
            f"{function}(): argument '{argument}' failed to unpack the object at pos {number + 1} with error "
            f'"type must be tuple of ints,but got {typename(value)}"'
        )
    where = f" (position {position})" if position else ""
    found = f"but found element of type {typename(value)} at pos 0"
    return TypeError(f"{function}(): argument '{argument}'{where} must be tuple of ints, {found}")


class MisfitError(NotImplementedError):
    """Arguments that do not fit one another; a class of its own, since torch's text may be of a NotImplementedError."""


def need_fitting(fits: Any, function: str) -> None:
    """Refuse arguments that do not fit one another, of a function whose texts of errors the engine leaves out.

    Raises:
        MisfitError: they do not fit.
    """
    if not fits:
        raise MisfitError(f"the text of {function}'s error for arguments that do not fit")


def in_words_of_torch(error: Exception, function: str) -> Exception:
    """An error that the engine raised itself; MisfitError instead of one in words of NumPy or Python."""
    if is_foreign(error):
        return MisfitError(f"the text of {function}'s error for arguments that do not fit")
    return error


def is_foreign(error: BaseException) -> bool:
    """Whether NumPy or Python raised an error below the engine, for arguments that the engine did not check."""
    if not isinstance(error, (ArithmeticError, LookupError, TypeError, ValueError)):
        return False
    place, below = error.__traceback__, False
    while place is not None:
        code = place.tb_frame.f_code
        own = code.co_filename.startswith(FOLDER)
        below = below or own
        if place.tb_next is None:
            raises = dis.opname[code.co_code[place.tb_lasti]] == "RAISE_VARARGS"
            return below and not (raises and (own or code.co_filename.startswith("<")))
        place = place.tb_next
    return False
