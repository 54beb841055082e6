import pytest
import torch

w = torch.ones(3, requires_grad=True)
try:
    w.add_(1)
except RuntimeError as e:
    print(e)
with pytest.raises(RuntimeError, match="scalar"):
    (w * 2).backward()
a, b = torch.tensor(1.0, requires_grad=True), 3
c = a * b; c.retain_grad(); c.backward()
