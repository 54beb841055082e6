"""What has to be installed for an optional part of the suite."""

from __future__ import annotations

import re
from importlib import metadata

_SUITE = "autograd-conformance"


def how_to_install(extra: str) -> str:
    """The command that installs what an extra of the suite names; works wherever the suite itself came from."""
    try:
        requirements = metadata.requires(_SUITE) or []
    except metadata.PackageNotFoundError:  # in another interpreter, which need not have the suite
        requirements = []
    wanted = re.compile(rf"""^(.+?)\s*;.*\bextra\s*==\s*["']{re.escape(extra)}["']""")
    found = [match[1] for each in requirements if (match := wanted.match(each))]
    named = " ".join(f"'{each}'" for each in found) or f"'{_SUITE}[{extra}]'"
    return f"pip install {named}"
