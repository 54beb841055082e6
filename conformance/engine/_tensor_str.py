"""torch._tensor_str: how tensors print, as programs import it from there; torch has ``printoptions`` here alone."""

from ._c10.number_format import get_printoptions, printoptions, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]
