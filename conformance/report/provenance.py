"""Where results come from: what ran, on what, and how it is called again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Provenance:
    """The circumstances of a run, as texts; an empty one is not known or does not apply."""

    date: str = ""  # when it began, in UTC
    suite: str = ""  # versions
    torch: str = ""
    numpy: str = ""
    python: str = ""
    system: str = ""
    processor: str = ""
    command: str = ""
    commit: str = ""  # of the repository in the current folder
    specs: str = ""  # the version in specs/CHANGES.md
    specs_hash: str = ""  # of the content of all specs, whichever of them run
    tier: str = ""
    shard: str = ""  # as 2/8

    def to_plain(self) -> dict[str, str]:
        """What is known, as a dictionary."""
        return {name: text for name, text in asdict(self).items() if text}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Provenance:
        """What `to_plain` wrote, among other things."""
        known = {name: data[name] for name in (each.name for each in fields(cls)) if name in data}
        return cls(**{name: text for name, text in known.items() if isinstance(text, str)})


def described(about: Provenance, seconds: float | None = None) -> Iterator[tuple[str, str]]:
    """The circumstances with their names, for readers."""
    specs = about.specs and f"version {about.specs}{about.specs_hash and f', {about.specs_hash}'}"
    rows = (
        ("date", about.date),
        ("duration", duration(seconds)),
        ("command", about.command),
        ("commit", about.commit),
        ("specs", specs),
        ("tier", about.tier),
        ("shard", about.shard),
        ("suite", about.suite),
        ("torch", about.torch),
        ("NumPy", about.numpy),
        ("Python", about.python),
        ("system", about.system),
        ("processor", about.processor),
    )
    return ((name, text) for name, text in rows if text)


def duration(seconds: float | None) -> str:
    """A length of time for readers: ``48 s``, ``5 min 10 s``."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
