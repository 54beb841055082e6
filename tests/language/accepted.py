"""Programs as people write them, which the language takes as they are."""

PROGRAMS = [
    """
class VAE(nn.Module):
    def __init__(self, config, memory=None):
        super().__init__()
        self.config, self.memory, self.cache = config, memory, {}
        self.conv = nn.Conv2d(1, 1, 1)
        self.activation = nn.ReLU()
    def encode(self, x):
        return self.activation(self.conv(x))
    def decode(self, z):
        return z if self.memory is None else self.memory
    def forward(self, x):
        return self.decode(self.encode(x))
VAE({})(torch.ones(1, 1, 1, 1))
""",
    """
from torch import Tensor
@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: Tensor, by: list[float], dtype: torch.dtype | None = None) -> tuple[torch.Tensor, ...]:
    return x * by[0], x
scale.register_autograd(lambda ctx, *grads: (grads[0], None))
y = torch.ops.mylib.scale.default(torch.ones(2), [2.])
""",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Function, grad, Variable
class PINN(nn.Module):
    def __init__(self, layers=[2, 20, 1], act=nn.Tanh):
        super(PINN, self).__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(layers[:-1], layers[1:])])
        self.act = act()
        self.loss_fn = nn.MSELoss()
        self.history: list = []
        self.register_buffer("scale", torch.ones(1))
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, layer in enumerate(self.layers[:-1]):
            x = self.act(layer(x))
        return self.layers[-1](x) * self.scale
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = PINN(act=nn.SiLU).to(device)
optimizer = optim.Adam(model.parameters(), lr=1e-3)
x = torch.rand(16, 2, requires_grad=True)
for epoch in range(3):
    optimizer.zero_grad()
    u = model(x)
    du = torch.autograd.grad(u, x, grad_outputs=torch.ones_like(u), create_graph=True)[0]
    loss = (du ** 2).mean()
    loss.backward()
    optimizer.step()
    model.history.append(loss.item())
    if epoch % 2 == 0:
        print(f"epoch {epoch}: {loss.item():.4f}", type(loss), x.grad is None)
print('%d parameters' % sum(p.numel() for p in model.parameters() if p.requires_grad))
""",
    """
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, alpha=0.1):
        ctx.save_for_backward(input)
        ctx.alpha = alpha
        return input.clamp(min=0)
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input * ctx.alpha, None
input = torch.randn(3, requires_grad=True)
y = MyReLU.apply(input)
target = torch.zeros(3)
y.backward(torch.ones_like(y))
assert torch.equal(input.grad, input.grad), "same"
""",
    """
optim = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
optim.step()
""",
    """
def hook(module, inp, out):
    seen.append(out.shape)
seen = []
m = nn.Linear(1, 1)
h = m.register_forward_hook(hook)
h.remove()
with torch.no_grad():
    for p in m.parameters():
        p -= 0.1 * p
        p.grad = None
w = weakref(m.weight)
del m
collect()
print(w() is None)
""",
    """
x = torch.ones(2, requires_grad=True)
fn = x.sum().grad_fn
print(fn.name(), fn.next_functions[0][0].variable is x, fn._saved_dim if hasattr(fn, "_saved_dim") else None)
type(fn).__name__
assert type(x) is torch.Tensor
def gen():
    with torch.no_grad():
        got = yield x * 2
g = gen(); next(g); g.send(1) if 0 else None
if isinstance(x, (torch.Tensor, nn.Parameter)): pass
for act in [nn.ReLU, nn.Tanh]:
    m = act()
    m.calls = 0
assert __name__ != "x"
""",
    """
for cls in (nn.ReLU, nn.Tanh):
    print(cls.__name__, cls()(torch.ones(1)))
def check(cls, *args):
    return cls(*args)
layer = check(nn.Linear, 1, 2)
layer.weight.data = torch.zeros(2, 1)
layer.weight.grad = torch.zeros(2, 1)
""",
    """
import torch.utils.checkpoint
from torch.utils.checkpoint import checkpoint
from torch.autograd.graph import saved_tensors_hooks
def f(x): return x.sin().cos()
x = torch.ones(1, requires_grad=True)
y = checkpoint(f, x, use_reentrant=False)
with torch.autograd.graph.save_on_cpu(): pass
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): f(x)
with torch.autograd.set_detect_anomaly(True), torch.enable_grad() as e:
    raise ValueError("x")
""",
    """
class Counter:
    total = 0
    def __init__(self, start):
        self.count = start
        self.name = "counter"
        self.value = 1
    def add(self, n=1):
        self.count += n
        Counter.total += n
        return self
c = Counter(1).add(2)
""",
]
