"""torch.return_types: the named tuples that operators with several results return (torch: python_return_types.cpp)."""

from ._c10.structseq import NAMED as _NAMED

globals().update(_NAMED)
