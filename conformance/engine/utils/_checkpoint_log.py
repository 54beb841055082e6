"""The log of a checkpoint with debug=True, which shows where forward and recomputation diverge."""

from __future__ import annotations

import sys
from typing import Any

from .._autograd.node import forward_traceback
from .._autograd.tensor import Tensor


class Log:
    """The operations that saved tensors in forward and in recomputation, with the stack of each call."""

    def __init__(self) -> None:
        self.forward: list[tuple[str, list[str]]] = []
        self.recomputation: list[tuple[str, list[str]]] = []

    def record(self, tensor: Tensor, recomputing: bool) -> None:
        """Record that a tensor is being saved."""
        entry = f"{_operation()} saved {tensor.dtype} {list(tensor.shape)}"
        (self.recomputation if recomputing else self.forward).append((entry, forward_traceback()))

    def text(self) -> str:
        """The log in torch's format."""
        return _TEXT.format(
            forward_traces=_traces(self.forward, "original"),
            recompute_traces=_traces(self.recomputation, "recompute"),
            forward_ops="\n".join(entry for entry, _ in self.forward),
            recompute_ops="\n".join(entry for entry, _ in self.recomputation),
        )


def _operation() -> str:
    """The operation on the stack: the only frame whose code was generated and is in no file."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<row "):
            return name[len("<row ") :].partition(".")[0]
        frame = frame.f_back
    return "a function of the program"


def _traces(entries: list[tuple[str, list[str]]], label: str) -> str:
    return "".join(
        f"{entry}   ({number} of {len(entries)} in {label})\n\n{''.join(trace)}\n\n"
        for number, (entry, trace) in enumerate(entries, 1)
    )


_TEXT = """ An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.
Scroll all the way down for guidance on how to navigate these logs.

+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        1. Stack traces of the operators that ran in the original forward     |
+------------------------------------------------------------------------------+

{forward_traces}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        2. Stack traces of the operators that ran during recomputation        |
+------------------------------------------------------------------------------+

{recompute_traces}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|       3. Log of operators in the original forward and recomputation          |
+------------------------------------------------------------------------------+
(Scroll up to correlate stack traces with each operation listed below. This
 helps identify their source in the code.)

IMPORTANT: Differences in "detach" calls between the original forward and the
           recomputation are expected. They are introduced by the checkpointing
           mechanism and can be ignored.

Operations executed during the original forward:

{forward_ops}

Operations executed during recomputation:

{recompute_ops}

+------------------------------------------------------------------------------+
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To identify where the mismatch may be coming from, you can do the following:

 1) Compare the operators ran during original forward and recomputation to
    see where they differ. These operators are printed above in the order they
    were executed.

 2) Review the stack trace for each operator to locate its invocation source.
    Each operator's stack trace is printed in their execution order.

 Note that the logs can be quite long. Here's how they are structured:
 (Tip: you can Ctrl-f for these headers)

 1. Stack traces of the operators that ran in the original forward
 2. Stack traces of the operators that ran during recomputation
 3. Log of operators in the original forward and recomputation
 4. Error message                                             <--- You are here
--------------------------------------------------------------------------------
"""
