"""Set pieces: a few statements about one part of autograd, on tensors of their own.

Statements drawn one by one seldom meet: what one prepares, another has freed or refused before a third asks for it.
A scene is a line of alternatives for each of its statements, drawn independently; "" leaves one out.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.fuzz.phrases import APPLIED, BINARY, IN_PLACE, IN_PLACE_WITH, REDUCTIONS, UNARY, VIEWS

Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Scene:
    """What it is an example of, and its lines, of the names a to d; what the later ones bind lives on."""

    feature: str
    lines: Lines


_LEAF = (
    "{a} = torch.tensor([1., -2.], requires_grad=True)",
    "{a} = torch.tensor([[1., 2.], [3., -1.]], requires_grad=True)", "{a} = torch.tensor(2., requires_grad=True)",
    "{a} = torch.tensor([0.5, 2., 0.], dtype=torch.float64, requires_grad=True)",
)
_PASS = (
    "{b}.sum().backward()", "{b}.sum().backward(retain_graph=True)", "({b} * {b}).sum().backward()",
    "{b}.sum().backward(create_graph=True)", "made, = torch.autograd.grad({b}.sum(), {a})",
    "{b}.sum().backward(inputs=[{a}])",
)
_AGAIN = ("", "{b}.sum().backward()", "({b} * {a}).sum().backward()")


def _within(*heads: str) -> tuple[str, ...]:
    """Each context around each of several computations of b."""
    bodies = (
        "{b} = {a} * {a}", "{b} = {a}.exp() * {a}", "{b} = Square.apply({a})", "{b} = {a} * 1\n    {b}.mul_({a})",
    )
    return tuple(f"with {head}:\n    {body}" for head in heads for body in bodies)


_SAVED_HOOKS = (
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: print('packed') or x, lambda x: print('unpacked') or x * 3)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: (x,), lambda x: x[0] + 1)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: 1)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(2), lambda x: x)",
    "torch.autograd.graph.disable_saved_tensors_hooks('none here')", "torch.autograd.graph.save_on_cpu()",
)
_NODE_HOOKS = (
    "{b}.register_hook(lambda g: g * 2)", "{b}.register_hook(lambda g: g + 1)",
    "{b}.register_hook(lambda g: print('tensor', g))",
    "{b}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
    "{b}.grad_fn.register_prehook(lambda o: tuple(g + 1 for g in o))",
    "{b}.grad_fn.register_prehook(lambda o: seen.append(o))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 5 for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g + 1 for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(torch.ones_like(o[0]) for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: print('node', i, o))", "{a}.register_hook(lambda g: g * 7)",
    "{a}.register_post_accumulate_grad_hook(lambda t: print('accumulated', t.grad))",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
    "handle = {b}.register_hook(lambda g: g * 11)", "{b}.retain_grad()", "",
)
_CHANGES = (
    "{b}.mul_(2)", "{b}.mul_({a})", "{b}.detach_()", "{b}.zero_()", "{b}.data.mul_(2)", "{b}.requires_grad_(False)",
    "{b}.copy_({a})", "{b}[0] = 3.", "{b}.view(-1).add_(1)", "{b}.data = {b}.data * 2", "",
)
_BATCHES = "is_grads_batched=True"

SCENES: tuple[Scene, ...] = (
    Scene(
        "operation",
        (
            _LEAF,
            tuple(f"{{b}} = {each}" for each in (*UNARY, *REDUCTIONS, *VIEWS)),
            ("{c}, = torch.autograd.grad(({b} * {b}).sum(), {a}, create_graph=True)", *_PASS),
            (
                "made, = torch.autograd.grad({c}.sum(), {a}, allow_unused=True)", "({c} * {c}).sum().backward()",
                *_AGAIN,
            ),
        ),
    ),
    Scene(
        "operation",
        (
            _LEAF,
            ("{c} = ({a}.detach() + 1).requires_grad_()", "{c} = {a} * 2"),
            tuple("{b} = " + each.format(a="{a}", b="{c}") for each in BINARY),
            _PASS,
            ("made = torch.autograd.grad(({b} * {b}).sum(), [{a}, {c}], allow_unused=True)", *_AGAIN),
        ),
    ),
    Scene(
        "in place",
        (
            _LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = ({a} * 1)[0:1]", "{b} = ({a} * 1).view(-1)"),
            ("{c} = {b} * {b}", "{c} = {b}.exp()", "{c} = {b}[0:1]", "{c} = {b} * 2", ""),
            tuple(each.format(a="{b}", b="{a}") for each in (*IN_PLACE, *IN_PLACE_WITH)),
            ("{c}.sum().backward()", "{c}.sum().backward(retain_graph=True)", ""),
            _PASS, _AGAIN,
        ),
    ),
    Scene(
        "Function",
        (
            _LEAF,
            ("{c} = {a} * 2", "{c} = {a}.detach() + 1"),
            tuple(
                "{b} = " + each.format(a=name, b=other)
                for each in APPLIED
                for name, other in (("{a}", "{c}"), ("{c}", "{a}"))
            ),
            (
                "{b}.mul_(2)", "{b}.register_hook(lambda g: g * 2)", "made = {b}.grad_fn.name()",
                "{b}.retain_grad()", "", "",
            ),
            (*_PASS, "{c}, = torch.autograd.grad({b}.sum(), {a}, create_graph=True)"),
            (
                "{c}.sum().backward()", "made = {b}.grad_fn(torch.ones_like({b}))",
                "made = {b}.grad_fn.apply(torch.ones_like({b}))", "made = {b}.grad_fn.saved_tensors", *_AGAIN,
            ),
        ),
    ),
    Scene(
        "hook",
        (
            _LEAF,
            (
                "{b} = {a} * {a}", "{b} = {a} * 2", "{b} = Times.apply({a}, {a})", "{b} = {a} + {a}",
                "{b} = {a}.unbind()[-1]",
            ),
            _NODE_HOOKS, _NODE_HOOKS, _NODE_HOOKS,
            ("", "{b}.mul_(2)", "handle.remove()", "{b}.view(-1).mul_(3)"),
            _NODE_HOOKS, _PASS,
            ("", "handle.remove()"),
            _AGAIN,
        ),
    ),
    Scene(
        "several hooks",
        (
            _LEAF,
            ("{c} = torch.tensor([1., 2.], requires_grad=True)", "{c} = {a} * 2"),
            ("{b} = {a} * {c}", "{b} = {a} + {c}"),
            (
                "torch.autograd.graph.register_multi_grad_hook([{a}, {c}], lambda gs: print(gs))",
                "torch.autograd.graph.register_multi_grad_hook([{a}, {c}], lambda g: print(g), mode='any')",
                "torch.autograd.graph.register_multi_grad_hook([{a}, {b}, {c}], lambda gs: seen.append(len(gs)))",
                "handle = torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: print(1), mode='any')",
            ),
            (*_PASS, "({a} * 2).sum().backward()"),
            ("", "handle.remove()"),
            _AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            _LEAF,
            _within(*_SAVED_HOOKS, *(f"{one}, {other}" for one in _SAVED_HOOKS for other in _SAVED_HOOKS)),
            ("", "made = {b}.grad_fn._saved_self", "{a}.data.mul_(2)"),
            _PASS, _AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            _LEAF,
            ("{b} = {a} * {a}", "{b} = {a}.exp()", "{b} = Square.apply({a})", "{b} = ({a} * 1).relu()"),
            (
                "{c} = {b}.grad_fn._raw_saved_self", "{c} = {b}.grad_fn._raw_saved_result",
                "{c} = {b}.grad_fn._raw_saved_tensors[0]",
            ),
            (
                "{c}.register_hooks(lambda x: x * 2, lambda x: x)",
                "{c}.register_hooks(lambda x: x, lambda x: x + 1)", "",
            ),
            (
                "{c}.register_hooks(lambda x: x, lambda x: x * 3)", "{c}.register_hooks(lambda x: x, lambda x: 1)",
                "",
            ),
            _PASS,
            (
                "{c}.register_hooks(lambda x: x, lambda x: x)", "made = {b}.grad_fn._saved_self", "made = {c}",
                *_AGAIN,
            ),
        ),
    ),
    Scene(
        "saved tensors",
        (
            _LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = {a} * 2"),
            (
                "{c} = {b} * {b}", "{c} = {b}.exp()", "{c} = {b}[0:1] * {b}", "{c} = {b}.sigmoid()",
                "{c} = Square.apply({b})",
            ),
            _CHANGES,
            ("{c}.mul_(2)", "{c}.detach_()", "", ""),
            ("{c}.sum().backward()", "({c} * {b}).sum().backward()"),
            _AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            _LEAF,
            tuple(
                f"with torch.autograd.graph.allow_mutation_on_saved_tensors(){extra}:\n    {{b}} = {{a}} * 1\n"
                f"    {{c}} = {made}\n    {change}\n    {{c}}.sum().backward()"
                for extra in ("", " as seen", ", torch.autograd.graph.allow_mutation_on_saved_tensors()")
                for made in ("{b} * {b}", "{b}.exp()", "Square.apply({b})")
                for change in (
                    "{b}.mul_(2)", "{b}.zero_()", "{b}[0:1].mul_(3)", "{c}.mul_(2)", "{b}.data.mul_(2)",
                )
            ),
            _AGAIN,
        ),
    ),
    Scene(
        "anomalies",
        (
            _LEAF,
            tuple(
                f"with {head}:\n    {{b}} = {made}\n    {ending}"
                for head in (
                    "torch.autograd.detect_anomaly()", "torch.autograd.detect_anomaly(check_nan=False)",
                    "torch.autograd.set_detect_anomaly(True)",
                )
                for made in (
                    "({a} * 0).sqrt()", "Square.apply({a})", "{a} * {a}", "({a} - {a}) / ({a} - {a})", "{a} * 2",
                )
                for ending in (
                    "{b}.sum().backward()", "{b}.sum().backward(retain_graph=True)",
                    "torch.autograd.grad({b}.sum(), {a}, create_graph=True)[0].sum().backward()",
                )
            ),
            _AGAIN,
        ),
    ),
    Scene(
        "anomalies",
        (
            _LEAF,
            (
                "with torch.autograd.detect_anomaly():\n    {b} = {a} * 1\n    {c} = {b} * {b}",
                "{b} = {a} * 1\n{c} = {b}.exp()",
                "with torch.autograd.detect_anomaly():\n    {b} = {a} * 0\n    {c} = {b}.sqrt()",
            ),
            _CHANGES,
            ("{c}.sum().backward()", "with torch.autograd.detect_anomaly():\n    {c}.sum().backward()"),
            _AGAIN,
        ),
    ),
    Scene(
        "crowd",
        (
            (
                "{a} = [torch.tensor([1., 2.], requires_grad=True) for _ in range(5)]",
                "{a} = [torch.tensor([1., 2.], requires_grad=True) for _ in range(9)]",
            ),
            (
                "{c} = [each.register_hook(lambda g, n=n: print(n)) for n, each in enumerate({a})]",
                "{c} = [t.register_post_accumulate_grad_hook(lambda t, n=n: print(n)) for n, t in enumerate({a})]",
            ),
            (
                "{b} = torch.stack({a})", "{b} = torch.cat({a})", "{b} = sum({a})",
                "{b} = sum(each * each for each in {a})", "{b} = torch.stack([each * {a}[0] for each in {a}])",
                "{b} = torch.stack([each.exp() for each in {a}[::-1]])",
            ),
            (
                "{b}.sum().backward()", "torch.autograd.backward([each.sum() for each in {a}[::2]] + [{b}.sum()])",
                "made = torch.autograd.grad({b}.sum(), {a}[1::2])", "{b}.sum().backward(inputs={a}[:2])",
            ),
        ),
    ),
    Scene(
        "view",
        (
            _LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = {a}.detach().clone()"),
            (
                "{c} = {b}[1:]", "{c} = {b}[-1]", "{c} = {b}.view(-1)[1:]", "{c} = {b}.t()",
                "{c} = {b}.unbind()[-1]", "{c}, *_ = {b}.split(1)", "with torch.no_grad():\n    {c} = {b}[0:1]",
                "with torch.inference_mode():\n    {c} = {b}[0:1]", "{c} = Viewed.apply({b})",
                "{c} = {b}.detach()[0:1]", "{c} = {b}[0:1][0]",
            ),
            (
                "{c}.register_hook(lambda g: print(g))", "{c}.retain_grad()", "{d} = {c} * {c}", "{d} = {c}.grad_fn",
                "",
            ),
            (
                "{c}.mul_(2)", "{c}.mul_({c})", "{b}.mul_(2)", "{c}.copy_({a}.detach().view(-1)[0])",
                "Scaled.apply({c})", "Dropped.apply({c})", "with torch.no_grad():\n    {c}.mul_(2)",
                "with torch.inference_mode():\n    {c}.mul_(2)",
            ),
            (
                "made = {c}.grad_fn._saved_storage_offset", "made = {c}.grad_fn.next_functions",
                "{c}.add_({b}.sum().detach())", "",
            ),
            _PASS,
            ("{c}.sum().backward()", *_AGAIN),
        ),
    ),
    Scene(
        "gradients asked for",
        (
            _LEAF,
            ("{b} = {a} * {a}",),
            ("{c} = {b} * 2", "{c} = ({a} * 3).exp()", "{c} = torch.tensor([1., 2.], requires_grad=True)"),
            (
                "made = torch.autograd.grad([{b}.sum(), {c}.sum()], [{a}, {b}, {c}])",
                "made = torch.autograd.grad({b}.sum(), [{a}, {c}])",
                "made = torch.autograd.grad({b}.sum(), [{a}, {b}, {c}], allow_unused=True)",
                "made = torch.autograd.grad({b}.sum(), [{a}, {c}], materialize_grads=True, create_graph=True)",
                "made = torch.autograd.grad([{b}, {c}], [{a}], [torch.ones_like({b}), None])",
                "made = torch.autograd.grad([{b}, {c}], [{a}], [torch.ones_like({b})])",
                "torch.autograd.backward([{b}], [torch.ones_like({b}), torch.ones_like({b})])",
                "torch.autograd.backward([{b}, {c}], [torch.ones_like({b})])",
                f"made = torch.autograd.grad({{b}}, {{a}}, torch.stack([{{b}}, {{c}}]), {_BATCHES})",
                f"made = torch.autograd.grad({{b}}, {{a}}, {{b}}.detach()[None], {_BATCHES}, retain_graph=True)",
            ),
            ("made[0].sum().backward()", "({b} * {c}).sum().backward()", "{b}.sum().backward()"),
            _AGAIN,
        ),
    ),
    Scene(
        "accumulation",
        (
            _LEAF,
            (
                "{a}.grad = torch.ones_like({a})", "{a}.grad = {a} * 1",
                "{a}.grad = torch.ones_like({a}).expand_as({a})", "", "",
            ),
            ("{b} = {a} * 2", "{b} = {a}.clone()", "{b} = {a} + {a}", "{b} = {a}.t()", "{b} = {a}.view(-1)"),
            _PASS,
            ("{c} = {a}.grad", ""),
            (
                "{a}.grad.zero_()", "{a}.grad = None", "{a}.requires_grad_(False)", "{a}.grad.requires_grad_()",
                "{a}.data = {a}.data * 2", "",
            ),
            ("{b} = {a} * 3", "{b} = ({a} * {a}).t()"),
            _PASS, _AGAIN,
        ),
    ),
    Scene(
        "modes",
        (
            _LEAF,
            ("{c} = torch.is_grad_enabled()", ""),
            tuple(
                f"with {one}:\n    {{b}} = {{a}} * 2\n    with {other}:\n        {{c}} = {{a}} * 3\n"
                f"        print(torch.is_grad_enabled())\n"
                "    {d} = {b} + {c}"
                for one in (
                    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
                    "torch.inference_mode()",
                )
                for other in (
                    "torch.enable_grad()", "torch.no_grad()", "torch.set_grad_enabled(True)",
                    "torch.inference_mode(False)",
                )
            ),
            ("print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())", "made = {b} * {a}"),
            ("{b}.mul_(2)", "{d}.add_({a})", "{c}.requires_grad_()", "{d} = {d}[0:1]", ""),
            ("{d}.sum().backward()", "({a} * {b}).sum().backward()"),
        ),
    ),
    Scene(
        "modes",
        (
            _LEAF,
            tuple(
                f"@{mode}\ndef inner(x):\n    y = x * 2\n    got = yield y\n"
                f"    print(torch.is_grad_enabled(), got)\n    yield from ({rest})"
                for mode in ("torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)")
                for rest in ("[y * x, x]", "inner(y) if x.dim() < 2 else []")
            ),
            ("{c} = inner({a})",),
            ("{b} = next({c})",),
            ("{d} = {c}.send(3)", "print(torch.is_grad_enabled())", "{c}.close()"),
            ("with torch.no_grad():\n    {d} = next({c})", "{d} = next({c})", ""),
            ("({a} * {b}).sum().backward()",),
        ),
    ),
    Scene(
        "checkpoint",
        (
            _LEAF,
            tuple(
                f"{{b}} = torch.utils.checkpoint.checkpoint({function}, {given}, use_reentrant={kind})"
                for function in (
                    "lambda x: x * x", "lambda x: x.exp() * x.sigmoid()", "lambda x: print('run') or x.sin() * x",
                    "lambda x: F.dropout(x, 0.5) * x", "lambda x: x.detach() * 2",
                )
                for given in ("{a}", "{a} * 2")
                for kind in (False, True)
            ),
            ("", "{b}.register_hook(lambda g: print(g))", "{b} = {b} * {a}"),
            _PASS, _AGAIN,
        ),
    ),
    Scene(
        "optim",
        (
            _LEAF,
            (
                "{c} = torch.optim.SGD([{a}], lr=0.5)",
                "{c} = torch.optim.SGD([{a}], lr=0.5, momentum=0.5, nesterov=True)",
                "{c} = torch.optim.Adam([{a}], lr=0.5)", "{c} = torch.optim.AdamW([{a}], lr=0.5, amsgrad=True)",
                "{c} = torch.optim.SGD([{a}], lr=0.5, weight_decay=0.5, maximize=True)",
            ),
            ("{b} = {a} * {a}", "{b} = {a}.exp()"),
            _PASS,
            ("{c}.step()",),
            ("{c}.zero_grad()", "{c}.zero_grad(set_to_none=False)", ""),
            ("{b} = {a} * 3",),
            _PASS,
            ("{c}.step()", ""),
        ),
    ),
    Scene(
        "module",
        (
            (
                "{c} = torch.nn.Linear(2, 3)",
                "{c} = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))",
                "{c} = torch.nn.LayerNorm(2)", "{c} = torch.nn.Linear(2, 1, bias=False)",
                "{c} = torch.nn.BatchNorm1d(2)",
            ),
            (
                "{c}.eval()", "{c}.requires_grad_(False)",
                "{c}.register_full_backward_hook(lambda m, i, o: print(len(i), len(o)))",
                "{c}.register_forward_hook(lambda m, i, o: o * 2)", "",
            ),
            ("{a} = torch.tensor([[1., 2.], [3., -1.]], requires_grad=True)",),
            ("{b} = {c}({a})",),
            _PASS,
            ("{c}.zero_grad()", "print([each.grad is None for each in {c}.parameters()])", ""),
            _AGAIN,
        ),
    ),
)
