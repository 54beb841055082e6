"""The syntax a program may use, and what to write instead of the rest."""

from __future__ import annotations

import ast

from conformance.language import vocabulary, words

ALLOWED: frozenset[type[ast.AST]] = frozenset(
    {
        # statements
        *(ast.Module, ast.Expression, ast.Expr, ast.Pass, ast.Assert, ast.Raise, ast.Return, ast.Delete),
        *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.With, ast.withitem, ast.Break),
        *(ast.Continue, ast.FunctionDef, ast.ClassDef, ast.Nonlocal, ast.Import, ast.ImportFrom),
        # expressions
        *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set),
        *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Yield),
        *(ast.YieldFrom, ast.Compare, ast.Call, ast.keyword, ast.FormattedValue, ast.JoinedStr),
        *(ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice),
        *(ast.arguments, ast.arg),
    }
)
LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)

_NO_TRY = "declare the error of a step's last statement with `raises`; `refuses(f, ...)` tells whether a call raises"

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", _NO_TRY),
    ast.TryStar: ("try", _NO_TRY),
    ast.While: ("while", "write `for turn in range(n)` with `break` at the end"),
    ast.Match: ("match", "write `if`"),
    ast.Global: ("global", "keep the changing value in a list"),
    ast.AsyncFunctionDef: ("async", "write a plain function"),
    ast.AsyncFor: ("async", "write a plain loop"),
    ast.AsyncWith: ("async", "write a plain with"),
    ast.Await: ("await", ""),
}

INSTEAD = {
    "DataLoader": "write `for x, y in zip(xs.split(8), ys.split(8))`",
    "TensorDataset": "write `for x, y in zip(xs.split(8), ys.split(8))`",
    "Dataset": "write `for x, y in zip(xs.split(8), ys.split(8))`",
    "getattr": "write the attribute: `x.name`",
    "setattr": "write the assignment: `x.name = value`",
    "delattr": "write `del x.name`",
    "type": "use it in `type(x).__name__`, in a comparison or in print",
    "format": "write an f-string",
    "format_map": "write an f-string",
    "gc": "`collect()` runs the collector of cyclic garbage",
    "weakref": "`weakref(tensor)` is a weak reference",
    "copy": "`deepcopy(value)` is Python's copy.deepcopy, without an import",
    "math": "torch provides pi, inf, nan and the functions",
    "functools": "`partial` is Python's functools.partial, without an import",
    "collections": "`OrderedDict` is Python's, without an import",
    "defaultdict": "write a dict, and `d.setdefault(key, [])` for `d[key]`",
    "Counter": "write a dict, and `d[key] = d.get(key, 0) + 1`",
    "namedtuple": "write a small class, or a tuple",
    "dataclasses": "write a small class",
    "itertools": "write a comprehension or a loop; `zip`, `enumerate` and `range` are there",
    "typing": "annotate with Python's own types, such as `list[int]`, or not at all",
    "functorch": "torch.func has grad, vmap, vjp, jvp, jacrev, jacfwd and hessian: `from torch.func import grad`",
    "compile": "leave it out: the function computes the same as it is written",
    "tqdm": "leave it out: loop over what it wraps",
    "matplotlib": "leave it out: a scenario draws nothing",
    "random": "torch.rand, torch.randint and torch.randperm draw from torch's generator",
    "os": "leave it out: a scenario reaches no files and no environment",
    "sys": "leave it out: a scenario reads nothing of its interpreter",
    "pathlib": "leave it out: a scenario reaches no files",
    "logging": "write `print`",
    "pandas": "torch.tensor makes the same columns",
    "scipy": "torch.special, torch.linalg and torch.fft have the usual functions",
    "sklearn": "write a few numbers with torch.tensor",
    "data": "write `for x, y in zip(xs.split(8), ys.split(8))`",
    "warnings": "declare the warning with `warns`",
    "input": "a scenario may not read input",
    **dict.fromkeys(("time", "timeit", "datetime"), "a scenario may not measure time"),
    **dict.fromkeys(
        ("torchvision", "transformers"),
        "write a small nn.Module and a few numbers: a scenario loads no models and no data",
    ),
    **dict.fromkeys(
        ("numpy", "np"),
        "torch.tensor and torch.arange make the same arrays, those of floats with dtype=torch.float64",
    ),
}
"""What to write instead of common Python names outside the language."""

TENSOR_TYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}
"""Torch's legacy tensor classes, and the dtype of each."""

TOUCHES_FILES = frozenset({"load", "save", "hub", "from_file", "serialization"})
"""Names of torch that read or write files."""

FORBIDDEN = frozenset(
    """
    aiter anext breakpoint bytearray compile copyright credits delattr dir eval exec exit getattr globals help
    license locals memoryview open quit setattr type vars
    """.split()  # noqa: SIM905  as in names
)
"""Builtins that no program may use or rebind, since names are judged without running the program."""

KNOWN: frozenset[str] = vocabulary.BUILTINS | vocabulary.EXCEPTIONS | words.WORDS.keys()
"""The names that are defined without the program binding them."""
