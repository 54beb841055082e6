"""The PixelShuffle and PixelUnshuffle modules."""

from ._applied import module_of

PixelShuffle = module_of(
    "PixelShuffle", "pixel_shuffle", "Rearranges channels into larger images.", "upscale_factor={0.upscale_factor}",
    "upscale_factor",
)  # fmt: skip
PixelUnshuffle = module_of(
    "PixelUnshuffle", "pixel_unshuffle", "Rearranges pixels into channels.", "downscale_factor={0.downscale_factor}",
    "downscale_factor",
)  # fmt: skip
