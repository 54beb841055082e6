"""Operators on each element."""
