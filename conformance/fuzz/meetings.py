"""Programs in which two features meet: a phrase of one, then a phrase of the other, on the same tensors.

In a phrase {a} is a leaf, {b} is computed from it, and {c} is a fresh name. A phrase that binds {c} goes on from it:
it is the {b} of the next phrase.
"""

from __future__ import annotations

from conformance.fuzz.features import Pair

_SQUARE = "lambda x: (x * x).sum()"
_WRITES = "lambda x: (x * 1).mul_(x).sum()"

START = ("{b} = {a} * 1", "{b} = {a} * {a}", "{b} = {a}.exp()", "{b} = ({a} * 1).view(-1)", "{b} = {a}")
"""How {b} is computed at first."""

PHRASES: dict[str, tuple[str, ...]] = {
    "custom Function": (
        "{c} = Square.apply({b})",
        "{c} = Viewed.apply({b})",
        "{c} = Scaled.apply({b})",
        "{c} = Same.apply({b})",
        "{c}, {d} = Pair.apply({b})",
        "{d}, {c} = Both.apply({b})",
        "{c} = Once.apply({b})",
        "{c} = Setup.apply({b})",
        "{c} = Inner.apply({b})",
        "{c} = Result.apply({b})",
        "{c} = Told.apply({b}, {a})",
    ),
    "view": (
        "{c} = {b}.view(-1)",
        "{c} = {b}.t()",
        "{c} = {b}.unsqueeze(0)",
        "{c} = {b}.view(-1)[0:1]",
        "{c} = {b}.expand(2, *{b}.shape)",
        "{c} = {b}.unbind()[0]",
        "{c} = {b}.view_as({b})",
    ),
    "in place": (
        "{b}.mul_(2)",
        "{b}.mul_({a})",
        "{b}.add_({b})",
        "{b}.exp_()",
        "{b}.zero_()",
        "{b}.view(-1)[0] = 3.",
        "{b}.copy_({a} * 2)",
        "{b}.view(-1).mul_(3)",
    ),
    "several outputs": (
        "{c}, *{d} = {b}.view(-1).unbind()",
        "{c}, {d} = {b}.view(-1).sort()",
        "{d}, {c} = torch.var_mean({b})",
    ),
    "detach": (
        "{c} = {b}.detach() * {a}",
        "{b}.detach_()",
        "{b}.detach().mul_(2)",
        "{c} = {b}.detach().requires_grad_()",
    ),
    "data": (
        "{b}.data.mul_(2)",
        "{b}.data = {b}.data * 2",
        "{a}.data = {a}.data + 1",
        "{c} = {a}.data * {b}",
    ),
    "grad set": (
        "{a}.grad = torch.ones_like({a})",
        "{a}.grad = {a} * 2",
        "{a}.grad = {b}.detach()",
        "{a}.grad = None",
    ),
    "dtypes": (
        "{c} = {b}.double()",
        "{c} = {b}.to(torch.float16)",
        "{c} = {b} * torch.ones(1, dtype=torch.float64)",
    ),
    "complex": (
        "{c} = {b} * (1 + 2j)",
        "{c} = torch.complex({b}, {b})",
        "{c} = ({b} * 1j).conj().real",
        "{c} = ({b} * 1j).imag",
    ),
    "sparse": (
        "{c} = {b}.to_sparse()",
        "{c} = {b}.to_sparse().to_dense()",
        "{c} = ({b}.to_sparse() * 2).to_dense()",
    ),
    "no_grad": (
        "with torch.no_grad():\n    {c} = {b}.view(-1)",
        "with torch.no_grad():\n    {b}.mul_(2)",
        "with torch.no_grad():\n    {c} = {b} * 2",
        "with torch.set_grad_enabled(False):\n    {a}.mul_(2)",
    ),
    "inference mode": (
        "with torch.inference_mode():\n    {d} = {b} * 2\n{c} = {d}.clone()",
        "with torch.inference_mode():\n    {b}.mul_(2)",
        "with torch.inference_mode():\n    {d} = {b} * 2\n{c} = {b} + {d}.clone()",
        "with torch.inference_mode():\n    ({b} * {b}).sum().backward()",
    ),
    "anomaly mode": (
        "with torch.autograd.detect_anomaly():\n    {c} = {b} * {b}",
        "with torch.autograd.detect_anomaly():\n    ({b} * {b}).sum().backward(retain_graph=True)",
        "with torch.autograd.detect_anomaly():\n    {c} = ({b} * 0).sqrt() * {b}\n"
        "    {c}.sum().backward(retain_graph=True)",
        "with torch.autograd.set_detect_anomaly(True, check_nan=False):\n    {c} = ({b} * 0).sqrt() * {b}\n"
        "    {c}.sum().backward(retain_graph=True)",
    ),
    "autocast": (
        "with torch.autocast('cpu', torch.bfloat16):\n    {c} = {b}.view(-1) @ {b}.view(-1)",
        "with torch.autocast('cpu', torch.bfloat16):\n    {c} = {b}.view(1, -1).mm({a}.view(-1, 1))",
    ),
    "tensor hook": (
        "{b}.register_hook(lambda g: g * 2)",
        "{a}.register_hook(lambda g: print('leaf', g))",
        "{b}.register_hook(lambda g: print('result', g))",
        "{b}.register_hook(lambda g: g.mul_(3))",
        "{d} = {b}.register_hook(lambda g: {d}.remove())",
    ),
    "node hook": (
        "{b}.grad_fn.register_hook(lambda i, o: print('node', i, o))",
        "{b}.grad_fn.register_prehook(lambda o: print('before', o))",
        "{b}.grad_fn.register_prehook(lambda o: tuple(g if g is None else g * 3 for g in o))",
        "{b}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 5 for g in i))",
    ),
    "accumulate hook": (
        "{a}.register_post_accumulate_grad_hook(lambda t: print('added', t.grad))",
        "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
        "def {d}(t):\n    t.grad = None\n{a}.register_post_accumulate_grad_hook({d})",
    ),
    "multi-grad hook": (
        "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda gs: print('all', gs))",
        "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: print('any', g), mode='any')",
    ),
    "saved tensor hooks": (
        "with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x):\n    {c} = {b} * {b}",
        "with torch.autograd.graph.saved_tensors_hooks(lambda x: print('pack') or x, lambda x: print('unpack') or x):\n"
        "    {c} = {b}.exp()",
        "with torch.autograd.graph.save_on_cpu():\n    {c} = {b} * {b}",
        "{c} = {b}.exp()\n{c}.grad_fn._raw_saved_result.register_hooks(lambda x: x * 2, lambda x: x + 1)",
    ),
    "mutation allowed": (
        "with torch.autograd.graph.allow_mutation_on_saved_tensors():\n    {c} = {b} * {b}\n    {b}.mul_(2)\n"
        "    {c}.sum().backward(retain_graph=True)",
        "with torch.autograd.graph.allow_mutation_on_saved_tensors():\n    {c} = {b}.exp()\n    {c}.mul_(2)",
    ),
    "retain_grad": ("{b}.retain_grad()", "{a}.retain_grad()"),
    "create_graph": (
        "{c}, = torch.autograd.grad(({b} * {b}).sum(), {a}, create_graph=True)",
        "({b} * {b}).sum().backward(create_graph=True)",
        "{c}, = torch.autograd.grad({b}.sum(), {b}, create_graph=True)",
    ),
    "batched gradients": (
        "made = torch.autograd.grad({b}, {a}, torch.stack([{b}.detach(), {b}.detach() * 2]), is_grads_batched=True, "
        "retain_graph=True)",
        "{d} = torch.ones(2, *{b}.shape)\n"
        "{c} = torch.autograd.grad({b} * {b}, {a}, {d}, True, is_grads_batched=True)[0].sum() * {b}",
        "{c}, = torch.autograd.grad({b}, {a}, torch.stack([{b}, {b} * 2]), create_graph=True, is_grads_batched=True)",
    ),
    "gradient edge": (
        "made = torch.autograd.grad(({b} * {b}).sum(), torch.autograd.graph.get_gradient_edge({b}), None, True)",
        "torch.autograd.backward([torch.autograd.graph.get_gradient_edge({b})], [torch.ones_like({b})], None, True)",
    ),
    "checkpoint": (
        "{c} = torch.utils.checkpoint.checkpoint(lambda x: x * x, {b}, use_reentrant=False)",
        "{c} = torch.utils.checkpoint.checkpoint(lambda x: x.exp() * x, {b}, use_reentrant=True)",
        "{c} = torch.utils.checkpoint.checkpoint(lambda x: print('run') or x.sin(), {b}, use_reentrant=False)",
        "{c} = torch.utils.checkpoint.checkpoint(lambda x: (x * 1).mul_(x).exp(), {b}, use_reentrant=False)",
    ),
    "vmap": (
        f"{{c}} = torch.func.vmap({_SQUARE})({{b}})",
        f"{{c}} = torch.func.vmap({_WRITES})({{b}})",
        "{c} = torch.func.vmap(lambda x: x * {a})({b})",
        f"{{c}} = torch.func.vmap(torch.func.grad({_SQUARE}))({{b}})",
    ),
    "torch.func": (
        "{c} = torch.func.jacrev(lambda x: x * x)({b})",
        f"{{c}} = torch.func.hessian({_SQUARE})({{b}}.detach())",
        f"{{c}}, {{d}} = torch.func.grad_and_value({_WRITES})({{b}})",
        f"{{c}}, {{d}} = torch.func.vjp({_SQUARE}, {{b}})\nmade = {{d}}(torch.ones_like({{c}}))",
    ),
    "forward AD": (
        "with torch.autograd.forward_ad.dual_level():\n"
        "    {d} = torch.autograd.forward_ad.make_dual({b}, torch.ones_like({b}))\n"
        "    {c} = torch.autograd.forward_ad.unpack_dual({d} * {d}).tangent",
        f"{{d}}, {{c}} = torch.func.jvp({_WRITES}, ({{b}},), ({{b}} * 2,))",
    ),
    "lifetime": (
        "{d} = weakref({b})\n{b} = {b} * 1\nmade = {d}() is None",
        "{d} = {b} * 1\nheld = weakref({d})\ndel {d}\nmade = held() is None",
    ),
    "deepcopy": ("{c} = deepcopy({a}) * {b}", "{c} = deepcopy({b})"),
    "subclass": (
        "class Sub(torch.Tensor):\n    pass\n{c} = {b}.as_subclass(Sub)",
        "class Sub(torch.Tensor):\n    pass\n{c} = {b} * {a}.detach().as_subclass(Sub)",
    ),
    "module": (
        "{c} = nn.Tanh()({b})",
        "{d} = nn.Softplus()\n{d}.register_forward_hook(lambda m, i, o: o * 2)\n{c} = {d}({b})",
        "{d} = nn.Tanh()\n{d}.register_full_backward_hook(lambda m, i, o: print('module', i, o))\n{c} = {d}({b})",
        "{d} = nn.Tanh()\n{d}.register_full_backward_pre_hook(lambda m, o: (o[0] * 2,))\n{c} = {d}({b})",
    ),
    "optimizer": (
        "{d} = torch.optim.SGD([{a}], lr=0.1)\n{d}.step()",
        "({b} * {b}).sum().backward(retain_graph=True)\ntorch.optim.Adam([{a}]).step()",
        "torch.optim.SGD([{a}], lr=0.1).zero_grad()",
    ),
    "error inside": (
        "{b}.register_hook(lambda g: 1 / 0)",
        "{a}.register_hook(lambda g: 1 / 0 if g.sum() > 4 else None)",
        "with torch.no_grad():\n    {c} = {b} * 2\n    1 / 0",
    ),
}
"""Phrases of each feature, the simplest first."""


def pool(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs to draw from: every pair once, and those of the argument four times more."""
    features = tuple(PHRASES)
    every = tuple((first, second) for first in features for second in features)
    return every + tuple(each for pair in pairs for each in (pair, pair[::-1])) * _WEIGHT


_WEIGHT = 4
