"""The classes of torch.return_types: named tuples of operations with several results (torch: utils/structseq.h)."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NoReturn

from . import pickling


class StructSequence(tuple[Any, ...]):
    """The base class: a tuple with named entries, created from one sequence."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    n_fields = n_sequence_fields = n_unnamed_fields = 0

    def __new__(cls, sequence: Iterable[Any]) -> Any:
        made = tuple.__new__(cls, sequence)
        if len(made) != cls.n_fields:
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {cls.n_fields}-sequence ({len(made)}-sequence given)"
            )
        return made

    def __repr__(self) -> str:
        entries = ",\n".join(
            f"{name}={value!r}" for name, value in zip(self.__match_args__, self, strict=True)
        )
        return f"torch.return_types.{type(self).__name__}(\n{entries})"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'")

    def __reduce__(self) -> Any:
        return pickling.rebuild, (pickling.place(type(self)), tuple(self))


def _structseq(name: str, fields: str) -> Any:
    names = tuple(fields.split())
    body: dict[str, Any] = {each: property(itemgetter(i)) for i, each in enumerate(names)}
    body |= {"__slots__": (), "__module__": "torch.return_types", "__match_args__": names}
    body |= {"n_fields": len(names), "n_sequence_fields": len(names)}
    return type(name, (StructSequence,), body)


_VALUES = "values indices"
cummax, cummin = _structseq("cummax", _VALUES), _structseq("cummin", _VALUES)
kthvalue, mode = _structseq("kthvalue", _VALUES), _structseq("mode", _VALUES)
max, min = _structseq("max", _VALUES), _structseq("min", _VALUES)
median, nanmedian = _structseq("median", _VALUES), _structseq("nanmedian", _VALUES)
sort, topk = _structseq("sort", _VALUES), _structseq("topk", _VALUES)
aminmax = _structseq("aminmax", "min max")
frexp = _structseq("frexp", "mantissa exponent")
histogram = _structseq("histogram", "hist bin_edges")
histogramdd = _structseq("histogramdd", "hist bin_edges")
_lu_with_info = _structseq("_lu_with_info", "LU pivots info")
lu_unpack = _structseq("lu_unpack", "P L U")
qr = _structseq("qr", "Q R")
linalg_qr = _structseq("linalg_qr", "Q R")
svd = _structseq("svd", "U S V")
slogdet = _structseq("slogdet", "sign logabsdet")
triangular_solve = _structseq("triangular_solve", "solution cloned_coefficient")
geqrf = _structseq("geqrf", "a tau")
linalg_cholesky_ex = _structseq("linalg_cholesky_ex", "L info")
linalg_eig = _structseq("linalg_eig", "eigenvalues eigenvectors")
linalg_eigh = _structseq("linalg_eigh", "eigenvalues eigenvectors")
linalg_inv_ex = _structseq("linalg_inv_ex", "inverse info")
linalg_lstsq = _structseq("linalg_lstsq", "solution residuals rank singular_values")
linalg_lu = _structseq("linalg_lu", "P L U")
linalg_lu_factor = _structseq("linalg_lu_factor", "LU pivots")
linalg_lu_factor_ex = _structseq("linalg_lu_factor_ex", "LU pivots info")
linalg_slogdet = _structseq("linalg_slogdet", "sign logabsdet")
linalg_solve_ex = _structseq("linalg_solve_ex", "result info")
linalg_svd = _structseq("linalg_svd", "U S Vh")

NAMED = {
    name: value
    for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, StructSequence) and value is not StructSequence
}
"""All of them by name, with those that the same operators return with ``out=``."""
NAMED |= {
    f"{name}_out": _structseq(f"{name}_out", " ".join(each.__match_args__)) for name, each in NAMED.items()
}
globals().update(NAMED)
