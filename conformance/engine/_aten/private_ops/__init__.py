"""Operators whose names begin with an underscore, those for torch's own tests, and those that torch removed."""
