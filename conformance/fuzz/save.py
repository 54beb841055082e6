"""A diverging program as a scenario file, ready to run."""

from __future__ import annotations

from pathlib import Path

from conformance.fuzz.campaign import Found
from conformance.fuzz.scope import Program, prelude
from conformance.fuzz.search import scenario_of
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.output import write_text


def scenario_yaml(found: Found, name: str, reference: Engine) -> str:
    """The program as YAML: statements that raise on the reference become steps that say so."""
    program = found.program
    trace = run(scenario_of(program, name), reference)
    offset = 1 if prelude(program) else 0
    raised = {moment.statement.step - offset: moment.raised for moment in trace.moments if moment.raised}
    lines = [
        "# yaml-language-server: $schema=../../conformance/language/schema.json",
        "topic: Found by random programs",
        "scenarios:",
        f"  - id: {name}",
        f"    title: {_title(program)}",
        f"    # provenance: random program, seed {found.seed}; {found.difference.splitlines()[0]}",
        "    steps:",
    ]
    block = prelude(program).split("\n") if prelude(program) else []
    for number, statement in enumerate(program.statements):
        error = raised.get(number)
        if error is None:
            block += statement.split("\n")
            continue
        if block:
            lines += _step(block)
            block = []
        lines += _step(statement.split("\n"))
        lines.append(f"        raises: {error.type}")
        if error.message:
            lines.append(f"        message: {_quoted(error.message.splitlines()[0])}")
    if block:
        lines += _step(block)
    return "\n".join(lines) + "\n"


def save(found: Found, folder: Path, reference: Engine) -> Path:
    """Write one file; its name says what diverged and from which seed."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"found-{found.seed:x}"
    path = folder / f"{name}.yaml"
    write_text(path, scenario_yaml(found, name, reference))
    return path


def _step(lines: list[str]) -> list[str]:
    return ["      - run: |", *(f"          {line}" if line else "" for line in lines)]


def _title(program: Program) -> str:
    text = "what torch does with " + program.statements[-1].split("\n")[0].strip()
    return _quoted(text if len(text) <= 70 else text[:67] + "...")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
