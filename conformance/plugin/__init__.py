"""What the pytest plugin is made of, beside its hooks: options, items, processes beside, and the report at the end."""

import sys


def is_in_use() -> bool:
    """Whether a file of scenarios was met: nothing of this costs a run without one."""
    return f"{__name__}.items" in sys.modules
