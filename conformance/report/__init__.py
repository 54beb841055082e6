"""Outcomes -> text: pure functions over frozen data."""
