import torch
import torch.nn as nn
rnn = nn.RNN(2, 3)
h = torch.zeros(1, 1, 3)
for t in range(2):
    x = torch.ones(1, 1, 2)
    out, h = rnn(x, h)
    loss = out.sum()
    loss.backward()
