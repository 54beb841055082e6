"""torch._tensor_str: the repr of tensors, and ``printoptions``, which torch has only here."""

from ._c10.number_format import get_printoptions, printoptions, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]
