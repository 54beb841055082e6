"""The kernel's own wall beneath the audit hook, where Linux and the package landlockpy have it.

Note [The wall of the kernel]: C++ of an engine opens files without telling Python, so the audit hook does not see it.
Landlock is the kernel's: after an engine has been imported, its process may write no file but ``/dev/null``, start no
program and use no TCP, for as long as it lives. Reading stays with the hook, since libraries are loaded late. An engine
that may do more, or that uses a device, has no such wall.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any


def wall_in(engine: Any) -> bool:
    """Put this process behind the wall, if there is one."""
    if getattr(engine, "may", ()) or getattr(engine, "unbounded", False):
        return False
    if getattr(engine, "device", "cpu") not in ("cpu", "meta"):
        return False
    try:
        from landlockpy import AccessFS, AccessNet, LandlockError, Ruleset, UnsupportedError
    except ImportError:
        return False
    # Modules that are imported late ask for the folder of temporary files, which is found by writing to it, and torch's
    # first optimizer makes a folder unless it is there.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.gettempdir()
    reading = AccessFS.READ_FILE | AccessFS.READ_DIR | AccessFS.IOCTL_DEV | AccessFS.RESOLVE_UNIX
    writing = AccessFS.NONE
    for each in AccessFS:
        writing |= each & ~reading
    try:
        with Ruleset(handled_fs=writing, handled_net=AccessNet.BIND_TCP | AccessNet.CONNECT_TCP) as rules:
            rules.allow_path(os.devnull, AccessFS.WRITE_FILE | AccessFS.TRUNCATE)
            rules.restrict()
    except (LandlockError, UnsupportedError):  # the kernel has none
        return False
    return True
