"""Above all layers: what fills the slots of lower ones, and lists of all functions."""
