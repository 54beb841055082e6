# errors within blocks, and a loop that ends when it is done
import torch


def main():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x
    while y.sum() < 20:
        y = y * 2
    print(y)
    for index, dim in [(0, 1), (torch.tensor([0]), 0)]:
        try:
            z = torch.index_select(x, dim, index)
        except (RuntimeError, TypeError, IndexError) as error:
            print(error)
    with torch.no_grad():
        w = x.view(-1)
        try:
            w.add_(1)
            x.requires_grad_(False)
            y.requires_grad_(False)
        except RuntimeError as e:
            print("caught", e)
        w.mul_(2)
        print(w)


main()
