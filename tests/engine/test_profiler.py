"""Profiles that no scenario can make: of threads, files and loaders, and the cost of not profiling."""

import gc
import gzip
import json
import subprocess
import sys
import threading
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import torch

from conformance import engine
from conformance.engine._c10.interpreter_stack import transforms
from conformance.engine._dispatch.torch_function_wrappers import unwrapped

BOTH = pytest.mark.parametrize("t", [torch, engine], ids=["torch", "engine"])


def outermost(events: Any) -> list[str]:
    return [each.name for each in events if each.cpu_parent is None]


@BOTH
def test_a_profile_is_of_one_thread(t: Any) -> None:
    x = t.tensor([1.0, 2.0])
    found = {}

    def work() -> None:
        x.sin()
        if t is engine:  # two at once crash torch
            with t.autograd.profiler.profile() as inner:
                x.cos()
            found["inner"] = outermost(inner.function_events)

    with t.autograd.profiler.profile() as outer:
        x.exp()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        x.tan()
    assert t is torch or found["inner"] == ["aten::cos"]
    assert outermost(outer.function_events) == ["aten::exp", "aten::tan"]


@BOTH
def test_batches_of_a_loader_are_sections(t: Any) -> None:
    data = t.utils.data.TensorDataset(t.ones(4, 3))
    with t.autograd.profiler.profile() as prof:
        for (batch,) in t.utils.data.DataLoader(data, batch_size=2):
            batch.sum()
    sections = [each for each in prof.function_events if each.is_user_annotation]
    assert [each.name for each in sections] == [
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    ] * 3
    assert [[child.name for child in each.cpu_children] for each in sections] == [
        ["aten::select", "aten::select", "aten::stack"],
        ["aten::select", "aten::select", "aten::stack"],
        [],
    ]


@BOTH
def test_collection_is_left_off_for_a_while(t: Any) -> None:
    x, cpu = t.tensor([1.0, 2.0]), [t.profiler.ProfilerActivity.CPU]
    with t.profiler.profile(activities=cpu) as prof:
        x.exp()
        prof.toggle_collection_dynamic(False, cpu)
        x.sin()
        prof.toggle_collection_dynamic(True, cpu)
        x.cos()
    assert outermost(prof.events()) == ["aten::exp", "aten::cos"]


@BOTH
def test_traces_are_written(t: Any, tmp_path: Path) -> None:
    x = t.tensor([1.0, 2.0])
    ready = t.profiler.tensorboard_trace_handler(str(tmp_path / "log"), worker_name="me", use_gzip=True)
    with t.profiler.profile(on_trace_ready=ready) as prof, t.profiler.record_function("named"):
        x.exp()
    (written,) = (tmp_path / "log").iterdir()
    assert written.name.startswith("me.") and written.name.endswith(".pt.trace.json.gz")
    with gzip.open(written) as file:
        packed = json.load(file)
    prof.events().export_chrome_trace(str(tmp_path / "plain.json"))
    plain = json.loads((tmp_path / "plain.json").read_text())
    assert [(each["name"], each["ph"]) for each in plain] == [("named", "X"), ("aten::exp", "X")]
    events = packed["traceEvents"] if t is torch else packed
    assert {"named", "aten::exp"} <= {each.get("name") for each in events}


def test_after_a_profile_functions_have_their_own_code() -> None:
    gc.collect()  # a class with a __torch_dispatch__, which another test made, counts as long as there is one
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    x.exp().sum().backward()
    functions = [
        each
        for names in (vars(engine), vars(engine.Tensor), vars(engine.nn.functional))
        for each in map(unwrapped, [*names.values()])
        if isinstance(each, FunctionType)
    ]
    with engine.autograd.profiler.profile():
        x.exp().sum().backward()
        inside = sum(each.__code__.co_name == "stub" for each in functions)
    after = sum(each.__code__.co_name == "stub" for each in functions)
    assert inside > after and not transforms.count
    assert engine.ones.__code__.co_name != "stub"


@pytest.mark.parametrize(
    "first", ["", "class Of(torch.Tensor): pass", "with torch.overrides.BaseTorchFunctionMode(): pass"]
)
def test_events_are_the_same_once_something_overrides(first: str) -> None:
    """A process of its own each: what can be seen is found with its first profile."""
    program = (
        f"import conformance.engine as torch\n{first}\n"
        "x, w = torch.ones(2, 2), torch.ones(2, 2)\n"
        "with torch.autograd.profiler.profile() as prof:\n"
        "  x @ w; x[0] @ w; w.__rmatmul__(x); torch.fft.fft(x); x.T; float(x[0, 0]); x.flatten(); x.new_ones(1)\n"
        "print(*(each.name for each in prof.function_events if each.cpu_parent is None))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    names = "matmul select matmul matmul fft_fft numpy_T select select item flatten new_ones"
    assert done.stdout.split() == [f"aten::{each}" for each in names.split()]


def test_who_does_not_profile_loads_nothing_of_it() -> None:
    program = (
        "import sys, conformance.engine as torch\n"
        "opt = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.5)\n"
        "opt.zero_grad(); opt.param_groups[0]['params'][0].sum().backward(); opt.step()\n"
        "print([each for each in sys.modules if 'profiler' in each or 'record_function' in each])\n"
        "with torch.profiler.record_function('nobody'): torch.ones(2)\n"
        "print([each for each in sys.modules if 'engine.func' in each])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "[]", done.stdout
    assert done.stdout.splitlines()[1] in ("[]", "['conformance.engine.functional']"), done.stdout
