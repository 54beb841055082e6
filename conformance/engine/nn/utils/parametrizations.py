"""torch.nn.utils.parametrizations: orthogonal, weight_norm and spectral_norm."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from ..._aten.creation.factories import eye, zeros_like
from ..._aten.linalg.householder import geqrf
from ..._aten.nn.weight_norm import norm_except_dim
from ..._aten.nn.weight_norm import weight_norm as normalized
from ..._aten.random.random import randn
from ..._aten.shape.cat_stack import cat
from ..._autograd.tensor import Tensor
from ..._c10.dtypes import finfo
from ..._c10.modes import no_grad
from ..._nn.distance import normalize
from ...linalg import householder_product, matrix_exp, qr, solve
from ..modules.module import Module
from . import parametrize
from .spectral_norm import check_iterations, dim_of_outputs

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


# Orthogonal ---------------------------------------------------------------------------------------


class _OrthMaps(Enum):
    __module__ = "torch.nn.utils.parametrizations"
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(matrix: Tensor) -> bool:
    n, k = matrix.size(-2), matrix.size(-1)
    close: bool = (matrix.mH @ matrix).allclose(
        eye(k, dtype=matrix.dtype), atol=10.0 * n * finfo(matrix.dtype).eps
    )
    return close


def _make_orthogonal(matrix: Tensor) -> Tensor:
    """The Q of the QR decomposition whose R has a positive diagonal."""
    q, r = qr(matrix)
    found: Tensor = q.mul_(r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2))
    return found


def _householder_reflectors(matrix: Tensor) -> Tensor:
    """The Householder reflectors of an orthogonal matrix, with the signs of its columns on the diagonal."""
    factors, tau = geqrf(matrix)
    signs = factors.diagonal(dim1=-2, dim2=-1)
    signs.sign_()
    signs[tau == 0.0] *= -1
    found: Tensor = factors
    return found


class _Orthogonal(Module):
    __module__ = "torch.nn.utils.parametrizations"
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        n, k = X.size(-2), X.size(-1)
        transposed = n < k
        if transposed:
            X = X.mT
        found = (
            self._householder_product(X)
            if self.orthogonal_map is _OrthMaps.householder
            else self._from_skew_symmetric(X)
        )
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if transposed else found

    def _from_skew_symmetric(self, X: Tensor) -> Tensor:
        """The orthogonal matrix of a skew-symmetric one, by matrix_exp or the Cayley map."""
        n, k = X.size(-2), X.size(-1)
        X = X.tril()
        if n != k:
            X = cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        skew = X - X.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            found = matrix_exp(skew)
        else:
            unit = eye(n, dtype=skew.dtype)
            found = solve(unit.add(skew, alpha=-0.5), unit.add(skew, alpha=0.5))
        return found if n == k else found[..., :k]

    def _householder_product(self, X: Tensor) -> Tensor:
        """A product of Householder reflectors; the diagonal has the signs of its columns and is not differentiated."""
        vectors = X.tril(-1)
        tau = 2.0 / (1.0 + (vectors * vectors).sum(dim=-2))
        signs = X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        return householder_product(vectors, tau) * signs

    @no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        """The parameters of the orthogonal matrix closest to a given one.

        Raises:
            ValueError: the shape is wrong.
        """
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given = Q
        n, k = Q.size(-2), Q.size(-1)
        transposed = n < k
        if transposed:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, "base"):
            if self.orthogonal_map is _OrthMaps.householder:
                return _householder_reflectors(Q).mT if transposed else _householder_reflectors(Q)
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        if n != k:
            Q = _make_orthogonal(cat([Q, randn(*Q.size()[:-2], n, n - k, dtype=Q.dtype)], dim=-1))
        else:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        self.base = Q
        found = zeros_like(given)
        found.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return found


def _weight_of(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Parametrize a weight to have orthonormal columns, or rows if there are more columns.

    Raises:
        ValueError: there is no such weight or map, or the weight is not a matrix.
    """
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    own = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, own, unsafe=True)
    return module


# weight_norm and spectral_norm --------------------------------------------------------------------


class _WeightNorm(Module):
    __module__ = "torch.nn.utils.parametrizations"

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normalized(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The norm (``original0``) and direction (``original1``) of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Parametrize a weight by norm and direction; state_dicts of torch.nn.utils.weight_norm can be loaded."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(each in state_dict for each in old):
            for number, each in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(each)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    __module__ = "torch.nn.utils.parametrizations"
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            height, width = matrix.size()
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(each for each in range(weight.dim()) if each != self.dim))
        return weight.flatten(1)

    @no_grad()
    def _power_method(self, matrix: Tensor, count: int) -> None:
        for _ in range(count):
            self._u = normalize(matrix.mv(self._v), dim=0, eps=self.eps, out=self._u)
            self._v = normalize(matrix.H.mv(self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the power iteration writes to them
        found: Tensor = weight / u.vdot(matrix.mv(v))
        return found

    def right_inverse(self, value: Tensor) -> Tensor:
        """The weight itself, which may have any norm."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Parametrize a weight so that its largest singular value is about 1.

    Raises:
        ValueError: there is no such weight, or ``n_power_iterations`` is not positive.
        IndexError: there is no such dimension.
    """
    weight = _weight_of(module, name)
    own = _SpectralNorm(weight, n_power_iterations, dim_of_outputs(module, dim), eps)
    parametrize.register_parametrization(module, name, own)
    return module
