"""Code as it was copied from a page or a terminal -> Python, each line where it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|In \[\d+\]:|   +\.\.\.:)(?: |$)")
_BEGINS = re.compile(r"^\s*(?:>>> |In \[\d+\]: )", re.MULTILINE)
_HEAD = re.compile(r"#!|# -\*-.*coding")
_FENCE = re.compile(r"^\s*(```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pasted:
    """Lines of Python, and how many characters each lost at its beginning."""

    lines: tuple[str, ...]
    shifts: tuple[int, ...]

    @property
    def source(self) -> str:
        """The program."""
        return "\n".join(self.lines)


def clean(text: str) -> Pasted:
    """Without fences, prompts and common indentation; what was printed below a prompt goes too."""
    lines = text.expandtabs(4).split("\n")
    if len(_FENCE.findall(text)) > 1:
        lines = list(_fenced(lines))
    cut = [0] * len(lines)
    if _BEGINS.search("\n".join(lines)):
        found = [_PROMPT.match(line) for line in lines]
        cut = [match.end() if match else len(line) for match, line in zip(found, lines, strict=True)]
    kept = [line[count:] for line, count in zip(lines, cut, strict=True)]
    common = min(
        (_indent(line) for line in kept if line.strip() and not line.lstrip().startswith("#")), default=0
    )
    shifts = [count + min(common, _indent(line)) for count, line in zip(cut, kept, strict=True)]
    cleaned = [line[shift:].rstrip() for line, shift in zip(lines, shifts, strict=True)]
    cleaned[:2] = ["" if _HEAD.match(line) else line for line in cleaned[:2]]
    return Pasted(tuple(_without_format(cleaned)), tuple(shifts))


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        fence = _FENCE.match(line) is not None
        inside = inside != fence
        yield line if inside and not fence else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_format(lines: list[str]) -> list[str]:
    """``"{}".format(x)``, which the language does not have, as an f-string."""
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return lines
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == node.end_lineno]
    for node in sorted(calls, key=lambda node: node.col_offset, reverse=True):
        written = _as_f_string(node)
        if written is not None:
            line = lines[node.lineno - 1].encode()
            replaced = line[: node.col_offset] + written.encode() + line[node.end_col_offset :]
            lines[node.lineno - 1] = replaced.decode()
    return lines


def _as_f_string(node: ast.Call) -> str | None:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format"), args=args, keywords=named
        ):
            values: dict[str, ast.expr] = {str(number): value for number, value in enumerate(args)}
            values |= {keyword.arg or "": keyword.value for keyword in named}
        case _:
            return None
    parts: list[ast.expr] = []
    for number, (literal, name, spec, conversion) in enumerate(Formatter().parse(text)):
        if literal:
            parts.append(ast.Constant(literal))
        if name is not None:
            value = values.get(name or str(number))
            if value is None or "{" in (spec or ""):
                return None
            form = ast.JoinedStr([ast.Constant(spec)]) if spec else None
            parts.append(ast.FormattedValue(value, ord(conversion) if conversion else -1, form))
    return ast.unparse(ast.fix_missing_locations(ast.JoinedStr(parts)))
