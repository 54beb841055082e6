"""torch.random: the state of the random number generator (torch: random.py)."""

from ._arguments.absent_names import look_up
from ._autograd.random_state import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__getattr__ = look_up("torch.random")
