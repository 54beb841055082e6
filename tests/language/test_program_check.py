"""Which programs the language takes, and what it says of those it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.language.program_check import check_program
from conformance.language.program_parts import ProgramPiece
from tests.language.accepted import PROGRAMS

REFUSED = Path(__file__).with_name("refused.txt").read_text().strip("\n").split("\n\n")


@pytest.mark.parametrize("block", REFUSED, ids=lambda block: block.split("\n")[0])
def test_refused(block: str) -> None:
    """refused.txt: a program, and below it line:column: message; hint of all that is wrong with it."""
    lines = block.split("\n")
    expected = [line.removeprefix("-> ") for line in lines if line.startswith("-> ")]
    program = "\n".join(line for line in lines if not line.startswith("-> "))
    found = [
        f"{fault.line}:{fault.column}: {fault.message}" + (f"; {fault.hint}" if fault.hint else "")
        for fault in check_program([ProgramPiece(program)])
    ]
    assert found == expected
    assert expected


@pytest.mark.parametrize("program", PROGRAMS)
def test_accepted(program: str) -> None:
    """Code from tutorials and forums needs no change."""
    assert check_program([ProgramPiece(program)]) == []


def test_names_live_from_piece_to_piece() -> None:
    """What a step binds, the later steps and the expectations may use."""
    pieces = [
        ProgramPiece("x = torch.ones(1)"),
        ProgramPiece("x.grad", is_expression=True),
        ProgramPiece("y = x"),
        ProgramPiece("z"),
    ]
    assert [(fault.piece, fault.message) for fault in check_program(pieces)] == [(3, "`z` is not defined")]


def test_expression_binds_nothing_for_the_checker_to_miss() -> None:
    """A statement is not an expression."""
    (fault,) = check_program([ProgramPiece("x = 1", is_expression=True)])
    assert fault.message.startswith("not Python")


@pytest.mark.parametrize(
    "source",
    [
        "(" * 500 + ")" * 500,
        "-" * 100_000 + "1",
        "x" + "+x" * 50_000,
        "x" + ".T" * 100_000,
        "not " * 100_000 + "1",
        "lambda:" * 5_000 + "1",
        "x\0",
        "9" * 5_000,
    ],
    ids=["parentheses", "minus", "plus", "dots", "not", "lambda", "null", "digits"],
)
def test_monstrous_source_is_a_fault(source: str) -> None:
    """What exhausts Python's parser is refused, not raised."""
    assert check_program([ProgramPiece("x = 1"), ProgramPiece(source)])


def test_syntax_warnings_are_silent(recwarn: pytest.WarningsRecorder) -> None:
    """Python's remarks on odd syntax are nobody's business here."""
    assert check_program([ProgramPiece(r"x = '\d' is 1")]) == []
    assert not recwarn.list
