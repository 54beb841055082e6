"""What torch has and the engine leaves out on purpose: no derivative of a program that people write needs it."""

GONE = {
    "torch.bartlett_window": "windows but hann and hamming",
    "torch.blackman_window": "windows but hann and hamming",
    "torch.eig": "functions that only raise",
    "torch.from_dlpack": "DLPack",
    "torch.frombuffer": "tensors over buffers",
    "torch.get_deterministic_debug_mode": "debug modes",
    "torch.get_num_interop_threads": "threads",
    "torch.hash_tensor": "hashing",
    "torch.histogram": "histograms with edges",
    "torch.histogramdd": "histograms with edges",
    "torch.kaiser_window": "windows but hann and hamming",
    "torch.load": "serialization",
    "torch.lobpcg": "lobpcg",
    "torch.lstsq": "functions that only raise",
    "torch.matrix_rank": "functions that only raise",
    "torch.nn.Container": "nn.Container",
    "torch.nn.LinearCrossEntropyOptions": "linear_cross_entropy in chunks",
    "torch.profiler": "profiler",
    "torch.save": "serialization",
    "torch.serialization": "serialization",
    "torch.set_deterministic_debug_mode": "debug modes",
    "torch.set_num_interop_threads": "threads",
    "torch.signal": "torch.signal",
    "torch.solve": "functions that only raise",
    "torch.symeig": "functions that only raise",
    "torch.to_dlpack": "DLPack",
    "torch.autograd.profiler": "profiler",
    "torch.autograd.profiler_util": "profiler",
    "torch.sparse.check_sparse_tensor_invariants": "checks of sparse tensors' invariants",
    "torch.utils.data": "data loading",
    "torch.utils.dlpack": "DLPack",
}
"""By name or namespace, the part. Single names of a namespace that stays, as of torch.distributions, say themselves."""


def said(path: str) -> str:
    """The text of the error for a name of torch that the engine lacks."""
    part = GONE.get(path)
    return path if part is None else f"{path}: conformance.engine has no {part}; torch has"
