"""torch.Tag: properties of operators for compilers (torch: native/tags.yaml)."""

from __future__ import annotations

from enum import Enum


class Tag(Enum):
    """A property of an operator."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return self.value


Tag.__module__ = "torch"
Tags = Tag | list[Tag] | tuple[Tag, ...]


def listed(tags: Tags) -> tuple[Tag, ...]:
    """The tags as a tuple; a single one may be given by itself."""
    return (tags,) if isinstance(tags, Tag) else tuple(tags)
