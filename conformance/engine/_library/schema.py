"""Schemas of operators: what they take and give, as the dispatcher writes it (torch: core/function_schema.h).

``mylib::f(Tensor(a!) x, int n=3, *, float z=1.) -> (Tensor, int)``
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .._c10.device import device
from .._c10.dtypes import dtype
from .types import SCALAR_TYPES, Type, number_of

REQUIRED: Any = object()  # stands for the default that an argument has not

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
    """What an annotation such as ``(a!)`` says: memory under a name, and whether it is written to."""

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
        """The default, of a dtype its number; None where there is none."""
        if self.default is REQUIRED:
            return None
        return number_of(self.default) if isinstance(self.default, dtype) else self.default

    def __str__(self) -> str:
        text = self.type.aliased("" if self.alias_info is None else f"({self.alias_info.text})")
        text += f" {self.name}" if self.name else ""
        return text if self.default is REQUIRED else f"{text}={_shown(self.default)}"


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
        """Whether an argument is written to."""
        return any(each.alias_info is not None and each.alias_info.is_write for each in self.arguments)

    @property
    def full_name(self) -> str:
        """The name with the overload's."""
        return f"{self.name}.{self.overload_name}" if self.overload_name else self.name

    def __str__(self) -> str:
        listed = [str(each) for each in self.arguments]
        if self.positional < len(listed):
            listed.insert(self.positional, "*")
        given = ", ".join(map(str, self.returns))
        single = len(self.returns) == 1 and self.returns[0].type.kind != "tuple"
        return f"{self.full_name}({', '.join(listed)}) -> {given if single else f'({given})'}"

    __repr__ = __str__


def _shown(value: Any) -> str:
    """A default as the dispatcher prints it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dtype):
        return str(number_of(value))
    if isinstance(value, float):
        return f"{value:.17g}{'.' * (value.is_integer() and abs(value) <= 1e17)}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


class _Parser:
    """Reads a schema from the left to the right."""

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
        """The next token.

        Raises:
            RuntimeError: it is of another kind.
        """
        token = self.next
        if token.kind != kind:
            raise RuntimeError(f"expected {kind} but found '{token.kind}' here:\n{self.pointing(token)}")
        self.place += 1
        return token

    def taken(self, kind: str) -> bool:
        """Whether the next token is of this kind, and is passed."""
        found = self.next.kind == kind
        self.place += found
        return found

    def pointing(self, token: _Token) -> str:
        """The source with a mark below a token."""
        if token.kind == "eof":
            return self.source
        return f"{self.source}\n{' ' * token.start}{'~' * len(token.text)} <--- HERE\n"

    def name(self) -> tuple[str, str]:
        """The operator's name, and its overload's."""
        name = self.take("ident").text
        if self.taken(":"):
            self.take(":")
            name += f"::{self.take('ident').text}"
        return name, self.take("ident").text if self.taken(".") else ""

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
        """What stands between parentheses, with commas."""
        self.take("(")
        found = []
        if not self.taken(")"):
            found.append(part())
            while self.taken(","):
                found.append(part())
            self.take(")")
        return found

    def arguments(self) -> list[Argument]:
        only = False

        def part() -> Argument | None:
            nonlocal only
            if self.taken("*"):
                only = True
                return None
            return self.argument(only)

        return [each for each in self.several(part) if each is not None]

    def argument(self, kwarg_only: bool) -> Argument:
        kind, alias = self.type()
        name = self.take("ident").text
        default = self.default(kind) if self.taken("=") else REQUIRED
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
            raise RuntimeError(f"{_UNKNOWN}:\n{self.pointing(token)}")
        found, alias = Type(token.text), None
        if self.taken("("):
            text = ""
            while self.next.kind != ")":
                text += f" {self.next.text} " if self.next.kind == "arrow" else self.next.text
                self.place += 1
            self.take(")")
            alias = AliasInfo(text, "!" in text.partition(" ")[0])
        while self.next.kind in ("[", "?"):
            if self.taken("?"):
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
        if kind.kind == "list" and self.taken("["):
            found = []
            while not self.taken("]"):
                found.append(self.default(kind.parts[0]))
                self.taken(",")
            return found
        sign = -1 if self.taken("-") else 1
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
        raise RuntimeError(f"invalid numeric default value:\n{self.pointing(token)}")


def parse_schema(source: str) -> FunctionSchema:
    """The schema that a text describes.

    Raises:
        RuntimeError: it describes none.
    """
    return _Parser(source).schema()


def check_name(qualname: str) -> None:
    """Refuse what is no name of an operator."""
    parser = _Parser(qualname)
    parser.name()
    parser.take("eof")
