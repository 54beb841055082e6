"""Rewrite common idioms of other Python packages in the language; every line keeps its number."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from string import Formatter

from conformance.language import vocabulary, words
from conformance.scaffold.default_dict import default_dicts
from conformance.scaffold.replaced import (
    Place,
    Replacement,
    end,
    imported,
    inner_first,
    operand,
    path_of,
    replace,
    start,
)

DEEPEST = 10  # nested idioms

_NAMES = {
    **{
        f"{package}.{name}": f"torch.{name}"
        for package in ("math", "numpy")
        for name in ("pi", "inf", "nan", "e")
    },
    "numpy.newaxis": "None",
    "math.fabs": "abs",
    "copy.deepcopy": "deepcopy",
    "collections.OrderedDict": "OrderedDict",
    "functools.partial": "partial",
    "weakref.ref": "weakref",
    "gc.collect": "collect",
}
"""Objects with a name in the language."""

_FUNCTIONS = frozenset(
    "log log2 log10 log1p exp exp2 expm1 sin cos tan asin acos atan sinh cosh tanh erf erfc lgamma".split()  # noqa: SIM905
)
"""Functions of ``math`` that torch provides for tensors."""


def is_bound(name: str, path: str) -> bool:
    """Whether an import binds a name that every program has already."""
    return words.BOUND.get(name) == path or _NAMES.get(path) == name or name == path == "weakref"


def translated(lines: Sequence[str]) -> list[str]:
    """The lines with each idiom rewritten; unchanged if they are not Python."""
    found = list(lines)
    for _ in range(DEEPEST):
        try:
            tree = ast.parse("\n".join(found))
        except SyntaxError:
            break
        written = inner_first(_replacements(tree, dict(imported(tree)), found))
        for one in reversed(written):
            replace(found, *one)
        if not written:
            break
    return found


def _replacements(tree: ast.Module, paths: Mapping[str, str], lines: Sequence[str]) -> Iterator[Replacement]:
    yield from default_dicts(tree, paths)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            new = _expression(node, paths)
            if new is not None:
                yield start(node), end(node), new
        elif isinstance(node, ast.ImportFrom) and node.module == "functorch":
            if all(f"torch.func.{alias.name}" in vocabulary.PATHS for alias in node.names):
                yield start(node), end(node), ast.unparse(ast.ImportFrom("torch.func", node.names, 0))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} - paths.keys()
            found = sorted(name for name in used if f"{node.module}.{name}" in vocabulary.PATHS)
            if found:
                yield start(node), end(node), f"from {node.module} import {', '.join(found)}"
        elif isinstance(node, ast.stmt):
            yield from _statement(node, paths, lines)


def _expression(node: ast.expr, paths: Mapping[str, str]) -> str | None:
    """An expression rewritten in the language, or None."""
    match node:
        case ast.Name() | ast.Attribute() if (new := _NAMES.get(path_of(node, paths), "")) not in (
            "",
            ast.unparse(node),
        ):
            return new
        case ast.Attribute() if (path := path_of(node, paths)).startswith("functorch."):
            new = f"torch.func.{path.partition('.')[2]}"
            return new if new in vocabulary.PATHS else None
        case ast.Call(func=function, args=[ast.Call(func=inner, args=[values], keywords=keywords)]) if (
            ast.unparse(function) in _FROM_ARRAYS
            and path_of(inner, paths) in ("numpy.array", "numpy.asarray")
        ):
            return _tensor(values, keywords, node.keywords)
        case ast.Attribute(value=ast.Attribute(value=value, attr="__class__"), attr="__name__"):
            return f"type({ast.unparse(value)}).__name__"
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(template)), attr="format")):
            return _f_string(template, node)
        case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name))]) if (
            name.isidentifier()
        ):
            return f"{operand(value)}.{name}"
        case ast.Call(func=function, args=args, keywords=[]) if path_of(function, paths) == "itertools.chain":
            return f"[{', '.join(f'*{ast.unparse(each)}' for each in args)}]"
        case ast.Call(func=function, args=args, keywords=[]):
            return _arithmetic(path_of(function, paths), args)
    return None


_FROM_ARRAYS = frozenset(
    {"torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.Tensor", "torch.FloatTensor"}
)


def _tensor(values: ast.expr, of_array: list[ast.keyword], of_tensor: list[ast.keyword]) -> str | None:
    """A tensor of an array that is written as a list, with the array's dtype."""
    keywords = list(of_tensor)
    numbers = [each.value for each in ast.walk(values) if isinstance(each, ast.Constant)]
    literal = all(
        isinstance(each, ast.List | ast.Tuple | ast.Constant | ast.UnaryOp | ast.USub | ast.Load)
        for each in ast.walk(values)
    )
    if not literal or of_array:
        return None
    if any(isinstance(number, float) for number in numbers) and not any(
        each.arg == "dtype" for each in keywords
    ):
        keywords.append(ast.keyword("dtype", ast.parse("torch.float64", mode="eval").body))
    call = ast.Call(ast.parse("torch.tensor", mode="eval").body, [values], keywords)
    return ast.unparse(call)


def _arithmetic(path: str, args: Sequence[ast.expr]) -> str | None:
    """A call of ``math``, or of numpy with a number."""
    package, _, name = path.rpartition(".")
    if package not in ("math", "numpy") or not args or any(isinstance(each, ast.Starred) for each in args):
        return None
    first = operand(args[0])
    if package == "numpy" and not (isinstance(args[0], ast.Constant) and name == "sqrt"):
        return None
    match name, len(args):
        case "sqrt", 1:
            return f"({_base(args[0])} ** 0.5)"
        case "pow", 2:
            return f"({_base(args[0])} ** {operand(args[1])})"
        case "floor", 1:
            return f"int({first} // 1)"
        case "ceil", 1:
            return f"(-int(-{first} // 1))"
        case "isnan", 1:
            return f"({first} != {first})"
        case "log", 2:
            return f"({_of_a_number('log', args[0])} / {_of_a_number('log', args[1])})"
        case _, 1 if name in _FUNCTIONS:
            return _of_a_number(name, args[0])
    return None


def _base(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Constant) else operand(node)


def _of_a_number(name: str, node: ast.expr) -> str:
    return f"torch.as_tensor({ast.unparse(node)}, dtype=torch.float64).{name}().item()"


def _f_string(template: str, call: ast.Call) -> str | None:
    """``"{}".format(x)`` as an f-string."""
    values: dict[str, ast.expr] = {str(number): value for number, value in enumerate(call.args)}
    values |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    parts: list[ast.expr] = []
    number = 0
    for literal, name, spec, conversion in Formatter().parse(template):
        if literal:
            parts.append(ast.Constant(literal))
        if name is not None:
            value = values.get(name or str(number))
            number += not name
            if value is None or isinstance(value, ast.Starred) or "{" in (spec or ""):
                return None
            form = ast.JoinedStr([ast.Constant(spec)]) if spec else None
            parts.append(ast.FormattedValue(value, ord(conversion) if conversion else -1, form))
    return ast.unparse(ast.fix_missing_locations(ast.JoinedStr(parts)))


def _statement(node: ast.stmt, paths: Mapping[str, str], lines: Sequence[str]) -> Iterator[Replacement]:
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value])
        ):
            yield start(node), end(node), f"{operand(owner)}.{name} = {ast.unparse(value)}"
        case ast.Expr(
            value=ast.Call(func=ast.Name(id="delattr"), args=[owner, ast.Constant(value=str(name))])
        ):
            yield start(node), end(node), f"del {operand(owner)}.{name}"
        case ast.FunctionDef(args=arguments, returns=returns):
            every = (
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            )
            for each in every:
                if each is not None and each.annotation is not None and _is_foreign(each.annotation, paths):
                    yield _name_end(each), end(each), ""
            if returns is not None and _is_foreign(returns, paths):
                arrow = _before("->", start(returns), lines)
                yield arrow, end(returns), ""
        case ast.AnnAssign(target=target, annotation=annotation, value=value) if _is_foreign(
            annotation, paths
        ):
            yield (end(target), end(annotation), "") if value else (start(node), end(node), "pass")


def _is_foreign(annotation: ast.expr, paths: Mapping[str, str]) -> bool:
    """Whether an expression contains names of the program, or is a text."""
    return any(
        (isinstance(each, ast.Name) and not paths.get(each.id, "torch").startswith("torch"))
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in ast.walk(annotation)
    )


def _name_end(argument: ast.arg) -> Place:
    return argument.lineno, argument.col_offset + len(argument.arg.encode())


def _before(sign: str, place: Place, lines: Sequence[str]) -> Place:
    """The position of the last operator before a place."""
    line, column = place
    found = lines[line - 1].encode()[:column].rfind(sign.encode())
    while found < 0 and line > 1:
        line -= 1
        found = lines[line - 1].encode().rfind(sign.encode())
    text = lines[line - 1].encode()[:found]
    return line, len(text.rstrip())
