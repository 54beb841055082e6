"""What the statements of random programs are drawn from: templates, the simplest first in every list.

The arguments of exp, sin and cos are clamped: where they are large, a last bit that two libraries round differently
before them becomes any difference at all.
"""

from __future__ import annotations

UNARY = (
    "{a} * 2", "{a} + 1", "-{a}", "{a} * {a}", "{a}.clone()", "{a} / 2", "{a} ** 2", "{a}.clamp(-2, 2).exp()",
    "{a}.relu()", "{a}.sigmoid()", "{a}.tanh()", "{a}.abs()", "{a} - 3", "1 - {a}", "2 / {a}", "{a}.clamp(-2, 2).sin()",
    "{a}.clamp(-2, 2).cos()", "{a}.clamp(0, 2)", "{a} ** 3", "{a}.square()", "{a}.detach()", "{a}.data",
    "{a}.contiguous()", "{a}.cumsum(-1)", "{a}.softmax(-1)", "{a}.flip(-1)", "torch.zeros_like({a})",
    "torch.ones_like({a})", "torch.where({a} > 1, {a}, {a} * 3)", "{a}.masked_fill({a} > 1, 0.)",
    "{a}.double()", "{a}.float()", "{a}.half()", "{a}.neg()", "F.leaky_relu({a})", "{a}.log_softmax(-1)",
    "{a}.detach().requires_grad_()", "Square.apply({a})", "Same.apply({a})", "torch.maximum({a}, {a} * 0)",
    "{a}.add(1, alpha=2)", "{a} > 1", "{a}.sqrt()", "{a}.log()", "{a} % 2", "{a}.roll(1)",
    "{a}.nan_to_num()", "Result.apply({a})", "Setup.apply({a})", "Once.apply({a})", "{a}.expm1()",
    "{a}.reciprocal()", "{a}.tril()", "F.elu({a})", "{a}.cumprod(-1)", "{a}.erf()",
    "F.softplus({a})", "F.dropout({a}, 0.5)", "torch.cat([{a}, {a}])",
)  # fmt: skip
CASTS = {"{a}.double()": "float64", "{a}.float()": "float32", "{a}.half()": "float16", "{a} > 1": "bool"}
BINARY = (
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}", "torch.maximum({a}, {b})",
    "torch.where({a} > {b}, {a}, {b})", "torch.minimum({a}, {b})", "{a}.lerp({b}, 0.5)",
    "{a}.addcmul({b}, {b})", "torch.add({a}, {b}, alpha=2)", "{a} ** {b}",
    "F.mse_loss({a}, {b}, reduction='none')", "{a} == {b}", "torch.hypot({a}, {b})",
    "Times.apply({a}, {b})", "{a} @ {b}", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])",
    "torch.atan2({a}, {b})", "{a}.masked_fill({b} > 1, 3.)", "{a}.mul({b}).sum(-1)",
)  # fmt: skip
REDUCTIONS = (
    "{a}.sum()", "{a}.mean()", "{a}.sum(0)", "{a}.mean(-1)", "{a}.prod()", "{a}.max()", "{a}.min()",
    "{a}.norm()", "{a}.sum(-1, keepdim=True)", "{a}.amax()", "{a}.std()", "{a}.var(0)",
    "{a}.logsumexp(-1)", "{a}.max(0).values",
)  # fmt: skip
VIEWS = (
    "{a}[0]", "{a}.view(-1)", "{a}[0:1]", "{a}.unsqueeze(0)", "{a}.t()", "{a}[...]", "{a}.reshape(-1)",
    "{a}[None]", "{a}.squeeze()", "{a}.expand_as({a})", "{a}.transpose(0, -1)", "{a}[:, 0]", "{a}[1:]",
    "{a}.view_as({a})", "{a}.flatten()", "{a}.narrow(0, 0, 1)", "{a}.diagonal()", "{a}[::2]",
    "{a}.select(0, 0)", "{a}.expand(2, *{a}.shape)", "{a}.permute(tuple(range({a}.dim())))",
    "{a}.detach()[0]", "{a}.T", "Viewed.apply({a})",
)  # fmt: skip
PARTS = (
    "{a}.unbind()", "{a}.split(1)", "{a}.chunk(2)", "{a}.tensor_split(2)", "Two.apply({a})",
    "Unmade.apply({a})", "{a}.max(0)", "{a}.sort(-1)",
)  # fmt: skip
IN_PLACE = (
    "{a}.mul_(2)", "{a}.add_(1)", "{a}.zero_()", "{a} += 1", "{a} *= 2", "{a}.fill_(3)",
    "{a}.copy_({a} * 2)", "{a}.sigmoid_()", "{a}.relu_()", "{a}.clamp_(-2, 2).exp_()", "{a}[0] = 2.", "{a}[0].mul_(3)",
    "{a}.clamp_(0, 1)", "{a}.neg_()", "{a}.data.mul_(2)", "{a}.detach().add_(1)", "{a}[{a} > 1] = 0.",
    "{a}.sub_(1)", "{a}.div_(2)", "{a}.tanh_()", "{a}[0:1] *= 2", "{a}.view(-1).mul_(2)",
    "{a}.masked_fill_({a} > 1, 2.)", "{a} -= {a}", "Scaled.apply({a})", "{a}.t_()", "{a}.unsqueeze_(0)",
    "{a}.pow_(2)", "{a}.detach_()", "{a}.requires_grad_(False)", "{a}.cumsum_(-1)", "{a}.sqrt_()",
    "{a}.reciprocal_()", "{a}.add_({a})", "{a}.mul_({a})", "{a}.squeeze_()", "{a}.detach()[0] = 5.",
)  # fmt: skip
IN_PLACE_WITH = (
    "{a}.mul_({b})", "{a}.add_({b})", "{a}.copy_({b})", "{a} += {b}", "{a}[0] = {b}", "{a}[0:1] = {b}",
    "{a}.data = {b}", "{a}.lerp_({b}, 0.5)", "{a}.sub_({b}, alpha=2)", "{a}.div_({b})",
    "{a}.addcmul_({b}, {b})",
    "{a}.pow_({b})", "{a}.view(-1).copy_({b}.view(-1))",
)  # fmt: skip
FLAGS = (
    "{a}.retain_grad()", "{a}.requires_grad_()", "{a}.requires_grad = True", "{a}.requires_grad = False",
    "{a}.requires_grad_(False)", "{a}.detach_()", "{a}.grad = None", "{a}.grad.zero_()",
    "{a}.grad = torch.ones_like({a})", "{a}.grad.add_(1)", "del {a}.grad", "{a}.grad = {a}.grad * 2",
    "{a}.grad = {a}.detach() * 2", "{a}.grad.mul_({a})", "{a}.requires_grad_({a}.is_leaf)",
)  # fmt: skip
HOOKS = (
    "{a}.register_hook(lambda g: g * 2)", "{a}.register_hook(lambda g: None)",
    "{a}.register_hook(lambda g: seen.append(g.clone()))",
    "{a}.register_post_accumulate_grad_hook(lambda t: None)",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
    "{a}.grad_fn.register_hook(lambda i, o: None)",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
    "h = {a}.register_hook(lambda g: g + 1); h.remove()",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda gs: seen.append(len(gs)))",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: seen.append(g.clone()), mode='any')",
    "{a}.register_hook(lambda g: g.sum())", "{a}.register_hook(lambda g: seen.append({a}._version))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g * 5 for g in i))",
    "{a}.register_hook(lambda g: g.mul_(2))",
)  # fmt: skip
BACKWARD = (
    "{a}.sum().backward()", "{a}.backward()", "{a}.backward(torch.ones_like({a}))",
    "{a}.sum().backward(retain_graph=True)", "{a}.backward(torch.ones_like({a}), retain_graph=True)",
    "({a} * {a}).sum().backward()", "{a}.sum().backward(create_graph=True)",
    "{a}.sum().backward(inputs=[{b}])", "torch.autograd.backward([{a}.sum(), {b}.sum()])",
    "({a} * {b}).sum().backward(retain_graph=True)",
    "{a}.backward(torch.ones_like({a}), inputs=[{b}], retain_graph=True)", "{a}.backward({b})",
    "{a}.backward({b}, retain_graph=True)",
    "torch.autograd.backward([{a}, {b}], [torch.ones_like({a}), torch.ones_like({b})])",
    "{a}.sum().backward(create_graph=True, retain_graph=False)", "({a}.grad * {a}).sum().backward()",
    "{a}.sum().backward(inputs=[])",
)  # fmt: skip
GRADS = (
    "torch.autograd.grad({a}.sum(), {b})", "torch.autograd.grad({a}.sum(), {b}, retain_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, create_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, allow_unused=True)",
    "torch.autograd.grad({a}, {b}, torch.ones_like({a}), create_graph=True, allow_unused=True)",
    "torch.autograd.grad({a}.sum(), [{a}, {b}], allow_unused=True, retain_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, materialize_grads=True)", "torch.autograd.grad({a}, {b}, {a})",
    "torch.autograd.grad([{a}.sum(), ({b} * {b}).sum()], [{b}, {a}], allow_unused=True)",
    "torch.autograd.grad({a}.sum(), {b}, create_graph=True, materialize_grads=True)",
)  # fmt: skip
INFERRED = (
    "made = {i}.clone()", "{i}.mul_(2)", "made = {a} * {i}", "{i}.requires_grad_()", "made = {i}.detach()",
    "made = {i}[0]", "{i}.sum().backward()", "{a}.copy_({i})", "made = ({a} + {i}).sum()",
    "{a}.grad = {i}",  "{i}.add_({a})", "made = Same.apply({i})", "made = {i}.view(-1)",
    "{i}.retain_grad()", "{i}.register_hook(lambda g: g)",
)  # fmt: skip
USES = (
    "{a} * {a}",
    "{a}.sigmoid()",
    "{a}[0:1]",
    "{a}.view(-1)",
    "{a}.tanh()",
    "{a} * 3",
    "Square.apply({a})",
)
MODES = (
    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)", "torch.inference_mode()",
    "torch.inference_mode(False)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x)",
    "torch.autograd.graph.save_on_cpu()", "torch.autograd.graph.disable_saved_tensors_hooks('none here')",
)  # fmt: skip

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
}
