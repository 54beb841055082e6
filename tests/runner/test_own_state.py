"""What an engine sets in torch when it is made is its state at the start of every scenario, and no one else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.adapters.registry import find
from conformance.runner.execute import run
from tests.runner.make import scenario

SETTINGS = {
    "default device": ("torch.set_default_device('meta')", "str(torch.ones(1).device)", "meta"),
    "default dtype": ("torch.set_default_dtype(torch.float64)", "str(torch.ones(1).dtype)", "torch.float64"),
    "threads": ("torch.set_num_threads(7)", "torch.get_num_threads()", 7),
    "deterministic": (
        "torch.use_deterministic_algorithms(True)",
        "torch.are_deterministic_algorithms_enabled()",
        True,
    ),
    "precision": (
        "torch.set_float32_matmul_precision('medium')",
        "torch.get_float32_matmul_precision()",
        "medium",
    ),
    "grad mode": ("torch.set_grad_enabled(False)", "torch.is_grad_enabled()", False),
    "anomaly mode": ("torch.set_anomaly_enabled(True)", "torch.is_anomaly_enabled()", True),
    "print options": ("torch.set_printoptions(precision=2)", "repr(torch.tensor(1 / 3))", "tensor(0.33)"),
    "autocast": ("torch.set_autocast_enabled('cpu', True)", "torch.is_autocast_enabled('cpu')", True),
    "inference mode": (
        "guard = torch.inference_mode()\nguard.__enter__()",
        "torch.is_inference_mode_enabled()",
        True,
    ),
    "a kernel of attention": (
        "torch.backends.cuda.enable_math_sdp(False)",
        "torch.backends.cuda.math_sdp_enabled()",
        False,
    ),
    "saved-tensor hooks": (
        "torch.autograd.graph.saved_tensors_hooks(lambda x: 1, lambda x: torch.zeros(1)).__enter__()",
        "(torch.ones(1, requires_grad=True) ** 2).grad_fn._saved_self.tolist() == [0.0]",
        True,
    ),
    "hooks of all modules": (
        "torch.nn.modules.module.register_module_forward_hook(lambda *_: 5)",
        "torch.nn.Identity()(1)",
        5,
    ),
}
UNDOING = (
    "pass",
    "torch.set_default_device(None)\ntorch.set_default_dtype(torch.float32)\ntorch.set_printoptions(precision=5)",
    "torch.set_grad_enabled(True)\ntorch.set_anomaly_enabled(False)\ntorch.set_num_threads(1)\n"
    "torch.use_deterministic_algorithms(False)\ntorch.backends.cuda.enable_math_sdp(True)\n"
    "torch.set_float32_matmul_precision('highest')",
)
"""What programs do between the looks at the state."""

APART = ("default device", "inference mode", "grad mode")
"""Set in a second process: with them no program computes the other looks."""

ENGINE = """
import torch
{setters}
torch.look = lambda: [{looks}]
class Setting:
    name, version, claims, torch = "setting", "1", {{"values"}}, torch
    def observe(self, value): return value if isinstance(value, torch.Tensor) else None
engine = Setting()
"""
SCRIPT = """
import sys
import torch
sys.path.insert(0, {folder!r})
from conformance.adapters.registry import find
from conformance.runner.execute import run
from tests.runner.make import scenario
engine = find("setting")
for undoing in {undoing!r}:
    trace = run(scenario("a = torch.look()"), engine)
    print(trace.moments[-1].raised or trace.moments[-1].state["a"]["value"])
    run(scenario(undoing), engine)
"""


@pytest.mark.parametrize(
    "settings", [[name for name in SETTINGS if name not in APART], [*APART]], ids=["settings", "modes"]
)
def test_what_an_engine_sets_holds_in_every_scenario(settings: list[str], tmp_path: Path) -> None:
    """In a process of its own, as engines run; whatever the programs in between set."""
    setters, looks, values = zip(*(SETTINGS[name] for name in settings), strict=True)
    text = ENGINE.format(setters="\n".join(setters), looks=", ".join(looks))
    (tmp_path / "setting.py").write_text(text)
    script = SCRIPT.format(folder=str(tmp_path), undoing=UNDOING)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [repr([*values])] * len(UNDOING), (settings, done.stderr)


TWO = """
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
class Doubling(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        return found + found if func is torch.relu else found
class Negating(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        return -found if func is torch.ops.aten.relu.default else found
class Same:
    version, claims, torch = "1", {"values"}, torch
    def __init__(self, name): self.name = name
    def observe(self, value): return value if isinstance(value, torch.Tensor) else None
def first():
    Doubling().__enter__()
    Negating().__enter__()
    torch.set_grad_enabled(False)
    torch.set_anomaly_enabled(True)
    torch.set_default_dtype(torch.float64)
    torch.set_float32_matmul_precision("medium")
    torch.use_deterministic_algorithms(True)
    torch.set_printoptions(precision=2)
    torch.autograd.graph.saved_tensors_hooks(lambda x: 1, lambda x: x).__enter__()
    return Same("first")
def second(): return Same("second")
"""
BOTH = """
import sys
sys.path.insert(0, {folder!r})
from conformance.adapters.registry import find
from conformance.runner.execute import run
from tests.runner.make import scenario
PROGRAM = '''
a = [torch.relu(torch.ones(1)).item(), torch.is_grad_enabled(), torch.is_anomaly_enabled(),
     torch.are_deterministic_algorithms_enabled(), repr(torch.tensor(1 / 3))]
'''
engines = [find("two:first"), find("two:second"), find("torch")]
for engine in (*engines, engines[0]):
    trace = run(scenario(PROGRAM), engine)
    print(trace.moments[-1].raised or trace.moments[-1].state["a"]["value"])
"""


def test_the_next_engine_of_a_process_inherits_nothing(tmp_path: Path) -> None:
    """Neither the modes that another one has entered nor its settings; and that one has them again after it."""
    (tmp_path / "two.py").write_text(TWO)
    done = subprocess.run(
        [sys.executable, "-c", BOTH.format(folder=str(tmp_path))], capture_output=True, text=True, check=False
    )
    own = "[-2.0, False, True, True, 'tensor(0.33)']"
    clean = "[1.0, True, False, False, 'tensor(0.3333)']"
    assert done.stdout.splitlines() == [own, clean, clean, own], done.stderr


FLAGS = """
class Device: pass
class Tensor:
    eager = True
    device = cpu = Device()
_records = True
calls = 0
class pause:
    def __enter__(self):
        global _records, calls
        _records, Tensor.eager, Tensor.device, calls = False, False, None, calls + 1
    def __exit__(self, *exc):
        global _records
        _records, Tensor.eager = True, True
def tensor(data, requires_grad=False): return [_records, Tensor.eager, Tensor.device is Tensor.cpu, calls]
no_grad, claims = pause, {"values"}
"""


def test_settings_that_a_program_leaves_in_an_engines_modules_are_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `with` without an end must not decide on the scenarios after it; other values are the engine's affair."""
    (tmp_path / "flagged.py").write_text(FLAGS)
    monkeypatch.syspath_prepend(tmp_path)
    engine = find("flagged")
    run(scenario("torch.no_grad().__enter__()"), engine)
    trace = run(scenario("a = torch.tensor(1)"), engine)
    monkeypatch.delitem(sys.modules, "flagged")
    state = trace.moments[-1].state
    assert state is not None
    assert state["a"]["value"] == "[True, True, True, 1]"
