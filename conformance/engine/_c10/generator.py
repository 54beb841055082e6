"""torch's random number generator for the CPU: the Mersenne Twister, its seeding and its state (torch: CPUGeneratorImpl)."""

from __future__ import annotations

import functools
import os
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_SEED = 67280421310721

# The bytes of torch's CPUGeneratorImplState: seed, left, seeded, next, 624 words (each in eight bytes),
# the cached normal sample as x, y, rho and a flag, then the float32 cache, which torch no longer uses.
_STATE = struct.Struct("<Qii Q 4992s ddd i4x f?3x")

_HIGH = np.uint64(32)
_LOW53 = np.uint64((1 << 53) - 1)
_LOW24 = np.uint64((1 << 24) - 1)


class Generator:
    """A stream of 32-bit words, and the cached second sample of a pair of normal samples."""

    __slots__ = ("_seed", "_seeded", "_twister", "_untouched", "next_normal")

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self._twister: np.random.MT19937 | None = None
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Seed the stream; 2**64 is added to a negative seed."""
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % (1 << 64)
        self._seeded = False
        self._untouched = True
        self.next_normal: float | None = None
        return self

    def _stream(self) -> np.random.MT19937:
        """The Mersenne Twister, created on first use, since importing numpy.random is slow."""
        if self._twister is None:
            self._twister = np.random.MT19937(0)
        if not self._seeded:
            # Like torch, this is initialized by one 32-bit number; numpy's newer ways of seeding differ.
            self._twister._legacy_seeding(self._seed & 0xFFFFFFFF)
            self._seeded = True
        return self._twister

    def seed(self) -> int:
        """Seed from the system's entropy; return the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") & ((1 << 53) - 1))
        return self._seed

    def initial_seed(self) -> int:
        """The last seed."""
        return self._seed

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next 32-bit draws, in 64 bits each."""
        if count:
            self._untouched = False
        return self._stream().random_raw(count)

    def double_words(self, count: int) -> NDArray[np.uint64]:
        """The next 64-bit draws: two words each, the first one high."""
        pairs = self.words(2 * count)
        return pairs[0::2] << _HIGH | pairs[1::2]

    def floats(self, count: int) -> NDArray[np.float32]:
        """Uniform in [0, 1): the low 24 bits of a word."""
        return (self.words(count) & _LOW24).astype(np.float32) * np.float32(2.0**-24)

    def doubles(self, count: int) -> NDArray[np.float64]:
        """Uniform in [0, 1): the low 53 bits of two words."""
        return (self.double_words(count) & _LOW53).astype(np.float64) * 2.0**-53

    def _words_and_position(self) -> tuple[bytes, int]:
        state = self._stream().state["state"]
        return state["key"].astype("<u8").tobytes(), int(state["pos"])

    def get_state(self) -> NDArray[np.uint8]:
        """The state, with the same bytes as torch's ``get_state``."""
        words, position = self._words_and_position() if self._seeded else (_seeded_words(self._seed), 624)
        # torch has next = 0 before the first draw and next = 624 after the 624th; numpy has 624 in both cases.
        position = 0 if self._untouched else position
        left = 1 if self._untouched else 625 - position
        cached = self.next_normal is not None
        normal = self.next_normal or 0.0
        packed = _STATE.pack(self._seed, left, 1, position, words, 0.0, normal, 0.0, cached, 0.0, False)
        return np.frombuffer(packed, np.uint8).copy()

    def set_state(self, state: NDArray[np.uint8]) -> Generator:
        """Restore a state from ``get_state``."""
        if state.size != _STATE.size:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.size} "
                f"but found the input RNG state size to be {state.size}"
            )
        seed, left, seeded, position, words, _, normal, _, cached, _, _ = _STATE.unpack(state.tobytes())
        if not (seeded and 0 < left <= 624 and position <= 624):
            raise RuntimeError("Invalid mt19937 state")
        if position == 0 and words == _seeded_words(seed):
            self.manual_seed(seed)
            self.next_normal = normal if cached else None
            return self
        self._seed = seed
        self._untouched = position == 0
        self._stream().state = {
            "bit_generator": "MT19937",
            "state": {"key": np.frombuffer(words, "<u8").astype(np.uint32), "pos": position or 624},
        }
        self.next_normal = normal if cached else None
        return self


@functools.lru_cache(maxsize=16)
def _seeded_words(seed: int) -> bytes:
    """The state words of a new stream, as eight bytes each."""
    return Generator(seed)._words_and_position()[0]
