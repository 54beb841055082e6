"""Faults of the in-house engine that the specs must catch."""
