# other packages of Python in words of the language
import copy
import math
from collections import OrderedDict
from functools import partial
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
from torch.distributions import *


class Positions(nn.Module):
    def __init__(self, d_model: int, names: Optional[List[str]] = None) -> None:
        super().__init__()
        self.scale = math.sqrt(d_model)
        angle = torch.arange(2) * (-math.log(4.0) / d_model)
        self.register_buffer("pe", torch.full((d_model,), 0.5))
        self.kept: List[int] = []

    def forward(self, x: torch.Tensor, mask: "torch.Tensor" = None) -> Tuple[torch.Tensor, float]:
        return x * self.scale + self.pe, math.pi / 2


def scaled(x, by, *, plus=0.0):
    return x * by + plus


m = Positions(4)
again = copy.deepcopy(m)
triple = partial(scaled, by=3.0, plus=1.0)
net = nn.Sequential(OrderedDict([("first", nn.Identity()), ("second", nn.ReLU())]))
x = torch.ones(4, requires_grad=True)
out, half = again(triple(x))
net(out).sum().backward()
print("{} of {}:\n{}".format(
    x.grad,
    m.__class__.__name__,
    math.floor(half),
))
setattr(m, "scale", 1.5)
print(getattr(m, "scale"))
print(Normal(0.0, 2.0).variance)
