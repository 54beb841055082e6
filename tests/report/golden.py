"""Texts kept in files, which a person has looked at. ``WRITE_GOLDEN=1 pytest tests/report`` writes them again."""

from __future__ import annotations

import os
from pathlib import Path


def check(path: Path, text: str) -> None:
    """The text is that of the file, to the last character."""
    if os.environ.get("WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        f"{path.name} has another text; look at it, then write it again"
    )
