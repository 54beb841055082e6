import torch
import torch.nn as nn
G = nn.Linear(1, 1)
D = nn.Linear(1, 1)
g_opt = torch.optim.Adam(G.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(D.parameters(), lr=1e-3)
z = torch.ones(2, 1)
for it in range(2):
    fake = G(z)
    d_loss = D(fake.detach()).mean()
    d_opt.zero_grad()
    d_loss.backward()
    print("G grad after D step:", G.weight.grad)
    d_opt.step()
g_loss = -D(G(z)).mean()
g_loss.backward()
print(G.weight.grad is not None)
