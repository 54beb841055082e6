"""The model of a scenario file: the single source of its checks, its documentation and its JSON Schema."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from conformance.language.scenario import DEFAULT_TIER, Need, Tier

LONGEST_TITLE = 70
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"
PLAIN: dict[str, Any] = {}  # the JSON Schema of any plain data


def as_list(value: Any) -> Any:
    """A single text is read as a list of one."""
    return [value] if isinstance(value, str) else value


def _exact(value: Any) -> Any:
    return {"rtol": 0.0, "atol": 0.0, "reason": "exact"} if value == "exact" else value


Plain = Annotated[Any, WithJsonSchema(PLAIN)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
ClaimId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ABSENT: Any = Field(default=None)  # read only if the key is written
Scalar = str | int | float | bool | None


def one_or_more(item: dict[str, Any]) -> WithJsonSchema:
    """The schema of a list that may be written as its only item."""
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})


NonEmpty = Annotated[str, Field(min_length=1)]
Warns = Annotated[
    list[NonEmpty], BeforeValidator(as_list), Field(min_length=1), one_or_more({"type": "string"})
]
Text = Annotated[str, WithJsonSchema({"type": ["string", "number", "boolean", "null"]})]  # as it is written
Claims = Annotated[
    list[ClaimId],
    BeforeValidator(as_list),
    Field(min_length=1),
    one_or_more({"type": "string", "pattern": r"^[a-z0-9-]+/[a-z0-9-]+$"}),
]


class StrictModel(BaseModel):
    """No unknown keys, no conversion of values to other types."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ExpectationsModel(StrictModel):
    """What holds after a step's last statement."""

    expect: dict[str, Plain] = Field(default_factory=dict, min_length=1)
    """Expression -> plain data, evaluated after the step's last statement on both engines, after its
    snapshot; the state after that is observed as one more statement."""
    raises: str | None = None
    """The type of error that the step's last statement raises; an undeclared error makes the scenario
    unsound. null says that it raises nothing."""
    message: str = Field(default="", min_length=1)
    """The beginning of the error's text."""
    warns: Warns = Field(default_factory=list)
    """The beginning of a warning's text, or a list of them; undeclared warnings are compared between engines
    but are not errors."""
    prints: Text = ""
    """What the step prints, as text, line by line; empty: nothing. White space at the ends of lines does not
    count, and `...` matches any text."""


class StepModel(ExpectationsModel):
    """A piece of program and what holds after it."""

    run: str = Field(default="", min_length=1)
    """PyTorch code, as a user would type it; `torch`, `nn`, `F`, `optim` and `autograd` are imported."""
    claimed: ExpectationsModel = ABSENT
    """What the document says where torch does something else: overrides those of expect, raises, message, warns
    and prints that it names. It must fail on torch, where the step's own keys hold."""


class ToleranceModel(StrictModel):
    """How far floating-point values may differ, and why."""

    rtol: Number = Field()
    """Relative tolerance."""
    atol: Number = Field()
    """Absolute tolerance."""
    reason: str = Field(min_length=1)
    """Why the default does not do."""


class ScenarioModel(StepModel):
    """One point about autograd. With one step, the step's keys stand directly in the scenario."""

    id: Slug = Field()
    """Unique in the whole run and never reused: small letters, digits and single hyphens."""
    title: str = Field(min_length=1, max_length=LONGEST_TITLE, pattern=ONE_LINE)
    """What torch does, in the present tense ("adds to", not "should add"), in at most 70 characters."""
    claim: Claims = Field(default_factory=list)
    """The sentence of a document it bears on, or a list of them; without one: torch observed."""
    steps: list[StepModel] = Field(default_factory=list, min_length=1)
    """Steps in order; the engine's state lives on from step to step."""
    matrix: dict[str, list[Scalar | dict[str, Scalar]]] = Field(default_factory=dict, min_length=1)
    """Name -> list of scalars, or of {label: value}. `${name}` is replaced as text in run, expect, raises,
    message, warns, prints and claimed before they are parsed; one case per combination, `id[sin-float32]`. A value
    not of letters, digits, dot, underscore needs a label."""
    needs: list[Need] = Field(default_factory=list)
    """What must be there: `second_device`, a device other than the CPU, which programs know by that word; `cpu_build`,
    a torch built for the CPU alone, which refuses devices in its own words; `bfloat16_lstm`, a processor on which torch
    runs an LSTM under autocast. Where it is absent the scenario is skipped and does not count for its claim."""
    tier: Tier = DEFAULT_TIER
    """`core`: autograd's mechanics, with a small vocabulary; `standard` (default): every operator, module and
    optimizer once; `full`: everything else. A scenario's own tier goes before its file's."""
    tolerance: Annotated[ToleranceModel, BeforeValidator(_exact)] = ABSENT
    """{rtol, atol, reason}, or exact. Default: equal, or within assert_close's tolerance for the dtype; nan
    equals nan."""
    observe: Literal["each", "end"] = "each"
    """each (default): a snapshot after each statement. end: one snapshot, after the last statement, for what
    looking at it would change: order of hooks, lifetime, depth."""


class FileModel(StrictModel):
    """A file of scenarios."""

    model_config = ConfigDict(title="Scenarios for autograd engines")

    topic: str = Field(default="", min_length=1)
    """What the file's scenarios have in common; the file's name where it is not given."""
    tier: Tier = DEFAULT_TIER
    """The tier of the file's scenarios that name none."""
    scenarios: list[ScenarioModel] = Field(min_length=1)
    """The scenarios."""


class Contradiction(NamedTuple):
    """Two inconsistent keys: the path of the later one, what is wrong, what to do."""

    path: tuple[str | int, ...]
    message: str
    hint: str


_ASSERT = re.compile(r"(?:^|[:;])\s*assert\b", re.MULTILINE)
OUTCOMES = ("expect", "raises", "message", "warns", "prints")


def contradictions(scenario: ScenarioModel) -> Iterator[Contradiction]:
    """Inconsistencies of a scenario whose keys are valid one by one."""
    written = scenario.model_fields_set
    forbidden = [key for key in ("run", *OUTCOMES, "claimed") if key in written]
    if "steps" in written and forbidden:
        yield Contradiction(
            (forbidden[0],), f"`{forbidden[0]}` cannot be combined with `steps`", "move it into a step"
        )
    elif not written & {"run", "steps"}:
        yield Contradiction((), "there is nothing to run", "add `run: |` with a program, or `steps`")
    steps = scenario.steps or [scenario]
    for number, step in enumerate(steps):
        path: tuple[str | int, ...] = ("steps", number) if scenario.steps else ()
        if scenario.steps and "run" not in step.model_fields_set:
            yield Contradiction(path, "the step has nothing to run", "add `run: |` with a program")
        for contradiction in _of_step(step):
            yield contradiction._replace(path=path + contradiction.path)
    if scenario.claim and not any(_says_something(step) for step in steps):
        yield Contradiction(
            ("claim",),
            "the scenario names a claim but checks nothing",
            "add expect, raises, warns, prints, claimed or an assert",
        )


def _of_step(step: StepModel) -> Iterator[Contradiction]:
    own = step.model_fields_set
    if "message" in own and step.raises is None:
        yield Contradiction(
            ("message",), "a message without an error", "add `raises: RuntimeError`, or its type"
        )
    if "claimed" not in own:
        return
    claimed = step.claimed
    said = claimed.model_fields_set
    if not said:
        yield Contradiction(("claimed",), "`claimed` is empty", "say what the document says, or remove it")
    raises = claimed.raises if "raises" in said else step.raises
    if "message" in said and raises is None:
        yield Contradiction(("claimed", "message"), "a message without an error", "add `raises` to `claimed`")
    if said and all(key in own and _same(getattr(claimed, key), getattr(step, key)) for key in said):
        yield Contradiction(
            ("claimed",),
            "`claimed` repeats what the step itself says, so it cannot fail on torch",
            "claimed is for a document that torch contradicts",
        )


def _same(claimed: Any, own: Any) -> bool:
    """Whether ``claimed`` repeats ``own``; compared as text, so that nan equals nan and 1 is not True."""
    if isinstance(claimed, dict):
        return all(key in own and repr(own[key]) == repr(value) for key, value in claimed.items())
    return repr(claimed) == repr(own)


def _says_something(step: StepModel) -> bool:
    keys = {"expect", "raises", "warns", "prints", "claimed"}
    return bool(step.model_fields_set & keys) or _ASSERT.search(step.run) is not None


def meanings(kind: type[StrictModel]) -> dict[str, str]:
    """The docstring below each key. (Letting pydantic read them would slow every start by a third.)"""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__[: kind.__mro__.index(StrictModel)]):
        (definition,) = ast.parse(inspect.getsource(each)).body
        assert isinstance(definition, ast.ClassDef)
        for key, text in pairwise(definition.body):
            match key, text:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(meaning))):
                    found[name] = " ".join(meaning.split())
    return found


def table() -> str:
    """The keys of a scenario as a Markdown table."""
    of_step = set(StepModel.model_fields)
    rows = ["| key | where | meaning |", "|---|---|---|"]
    for key, meaning in meanings(ScenarioModel).items():
        where = "step or scenario" if key in of_step else "scenario"
        where = "file or scenario" if key in FileModel.model_fields else where
        rows.append(f"| `{key}` | {where} | {meaning} |")
    return "\n".join(rows) + "\n"
