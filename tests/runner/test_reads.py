"""The group of facets that a value without facets belongs to."""

from __future__ import annotations

import pytest

from conformance.runner.reads import group_of, group_of_name


@pytest.mark.parametrize(
    ("expression", "group"),
    [
        ("a.is_leaf", "flags"),
        ("a.grad_fn.name()", "graph"),
        ("a.grad_fn is None", "graph"),
        ("a is b", "flags"),
        ("type(a.grad_fn).__name__", "graph"),
        ("a.grad_fn.next_functions[0][0].variable.requires_grad", "flags"),
        ("[x.requires_grad for x in (a, b)]", "flags"),
        ("a.stride()", "graph"),
        ("a.dtype", "dtypes"),
        ("a.is_floating_point()", "dtypes"),
        ("torch.ones(2, requires_grad=True).sum().item()", "values"),
        ("a.sum()", "values"),
        ("repr(a)", "messages"),
        ("'tensor' in str(a)", "messages"),
        ("str(a.dtype)", "dtypes"),
        ("(a.is_leaf, a.sum())", "values"),
        ("5", "values"),
    ],
)
def test_group_of(expression: str, group: str) -> None:
    """That of the attribute that is read last; values, where several are."""
    assert group_of(expression) == group


def test_group_of_an_expression_of_a_name() -> None:
    """That of what the program binds to it."""
    programs = ("held = inner() is not None", "seen = [a.is_leaf]\nn = a.sum()")
    found = [
        group_of(expression, programs) for expression in ("held", "seen[0]", "held == True", "n", "other")
    ]
    assert found == ["flags", "flags", "flags", "values", "values"]


@pytest.mark.parametrize(
    ("program", "path", "group"),
    [
        ("n = b.grad_fn.name()", "n", "graph"),
        ("s, t = b.stride(), 5", "s", "graph"),
        ("s, t = b.stride(), 5", "t", "values"),
        ("seen = []\nb.register_hook(lambda g: seen.append(g.requires_grad))", "seen[0]", "flags"),
        ("n = b.grad_fn\nm = n.next_functions[0]\nk = str(m)", "k", "graph"),
        ("seen = {}\nseen['a'] = b.dtype", "seen['a']", "dtypes"),
        ("for v in b.grad_fn.next_functions:\n  pass", "v[0]", "graph"),
        ("s = []\nfor n in b.grad_fn.next_functions:\n  s += [type(n).__name__]", "s[0]", "graph"),
        ("x = x + 1", "x", "values"),
        ("x = y\ny = x", "x", "values"),
        ("pass", "x", "values"),
    ],
)
def test_group_of_name(program: str, path: str, group: str) -> None:
    """By the expressions that a program binds to it, or adds."""
    assert group_of_name(path, (program,)) == group
