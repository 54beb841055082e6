"""torch.special."""

from __future__ import annotations

from ._arguments.absent_names import look_up
from ._arguments.argument_errors import check_all_arguments
from ._arguments.function_names import with_public_names
from ._aten.operators import FUNCTIONS
from ._aten.special.special import SPECIAL
from ._c10.keyword_names import all_renaming

_FOUND = check_all_arguments(all_renaming(SPECIAL, "special_"), "special_") | {
    "logsumexp": FUNCTIONS["logsumexp"]
}
globals().update(_FOUND | with_public_names(_FOUND, "special_", FUNCTIONS.values()))

__getattr__ = look_up("torch.special")
