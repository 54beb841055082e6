"""Scenes where features meet: Functions, views, in place, inference tensors, transforms, optimizers, lifetime."""

from __future__ import annotations

from conformance.fuzz.scene import AGAIN, LEAF, PASS, Scene

_INTERMEDIATE = ("{b} = {a} * 1", "{b} = {a}.clone()", "{b} = ({a} * 1).view(-1)", "{b} = ({a} * 1)[0:1]")
_VIEWED = (
    "{c} = {b}.view(-1)",
    "{c} = {b}[0:1]",
    "{c} = {b}.unbind()[-1]",
    "{c}, *_ = {b}.split(1)",
    "{c} = {b}.t()",
)
_FUNCTIONS = (
    "Viewed",
    "Scaled",
    "Same",
    "Square",
    "Result",
    "Once",
    "Setup",
    "Dropped",
    "Outside",
    "Unreturned",
)
_OF_TWO = ("Pair", "Both", "Two", "Some", "Unmade")
_WRITES = (
    "{c}.mul_(2)",
    "{c}.mul_({c})",
    "{b}.mul_(2)",
    "{c}.zero_()",
    "{b}.view(-1).add_(1)",
    "{c}.detach_()",
    "",
)
_HELD = (
    "{c}.register_hook(lambda g: g * 3)",
    "{b}.register_hook(lambda g: g + 1)",
    "{c}.retain_grad()",
    "{c}.grad_fn.register_hook(lambda i, o: print('node', i, o))",
    "made = {c}.grad_fn.next_functions",
    "",
)
_WRITING = (  # functions of one tensor that write in place or through a view
    "lambda x: Setup.apply(x * 1).mul_(x).sum()",
    "lambda x: (x * 1).mul_(x).sum()",
    "lambda x: (x.clone().view(-1)[0:1].mul_(3) * 2).sum()",
    "lambda x: x.clone().fill_(2).mul(x).sum()",
    "lambda x: torch.zeros_like(x).copy_(x).mul_(x).sum()",
    "lambda x: torch.zeros_like(x).add_(x).view(-1).exp_().sum()",
    "lambda x: (x * x).view(-1).unbind()[0].mul_(2).sum()",
    "lambda x: x.detach().mul_(2).mul(x).sum()",
    "lambda x: x.mul_(2).sum()",
    "lambda x: torch.cat([x.view(-1), x.view(-1)]).mul_(2).pow(2).sum()",
    "lambda x: x.expand(2, *x.shape).clone().mul_(x).sum()",
)
_TRANSFORMED = (
    "made = torch.func.grad({f})({a})",
    "made = torch.func.grad(torch.func.grad(lambda y: torch.func.grad({f})(y).sum()))({a}.sum())",
    "made = torch.func.vmap(torch.func.grad({f}))(torch.stack([{a}, {a} * 2]))",
    "made = torch.func.grad(lambda y: torch.func.vmap({f})(y).sum())(torch.stack([{a}, {a} * 2]))",
    "made = torch.func.jvp({f}, ({a}.detach(),), ({a}.detach() * 2,))",
    "made = torch.func.jacfwd({f})({a}.detach())",
    "made = torch.func.hessian({f})({a}.detach())",
    "{b}, {c} = torch.func.vjp({f}, {a})\nmade = {c}({b} * 2)",
    "{b} = torch.func.grad({f})({a})\n{b}.sum().backward()",
)
_CLOSURES = (
    "lambda: 1 / 0",
    "lambda: ({a} * {a}).sum()",
    "lambda: ({a} * {a}).sum().backward()",
    "lambda: {a}.sum().item()",
    "lambda: ({a} * {a}).sum().backward() or 1 / 0",
    "lambda: print('closure') or ({a} * 2).sum().backward()",
)
_OPTIMIZERS = (
    "torch.optim.SGD([{a}], lr=0.1, momentum=0.9)",
    "torch.optim.Adam([{a}])",
    "torch.optim.Adagrad([{a}])",
    "torch.optim.RMSprop([{a}], centered=True)",
    "torch.optim.SGD([{a}], lr=0.5, nesterov=True, momentum=0.1)",
)
_INFERRED = (
    "{b} = {a} * 2",
    "{b} = {a}.clone()",
    "{b} = {a}.view(-1)",
    "{b} = torch.zeros_like({a})",
    "{b} = {a}.detach()[0:1]",
)

SEAM_SCENES: tuple[Scene, ...] = (
    Scene(
        "Function and view",
        (
            LEAF,
            _INTERMEDIATE,
            (
                *(f"{{c}} = {each}.apply({{b}})" for each in _FUNCTIONS),
                *(f"{{c}} = {each}.apply({{b}}.view(-1))" for each in _FUNCTIONS),
                *(f"{{c}}, {{d}} = {each}.apply({{b}})" for each in _OF_TWO),
            ),
            (*_VIEWED, "", ""),
            _HELD,
            _WRITES,
            _WRITES,
            ("{c}.sum().backward()", "({c} * {c}).sum().backward(retain_graph=True)", *PASS),
            AGAIN,
        ),
    ),
    Scene(
        "several outputs",
        (
            LEAF,
            (
                *(f"{{b}}, {{c}} = {each}.apply({{a}} * 1)" for each in _OF_TWO),
                "{b}, {c}, *_ = [*({a} * 1).view(-1), {a}]",
                "{b}, {c} = ({a} * 1).view(-1).sort()",
                "{b}, {c} = ({a} * 2).view(-1).max(0)",
                "{b}, {c} = torch.var_mean({a} * 3)",
            ),
            _HELD,
            _WRITES,
            ("del {c}", "del {b}", "{d} = {b} * 2", ""),
            (
                "{b}.sum().backward()",
                "({b} + {c}).sum().backward()",
                "torch.autograd.backward([{b}.sum(), {c}.sum()])",
                "made = torch.autograd.grad([{b}.sum(), {c}.sum()], {a}, allow_unused=True)",
            ),
            AGAIN,
        ),
    ),
    Scene(
        "inference tensor",
        (
            LEAF,
            tuple(f"with torch.inference_mode():\n    {each}" for each in _INFERRED),
            (
                "{c} = {b}.clone()",
                "{c} = Square.apply({b})",
                "{c} = Viewed.apply({b})",
                "{c} = {b} * {a}.sum()",
                "{c} = {b}.view(-1)",
                "{c} = torch.func.grad(lambda x: (x * x).sum())({b})",
                "{c} = torch.func.vmap(lambda x: x * 2)({b}.view(-1))",
                "{c} = {b}.requires_grad_()",
                "{c} = {a} * 1",
            ),
            (
                "{b}.mul_(2)",
                "{c}.mul_({b})",
                "{c}.copy_({b})",
                "with torch.inference_mode():\n    {b}.mul_(2)",
                "{a}.data = {b}",
                "{a}.grad = {b}",
                "{b}.register_hook(print)",
                "",
            ),
            ("({c} * {a}.sum()).sum().backward()", "{c}.sum().backward()", *PASS),
            AGAIN,
        ),
    ),
    Scene(
        "transform and in place",
        (
            LEAF,
            tuple(each.replace("{f}", function) for each in _TRANSFORMED for function in _WRITING),
            AGAIN[:1],
        ),
    ),
    Scene(
        "optimizer that raises",
        (
            LEAF,
            tuple(f"{{b}} = {each}" for each in _OPTIMIZERS),
            (
                "({a} * {a}).sum().backward()",
                "{a}.register_hook(lambda g: 1 / 0)",
                "{a}.grad = torch.ones_like({a})",
            ),
            (
                "{b}.register_step_pre_hook(lambda o, a, k: 1 / 0)",
                "{b}.register_step_post_hook(lambda o, a, k: 1 / 0)",
                "{b}.register_step_pre_hook(lambda o, a, k: print('before'))",
                "",
            ),
            (*(f"{{b}}.step({each})" for each in _CLOSURES), "{b}.step()"),
            (
                "{b}.zero_grad(set_to_none=False)",
                "{b}.zero_grad()",
                "made = {b}.state_dict()",
                "{a}.requires_grad_(False)",
                "",
            ),
            ("{b}.step()", *(f"{{b}}.step({each})" for each in _CLOSURES)),
            ("made = {b}.state", "({a} * {a}).sum().backward()", ""),
        ),
    ),
    Scene(
        "lifetime and hook",
        (
            LEAF,
            ("{b} = {a} * 2", "{b} = {a}.exp()", "{b} = Square.apply({a})", "{b} = ({a} * 1).view(-1)"),
            ("{c} = weakref({b})",),
            (
                "{b}.register_hook(lambda g: print('hook', g))",
                "{b}.grad_fn.register_hook(lambda i, o: print('node'))",
                "{b}.register_hook(lambda g, kept={b}: g * kept.detach())",
                "{b}.retain_grad()",
                "{b}.grad_fn.register_prehook(lambda o: print('before'))",
                "",
            ),
            (
                "{d} = ({b} * {b}).sum()",
                "{d} = {b}.sum()",
                "{d} = {b}.view(-1)[0] * 2",
                "{d} = {b}.detach().sum()",
            ),
            ("del {b}", "{b} = None", "{b} = {b} * 1"),
            ("made = {c}() is None", "collect()\nmade = {c}() is None"),
            ("{d}.backward()", "made, = torch.autograd.grad({d}, {a}, retain_graph=True)", "del {d}"),
            ("made = {c}() is None", "collect()\nmade = {c}() is None"),
        ),
    ),
)
