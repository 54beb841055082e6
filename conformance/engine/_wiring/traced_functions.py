"""The functions that a profile records as events: torch's composite functions (those without a row), and the engine's own."""

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
    WITHOUT_EVENT,
    event_names,
    record_apply,
    record_capture,
    record_custom_function,
    record_custom_operator,
    record_evaluate_function,
    record_function_call,
    record_rnn,
    set_in_user_code,
)
from .._dispatch.torch_function_wrappers import unwrapped
from .._library import operators
from .._nn import rnn, scaled_dot_product_attention
from .._transforms import (
    forward_ad,
    functorch_dispatch,  # noqa: F401  forward, which the stubs of operators call
)
from .._transforms.composite_batch_rules import composites
from .._transforms.vmap import _unbatched
from .overridable_functions import composed


def wrap(wrappers: CompositeWrappers) -> None:
    """Wrap them so that they record events while the thread is profiled."""
    composites.find()  # vmap's wrappers go inside these, so that a call is one event for all samples
    for name, each in _composed():
        if each not in wrappers.wrapped:  # already wrapped under another name
            wrappers.wrap(each, partial(record_function_call, event_names(name)), outer=True)
    intercepts: dict[Any, Intercept] = {
        engine._run: partial(set_in_user_code, False),
        engine._capture: record_capture,
        engine._call_function: record_evaluate_function,
        engine._apply_batched: record_apply,
        forward_ad.dual_of: partial(record_function_call, ["aten::_make_dual"]),
        forward_ad.unpacked_dual: partial(record_function_call, ["aten::_unpack_dual"]),
        custom_function._apply: record_custom_function,
        unbind_samples: partial(set_in_user_code, False),
        _unbatched: partial(set_in_user_code, False),
        operators.dispatch: record_custom_operator,
        rnn.rnn: record_rnn,
    }
    for name in ("run_tensor_pre_hooks", "run_pre_hooks", "run_post_hooks"):
        intercepts[getattr(hooks, name)] = partial(set_in_user_code, True)
    for each, intercept in intercepts.items():
        wrappers.wrap(each, intercept)


def _composed() -> Iterator[tuple[str, FunctionType]]:
    """The composite functions of torch, by the names of their operations."""
    without_event = {*WITHOUT_EVENT.split()}
    for (name, _), each in dict(composed()).items():
        if name.startswith("recurrent_"):
            continue  # listed below under the names that modules call
        if not {name, name.removeprefix("linalg_"), name.removeprefix("special_")} & without_event:
            yield name, each
    yield "ones_like", vars(engine)["ones_like_root"]
    for module, names in {
        factories: "empty empty_permuted empty_strided eye full ones scalar_tensor zeros",
        ranges: "arange linspace logspace range",
        from_data: "tensor",
        rnn: "lstm lstm_cell gru_cell rnn_relu_cell rnn_tanh_cell",  # the functions that modules call
        scaled_dot_product_attention: "scaled_dot_product_attention",
    }.items():
        for name in names.split():
            yield name, inspect.unwrap(vars(module)[name])
    yield from foreach.FUNCTIONS.items()  # type: ignore[misc]
    for name in fft.__all__:
        yield f"fft_{name}", unwrapped(getattr(fft, name))
    for name, operation in CONVERSIONS.items():
        yield operation, unwrapped(vars(Tensor)[name])
    for name, operation in PROPERTIES.items():
        yield operation, unwrapped(vars(Tensor)[name].fget)
