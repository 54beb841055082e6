"""What torch has and the engine leaves out on purpose, by namespace: no derivative of a program that people write needs it."""

GONE = {
    "torch.autograd.profiler": "profiler",
    "torch.autograd.profiler_util": "profiler",
    "torch.profiler": "profiler",
    "torch.utils.data": "data loading",
}
"""The namespaces, and the name of the part; single names say theirs."""


def said(path: str) -> str:
    """The text of the error for a name of torch that the engine lacks."""
    part = GONE.get(path)
    return path if part is None else f"{path}: conformance.engine has no {part}; torch has"
