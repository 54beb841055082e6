import torch
import torch.nn as nn

torch.manual_seed(42)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.tensor([[1., 2.], [3., 4.]])
Y = torch.tensor([[1.], [2.]])
losses = []
for epoch in range(5):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(X), Y)
    loss.backward()
    opt.step()
    losses.append(loss.item())
    print(f"epoch {epoch}: loss = {loss.item():.4f}")
print(losses[-1] < losses[0])
