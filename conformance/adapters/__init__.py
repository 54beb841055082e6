"""The engines: adapters, remote and recorded engines, and the registry."""
