"""The programs that the benchmarks of the engine run, as each engine writes them."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
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


def plain_chain(y: Any, length: int) -> Any:
    for _ in range(length):
        y = y * 1.0
    return y


def product_of_50(x: Any) -> Any:
    y = x
    for _ in range(50):
        y = y * x
    return y


def product_of_all(y: Any, matrices: list[Any]) -> Any:
    for matrix in matrices:
        y = y @ matrix
    return y


# Programs for torch and for modules with its names --------------------------------------------------


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
        product_of_all(x, weights).sum().backward()

    return program


def grad_of_grad(torch: Any) -> Program:
    x = torch.full((100,), 1.01, requires_grad=True)

    def program() -> None:
        (first,) = torch.autograd.grad(product_of_50(x).sum(), x, create_graph=True)
        torch.autograd.grad(first.sum(), x)

    return program


def long_chain(torch: Any, length: int) -> Program:
    x = torch.ones(1, requires_grad=True)

    def program() -> None:
        plain_chain(x, length).backward()

    return program


def graph_of_1000(torch: Any) -> Program:
    return lambda: plain_chain(torch.ones(1, requires_grad=True), 1000)


GRAPH = "graph of 1000, kept or dropped"


def torch_programs(module: str) -> dict[str, Program]:
    """torch, or a module with its names."""
    torch = importlib.import_module(module)
    return {
        "chain of 1000 by numbers (1,)": chain_by_numbers(torch, (1,)),
        "chain of 1000 by numbers (64, 64)": chain_by_numbers(torch, (64, 64)),
        "chain of 1000 by tensors (1,)": chain_by_tensors(torch, (1,)),
        "chain of 1000 by tensors (64, 64)": chain_by_tensors(torch, (64, 64)),
        "1000 uses of one leaf (64,)": uses_of_one_leaf(torch),
        "MLP step 64x784-256-10, SGD": mlp_step(torch),
        "four 512x512 products": four_products(torch),
        "grad of grad, product of 50, (100,)": grad_of_grad(torch),
        GRAPH: graph_of_1000(torch),
        "chain of 50,000": long_chain(torch, 50_000),
        "chain of 1,000,000": long_chain(torch, 1_000_000),
    }


# Peers, in their own words ------------------------------------------------------------------------


def hips_programs(_: str) -> dict[str, Program]:
    """HIPS autograd: a gradient is a function of a function."""
    import autograd.numpy as anp
    from autograd import grad
    from autograd.core import make_vjp
    from autograd.scipy.special import logsumexp

    one, several = anp.ones(1, anp.float32), anp.ones(64, anp.float32)

    def random(*shape: int) -> Any:
        return anp.random.rand(*shape).astype(anp.float32)

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        x, c = anp.ones(shape, anp.float32), anp.ones(shape, anp.float32)
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: grad(lambda y: anp.sum(chained(y, factor, summand)))(x)

    def step() -> Program:
        weights = [(random(784, 256) - 0.5) / 14, (random(256) - 0.5) / 14]
        weights += [(random(256, 10) - 0.5) / 8, (random(10) - 0.5) / 8]
        x, rows, target = random(64, 784), anp.arange(64), anp.random.randint(0, 10, 64)

        def loss(given: list[Any]) -> Any:
            inner, first, outer, second = given
            scores = anp.maximum(x @ inner + first, 0) @ outer + second
            return anp.mean(logsumexp(scores, axis=1) - scores[rows, target])

        def program() -> None:
            for weight, slope in zip(weights, grad(loss)(weights), strict=True):
                weight[...] -= 0.01 * slope

        return program

    def products() -> Program:
        x, weights = random(512, 512), [random(512, 512) for _ in range(4)]
        return lambda: grad(lambda given: anp.sum(product_of_all(x, given)))(weights)

    def twice() -> Program:
        x = anp.full(100, 1.01, anp.float32)
        first = grad(lambda x: anp.sum(product_of_50(x)))
        return lambda: grad(lambda x: anp.sum(first(x)))(x)

    def long(length: int) -> Program:
        return lambda: grad(lambda x: anp.sum(plain_chain(x, length)))(one)

    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": lambda: grad(lambda x: anp.sum(used_often(x)))(several),
        "MLP step 64x784-256-10, SGD": step(),
        "four 512x512 products": products(),
        "grad of grad, product of 50, (100,)": twice(),
        GRAPH: lambda: make_vjp(lambda x: plain_chain(x, 1000), one),
        "chain of 50,000": long(50_000),
        "chain of 1,000,000": long(1_000_000),
    }


def mygrad_programs(_: str) -> dict[str, Program]:
    """MyGrad, whose gradients have no gradients."""
    import mygrad as mg
    import numpy as np
    from mygrad.nnet import relu, softmax_crossentropy

    def ones(*shape: int) -> Any:
        return mg.tensor(np.ones(shape, np.float32))

    def random(*shape: int) -> Any:
        return np.random.rand(*shape).astype(np.float32)

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        c = mg.tensor(np.ones(shape, np.float32), constant=True)
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: chained(ones(*shape), factor, summand).sum().backward()

    def step() -> Program:
        inner, first = mg.tensor((random(784, 256) - 0.5) / 14), mg.tensor((random(256) - 0.5) / 14)
        outer, second = mg.tensor((random(256, 10) - 0.5) / 8), mg.tensor((random(10) - 0.5) / 8)
        x, target = mg.tensor(random(64, 784), constant=True), np.random.randint(0, 10, 64)

        def program() -> None:
            softmax_crossentropy(relu(x @ inner + first) @ outer + second, target).backward()
            for weight in (inner, first, outer, second):
                weight.data -= 0.01 * weight.grad

        return program

    def products() -> Program:
        x = mg.tensor(random(512, 512), constant=True)
        weights = [mg.tensor(random(512, 512)) for _ in range(4)]
        return lambda: product_of_all(x, weights).sum().backward()

    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": lambda: used_often(ones(64)).sum().backward(),
        "MLP step 64x784-256-10, SGD": step(),
        "four 512x512 products": products(),
        GRAPH: lambda: plain_chain(ones(1), 1000),
        "chain of 50,000": lambda: plain_chain(ones(1), 50_000).backward(),
    }


def micrograd_programs(_: str) -> dict[str, Program]:
    """micrograd: scalars only."""
    from micrograd.engine import Value

    def program() -> None:
        chained(Value(1.0), 1.0001, 0.5, 450).backward()  # which recurses: 500 would be too deep

    return {"chain of 1000 by numbers (1,)": program, GRAPH: lambda: plain_chain(Value(1.0), 1000)}


def paddle_programs(_: str) -> dict[str, Program]:
    """PaddlePaddle, which crashes on chains of more than some 70,000."""
    import paddle

    paddle.set_device("cpu")

    def leaf(values: Any) -> Any:
        values.stop_gradient = False
        return values

    def chain(shape: tuple[int, ...], operands: bool) -> Program:
        x, c = leaf(paddle.ones(shape)), paddle.ones(shape)
        factor, summand = (c, c) if operands else (1.0001, 0.5)
        return lambda: chained(x, factor, summand).sum().backward()

    def step() -> Program:
        model = paddle.nn.Sequential(paddle.nn.Linear(784, 256), paddle.nn.ReLU(), paddle.nn.Linear(256, 10))
        optimizer = paddle.optimizer.SGD(0.01, parameters=model.parameters())
        x, target = paddle.rand((64, 784)), paddle.randint(0, 10, (64,))

        def program() -> None:
            optimizer.clear_grad()
            paddle.nn.functional.cross_entropy(model(x), target).backward()
            optimizer.step()

        return program

    def products() -> Program:
        x, weights = paddle.rand((512, 512)), [leaf(paddle.rand((512, 512))) for _ in range(4)]
        return lambda: product_of_all(x, weights).sum().backward()

    def twice() -> Program:
        x = leaf(paddle.full((100,), 1.01))

        def program() -> None:
            (first,) = paddle.grad(product_of_50(x).sum(), x, create_graph=True)
            paddle.grad(first.sum(), x)

        return program

    one, several = leaf(paddle.ones((1,))), leaf(paddle.ones((64,)))
    return {
        "chain of 1000 by numbers (1,)": chain((1,), False),
        "chain of 1000 by numbers (64, 64)": chain((64, 64), False),
        "chain of 1000 by tensors (1,)": chain((1,), True),
        "chain of 1000 by tensors (64, 64)": chain((64, 64), True),
        "1000 uses of one leaf (64,)": lambda: used_often(several).sum().backward(),
        "MLP step 64x784-256-10, SGD": step(),
        "four 512x512 products": products(),
        "grad of grad, product of 50, (100,)": twice(),
        GRAPH: lambda: plain_chain(one, 1000),
        "chain of 50,000": lambda: plain_chain(one, 50_000).backward(),
    }


def tinygrad_programs(_: str) -> dict[str, Program]:
    """tinygrad, on its device that needs no compiler: interpreted in Python, unless DEV names another."""
    os.environ.setdefault("DEV", "PYTHON")
    from tinygrad import Tensor

    def ones(length: int) -> Any:
        return Tensor.ones(length).contiguous().realize()

    def ran(compute: Callable[[Any], Any], length: int) -> Program:
        def program() -> None:
            x = ones(length)
            compute(x).sum().backward()
            x.grad.realize()

        return program

    def twice() -> None:
        x = Tensor.full((100,), 1.01).contiguous().realize()
        (first,) = product_of_50(x).sum().gradient(x)
        (second,) = first.sum().gradient(x)
        second.realize()

    c = ones(1)
    return {
        "chain of 1000 by numbers (1,)": ran(lambda x: chained(x, 1.0001, 0.5), 1),
        "chain of 1000 by tensors (1,)": ran(lambda x: chained(x, c, c), 1),
        "1000 uses of one leaf (64,)": ran(used_often, 64),
        "grad of grad, product of 50, (100,)": twice,
        GRAPH: lambda: plain_chain(ones(1), 1000),
    }


# By its name: the module that is imported, and what makes its programs.
ENGINES: dict[str, tuple[str, Callable[[str], dict[str, Program]]]] = {
    "torch": ("torch", torch_programs),
    "inhouse": ("conformance.engine", torch_programs),
    "HIPS autograd": ("autograd.numpy", hips_programs),
    "mygrad": ("mygrad", mygrad_programs),
    "micrograd": ("micrograd.engine", micrograd_programs),
    "paddle": ("paddle", paddle_programs),
    "tinygrad": ("tinygrad", tinygrad_programs),
}


def programs_of(engine: str) -> dict[str, Program]:
    module, make = ENGINES[engine]
    return make(module)
