"""Single operations of the in-house engine, as ratios to torch: forward, with their gradient, and in place.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.kernels [--rounds 20]

Both run in turn, as in engine.py; the least times of the thread are compared.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

from tests.benchmarks.engine import least
from tests.benchmarks.programs import Program

# Single operations on 512 x 512 numbers, forward and with their gradient ---------------------------


@functools.cache
def places(torch: Any, *shape: int) -> Any:
    """Indices below 128, each of them several times."""
    return (torch.arange(math.prod(shape)) * 37 % 128).view(*shape)


@functools.cache
def recurrent(torch: Any) -> Any:
    """A layer whose weights are small."""
    return torch.nn.LSTM(64, 64)


KERNELS: dict[str, Callable[[Any, Any], Any]] = {
    "x ** 3": lambda torch, x: x**3,
    "erf": lambda torch, x: x.erf(),
    "erfc": lambda torch, x: x.erfc(),
    "exp": lambda torch, x: x.exp(),
    "expm1": lambda torch, x: x.expm1(),
    "tanh": lambda torch, x: x.tanh(),
    "sigmoid": lambda torch, x: x.sigmoid(),
    "relu": lambda torch, x: x.relu(),
    "leaky_relu": lambda torch, x: torch.nn.functional.leaky_relu(x),
    "elu": lambda torch, x: torch.nn.functional.elu(x),
    "gelu": lambda torch, x: torch.nn.functional.gelu(x),
    "softplus": lambda torch, x: torch.nn.functional.softplus(x),
    "softmax": lambda torch, x: x.softmax(1),
    "log_softmax": lambda torch, x: x.log_softmax(1),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, (512,)),
    "batch_norm": lambda torch, x: torch.nn.functional.batch_norm(x, None, None, training=True),
    "sum": lambda torch, x: x.sum(),
    "sum(0)": lambda torch, x: x.sum(0),
    "sum(1)": lambda torch, x: x.sum(1),
    "var(1)": lambda torch, x: x.var(1),
    "prod(1)": lambda torch, x: x.prod(1),
    "max(1)": lambda torch, x: x.max(1).values,
    "cumsum(1)": lambda torch, x: x.cumsum(1),
    "sort(1)": lambda torch, x: x.sort(1).values,
    "topk(5)": lambda torch, x: x.topk(5).values,
    "median()": lambda torch, x: x.median(),
    "mode(1)": lambda torch, x: x.mode(1).values,
    "gather(1)": lambda torch, x: x.gather(1, places(torch, 512, 512)),
    "scatter(1)": lambda torch, x: x.scatter(1, places(torch, 512, 512), x),
    "scatter_reduce(1) amax": lambda torch, x: x.scatter_reduce(1, places(torch, 512, 512), x, "amax"),
    "index_add(0)": lambda torch, x: x.index_add(0, places(torch, 512), x),
    "embedding": lambda torch, x: torch.nn.functional.embedding(places(torch, 512), x),
    "t().contiguous()": lambda torch, x: x.t().contiguous(),
    "3x3 convolution, 8 to 8": lambda torch, x: torch.nn.functional.conv2d(
        x.view(8, 8, 64, 64), torch.ones(8, 8, 3, 3), padding=1
    ),
    "max_pool2d(2)": lambda torch, x: torch.nn.functional.max_pool2d(x.view(8, 8, 64, 64), 2),
    "avg_pool2d(2)": lambda torch, x: torch.nn.functional.avg_pool2d(x.view(8, 8, 64, 64), 2),
    "bilinear, twice as large": lambda torch, x: torch.nn.functional.interpolate(
        x.view(8, 8, 64, 64), scale_factor=2, mode="bilinear"
    ),
    "group_norm(4)": lambda torch, x: torch.nn.functional.group_norm(x.view(8, 8, 64, 64), 4),
    "LSTM of 64 steps, 64 to 64": lambda torch, x: recurrent(torch)(x.view(64, 64, 64))[0],
}

LARGE: dict[str, Callable[[Any, Any], Any]] = {"sum of 2048 x 2048": lambda torch, x: x.sum()}


def kernel(torch: Any, operation: Callable[[Any, Any], Any], values: Any) -> tuple[Program, Program]:
    """An operation by itself, and with a pass back through it."""
    x = torch.tensor(values)
    leaf = torch.tensor(values, requires_grad=True)

    def passes() -> None:
        operation(torch, leaf).sum().backward()
        leaf.grad = None

    return lambda: operation(torch, x), passes


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "x += y": lambda x, y: x.add_(y),
    "x.add_(y, alpha=0.5)": lambda x, y: x.add_(y, alpha=0.5),
    "x -= 0.5 * y": lambda x, y: x.sub_(0.5 * y),
    "x *= 1.0": lambda x, y: x.mul_(1.0),
    "x.copy_(y)": lambda x, y: x.copy_(y),
    "x.zero_()": lambda x, y: x.zero_(),
    "x.clamp_(0, 1)": lambda x, y: x.clamp_(0, 1),
    "x.addcmul_(y, y)": lambda x, y: x.addcmul_(y, y),
}
"""What changes a tensor in place, where nothing is recorded."""


def written(torch: Any, operation: Callable[[Any, Any], Any], size: int) -> Program:
    x, y = torch.ones(size, size), torch.zeros(size, size)

    def program() -> None:
        for _ in range(10):
            operation(x, y)

    return program


# Measuring ----------------------------------------------------------------------------------------


def print_kernels(rounds: int) -> None:
    """The engine's time for single operations in ratio to torch's."""
    torch: Any = importlib.import_module("torch")
    inhouse = importlib.import_module("conformance.engine")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"{'ratio to torch (least of ' + str(rounds) + ')':30}{'forward':>12}{'with gradient':>16}")
    for size, operations in ((512, KERNELS), (2048, LARGE)):
        values = torch.randn(size, size).numpy()
        for name, operation in operations.items():
            pairs = zip(kernel(inhouse, operation, values), kernel(torch, operation, values), strict=True)
            found = [least({"inhouse": ours, "torch": theirs}, rounds) for ours, theirs in pairs]
            cells = [f"{each['inhouse'] / each['torch']:14.2f}" for each in found]
            print(f"{name:30}" + "".join(cells), flush=True)
    print(f"{'in place':30}{'(16, 16)':>14}{'(512, 512)':>14}")
    for name, change in IN_PLACE.items():
        both = (
            {"inhouse": written(inhouse, change, size), "torch": written(torch, change, size)}
            for size in (16, 512)
        )
        found = [least(each, rounds) for each in both]
        print(
            f"{name:30}" + "".join(f"{each['inhouse'] / each['torch']:14.2f}" for each in found), flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=20)
    print_kernels(parser.parse_args().rounds)


if __name__ == "__main__":
    main()
