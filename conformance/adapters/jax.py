"""JAX: transformations of functions, under the names of ``torch.func``; it claims only values.

It has no backward pass, and no tensors that require grad.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from conformance.adapters import arrays
from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import WrappedArray, functions, unwrapped

jax.config.update("jax_enable_x64", True)  # torch's int64 and float64


@jax.tree_util.register_pytree_node_class
class JaxTensor(WrappedArray, shown_as="Tensor"):
    """An array of JAX under torch's names."""

    def tree_flatten(self) -> Any:
        """Transformations see the array."""
        return (self.own,), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Any:
        """And programs the tensor; JAX puts other objects into it as well."""
        return cls.of(*children)


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> JaxTensor:
    """An array."""
    return _made(arrays.array(data, dtype), requires_grad)


def _made(value: Any, requires_grad: bool) -> JaxTensor:
    if requires_grad:
        raise NotImplementedError("tensors that require grad")
    return JaxTensor(jnp.asarray(value))


def _of_scalar(transform: Callable[..., Any]) -> Callable[..., Any]:
    """A transformation of functions whose result JAX wants as an array."""

    def transformed(function: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
        def unwrapping(*given: Any) -> Any:
            found = function(*given)
            return (unwrapped(found[0]), *found[1:]) if has_aux else unwrapped(found)

        return transform(unwrapping, argnums=argnums, has_aux=has_aux)

    return transformed


def _grad_first(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        value, grad = function(*given)
        return grad, jax.tree.map(JaxTensor, unwrapped(value))

    return call


_jacrev, _jacfwd = _of_scalar(jax.jacrev), _of_scalar(jax.jacfwd)
torch = functions(JaxTensor, arrays.operations(jnp) | {"relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid})
torch.tensor = tensor
torch.ones, torch.zeros = arrays.shaped(np.ones, _made), arrays.shaped(np.zeros, _made)
vars(torch).update(arrays.DTYPES)
torch.func = SimpleNamespace(
    grad=_of_scalar(jax.grad),
    grad_and_value=lambda *given, **named: _grad_first(_of_scalar(jax.value_and_grad)(*given, **named)),
    jacrev=_jacrev,
    jacfwd=_jacfwd,
    hessian=lambda function, argnums=0: _jacfwd(_jacrev(function, argnums), argnums),
    vjp=lambda function, *primals, has_aux=False: jax.vjp(function, *primals, has_aux=has_aux),
    jvp=lambda function, primals, tangents, has_aux=False: jax.jvp(
        function, primals, tangents, has_aux=has_aux
    ),
    vmap=lambda function, in_dims=0, out_dims=0: jax.vmap(function, in_axes=in_dims, out_axes=out_dims),
)
torch.vmap = torch.func.vmap
engine = ModuleEngine("jax", torch, version=jax.__version__, claims=("values",))
