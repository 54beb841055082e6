"""The suite's own tests run pytest within pytest."""

pytest_plugins = ["pytester"]
