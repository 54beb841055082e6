"""Engines broken on purpose: copies of the in-house engine, each with one fault."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import conformance

ENGINE = Path(conformance.__file__).parent / "engine"


@dataclass(frozen=True)
class Broken:
    """A fault: lines of a file replaced, or lines added at the end; and what must come of it."""

    name: str
    expected: dict[str, str]  # scenario of scenarios.yaml -> the verdict in a line
    file: str = "__init__.py"
    replaced: tuple[str, str] = ("", "")
    added: str = ""

    def write(self, folder: Path) -> None:
        """Make the engine a package of its own in ``folder``."""
        package = folder / self.name
        shutil.copytree(ENGINE, package)  # with the compiled files, which stay valid
        path = package / self.file
        text = path.read_text()
        if self.replaced[0]:
            assert self.replaced[0] in text, f"{self.file} no longer has the line {self.replaced[0]!r}"
            text = text.replace(*self.replaced)
        path.write_text(f"{text}\n{self.added}\n")


_CATCHING = """
def _never_raising(method):
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except Exception:
            return self
    return call


for _name in ("backward", "add_", "__iadd__"):
    setattr(Tensor, _name, _never_raising(getattr(Tensor, _name)))
"""

_REFUSING = """
def tensor(*args, **kwargs):
    raise RuntimeError("out of order")
"""

LEAF = "b is_leaf is True on {}, False on torch, after line"
OUT_OF_ORDER = "{} raises RuntimeError: out of order, torch raises nothing, at line"
VERSION = "a.grad _version is 0 on {}, 1 on torch, after line"
UNRAISED = (
    "{} raises nothing, torch raises RuntimeError: Trying to backward ...343..., at line 26: b.backward()"
)

BROKEN = (
    Broken(
        "no_accumulation",
        {"second-pass-adds": "a.grad is [6.0] on {}, [12.0] on torch, after line 9: b.backward()"},
        "_autograd/accumulate_grad.py",
        (
            "                accumulate_in_place(current, gradient)",
            "                current = clone_obey_contract(gradient, variable)",
        ),
    ),
    Broken(
        "retain_grad_ignored",
        {"non-leaf-retains": "b retains_grad is False on {}, True on torch, after line 16: b.retain_grad()"},
        added="Tensor.retain_grad = lambda self: None",
    ),
    Broken(
        "graph_never_freed",
        {"second-pass-raises": UNRAISED},
        "_autograd/engine.py",
        ("self.create_graph = keep_graph, create_graph", "self.create_graph = True, create_graph"),
    ),
    Broken(
        "version_not_bumped",
        {
            "in-place-counts": "c _version is 0 on {}, 1 on torch, after line 35: c += 1",
            "second-pass-adds": f"{VERSION} 8: b.backward(retain_graph=True)",
            "non-leaf-retains": f"{VERSION} 17: b.backward()",
            "second-pass-raises": f"{VERSION} 25: b.backward()",
            "given-gradient-is-copied": f"{VERSION.replace('a.', 'c.')} 42: c.backward(g)",
        },
        "_autograd/views.py",
        ("    counter.value += 1", "    pass"),
    ),
    Broken(
        "wrong_error_text",
        {
            "second-pass-raises": '{} says "Cannot run backward a second time (or ...307...", torch says '
            '"Trying to backward through the graph ...325...", at line 26: b.backward()'
        },
        "_c10/errors.py",
        ("Trying to backward through the graph a second time", "Cannot run backward a second time"),
    ),
    Broken(
        "always_a_leaf",
        {
            "second-pass-adds": f"{LEAF} 7: b = a * a",
            "non-leaf-retains": f"{LEAF} 15: b = a * a",
            "second-pass-raises": f"{LEAF} 24: b = a * a",
            "in-place-counts": "c is_leaf is True on {}, False on torch, after line 34: c = a * a",
            "constants-are-left-alone": f"{LEAF} 61: b = a * c",
        },
        added="Tensor.is_leaf = property(lambda self: True)",
    ),
    Broken(
        "grad_is_the_given_gradient",
        {
            "given-gradient-is-copied": "c.grad is the same object as g on {}, an object of its own "
            "on torch, after line 42: c.backward(g)"
        },
        "_autograd/accumulate_grad.py",
        (
            "        else:\n            variable._grad = clone_obey_contract(gradient, variable)",
            "        else:\n            variable._grad = gradient",
        ),
    ),
    Broken(
        "raises_everywhere",
        {
            "second-pass-adds": f"{OUT_OF_ORDER} 6: a = torch.tensor([3.], requires_grad=True)",
            "non-leaf-retains": f"{OUT_OF_ORDER} 14: a = torch.tensor([3.], requires_grad=True)",
            "second-pass-raises": f"{OUT_OF_ORDER} 23: a = torch.tensor([3.], requires_grad=True)",
            "in-place-counts": f"{OUT_OF_ORDER} 33: a = torch.tensor([3.], requires_grad=True)",
            "given-gradient-is-copied": f"{OUT_OF_ORDER} 40: g = torch.tensor([2.])",
            "leaf-is-not-written": f"{OUT_OF_ORDER} 51: a = torch.tensor([3.], requires_grad=True)",
            "constants-are-left-alone": f"{OUT_OF_ORDER} 59: a = torch.tensor([3.], requires_grad=True)",
        },
        added=_REFUSING,
    ),
    Broken(
        "never_raises",
        {
            "second-pass-raises": UNRAISED,
            "leaf-is-not-written": "{} raises nothing, torch raises RuntimeError: a leaf Variable that ...54..., "
            "at line 52: a += 1",
        },
        added=_CATCHING,
    ),
)
