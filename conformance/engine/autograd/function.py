"""torch.autograd.Function."""


class Function:
    """Placeholder."""
