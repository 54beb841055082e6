"""The in-house engine beside torch and other engines: the same programs, interleaved, as ratios to torch.

    OMP_NUM_THREADS=1 python tests/benchmarks/engine.py [--rounds 30] [--only WORDS | --kernels]

Each round runs a program once on every engine; the table shows the ratio of the least times of the thread (below 1:
faster than torch), which other work on the machine disturbs less than others. Engines that are not installed are left
out. Nothing here is a test: these numbers belong to a machine.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

Program = Callable[[], Any]


# What a program computes, in terms that every engine has ------------------------------------------


def chained(y: Any, factor: Any, summand: Any, length: int = 500) -> Any:
    for _ in range(length):
        y = y * factor
        y = y + summand
    return y


def used_often(x: Any) -> Any:
    y = x
    for _ in range(1000):
        y = y + x
    return y


# Programs for torch and for what stands in for it -------------------------------------------------


def chain_by_numbers(torch: Any, shape: tuple[int, ...]) -> Program:
    x = torch.ones(*shape, requires_grad=True)

    def program() -> None:
        chained(x, 1.0001, 0.5).sum().backward()

    return program


def chain_by_tensors(torch: Any, shape: tuple[int, ...]) -> Program:
    x, c = torch.ones(*shape, requires_grad=True), torch.ones(*shape)

    def program() -> None:
        chained(x, c, c).sum().backward()

    return program


def uses_of_one_leaf(torch: Any) -> Program:
    x = torch.ones(64, requires_grad=True)

    def program() -> None:
        used_often(x).sum().backward()

    return program


def mlp_step(torch: Any) -> Program:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, target = torch.rand(64, 784), torch.randint(0, 10, (64,))

    def program() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return program


def four_products(torch: Any) -> Program:
    torch.manual_seed(0)
    weights = [torch.rand(512, 512, requires_grad=True) for _ in range(4)]
    x = torch.rand(512, 512)

    def program() -> None:
        y = x
        for weight in weights:
            y = y @ weight
        y.sum().backward()

    return program


def grad_of_grad(torch: Any) -> Program:
    x = torch.full((100,), 1.01, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(50):
            y = y * x
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        torch.autograd.grad(first.sum(), x)

    return program


def long_chain(torch: Any, length: int = 1_000_000) -> Program:
    x = torch.ones(1, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(length):
            y = y * 1.0
        y.backward()

    return program


PROGRAMS: dict[str, Callable[[Any], Program]] = {
    "chain of 1000 by numbers (1,)": lambda torch: chain_by_numbers(torch, (1,)),
    "chain of 1000 by numbers (64, 64)": lambda torch: chain_by_numbers(torch, (64, 64)),
    "chain of 1000 by tensors (1,)": lambda torch: chain_by_tensors(torch, (1,)),
    "chain of 1000 by tensors (64, 64)": lambda torch: chain_by_tensors(torch, (64, 64)),
    "1000 uses of one leaf (64,)": uses_of_one_leaf,
    "MLP step 64x784-256-10, SGD": mlp_step,
    "four 512x512 products": four_products,
    "grad of grad, product of 50, (100,)": grad_of_grad,
    "chain of 1,000,000": long_chain,
}


# Single operations on 512 x 512 numbers, forward and with their gradient ---------------------------

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
    "t().contiguous()": lambda torch, x: x.t().contiguous(),
    "3x3 convolution, 8 to 8": lambda torch, x: torch.nn.functional.conv2d(
        x.view(8, 8, 64, 64), torch.ones(8, 8, 3, 3), padding=1
    ),
}


def kernel(torch: Any, operation: Callable[[Any, Any], Any], values: Any) -> tuple[Program, Program]:
    """An operation by itself, and with a pass back through it."""
    x = torch.tensor(values)
    leaf = torch.tensor(values, requires_grad=True)

    def passes() -> None:
        operation(torch, leaf).sum().backward()
        leaf.grad = None

    return lambda: operation(torch, x), passes


# Peers, in their own words ------------------------------------------------------------------------


def hips_programs() -> dict[str, Program]:
    """HIPS autograd: a gradient is a function of a function."""
    import autograd.numpy as anp
    from autograd import grad

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        x, c = anp.ones(shape, anp.float32), anp.ones(shape, anp.float32)
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: grad(lambda y: anp.sum(chained(y, factor, summand)))(x)

    def uses() -> Program:
        return lambda: grad(lambda x: anp.sum(used_often(x)))(anp.ones(64, anp.float32))

    def products() -> Program:
        weights = [anp.random.rand(512, 512).astype("float32") for _ in range(4)]
        x = anp.random.rand(512, 512).astype("float32")

        def loss(given: Any) -> Any:
            y = x
            for weight in given:
                y = y @ weight
            return anp.sum(y)

        return lambda: grad(loss)(weights)

    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": uses(),
        "four 512x512 products": products(),
    }


def mygrad_programs() -> dict[str, Program]:
    """MyGrad."""
    import mygrad as mg
    import numpy as np

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        c = mg.tensor(np.ones(shape, np.float32), constant=True)
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: chained(mg.tensor(np.ones(shape, np.float32)), factor, summand).sum().backward()

    def uses() -> None:
        used_often(mg.tensor(np.ones(64, np.float32))).sum().backward()

    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": uses,
    }


def micrograd_programs() -> dict[str, Program]:
    """micrograd: scalars only."""
    from micrograd.engine import Value

    def program() -> None:
        chained(Value(1.0), 1.0001, 0.5, 450).backward()  # which recurses: 500 would be too deep

    return {"chain of 1000 by numbers (1,)": program}


def paddle_programs() -> dict[str, Program]:
    """PaddlePaddle."""
    import paddle

    paddle.set_device("cpu")

    def leaf(shape: tuple[int, ...], value: float = 1.0) -> Any:
        return paddle.full(shape, value).detach().clone().detach()

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        x, c = leaf(shape), paddle.ones(shape)
        x.stop_gradient = False
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: chained(x, factor, summand).sum().backward()

    def uses() -> Program:
        x = leaf((64,))
        x.stop_gradient = False
        return lambda: used_often(x).sum().backward()

    def twice() -> Program:
        x = leaf((100,), 1.01)
        x.stop_gradient = False

        def program() -> None:
            y = x
            for _ in range(50):
                y = y * x
            (first,) = paddle.grad(y.sum(), x, create_graph=True)
            paddle.grad(first.sum(), x)

        return program

    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": uses(),
        "grad of grad, product of 50, (100,)": twice(),
    }


def tinygrad_programs() -> dict[str, Program]:
    """tinygrad, on its device that needs no compiler: interpreted in Python, unless DEV names another."""
    os.environ.setdefault("DEV", "PYTHON")
    from tinygrad import Tensor

    def ran(compute: Callable[[Any], Any], length: int) -> Program:
        def program() -> None:
            x = Tensor.ones(length).contiguous().realize()
            compute(x).sum().backward()
            x.grad.realize()

        return program

    c = Tensor.ones(1).contiguous().realize()
    return {
        "chain of 1000 by numbers (1,)": ran(lambda x: chained(x, 1.0001, 0.5), 1),
        "chain of 1000 by tensors (1,)": ran(lambda x: chained(x, c, c), 1),
        "1000 uses of one leaf (64,)": ran(used_often, 64),
    }


PEERS = {
    "HIPS autograd": ("autograd", hips_programs),
    "mygrad": ("mygrad", mygrad_programs),
    "micrograd": ("micrograd", micrograd_programs),
    "paddle": ("paddle", paddle_programs),
    "tinygrad": ("tinygrad", tinygrad_programs),
}


# Measuring ----------------------------------------------------------------------------------------


def seconds(program: Program) -> float:
    started = time.thread_time()
    program()
    return time.thread_time() - started


def least(programs: dict[str, Program], rounds: int) -> dict[str, float]:
    """The least time of each program, run in turn."""
    for program in programs.values():
        program()
    times = [{name: seconds(program) for name, program in programs.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in times) for name in programs}


def _resident() -> int:
    """Bytes that this process has in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def bytes_a_node(module: str, length: int = 20_000) -> float:
    """Growth of a process for each node of a chain that is kept; of a new one, which has no memory to use again."""
    torch = importlib.import_module(module)

    def build() -> Any:
        y = torch.ones(1, requires_grad=True)
        for _ in range(length):
            y = y * 1.0
        return y

    build()
    gc.collect()
    before = _resident()
    kept = [build() for _ in range(20)]
    after = _resident()
    del kept
    return (after - before) / (20 * length)


def left_behind(torch: Any) -> tuple[int, int]:
    """Bytes of five graphs that stay, cyclic collection off: after backward, and of graphs that are only dropped."""

    def dropped() -> None:
        y = torch.ones(64, requires_grad=True)
        for _ in range(1000):
            y = y * y

    def left(program: Program) -> int:
        program()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            program()
        found = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return found

    gc.collect()
    gc.disable()
    found = left(chain_by_tensors(torch, (64,))), left(dropped)
    gc.enable()
    return found


def import_seconds(module: str) -> float:
    """The least processor time of an import whose bytecode is cached, as it is where a package is installed."""
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        command = [sys.executable, "-c", code]
        return min(
            float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
            for _ in range(5)
        )


def print_kernels(torch: Any, inhouse: Any, rounds: int) -> None:
    """The engine's time for single operations in ratio to torch's."""
    torch.manual_seed(0)
    values = torch.randn(512, 512).tolist()
    print(f"{'ratio to torch (least of ' + str(rounds) + ')':30}{'forward':>12}{'with gradient':>16}")
    for name, operation in KERNELS.items():
        pairs = zip(kernel(inhouse, operation, values), kernel(torch, operation, values), strict=True)
        found = [least({"inhouse": ours, "torch": theirs}, rounds) for ours, theirs in pairs]
        print(
            f"{name:30}" + "".join(f"{each['inhouse'] / each['torch']:14.2f}" for each in found), flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--kernels", action="store_true", help="single operations, on torch and the engine alone"
    )
    known = parser.parse_args()
    import torch

    import conformance.engine as inhouse

    torch.set_num_threads(1)
    if known.kernels:
        print_kernels(torch, inhouse, known.rounds)
        return
    peers = {
        name: make() for name, (module, make) in PEERS.items() if importlib.util.find_spec(module) is not None
    }
    columns = ["inhouse", *peers]
    print(
        f"{'ratio to torch (least of ' + str(known.rounds) + ')':42}" + "".join(f"{c:>15}" for c in columns)
    )
    for name, make in PROGRAMS.items():
        if known.only not in name:
            continue
        programs = {"torch": make(torch), "inhouse": make(inhouse)}
        programs |= {peer: found[name] for peer, found in peers.items() if name in found}
        found = least(programs, known.rounds if "1,000,000" not in name else 2)
        cells = [f"{found[c] / found['torch']:15.2f}" if c in found else f"{'-':>15}" for c in columns]
        print(f"{name:42}" + "".join(cells), flush=True)
    if not known.only:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
            ours, theirs = pool.map(bytes_a_node, ("conformance.engine", "torch"))
        print(f"{'bytes a node of graph':42}{ours / theirs:15.2f}  ({ours:.0f} of {theirs:.0f})")
        whole = import_seconds("torch")
        for module in ("conformance.engine", "numpy"):
            print(f"{'import of ' + module:42}{import_seconds(module) / whole:15.3f}")
        print("bytes left by five graphs of 1000 nodes, inhouse: after backward {}, after dropping {}".format(
            *left_behind(inhouse)))  # fmt: skip


if __name__ == "__main__":
    main()
