"""The functions that a profile shows as events: those of torch that are no rows, and what runs the graph."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from .. import fft
from .._aten import foreach
from .._aten.creation import factories, from_data, ranges
from .._autograd import custom_function, engine, hooks
from .._autograd.batched_tensor import unbind_samples
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import CompositeWrappers, Intercept
from .._dispatch.record_function import (
    CONVERSIONS,
    PROPERTIES,
    UNSEEN,
    _applying,
    _ask,
    _calling,
    _capturing,
    _dispatching,
    _evaluating,
    _recurring,
    _seeing,
    event_names,
)
from .._dispatch.torch_function_wrappers import beneath
from .._library import operators
from .._nn import rnn, scaled_dot_product_attention
from .._transforms import (
    forward_ad,
    functorch_dispatch,  # noqa: F401  forward, which the doors of rows lead to
)
from .._transforms.composite_batch_rules import composites
from .._transforms.vmap import _unbatched
from .overridable_functions import composed


def wrap(wrappers: CompositeWrappers) -> None:
    """Let them ask whether the thread is traced."""
    composites.find()  # whose intercepts are inside of these: a call is one event for all examples
    for name, each in _composed():
        if each not in wrappers.wrapped:  # under another name
            wrappers.wrap(each, partial(_ask, event_names(name)), outer=True)
    asks: dict[Any, Intercept] = {
        engine._run: partial(_seeing, False),
        engine._capture: _capturing,
        engine._call_function: _evaluating,
        engine._apply_batched: _applying,
        forward_ad.dual_of: partial(_ask, ["aten::_make_dual"]),
        forward_ad.unpacked_dual: partial(_ask, ["aten::_unpack_dual"]),
        custom_function._apply: _calling,
        unbind_samples: partial(_seeing, False),
        _unbatched: partial(_seeing, False),
        operators.dispatch: _dispatching,
        rnn.rnn: _recurring,
    }
    for name in ("run_tensor_pre_hooks", "run_pre_hooks", "run_post_hooks"):
        asks[getattr(hooks, name)] = partial(_seeing, True)
    for each, ask in asks.items():
        wrappers.wrap(each, ask)


def _composed() -> Iterator[tuple[str, FunctionType]]:
    """The functions of torch that are no rows, by the names of operations."""
    unseen = {*UNSEEN.split()}
    for (name, _), each in dict(composed()).items():
        if name.startswith("recurrent_"):
            continue  # see below
        if not {name, name.removeprefix("linalg_"), name.removeprefix("special_")} & unseen:
            yield name, each
    yield "ones_like", vars(engine)["ones_like_root"]
    for module, names in {
        factories: "empty empty_permuted empty_strided eye full ones scalar_tensor zeros",
        ranges: "arange linspace logspace range",
        from_data: "tensor",
        rnn: "lstm lstm_cell gru_cell rnn_relu_cell rnn_tanh_cell",  # as modules call them
        scaled_dot_product_attention: "scaled_dot_product_attention",
    }.items():
        for name in names.split():
            yield name, inspect.unwrap(vars(module)[name])
    yield from foreach.FUNCTIONS.items()  # type: ignore[misc]
    for name in fft.__all__:
        yield f"fft_{name}", beneath(getattr(fft, name))
    for name, operation in CONVERSIONS.items():
        yield operation, beneath(vars(Tensor)[name])
    for name, operation in PROPERTIES.items():
        yield operation, beneath(vars(Tensor)[name].fget)
