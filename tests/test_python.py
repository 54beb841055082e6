"""The lowest version of Python is said where an older one first meets the suite."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import conformance


def test_an_older_python_is_told_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the import, in words, not as a mistake of syntax."""
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    text = Path(conformance.__file__).read_text(encoding="utf-8")
    with pytest.raises(ImportError, match=r"needs Python 3\.11 or newer, and this is Python 3\.10$"):
        exec(compile(text, "__init__.py", "exec"), {"__name__": "conformance"})
