"""Random programs on the reference and an engine; what diverges is shrunk to a scenario."""
