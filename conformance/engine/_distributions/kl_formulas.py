"""Kullback-Leibler divergences of two distributions of the same type (torch: distributions/kl.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.nn.exp_activations import softplus
from .._autograd.tensor import Tensor


def kl_normal_normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


def kl_bernoulli_bernoulli(p: Any, q: Any) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


def kl_categorical_categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


def kl_onehotcategorical_onehotcategorical(p: Any, q: Any) -> Tensor:
    return kl_categorical_categorical(p._categorical, q._categorical)


def kl_exponential_exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


def kl_poisson_poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


def kl_gamma_gamma(p: Any, q: Any) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    normalizers = q.concentration.lgamma() - p.concentration.lgamma()
    shapes = (p.concentration - q.concentration) * p.concentration.digamma()
    means = (q.rate - p.rate) * (p.concentration / p.rate)
    return rates + normalizers + shapes + means


def kl_beta_beta(p: Any, q: Any) -> Tensor:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    normalizer_q = q.concentration1.lgamma() + q.concentration0.lgamma() + total_p.lgamma()
    normalizer_p = p.concentration1.lgamma() + p.concentration0.lgamma() + total_q.lgamma()
    ones = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    zeros = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    totals = (total_q - total_p) * total_p.digamma()
    return normalizer_q - normalizer_p + ones + zeros + totals


def kl_dirichlet_dirichlet(p: Any, q: Any) -> Tensor:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = total_p.lgamma() - total_q.lgamma()
    each = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    apart = p.concentration - q.concentration
    slopes = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return totals - each + (apart * slopes).sum(-1)
