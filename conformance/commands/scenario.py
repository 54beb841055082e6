"""The commands that show or create a scenario, and regenerate the documentation."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.commands.command import (
    Add,
    Misuse,
    takes_engine,
    takes_engine_python,
    takes_format,
    takes_reference,
    takes_time_limit,
)

if TYPE_CHECKING:
    from conformance.check.library import Library
    from conformance.language.scenario import Scenario
    from conformance.report.show import Line
    from conformance.runner.engine import Engine
    from conformance.runner.verdict import Outcome


def add_commands(add: Add) -> None:
    """The commands of this module."""
    showing = add("show", show, "show a scenario statement by statement, on torch and on an engine")
    _names_a_case(showing)
    takes_engine(showing, "inhouse", "the engine to compare; torch shows the reference alone")
    takes_engine_python(showing)
    takes_reference(showing)
    takes_time_limit(showing)
    showing.add_argument("--full", action="store_true", help="do not shorten values")
    showing.add_argument(
        "--script",
        nargs="?",
        const="engine",
        choices=("engine", "torch"),
        help="print the scenario as a script that runs without this suite, on the engine or on torch, "
        "up to the first difference",
    )

    drawing = add("graph", graph, "draw the autograd graph as SVG, in the style of torchviz")
    _names_a_case(drawing)
    drawing.add_argument(
        "--step", type=int, metavar="N", help="the graph after step N (default: the last one with a graph)"
    )
    drawing.add_argument(
        "--line", type=int, metavar="N", help="the graph after the statement on line N of the file"
    )
    takes_engine(drawing, "torch", "the engine that runs the scenario")
    takes_engine_python(drawing)
    takes_time_limit(drawing)
    drawing.add_argument("--saved", action="store_true", help="also draw what each node saved for backward")
    drawing.add_argument(
        "-o", "--output", metavar="FILE.svg", help="the file to write (default: standard output)"
    )

    making = add("new", new, "turn PyTorch code into a scenario, with torch's results filled in")
    making.add_argument(
        "snippets",
        nargs="+",
        metavar="SNIPPET",
        help="a file with code, a page (.md, .rst, .ipynb), or - for standard input; each becomes a scenario",
    )
    making.add_argument(
        "-o", "--output", metavar="FILE.yaml", help="the file to create (default: standard output)"
    )
    takes_time_limit(making)
    making.add_argument("--id", default="", help="the scenario's id (default: derived from the title)")
    making.add_argument(
        "--title", default="", help="what torch does (default: the first comment, or the error)"
    )

    checking = add("check", check, "check what pages show as output against what torch prints")
    checking.add_argument(
        "pages",
        nargs="+",
        metavar="PAGE",
        help="Markdown, reStructuredText, a notebook, a script or a session at a prompt",
    )
    takes_time_limit(checking)
    takes_format(checking, "text", "json")

    documenting = add(
        "docs", docs, "regenerate the parts of the Markdown files that come from code and specs"
    )
    documenting.add_argument(
        "--check", action="store_true", help="write nothing; fail if a file is out of date"
    )


def _names_a_case(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", help="an id, a case `id[label]`, a file, or an id that pytest printed"
    )


def show(known: argparse.Namespace, _: list[str]) -> int:
    """Show what each statement did."""
    from conformance.adapters.recording import NotRecordedError
    from conformance.check import engine_under_test
    from conformance.check.library import Library
    from conformance.check.releases import is_shipped, not_shipped
    from conformance.report.show import ScenarioHeader
    from conformance.report.show import show as lines
    from conformance.report.statements import statement_reports
    from conformance.report.text import label
    from conformance.report.wording import verdict_line
    from conformance.runner.compare import is_absent
    from conformance.runner.engine import terms_of
    from conformance.runner.execute import run
    from conformance.runner.verdict import judge

    library = Library()
    cases = _cases(known.id, library)
    alone = known.engine == "torch" and known.engine_python is None
    checked = None if alone else engine_under_test.engine_of_command(known.engine, known.engine_python)
    reference = engine_under_test.reference(known.reference)
    engine = checked or reference
    agrees = True
    if incomplete := getattr(reference, "incomplete", ""):
        print(f"{known.reference} is incomplete: {incomplete}", file=sys.stderr)
    for number, scenario in enumerate(cases):
        if number:
            print()
        _refuse_what_is_not_here(scenario, reference)
        try:
            reference_trace = run(scenario, reference, seconds=known.seconds)
        except NotRecordedError as error:
            raise Misuse(not_shipped(scenario) if is_shipped(reference) else str(error)) from None
        engine_trace = None if alone else run(scenario, engine, seconds=known.seconds)
        outcome = judge(
            scenario, reference_trace, engine_trace or reference_trace, engine.claims, terms_of(engine)
        )
        agrees = agrees and outcome.verdict == "agrees"
        if known.script is not None:
            print(_script(scenario, outcome, reference, engine, of=known.script))
            continue
        verdict = verdict_line(scenario, outcome, reference, engine)
        shown = ScenarioHeader(
            scenario,
            _says(scenario, library),
            reference=label(reference.name, reference.version),
            engine="" if alone else label(engine.name, engine.version),
            verdict=verdict or ("" if alone else f"{engine.name} does as {reference.name}"),
            agrees=outcome.verdict == "agrees",
        )
        unclaimed = (each for each in outcome.unclaimed if not is_absent(each.facet, each.engine))
        statements = statement_reports(
            scenario, reference_trace, engine_trace, outcome.differences, tuple(unclaimed)
        )
        _print(lines(shown, statements, width=shutil.get_terminal_size((110, 0)).columns, full=known.full))
    return 0 if agrees else 1


def _script(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine, *, of: str) -> str:
    from conformance.report.script import script
    from conformance.report.text import label

    first = outcome.differences[0] if outcome.differences else None
    sides = [label(each.name, each.version) for each in (reference, engine)]
    shown = [*zip(sides, (first.reference, first.engine), strict=True)] if first else []
    return script(scenario, engine if of == "engine" else reference, first, shown)


def graph(known: argparse.Namespace, _: list[str]) -> int:
    """Draw the graph after one statement."""
    from conformance.check import engine_under_test
    from conformance.check.library import Library
    from conformance.commands.tracing import NoGraphError, drawing_of
    from conformance.report.svg import svg
    from conformance.runner.output import write_text

    scenario, *others = _cases(known.id, Library())
    if others:
        print(f"drawing {scenario.id}; there are {len(others)} more cases", file=sys.stderr)
    engine = engine_under_test.engine_of_command(known.engine, known.engine_python)
    _refuse_what_is_not_here(scenario, engine_under_test.reference())
    try:
        when, drawing = drawing_of(
            scenario, engine, step=known.step, line=known.line, saved=known.saved, seconds=known.seconds
        )
    except NoGraphError as error:
        raise Misuse(str(error)) from None
    text = svg(drawing, title=f"{scenario.id} on {engine.name}, after {when}")
    if known.output is None:
        print(text)
    else:
        write_text(Path(known.output), text)
    return 0


def new(known: argparse.Namespace, _: list[str]) -> int:
    """Turn snippets and pages into a scenario file."""
    from conformance.check.engine_under_test import reference
    from conformance.runner.output import write_text
    from conformance.scaffold.make import NotAScenarioError, make_all

    output = None if known.output is None else Path(known.output)
    if output is not None and output.exists():
        raise Misuse(f"{output} already exists: remove it, or name another file")
    if len(known.snippets) > 1 and known.id:
        raise Misuse("--id is for one snippet, and there are several")
    texts = [
        ("<stdin>", sys.stdin.read()) if name == "-" else (name, _page_text(Path(name)))
        for name in known.snippets
    ]
    try:
        made = make_all(texts, output, reference(), ident=known.id, title=known.title, seconds=known.seconds)
    except NotAScenarioError as error:
        print(error, file=sys.stderr)
        return 1
    for note in made.notes:
        print(note, file=sys.stderr)
    if output is None:
        print(made.text, end="")
    else:
        write_text(output, made.text)
        print(f"{output} is ready to edit; check it with: pytest {output}", file=sys.stderr)
    return 0


def check(known: argparse.Namespace, _: list[str]) -> int:
    """Compare each output that the pages show with what torch prints."""
    import json
    from dataclasses import asdict

    from conformance.check import engine_under_test
    from conformance.runner.execute import run
    from conformance.scaffold.page import NotAPageError
    from conformance.scaffold.page_check import check_page

    torch = engine_under_test.reference()
    pages = []
    for path in map(Path, known.pages):
        try:
            pages.append(
                check_page(_page_text(path), str(path), lambda each: run(each, torch, seconds=known.seconds))
            )
        except NotAPageError as error:
            raise Misuse(f"{path}: {error}") from None
    if known.format == "json":
        print(json.dumps([asdict(page) for page in pages], indent=2, ensure_ascii=False))
    else:
        for page in pages:
            for note in page.notes:
                print(note)
            for output in page.outputs:
                print(f"{page.name}:{output.place}: {output}")
            print(f"{page.name}: {page.summary()} on torch {torch.version}")
    return 1 if any(output.verdict == "wrong" for page in pages for output in page.outputs) else 0


def _page_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Misuse(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Misuse(f"{path} cannot be read: it is not UTF-8 text") from None


def docs(known: argparse.Namespace, _: list[str]) -> int:
    """Update the generated parts of the Markdown files."""
    from conformance.commands.documenting import files, makers, pages
    from conformance.report.docs import filled
    from conformance.runner.output import write_text

    parts = makers(known.parser)
    found = list(files())
    if not found:
        raise Misuse("the Markdown files exist only in a checkout, not in an installed package")
    wanted = {path: filled(path.read_text(encoding="utf-8"), parts) for path in found} | pages()
    stale = [path for path, text in wanted.items() if _text(path) != text]
    for path in stale:
        print(f"{path} is out of date" if known.check else f"{path} is updated")
        if not known.check:
            write_text(path, wanted[path])
    return 1 if known.check and stale else 0


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _cases(text: str, library: Library) -> tuple[Scenario, ...]:
    from conformance.check.lookup import NotFoundError, find

    try:
        return find(text, library)
    except NotFoundError as error:
        raise Misuse(str(error)) from None


def _refuse_what_is_not_here(scenario: Scenario, reference: Engine) -> None:
    from conformance.runner.execute import available

    for need in scenario.needs:
        if not available(reference, need):
            raise Misuse(f"{scenario.id} needs {need}, which torch does not find on this machine")


def _says(scenario: Scenario, library: Library) -> list[str]:
    """The claims that the scenario tests, with their declared verdicts."""
    folder = library.governing(Path(scenario.position.file))
    known = {claim.id: claim for claim in library.claims(folder).claims} if folder else {}
    return [
        f"{name} ({known[name].verdict}): {' '.join(known[name].says.split())}" if name in known else name
        for name in scenario.claims
    ]


def _print(lines: Iterable[Line]) -> None:
    """Print in colour on a terminal, without colour elsewhere."""
    if not sys.stdout.isatty():
        for line in lines:
            print("".join(text for text, _ in line))
        return
    from conformance.report.colour import print_in_colour

    print_in_colour(lines)
