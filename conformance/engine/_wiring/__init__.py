"""The top layer: it fills the slots of lower layers and lists all functions."""
