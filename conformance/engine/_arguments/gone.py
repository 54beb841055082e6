"""What torch has and the engine leaves out on purpose: no derivative of a program that people write needs it."""

GONE = {
    "torch.frombuffer": "tensors over buffers",
    "torch.from_dlpack": "DLPack",
    "torch.hash_tensor": "hashing",
    "torch.histogram": "histograms with edges",
    "torch.histogramdd": "histograms with edges",
    "torch.load": "serialization",
    "torch.lobpcg": "lobpcg",
    "torch.profiler": "profiler",
    "torch.save": "serialization",
    "torch.serialization": "serialization",
    "torch.signal": "torch.signal",
    "torch.to_dlpack": "DLPack",
    "torch.autograd.profiler": "profiler",
    "torch.autograd.profiler_util": "profiler",
    "torch.utils.data": "data loading",
    "torch.utils.dlpack": "DLPack",
}
"""By name or namespace, the part. Single names of a namespace that stays, as of torch.distributions, say themselves."""


def said(path: str) -> str:
    """The text of the error for a name of torch that the engine lacks."""
    part = GONE.get(path)
    return path if part is None else f"{path}: conformance.engine has no {part}; torch has"
