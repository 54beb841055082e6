import torch
import torch.nn as nn

activation = {}
def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()
    return hook

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
model[1].register_forward_hook(get_activation("relu"))
x = torch.ones(1, 2)
output = model(x)
print(activation["relu"].shape)
