"""state_dict and load_state_dict (torch: nn/modules/module.py)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ... import __future__ as settings
from ..._autograd.tensor import Tensor
from ..._c10.modes import no_grad
from ..._c10.slots import on_first_use
from ..._nn.parameter import Parameter, is_lazy

swap_tensors: Callable[[Tensor, Tensor], None] = on_first_use("swap_tensors")  # see Note [Slots]

EXTRA = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """The missing and unexpected keys that load_state_dict returns."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def get_extra_state(module: Any) -> Any:
    """Additional state of a subclass for its state_dict.

    Raises:
        RuntimeError: the subclass does not define it.
    """
    raise RuntimeError(_NO_EXTRA_STATE.format("get"))


def set_extra_state(module: Any, state: Any) -> None:
    """Restore the state of ``get_extra_state`` from a state_dict.

    Raises:
        RuntimeError: the subclass does not define it.
    """
    raise RuntimeError(_NO_EXTRA_STATE.format("set"))


def overridden(module: Any) -> set[str]:
    """The method for extra state if the module's class overrides it."""
    methods = (get_extra_state, set_extra_state)
    return {each.__name__ for each in methods if getattr(type(module), each.__name__) is not each}


_NO_EXTRA_STATE = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
_IncompatibleKeys.__module__ = "torch.nn.modules.module"
IncompatibleKeys = _IncompatibleKeys


class Findings:
    """The missing and unexpected keys and errors found while loading."""

    def __init__(self) -> None:
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []


def own_state(module: Any) -> dict[str, Any]:
    """The module's own parameters and persistent buffers that are not None."""
    buffers = {k: v for k, v in module._buffers.items() if k not in module._non_persistent_buffers_set}
    return {k: v for k, v in {**module._parameters, **buffers}.items() if v is not None}


def save(module: Any, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Add the state of a module and its submodules to a dictionary."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in module._state_dict_hooks.values():
        found = hook(module, destination, prefix, metadata)
        if found is not None and getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        destination = destination if found is None else found
    return destination


def load(module: Any, state_dict: Any, strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy or assign a state to a module and its submodules; raises one error with all problems."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    findings = Findings()
    metadata = getattr(state_dict, "_metadata", None)
    _load(module, OrderedDict(state_dict), "", {} if metadata is None else metadata, assign, findings)
    errors = findings.errors
    if strict and findings.unexpected:
        errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(findings.unexpected)}. ")
    if strict and findings.missing:
        errors.insert(0, f"Missing key(s) in state_dict: {_quoted(findings.missing)}. ")
    if errors:
        raise RuntimeError(
            "Error(s) in loading state_dict for {}:\n\t{}".format(type(module).__name__, "\n\t".join(errors))
        )
    return IncompatibleKeys(findings.missing, findings.unexpected)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _load(module: Any, state: Any, prefix: str, metadata: Any, assign: bool, findings: Findings) -> None:
    local = metadata.get(prefix[:-1], {})  # the state_dict's own metadata, which hooks may modify
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(
        state, prefix, local, True, findings.missing, findings.unexpected, findings.errors
    )
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            below = {k: v for k, v in state.items() if k.startswith(inner)}
            _load(child, below, inner, metadata, assign, findings)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, IncompatibleKeys(findings.missing, findings.unexpected)) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return "
                "new values, if incompatible_keys need to be modified, it should be done inplace."
            )


def load_own(
    module: Any, state: Any, prefix: str, local: Any, missing: Any, unexpected: Any, errors: Any
) -> None:
    """Load the module's own parameters, buffers and extra state."""
    own = own_state(module)
    assign = local.get("assign_to_params_buffers", False)
    for name, target in own.items():
        key = prefix + name
        if key in state:
            _take(module, name, key, target, state[key], assign, errors)
        else:
            missing.append(key)
    extra = prefix + EXTRA
    if "set_extra_state" in overridden(module):
        if extra in state:
            module.set_extra_state(state[extra])
        else:
            missing.append(extra)
    elif extra in state:
        unexpected.append(extra)
    for key in state:
        if key.startswith(prefix) and key != extra:
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in (module._modules if dot else own):
                unexpected.append(key)


def _take(
    module: Any, name: str, key: str, target: Tensor, value: Any, assign: bool, errors: list[str]
) -> None:
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
            "checkpoint but "
            f"received {type(value)}"
        )
        return
    if is_lazy(target):
        return  # the loaded value is uninitialized too: otherwise the hook has set the shape
    if target.dim() == 0 and value.shape == (1,):
        value = value[0]
    if value.shape != target.shape:
        errors.append(
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape "
            f"in current model is {target.shape}."
        )
        return
    swap = settings.get_swap_module_params_on_conversion()
    try:
        with no_grad():
            if swap:
                _swap(target, value, assign)
                return
            if not assign:
                target.copy_(value)
                return
            if isinstance(target, Parameter):
                if isinstance(value, Parameter):
                    value.requires_grad_(target.requires_grad)
                else:
                    value = Parameter(value, requires_grad=target.requires_grad)
            setattr(module, name, value)
    except Exception as error:
        errors.append(
            f'While {"swapping" if swap else "copying"} the parameter named "{key}", whose dimensions in the model are {target.size()} and whose '
            f"dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )


def _swap(target: Tensor, value: Tensor, assign: bool) -> None:
    """Swap the result of ``module_load`` into a parameter or buffer, which stays the same object."""
    new = target.module_load(value, assign=assign)
    if new is value or new is target:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning one of the inputs in "
            "module_load"
        )
    if isinstance(target, Parameter):
        if isinstance(new, Parameter):
            new.requires_grad_(target.requires_grad)
        else:
            new = Parameter(new, requires_grad=target.requires_grad)
    swap_tensors(target, new)
