"""Engines, as the runner sees them."""
