"""The functions of torch.nn.functional, with their argument checks."""
