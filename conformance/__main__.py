"""``python -m conformance``, and the command ``conformance``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run a command; an interrupt while it is being imported ends it as later ones do."""
    try:
        from conformance.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("\nconformance: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
