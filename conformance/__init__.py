"""Conformance suite for autograd engines, with PyTorch as the reference."""

import sys

__version__ = "0.1.0"

if sys.version_info < (3, 11):  # noqa: UP036 - said here rather than by the first newer word of Python
    _HERE = ".".join(map(str, sys.version_info[:2]))
    raise ImportError(f"autograd-conformance needs Python 3.11 or newer, and this is Python {_HERE}")
