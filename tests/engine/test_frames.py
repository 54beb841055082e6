"""The variables of the engine's frames can be read, as debuggers and pytest read those of a failure."""

import sys
from types import FrameType
from typing import Any

from conformance import engine


def test_frames_of_functions_that_a_transform_stands_before() -> None:
    found = []

    def look(x: Any) -> Any:
        def read(frame: FrameType, event: str, argument: object) -> None:
            if event == "call" and "conformance" in frame.f_globals.get("__name__", ""):
                found.append((frame.f_code.co_freevars, dict(frame.f_locals)))

        sys.setprofile(read)
        try:
            return engine.diff(engine.argsort(x))
        finally:
            sys.setprofile(None)

    engine.vmap(look)(engine.ones(2, 3))
    assert any(free for free, _ in found), "no function with variables of another was called"
