"""Scenes of operations, Functions, hooks, what is saved, and anomalies."""

from __future__ import annotations

from conformance.fuzz import complex_phrases as of_complex
from conformance.fuzz.phrases import APPLIED, BINARY, IN_PLACE, IN_PLACE_WITH, REDUCTIONS, UNARY, VIEWS
from conformance.fuzz.scene import AGAIN, LEAF, PASS, Scene


def _within(*heads: str) -> tuple[str, ...]:
    """Each context around each of several computations of b."""
    bodies = (
        "{b} = {a} * {a}",
        "{b} = {a}.exp() * {a}",
        "{b} = Square.apply({a})",
        "{b} = {a} * 1\n    {b}.mul_({a})",
    )
    return tuple(f"with {head}:\n    {body}" for head in heads for body in bodies)


_COMPLEX_LEAF = (
    "{a} = torch.tensor([1 + 1j, -2j], requires_grad=True)",
    "{a} = torch.tensor([[1 + 1j, 2], [3j, -1 - 0.5j]], requires_grad=True)",
    "{a} = torch.tensor(2 - 1j, requires_grad=True)",
    "{a} = torch.tensor([0.5j, 2 + 1j, 0], dtype=torch.complex128, requires_grad=True)",
)
_SAVED_HOOKS = (
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: print('packed') or x, lambda x: print('unpacked') or x * 3)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: (x,), lambda x: x[0] + 1)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: 1)",
    "torch.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(2), lambda x: x)",
    "torch.autograd.graph.disable_saved_tensors_hooks('none here')",
    "torch.autograd.graph.save_on_cpu()",
)
_CURVED = (  # what has a derivative that torch has a formula of its own for
    "{a}.softmax(-1)", "{a}.log_softmax(-1)", "{a}.sigmoid()", "{a}.tanh()", "{a}.cumprod(-1)",
    "{a}.prod()", "{a}.prod(-1)",
    "{a}.norm()", "{a}.norm(3)", "{a}.std()", "{a}.var(-1)", "{a}.logsumexp(-1)", "F.elu({a})", "F.softplus({a})",
    "F.gelu({a})", "F.silu({a})", "2 / {a}", "{a} ** 3",
    "{a}.logcumsumexp(-1)", "F.mish({a})", "F.logsigmoid({a})", "F.celu({a})", "F.selu({a})",
    "F.mse_loss({a}, {a} * 2)", "F.smooth_l1_loss({a}, {a} * 2)", "torch.hypot({a}, {a} * 2)", "{a}.outer({a})",
)  # fmt: skip
_SMALL = ("1, 2", "2, 1", "1", "()", "2, 1, 2", "1, 1", "1, 2, 1", "3, 1")
_LARGE = (
    "torch.arange(1., 5.).view(2, 2)", "torch.arange(1., 9.).view(2, 2, 2).requires_grad_()",
    "torch.arange(1., 7.).view(3, 2, 1).requires_grad_()", "torch.full((1, 2), 2.)",
    "torch.arange(1., 7., dtype=torch.float64).view(3, 2).requires_grad_()",
)  # fmt: skip
_NODE_HOOKS = (
    "{b}.register_hook(lambda g: g * 2)",
    "{b}.register_hook(lambda g: g + 1)",
    "{b}.register_hook(lambda g: print('tensor', g))",
    "{b}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
    "{b}.grad_fn.register_prehook(lambda o: tuple(g + 1 for g in o))",
    "{b}.grad_fn.register_prehook(lambda o: seen.append(o))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 5 for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g + 1 for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: tuple(torch.ones_like(o[0]) for g in i))",
    "{b}.grad_fn.register_hook(lambda i, o: print('node', i, o))",
    "{a}.register_hook(lambda g: g * 7)",
    "{a}.register_post_accumulate_grad_hook(lambda t: print('accumulated', t.grad))",
    "{a}.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2))",
    "handle = {b}.register_hook(lambda g: g * 11)",
    "{b}.retain_grad()",
    "",
)
_CHANGES = (
    "{b}.mul_(2)",
    "{b}.mul_({a})",
    "{b}.detach_()",
    "{b}.zero_()",
    "{b}.data.mul_(2)",
    "{b}.requires_grad_(False)",
    "{b}.copy_({a})",
    "{b}[0] = 3.",
    "{b}.view(-1).add_(1)",
    "{b}.data = {b}.data * 2",
    "",
)


GRAPH_SCENES: tuple[Scene, ...] = (
    Scene(
        "operation",
        (
            LEAF,
            tuple(f"{{b}} = {each}" for each in (*UNARY, *REDUCTIONS, *VIEWS)),
            ("{c}, = torch.autograd.grad(({b} * {b}).sum(), {a}, create_graph=True)", *PASS),
            (
                "made, = torch.autograd.grad({c}.sum(), {a}, allow_unused=True)", "({c} * {c}).sum().backward()",
                *AGAIN,
            ),
        ),
    ),
    Scene(
        "operation",
        (
            LEAF,
            ("{c} = ({a}.detach() + 1).requires_grad_()", "{c} = {a} * 2"),
            tuple("{b} = " + each.format(a="{a}", b="{c}") for each in BINARY),
            PASS,
            ("made = torch.autograd.grad(({b} * {b}).sum(), [{a}, {c}], allow_unused=True)", *AGAIN),
        ),
    ),
    Scene(
        "in place",
        (
            LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = ({a} * 1)[0:1]", "{b} = ({a} * 1).view(-1)"),
            ("{c} = {b} * {b}", "{c} = {b}.exp()", "{c} = {b}[0:1]", "{c} = {b} * 2", ""),
            tuple(each.format(a="{b}", b="{a}") for each in (*IN_PLACE, *IN_PLACE_WITH)),
            ("{c}.sum().backward()", "{c}.sum().backward(retain_graph=True)", ""),
            PASS, AGAIN,
        ),
    ),
    Scene(
        "complex",
        (
            _COMPLEX_LEAF,
            tuple(f"{{b}} = {each}" for each in (*of_complex.UNARY, *of_complex.REDUCTIONS, *of_complex.VIEWS)),
            tuple(each.format(a="{b}", b="{a}") for each in (*of_complex.BACKWARD, *of_complex.CLOSING)),
            (
                "made, = torch.autograd.grad({b}.abs().sum(), {a}, allow_unused=True)",
                "({a}.grad * {b}).abs().sum().backward()", "",
            ),
        ),
    ),
    Scene(
        "complex",
        (
            _COMPLEX_LEAF,
            (
                "{c} = ({a}.detach() + 1j).requires_grad_()", "{c} = {a}.conj()", "{c} = {a}.real * 2",
                "{c} = {a}.abs()",
            ),
            tuple("{b} = " + each.format(a="{a}", b="{c}") for each in of_complex.BINARY),
            tuple(each.format(a="{b}", b="{c}") for each in (*of_complex.BACKWARD, *of_complex.CLOSING)),
            ("made = torch.autograd.grad({b}.abs().sum(), [{a}, {c}], allow_unused=True)", ""),
        ),
    ),
    Scene(
        "complex",
        (
            _COMPLEX_LEAF,
            (
                "{b} = {a} * 1", "{b} = ({a} * 1)[0:1]", "{b} = ({a} * 1).conj()", "{b} = ({a} * 1j).view(-1)",
                "{b} = ({a} * 1).real",
            ),
            (
                "{c} = {b} * {b}", "{c} = {b}.abs()", "{c} = {b}.conj()", "{c} = {b}.imag",
                "{c} = torch.view_as_real({b})", "",
            ),
            tuple(each.format(a="{b}", b="{a}") for each in (*of_complex.IN_PLACE, *of_complex.IN_PLACE_WITH)),
            ("{c}.abs().sum().backward()", "{c}.backward(torch.ones_like({c}))", ""),
            ("{b}.abs().sum().backward()", "{b}.real.sum().backward()", "({b} * {a}).abs().sum().backward()"),
        ),
    ),
    Scene(
        "Function",
        (
            LEAF,
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
            (*PASS, "{c}, = torch.autograd.grad({b}.sum(), {a}, create_graph=True)"),
            (
                "{c}.sum().backward()", "made = {b}.grad_fn(torch.ones_like({b}))",
                "made = Square.apply({a}).grad_fn.apply({a}.detach())", "made = {b}.grad_fn.saved_tensors", *AGAIN,
            ),
        ),
    ),
    Scene(
        "hook",
        (
            LEAF,
            (
                "{b} = {a} * {a}", "{b} = {a} * 2", "{b} = Times.apply({a}, {a})", "{b} = {a} + {a}",
                "{b} = {a}.unbind()[-1]",
            ),
            _NODE_HOOKS, _NODE_HOOKS, _NODE_HOOKS,
            ("", "{b}.mul_(2)", "handle.remove()", "{b}.view(-1).mul_(3)"),
            _NODE_HOOKS, PASS,
            ("", "handle.remove()"),
            AGAIN,
        ),
    ),
    Scene(
        "several hooks",
        (
            LEAF,
            ("{c} = torch.tensor([1., 2.], requires_grad=True)", "{c} = {a} * 2"),
            ("{b} = {a} * {c}", "{b} = {a} + {c}"),
            (
                "torch.autograd.graph.register_multi_grad_hook([{a}, {c}], lambda gs: print(gs))",
                "torch.autograd.graph.register_multi_grad_hook([{a}, {c}], lambda g: print(g), mode='any')",
                "torch.autograd.graph.register_multi_grad_hook([{a}, {b}, {c}], lambda gs: seen.append(len(gs)))",
                "handle = torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: print(1), mode='any')",
            ),
            (*PASS, "({a} * 2).sum().backward()"),
            ("", "handle.remove()"),
            AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            LEAF,
            _within(*_SAVED_HOOKS, *(f"{one}, {other}" for one in _SAVED_HOOKS for other in _SAVED_HOOKS)),
            ("", "made = {b}.grad_fn._saved_self", "{a}.data.mul_(2)"),
            PASS, AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            LEAF,
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
            PASS,
            (
                "{c}.register_hooks(lambda x: x, lambda x: x)", "made = {b}.grad_fn._saved_self", "made = {c}",
                *AGAIN,
            ),
        ),
    ),
    Scene(
        "saved tensors",
        (
            LEAF,
            ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = {a} * 2"),
            (
                "{c} = {b} * {b}", "{c} = {b}.exp()", "{c} = {b}[0:1] * {b}", "{c} = {b}.sigmoid()",
                "{c} = Square.apply({b})",
            ),
            _CHANGES,
            ("{c}.mul_(2)", "{c}.detach_()", "", ""),
            ("{c}.sum().backward()", "({c} * {b}).sum().backward()"),
            AGAIN,
        ),
    ),
    Scene(
        "saved tensors",
        (
            LEAF,
            tuple(
                f"with torch.autograd.graph.allow_mutation_on_saved_tensors(){extra}:\n    {{b}} = {{a}} * 1\n"
                f"    {{c}} = {made}\n    {change}\n    {{c}}.sum().backward()"
                for extra in ("", " as seen", ", torch.autograd.graph.allow_mutation_on_saved_tensors()")
                for made in ("{b} * {b}", "{b}.exp()", "Square.apply({b})")
                for change in (
                    "{b}.mul_(2)", "{b}.zero_()", "{b}[0:1].mul_(3)", "{c}.mul_(2)", "{b}.data.mul_(2)",
                )
            ),
            AGAIN,
        ),
    ),
    Scene(
        "anomalies",
        (
            LEAF,
            tuple(
                f"with {head}:\n    {{b}} = {made}\n    {ending}"
                for head in (
                    "torch.autograd.detect_anomaly()", "torch.autograd.detect_anomaly(check_nan=False)",
                    "torch.autograd.set_detect_anomaly(True)",
                )
                for made in (
                    "({a} * 0).sqrt()", "Square.apply({a})", "{a} * {a}", "({a} - {a}) / ({a} - {a})", "{a} * 2",
                    "({a} * 0) ** 1.5", "({a} - {a}).clone().abs() ** 1.5",
                )
                for ending in (
                    "{b}.sum().backward()", "{b}.sum().backward(retain_graph=True)",
                    "torch.autograd.grad({b}.sum(), {a}, create_graph=True)[0].sum().backward()",
                )
            ),
            AGAIN,
        ),
    ),
    Scene(
        "anomalies",
        (
            LEAF,
            (
                "with torch.autograd.detect_anomaly():\n    {b} = {a} * 1\n    {c} = {b} * {b}",
                "{b} = {a} * 1\n{c} = {b}.exp()",
                "with torch.autograd.detect_anomaly():\n    {b} = {a} * 0\n    {c} = {b}.sqrt()",
            ),
            _CHANGES,
            ("{c}.sum().backward()", "with torch.autograd.detect_anomaly():\n    {c}.sum().backward()"),
            AGAIN,
        ),
    ),
    Scene(
        "broadcasting",
        (
            tuple(f"{{a}} = torch.ones({shape}, requires_grad=True)" for shape in _SMALL),
            tuple(f"{{c}} = {made}" for made in _LARGE),
            tuple(f"{{b}} = {each.format(a='{a}', b='{c}')}" for each in BINARY),
            PASS,
            ("made = torch.autograd.grad({b}.sum(), [{a}, {c}], create_graph=True, allow_unused=True)", ""),
        ),
    ),
    Scene(
        "overlapping view",
        (
            (
                "{a} = torch.arange(1., 5., requires_grad=True)",
                "{a} = torch.arange(1., 7.).view(2, 3).requires_grad_()",
            ),
            (
                "{b} = {a} * 1", "{b} = {a}.t() * 1", "{b} = ({a} * 1)[1:]", "{b} = {a}.clone()",
                "{b} = ({a} * 1).expand(2, *{a}.shape)",
            ),
            tuple(
                f"{{c}} = {{b}}.{each}"
                for each in (
                    "as_strided((2, 2), (1, 1))", "as_strided((3, 2), (1, 0))", "as_strided((2, 2), (1, 2), 0)",
                    "as_strided((2,), (0,), 1)", "unfold(0, 2, 1)", "expand(2, *{b}.shape)",
                )
            ),
            ("{b}.mul_(2)", "", "{b}[0:1].mul_(3)", "{c}[0].mul_(3)"),
            tuple(each.replace("{b}", "{c}") for each in PASS),
            PASS,
        ),
    ),
    Scene(
        "double backward",
        (
            LEAF,
            tuple(f"{{b}} = {each}" for each in _CURVED),
            (
                "{c}, = torch.autograd.grad(({b} * {b}).sum(), {a}, create_graph=True)",
                "({b} * {b} * {b}).sum().backward(create_graph=True)\n{c} = {a}.grad",
            ),
            ("({c} * {c}).sum().backward()", "made = torch.autograd.grad(({c} * {c}).sum(), {a}, create_graph=True)"),
        ),
    ),
    Scene(
        "not recorded",
        (
            LEAF,
            *(
                tuple(f"with torch.no_grad():\n    {name} = {each}" for each in (*UNARY, *VIEWS, *REDUCTIONS))
                for name in ("{b}", "{c}", "{d}") * 3
            ),
        ),
    ),
)  # fmt: skip
