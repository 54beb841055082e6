"""What a program uses, found in its text, and the pairs of features that no program of a collection uses together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]

_WORD = re.compile(r"[A-Za-z_]\w*")


def _uses(*words: str) -> Callable[[str], bool]:
    """Whether a program has one of the words."""
    wanted = frozenset(words)
    return lambda text: not wanted.isdisjoint(_WORD.findall(text))


def _matches(pattern: str) -> Callable[[str], bool]:
    """Whether a program has a match of the pattern."""
    return lambda text: re.search(pattern, text) is not None


FEATURES: dict[str, Callable[[str], bool]] = {
    "custom Function": _uses("Function"),
    "view": _matches(
        r"\.(view|view_as|t|T|mT|unbind|split|chunk|expand|transpose|permute|unsqueeze|squeeze|select|narrow|diagonal"
        r"|as_strided|unfold)\b|\[\w*:\w*\]"
    ),
    "in place": _matches(r"\.(?!requires_grad_|retain)[a-z]\w*[a-z0-9]_\(|\][ ][-+*/]?=[ ]"),
    "several outputs": _matches(r"(?m)^\s*\w+, [\w*, ]+ = "),
    "detach": _uses("detach", "detach_"),
    "data": _matches(r"\.data\b"),
    "grad set": _matches(r"\.grad = "),
    "dtypes": _matches(r"float64|float16|bfloat16|\.(double|half)\(\)"),
    "complex": _matches(r"complex|\dj\b|\.(conj|imag|real)\b"),
    "sparse": _matches(r"sparse"),
    "no_grad": _matches(r"no_grad|set_grad_enabled"),
    "inference mode": _uses("inference_mode"),
    "anomaly mode": _uses("detect_anomaly", "set_detect_anomaly"),
    "autocast": _uses("autocast"),
    "tensor hook": _matches(r"(?<!grad_fn)\.register_hook\("),
    "node hook": _matches(r"grad_fn\.register_hook\(|register_prehook"),
    "accumulate hook": _uses("register_post_accumulate_grad_hook"),
    "multi-grad hook": _uses("register_multi_grad_hook"),
    "saved tensor hooks": _uses("saved_tensors_hooks", "save_on_cpu", "register_hooks"),
    "mutation allowed": _uses("allow_mutation_on_saved_tensors"),
    "retain_grad": _uses("retain_grad"),
    "create_graph": _uses("create_graph"),
    "batched gradients": _uses("is_grads_batched"),
    "gradient edge": _uses("get_gradient_edge"),
    "checkpoint": _uses("checkpoint"),
    "vmap": _uses("vmap"),
    "torch.func": _uses(
        "grad_and_value", "vjp", "jacrev", "hessian", "jacfwd", "functional_call", "linearize"
    ),
    "forward AD": _uses("make_dual", "jvp"),
    "lifetime": _uses("weakref"),
    "deepcopy": _uses("deepcopy"),
    "subclass": _matches(r"\((torch\.)?Tensor\):"),
    "module": _matches(r"\bnn\.(?!functional|utils|Parameter|init)[A-Z]"),
    "optimizer": _matches(r"\boptim\.[A-Z]"),
    "error inside": _matches(r"1 / 0|\braise "),
}
"""The features, in the order in which pairs name them: a feature -> whether a program uses it."""


def features(text: str) -> tuple[str, ...]:
    """The features of a program, in the order of the table."""
    return tuple(feature for feature, used in FEATURES.items() if used(text))


def pairs(texts: Iterable[str]) -> Counter[Pair]:
    """How many of the programs use each two features together."""
    return Counter(pair for text in texts for pair in combinations(features(text), 2))


def by_feature(chosen: Iterable[Pair]) -> dict[str, list[str]]:
    """The pairs as a table: a feature -> those that are paired with it."""
    table: dict[str, list[str]] = {}
    for first, second in chosen:
        table.setdefault(first, []).append(second)
    return table


def unmet(met: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs that are not among those of a collection."""
    known = frozenset(met)
    return tuple(pair for pair in combinations(FEATURES, 2) if pair not in known)
