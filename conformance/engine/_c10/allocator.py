"""Settings of the C library's memory allocator.

Note [Freed memory is kept]: a kernel written in numpy makes several arrays, and frees most of them. glibc gives blocks
of 128 kB and more back to the system at once, so that each new array of that size costs a page fault every 4 kB: three
quarters of the time of gelu on 512 x 512 elements. glibc stops doing so once the program has freed a block of 32 MB;
``mallopt`` sets this from the start. At most 64 MB of freed memory stay with the process.
"""

from __future__ import annotations

import contextlib
import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of malloc.h
_LARGEST = 32 * 2**20


def keep_freed_memory() -> None:
    """See Note [Freed memory is kept]; nothing happens where the C library is not glibc."""
    with contextlib.suppress(OSError, TypeError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, 2 * _LARGEST)
