"""Templates of the statements of random programs, the simplest first in every list.

The arguments of exp, sin and cos are clamped: for large arguments, a rounding difference in the last bit can become
arbitrarily large.
"""

from __future__ import annotations

UNARY = (
    "{a} * 2", "{a} + 1", "-{a}", "{a} * {a}", "{a}.clone()", "{a} / 2", "{a} ** 2", "{a}.clamp(-2, 2).exp()",
    "{a}.relu()", "{a}.sigmoid()", "{a}.tanh()", "{a}.abs()", "{a} - 3", "1 - {a}", "2 / {a}",
    "{a}.clamp(-2, 2).sin()", "{a}.clamp(-2, 2).cos()", "{a}.clamp(0, 2)", "{a} ** 3", "{a}.square()",
    "{a}.detach()", "{a}.data", "{a}.contiguous()", "{a}.cumsum(-1)", "{a}.softmax(-1)", "{a}.flip(-1)",
    "torch.zeros_like({a})", "torch.ones_like({a})", "torch.where({a} > 1, {a}, {a} * 3)",
    "{a}.masked_fill({a} > 1, 0.)", "{a}.double()", "{a}.float()", "{a}.half()", "{a}.neg()", "F.leaky_relu({a})",
    "{a}.bfloat16()", "{a}.log_softmax(-1)", "{a}.detach().requires_grad_()", "torch.maximum({a}, {a} * 0)",
    "{a}.add(1, alpha=2)",
    "{a} > 1", "{a}.sqrt()", "{a}.log()", "{a} % 2", "{a}.roll(1)", "{a}.nan_to_num()", "{a}.expm1()",
    "{a}.reciprocal()", "{a}.tril()", "F.elu({a})", "{a}.cumprod(-1)", "{a}.erf()", "F.softplus({a})",
    "F.dropout({a}, 0.5)", "torch.cat([{a}, {a}])", "{a}.sign()", "{a}.round()", "{a}.atan()", "{a}.clamp_min(0)",
    "F.hardtanh({a})", "{a} ** 0.5", "2 ** {a}.clamp(-2, 2)", "{a}.repeat(2)", "F.pad({a}, (1, 1))",
    "{a}.masked_select({a} > 0)", "{a}.sort(-1).values", "{a}.index_select(0, torch.tensor([0]))",
    "{a}.gather(-1, torch.zeros_like({a}, dtype=torch.int64))",
    "{a}.scatter(-1, torch.zeros_like({a}, dtype=torch.int64), {a})", "{a}.diag()", "{a}.triu()",
    "{a}.outer({a})", "F.gelu({a})", "F.silu({a})", "{a}.log1p()",
    "torch.stack([{a}, {a} * 2]).bmm({a}.unsqueeze(0).expand(2, *{a}.shape))", "F.normalize({a}, dim=-1)",
    "F.layer_norm({a}, {a}.shape)", "{a}.requires_grad_()",
    "torch.utils.checkpoint.checkpoint(lambda x: x * x, {a}, use_reentrant=False)",
    "{a}[torch.tensor([0, 0])]", "{a}.index_put((torch.tensor([0, 0]),), {a}[0] * 2, accumulate=True)",
)  # fmt: skip
CONSTANTS = (
    "{a}.detach()", "{a}.data", "torch.zeros_like({a})", "torch.ones_like({a})", "Whole.apply({a})",
    "Some.apply({a})[1]",
)  # fmt: skip
CASTS = {
    "{a}.double()": "float64",
    "{a}.float()": "float32",
    "{a}.half()": "float16",
    "{a}.bfloat16()": "bfloat16",
    "{a} > 1": "bool",
}
BINARY = (
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}", "torch.maximum({a}, {b})",
    "torch.where({a} > {b}, {a}, {b})", "torch.minimum({a}, {b})", "{a}.lerp({b}, 0.5)", "{a}.addcmul({b}, {b})",
    "torch.add({a}, {b}, alpha=2)", "{a} ** {b}", "F.mse_loss({a}, {b}, reduction='none')", "{a} == {b}",
    "torch.hypot({a}, {b})", "{a} @ {b}", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])",
    "torch.atan2({a}, {b})", "{a}.masked_fill({b} > 1, 3.)", "{a}.mul({b}).sum(-1)", "torch.fmax({a}, {b})",
    "{a}.copysign({b})", "torch.outer({a}, {b})", "torch.dot({a}, {b})", "F.l1_loss({a}, {b})",
    "F.linear({a}, {b})", "torch.logaddexp({a}, {b})", "{a}.addcdiv({b}, {b})", "{a}.type_as({b})",
    "torch.tensordot({a}, {b}, 0)", "F.smooth_l1_loss({a}, {b})",
    "torch.vstack([{a}, {b}])",
)  # fmt: skip
APPLIED = (
    "Square.apply({a})", "Same.apply({a})", "Result.apply({a})", "Setup.apply({a})", "Once.apply({a})",
    "Told.apply({a}, {a})", "Named.apply({a}, shift=1, scale=3)", "Inner.apply({a})", "More.apply({a})",
    "Number.apply({a})", "Nothing.apply({a})", "Given.apply({a}, 2)", "Unreturned.apply({a})",
    "Outside.apply({a})", "Whole.apply({a})", "Pair.apply({a})[1]", "Times.apply({a}, {b})",
    "Told.apply({a}, {b})", "Few.apply({a}, {b})", "Wide.apply({a}, {b})", "Dropped.apply({a}[0:1])",
    "Dropped.apply({a} * 2)", "Square.apply(Square.apply({a}))", "Unmade.apply({a})[0]", "Two.apply({a})[0]",
    "Some.apply({a})[0]", "Some.apply({a})[1]",
)  # fmt: skip
REDUCTIONS = (
    "{a}.sum()", "{a}.mean()", "{a}.sum(0)", "{a}.mean(-1)", "{a}.prod()", "{a}.max()", "{a}.min()",
    "{a}.norm()", "{a}.sum(-1, keepdim=True)", "{a}.amax()", "{a}.std()", "{a}.var(0)",
    "{a}.logsumexp(-1)", "{a}.max(0).values",
    "{a}.sum((0, -1))", "{a}.median()", "{a}.amin(-1)", "{a}.abs().sum().sqrt()",
    "{a}.norm(dim=-1)", "{a}.mean(0, keepdim=True)",
)  # fmt: skip
VIEWS = (
    "{a}[0]", "{a}.view(-1)", "{a}[0:1]", "{a}.unsqueeze(0)", "{a}.t()", "{a}[...]", "{a}.reshape(-1)",
    "{a}[None]", "{a}.squeeze()", "{a}.expand_as({a})", "{a}.transpose(0, -1)", "{a}[:, 0]", "{a}[1:]",
    "{a}.view_as({a})", "{a}.flatten()", "{a}.narrow(0, 0, 1)", "{a}.diagonal()", "{a}[::2]",
    "{a}.select(0, 0)", "{a}.expand(2, *{a}.shape)", "{a}.permute(tuple(range({a}.dim())))",
    "{a}.detach()[0]", "{a}.T", "Viewed.apply({a})",
    "{a}.unsqueeze(-1)", "{a}.squeeze(0)", "{a}[..., 0]", "{a}[-1, ...]", "{a}.unbind()[0]", "{a}.split(1)[0]",
    "{a}.movedim(0, -1)", "{a}.as_strided((1,), (1,))", "{a}.unfold(0, 1, 1)",
    "{a}.broadcast_to(2, *{a}.shape)", "{a}.ravel()", "{a}.mT",
    "{a}.chunk(2)[-1]",
)  # fmt: skip
PARTS = (
    "{a}.unbind()", "{a}.split(1)", "{a}.chunk(2)", "{a}.tensor_split(2)", "Two.apply({a})",
    "Unmade.apply({a})", "Some.apply({a})", "{a}.max(0)", "{a}.sort(-1)",
    "Pair.apply({a})", "Both.apply({a})", "{a}.cummax(-1)", "torch.unbind(torch.stack([{a}, {a} * 2]))",
)  # fmt: skip
IN_PLACE = (
    "{a}.mul_(2)", "{a}.add_(1)", "{a}.zero_()", "{a} += 1", "{a} *= 2", "{a}.fill_(3)",
    "{a}.copy_({a} * 2)", "{a}.sigmoid_()", "{a}.relu_()", "{a}.clamp_(-2, 2).exp_()", "{a}[0] = 2.",
    "{a}[0].mul_(3)",
    "{a}.clamp_(0, 1)", "{a}.neg_()", "{a}.data.mul_(2)", "{a}.detach().add_(1)", "{a}[{a} > 1] = 0.",
    "{a}.sub_(1)", "{a}.div_(2)", "{a}.tanh_()", "{a}[0:1] *= 2", "{a}.view(-1).mul_(2)",
    "{a}.masked_fill_({a} > 1, 2.)", "{a} -= {a}", "Scaled.apply({a})", "{a}.t_()", "{a}.unsqueeze_(0)",
    "{a}.pow_(2)", "{a}.detach_()", "{a}.requires_grad_(False)", "{a}.cumsum_(-1)", "{a}.sqrt_()",
    "{a}.reciprocal_()", "{a}.add_({a})", "{a}.mul_({a})", "{a}.squeeze_()", "{a}.detach()[0] = 5.",
    "{a}.abs_()", "{a}.clamp_min_(0)",  "{a}[:, 0] = 1.",
    "{a}[torch.tensor([0])] = 4.", "{a}.diagonal().fill_(1)", "{a}.T.mul_(2)", "{a}.transpose_(0, -1)",
    "{a}.log_()", "{a}.square_()", "F.relu({a}, inplace=True)", "{a}.unbind()[0].mul_(2)",
    "{a}.expand(2, *{a}.shape).mul_(2)", "{a}.scatter_(-1, torch.zeros_like({a}, dtype=torch.int64), 2.)",
    "torch.add({a}, 1, out={a})", "{a}.select(0, 0).copy_({a}[-1, ...])",
    "{a}.view(-1)[1:].copy_({a}.view(-1)[:-1])", "torch.autograd.graph.increment_version({a})",
    "Unreturned.apply({a})", "Scaled.apply({a}.view(-1))", "Scaled.apply({a}[0])", "{a}.set_({a} * 2)",
)  # fmt: skip
IN_PLACE_WITH = (
    "{a}.mul_({b})", "{a}.add_({b})", "{a}.copy_({b})", "{a} += {b}", "{a}[0] = {b}", "{a}[0:1] = {b}",
    "{a}.data = {b}", "{a}.lerp_({b}, 0.5)", "{a}.sub_({b}, alpha=2)", "{a}.div_({b})",
    "{a}.addcmul_({b}, {b})",
    "{a}.pow_({b})", "{a}.view(-1).copy_({b}.view(-1))",
    "{a}.copysign_({b})", "{a}.masked_fill_({b} > 1, 3.)", "{a}[0].add_({b})", "{a}.T.copy_({b})",
    "{a}.addcdiv_({b}, {b})", "{a}.unbind()[-1].copy_({b})", "{a}.index_add_(0, torch.tensor([0]), {b}[0:1])",
)  # fmt: skip
FLAGS = (
    "{a}.retain_grad()", "{a}.requires_grad_()", "{a}.requires_grad = True", "{a}.requires_grad = False",
    "{a}.requires_grad_(False)", "{a}.detach_()", "{a}.grad = None", "{a}.grad.zero_()",
    "{a}.grad = torch.ones_like({a})", "{a}.grad.add_(1)", "del {a}.grad", "{a}.grad = {a}.grad * 2",
    "{a}.grad = {a}.detach() * 2", "{a}.grad.mul_({a})", "{a}.requires_grad_({a}.is_leaf)",
    "{a}.grad = {a}", "{a}.grad = torch.ones(5)", "{a}.grad = {a}.grad", "{a}.data.requires_grad_()",
    "{a}.requires_grad_(not {a}.requires_grad)", "{a}.grad.requires_grad_()", "{a}.grad.detach_()",
    "{a}.data = {a}.data * 2",
)  # fmt: skip
HOOKS = (
    "{a}.register_hook(lambda g: g * 2)", "{a}.register_hook(lambda g: None)",
    "{a}.register_hook(lambda g: seen.append(g.clone()))",
    "{a}.register_post_accumulate_grad_hook(lambda t: None)",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
    "{a}.grad_fn.register_hook(lambda i, o: None)",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
    "handle = {a}.register_hook(lambda g: g + 1); handle.remove()",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda gs: seen.append(len(gs)))",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: seen.append(g.clone()), mode='any')",
    "{a}.register_hook(lambda g: g.sum())", "{a}.register_hook(lambda g: seen.append({a}._version))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g * 5 for g in i))",
    "{a}.register_hook(lambda g: g.mul_(2))",
    "{a}.register_hook(lambda g: seen.append(g))", "{a}.register_hook(lambda g: g * 3)",
    "{a}.register_hook(lambda g: g + 1)", "{a}.register_hook(lambda g: g.double())",
    "{a}.register_hook(lambda g: torch.ones(5))", "{a}.grad_fn.register_prehook(lambda o: seen.extend(o))",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g + 1 for g in o))",
    "{a}.grad_fn.register_hook(lambda i, o: seen.append((i, o)))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g + 1 for g in i))",
    "handle = {a}.register_hook(lambda g: g * 7)", "handle.remove()",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad)",
    "{a}.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(torch.ones(2) for g in i))",
    "{a}.register_hook(lambda g: print(torch.is_grad_enabled(), g.requires_grad))",
    "{a}.grad_fn.next_functions[0][0].register_prehook(lambda o: print(o[0].shape))",
    "{a}.grad_fn.next_functions[0][0].register_hook(lambda i, o: seen.append(len(i)))",
    "torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda gs: seen.extend(gs))",
    "{a}.register_hook(lambda g: 1)",
    "handle = {a}.register_hook(lambda g: g + 1); handle.remove(); handle.remove()",
    "{a}.grad_fn.register_prehook(lambda o: 1)",
    "{a}.grad_fn.next_functions[0][0].register_prehook(lambda o: seen.append(o))",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))\n"
    "{a}.grad_fn.register_prehook(lambda o: tuple(g + 1 for g in o))",
    "{a}.register_hook(lambda g: g * 3)\n"
    "{a}.register_hook(lambda g: g + 1)",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g + 1 for g in o))\n"
    "{a}.register_hook(lambda g: g * 3)",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 3 for g in i))\n"
    "{a}.grad_fn.register_hook(lambda i, o: print(i, o))",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(3))\n"
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.add_(1))",
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
    "torch.autograd.backward([{a}, {b}])", "{a}.sum().backward(inputs=[{a}, {b}])",
    "{a}.backward(torch.ones(5))", "{a}.backward(torch.ones_like({a}, dtype=torch.complex64))",
    "torch.autograd.backward([{a}.sum(), {b}.sum()], [None, torch.tensor(2.)], retain_graph=True)",
    "torch.autograd.backward({a}.sum(), [None, None])",
    "torch.autograd.backward([{b}.sum(), {a}.sum(), {a}.sum()], retain_graph=True)",
    "torch.autograd.backward({a}.sum(), grad_variables=torch.tensor(2.))",
    "{a}.sum().backward(create_graph=True, inputs=[{b}])",
    "{a}.backward(torch.ones_like({a}), create_graph=True)",
    "torch.autograd.backward(torch.autograd.graph.get_gradient_edge({a}), torch.ones_like({a}))",
    "{a}.backward(gradient={a}.grad)",
    "torch.autograd.backward([{a}.sum()], [torch.tensor(1.), torch.tensor(2.)])",
)  # fmt: skip
CLOSING = (
    "{a}.sum().backward()", "({a} * {a}).sum().backward()", "{a}.sum().backward(retain_graph=True)",
    "({a} * {a}).sum().backward(create_graph=True)", "{a}.backward(torch.ones_like({a}) * 2)",
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
    "torch.autograd.grad({a}.sum(), {b}, only_inputs=False, allow_unused=True)",
    "torch.autograd.grad({a}.sum(), {{'x': {b}, 'y': {a}}}, allow_unused=True).values()",
    "torch.autograd.grad({a}, {b}, [None], allow_unused=True)",
    "torch.autograd.grad([{a}, {b}], [{b}], [torch.ones_like({a}), torch.ones_like({b})], create_graph=True)",
    "torch.autograd.grad({a}.sum(), [], allow_unused=True)",
    "torch.autograd.grad({a}.sum(), [{b}, {b}], allow_unused=True)",
    "torch.autograd.grad(torch.autograd.grad({a}.sum(), {b}, create_graph=True)[0].sum(), {b}, allow_unused=True)",
)  # fmt: skip
INFERRED = (
    "made = {i}.clone()", "{i}.mul_(2)", "made = {a} * {i}", "{i}.requires_grad_()", "made = {i}.detach()",
    "made = {i}[0]", "{i}.sum().backward()", "{a}.copy_({i})", "made = ({a} + {i}).sum()",
    "{a}.grad = {i}",  "{i}.add_({a})", "made = Same.apply({i})", "made = {i}.view(-1)",
    "{i}.retain_grad()", "{i}.register_hook(lambda g: g)",
)  # fmt: skip
USES = (
    "{a} * {a}", "{a}.sigmoid()", "{a}[0:1]", "{a}.view(-1)", "{a}.tanh()", "{a} * 3", "Square.apply({a})",
    "{a}.detach()",
    "{a}.unbind()[0]", "{a} + {b}", "{a} * {b}", "{b} / {a}", "{a}.data", "{a}.sum()", "{a}.max(0).values",
    "Times.apply({a}, {b})",
    "Pair.apply({a})[1]", "torch.maximum({a}, {b})", "{a}.clone()", "{a}.t()", "{a}.double()",
    "{a}[1:]", "{a}[-1, ...]", "({a} * 0).sqrt()", "{a}.select(0, -1)",
)  # fmt: skip
READS = (
    "made = {a}.grad", "made = {a}.grad_fn", "made = float({a}.sum())", "made = {a}.item()",
    "made = torch.tensor({a})",
    "made = {a}.grad_fn.name()", "made = {a}.grad_fn._saved_self", "made = {a}.grad_fn._saved_result",
    "made = {a}.grad_fn._saved_other", "made = {a}.grad_fn._saved_dim", "made = {a}.grad_fn._saved_self_sym_sizes",
    "made = {a}.grad_fn.saved_tensors", "made = {a}.grad_fn(torch.ones_like({a}))", "print({a})",
    "made = {a}._base",
    "{a}.grad_fn._raw_saved_self.register_hooks(lambda x: x * 2, lambda x: x)", "made = {a}.stride()",
    "{a}.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x * 2)", "made = {a}.is_contiguous()",
    "made = {a}.is_inference(), torch.is_grad_enabled()", "made = torch.autograd.graph.get_gradient_edge({a})",
    "made = {a}.storage_offset()", "print({a}.grad_fn, {a}.grad)",
    "made = {a}.grad_fn.next_functions[0][0]", "made = torch.equal({a}, {b})",
    "made = {a}.grad_fn._saved_storage_offset",
    "batch = {a}.detach().requires_grad_()\nmade = batch * batch\nmade, = torch.autograd.grad("
    "made, batch, torch.stack([batch, made]), is_grads_batched=True)",
    "batch = {a}.detach().requires_grad_()\nmade = batch * batch\ntorch.autograd.grad("
    "made, batch, torch.stack([batch, made]), is_grads_batched=True)\nmade.sum().backward()",
    "saved = {a}.grad_fn._raw_saved_self\nsaved.register_hooks(lambda x: x, lambda x: x * 2)\n"
    "saved.register_hooks(lambda x: x, lambda x: x)",
)  # fmt: skip
MODES = (
    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)",
    "torch.inference_mode()", "torch.inference_mode(False)", "torch.autograd.detect_anomaly()",
    "torch.autograd.detect_anomaly(check_nan=False)", "torch.autograd.graph.allow_mutation_on_saved_tensors()",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x * 2)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(2), lambda x: x)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: 1)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: (torch.is_grad_enabled(), x), lambda p: print(p[0]) or p[1])",
    "torch.autograd.graph.save_on_cpu()", "torch.autograd.graph.disable_saved_tensors_hooks('none here')",
    "torch.autograd.set_multithreading_enabled(False)",
)  # fmt: skip
SWITCHES = ("torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)")
BASES = (
    "{a} * 2", "{a} * 2", "{a} * {b}", "{a}.clone()", "{a}.detach().requires_grad_()", "{a}[0:1]", "{a}.view(-1)",
    "Pair.apply({a})[1]", "{a}.unbind()[0]", "{a}.max(0).values", "{a}.detach()", "Square.apply({a})", "{a}.sum()",
)  # fmt: skip
JOINED = (
    "torch.stack([{all}])", "torch.cat([{all}])", "torch.einsum('i,i,i->i', {all})", "(({0} * {1}) + {2})",
    "({0} * ({1} * {2}))", "({2} + {0} * {1} + {2})", "torch.where({0} > 1, {1}, {2})",
    "torch.addcmul({0}, {1}, {2})", "({1} * {0}).lerp({2}, 0.5)",
)  # fmt: skip
DECORATED = (
    "@{mode}\ndef inner(x):\n    return x * 2", "@{mode}\ndef inner(x):\n    return x[0:1]",
    "@{mode}\ndef inner(x):\n    return x * x + torch.ones(1, requires_grad=True)",
)  # fmt: skip
GENERATED = ("@{mode}\ndef inner(x):\n    yield x * 2\n    yield x * 3",)
