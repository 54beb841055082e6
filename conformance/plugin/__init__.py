"""The parts of the pytest plugin: options, items, processes, the fast protocol, and the reporter."""

import sys


def is_in_use() -> bool:
    """Whether a scenario file was collected; a run without one loads nothing else of the plugin."""
    return f"{__name__}.items" in sys.modules
