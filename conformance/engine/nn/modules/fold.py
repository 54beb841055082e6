"""The Unfold and Fold modules."""

from ._applied import module_of

_WINDOWS = "kernel_size={0.kernel_size}, dilation={0.dilation}, padding={0.padding}, stride={0.stride}"

Unfold = module_of(
    "Unfold", "unfold", "Extracts sliding windows of images as columns (im2col).", _WINDOWS, "kernel_size",
    dilation=1, padding=0, stride=1,
)  # fmt: skip
Fold = module_of(
    "Fold", "fold", "Sums overlapping columns to images (col2im).", f"output_size={{0.output_size}}, {_WINDOWS}",
    "output_size", "kernel_size", dilation=1, padding=0, stride=1,
)  # fmt: skip
