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
        shutil.copytree(ENGINE, package, ignore=shutil.ignore_patterns("__pycache__"))
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


for _name in ("backward", "add_"):
    setattr(Tensor, _name, _never_raising(getattr(Tensor, _name)))
"""

_REFUSING = """
def tensor(*args, **kwargs):
    raise RuntimeError("out of order")
"""

BROKEN = (
    Broken(
        "no_accumulation",
        {"second-pass-adds": "a.grad is [6.] on {}, [12.] on torch, after line 10: b.backward()"},
        "accumulate.py",
        ("        current.add_(gradient)", "        variable._grad = gradient.clone()"),
    ),
    Broken(
        "retain_grad_ignored",
        {"non-leaf-retains": "b retains_grad is False on {}, True on torch, after line 17: b.retain_grad()"},
        added="Tensor.retain_grad = lambda self: None",
    ),
    Broken(
        "graph_never_freed",
        {
            "second-pass-raises": "{} raises nothing, torch raises RuntimeError: Tr ...375... after calling "
            "backward., after line 27: b.backward()"
        },
        "execution.py",
        ("if not keep_graph:", "if False:"),
    ),
    Broken(
        "version_not_bumped",
        {"in-place-counts": "c _version is 0 on {}, 1 on torch, after line 36: c += 1"},
        "views.py",
        ("    version_counter(tensor).value += 1", "    pass"),
    ),
    Broken(
        "wrong_error_text",
        {"second-pass-raises": ""},
        "errors.py",
        ("Trying to backward through the graph a second time", "Cannot run backward a second time"),
    ),
    Broken(
        "always_a_leaf",
        {"non-leaf-retains": ""},
        added="Tensor.is_leaf = property(lambda self: True)",
    ),
    Broken(
        "grad_is_the_given_gradient",
        {"given-gradient-is-copied": ""},
        "accumulate.py",
        ("            variable._grad = gradient.clone()", "            variable._grad = gradient"),
    ),
    Broken("raises_everywhere", {}, added=_REFUSING),
    Broken("never_raises", {"second-pass-raises": "", "leaf-is-not-written": ""}, added=_CATCHING),
)
