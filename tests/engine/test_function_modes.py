"""__torch_function__ compared with torch: no scenario may have one, since it is a special method.

Each program runs in a fork: the first override changes the engine's functions, for all later ones.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("torch")

BEGIN = """
def said():
    pass
class Log(TorchFunctionMode):
    def __init__(self, name=""):
        self.name = name
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(self.name, func.__name__)
        return func(*args, **(kwargs or {}))
x = torch.tensor([1., 2.], requires_grad=True)
"""
PROGRAMS = {
    "functions and methods": """
with Log():
    y = (x * 2).sum() + torch.exp(x).size(0)
    y.backward()
    z = torch.nn.functional.relu(x)[0]
    w = torch.zeros(2), torch.tensor(1.), torch.randn(1), x.grad, x + 1, 1 - x, len(x), float(z), x > 1
print(y, x.grad)
""",
    "layers": """
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
with Log():
    m(x.detach())
""",
    "nested": """
with Log("outer"), Log("inner"):
    y = torch.add(x, x)
print(_get_current_function_mode())
""",
    "replaced": """
class Replace(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.add:
            return torch.sub(*args)
        if func is torch.Tensor.mul:
            return -1
        return func(*args, **(kwargs or {}))
with Replace():
    y, z, w = torch.add(x, x), x * x, x.mul(x)
print(y, z, w)
""",
    "a device inside": """
with Log("outer"), torch.device("cpu"), Log("inner"):
    a = torch.ones(2), torch.tensor([1.], device="cpu"), torch.device("cpu", 0), torch.get_default_device()
print(_get_current_function_mode())
""",
    "a device told": """
class Told(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, (kwargs or {}).get("device"))
        return func(*args, **(kwargs or {}))
with Told(), torch.device("cpu"):
    a = torch.ones(2), torch.zeros(1, device="cpu:0"), torch.zeros_like(x), torch.randn(2), torch.as_tensor([1.])
with Told(), torch.device("cpu"), torch.device("cpu", 0):
    b = torch.arange(3), torch.fft.fftfreq(2)
""",
    "a default device": """
with Log():
    torch.set_default_device("cpu:0")
    a = torch.ones(2)
    print(torch.get_default_device(), type(_get_current_function_mode()).__name__)
torch.set_default_device(None)
print(_get_current_function_mode())
""",
    "itself again": """
class Again(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__)
        if func is torch.sub:
            with self:
                return torch.add(args[0], args[1], alpha=-1)
        return func(*args, **(kwargs or {}))
with Again():
    y = torch.sub(x, x)
print(y)
""",
    "subclass": """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("subclass", func.__name__, [each.__name__ for each in types])
        return super().__torch_function__(func, types, args, kwargs or {})
t = torch.ones(2).as_subclass(Own)
with Log("mode"):
    y, z = torch.add(t, t), t.exp()
print(type(y).__name__, type(z).__name__)
""",
    "names": """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [type(each).__name__ for each in args])
        return super().__torch_function__(func, types, args, kwargs or {})
t, n, plain = torch.ones(2).as_subclass(Own), torch.tensor([1, 2]).as_subclass(Own), torch.ones(2)
t + 1, 1 + t, t - 1, 1 - t, t * t, 2 * t, t / 2, 2 / t, t // 2, 2 // t, t % 2, 2 % t, t ** 2, 2 ** t, t @ t, -t, abs(t)
n & 1, 1 & n, n | n, n ^ 1, n << 1, 2 << n, n >> 1, ~n, t == 1, t != 1, t < 1, t >= 1
len(t), float(t[0]), int(n[0]), bool(t[0]), 1. in t, repr(t), t.float(), t.new_ones(1), t.cpu()
torch.fft.fft(t), torch.linalg.norm(t), torch.special.expit(t)
t.requires_grad = True
t.grad = plain
""",
    "with a tensor": """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [type(each).__name__ for each in args])
        return super().__torch_function__(func, types, args, kwargs or {})
t, plain = torch.ones(2).as_subclass(Own), torch.ones(2)
found = [plain.add(t), plain.clone().mul_(t), plain.where(t > 0, plain), plain.type_as(t), plain.eq(t), plain @ t]
print([type(each).__name__ for each in found], plain.equal(t), type(plain.new_tensor(t)).__name__)
plain += t
print(type(plain).__name__)
""",
    "no longer": """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
class Plain(Own):
    __torch_function__ = torch._C._disabled_torch_function_impl
t = torch.Tensor._make_subclass(Plain, torch.ones(2), True)
print(type(t + 1).__name__, type(2 - t).__name__, t.requires_grad, type(torch.exp(t)).__name__)
""",
    "knows nothing": """
class Nothing:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented
class Own(torch.Tensor):
    pass
class Other(torch.Tensor):
    pass
n, a, b = Nothing(), torch.ones(1).as_subclass(Own), torch.ones(1).as_subclass(Other)
for call in (lambda: torch.ones(1) + n, lambda: n - torch.ones(1), lambda: torch.add(n, 1), lambda: a + b,
             lambda: b * a, lambda: torch.overrides.handle_torch_function(said, (n,))):
    try:
        call()
    except TypeError as error:
        print(str(error).partition(chr(10))[0])
print(torch.ones(1) == n)
""",
    "passed on": """
class Pass(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return 12
t = torch.ones(2).as_subclass(Own)
try:
    with Pass():
        print(torch.sin(t))
        torch.randn(2)
except TypeError as error:
    print(str(error).partition("- mode")[0])
""",
    "disabled": """
with Log(), torch._C.DisableTorchFunction():
    y = torch.add(x, x)
    print(torch._C._is_torch_function_all_disabled())
with Log(), torch._C.DisableTorchFunctionSubclass():
    y = torch.add(x, x)
print(torch._C._is_torch_function_all_disabled())
""",
    "what functions are called": """
class Nothing:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
with Log():
    n, F, init = Nothing(), torch.nn.functional, torch.nn.init
for call in (torch.linalg.inv, torch.special.erf, F.relu, F.gelu, F.logsigmoid, torch.relu,
             torch.norm, torch.unique, torch.svd_lowrank, init.uniform_):
    try:
        call(n)
    except TypeError as error:
        print(str(error).partition(chr(10))[0])
for call in (torch.fft.fft, F.softmax, F.hardshrink, F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, torch.stft,
             torch.istft, torch.embedding, torch.layer_norm, torch.dist, init.constant_):
    try:
        call(n, n)
    except TypeError as error:
        print(str(error).partition(chr(10))[0])
""",
    "reflected with another class": """
class Nothing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class Reflected(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return -1 if func is torch.Tensor.__rpow__ else NotImplemented
print(torch.ones(1).as_subclass(Nothing) ** torch.ones(1).as_subclass(Reflected))
""",
    "defined otherwise": """
class Plain:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return 3
class Held(TorchFunctionMode):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return 3
with Log():
    F = torch.nn.functional
for call in (torch.exp, F.dropout):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        print(call(Plain()))
    print(*((each.category.__name__, str(each.message).partition(" (Trig")[0]) for each in seen))
try:
    with Held():
        torch.exp(x)
except RuntimeError as error:
    print(error)
for given in (3, (3,), None):
    try:
        print(torch.overrides.has_torch_function(given))
    except TypeError as error:
        print(error)
""",
    "a device": """
from torch.utils._device import DeviceContext
class Ask(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, kwargs)
        return func(*args, **(kwargs or {}))
with torch.device("cpu") as d, Ask():
    y, z = torch.ones(2), torch.tensor([1], device="cpu") * 2
print(d)
with torch.device("cpu"):
    print(type(_get_current_function_mode()).__name__, y.device)
print(_get_current_function_mode())
""",
    "broadcast": """
class Own(torch.Tensor):
    pass
from torch.distributions.utils import broadcast_all
t = torch.ones(2).as_subclass(Own)
print([type(each).__name__ for each in broadcast_all(t, 2., torch.ones(1))])
""",
    "objects that are not tensors": """
class Diagonal:
    def __init__(self, value):
        self.value = value
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [each.__name__ for each in types], kwargs)
        return KNOWN[func](*args) if func in KNOWN else NotImplemented
KNOWN = {torch.mean: lambda d: d.value / 2, torch.add: lambda a, b: "added", torch.matmul: lambda a, b: "multiplied"}
d, t = Diagonal(3.), torch.ones(1)
def tried(call):
    try:
        print(call())
    except TypeError as error:
        print(str(error).partition(" Triggered")[0])
tried(lambda: torch.mean(d))
tried(lambda: torch.add(d, d))
tried(lambda: torch.add(t, d))
tried(lambda: torch.matmul(t, d))
tried(lambda: t @ d)
tried(lambda: t - d)
tried(lambda: t == d)
tried(lambda: t.sub(d))
tried(lambda: torch.max(d, 0))
tried(lambda: torch.sum(d, dim=0))
tried(lambda: torch.nn.functional.linear(t, d))
tried(lambda: torch.linalg.norm(d))
tried(lambda: torch.fft.fft(d))
""",
    "types that are passed": """
class Types(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, [each.__name__ for each in types])
        return func(*args, **(kwargs or {}))
d = torch.tensor([[1., 2.], [3., 4.]])
s = torch.eye(2).to_sparse()
with Types():
    x.shape, x.grad, x.is_leaf, x.data, d.T, d.requires_grad, d.dtype
    d.sin(), d.neg(), -d, abs(d), d.t(), d.inverse(), d.dim(), d.arccos(), d.exp_(), d.isnan(), s.coalesce(), s.values()
    d.sum(), d.add(1), d + 1, d.size(), d.view(4), d.clone(), d.mean(0), d.mul_(2), d.reshape(4), d.max()
    1 - d, 2 ** d, d ** 2, 3 / d, d // 2, len(d), d[0], d.norm(), d.split(1), d.unique(), d.new_tensor([1.]), d.tolist()
    d.detach(), d.numel(), torch.sin(d), torch.add(d, d), d == d, d.unflatten(0, (1, 2)), d.sum().item()
    x.sum().backward()
    d.requires_grad = True
""",
    "without a method": """
try:
    with TorchFunctionMode():
        torch.add(x, x)
except NotImplementedError as error:
    print(repr(error))
with BaseTorchFunctionMode():
    y = torch.add(x, x)
print(y, x.mul(x), x.shape)
""",
}


RUN = """
import json, os, sys, warnings
import {module} as torch, {module}.nn, {module}.overrides
from {module}.overrides import TorchFunctionMode, BaseTorchFunctionMode, _get_current_function_mode
warnings.simplefilter("ignore")
outputs = []
for program in json.load(sys.stdin):
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.dup2(writing, 1)
        exec(program, {{**globals(), "__name__": "__main__"}})
        sys.stdout.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as output:
        outputs.append(output.read())
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0, program
json.dump(outputs, sys.stdout)
"""


def printed(module: str) -> dict[str, str]:
    """What each program prints, in a fork of a process that has imported torch or the engine."""
    programs = json.dumps(
        [BEGIN + each.replace("from torch", f"from {module}") for each in PROGRAMS.values()]
    )
    command = [sys.executable, "-c", RUN.format(module=module)]
    done = subprocess.run(command, input=programs, capture_output=True, text=True, check=True)
    return dict(zip(PROGRAMS, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def outputs() -> tuple[dict[str, str], dict[str, str]]:
    return printed("torch"), printed("conformance.engine")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_torch(outputs: tuple[dict[str, str], dict[str, str]], name: str) -> None:
    on_torch, on_engine = (each[name] for each in outputs)
    assert on_torch
    assert on_engine == on_torch
