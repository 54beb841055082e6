"""Templates of statements on complex tensors, the simplest first in every list."""

from __future__ import annotations

import re

from conformance.fuzz import phrases

COMPLEX_VALUES = ("1 + 1j", "2.", "1j", "-1 - 0.5j", "0.5 + 2j", "0j", "3 - 1j", "-2.")
UNARY = (
    "{a} * 2", "{a} * {a}", "{a}.conj()", "{a}.abs()", "{a} * 1j", "{a}.real * 2", "{a}.imag * 2", "-{a}",
    "{a}.clone()", "{a} + 1", "{a} / 2", "{a} ** 2", "{a}.detach()", "{a}.exp()", "{a}.sin()", "{a}.cos()",
    "{a} / 2j", "2j / {a}", "1 - {a}", "{a} - 3j", "{a}.conj() * {a}", "{a} * {a}.conj()", "{a}.abs() ** 2",
    "{a}.conj_physical()", "{a}.resolve_conj()", "{a}.conj().resolve_conj()", "{a}.angle()", "{a}.sgn()",
    "{a}.reciprocal()", "{a}.square()", "{a} ** 3", "{a}.to(torch.complex128)", "{a}.to(torch.complex64)",
    "torch.complex({a}.real, {a}.imag)", "torch.complex({a}.imag, {a}.abs())", "torch.view_as_real({a}) * 2",
    "torch.view_as_complex(torch.view_as_real({a}) * 2)", "torch.polar({a}.abs(), {a}.angle())", "{a}.conj() + {a}",
    "{a}.imag.neg()", "{a}.conj().imag", "{a}.real", "{a}.imag", "{a}.conj().clone()", "torch.zeros_like({a})",
    "torch.ones_like({a})", "torch.where({a}.real > 1, {a}, {a} * 3j)", "{a}.masked_fill({a}.real > 1, 1j)",
    "torch.cat([{a}, {a}.conj()])", "torch.stack([{a}, {a} * 1j])", "{a}.cumsum(-1)", "{a}.flip(-1)", "{a}.tanh()",
    "{a}.sqrt()", "{a}.log()", "{a}.sinh()", "{a}.cosh()", "{a}.cumprod(-1)", "{a}.outer({a}.conj())",
    "torch.vdot({a}, {a})", "{a}.adjoint() @ {a}", "{a} @ {a}.mH", "{a}.conj() @ {a}", "{a} @ {a}.conj()",
    "{a} == {a}.conj()", "{a}.real.to({a}.dtype)", "{a}.real * {a}", "{a}.abs() * {a}", "{a}.sigmoid()",
    "{a}.roll(1)", "{a}.repeat(2)", "{a}.tril()", "{a}.diag()", "{a}.conj().requires_grad_()",
    "{a}.detach().requires_grad_()", "{a}.data", "{a}.contiguous()", "{a}.double()", "{a} > 1",
    "{a}.clamp(0, 2)", "torch.maximum({a}, {a})", "{a}.real.relu()", "{a}.isnan()",
    "Square.apply({a})", "Same.apply({a})", "Result.apply({a})", "Once.apply({a})", "Pair.apply({a})[1]",
)  # fmt: skip
REDUCTIONS = (
    "{a}.sum()", "{a}.mean()", "{a}.abs().sum()", "{a}.real.sum()", "{a}.sum(0)", "{a}.prod()", "{a}.norm()",
    "{a}.mean(-1)", "{a}.sum(-1, keepdim=True)", "{a}.abs().max()", "({a} * {a}.conj()).sum()", "{a}.var()",
    "{a}.std()", "{a}.norm(dim=-1)", "{a}.prod(-1)",
)  # fmt: skip
BINARY = (
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}", "{a}.conj() * {b}", "{b}.conj() * {a}", "{b} - {a}",
    "{b} / {a}", "{a} @ {b}", "{b} @ {a}.conj()", "torch.where({b}.abs() > 1, {a}, {b})", "torch.cat([{a}, {b}])",
    "{a} ** {b}", "torch.stack([{a}, {b}])", "torch.add({a}, {b}, alpha=2)", "torch.add({b}, {a}, alpha=1j)",
    "{a}.lerp({b}, 0.5)", "{a}.addcmul({b}, {b})", "torch.dot({a}, {b})", "torch.vdot({b}, {a})",
    "torch.outer({a}, {b})", "{a}.addcdiv({b}, {b})", "{b}.type_as({a})", "{a} == {b}", "F.linear({a}, {b})",
    "Times.apply({a}, {b})", "F.l1_loss({a}, {b})", "torch.rsub({a}, {b})",
    "torch.complex({a}.abs(), {b}.abs())",
)  # fmt: skip
VIEWS = (
    "{a}.real", "{a}.imag", "{a}.conj()", "torch.view_as_real({a})", "{a}.mH", "{a}.H", "{a}.conj().real",
    "{a}.conj().imag", "{a}[0].imag", "{a}.real[0:1]", "{a}.conj()[0:1]", "torch.view_as_real({a})[..., 1]",
    "{a}.view(-1).conj()", "{a}.conj().conj()", "{a}.imag.neg()", "{a}.adjoint()", "{a}.conj().view(-1)",
    "{a}.detach().real", "{a}.conj().t()", "{a}.view({a}.real.dtype)", "{a}.resolve_neg()",
)  # fmt: skip
PARTS = (
    "{a}.unbind()", "{a}.split(1)", "{a}.chunk(2)", "{a}.tensor_split(2)", "Two.apply({a}.real)", "{a}.conj().unbind()",
    "torch.view_as_real({a}).unbind(-1)", "Pair.apply({a})", "Both.apply({a})",
    "torch.unbind(torch.stack([{a}, {a} * 2j]))", "({a}.real, {a}.imag)", "({a}, {a}.conj())",
)  # fmt: skip
IN_PLACE = (
    "{a}.mul_(2)", "{a}.mul_(1j)", "{a}.add_(1j)", "{a} *= {a}", "{a}.zero_()", "{a}.fill_(1 + 1j)",
    "{a}.real.mul_(2)", "{a}.imag.zero_()", "{a}.real = 2.", "{a}.imag = {a}.real", "{a}.copy_({a}.conj())",
    "{a}[0] = 1j", "{a}[0].mul_(1j)", "{a}.conj().mul_(1j)", "{a}.conj_physical_()", "{a}.conj_physical()",
    "{a}.sub_(1 - 1j)", "{a}.div_(2j)", "{a}.neg_()", "{a}.copy_({a}.abs())", "{a}.view(-1).mul_(1j)",
    "{a}.data.mul_(1j)", "{a}.detach().real.add_(1)", "torch.view_as_real({a}).mul_(2)",
    "torch.view_as_real({a})[..., 1] = 3.", "{a}.masked_fill_({a}.real > 1, 2j)", "{a}.pow_(2)", "{a}.square_()",
    "{a}.exp_()", "{a}.sgn_()", "{a}.reciprocal_()", "{a}.abs_()", "{a}.detach_()", "{a}.requires_grad_(False)",
    "{a}.cumsum_(-1)", "{a}.conj().imag.add_(1)", "{a}.imag.neg_()", "{a}.fill_({a}.real.sum())", "{a}.t_()",
    "{a}.unsqueeze_(0)", "{a}[{a}.real > 1] = 1j", "{a}.add_({a}.conj(), alpha=2)", "{a}.tanh_()",
    "Scaled.apply({a})", "{a}.real.copy_({a}.imag)", "{a}.set_({a}.conj())", "torch.mul({a}, 1j, out={a})",
)  # fmt: skip
IN_PLACE_WITH = (
    "{a}.mul_({b})", "{a}.add_({b})", "{a}.copy_({b})", "{b}.copy_({a})", "{b}.mul_({a})", "{b}.add_({a})",
    "{a}[0] = {b}", "{a}.real.copy_({b}.real)", "{a}.imag.mul_({b}.abs())", "{a}.conj().copy_({b})",
    "{a}.copy_({b}.conj())", "{a}.data = {b}", "{a}.lerp_({b}, 0.5)", "{a}.sub_({b}, alpha=1j)",
    "{a}.addcmul_({b}, {b}.conj())", "{b}.div_({a})", "torch.view_as_real({a}).copy_({b}.real.unsqueeze(-1))",
)  # fmt: skip
HOOKS = (
    "{a}.register_hook(lambda g: g * 1j)", "{a}.register_hook(lambda g: g.conj())",
    "{a}.register_hook(lambda g: g.real)", "{a}.register_hook(lambda g: seen.append(g))",
    "{a}.register_hook(lambda g: print(g.dtype, g.is_conj()))", "{a}.retain_grad()",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g * 1j for g in o))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g.conj() for g in i))",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(1j))",
    "{a}.register_hook(lambda g: g.to(torch.complex128))", "{a}.register_hook(lambda g: g.mul_(2j))",
    "{a}.grad = torch.ones_like({a}) * 1j", "{a}.grad = {a}.detach().conj()", "{a}.grad.mul_(1j)",
    "{a}.grad = torch.ones_like({a}.real)", "{a}.grad = {a}.grad.conj()",
)  # fmt: skip
BACKWARD = (
    "{a}.abs().sum().backward()", "{a}.real.sum().backward()", "{a}.imag.sum().backward()",
    "{a}.backward(torch.ones_like({a}))", "({a} * {a}.conj()).sum().real.backward()", "{a}.sum().backward()",
    "{a}.backward(torch.ones_like({a}) * 1j, retain_graph=True)", "{a}.abs().sum().backward(retain_graph=True)",
    "{a}.real.sum().backward(create_graph=True)", "{a}.sum().backward(torch.tensor(1j))",
    "{a}.backward(torch.ones_like({a}.real))", "({a} * {b}).abs().sum().backward()",
    "({a} * {b}).real.sum().backward()", "{a}.imag.sum().backward(inputs=[{b}])",
    "{a}.backward(gradient={a}.conj())", "{a}.backward({b})",
    "torch.autograd.backward([{a}.abs().sum(), {b}.abs().sum()])", "({a}.grad * {a}).abs().sum().backward()",
    "({a} ** 2).imag.sum().backward(create_graph=True)", "torch.view_as_real({a}).sum().backward()",
    "torch.autograd.backward([{a}, {b}], [torch.ones_like({a}), torch.ones_like({b})])",
)  # fmt: skip
GRADS = (
    "torch.autograd.grad({a}.abs().sum(), {b})", "torch.autograd.grad({a}.real.sum(), {b}, retain_graph=True)",
    "torch.autograd.grad({a}, {b}, torch.ones_like({a}) * 1j, allow_unused=True)",
    "torch.autograd.grad(({a} * {a}.conj()).real.sum(), {b}, create_graph=True)",
    "torch.autograd.grad({a}.sum(), {b}, torch.tensor(1j), create_graph=True, allow_unused=True)",
    "torch.autograd.grad({a}.imag.sum(), [{a}, {b}], allow_unused=True)", "torch.autograd.grad({a}.sum(), {b})",
    "torch.autograd.grad({a}.abs().sum(), {b}, materialize_grads=True)",
    "torch.autograd.grad({a}, {b}, {a}.conj())",
    "torch.autograd.grad("
    "torch.autograd.grad({a}.abs().sum(), {b}, create_graph=True)[0].abs().sum(), {b}, allow_unused=True)",
)  # fmt: skip
READS = (
    "made = {a}.is_conj(), {a}.is_neg()", "made = {a}.imag.is_neg(), {a}.conj().is_conj()", "print({a})",
    "made = {a}.grad", "made = {a}.grad_fn._saved_self", "made = {a}.item()", "made = complex({a}.sum())",
    "print({a}.conj(), {a}.imag)", "made = {a}.conj()._base", "made = {a}.is_complex(), {a}.dtype",
    "made = float({a}.sum())", "made = {a}.grad_fn(torch.ones_like({a}))", "made = {a}.mH.stride()",
    "made = {a}.grad_fn.next_functions", "made = torch.equal({a}, {a}.conj())", "made = torch.allclose({a}, {b})",
    "made = {a}.conj().tolist()",
)  # fmt: skip
CLOSING = (
    "{a}.abs().sum().backward()", "({a} * {a}.conj()).real.sum().backward()",
    "{a}.real.sum().backward(retain_graph=True)", "{a}.backward(torch.ones_like({a}) * 1j)",
    "({a} * {a}).imag.sum().backward(create_graph=True)",
)  # fmt: skip
BASES = (
    "{a} * 2", "{a} * {a}", "{a}.clone()", "{a} * 1j", "{a}.conj()", "{a} * {b}", "{a}.real", "{a}.imag",
    "{a}[0:1]", "{a}.abs()", "{a}.view(-1)", "{a}.detach()", "Square.apply({a})", "{a}.unbind()[0]",
    "torch.view_as_real({a})",
)  # fmt: skip
USES = (
    "{a} * {a}", "{a}.abs()", "{a}.conj()", "{a} * {a}.conj()", "{a}.real", "{a}.imag", "{a} * 3", "{a}.exp()",
    "{a} + {b}", "{a} * {b}", "{b} / {a}", "{a}.view(-1)", "{a}[0:1]", "{a}.sum()", "{a}.detach()",
    "Square.apply({a})", "{a} * 2j", "{a}.clone()", "{a}.t()", "Times.apply({a}, {b})", "{a}.angle()",
    "{a}.conj().imag",
)  # fmt: skip

OF_COMPLEX = {
    phrases.UNARY: UNARY, phrases.BINARY: BINARY, phrases.REDUCTIONS: REDUCTIONS, phrases.VIEWS: VIEWS,
    phrases.PARTS: PARTS,
    phrases.IN_PLACE: IN_PLACE, phrases.IN_PLACE_WITH: IN_PLACE_WITH, phrases.HOOKS: HOOKS, phrases.GRADS: GRADS,
    phrases.BACKWARD: BACKWARD, phrases.CLOSING: CLOSING, phrases.READS: READS, phrases.BASES: BASES,
    phrases.USES: USES,
}  # fmt: skip
"""The table to use instead of another if a tensor is complex."""

_REAL = (
    ".real", ".real.sum()", ".real.relu()", ".imag", ".imag * 2", ".real * 2", ".imag.neg()", ".real[0:1]",
    ".abs()", ".abs() ** 2", ".abs().sum()", ".abs().max()", ".angle()", ".norm()", ".norm(dim=-1)", ".var()",
    ".std()", "view_as_real({a})", "view_as_real({a}) * 2", "[..., 1]",
)  # fmt: skip


def dtype_of(template: str, dtype: str) -> str:
    """The dtype of a template's result for a complex tensor."""
    if cast := re.search("complex(64|128)", template):
        return cast[0]
    if template.endswith(_REAL):
        return {"complex64": "float32", "complex128": "float64"}[dtype]
    return "bool" if "==" in template or ".isnan" in template else dtype
