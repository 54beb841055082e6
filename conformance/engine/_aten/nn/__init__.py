"""Operators that modules are made of."""
