"""Run random programs on the reference and an engine; divergences are shrunk to scenarios."""
