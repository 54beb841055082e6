"""Scenes of leaves in crowds, views, gradients asked for, accumulation, modes, checkpoints, optimizers and modules."""

from __future__ import annotations

from conformance.fuzz.scene import AGAIN, LEAF, PASS, Scene

_BATCHES = "is_grads_batched=True"

USE_SCENES: tuple[Scene, ...] = (
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
            LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = {a}.detach().clone()"),
            (
                "{c} = {b}[1:]", "{c} = {b}[-1]", "{c} = {b}.view(-1)[1:]", "{c} = {b}.t()",
                "{c} = {b}.unbind()[-1]", "{c}, *_ = {b}.split(1)", "with torch.no_grad():\n    {c} = {b}[0:1]",
                "with torch.no_grad():\n    {c}, *_ = {b}.unbind()",
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
            PASS,
            ("{c}.sum().backward()", *AGAIN),
        ),
    ),
    Scene(
        "gradients asked for",
        (
            LEAF,
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
            AGAIN,
        ),
    ),
    Scene(
        "accumulation",
        (
            LEAF,
            (
                "{a}.grad = torch.ones_like({a})", "{a}.grad = {a} * 1",
                "{a}.grad = torch.ones_like({a}).expand_as({a})", "", "",
            ),
            ("{b} = {a} * 2", "{b} = {a}.clone()", "{b} = {a} + {a}", "{b} = {a}.t()", "{b} = {a}.view(-1)"),
            PASS,
            ("{c} = {a}.grad", ""),
            (
                "{a}.grad.zero_()", "{a}.grad = None", "{a}.requires_grad_(False)", "{a}.grad.requires_grad_()",
                "{a}.data = {a}.data * 2", "",
            ),
            ("{b} = {a} * 3", "{b} = ({a} * {a}).t()"),
            PASS, AGAIN,
        ),
    ),
    Scene(
        "modes",
        (
            LEAF,
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
            LEAF,
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
            LEAF,
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
            PASS, AGAIN,
        ),
    ),
    Scene(
        "optim",
        (
            LEAF,
            (
                "{c} = torch.optim.SGD([{a}], lr=0.5)",
                "{c} = torch.optim.SGD([{a}], lr=0.5, momentum=0.5, nesterov=True)",
                "{c} = torch.optim.Adam([{a}], lr=0.5)", "{c} = torch.optim.AdamW([{a}], lr=0.5, amsgrad=True)",
                "{c} = torch.optim.SGD([{a}], lr=0.5, weight_decay=0.5, maximize=True)",
            ),
            ("{b} = {a} * {a}", "{b} = {a}.exp()"),
            PASS,
            ("{c}.step()",),
            ("{c}.zero_grad()", "{c}.zero_grad(set_to_none=False)", ""),
            ("{b} = {a} * 3",),
            PASS,
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
            PASS,
            ("{c}.zero_grad()", "print([each.grad is None for each in {c}.parameters()])", ""),
            AGAIN,
        ),
    ),
)  # fmt: skip
