"""The custom Functions of random programs: legal ones, and some whose backward is refused."""

from __future__ import annotations

FUNCTIONS = {
    "Square": """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x""",
    "Same": """\
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3""",
    "Viewed": """\
class Viewed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.clone()""",
    "Scaled": """\
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2""",
    "Two": """\
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x > 0
        ctx.mark_non_differentiable(y)
        return x + 1, y
    @staticmethod
    def backward(ctx, g, h):
        return g""",
    "Result": """\
class Result(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y""",
    "Setup": """\
class Setup(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]""",
    "Once": """\
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * 2""",
    "Times": """\
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y if ctx.needs_input_grad[0] else None, g * x if ctx.needs_input_grad[1] else None""",
    "Unmade": """\
class Unmade(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        return h if g is None else g if h is None else g + h""",
    "Pair": """\
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3""",
    "Both": """\
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x, x * 2
    @staticmethod
    def backward(ctx, g, h):
        return g + h""",
    "Told": """\
class Told(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        print(ctx.needs_input_grad, torch.is_grad_enabled(), x.requires_grad)
        return x + y
    @staticmethod
    def backward(ctx, g):
        print(ctx.needs_input_grad, torch.is_grad_enabled(), g.requires_grad)
        return g * 2, g * 3""",
    "Named": """\
class Named(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2, shift=0):
        ctx.scale = scale
        return x * scale + shift
    @staticmethod
    def backward(ctx, g):
        return g * ctx.scale, None, None""",
    "Inner": """\
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            x = ctx.saved_tensors[0].detach().requires_grad_()
            (x * x * g).sum().backward()
        return x.grad""",
    "Few": """\
class Few(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y
    @staticmethod
    def backward(ctx, g):
        return g""",
    "More": """\
class More(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2, None, None""",
    "Number": """\
class Number(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return 1.0""",
    "Nothing": """\
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return None""",
    "Given": """\
class Given(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        return x * n
    @staticmethod
    def backward(ctx, g):
        return g * 2, g""",
    "Wide": """\
class Wide(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y
    @staticmethod
    def backward(ctx, g):
        return g, torch.ones(5)""",
    "Unreturned": """\
class Unreturned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2) * 1
    @staticmethod
    def backward(ctx, g):
        return g * 2""",
    "Outside": """\
class Outside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return g * 2""",
    "Whole": """\
class Whole(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.zeros_like(x, dtype=torch.int64)
    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g)""",
    "Dropped": """\
class Dropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return None""",
}
