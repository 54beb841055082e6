"""Module's methods over the tree of submodules: iteration, lookup by path and conversions (torch: nn/modules/module.py)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self

from ... import __future__ as settings
from ..._aten.creation.factories import empty_like
from ..._aten.shape.clone_to import _parse_to
from ..._autograd.tensor import Tensor
from ..._c10.modes import no_grad
from ..._c10.slots import on_first_use
from ..._nn.parameter import Parameter

if TYPE_CHECKING:
    from .module import Module

swap_tensors: Callable[[Tensor, Tensor], None] = on_first_use("swap_tensors")  # see Note [Slots]

_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)


class Tree:
    """The methods of Module that concern the module and all its submodules."""

    training: bool
    _get_name: Callable[[], str]
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    # Iteration and lookup -----------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The module and all submodules with their paths, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    def modules(self) -> Iterator[Module]:
        """The module and all submodules."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct children with their names, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct children."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, table: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        found = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in found:
            for name, value in getattr(module, table).items():
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths, each once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths, each once."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted path."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Tree):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the module at a dotted path; with ``strict`` it must exist.

        Raises:
            ValueError: the path is empty, or the value is not a module.
            AttributeError: the path leads to, or passes, something that is not a module.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Tree):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Tree):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path."""
        _, name, found = self._at(target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path."""
        module, name, found = self._at(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def _at(self, target: str) -> tuple[Module, str, Any]:
        """The parent module at a dotted path, the last name and the attribute of that name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name, getattr(module, name)

    # Conversions and settings ----------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` with every submodule, children first, and then the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        for module in self.children() if recurse else ():
            module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = self._applied(name, parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _applied(self, name: str, parameter: Parameter, fn: Callable[[Tensor], Tensor]) -> Parameter:
        """Apply ``fn`` to a parameter and its grad, in place or as a new parameter, by the settings of torch.__future__."""
        gradient = parameter.grad
        with no_grad():
            converted = fn(parameter)
            if settings.get_swap_module_params_on_conversion():
                parameter.grad = None  # the referrer is not a tensor
                try:
                    self._swap(name, parameter, Parameter(converted, requires_grad=parameter.requires_grad))
                except RuntimeError:
                    parameter.grad = gradient
                    raise
                if gradient is not None:
                    self._swap(f"{name}.grad", gradient, fn(gradient).requires_grad_(gradient.requires_grad))
                    parameter.grad = gradient
                return parameter
            if settings.get_overwrite_module_params_on_conversion():
                parameter = Parameter(converted, requires_grad=parameter.requires_grad)
                if gradient is not None:
                    parameter.grad = fn(gradient).requires_grad_(gradient.requires_grad)
                return parameter
            parameter.data = converted
            if gradient is not None:
                gradient.data = fn(gradient)
        return parameter

    def _swap(self, name: str, old: Tensor, new: Tensor) -> None:
        try:
            swap_tensors(old, new)
        except Exception as error:
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{name}") from error

    def share_memory(self) -> Self:
        """Move parameters and buffers to shared memory."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers to a dtype, and those of 4 or 5 dimensions to a memory format."""
        where, kind, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if kind is not None:
            if not (kind.is_floating_point or kind.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}"
                )
            if kind.is_complex:
                warnings.warn(_COMPLEX, stacklevel=2)

        def convert(tensor: Tensor) -> Tensor:
            wanted = kind if tensor.is_floating_point() or tensor.is_complex() else None
            if memory_format is not None and tensor.dim() in (4, 5):
                return tensor.to(where, wanted, non_blocking, memory_format=memory_format)
            return tensor.to(where, wanted, non_blocking)

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replace all parameters and buffers by uninitialized ones on a device."""
        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def cuda(self, device: Any = None) -> Self:
        """Move parameters and buffers to a GPU.

        Raises:
            AssertionError: there is no GPU.
        """
        return self._apply(lambda t: t.cuda(device))

    def cpu(self) -> Self:
        """The module itself, which is on the CPU."""
        return self

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` of the module and all submodules."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """train(False)."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None or to 0."""
        for parameter in self.parameters():
            if parameter._grad is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                if parameter._grad.grad_fn is not None:
                    parameter._grad.detach_()
                else:
                    parameter._grad.requires_grad_(False)
                parameter._grad.zero_()


for _method in vars(Tree).values():
    if isinstance(_method, FunctionType):  # errors about arguments name torch's class
        _method.__qualname__ = f"Module.{_method.__name__}"
