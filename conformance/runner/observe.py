"""The state of every live name.

Note [Observing]: observing must not change the state.
  - No reference outlives the snapshot. Nothing is read that warns or runs a hook: ``.grad`` only of leaves and of
    tensors that retain it, never ``_saved_*``.
  - An attribute that raises has the error as its value.
  - A node that was read keeps its Python wrapper forever, and destroying a chain of some 40 000 of them overflows the
    stack. So at most 1000 nodes are walked per snapshot, and 10 000 per run.
  - All empty tensors have data pointer 0, which does not count as a shared storage.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import index
from typing import Any

from conformance.runner.engine import AdapterError, Engine, observed
from conformance.runner.graph import Allowance, Graphs
from conformance.runner.normalize import error_text, normalised
from conformance.runner.paths import OWN_MODULE, SHOWN, Kind, Kinds, inside, plain
from conformance.runner.states import BOUND, CANNOT_SAY, UNFILLED, UNREAD, dtype_in
from conformance.runner.trace import Facet, Facets, State

PLAIN, TENSOR = Kind.PLAIN, Kind.TENSOR


class Observer:
    """Takes snapshots of all names during one run."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kinds = Kinds(engine)
        self._allowance = Allowance()

    def snapshot(self, roots: Iterable[tuple[str, Any]]) -> State:
        """The facets of the value of every name, and of everything reachable by a path from it."""
        return _Snapshot(self._engine, self._kinds, self._allowance, roots).state

    def text(self, value: Any) -> str:
        """The value of an expectation as text: a tensor as its numbers, a node as the name of its type."""
        text = plain(value)
        if text is not None:
            return text
        try:
            return self._text(value, self._kinds(value))
        except AdapterError:
            raise
        except Exception as error:
            return _raised(error)

    def _text(self, value: Any, kind: Kind) -> str:
        match kind:
            case Kind.TENSOR:
                return _elements(observed(self._engine, value))
            case Kind.SEQUENCE:
                return f"[{', '.join(map(self.text, value))}]"
            case Kind.MAPPING:
                return f"{{{', '.join(f'{self.text(k)}: {self.text(v)}' for k, v in value.items())}}}"
            case Kind.ARRAY:
                return _numbers(value.tolist())
            case Kind.CONSTANT:
                return repr(_constant(value))
        return repr(type(value).__name__ if kind is Kind.NODE else kind.name.lower())


class _Snapshot:
    """One snapshot; discarded with all its references afterwards."""

    def __init__(
        self, engine: Engine, kinds: Kinds, allowance: Allowance, roots: Iterable[tuple[str, Any]]
    ) -> None:
        self.state: dict[str, dict[str, Facet]] = {}
        self._engine = engine
        self._kinds = kinds
        self._allowance = allowance
        self._names: dict[int, str] = {}  # id of a value -> its first name
        self._held: list[Any] = []  # intermediate values, kept alive so that their ids stay unique
        self._unnamed = 0
        self._tensors: list[tuple[str, Any, Any]] = []
        self._nodes: list[tuple[str, Any]] = []
        self._grads: set[str] = set()
        self._zeros = getattr(engine, "grads_start_as_zeros", False)
        for name, value in roots:
            self._walk(name, value)
        self._relate()
        if self._zeros:
            self._mark_unfilled()

    def _walk(self, root: str, value: Any) -> None:
        todo = [(root, value)]
        while todo:
            name, value = todo.pop()
            kind = self._kinds(value)
            if kind is PLAIN:
                self.state[name] = {"value": plain(value)}
            elif (first := self._names.setdefault(id(value), name)) != name and _has_identity(value, kind):
                self.state[name] = {"is": first}
            elif kind is TENSOR:
                self._tensor(name, value, todo)
            else:
                self.state[name], inner = self._other(name, value, kind)
                todo += reversed(inner)

    def _other(self, name: str, value: Any, kind: Kind) -> tuple[dict[str, Facet], list[tuple[str, Any]]]:
        """The facets of a value other than a tensor, and the paths into it."""
        facets: dict[str, Facet] = {}
        if kind is Kind.ARRAY:
            facets["value"], facets["shape"] = _numbers(value.tolist()), _shape(value.shape)
            facets["dtype"] = _dtype(value.dtype)
        elif (text := plain(value)) is not None:
            facets["value"] = text
        elif kind is Kind.CONSTANT:
            facets["value"] = _constant(value)
        elif kind is Kind.NODE:
            self._nodes.append((name, value))
            facets["grad_fn"] = type(value).__name__
        elif kind is Kind.OPAQUE:
            facets["value"] = _dtype_class(value) or (UNREAD if self._kinds.unread else BOUND)
        else:
            return self._inside(name, value, kind)
        return facets, []

    def _inside(self, name: str, value: Any, kind: Kind) -> tuple[dict[str, Facet], list[tuple[str, Any]]]:
        try:
            inner = [(name + path, item) for path, item in inside(value, kind)]
        except Exception as error:
            unread = bool(unlisted(type(value), kind))
            return {"value": UNREAD if unread else _raised(error)}, []
        self._held.append(inner)
        text = kind.name.lower()
        if kind is Kind.SEQUENCE or kind is Kind.MAPPING:
            text += f" of {len(value)}"
            text += f", of which {SHOWN} are shown" if len(value) > SHOWN else ""
        return {"value": text}, inner

    def _tensor(self, name: str, value: Any, todo: list[tuple[str, Any]]) -> None:
        """Read a tensor's facets; its grad is walked next, if it may be read."""
        tensor: Any = observed(self._engine, value)
        facets: dict[str, Facet]
        try:
            grad_fn = tensor.grad_fn
            facets = _read_at_once(tensor, grad_fn)
        except Exception:
            grad_fn, facets = _read_one_by_one(tensor)
        self.state[name] = facets
        self._tensors.append((name, tensor, grad_fn))
        # A grad of zeros would have a grad of its own, and so on.
        unfilled = self._zeros and name in self._grads and _is_zero(facets)
        if _may_read_grad(facets) and not unfilled:
            try:
                grad = tensor.grad
            except Exception as error:
                if not (isinstance(error, AttributeError) and error.name == "grad"):
                    facets["grad"] = _raised(error)  # otherwise its tensors have no grads
            else:
                if grad is not None:
                    self._held.append(grad)
                    todo.append((f"{name}.grad", grad))
                    self._grads.add(f"{name}.grad")

    def _relate(self) -> None:
        graphs = Graphs(self._name_of, self._allowance)
        for name, _, grad_fn in self._tensors:
            if grad_fn is not None:
                graphs.own(grad_fn, self.state[name]["output_nr"], name)
        storages: dict[Any, str] = {}
        for name, tensor, grad_fn in self._tensors:
            facets = self.state[name]
            if grad_fn is not None:
                facets.update(graphs.describe(grad_fn, name))
            try:
                base = tensor._base
                facets["_base"] = None if base is None else self._name_of(base)
            except Exception as error:
                facets["_base"] = _raised(error)
            try:
                key = _storage(tensor)
                first = name if key is None else storages.setdefault(key, name)
                facets["storage"] = None if first == name else first
            except Exception as error:
                facets["storage"] = _raised(error)
        for name, node in self._nodes:
            self.state[name].update(graphs.describe(node, name))

    def _mark_unfilled(self) -> None:
        """Mark grads of zeros, which may be None: see Note [What cannot be read]."""
        for name in self._grads:
            facets = self.state[name]
            if _is_zero(facets):
                facets[UNFILLED] = True

    def _name_of(self, value: Any) -> str:
        name = self._names.get(id(value))
        if name is None:
            self._held.append(value)
            self._unnamed += 1
            name = self._names[id(value)] = f"unnamed {self._unnamed}"
        return name


def _may_read_grad(facets: Facets) -> bool:
    """Whether it is a leaf, retains its grad, or the engine cannot say whether it is a leaf."""
    leaf = facets["is_leaf"]
    if leaf is True or facets["retains_grad"] is True:
        return True
    return leaf is not False and str(leaf).startswith(CANNOT_SAY)


def _is_zero(facets: Facets) -> bool:
    """Whether all numbers are 0; there may be none."""
    return "value" in facets and not any(character in "123456789in" for character in str(facets["value"]))


def _has_identity(value: Any, kind: Kind) -> bool:
    """Whether identity matters for such a value."""
    return kind is not Kind.CONSTANT and kind is not Kind.OPAQUE and not isinstance(value, tuple)


def _read_at_once(tensor: Any, grad_fn: Any) -> dict[str, Facet]:
    requires_grad, is_leaf, retains_grad = tensor.requires_grad, tensor.is_leaf, tensor.retains_grad
    output_nr, version = tensor.output_nr, tensor._version
    if not (type(requires_grad) is type(is_leaf) is type(retains_grad) is bool):
        raise TypeError
    if not (type(output_nr) is type(version) is int):
        raise TypeError
    return {
        "value": _numbers(tensor.tolist()),
        "shape": _shape(tensor.shape),
        "dtype": _dtype(tensor.dtype),
        "requires_grad": requires_grad,
        "is_leaf": is_leaf,
        "retains_grad": retains_grad,
        "grad_fn": None if grad_fn is None else type(grad_fn).__name__,
        "output_nr": output_nr,
        "_version": version,
    }


def _read_one_by_one(tensor: Any) -> tuple[Any, dict[str, Facet]]:
    """The same for a tensor with an attribute that raises or has a type other than torch's."""
    held: list[Any] = [None]

    def grad_fn() -> str | None:
        held[0] = tensor.grad_fn
        return None if held[0] is None else type(held[0]).__name__

    facets = {
        "value": _tried(lambda: _elements(tensor)),
        "shape": _tried(lambda: _shape(tuple(tensor.shape))),
        "dtype": _tried(lambda: _dtype(tensor.dtype)),
        "requires_grad": _tried(lambda: _flag(tensor.requires_grad)),
        "is_leaf": _tried(lambda: _flag(tensor.is_leaf)),
        "retains_grad": _tried(lambda: _flag(tensor.retains_grad)),
        "grad_fn": _tried(grad_fn),
        "output_nr": _tried(lambda: _count(tensor.output_nr)),
        "_version": _tried(lambda: _count(tensor._version)),
    }
    return held[0], facets


def _elements(tensor: Any) -> str:
    """The numbers of a tensor; for a sparse one, which has no tolist(), its indices and values."""
    if getattr(tensor, "is_sparse", False) is not True:
        return _numbers(_listed(tensor))
    indices, values = tensor._indices().tolist(), tensor._values().tolist()
    return repr({"indices": indices, "values": values, "coalesced": tensor.is_coalesced()})


def _listed(tensor: Any) -> Any:
    """The result of ``tolist()``, or of ``numpy()`` for engines that only have that."""
    if hasattr(tensor, "tolist") or not hasattr(tensor, "numpy"):
        return tensor.tolist()
    return (tensor.detach() if hasattr(tensor, "detach") else tensor).numpy().tolist()


def _tried(read: Callable[[], Facet]) -> Facet:
    try:
        return read()
    except Exception as error:
        return _raised(error)


def _raised(error: Exception) -> str:
    return f"raises {type(error).__name__}: {error_text(error)}"


def _flag(value: Any) -> bool:
    if type(value).__name__ in ("bool", "bool_"):  # numpy's bool too
        return bool(value)
    raise TypeError(f"a {type(value).__name__}, not a bool")


def _count(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"a {type(value).__name__}, not an int")
    return int(value)


_LISTED = {Kind.MODULE: ("named_parameters", "named_buffers"), Kind.OPTIMIZER: ("add_param_group",)}
"""The methods of a class that has torch's way to list its content."""


def unlisted(cls: type, kind: Kind) -> tuple[str, ...]:
    """Which of them a class lacks, so that its content may not be readable."""
    return tuple(name for name in _LISTED.get(kind, ()) if not hasattr(cls, name))


_texts: dict[bytes, str] = {}
_NUMBERS = {float, int, bool, complex, list}  # and a list, if it is empty


def _numbers(values: Any) -> str:
    """The numbers of a tensor as text, cached since most do not change: ``marshal`` is cheaper than ``repr``."""
    if not _is_pythons(values):
        values = _pythons(values)
    if type(values) is not list:
        return repr(values)
    try:
        key = marshal.dumps(values, 2)
    except ValueError:  # an object among the numbers
        return repr(_pythons(values))
    text = _texts.get(key)
    if text is None:
        text = repr(values)
        if len(key) < 4096:
            if len(_texts) > 4096:
                _texts.clear()
            _texts[key] = text
    return text


def _is_pythons(values: Any) -> bool:
    """Whether the first number is Python's own, as in torch's ``tolist()``."""
    while type(values) is list and values:
        values = values[0]
    return type(values) in _NUMBERS


def _pythons(values: Any) -> Any:
    """Python's numbers for those of an engine whose ``tolist()`` gives NumPy's, or lists of arrays."""
    if isinstance(values, list | tuple):
        return [_pythons(each) for each in values]
    if type(values) in _NUMBERS or not hasattr(values, "tolist"):
        return values
    listed = values.tolist()
    return listed if type(listed) is type(values) else _pythons(listed)


def _shape(shape: Any) -> str:
    return str([*map(index, shape)])  # accepts numpy's ints, but not floats


def _constant(value: Any) -> str:
    """A dtype, device or layout by torch's name, whatever the name of the engine's module is."""
    text = normalised(str(value))
    module, dot, name = text.rpartition(".")
    if dot and module.isidentifier():
        return f"torch.{name}"
    if "dtype" in type(value).__name__.lower() and (found := dtype_in(text)):
        return f"torch.{found}"
    return text


def _dtype_class(value: Any) -> str:
    """A class that is used as a dtype, such as ``numpy.float32``, by torch's name; empty for anything else."""
    found = dtype_in(value.__name__) if isinstance(value, type) and value.__module__ != OWN_MODULE else ""
    return f"torch.{found}" if found else ""


@lru_cache(maxsize=256, typed=True)
def _dtype(dtype: Any) -> str:
    text = normalised(str(dtype))
    name = text.rpartition(".")[2]
    return name if name.isidentifier() else dtype_in(text) or name


_ABSENT = object()


def _storage(tensor: Any) -> Any:
    own = getattr(tensor, "storage", _ABSENT)
    if own is not _ABSENT and not callable(own):  # torch's storage() is a method
        return own
    held = tensor._values() if getattr(tensor, "is_sparse", False) is True else tensor
    return held.untyped_storage().data_ptr() or None
