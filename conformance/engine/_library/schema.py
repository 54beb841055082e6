"""Operator schemas and their parser (torch: core/function_schema.h, jit/frontend/function_schema_parser.cpp).

``mylib::f(Tensor(a!) x, int n=3, *, float z=1.) -> (Tensor, int)``
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .._c10.device import device
from .._c10.dtypes import dtype
from .types import SCALAR_TYPES, Type, number_of

REQUIRED: Any = object()  # the default of an argument without one

_TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|(?P<ident>[A-Za-z_]\w*)|(?P<text>"[^"]*"|\'[^\']*\')'
    r"|(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<other>\S))"
)
_PARTS = ("number", "ident", "arrow", "text", "dots")
_UNKNOWN = (
    "\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full "
    "list, please see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func "
)
_CONSTANTS = {"True": True, "False": False, "None": None}
_LAYOUTS = {"strided": 0, "contiguous_format": 0, "preserve_format": 1, "channels_last": 2}


@dataclass(frozen=True)
class AliasInfo:
    """An alias annotation such as ``(a!)``: the alias set, and whether it is written to."""

    text: str
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

    def __str__(self) -> str:
        text = self.type.aliased("" if self.alias_info is None else f"({self.alias_info.text})")
        text += f" {self.name}" if self.name else ""
        return text if self.default is REQUIRED else f"{text}={_default_text(self.default)}"


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

    def __str__(self) -> str:
        listed = [str(each) for each in self.arguments]
        if self.positional < len(listed):
            listed.insert(self.positional, "*")
        given = ", ".join(map(str, self.returns))
        single = len(self.returns) == 1 and self.returns[0].type.kind != "tuple"
        return f"{self.full_name}({', '.join(listed)}) -> {given if single else f'({given})'}"

    __repr__ = __str__


def _default_text(value: Any) -> str:
    """A default value as schemas print it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dtype):
        return str(number_of(value))
    if isinstance(value, float):
        return f"{value:.17g}{'.' * (value.is_integer() and abs(value) <= 1e17)}"
    if isinstance(value, list):
        return f"[{', '.join(map(_default_text, value))}]"
    return str(value)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


class _Parser:
    """A recursive descent parser of schemas."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = []
        place = 0
        while match := _TOKEN.match(source, place):
            kind = next(name for name, found in match.groupdict().items() if found is not None)
            text = match[kind]
            self.tokens.append(_Token(kind if kind in _PARTS else text, text, match.start(kind)))
            place = match.end()
        self.tokens.append(_Token("eof", "", len(source)))
        self.place = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self, kind: str) -> _Token:
        """The next token, which must be of this kind.

        Raises:
            RuntimeError: it is of another kind.
        """
        token = self.next
        if token.kind != kind:
            raise RuntimeError(f"expected {kind} but found '{token.kind}' here:\n{self.highlight(token)}")
        self.place += 1
        return token

    def accept(self, kind: str) -> bool:
        """Consume the next token if it is of this kind, and return whether it was."""
        found = self.next.kind == kind
        self.place += found
        return found

    def highlight(self, token: _Token) -> str:
        """The source with a token underlined."""
        if token.kind == "eof":
            return self.source
        return f"{self.source}\n{' ' * token.start}{'~' * len(token.text)} <--- HERE\n"

    def name(self) -> tuple[str, str]:
        """The operator's name and overload name."""
        name = self.take("ident").text
        if self.accept(":"):
            self.take(":")
            name += f"::{self.take('ident').text}"
        return name, self.take("ident").text if self.accept(".") else ""

    def schema(self) -> FunctionSchema:
        name, overload = self.name()
        if self.next.kind != "(":
            self.take("eof")
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        arguments = self.arguments()
        self.take("arrow")
        returns = tuple(self.several(self.result)) if self.next.kind == "(" else (self.result(),)
        self.take("eof")
        found = FunctionSchema(name, overload, tuple(arguments), returns)
        seen = False
        for each in arguments:
            seen = seen or each.default is not REQUIRED
            if seen and each.default is REQUIRED and not each.kwarg_only:
                raise RuntimeError(
                    '!seen_default_arg || arg.kwarg_only() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/'
                    'ATen/core/function_schema.h":342, please report a bug to PyTorch. Non-default positional argument '
                    f"follows default argument. Parameter {each.name} in {found}"
                )
        return found

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
        if self.next.kind == "(":
            parts = tuple(each for each, _ in self.several(self.type))
            return Type("tuple", parts=parts), None
        token = self.take("ident")
        if token.text not in Type.NAMES:
            raise RuntimeError(f"{_UNKNOWN}:\n{self.highlight(token)}")
        found, alias = Type(token.text), None
        if self.accept("("):
            text = ""
            while self.next.kind != ")":
                text += f" {self.next.text} " if self.next.kind == "arrow" else self.next.text
                self.place += 1
            self.take(")")
            alias = AliasInfo(text, "!" in text.partition(" ")[0])
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
        if kind.kind == "ScalarType" and token.text in SCALAR_TYPES:
            return SCALAR_TYPES[token.text]
        if token.text in _LAYOUTS:
            return _LAYOUTS[token.text]
        raise RuntimeError(f"invalid numeric default value:\n{self.highlight(token)}")


def parse_schema(source: str) -> FunctionSchema:
    """Parse a schema.

    Raises:
        RuntimeError: the text is not a schema.
    """
    return _Parser(source).schema()


def check_name(qualname: str) -> None:
    """Raise an error unless the text is an operator's name."""
    parser = _Parser(qualname)
    parser.name()
    parser.take("eof")
