"""Autocast compared with torch's, where scenarios cannot: modes that define dunder methods, threads, and its cost."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

import conformance.engine
import conformance.engine.utils
from conformance.engine import fft, linalg, nn  # noqa: F401  which declare operators
from conformance.engine._aten import operators
from conformance.engine._aten.fft import stft  # noqa: F401  as above
from conformance.engine._aten.registry import ROWS
from conformance.engine._c10.operator_facts import COMPOSITES, facts_of, name_of

torch = pytest.importorskip("torch")
ENGINES = [pytest.param(torch, id="torch"), pytest.param(conformance.engine, id="engine")]

# What torch lists, and the engine has under another name, or not at all.
OTHERWISE = {
    "cross_entropy_loss": "cross_entropy",
    "multilabel_margin_loss": "multilabel_margin_loss_forward",
}
ALIASES = {"orgqr": "linalg_householder_product"}
ABSENT = {
    "_addmm_activation",
    "conv_tbc",
    "_convolution",
    "_grid_sampler_2d_cpu_fallback",
    "_lu_with_info",
    "_native_multi_head_attention",
    "fake_quantize_per_tensor_affine",
}


def _declared() -> list[str]:
    """The operators that have a policy, see Note [One operator, one place]."""
    rows = [name for name, row in ROWS.items() if row.facts.autocast is not None]
    return [*rows, *{name_of(each) for each in COMPOSITES if facts_of(each).autocast is not None}]


def test_the_policies_are_torchs() -> None:
    registered = {
        name.removeprefix("aten::").partition(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::")  # programs' own may be left of other tests
        and torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCPU")
    }
    ours = _declared()
    assert len(ours) == len({*ours})
    wanted = {OTHERWISE.get(each, each) for each in registered - ABSENT - {*ALIASES}} | {"prod_dim"}
    assert {*ours} == wanted
    assert {*ALIASES.values()} <= wanted


def test_off_it_costs_nothing() -> None:
    engine, composed = conformance.engine, operators.matmul.matmul
    a = engine.ones(2, 2)
    with engine.autocast("cpu"):
        engine.mm(a, a)
        code = composed.__code__, ROWS["mm"].call.__code__
    own = composed.__code__, ROWS["mm"].call.__code__
    assert own[0].co_name == "matmul" and own[1].co_name == "mm"
    assert own != code
    assert engine.matmul(a, a).dtype is engine.float32


def test_it_is_loaded_when_it_is_asked_for() -> None:
    program = """if True:
        import sys, conformance.engine as torch
        a = torch.ones(2, 2, requires_grad=True)
        (a @ a).sum().backward()
        names = [each.removeprefix("conformance.engine.") for each in sys.modules]
        print("casting" in names, "amp" in names, a.grad.dtype)
        with torch.autocast("cpu"):
            print(torch.mm(a, a).dtype, torch.fft.fft(a.half()).dtype)
        print(torch.mm(a, a).dtype)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [
        *("False", "False", "torch.float32", "torch.bfloat16", "torch.complex64"),
        "torch.float32",
    ], done.stderr


@pytest.mark.parametrize("module", ENGINES)
def test_each_thread_has_its_own(module: Any) -> None:
    seen: list[Any] = []
    a = module.ones(2, 2, requires_grad=True)

    def elsewhere() -> None:
        seen.append((module.is_autocast_enabled("cpu"), (a @ a).dtype, module.get_autocast_dtype("cpu")))
        with module.autocast("cpu", dtype=module.float16):
            seen.append((module.mm(a.detach(), a.detach()).dtype, module.autocast_increment_nesting()))
            module.autocast_decrement_nesting()

    with module.autocast("cpu"):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert (a @ a).dtype is module.bfloat16
    assert seen == [(False, module.float32, module.bfloat16), (module.float16, 2)]


@pytest.mark.parametrize("module", ENGINES)
def test_dispatch_modes_see_the_casts(module: Any) -> None:
    seen: list[Any] = []

    class Watch(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append((str(func), module.is_autocast_enabled("cpu")))
            found = func(*args, **(kwargs or {}))
            if "mul" in str(func):
                with module.autocast("cpu"):
                    seen.append(module.mm(args[0], args[0]).dtype)
            return found

    a, b = module.ones(2, 2, requires_grad=True), module.ones(2, 2)
    with module.autocast("cpu"), Watch():
        y = a @ a
        module.mm(y, b)
    assert seen == [
        ("aten._to_copy.default", False),
        ("aten.mm.default", False),
        ("aten._to_copy.default", False),
        ("aten.mm.default", False),
    ]
    y.sum().backward()
    assert a.grad.dtype is module.float32
    del seen[:]
    with Watch():
        b * 2
    assert seen == [("aten.mul.Tensor", False), module.bfloat16]
    assert not module.is_autocast_enabled("cpu")


@pytest.mark.parametrize("module", ENGINES)
def test_a_function_mode_sees_the_call(module: Any) -> None:
    program = f"""if True:
        import importlib
        torch = importlib.import_module({module.__name__!r})
        class Watch(importlib.import_module({module.__name__!r} + ".overrides").TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                print(func.__name__, torch.is_autocast_enabled("cpu"))
                return func(*args, **(kwargs or {{}}))
        a = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu"), Watch():
            y = torch.mm(a, a)
            z = torch.nn.functional.mse_loss(y, y)
        print(y.dtype, z.dtype)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert lines[0] == "mm True", done.stderr
    assert lines[-1] == "torch.bfloat16 torch.float32"


@pytest.mark.parametrize("module", ENGINES)
def test_what_the_core_tells(module: Any) -> None:
    core = module._C
    assert core._autocast_supported_devices()[:2] == ["cpu", "cuda"]
    assert core._is_autocast_available("cpu") and not core._is_any_autocast_enabled()
    with module.autocast("xpu"):
        assert core._is_any_autocast_enabled() and not core.is_autocast_enabled("cpu")
    assert not hasattr(core, "_is_no_autocast_enabled")


@pytest.mark.parametrize("module", ENGINES)
def test_a_custom_function_notes_the_state(module: Any) -> None:
    class Context:
        pass

    context: Any = Context()
    forward = module.amp.custom_fwd(lambda ctx, x: x, device_type="cpu")
    with module.autocast("cpu", dtype=module.float16):
        forward(context, 1)
    assert (context._dtype, context._fwd_used_autocast) == (module.float16, True)
    backward = module.amp.custom_bwd(device_type="cpu")(lambda ctx: module.get_autocast_dtype("cpu"))
    assert backward(context) is module.float16
    cast = module.amp.autocast_mode._cast({"a": iter([module.ones(1)])}, "cpu", module.float16)
    assert [each.dtype for each in cast["a"]] == [module.float16]
