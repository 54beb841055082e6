"""What is known of an operator besides its forward and its derivatives, in torch's terms.

Note [One operator, one place]: each module that treats operators differently (forward mode, complex numbers, autocast,
vmap, out=, changes in place, the dispatcher's names) reads that from the operator's declaration, and has no list of names
of its own. A row takes these facts as keywords of ``op``; a function that is made of several rows takes them by
``composite``. Most operators need few of them, since the defaults are what is usual. Where a rule is code of a higher
layer, its function names its operator by a decorator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from .location import PACKAGE

Function = TypeVar("Function", bound=Callable[..., Any])


class Out(NamedTuple):
    """How an operator writes to the tensor given as ``out=``.

    Attributes:
        operator: torch's operator that raises if a tensor requires grad. With ``aten::`` in front it is one whose ``out=``
            form autograd does not implement.
        copied: whether the result is copied, which autograd records.
        contiguous: whether the tensor is contiguous if it is resized; otherwise it has the result's strides.
        memory: ``separate``: no input may share its memory, not even all of it; ``unchecked``: nothing is checked.
        warns: whether resizing a tensor that is not empty warns.
        resize: of factories. ``by_count`` keeps the shape of a tensor with as many elements; ``first`` resizes before any
            check; ``only`` writes nothing.
    """

    operator: str | None = None
    copied: bool = False
    contiguous: bool | Literal["of_complex"] = False
    memory: Literal["separate", "separate_self", "unchecked"] | None = None
    warns: bool = True
    resize: Literal["by_count", "first", "only"] | None = None


class Facts(NamedTuple):
    """The facts about one operator.

    Attributes:
        variants: what torch has of it (torch: native_functions.yaml); "" where modules share it among themselves. None: a
            function and a method, or a method alone where the name ends with an underscore.
        inplace: what torch has of the in-place form, if there is one; one that is written out by itself has its own facts.
        jvp: how tangents pass in forward mode (torch: derivatives.yaml, ``result:``): the operator itself applied to the
            tangents (``auto_linear``), the gradient's formula applied to the tangent (``auto_element_wise``), the product
            rule (``bilinear``); ``multilinear`` is linear in each input but for normalization. ``not_implemented`` and
            ``not_differentiable`` are refused, as torch does with its two texts. None: by the transposed Jacobian.
        tangent_writes: how often torch's formula of forward mode writes to the tangent: a count, or what decides it.
        complex: how formulas treat complex numbers, see Note [Complex gradients]. None: refused.
        handle_r_to_c: whether the gradient of a real input of a complex output is made real (torch: handle_r_to_c).
        no_complex: torch's kernel that does not take complex numbers, or the error.
        complex_if: what is accepted all the same.
        autocast: the policy (torch: ATen/autocast_mode.h).
        overload: torch's name of the overload; of two, the first is for a tensor, or for no dimension. It may be what
            finds it for the arguments.
        inplace_overload: that of the in-place form, where it differs.
        out: whether there is an ``out=``, and how it is written; None if torch has one and the engine does not. A
            composite has none unless it says so, and needs no parameter for it; see ``into_out`` in _aten/out.py.
        elementwise: whether the result of operands that are promoted has their order in memory.
        wrapped_number: whether a Python number next to a tensor is wrapped as one.
        numbers_as_tensors: whether a number is taken where the signature has a tensor (torch: should_allow_numbers_as_tensors).
        deprecated_numbers: the keyword names of the numbers that its deprecated overload takes among the tensors (torch:
            deprecated.yaml).
        contiguous_result: whether the result is contiguous, though the operator has no keepdim.
        refuses_index_grad: whether indices and targets that require grad are refused.
        kernel_writes: how often the kernel writes to its result, see Note [Version bumps inside kernels].
        overlap: what the in-place form does about operands that overlap in memory: ``allow`` and ``warn`` are about the
            tensor that is written, ``refuse_inputs`` about inputs that share its memory.
        bool_result: whether the result is bool, whatever the operands are.
        undefined_argument: position and name of torch's argument that is undefined where the saved result is.
        vmap: the batching rule (torch: functorch/BatchRules*.cpp), of those that several operators share.
        vmap_operands: ``tensors``: a number next to a tensor is one, too; ``same_dtype``: operands are not promoted.
        no_vmap: the error where there is neither a rule nor a fallback, and the argument that may not be batched, if only one
            may not.
        vmap_inplace: the rule of the in-place form: one example after the other, or operands aligned to the target.
        vmap_unbatched: the error if a batched value is written to an unbatched tensor, which depends on torch's rule.
        random: how a random function draws for several examples: by its shape, for each element, or one example after
            the other.
        random_by_values: whether its tensors tell how to draw.
        schema_args: the arguments of a call as torch's schema has them, where the row has others.
        operator: torch's name of the operator, where it is neither the row's nor the function's.
    """

    variants: Literal["function, method", "function", "method", ""] | None = None
    inplace: Literal["function, method", "method"] | None = None
    jvp: (
        Literal[
            "auto_linear",
            "auto_element_wise",
            "bilinear",
            "multilinear",
            "not_implemented",
            "not_differentiable",
        ]
        | None
    ) = None
    tangent_writes: int | Literal["reduced", "normalized", "norm"] | None = None
    complex: Literal["holomorphic", "as_written"] | None = None
    handle_r_to_c: bool = True
    no_complex: str | Exception | None = None
    complex_if: Literal["empty", "empty or 0-d"] | None = None
    autocast: Literal["lower_precision_fp", "fp32", "promote"] | None = None
    overload: str | Callable[..., str] = "default"
    inplace_overload: str | None = None
    out: bool | Out | None = True
    elementwise: bool = True
    wrapped_number: bool = False
    numbers_as_tensors: bool = False
    deprecated_numbers: str = ""
    contiguous_result: bool = False
    refuses_index_grad: bool = False
    kernel_writes: int = 0
    overlap: Literal["allow", "warn", "refuse_inputs", "refuse_inputs warn"] | None = None
    bool_result: bool = False
    undefined_argument: tuple[int, str] | None = None
    vmap: (
        Literal[
            "pointwise", "element_by_element", "full_reduction", "reduction_dim", "reduction_dims", "along_dim", "along", "front",
            "folded", "scatter", "fallback", "decompose", "no_fallback", "dynamic", "unsupported",
        ]
        | None
    ) = None  # fmt: skip
    no_vmap: str | tuple[str, str] | None = None
    vmap_operands: Literal["tensors", "same_dtype"] | None = None
    vmap_inplace: Literal["fallback", "aligned"] | None = None
    vmap_unbatched: Literal["arithmetic", "broadcast", "by_name"] | None = None
    random: Literal["by_shape", "elementwise", "by_example"] | None = None
    random_by_values: bool = False
    schema_args: Callable[..., tuple[tuple[Any, ...], dict[str, Any]]] | None = None
    operator: str | None = None


USUAL = Facts()


def taken_from(keywords: dict[str, Any]) -> Facts:
    """The facts among keywords, which are removed from them."""
    given = {name: keywords.pop(name) for name in [*keywords] if name in _NAMES}
    return Facts(**given) if given else USUAL


_NAMES = frozenset(Facts._fields)


def without_defaults(defaults: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments without those at the end that say the default, as the dispatcher shows them."""
    given = list(args)
    while (
        given and len(given) > len(args) - len(defaults) and given[-1] == defaults[len(given) - len(args) - 1]
    ):
        given.pop()
    return tuple(given)


def name_of(function: Callable[..., Any]) -> str:
    """torch's name of the operator that a composite is: those of torch.linalg and its like have a prefix."""
    facts = facts_of(function)
    if facts.operator is not None:
        return facts.operator
    place = function.__module__.removeprefix(f"{PACKAGE}.")
    prefix = next((each for at, each in _PREFIXES if place.startswith(at)), "")
    return prefix + function.__name__.lstrip("_")


_PREFIXES = (  # of torch's namespaces, by the modules that their functions are written in
    ("_aten.linalg.torch_level_functions", ""),
    ("_aten.linalg", "linalg_"),
    ("fft", "fft_"),
    ("special", "special_"),
)


OUT: dict[str, Out] = {}  # how ``out=`` is written, by rows and functions that declare it
NUMBERS_OF: dict[str, tuple[str, ...]] = {}  # ``deprecated_numbers``, by rows
NUMBERS_AS_TENSORS = {"copy_"}  # and the functions and in-place functions that have this fact
OPERATORS: dict[str, str] = {}  # torch's names of operators, by rows that declare them
COMPOSITES: list[Callable[..., Any]] = []  # the functions that have facts


def facts_of(function: Callable[..., Any]) -> Facts:
    """Those of a function, or of what it wraps."""
    found: Facts = getattr(function, "facts", USUAL)
    return found


def composite(*, name: str | None = None, **facts: Any) -> Callable[[Function], Function]:
    """Declare the facts of a function that is made of several operators; the function itself stays as it is.

    Args:
        name: under which the result is written to ``out=``, where it is not torch's name of the operator.
    """

    def declare(function: Function) -> Function:
        declared = function.facts = Facts(**{"out": False, **facts})  # type: ignore[attr-defined]
        function.out_name = name or name_of(function)  # type: ignore[attr-defined]
        function.lacks_out = declared.out is not False and "out" not in function.__code__.co_varnames  # type: ignore[attr-defined]
        COMPOSITES.append(function)
        declare_out(name or name_of(function), declared.out)
        return function

    return declare


def declare_out(name: str, out: Any) -> None:
    """Note how a row or a function writes to ``out=``."""
    if isinstance(out, Out):
        OUT[name] = out
