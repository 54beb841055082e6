"""The project's own words: plain English in docstrings, comments, messages and READMEs.

The rules look for turns of phrase that a reader has to decode: inversions, personified files and engines, and words
that are used for something other than they mean. Each rule says what to write instead.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import conformance
from conformance.commands import documenting

PACKAGE = Path(conformance.__file__).parent
ROOT = PACKAGE.parent


class Rule(NamedTuple):
    """A turn of phrase to avoid, and what to write instead."""

    pattern: str
    instead: str


RULES = (
    Rule(r"\bhang(?:s|ing)? on\b", "depends on"),
    Rule(r"\b(?:is|are|was|were|be) told\b(?! apart)", "is reported, prints, names"),
    Rule(r"\btold apart\b|\btells? apart\b|\btells? .{1,30} apart\b", "distinguishes"),
    Rule(
        r"\b(?:it|that|which|torch|engine|numpy) has not\b(?! (?:\w+ed|been|done|said|met|found)\b)",
        "lacks, does not provide",
    ),
    Rule(
        r"\bis asked (?:of|for)\b|\basks? of\b|\basked of\b|\bof it is asked\b", "calls, looks up, requests"
    ),
    Rule(
        r"\b(?:memory|tensor|array)s? lies?\b|\blies (?:beside|in order|so)\b|\bas memory lies\b",
        "is stored, is contiguous",
    ),
    Rule(r"\bof nothing\b|\bwithout elements\b", "empty"),
    Rule(r"\bbeside\b", "compared with, next to, besides, together with"),
    Rule(
        r"\bsaid first\b|\bis said of\b|\bseen seldom\b|\bseldom seen\b|\brarely run\b|\bcalled plainly\b",
        "name the case",
    ),
    Rule(r"\bas torch's are\b|\bas torch's\b(?= *[.,;:)]|$)", "the same as in torch"),
    Rule(r"\bas any(?: other)?\b(?= *[.,;:)]|$)", "like any other"),
    Rule(r"\bby wholes\b|\bby examples\b", "batched, per-sample"),
    Rule(
        r"\bstands? (?:in )?for\b|\bstanding (?:in )?for\b|\btakes? its place\b",
        "is used as, replaces, means",
    ),
    Rule(r"\bgo(?:es)? by\b", "uses, follows"),
    Rule(r"\btakes? \w+ for an? \w+\b", "treats as"),
    Rule(r"(?<!there )\b(?:is|are) no (?!longer|more|less|other)(?:[a-z]+)\b", "is not a"),
    Rule(
        r"\bas it was written down\b|\bmade anew\b|\bwritten anew\b|\bwrites? it anew\b|\banew\b",
        "again, regenerates",
    ),
    Rule(
        r"\bwhat (?:is|was) (?:left|kept|shown|held|told|asked)\b",
        "name the thing: the cache, the output, the message",
    ),
    Rule(r"\b(?:twins?|heap of|doors?)\b", "the standard term: variant, queue, wrapper"),
    Rule(r"\bis not to be had\b|\bcome to nothing\b|\bhas no say\b", "is not available"),
    Rule(
        r"\bwho (?:only |asks|looks|says|shows|runs|interrupts|reports|has|wants)\b(?=[^?]*$)",
        "the caller, a user who",
    ),
    Rule(r"\bthere (?:is|are) not\b", "that do not exist"),
    Rule(r"\botherwise than\b|\bdo(?:es)? otherwise\b", "differently from"),
    Rule(r"\b(?:that|what) there is\b", "the existing"),
    Rule(r"\bgiven back\b|\bgives? .{1,20} back\b", "returns"),
    Rule(r"\bput together\b", "combined"),
    Rule(r"\bof its own accord\b|\bbe it\b|\bsave for\b|\bnor is\b|\bnor are\b", "a plain sentence"),
    Rule(r"\bone another's\b|\bmeanwhile\b|\bheard\b|\bhears?\b", "each other's, at the same time, receives"),
    Rule(r"\bborne out\b|\bbears? (?:it |them )?out\b", "confirmed"),
    Rule(r"\bfor ever\b", "forever"),
)
_COMPILED = tuple((re.compile(rule.pattern, re.IGNORECASE), rule.instead) for rule in RULES)
_CODE = re.compile(r"``[^`]*``|`[^`]*`|```.*?```", re.DOTALL)


class Text(NamedTuple):
    """A docstring, comment, message or paragraph, with the line it begins on."""

    line: int
    text: str


def texts_of_python(source: str) -> Iterator[Text]:
    """Docstrings, comments and messages: strings of at least three words that are not code."""
    docstrings = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docstrings.add(id(node.value))
            yield Text(node.lineno, node.value.value)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and "\n" not in node.value
            and node.value.count(" ") >= 2
        ):
            yield Text(node.lineno, node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string)


def texts_of_markdown(source: str) -> Iterator[Text]:
    """The paragraphs outside fenced blocks and generated parts."""
    source = re.sub(
        r"<!-- (made|measured)\b.*?<!-- /\1 -->",
        lambda found: "\n" * found[0].count("\n"),
        source,
        flags=re.S,
    )
    source = re.sub(
        r"^```.*?^```", lambda found: "\n" * found[0].count("\n"), source, flags=re.DOTALL | re.MULTILINE
    )
    line = 1
    for paragraph in source.split("\n\n"):
        if paragraph.strip():
            yield Text(line, paragraph)
        line += paragraph.count("\n") + 2


def remarks(file: str, texts: Iterator[Text]) -> Iterator[str]:
    """``file:line: phrase: what to write instead`` for each phrase that a rule rejects."""
    for line, text in texts:
        plain = " ".join(_CODE.sub("`code`", text).split())
        for pattern, instead in _COMPILED:
            for found in pattern.finditer(plain):
                start = max(found.start() - 30, 0)
                yield f"{file}:{line}: `{found[0]}` in `{plain[start : found.end() + 30]}`: write: {instead}"


def files() -> list[Path]:
    """All modules and Markdown files of the project; not this one, nor snippets as people post them."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if not {"snippets", "posts"} & set(path.parts)]
    return [*sorted(PACKAGE.rglob("*.py")), *sorted({*tests} - {Path(__file__)}), *documenting.files()]


def test_plain_words() -> None:
    """No docstring, comment, message or README uses a phrase of the list."""
    wrong: list[str] = []
    for path in files():
        read = texts_of_markdown if path.suffix == ".md" else texts_of_python
        wrong += remarks(path.relative_to(ROOT).as_posix(), read(path.read_text(encoding="utf-8")))
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('"""What hangs on rounding."""', 1),
        ("x = 1  # it stands for torch\n", 1),
        ('\nraise ValueError("there is no torch beside it")', 2),
        ('def f():\n    """One that is told once."""\n', 2),
    ],
)
def test_a_phrase_of_the_list_is_found(source: str, line: int) -> None:
    """In a docstring, a comment and a message; the check above can fail."""
    (remark,) = remarks("a.py", texts_of_python(source))
    assert remark.startswith(f"a.py:{line}: ")


def test_code_and_generated_parts_are_not_read() -> None:
    """What stands in backticks, in a fenced block or in a generated part is not prose."""
    text = (
        "It calls `stands_for`.\n\n```\nbeside\n```\n\n<!-- made: a -->\nbeside\n<!-- /made -->\n\nbeside\n"
    )
    assert [remark.split(":")[1] for remark in remarks("a.md", texts_of_markdown(text))] == ["11"]
