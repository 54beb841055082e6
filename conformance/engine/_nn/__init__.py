"""Functions of torch.nn.functional, with their checks."""
