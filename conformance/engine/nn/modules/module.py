"""torch.nn.Module: a tree of parameters, buffers and modules, with a forward."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Self

from ..._aten.creation.legacy_constructors import typename
from ..._autograd.hooks import RemovableHandle, add_hook
from ..._autograd.tensor import Tensor
from ..._c10 import pickling
from ..._nn.parameter import Buffer, Parameter
from . import _state_dict
from ._module_call import (
    EveryModule,
    call_with_hooks,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)  # fmt: skip
from ._module_traversal import Tree
from ._registration_hooks import (
    BUFFERS,
    MODULES,
    PARAMETERS,
    WithoutModule,
    hooked,
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)  # fmt: skip
from ._state_dict import _IncompatibleKeys

# Under torch's names, which programs use.
_global_forward_pre_hooks, _global_forward_hooks = EveryModule.before, EveryModule.after
_global_forward_hooks_with_kwargs = EveryModule.after_with_kwargs
_global_forward_hooks_always_called = EveryModule.after_always
_global_backward_pre_hooks, _global_backward_hooks = EveryModule.before_backward, EveryModule.backward
_global_parameter_registration_hooks, _global_buffer_registration_hooks = PARAMETERS, BUFFERS
_global_module_registration_hooks = MODULES

_TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = (
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)  # fmt: skip
_TWO_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    "Please use only one of them."
)


class Module(Tree):
    """The base class of modules: assigning a Parameter or Module registers it, and a call runs hooks and forward."""

    __module__ = "torch.nn.modules.module"
    _is_full_backward_hook: bool | None
    _version = 1
    call_super_init = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_backward_pre_hooks"] = OrderedDict()
        own["_backward_hooks"] = OrderedDict()
        own["_is_full_backward_hook"] = None
        for name in _HOOKS:
            own[name] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    __reduce_ex__ = pickling.reduce

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def forward(self, *input: Any) -> Any:
        """The computation; subclasses define it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    # Registration ---------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name.

        Raises:
            AttributeError: ``Module.__init__`` was not called.
            TypeError, KeyError: the name or the parameter is not valid.
            ValueError: the parameter is not a leaf.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name(self, name, "parameter", self._parameters)
        if param is None:
            self._parameters[name] = None
        elif not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        elif param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        else:
            self._parameters[name] = hooked(PARAMETERS, self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not a parameter, and is part of the state if ``persistent``."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name(self, name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = hooked(BUFFERS, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        _check_name(self, name, "module", self._modules)
        self._modules[name] = hooked(MODULES, self, name, module)

    register_module = add_module

    def __getattr__(self, name: str) -> Any:
        for table in _TABLES:
            found = self.__dict__.get(table)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _forget(self, name, "_parameters")
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
            return
        modules = own.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _forget(self, name, "_modules")
            modules[name] = hooked(MODULES, self, name, value)
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = hooked(MODULES, self, name, value)
            return
        buffers = own.get("_buffers")
        if isinstance(value, Buffer) or (buffers is not None and name in buffers):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            if buffers is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            self._assign_buffer(name, value)
            return
        object.__setattr__(self, name, value)

    def _assign_buffer(self, name: str, value: Tensor | None) -> None:
        """Call register_buffer, also one that a subclass defines without ``persistent``."""
        persistent = (
            value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
        )
        register = self.register_buffer
        own = getattr(register, "__func__", None) is Module.register_buffer
        if own or "persistent" in inspect.signature(register).parameters:
            register(name, value, persistent)
        elif persistent:
            register(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without the "
                "persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        for table in _TABLES:
            if name in getattr(self, table):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[:1].isdigit())

    # State ----------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by path, detached unless ``keep_vars``."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            return _state_dict.save(
                self, **{"destination": destination, "prefix": prefix, "keep_vars": keep_vars, **given}
            )
        return _state_dict.save(self, destination, prefix, keep_vars)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in _state_dict.own_state(self).items():
            destination[prefix + name] = value if keep_vars else value.detach()
        if "get_extra_state" in _state_dict.overridden(self):
            destination[prefix + _state_dict.EXTRA] = self.get_extra_state()

    get_extra_state = _state_dict.get_extra_state
    set_extra_state = _state_dict.set_extra_state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Load values; with ``strict`` the keys must match exactly.

        Raises:
            RuntimeError: keys or shapes do not match; the message names all of them.
        """
        return _state_dict.load(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        found = (state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, *found)
        _state_dict.load_own(
            self, state_dict, prefix, local_metadata, missing_keys, unexpected_keys, error_msgs
        )

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(module, prefix, keep_vars)`` before state_dict."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(module, state_dict, prefix, local_metadata)`` after state_dict."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Like register_state_dict_post_hook, but the hook may return another state."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Like register_load_state_dict_pre_hook, but the hook gets the module only with ``with_module``."""
        return add_hook(self._load_state_dict_pre_hooks, hook if with_module else WithoutModule(hook))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run a hook before this module is loaded, with the state and the problems found so far."""
        return add_hook(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(module, incompatible_keys)`` after this module is loaded; it may change the lists."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    # Calling --------------------------------------------------------------------------------------

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Run ``hook(module, args, output)`` after forward; it may replace the output."""
        extra = (self._forward_hooks_with_kwargs, self._forward_hooks_always_called)
        return _register(
            self._forward_hooks,
            hook,
            prepend,
            [e for e, on in zip(extra, (with_kwargs, always_call), strict=True) if on],
        )

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Run ``hook(module, args)`` before forward; it may replace the arguments."""
        return _register(
            self._forward_pre_hooks,
            hook,
            prepend,
            [self._forward_pre_hooks_with_kwargs] if with_kwargs else [],
        )

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(module, grad_input, grad_output)`` at the output's node (not a full hook)."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(_TWO_KINDS)
        self._is_full_backward_hook = False
        return add_hook(self._backward_hooks, hook)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Run ``hook(module, grad_input, grad_output)`` once the gradients of the inputs are computed."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(_TWO_KINDS)
        self._is_full_backward_hook = True
        return _register(self._backward_hooks, hook, prepend, [])

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Run ``hook(module, grad_output)`` before the module's backward."""
        return _register(self._backward_pre_hooks, hook, prepend, [])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
            or EveryModule.after or EveryModule.before or EveryModule.backward or EveryModule.before_backward
        ):  # fmt: skip
            return self.forward(*args, **kwargs)
        return call_with_hooks(self, args, kwargs)

    _call_impl = _wrapped_call_impl = __call__

    def _replicate_for_data_parallel(self) -> Self:
        """A shallow copy with its own dictionaries, whose parameters are replaced."""
        replica = type(self).__new__(type(self))
        replica.__dict__.update(
            self.__dict__,
            _parameters={},
            _buffers=self._buffers.copy(),
            _modules=self._modules.copy(),
            _is_replica=True,
        )
        return replica

    # Repr -----------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text between the parentheses of the repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = []
        for name, module in self._modules.items():
            children.append(f"({name}): {_addindent(repr(module), 2)}")
        main = f"{self._get_name()}("
        if lines or children:
            if len(lines) == 1 and not children:
                main += lines[0]
            else:
                main += "\n  " + "\n  ".join([*lines, *children]) + "\n"
        return main + ")"


def _addindent(s_: str, numSpaces: int) -> str:
    """Indent all lines except the first."""
    first, *others = s_.split("\n")
    return "\n".join([first, *(numSpaces * " " + line for line in others)])


def _check_name(module: Module, name: Any, what: str, table: dict[str, Any]) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{what} name should be a string. Got {typename(name)}")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')
    if hasattr(module, name) and name not in table:
        raise KeyError(f"attribute '{name}' already exists")


def _forget(module: Module, name: str, keep: str) -> None:
    module.__dict__.pop(name, None)
    for table in _TABLES:
        if table != keep:
            module.__dict__[table].pop(name, None)
    module._non_persistent_buffers_set.discard(name)


def _register(hooks: Any, hook: Callable[..., Any], prepend: bool, extra: list[Any]) -> RemovableHandle:
    handle = add_hook(hooks, hook, extra)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
