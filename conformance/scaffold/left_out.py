"""Leave out what does not change what torch computes: clocks, plots, progress bars, saved files, `torch.compile`.

Every line keeps its number, and everything that is left out is named. What a left-out value would print becomes `...`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.scaffold.replaced import (
    Replacement,
    end,
    imported,
    inner_first,
    operand,
    path_of,
    replace,
    start,
)

ORNAMENTS = frozenset(
    """
    time timeit datetime tqdm matplotlib seaborn plotly pylab logging warnings os sys shutil pathlib json pickle rich
    pprint IPython wandb tensorboard tensorboardX torchviz torchsummary torchinfo psutil tracemalloc memory_profiler
    cProfile pdb traceback platform argparse google
    """.split()  # noqa: SIM905  as in names
)
"""Packages of which a program needs nothing to compute with torch."""

_OF_TORCH = re.compile(
    r"torch\.(?:save|onnx\.export|jit\.save|cuda\.\w+|backends\..*|set_num_threads|set_num_interop_threads"
    r"|multiprocessing\.\w+|_dynamo\..*|xpu\.\w+|mps\.\w+)|(?:numpy\.)?random\.seed"
)
"""Calls and settings that write files, concern other devices and threads, or seed other generators."""

_USUAL = {"plt": "matplotlib.pyplot", "sns": "seaborn", "np": "numpy", "tqdm": "tqdm.tqdm", "time": "time"}
"""Names that a page may use without showing the import."""

_BARS = frozenset({"tqdm", "trange", "tqdm_notebook"})
_COMPILE = frozenset({"torch.compile", "torch.jit.script"})


@dataclass(slots=True)
class LeftOut:
    """The lines that remain, and a note for each thing that is left out, by line."""

    lines: list[str]
    notes: list[tuple[int, str]] = field(default_factory=list)


def without_ornaments(lines: Sequence[str]) -> LeftOut:
    """The program without them; unchanged if it is not Python."""
    result = LeftOut(list(lines))
    for rewrite in (_unwrapped, _unwrapped, _unwrapped, _remaining):  # a wrapper in a wrapper
        try:
            tree = ast.parse("\n".join(result.lines))
        except SyntaxError:
            break
        found = list(rewrite(tree))
        for one in reversed(inner_first([written for written, _ in found])):
            replace(result.lines, *_as_short_as_possible(one, tree, result.lines))
        result.notes += dict.fromkeys((written[0][0], note) for written, note in found)
    result.notes = sorted(dict.fromkeys(result.notes))
    return result


def _as_short_as_possible(one: Replacement, tree: ast.Module, lines: Sequence[str]) -> Replacement:
    """The replacement without `pass`, where the statement is alone on its lines and not alone in its block."""
    first, last, text = one
    before = lines[first[0] - 1].encode()[: first[1]].decode()
    after = lines[last[0] - 1].encode()[last[1] :].decode()
    if text != "pass" or before.strip() or not re.fullmatch(r"\s*(#.*)?", after):
        return one
    for node in ast.walk(tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and any(start(each) == first for each in body):
                alone = all(isinstance(each, ast.Pass) or start(each) == first for each in body)
                return one if alone and node is not tree else (first, last, "")
    return one


# ------------------------------------------------------------------------------- calls that wrap something


def _unwrapped(tree: ast.Module) -> Iterator[tuple[Replacement, str]]:
    """What `tqdm(...)` and `torch.compile(...)` wrap, in their place."""
    paths = _paths(tree)
    bars = set(_bound_to_bars(tree, paths))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=[wrapped, *_]) if _is_bar(function, paths):
                counts = _last(function).endswith("range")
                kept = f"range({ast.unparse(wrapped)})" if counts else operand(wrapped)
                yield (start(node), end(node), kept), "the progress bar is left out"
            case ast.Call(func=function, args=[wrapped, *_]) if path_of(function, paths) in _COMPILE:
                name = path_of(function, paths)
                yield (start(node), end(node), operand(wrapped)), _without(name)
            case ast.FunctionDef(decorator_list=decorators):
                for each in decorators:
                    name = path_of(each.func if isinstance(each, ast.Call) else each, paths)
                    if name in _COMPILE:
                        line, column = start(each)
                        yield ((line, column - 1), end(each), ""), _without(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in bars:
                yield (start(node), end(node), "pass"), "the progress bar is left out"


def _without(name: str) -> str:
    return f"`{name}` is left out: the function runs as it is written"


def _is_bar(function: ast.expr, paths: dict[str, str]) -> bool:
    path = path_of(function, paths)
    return path.partition(".")[0] == "tqdm" and path.rpartition(".")[2] in _BARS


def _bound_to_bars(tree: ast.Module, paths: dict[str, str]) -> Iterator[str]:
    """Names of progress bars, whose methods are left out."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)) if _is_bar(
                function, paths
            ):
                yield name


# --------------------------------------------------------------------------------- statements and values


def _remaining(tree: ast.Module) -> Iterator[tuple[Replacement, str]]:
    """The statements that are left out, and the printed values of which `...` remains."""
    paths = _paths(tree)
    ornaments = {name for name, path in paths.items() if _is_ornament(path)}
    ornaments |= _derived(tree, ornaments, paths)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Call(func=function)) if _root(function) in ornaments or _of_torch(
                function, paths
            ):
                yield _gone(node)
            case ast.Expr(value=ast.Call(func=ast.Name(id="exit" | "quit"))):
                yield _gone(node)
            case ast.Assign(targets=targets) if _bound_by(targets) & ornaments or all(
                _of_torch(each, paths) for each in targets
            ):
                yield _gone(node)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)) if (
                name in ornaments
            ):
                yield _gone(node)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args) as call) if any(
                _names(each) & ornaments for each in args
            ):
                yield from _printing(node, call, ornaments)


def _gone(node: ast.stmt) -> tuple[Replacement, str]:
    text = ast.unparse(node).partition("\n")[0]
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return (start(node), end(node), "pass"), f"`{shown}` is left out: it changes nothing that torch computes"


def _printing(node: ast.Expr, call: ast.Call, ornaments: set[str]) -> Iterator[tuple[Replacement, str]]:
    """A `print` of left-out values: left out if it prints nothing else."""
    others = [each for each in call.args if not isinstance(each, ast.Constant)]
    kept = [set(_names(value)) - ornaments for each in others for value in _values(each)]
    if not any(kept):
        yield _gone(node)
        return
    for each in others:
        if _names(each) & ornaments:
            text = '"..."'
            if isinstance(each, ast.JoinedStr):
                text = ast.unparse(_open(each, ornaments))
            yield (
                (start(each), end(each), text),
                f"`{ast.unparse(each)}` is printed as `...` where it has no torch",
            )


def _values(argument: ast.expr) -> list[ast.expr]:
    match argument:
        case ast.JoinedStr(values=parts):
            return [part.value for part in parts if isinstance(part, ast.FormattedValue)]
    return [argument]


def _open(text: ast.JoinedStr, ornaments: set[str]) -> ast.JoinedStr:
    """An f-string with `...` for each value that is left out."""
    return ast.JoinedStr(
        [
            ast.Constant("...") if isinstance(part, ast.FormattedValue) and _names(part) & ornaments else part
            for part in text.values
        ]
    )


def _derived(tree: ast.Module, ornaments: set[str], paths: dict[str, str]) -> set[str]:
    """The names that only ornaments bind, and that nothing but ornaments and `print` uses."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    derived: set[str] = set()
    while True:
        known = ornaments | derived
        new = {
            name
            for node in statements
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)
            and node.value is not None
            and _names(node.value) & known
            and not _names(node.value) - known - _BUILTINS
            for name in _bound_by(node.targets if isinstance(node, ast.Assign) else [node.target])
        }
        if new <= derived:
            break
        derived |= new
    while used := {
        name
        for node in statements
        for name in _used_elsewhere(node, ornaments | derived, paths)
        if name in derived
    }:
        derived -= used
    return derived


_BUILTINS = frozenset("len range str int float list dict tuple round max min __name__".split())  # noqa: SIM905


def _used_elsewhere(node: ast.stmt, known: set[str], paths: dict[str, str]) -> set[str]:
    """The names that a statement uses and that keep it from being left out."""
    match node:
        case ast.Expr(value=ast.Call(func=function)) if _root(function) in known | {"print"} or _of_torch(
            function, paths
        ):
            return set()
        case ast.Assign(targets=targets) if _bound_by(targets) and _bound_by(targets) <= known:
            return set()
        case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)) if (
            name in known
        ):
            return set()
        case ast.Assign(targets=targets) if _bound_by(targets) & known:
            return _names(node) | _bound_by(targets)
    return {name for own in _own_expressions(node) for name in _names(own)}


def _own_expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement, without the statements in its body."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield child


def _bound_by(targets: Sequence[ast.expr]) -> set[str]:
    """The names that an assignment binds; empty if it stores anything else."""
    stores = list(targets)
    names = set()
    for each in stores:
        if isinstance(each, ast.Tuple | ast.List):
            stores += each.elts
        elif isinstance(each, ast.Name):
            names.add(each.id)
        else:
            return set()
    return names


def _names(node: ast.AST) -> set[str]:
    return {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def _paths(tree: ast.Module) -> dict[str, str]:
    """The full dotted name of each name that is imported; usual names need no import."""
    stored = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    usual = {name: path for name, path in _USUAL.items() if name not in stored}
    return {"torch": "torch", **usual, **dict(imported(tree))}


def _is_ornament(path: str) -> bool:
    return path.partition(".")[0] in ORNAMENTS or path.startswith("torch.utils.tensorboard")


def _of_torch(node: ast.expr, paths: dict[str, str]) -> bool:
    return _OF_TORCH.fullmatch(path_of(node, paths)) is not None


def _last(function: ast.expr) -> str:
    return ast.unparse(function).rpartition(".")[2]


def _root(function: ast.expr) -> str:
    """The name at the beginning of a call: ``plt`` of ``plt.gca().plot``."""
    root = function
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return root.id if isinstance(root, ast.Name) else ""
