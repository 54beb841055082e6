# Blocks on the lines of their headers, as people write them who save lines
import torch

def main():
    x = torch.tensor([1., 2.], requires_grad=True)
    try: x.add_(1)
    except RuntimeError as e: print(e)
    try: y = x * 2; y.backward(); print(y)
    except RuntimeError as e:
        print("not a scalar:", e)
    with torch.no_grad(): z = x * 2; print(z.requires_grad)
    print(z); print(x.grad); z
    (x * z).sum().backward()
    print(x.grad)

if __name__ == '__main__': main()
