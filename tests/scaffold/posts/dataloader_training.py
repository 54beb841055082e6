import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm
import time

X = torch.arange(8.).reshape(4, 2)
y = torch.ones(4, 1)
loader = DataLoader(TensorDataset(X, y), batch_size=2)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
start = time.time()
for epoch in range(2):
    for xb, yb in tqdm(loader):
        optimizer.zero_grad()
        loss = ((model(xb) - yb) ** 2).mean()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
print("took", time.time() - start)
