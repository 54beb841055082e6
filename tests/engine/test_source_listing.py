"""`conformance engine inhouse --source OPERATOR` prints what really runs for an operator.

The files in `listings` show how that looks for operators of different kinds. A change of the code generators, or of
these operators, changes them: `python tests/engine/test_source_listing.py` writes the files again, and `git diff`
shows how the functions have changed.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

import conformance.engine as torch
from conformance.cli import main
from conformance.engine._wiring.generated_code import listing, operators

LISTINGS = Path(__file__).parent / "listings"
OPERATORS = {
    "mul": "elementwise, with an operator of Python's and a ufunc",
    "add": "elementwise, with a number besides the operands",
    "exp": "its formula uses the result",
    "pow": "it has formulas of its own for complex outputs",
    "sum_dim": "a reduction",
    "where": "an operand without a derivative",
    "view": "a view",
    "unbind": "several views",
    "cat": "a list of tensors",
    "index_put": "indices, and a change in place",
    "_linalg_svd": "several outputs, in a named tuple",
    "native_batch_norm": "one formula for several inputs, arguments that may be None",
    "floor": "no derivative that is not zero",
    "argmax": "no node",
}


def stable(text: str) -> str:
    """A listing without what changes with other parts of the engine: line numbers."""
    return re.sub(r"(\.py):\d+", r"\1", text)


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_runs(operator: str) -> None:
    operators()  # all are there, whatever other tests have imported
    assert stable(listing(operator)) == (LISTINGS / f"{operator}.txt").read_text(encoding="utf-8")


def sections(operator: str) -> dict[str, str]:
    """The parts of a listing by their kind, without the headings."""
    parts = re.split(r"^=== (.*?): .*\n", listing(operator), flags=re.MULTILINE)
    return {kind: text.rstrip("\n") for kind, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_it_is_what_was_compiled() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.tensor([1.0 + 2.0j], requires_grad=True)
    for product in (torch.mul(x, 3.0), x.mul(3.0), x * 3.0, z * z):
        product.abs().sum().backward()
    shown = sections("mul")
    compiled = {kind: "".join(linecache.getlines(f"<row mul.{kind}>")).rstrip("\n") for kind in shown}
    for kind in ("call", "method", "operator", "apply", "apply_complex", "release"):
        assert compiled[kind] == shown[kind] != ""
    (x * 1).mul_(3.0)
    assert "".join(linecache.getlines("<row mul.record_inplace>")).rstrip("\n") == shown["record_inplace"]


def test_every_operator_has_a_listing() -> None:
    """Without addresses or places of this machine."""
    for name in operators()[::7]:
        text = listing(name)
        for unwanted in ("not to be found", " at 0x", str(Path(torch.__file__).parents[2])):
            assert unwanted not in text


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "inhouse", "--source", "exp"]) == 0
    text = capsys.readouterr().out
    assert text == listing("exp")
    assert re.search(
        r"^=== gradient of self: .* \(conformance/engine/.*\.py:\d+\)\nlambda grad, result", text, re.M
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["inhouse", "--source", "mull"], "inhouse has no operator `mull`; did you mean `mul`?"),
        (["inhouse", "--source", "mul_"], "inhouse has no operator `mul_`; did you mean `mul`?"),
        (["inhouse", "--source", "nothing_like_it"], "inhouse has no operator `nothing_like_it`"),
        (
            ["inhouse", "--source", "svd"],
            r"inhouse has no operator `svd`; the function of that name, which calls others, is in "
            r"conformance/engine/.*\.py:\d+; did you mean `_linalg_svd`?",
        ),
        (
            ["torch", "--source", "mul"],
            "torch does not generate functions: --source is for the in-house engine, inhouse",
        ),
    ],
)
def test_what_has_no_listing(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", *arguments]) == 2
    assert re.fullmatch(f"conformance: {text.replace('?', '[?]')}\n", capsys.readouterr().err)


if __name__ == "__main__":
    operators()
    LISTINGS.mkdir(exist_ok=True)
    for each in OPERATORS:
        (LISTINGS / f"{each}.txt").write_text(stable(listing(each)), encoding="utf-8")
