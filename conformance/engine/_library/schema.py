"""Operator schemas and their parser (torch: core/function_schema.h, jit/frontend/function_schema_parser.cpp).

``mylib::f(Tensor(a!) x, int n=3, *, float z=1.) -> (Tensor, int)``
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .._c10.device import device
from .._c10.dtypes import dtype
from .._c10.errors import need_fitting
from .types import KINDS, SCALAR_TYPES, Type, number_of

REQUIRED: Any = object()  # the default of an argument without one

_TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|(?P<ident>[A-Za-z_]\w*)|(?P<text>"[^"]*"|\'[^\']*\')'
    r"|(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<other>\S))"
)
_PARTS = ("number", "ident", "arrow", "text", "dots")
_CONSTANTS = {"True": True, "False": False, "None": None}


@dataclass(frozen=True)
class AliasInfo:
    """An alias annotation such as ``(a!)``: whether it is written to."""

    is_write: bool


@dataclass(frozen=True)
class Argument:
    """A parameter of an operator, or one of its results."""

    name: str
    type: Type
    default: Any = REQUIRED
    kwarg_only: bool = False
    alias_info: AliasInfo | None = None

    @property
    def default_value(self) -> Any:
        """The default (a dtype as its number), or None."""
        if self.default is REQUIRED:
            return None
        return number_of(self.default) if isinstance(self.default, dtype) else self.default


@dataclass(frozen=True)
class FunctionSchema:
    """Name, arguments and results of an operator."""

    name: str
    overload_name: str
    arguments: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    positional: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "positional", sum(not each.kwarg_only for each in self.arguments))

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes to an argument."""
        return any(each.alias_info is not None and each.alias_info.is_write for each in self.arguments)

    @property
    def full_name(self) -> str:
        """The name with the overload name."""
        return f"{self.name}.{self.overload_name}" if self.overload_name else self.name


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


class _Parser:
    """A recursive descent parser of schemas."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = []
        place = 0
        while match := _TOKEN.match(source, place):
            kind = next(name for name, found in match.groupdict().items() if found is not None)
            text = match[kind]
            self.tokens.append(_Token(kind if kind in _PARTS else text, text))
            place = match.end()
        self.tokens.append(_Token("eof", ""))
        self.place = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self, kind: str) -> _Token:
        """The next token, which must be of this kind.

        Raises:
            MisfitError: it is of another kind.
        """
        token = self.next
        need_fitting(token.kind == kind, f"the schema {self.source}")
        self.place += 1
        return token

    def accept(self, kind: str) -> bool:
        """Consume the next token if it is of this kind, and return whether it was."""
        found = self.next.kind == kind
        self.place += found
        return found

    def name(self) -> tuple[str, str]:
        """The operator's name and overload name."""
        name = self.take("ident").text
        if self.accept(":"):
            self.take(":")
            name += f"::{self.take('ident').text}"
        return name, self.take("ident").text if self.accept(".") else ""

    def schema(self) -> FunctionSchema:
        name, overload = self.name()
        arguments = self.arguments()
        self.take("arrow")
        returns = tuple(self.several(self.result)) if self.next.kind == "(" else (self.result(),)
        self.take("eof")
        positional = [each.default is REQUIRED for each in arguments if not each.kwarg_only]
        need_fitting(positional == sorted(positional, reverse=True), f"the schema {self.source}")
        return FunctionSchema(name, overload, tuple(arguments), returns)

    def several(self, part: Any) -> list[Any]:
        """The comma-separated parts between parentheses."""
        self.take("(")
        found = []
        if not self.accept(")"):
            found.append(part())
            while self.accept(","):
                found.append(part())
            self.take(")")
        return found

    def arguments(self) -> list[Argument]:
        only = False

        def part() -> Argument | None:
            nonlocal only
            if self.accept("*"):
                only = True
                return None
            return self.argument(only)

        return [each for each in self.several(part) if each is not None]

    def argument(self, kwarg_only: bool) -> Argument:
        kind, alias = self.type()
        name = self.take("ident").text
        default = self.default(kind) if self.accept("=") else REQUIRED
        return Argument(name, kind, default, kwarg_only, alias)

    def result(self) -> Argument:
        kind, alias = self.type()
        name = self.take("ident").text if self.next.kind == "ident" else ""
        return Argument(name, kind, alias_info=alias)

    def type(self) -> tuple[Type, AliasInfo | None]:
        name = self.take("ident").text
        need_fitting(name in KINDS, f"the schema {self.source}")
        found, alias = Type(name), None
        if self.accept("("):  # an alias annotation such as (a!)
            self.take("ident")
            alias = AliasInfo(self.accept("!"))
            self.take(")")
        while self.next.kind in ("[", "?"):
            if self.accept("?"):
                found = Type("optional", (found,))
                continue
            self.take("[")
            size = int(self.take("number").text) if self.next.kind == "number" else None
            self.take("]")
            found = Type("list", (found,), size)
        return found, alias

    def default(self, kind: Type) -> Any:
        if kind.kind == "optional" and self.next.text != "None":
            return self.default(kind.parts[0])
        if kind.kind == "list" and self.accept("["):
            found = []
            while not self.accept("]"):
                found.append(self.default(kind.parts[0]))
                self.accept(",")
            return found
        sign = -1 if self.accept("-") else 1
        if kind.kind == "Tensor" and self.next.text != "None":
            self.take("None")
        token = self.next
        self.place += 1
        if token.kind == "text":
            text = token.text[1:-1]
            return device(text) if kind.kind == "Device" else text
        if token.kind == "number":
            whole = token.text.isdigit() and kind.kind != "float"
            return sign * (int(token.text) if whole else float(token.text))
        if token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        need_fitting(kind.kind == "ScalarType" and token.text in SCALAR_TYPES, f"the schema {self.source}")
        return SCALAR_TYPES[token.text]


def parse_schema(source: str) -> FunctionSchema:
    """Parse a schema.

    Raises:
        MisfitError: the text is not a schema.
    """
    return _Parser(source).schema()


def check_name(qualname: str) -> None:
    """Raise an error unless the text is an operator's name."""
    parser = _Parser(qualname)
    parser.name()
    parser.take("eof")
