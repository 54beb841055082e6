"""Read a page that shows code: Markdown, reStructuredText, a notebook, a script or a session at a prompt.

The blocks of a page are one program, in their order. Each line keeps its number in the page; of a notebook, which has
no lines of its own, the cells are numbered.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.scaffold.pasted import PROMPT, indent_of

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$")
_PYTHON = re.compile(
    r"(?i)\.?(\{code-cell\}.*|\{code-block\}\s*(i?python3?|pycon)|py|i?python3?|pycon|py3)\b.*"
)
_OUTPUT = re.compile(
    r"(?i)\.?(\{?(?:code-block\}\s*)?(output|out|text|txt|console|none|plaintext|pytb|bash-output|shell-output)\}?)?"
)
_DIRECTIVE = re.compile(
    r"^(\s*)\.\. (code-block|code|sourcecode|testcode|ipython|testoutput|jupyter-execute)::\s*(.*?)\s*$"
)
_FIRST_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d+\]:)(?: |$)")
_OUT = re.compile(r"^Out\[\d+\]:\s?")
_SHELL = re.compile(r"(?i)bash|sh|shell|zsh|shell-session|shellsession")
_SKIPPED = re.compile(r"#\s*x?doctest:\s*\+(?:SKIP|REQUIRES)")
_NAMED = re.compile(r"torch\.(?:Size|device|strided|sparse_\w+|bool|u?int\d+|b?float\d+|complex\d+)\b")
"""What outputs have of torch."""
_CELL_MAGIC = re.compile(r"^%%(?!time\b|timeit\b|capture\b|prun\b)\w+")
_FURNITURE = re.compile(r"^(?:<Figure .*>|\s*\d+%\|.*|(?:CPU times|Wall time): .*|<IPython\..*>)$")
"""Lines of outputs of notebooks that no statement prints."""
_MAGIC = re.compile(r"^\s*(?:%|!|\?[A-Za-z])|^[\w.]+\?{1,2}\s*$")


PAGES = frozenset({".md", ".markdown", ".mdx", ".myst", ".rst", ".rest", ".ipynb"})
"""The suffixes of files that have text besides code."""


class NotAPageError(ValueError):
    """The file cannot be read as a page; the message says why."""


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """A text that the page shows as the output of the statement that ends on ``line``, or of all from ``first`` on."""

    line: int
    text: str
    first: int = 0


@dataclass(slots=True)
class Page:
    """The program of a page, its outputs, and the commands of a notebook, by line."""

    lines: list[str]
    outputs: list[ShownOutput] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)  # of a notebook: the first line of each cell of code
    broken: list[tuple[int, int, str]] = field(default_factory=list)  # left out: first and last line, text
    code: int = 0  # the first line of the last block of code

    def place(self, line: int) -> str:
        """A line as a reader of the page finds it."""
        if not self.cells:
            return str(line)
        number = sum(first <= line for first in self.cells)
        return f"cell {number}, line {line - self.cells[number - 1] + 1}"


def read_page(text: str, name: str) -> Page:
    """The page of a file; ``name`` decides how it is read.

    Raises:
        NotAPageError: a file named as a notebook is not one, or there is no code.
    """
    if name.endswith(".ipynb"):
        page = _notebook(text)
    else:
        # Without the marks of quoted blocks.
        lines = [re.sub(r"^\s*>(?!>>) ?", "", line) for line in text.expandtabs(4).split("\n")]
        page = Page([""] * len(lines))
        blocks = _blocks(lines, name)
        for block in blocks:
            _take(page, lines, block)
    if not any(line.strip() for line in page.lines):
        raise NotAPageError("there is no code on it")
    _take_comments(page)
    page.outputs.sort(key=lambda output: output.line)
    return page


@dataclass(frozen=True, slots=True)
class _Block:
    first: int  # index of its first line
    end: int
    is_output: bool = False


def _blocks(lines: Sequence[str], name: str) -> Iterator[_Block]:
    if name.endswith((".md", ".markdown", ".mdx", ".myst")) or _has_fences(lines):
        yield from _fenced(lines) if _has_fences(lines) else _indented(lines)
    elif name.endswith((".rst", ".rest")):
        yield from _directives(lines)
    else:
        yield _Block(0, len(lines))


def _has_fences(lines: Sequence[str]) -> bool:
    return sum(_FENCE.match(line) is not None for line in lines) > 1


def _fenced(lines: Sequence[str]) -> Iterator[_Block]:
    """Code in fences; a fence without the name of a language is output if it is not Python and follows code."""
    start, info, follows = None, "", False
    mark = ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if start is None:
            if found:
                start, mark, info = number + 1, found[2], re.sub(r"^\{\s+\.?", "", found[3])
        elif found and found[2].startswith(mark) and not found[3]:
            block = "\n".join(lines[start:number])
            language = info if info.startswith("{") else info.partition(" ")[0]
            while info.startswith("{") and start < number and re.match(r"\s*:[\w-]+:", lines[start]):
                start += 1  # options of MyST
            if _PYTHON.fullmatch(info) or (not info and _is_program(block)):
                yield _Block(start, number)
                follows = True
            elif follows and (
                _OUTPUT.fullmatch(language) or (_SHELL.fullmatch(info) and _VALUE.match(block.strip()))
            ):
                yield _Block(start, number, is_output=True)
                follows = False
            start = None


def _indented(lines: Sequence[str]) -> Iterator[_Block]:
    """Blocks that are indented by four spaces, in Markdown without fences; none in a list."""
    number, follows, in_list = 0, False, False
    while number < len(lines):
        line = lines[number]
        if line.strip() and indent_of(line) < 4:
            in_list = re.match(r"\s*(?:[-*+]|\d+[.)])\s", line) is not None
        if not line.strip() or indent_of(line) < 4 or in_list:
            number += 1
            continue
        end = number
        while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) >= 4):
            end += 1
        if _is_program(textwrap.dedent("\n".join(lines[number:end]))):
            yield _Block(number, end)
            follows = True
        elif follows:
            yield _Block(number, end, is_output=True)
            follows = False
        number = end


def _directives(lines: Sequence[str]) -> Iterator[_Block]:
    """Blocks of code of reStructuredText, and sessions at a prompt anywhere."""
    number = 0
    follows = False
    while number < len(lines):
        line = lines[number]
        found = _DIRECTIVE.match(line)
        literal = not found and line.rstrip().endswith("::") and not line.lstrip().startswith("..")
        if found or literal:
            indent = len(line) - len(line.lstrip())
            end = number + 1
            while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) > indent):
                end += 1
            first = number + 1
            while first < end and (not lines[first].strip() or lines[first].strip().startswith(":")):
                first += 1  # blank lines and options
            block = textwrap.dedent("\n".join(lines[first:end]))
            language = found[3] if found else ""
            kind = found[2] if found else ""
            if kind == "testoutput" or (language in ("none", "text", "console", "pytb") and follows):
                yield _Block(first, end, is_output=True)
                follows = False
            elif kind in ("testcode", "ipython", "jupyter-execute") or (
                _PYTHON.fullmatch(language) if language else _is_program(block)
            ):
                yield _Block(first, end)
                follows = True
            number = end
        elif _FIRST_PROMPT.match(line):
            end = number + 1
            while end < len(lines) and lines[end].strip():
                end += 1
            yield _Block(number, end)
            number = end
        else:
            number += 1


def _is_program(block: str) -> bool:
    """Whether a block is Python that does something: output is seldom Python, and never uses torch."""
    if _FIRST_PROMPT.search(block):
        return True
    try:
        body = ast.parse(block).body
    except SyntaxError:
        return False
    return any(not isinstance(each, ast.Expr) for each in body) or "torch." in _NAMED.sub("", block)


def _take(page: Page, lines: Sequence[str], block: _Block) -> None:
    """Add a block to the page: its program without prompts, and what it shows."""
    own = lines[block.first : block.end]
    if block.is_output:
        text = textwrap.dedent("\n".join(own)).strip("\n")
        before = next((n for n in range(block.first - 1, -1, -1) if page.lines[n].strip()), None)
        before = max(
            [before or 0, *(last - 1 for _, last, _ in page.broken if last <= block.first)],
            default=None if before is None else before,
        )
        if before is not None and text.strip():
            page.outputs.append(ShownOutput(before + 1, text, page.code))
        return
    page.code = block.first + 1
    if any(_FIRST_PROMPT.match(line) for line in own):
        _session(page, own, block.first)
        return
    margin = min((indent_of(line) for line in own if line.strip()), default=0)
    for number, line in enumerate(own, start=block.first):
        _put(page, number, line[margin:])
    _drop_if_broken(page, block.first, block.end)


def _drop_if_broken(page: Page, first: int, end: int) -> None:
    """Leave out lines that are not Python by themselves, so that the rest of the page can be run."""
    lines = page.lines[first:end]
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        line = first + min(error.lineno or 1, len(lines))
        page.left_out.append((line, f"the block is left out: it is not Python: {error.msg}"))
        page.broken += [(first + 1, end, "\n".join(lines))]
        page.lines[first:end] = [""] * len(lines)


def _session(page: Page, lines: Sequence[str], first: int) -> None:
    """A session at a prompt: what is at no prompt is output of the statement above."""
    last, shown, begun = None, list[str](), first
    skips = skipped = False
    for number, line in enumerate([*lines, ">>> "], start=first):
        prompt = (_FIRST_PROMPT if shown else PROMPT).match(line)  # a traceback has `...` in it
        if prompt or not line.strip():
            if shown and last is not None and not skipped:
                page.outputs.append(ShownOutput(last + 1, textwrap.dedent("\n".join(shown)).strip("\n")))
            shown = []
            code = line[prompt.end() :] if prompt else ""
            if _FIRST_PROMPT.match(line):
                _drop_if_broken(page, begun, min(number, len(page.lines)))
                begun = number
                skips = skips or (_SKIPPED.search(code) is not None and code.lstrip().startswith("#"))
                skipped = skips or _SKIPPED.search(code) is not None
                if skipped and code.strip():
                    page.left_out.append((number + 1, f"`{code.strip()}` is left out: the page skips it"))
            if code.strip() and not skipped:
                last = number
                _put(page, number, code)
        else:
            shown.append(_OUT.sub("", line))


def _put(page: Page, number: int, line: str) -> None:
    if _MAGIC.match(line):
        page.left_out.append((number + 1, f"`{line.strip()}` is left out: it is a command of the notebook"))
    else:
        page.lines[number] = line.rstrip()


def _notebook(text: str) -> Page:
    page = Page([])
    try:
        cells = json.loads(text)["cells"]
        for cell in cells:
            if cell["cell_type"] == "code":
                _cell(page, cell)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise NotAPageError(f"it is not a notebook: {type(error).__name__}: {error}") from None
    return page


def _cell(page: Page, cell: dict[str, object]) -> None:
    source = _joined(cell["source"]).expandtabs(4).split("\n")
    first = len(page.lines)
    page.cells.append(first + 1)
    page.lines += [""] * len(source)
    for number, line in enumerate(source, start=first):
        _put(page, number, line)
    if _CELL_MAGIC.match("\n".join(source).lstrip()):
        page.lines[first:] = [""] * len(source)
    _drop_if_broken(page, first, len(page.lines))
    last = max((n for n in range(first, len(page.lines)) if page.lines[n].strip()), default=None)
    outputs = cell.get("outputs", [])
    shown = [_shown(each) for each in outputs] if isinstance(outputs, list) else []
    if last is not None and any(shown):
        page.outputs.append(ShownOutput(last + 1, "\n".join(filter(None, shown)), first + 1))


def _shown(output: dict[str, object]) -> str:
    """The text of one output of a cell; pictures and warnings have none, nor do bars and clocks."""
    return "\n".join(line for line in _text(output).split("\n") if not _FURNITURE.match(line)).strip("\n")


def _text(output: dict[str, object]) -> str:
    if output["output_type"] == "stream":
        return _joined(output["text"]).strip("\n") if output.get("name") != "stderr" else ""
    if output["output_type"] == "error":
        return f"Traceback (most recent call last):\n{output['ename']}: {output['evalue']}"
    data = output.get("data")
    return _joined(data["text/plain"]).strip("\n") if isinstance(data, dict) and "text/plain" in data else ""


def _joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


_LEAD = re.compile(r"(?i)^\s*#+\s*(?:(?:output|out|outputs|prints?|result|shows)\s*:?|[-=]*>)?\s*")
_VALUE = re.compile(r"(?:tensor\(|Parameter|torch\.|<|True$|False$|None$|[-+]?[\d.]|\[|\(|\{|'|\"|nan$|inf$)")


def _take_comments(page: Page) -> None:
    """Comments that are values: on the line of a statement that shows something, or on the lines below it."""
    try:
        tree = ast.parse("\n".join(page.lines))
    except SyntaxError:
        return
    known = {output.line for output in page.outputs}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and node.end_lineno and node.end_lineno not in known:
            tail = page.lines[node.end_lineno - 1].encode()[node.end_col_offset or 0 :].decode()
            if text := _commented(tail, page.lines[node.end_lineno :]):
                page.outputs.append(ShownOutput(node.end_lineno, text))


def _commented(tail: str, below: Sequence[str]) -> str:
    """The value in the comment behind a statement, or in the lines of comment below it; empty if there is none."""
    lines = [tail] if tail.strip().startswith("#") else []
    for line in below:
        if not line.strip().startswith("#"):
            break
        lines.append(line)
    text = ""
    for line in lines:
        cut = _LEAD.sub("", line) if not text else line.strip().lstrip("#").strip()
        text = f"{text}\n{cut}" if text else cut
        if text and _is_value(text):
            return text
    return ""


def _is_value(text: str) -> bool:
    """Whether a comment is a value as Python prints it, not prose that begins like one."""
    if not _VALUE.match(text):
        return False
    plain = re.sub(r"<[^<>]*>", "None", text)
    try:
        ast.parse(plain.replace("\n", " "), mode="eval")
    except SyntaxError:
        return False
    return True
