"""torch.lobpcg: a few eigenpairs of a large symmetric matrix, by products with it (torch: _lobpcg.py; Knyazev, 2001).

Note [Eigenvectors from few]: an iteration has three blocks of columns in S: X, the current eigenvector estimates; P,
the directions of their last change; W, the residuals. The Rayleigh-Ritz procedure in the span of S yields the next X.
The method "ortho" orthonormalizes S (Stathopoulos and Wu, 2002); "basic" uses a Cholesky factor instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..._autograd.custom_function import Function
from ..._autograd.tensor import Tensor
from ..._c10.dtypes import complex64, complex128, float16, float32, float64
from ..creation.factories import empty, eye, zeros
from ..random.random import randn
from .decompositions import cholesky, eigh, qr
from .eigh_gradients import eigenpairs_backward
from .solve import solve_triangular

Pairs = tuple[Tensor, Tensor]
_EPSILON = {float32: 1.2e-07, float64: 2.23e-16}


def _applied(matrix: Tensor | None, columns: Tensor) -> Tensor:
    """The product with a matrix; None is the identity."""
    return columns if matrix is None else matrix.matmul(columns)


def _form(matrix: Tensor | None, columns: Tensor) -> Tensor:
    """The quadratic form of the columns."""
    return columns.mT.matmul(_applied(matrix, columns))


def _eigenpairs(matrix: Tensor, largest: bool) -> Pairs:
    values, vectors = eigh(matrix, UPLO="U")
    return (values.flip(-1), vectors.flip(-1)) if largest else (values, vectors)


@dataclass(eq=False)
class LOBPCG:
    """The state of an iteration, which a tracker can read: the parameters, and the results after a step."""

    A: Tensor
    B: Tensor | None
    X: Tensor
    iK: Tensor | None  # noqa: N815 - torch's own name
    iparams: dict[str, int]
    fparams: dict[str, float]
    bparams: dict[str, bool]
    method: str
    tracker: Callable[[LOBPCG], Any] | None
    tvars: dict[str, Tensor] = field(default_factory=dict)
    ivars: dict[str, int] = field(default_factory=lambda: {"istep": 0})
    fvars: dict[str, float] = field(default_factory=lambda: {"_": 0.0})
    bvars: dict[str, bool] = field(default_factory=lambda: {"_": False})

    def __post_init__(self) -> None:
        m, n = self.iparams["m"], self.iparams["n"]
        self.E = zeros((n,), dtype=self.X.dtype)
        self.R = zeros((m, n), dtype=self.X.dtype)
        self.S = zeros((m, 3 * n), dtype=self.X.dtype)


def _run(on: LOBPCG) -> None:
    """Iterate until k pairs have converged, ``niter`` is reached, or the tracker stops it."""
    while True:
        _step(on)
        if on.tracker is not None:
            on.tracker(on)
        done = on.ivars["iterations_left"] == 0 or on.ivars["converged_count"] >= on.iparams["k"]
        if on.bvars.get("force_stop", False) or done:
            return


def _step(on: LOBPCG) -> None:
    if on.ivars["istep"] == 0:
        _measure(on)
    n, ortho = on.iparams["n"], on.method == "ortho"
    moved = (_first if on.ivars["istep"] == 0 else _next)(on, ortho)
    on.R = _applied(on.A, on.X) - _applied(on.B, on.X) * on.E
    converged = _count_converged(on)
    on.S[:, :n] = on.X
    known = n
    if moved is not None:
        known += moved._array.shape[-1]
        on.S[:, n:known] = moved
    left = on.R if on.ivars["istep"] == 0 else on.R[:, converged:]
    new = _orthogonal(on, left, on.S[:, :known]) if ortho else _applied(on.iK, left)
    on.ivars["converged_end"] = known + new._array.shape[-1]
    on.S[:, known : on.ivars["converged_end"]] = new
    on.ivars["iterations_left"] -= 1
    on.ivars["istep"] += 1


def _measure(on: LOBPCG) -> None:
    """The norms by which residuals are judged."""
    scale = float(on.X.norm())
    on.fvars["X_norm"] = scale
    on.fvars["A_norm"] = float(_applied(on.A, on.X).norm()) * scale**-1
    on.fvars["B_norm"] = float(_applied(on.B, on.X).norm()) * scale**-1
    on.ivars.update(iterations_left=on.iparams["niter"], converged_count=0, converged_end=0)


def _first(on: LOBPCG, ortho: bool) -> None:
    """The Rayleigh-Ritz estimates in the span of the initial columns; "ortho" saves no eigenvalues, as in torch."""
    turned = _normalizing(on.B, on.X)
    values, vectors = _eigenpairs(_form(_form(on.A, on.X), turned), on.bparams["largest"])
    result = on.X.matmul(turned.matmul(vectors))
    if ortho:
        on.X = result
        return
    on.X[:] = result
    on.E[:] = values


def _next(on: LOBPCG, ortho: bool) -> Tensor:
    """The Rayleigh-Ritz estimates in the span of S without converged columns, and the direction of the change."""
    done, n, largest = on.ivars["converged_count"], on.iparams["n"], on.bparams["largest"]
    S = on.S[:, done : on.ivars["converged_end"]]
    form = _form(on.A, S)
    if ortho:
        values, vectors = _eigenpairs(form, largest)
        best = vectors[:, : n - done]
        rest = vectors[:, n - done :]
        direction = rest.matmul(qr(vectors[: n - done, n - done :].mT)[0])
    else:
        turned = _normalizing(on.B, S)
        values, vectors = _eigenpairs(_form(form, turned), largest)
        best = turned.matmul(vectors[:, : n - done])
        direction = turned.matmul(vectors[:, n : 2 * n - done])
    on.X[:, done:] = S.matmul(best)
    on.E[done:] = values[: n - done]
    return S.matmul(direction)


def _count_converged(on: LOBPCG) -> int:
    """How many leading pairs have converged, by their residuals (Duersch et al., 2018).

    Raises:
        AssertionError: there are fewer than before.
    """
    before = on.ivars["converged_count"]
    scale = on.fvars["A_norm"] + on.E[: on.X._array.shape[-1]].abs() * on.fvars["B_norm"]
    errors = on.R.norm(2, (0,)) / (on.X.norm(2, (0,)) * scale)
    small = (errors < on.fparams["tol"]).tolist()
    count = (*small, False).index(False)
    if count < before:
        raise AssertionError(
            f"the number of converged eigenpairs (was {before}, got {count}) cannot decrease"
        )
    on.ivars["converged_count"] = count
    on.tvars["rerr"] = errors
    return count


def _normalizing(B: Tensor | None, S: Tensor) -> Tensor:
    """The triangular matrix that makes the columns of S orthonormal."""
    form = _form(B, S)
    row = form.diagonal(0, -2, -1) ** -0.5
    factor = cholesky((form * row) * row.reshape((row._array.shape[0], 1)), upper=True)
    return solve_triangular(factor, row.diag_embed(), upper=True, left=False)


def _orthonormal(on: LOBPCG, U: Tensor, drop: bool, tau: float) -> Tensor:
    """Orthonormal columns with the span of U, by eigenvectors of its Gram matrix; ``drop`` removes near-zero ones."""
    if not U._array.size:
        return U
    form = _form(on.B, U)
    lengths = form.diagonal(0, -2, -1)
    there = lengths.nonzero(as_tuple=True)[0]
    if len(there) < len(lengths):
        U = U[:, there]
        if not U._array.size:
            return U
        form = _form(on.B, U)
        lengths = form.diagonal(0, -2, -1)
    scale = (lengths**-0.5).reshape((len(lengths), 1))
    values, vectors = _eigenpairs((form * scale) * scale.mT, False)
    least = tau * values.abs().max()
    if drop:
        kept = (values > least).nonzero(as_tuple=True)[0]
        values, vectors, scale = values[kept], vectors[:, kept], scale[kept]
    else:
        values[(values < least).nonzero(as_tuple=True)[0]] = least
    return (U * scale.mT).matmul(vectors * values**-0.5)


def _orthogonal(on: LOBPCG, U: Tensor, V: Tensor) -> Tensor:
    """Orthonormal columns for U that are also orthogonal to V; empty if U is in the span of V.

    Raises:
        ValueError: there are more columns than dimensions.
    """
    for name in [name for name in on.fvars if name.startswith("ortho_") and name.endswith("_rerr")]:
        del on.fvars[name]
    on.ivars.pop("ortho_i", None)
    on.ivars.pop("ortho_j", None)
    dropping = on.bparams["ortho_use_drop"]
    norm = _applied(on.B, V).norm()
    met = V.mT.matmul(_applied(on.B, U))
    i = j = 0
    for i in range(on.iparams["ortho_i_max"]):
        U = U - V.matmul(met)
        for j in range(on.iparams["ortho_j_max"]):
            again = not dropping or j > 0
            tau = on.fparams["ortho_tol_replace" if again else "ortho_tol_drop"]
            U = _orthonormal(on, U, dropping and again, tau)
            if not U._array.size:
                on.ivars.update(ortho_i=i, ortho_j=j)
                return U
            of_u = _applied(on.B, U)
            form = U.mT.matmul(of_u)
            off = form - eye(form._array.shape[-1], dtype=form.dtype)
            error = float(off.norm()) * float(of_u.norm() * U.norm()) ** -1
            on.fvars[f"ortho_UBUmI_rerr[{i}, {j}]"] = error
            if error < on.fparams["ortho_tol"]:
                break
        met = V.mT.matmul(of_u)
        error = float(met.norm()) * float(norm * U.norm()) ** -1
        on.fvars[f"ortho_VBU_rerr[{i}]"] = error
        if error < on.fparams["ortho_tol"]:
            break
        if on.iparams["m"] < U._array.shape[-1] + V._array.shape[-1]:
            if on.B is None:
                raise AssertionError("B must not be None")
            raise ValueError(
                f"Overdetermined shape of U: #B-cols(={on.B._array.shape[-1]}) >= "
                f"#U-cols(={U._array.shape[-1]}) + #V-cols(={V._array.shape[-1]}) must hold"
            )
    on.ivars.update(ortho_i=i, ortho_j=j)
    return U


def _found(
    A: Tensor, k: Any, B: Any, X: Any, n: Any, iK: Any, niter: Any, tol: Any, largest: Any, method: Any, tracker: Any,
    ortho_iparams: Any, ortho_fparams: Any, ortho_bparams: Any,
) -> Pairs:  # fmt: skip
    shape = A._array.shape
    if shape[-2] != shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and shape != B._array.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    kind = A.dtype if A.dtype in (float16, float32, float64) else float32
    tol = _EPSILON[kind] ** 0.5 if tol is None else tol
    m = shape[-1]
    if X is not None:
        n = X._array.shape[-1]
        k = n if k is None else k
    else:
        k = 1 if k is None else k
        n = k if n is None else n
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    method = "ortho" if method is None else method
    iparams = {"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter}
    fparams = {"tol": tol}
    bparams = {"largest": True if largest is None else largest}
    if method == "ortho":
        iparams |= {"ortho_i_max": 3, "ortho_j_max": 3} | (ortho_iparams or {})
        fparams |= ortho_fparams or {}
        fparams = dict.fromkeys(("ortho_tol", "ortho_tol_drop", "ortho_tol_replace"), tol) | fparams
        bparams |= {"ortho_use_drop": False} | (ortho_bparams or {})

    def of_one(A: Tensor, B: Tensor | None, X: Tensor | None) -> Pairs:
        X = randn((m, n), dtype=kind) if X is None else X
        if X._array.shape != (m, n):
            about = "X_" if batch else "X"
            raise AssertionError(f"{about} shape mismatch: got {X.shape}, expected {(m, n)}")
        on = LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker)
        _run(on)
        return on.E[:k], on.X[:, :k]

    batch = shape[:-2]
    if not batch:
        return of_one(A, B, X)
    count = math.prod(batch)
    several = [None if each is None else each.reshape((count, *each._array.shape[-2:])) for each in (A, B, X)]
    values, vectors = empty((count, k), dtype=kind), empty((count, m, k), dtype=kind)
    for i in range(count):
        iparams["batch_index"] = i
        values[i], vectors[i] = of_one(*(None if each is None else each[i] for each in several))
    return values.reshape((*batch, k)), vectors.reshape((*batch, m, k))


class LOBPCGAutogradFunction(Function):
    """The eigenpairs of a matrix that requires a gradient."""

    __module__ = "torch._lobpcg"

    @staticmethod
    def forward(ctx: Any, A: Tensor, k: Any, B: Tensor | None, *settings: Any) -> Any:
        A = A.contiguous()
        B = None if B is None else B.contiguous()
        D, U = _found(A, k, B, *settings)
        ctx.save_for_backward(A, B, D, U)
        ctx.largest = settings[5]
        return D, U

    @staticmethod
    def backward(ctx: Any, D_grad: Tensor, U_grad: Tensor) -> Any:
        A, B, D, U = ctx.saved_tensors
        for wrong, text in (
            (
                any(each is not None and each.dtype in (complex64, complex128) for each in (A, B)),
                "lobpcg.backward does not support complex input yet. Note that lobpcg.forward does though.",
            ),
            (B is not None, "lobpcg.backward does not support backward with B != I yet."),
        ):
            if wrong:
                raise ValueError(text)
        largest = True if ctx.largest is None else ctx.largest
        return eigenpairs_backward(D_grad, U_grad, A, D, U, largest), *(None,) * 13


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[LOBPCG], Any] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> Pairs:
    """torch.lobpcg: the ``k`` largest (or smallest) eigenvalues of A x = e B x, (*, k), and their vectors, (*, m, k).

    See Note [Eigenvectors from few]. Only A may have a gradient, and only where B is not given.

    Raises:
        AssertionError: shapes that do not fit.
        ValueError: fewer than three rows for each eigenpair.
    """
    settings = (X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if A.requires_grad or (B is not None and B.requires_grad):
        symmetric = None if B is None else (B + B.mT) / 2
        result: Pairs = LOBPCGAutogradFunction.apply((A + A.mT) / 2, k, symmetric, *settings)
        return result
    return _found(A, k, B, *settings)
