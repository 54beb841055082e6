"""gradcheck of complex functions by real and imaginary parts (torch: autograd/gradcheck.py).

Backward mode is checked for each part of the outputs, forward mode for each part of the inputs. A complex input is
perturbed along both axes; the differences dx and dy are its gradient dx + i dy, see Note [Complex gradients].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..._autograd.tensor import Tensor
from .jacobians import Function, Tensors, as_tuple


@dataclass(frozen=True, slots=True)
class Part:
    """The real or imaginary part of complex outputs or inputs that is checked."""

    name: str
    places: tuple[int, ...]

    def message_prefix(self, place: int, forward: bool) -> str:
        """The beginning of an error message about an output or, in forward mode, an input."""
        if place not in self.places:
            return ""
        return (
            f"While considering the {self.name} part of complex {'inputs' if forward else 'outputs'} only, "
        )


def is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_complex()


def complex_places(values: Tensors) -> tuple[int, ...]:
    return tuple(place for place, each in enumerate(values) if is_complex(each))


def by_outputs(func: Function) -> Iterator[tuple[str, Function]]:
    """The function with the imaginary parts, and with the real parts, of its complex results."""
    for name, attribute in (("imaginary", "imag"), ("real", "real")):

        def part(*points: Any, attribute: str = attribute) -> Tensors:
            return tuple(
                getattr(each, attribute) if is_complex(each) else each for each in as_tuple(func(*points))
            )

        yield name, part


def by_inputs(func: Function, points: Tensors) -> Iterator[tuple[str, Function, Tensors]]:
    """The function of the imaginary parts, and of the real parts, of its complex points, with the other parts fixed."""
    places = complex_places(points)
    for name, attribute in (("imaginary", "imag"), ("real", "real")):

        def part(*given: Any, attribute: str = attribute) -> Tensors:
            whole = list(given)
            for place in places:
                if attribute == "imag":
                    whole[place] = points[place].real + given[place] * 1j
                else:
                    whole[place] = given[place] + points[place].imag * 1j
            return as_tuple(func(*whole))

        yield name, part, tuple(getattr(each, attribute) if is_complex(each) else each for each in points)
