"""The program of a scenario as text, with a marked line or as a snippet to paste."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import ModuleType

from conformance.language.scenario import Expectations, Plain, Scenario, Step, Unset
from conformance.runner.engine import Engine, terms_of
from conformance.runner.regions import compiled_texts
from conformance.runner.trace import Statement

# A snippet seeds the generator only if the program draws random numbers.
DRAWS = re.compile(
    r"rand|normal|uniform|bernoulli|multinomial|exponential|geometric|cauchy|poisson|gumbel|[Dd]ropout|rrelu|RReLU"
    r"|Linear|Bilinear|Conv|Embedding|RNN|LSTM|GRU|Attention|EncoderLayer|init\."
)
_BOUND = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "autograd": "torch.autograd"}


_WORDS = {
    "weakref": "from weakref import ref as weakref",
    "collect": "from gc import collect",
    "refuses": """def refuses(function, *args, **named):
    try:
        function(*args, **named)
    except Exception:
        return True
    return False
""",
    "deepcopy": "from copy import deepcopy",
    "OrderedDict": "from collections import OrderedDict",
    "partial": "from functools import partial",
}


def file_line(scenario: Scenario, step: int, line: int) -> int:
    """The line of the file for line ``line`` of step ``step`` (from 0)."""
    return scenario.steps[step].position.line + line - 1


def marked(scenario: Scenario, step: int, line: int) -> Iterator[str]:
    """The program with its line numbers in the file; ``line`` of ``step`` (from 0) is marked with ``>``."""
    last = len(scenario.steps) - 1
    width = len(str(file_line(scenario, last, len(scenario.steps[last].run.splitlines()))))
    for number, part in enumerate(scenario.steps):
        if number:
            yield f"  {'':{width}} |"
        for offset, text in enumerate(part.run.rstrip().splitlines(), start=1):
            mark = ">" if (number, offset) == (step, line) else " "
            yield f"{mark} {file_line(scenario, number, offset):{width}} | {text}".rstrip()


def snippet(scenario: Scenario, engine: Engine, place: Statement, show: str) -> str:
    """A snippet for the engine: the program up to ``place``; ``show`` is printed."""
    steps = scenario.steps[: place.step + 1]
    lines = [_import(engine), *_beginning("\n".join(part.run for part in steps))]
    texts = [*(part.run for part in steps[:-1]), _through(steps[-1].run, place.line)]
    if backend := terms_of(engine).compiled:
        texts = compiled_texts(texts, backend)
    elif engine.name != "torch":
        texts = [*map(_without_imports, texts)]
    for number, (part, text) in enumerate(zip(steps, texts, strict=True)):
        raises = isinstance(part.own.raises, str)
        lines += _catching(text) if raises and (number < place.step or show) else text.rstrip().splitlines()
    if show:
        lines.append(f"print({show})")
    return "\n".join(lines)


def annotated(scenario: Scenario, engine: Engine | None = None) -> str:
    """The program as Python to paste, which prints what is expected; what torch does is in comments."""
    start = "import torch" if engine is None else _import(engine)
    lines = [start, *_beginning("\n".join(step.run for step in scenario.steps)), ""]
    for step in scenario.steps:
        raises = isinstance(step.own.raises, str)
        text = step.run.rstrip() if start == "import torch" else _without_imports(step.run.rstrip())
        lines += _catching(text) if raises else text.splitlines()
        lines += _comments(step)
        own, said = dict(step.own.expect), dict(step.claimed.expect) if step.claimed else {}
        for expression in {**own, **said}:
            results = [_result(own[expression])] if expression in own else []
            results += [f"in the document: {_result(said[expression])}"] if expression in said else []
            lines.append(f"print({expression})  # {'; '.join(results)}")
    return "\n".join(lines)


def _comments(step: Step) -> Iterator[str]:
    """What the step raises, warns and prints, on torch and in the document, as comments."""
    yield from (f"# {line}" for line in _signals(step.own))
    yield from (f"# in the document: {line}" for line in _signals(step.claimed or Expectations()))


def _signals(expected: Expectations) -> Iterator[str]:
    if not isinstance(expected.raises, Unset):
        yield f"raises {expected.raises or 'nothing'}"
    if not isinstance(expected.message, Unset):
        yield f"message: {' '.join(expected.message.split())}"
    if not isinstance(expected.prints, Unset):
        lines = expected.prints.strip("\n").splitlines() or ["nothing"]
        yield f"prints: {lines[0]}"
        yield from (f"        {line}".rstrip() for line in lines[1:])
    if not isinstance(expected.warns, Unset):
        yield f"warns: {'; '.join(' '.join(each.split()) for each in expected.warns) or 'nothing'}"


def _result(value: Plain) -> str:
    """An expected value as Python writes it; YAML's texts are bare."""
    return value.replace("\n", "\\n") if isinstance(value, str) else repr(value)


def _beginning(program: str) -> list[str]:
    """The lines that bind the names and set the seed that a program needs."""
    names = {node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)}
    lines = [f"{name} = {path}" for name, path in _BOUND.items() if name in names]
    lines += [line for name, line in _WORDS.items() if name in names]
    return [*lines, "torch.manual_seed(0)"] if DRAWS.search(program) else lines


def _import(engine: Engine) -> str:
    if isinstance(engine.torch, ModuleType):
        name = engine.torch.__name__
        return "import torch" if name == "torch" else f"import {name} as torch"
    adapter = getattr(engine, "adapter", None) or f"{type(engine).__module__}:{type(engine).__name__}"
    asked = getattr(engine, "asked", engine.name)
    if asked == adapter:  # the adapter can be called without arguments
        module, _, name = adapter.partition(":")
        return f"from {module} import {name}; torch = {name}().torch"
    find = f"from conformance.adapters.registry import find; torch = find({asked!r}).torch"
    return "import torch" if asked == "torch" else find


def _through(text: str, line: int) -> str:
    """The text up to the end of the statement at ``line``, including a whole block."""
    end = next((node.end_lineno for node in ast.parse(text).body if (node.end_lineno or 0) >= line), line)
    return "\n".join(text.splitlines()[:end])


def _without_imports(text: str) -> str:
    """Imports from torch as assignments from the engine's ``torch``."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            bound = [f"{alias.asname} = {alias.name}" for alias in node.names if alias.asname]
        elif isinstance(node, ast.ImportFrom):
            bound = [f"{alias.asname or alias.name} = {node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        indent = " " * node.col_offset
        lines[node.lineno - 1] = indent + ("; ".join(bound) or "pass")
        lines[node.lineno : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno)
    return "\n".join(line for line in lines if line)


def _catching(text: str) -> list[str]:
    """The lines, changed to print the last statement's error instead of raising it."""
    body = ast.parse(text).body
    if not body:
        return []
    lines = text.rstrip().splitlines()
    first = body[-1].lineno - 1
    return [
        *lines[:first],
        "try:",
        *(f"    {line}" for line in lines[first:]),
        "except Exception as error:",
        "    print(error)",
    ]
