import torch
import matplotlib.pyplot as plt

w = torch.tensor(5.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
history = []
for i in range(10):
    opt.zero_grad()
    loss = w ** 2
    loss.backward()
    opt.step()
    history.append(loss.item())
fig, ax = plt.subplots()
ax.plot(history)
ax.set_title("loss")
plt.show()
print(w)
