"""torch.return_types: the named tuples of operations with several results."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NoReturn

from . import pickling


class _Named(tuple[Any, ...]):
    """A tuple whose entries have names; built from one sequence and printed as torch prints it."""

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


def _named(name: str, fields: str) -> Any:
    names = tuple(fields.split())
    body: dict[str, Any] = {each: property(itemgetter(i)) for i, each in enumerate(names)}
    body |= {"__slots__": (), "__module__": "torch.return_types", "__match_args__": names}
    body |= {"n_fields": len(names), "n_sequence_fields": len(names)}
    return type(name, (_Named,), body)


_VALUES = "values indices"
cummax, cummin = _named("cummax", _VALUES), _named("cummin", _VALUES)
kthvalue, mode = _named("kthvalue", _VALUES), _named("mode", _VALUES)
max, min = _named("max", _VALUES), _named("min", _VALUES)
median, nanmedian = _named("median", _VALUES), _named("nanmedian", _VALUES)
sort, topk = _named("sort", _VALUES), _named("topk", _VALUES)
aminmax = _named("aminmax", "min max")
frexp = _named("frexp", "mantissa exponent")
histogram = _named("histogram", "hist bin_edges")
histogramdd = _named("histogramdd", "hist bin_edges")
_lu_with_info = _named("_lu_with_info", "LU pivots info")
lu_unpack = _named("lu_unpack", "P L U")
qr = _named("qr", "Q R")
linalg_qr = _named("linalg_qr", "Q R")
svd = _named("svd", "U S V")
slogdet = _named("slogdet", "sign logabsdet")
triangular_solve = _named("triangular_solve", "solution cloned_coefficient")
geqrf = _named("geqrf", "a tau")
linalg_cholesky_ex = _named("linalg_cholesky_ex", "L info")
linalg_eig = _named("linalg_eig", "eigenvalues eigenvectors")
linalg_eigh = _named("linalg_eigh", "eigenvalues eigenvectors")
linalg_inv_ex = _named("linalg_inv_ex", "inverse info")
linalg_ldl_factor = _named("linalg_ldl_factor", "LD pivots")
linalg_ldl_factor_ex = _named("linalg_ldl_factor_ex", "LD pivots info")
linalg_lstsq = _named("linalg_lstsq", "solution residuals rank singular_values")
linalg_lu = _named("linalg_lu", "P L U")
linalg_lu_factor = _named("linalg_lu_factor", "LU pivots")
linalg_lu_factor_ex = _named("linalg_lu_factor_ex", "LU pivots info")
linalg_slogdet = _named("linalg_slogdet", "sign logabsdet")
linalg_solve_ex = _named("linalg_solve_ex", "result info")
linalg_svd = _named("linalg_svd", "U S Vh")

NAMED = {
    name: value
    for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, _Named) and value is not _Named
}
"""All of them by name, with those that the same operators return with ``out=``."""
NAMED |= {f"{name}_out": _named(f"{name}_out", " ".join(each.__match_args__)) for name, each in NAMED.items()}
globals().update(NAMED)
