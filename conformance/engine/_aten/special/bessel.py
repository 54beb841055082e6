"""Bessel functions and airy_ai, as torch computes them (torch: native/Math.h).

Note [Bessel functions without the 1]: torch's functions are copies of Cephes, like SciPy's, with one bug: the
denominators of the rational functions lack their leading coefficient 1, which Cephes leaves implicit. So torch's
results are wrong from the seventh digit on, and this engine reproduces them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._c10.dtypes import is_half
from ..._c10.errors import unimplemented
from ..kernels import float_function, growing, scipy
from ..registry import Array

# Numerators and denominators for x up to 5, for the orders 0 and 1: of J, and of Y without its logarithmic term.
_NEAR_J = (
    (
        (-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0),
        (
            499.563147152651,
            173785.4016763747,
            48440965.83399621,
            11185553704.535683,
            2112775201154.892,
            310518229857422.56,
            3.1812195594320496e16,
            1.7108629408104315e18,
        ),
    ),
    (
        (-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0),
        (
            620.8364781180543,
            256987.25675774884,
            83514679.14319493,
            22151159547.97925,
            4749141220799.914,
            784369607876235.9,
            8.952223361846274e16,
            5.322786203326801e18,
        ),
    ),
)
_NEAR_Y = (
    (
        (
            15592.436785523574,
            -14663929.59039716,
            5435264770.518765,
            -982136065717.9115,
            87590639439536.7,
            -3466283033847297.0,
            4.4273326857256984e16,
            -1.8495080043698668e16,
        ),
        (
            1041.2835366425984,
            626107.330137135,
            268919633.39381415,
            86400248710.3935,
            20297961275010.555,
            3171577528429750.5,
            2.5059625617265306e17,
        ),
    ),
    (
        (
            1263204747.9017804,
            -647355876379.1603,
            114509511541823.73,
            -8127702555013251.0,
            2.024394757135949e17,
            -7.788771962659501e17,
        ),
        (
            594.3015923461282,
            235564.09294306856,
            73481194.44597217,
            18760131610.870617,
            3882312774962.3857,
            620557727146953.8,
            6.871410873553005e16,
            3.9727060811656064e18,
        ),
    ),
)
_ZEROS = (
    (5.78318596294678452118, 30.4712623436620863991),
    (14.6819706421238932572, 49.2184563216946036703),
)  # squares of the zeros of J, for the orders 0 and 1
# Numerators and denominators of the asymptotic series, for the orders 0 and 1: coefficients, highest power first.
_FAR = (
    (
        (
            0.0007969367292973471,
            0.08283523921074408,
            1.239533716464143,
            5.447250030587687,
            8.74716500199817,
            5.303240382353949,
            1.0,
        ),
        (
            0.0009244088105588637,
            0.08562884743544745,
            1.2535274390105895,
            5.470977403304171,
            8.761908832370695,
            5.306052882353947,
            1.0,
        ),
        (
            -0.011366383889846916,
            -1.2825271867050931,
            -19.553954425773597,
            -93.20601521237683,
            -177.68116798048806,
            -147.07750515495118,
            -51.41053267665993,
            -6.050143506007285,
        ),
        (
            64.3178256118178,
            856.4300259769806,
            3882.4018360540163,
            7240.467741956525,
            5930.727011873169,
            2062.0933166032783,
            242.0057402402914,
        ),
    ),
    (
        (
            0.0007621256162081731,
            0.07313970569409176,
            1.1271960812968493,
            5.112079511468076,
            8.424045901417724,
            5.214515986823615,
            1.0,
        ),
        (
            0.0005713231280725487,
            0.06884559087544954,
            1.105142326340617,
            5.073863861286015,
            8.399855543276042,
            5.209828486823619,
            1.0,
        ),
        (
            0.05108625947501766,
            4.982138729512334,
            75.82382841325453,
            366.7796093601508,
            710.8563049989261,
            597.4896124006136,
            211.68875710057213,
            25.207020585802372,
        ),
        (
            74.23732770356752,
            1056.4488603826283,
            4986.410583376536,
            9562.318924047562,
            7997.041604473507,
            2826.1927851763908,
            336.0936078106983,
        ),
    ),
)
_AIRY = (
    (
        -0.1316963234183318,
        -0.6264565444319123,
        -0.6931580360369335,
        -0.2797799815451191,
        -0.04919001326095003,
        -0.004062659235948854,
        -0.0001592764962392621,
        -2.776491081552329e-06,
        -1.6778769848911465e-08,
    ),
    (
        13.356042070655324,
        32.682503279522464,
        26.736704094149957,
        9.187074029072596,
        1.4752914677166642,
        0.11568717379518804,
        0.004402916416152112,
        7.547203482874142e-05,
        4.5185009297058035e-07,
    ),
    (
        0.01973399320916857,
        0.39110302961568827,
        1.0657989759959559,
        0.9391692298166502,
        0.35146565610554764,
        0.06338889196289255,
        0.005858041130483885,
        0.000282851600836737,
        6.98793669997261e-06,
        8.117892395543892e-08,
        3.415517847659236e-10,
    ),
    (
        9.30892908077442,
        19.835292871831214,
        15.564662893286462,
        5.476860694229755,
        0.9542936116189619,
        0.08645808263523921,
        0.004126565238242226,
        0.00010125908511650914,
        1.1716673321441352e-06,
        4.9183457006293e-09,
    ),
)

# The functions ------------------------------------------------------------------------------------


def _far(x: Array, order: int, second: bool) -> Array:
    """J or Y for x > 5, see Note [Bessel functions without the 1]."""
    square = (5 / x) ** 2
    pp, pq, qp, qq = (np.polyval(np.asarray(each, x.dtype), square) for each in _FAR[order])
    angle = x - x.dtype.type((0.25 + order / 2) * np.pi)
    sine, cosine = np.sin(angle), np.cos(angle)
    first, other, sign = (sine, cosine, 1) if second else (cosine, sine, -1)
    result: Array = (pp / pq * first + sign * 5 / x * (qp / qq) * other) * x.dtype.type(np.sqrt(2 / np.pi))
    return result / np.sqrt(x)


def _near_j(x: Array, order: int) -> Array:
    """J for x <= 5."""
    square = x * x
    p, q = (np.polyval(np.asarray(each, x.dtype), square) for each in _NEAR_J[order])
    first, other = (square - x.dtype.type(zero) for zero in _ZEROS[order])
    return first * other * p / q * (x if order else 1)


def _near_y(x: Array, order: int) -> Array:
    """Y for x <= 5."""
    p, q = (np.polyval(np.asarray(each, x.dtype), x * x) for each in _NEAR_Y[order])
    logarithm = _near_j(x, order) * np.log(x) - (1 / x if order else 0)
    return p / q * (x if order else 1) + x.dtype.type(2 / np.pi) * logarithm


def _bessel(order: int, second: bool) -> Callable[[Array], Array]:
    def kernel(self: Array) -> Array:
        x = self if second else np.abs(self)
        near = _near_y(x, order) if second else _near_j(x, order)
        result = np.where(x > 5, _far(x, order, second), near)
        if second:
            return np.where(x == 0, self.dtype.type(-np.inf), result)
        return np.where(np.signbit(self), -result, result) if order else result

    return kernel


def _airy_ai(self: Array) -> Array:
    """Ai of x, see Note [Bessel functions without the 1]."""
    x = np.where(self < -2.09, self, -3).astype(self.dtype)
    root = np.sqrt(-x)
    phase = -2 * x * root / 3
    z = 1 / phase
    fn, fd, gn, gd = (np.polyval(np.asarray(each, x.dtype), z * z) for each in _AIRY)
    t = phase + x.dtype.type(np.pi / 4)
    wave = np.sin(t) * (1 + z * z * fn / fd) - np.cos(t) * (z * gn / gd)
    far = (np.pi**-0.5 / np.sqrt(root) * wave).astype(x.dtype)
    near = np.where(self > 103.892, self.dtype.type(0), scipy("airy")(np.minimum(self, 103))[0])
    return np.where(np.isinf(self), np.nan, np.where(self < -2.09, far, near))


def _spherical_bessel_j0(self: Array) -> Array:
    result = np.where(self == 0, self.dtype.type(1), np.sin(self) / self)
    return np.where(np.isinf(self), self.dtype.type(0), result)


_KERNELS: dict[str, Callable[[Array], Array]] = {
    "airy_ai": _airy_ai,
    "bessel_j0": _bessel(0, second=False),
    "bessel_j1": _bessel(1, second=False),
    "bessel_y0": _bessel(0, second=True),
    "bessel_y1": _bessel(1, second=True),
    "modified_bessel_i0": growing("i0"),
    "modified_bessel_i1": growing("i1"),
    "modified_bessel_k0": scipy("k0"),
    "modified_bessel_k1": scipy("k1"),
    "scaled_modified_bessel_k0": scipy("k0e"),
    "scaled_modified_bessel_k1": scipy("k1e"),
    "spherical_bessel_j0": _spherical_bessel_j0,
}

PUBLIC = ()


def _row(name: str, kernel: Callable[[Array], Array]) -> Callable[..., Any]:
    def single(self: Array) -> Array:
        if is_half(self.dtype):
            raise unimplemented(f"{name}_cpu", self.dtype)
        return kernel(self)

    rule = "fallback" if name == "airy_ai" else "front"
    text = "A function that torch gives no derivative."
    return float_function(None, f"special_{name}", single, text, no_complex=f"{name}_cpu", vmap=rule)


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _row(name, kernel) for name, kernel in _KERNELS.items()}
