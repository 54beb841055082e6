"""The names bound in every program in addition to Python's builtins, and the torch release of the specs."""

from __future__ import annotations

WORDS = {
    "second_device": "second_device is a device other than the CPU, in scenarios with `needs: [second_device]`",
    "weakref": "weakref(tensor) is a weak reference: called, it gives the tensor, or None once it is freed",
    "collect": "collect() runs the collector of cyclic garbage",
    "refuses": "refuses(f, ...) tells whether a call with these arguments raises an error, of any type and text",
    "deepcopy": "deepcopy(value) is Python's copy.deepcopy: a module or an optimizer with tensors of its own",
    "OrderedDict": "OrderedDict(pairs) is Python's collections.OrderedDict: names and layers for nn.Sequential",
    "partial": "partial(function, ...) is Python's functools.partial: the function with some arguments given",
}
"""The bound names other than torch's modules."""

BOUND = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "autograd": "torch.autograd",
}
"""The modules that every program has without importing them."""

RELEASE = "2.13.0"
"""The release of torch that the suite's own specs describe."""
