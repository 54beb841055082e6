"""The source of the functions and node classes that are generated from an operator's row (torch: tools/autograd)."""
