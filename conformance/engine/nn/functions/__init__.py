"""The parts of torch.nn.functional, by kind."""
