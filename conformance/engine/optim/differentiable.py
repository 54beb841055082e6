"""Steps as operations on tensors: those that autograd records (``differentiable=True``), and those of halves.

Each is a method of its optimizer, and takes the gradient as it shall be descended along, but for the weights' decay.
Settings may be tensors that require grad where torch lets them. What a node has saved is written to in the next step,
so that some of it is cloned.
"""

from __future__ import annotations

from typing import Any

from ..from_data import as_tensor
from ..ops.joining import cat
from ..ops.parts import view_as_complex, view_as_real
from ..tensor import Tensor
from .steps import count_step

Group = dict[str, Any]


def sgd(self: Any, param: Any, grad: Any, group: Group) -> None:
    """SGD's step; the first momentum is the gradient without its history."""
    momentum, lr = group["momentum"], _scalar(group["lr"])
    grad = _decayed(param, grad, group["weight_decay"])
    if momentum:
        own = self.state[param]
        buffer = own.get("momentum_buffer")
        if buffer is None:
            buffer = own["momentum_buffer"] = grad.detach().clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
    if _requires_grad(lr):
        param.addcmul_(grad, lr, value=-1)
    else:
        param.add_(grad, alpha=-lr)


def rmsprop(self: Any, param: Any, grad: Any, group: Group) -> None:
    """RMSprop's step."""
    own = self._started(param, group)
    alpha, momentum, lr = group["alpha"], group["momentum"], _scalar(group["lr"])
    count_step(own, group, xla=True)
    param, grad = _parts(param, _decayed(param, grad, group["weight_decay"]))
    (square,) = _parts(own["square_avg"])
    _decay_square(square, grad, alpha)
    if group["centered"]:
        (mean,) = _parts(own["grad_avg"])
        mean.lerp_(grad, 1 - alpha)
        root = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        root = square.sqrt()
    root = root.add(group["eps"])
    if momentum > 0:
        (buffer,) = _parts(own["momentum_buffer"])
        buffer.mul_(momentum).addcdiv_(grad, root)
        param.add_(buffer, alpha=-lr)
    else:
        param.addcdiv_(grad, root, value=-lr)


def adagrad(self: Any, param: Any, grad: Any, group: Group) -> None:
    """Adagrad's step."""
    own = self._started(param, group)
    steps = count_step(own, group)
    rate = _scalar(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
    grad = _decayed(param, grad, group["weight_decay"])
    param, grad, total = _parts(param, grad, own["sum"])
    total.addcmul_(grad, grad, value=1)
    param.addcdiv_(grad, total.sqrt() + group["eps"], value=-rate)


def adadelta(self: Any, param: Any, grad: Any, group: Group) -> None:
    """Adadelta's step."""
    own = self._started(param, group)
    rho, eps = group["rho"], group["eps"]
    count_step(own, group, xla=False)
    grad = _decayed(param, grad, group["weight_decay"])
    grad, square, earlier = _parts(grad, own["square_avg"], own["acc_delta"])
    _decay_square(square, grad, rho)
    root = square.add(eps).sqrt_()
    delta = earlier.add(eps).sqrt_().clone()
    delta.div_(root).mul_(grad)
    _decay_square(earlier, delta, rho)
    if param.is_complex():
        delta = view_as_complex(delta)
    param.add_(delta, alpha=-_scalar(group["lr"]))


def rprop(self: Any, param: Any, grad: Any, group: Group) -> None:
    """Rprop's step."""
    own = self._started(param, group)
    shrink, grow = group["etas"]
    count_step(own, group, xla=True)
    param, grad, previous, size = _parts(param, grad, own["prev"], own["step_size"])
    sign = grad.mul(previous.clone()).sign()
    sign[sign.gt(0)] = grow
    sign[sign.lt(0)] = shrink
    sign[sign.eq(0)] = 1
    size.mul_(sign).clamp_(*group["step_sizes"])
    grad = grad.clone()
    grad[sign.eq(shrink)] = 0
    param.addcmul_(grad.sign(), size, value=-1)
    previous.copy_(grad)


def asgd(self: Any, param: Any, grad: Any, group: Group) -> None:
    """ASGD's step."""
    own = self._started(param, group)
    lr, lambd = _scalar(group["lr"]), group["lambd"]
    grad = _decayed(param, grad, group["weight_decay"])
    param, grad, mean = _parts(param, grad, own["ax"])
    steps = count_step(own, group, "params, mus, etas, and state_steps")
    eta = own["eta"].item()
    param.mul_(1 - lambd * eta)
    param.add_(grad, alpha=-eta)
    if own["mu"].item() != 1:
        mean.add_(param.sub(mean).mul_(own["mu"]))
    else:
        mean.copy_(param)
    own["eta"].copy_(as_tensor(lr / ((1 + lambd * lr * steps) ** group["alpha"])))
    own["mu"].copy_(as_tensor(1 / max(1, steps - group["t0"])))


def adam(self: Any, param: Any, grad: Any, group: Group) -> None:
    """Adam's step, with the corrections as tensors.

    Raises:
        RuntimeError: the count of steps requires grad.
    """
    own = self._started(param, group)
    if own["step"].requires_grad:
        raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
    lr, (beta1, beta2) = _scalar(group["lr"]), map(_scalar, group["betas"])
    count_step(own, group)
    if group["decoupled_weight_decay"]:
        if group["weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
    else:
        grad = _decayed(param, grad, group["weight_decay"])
    param, grad, mean, square = _parts(param, grad, own["exp_avg"], own["exp_avg_sq"])
    mean.lerp_(grad, 1 - (beta1.to(dtype=param.dtype) if isinstance(beta1, Tensor) else beta1))
    if _requires_grad(beta2):
        square.lerp_(grad.square(), 1 - beta2)
    else:
        _decay_square(square, grad, beta2)
    if not group["differentiable"]:
        _adam_of_numbers(param, mean, square, group, own, lr, beta1, beta2)
        return
    correction1, correction2 = (
        1 - beta ** (own["step"].clone() if _requires_grad(beta) else own["step"]) for beta in (beta1, beta2)
    )
    size = (lr / correction1).neg()
    scale = correction2.sqrt()
    if group["amsgrad"]:
        (largest,) = _parts(own["max_exp_avg_sq"])
        largest.copy_(largest.clone().maximum(square))
        square = largest
    root = (square.sqrt() / (scale * size)).add_(group["eps"] / size)
    param.addcdiv_(mean.clone(), root)


def _adam_of_numbers(
    param: Any, mean: Any, square: Any, group: Group, own: Group, lr: Any, beta1: Any, beta2: Any
) -> None:
    """The end of Adam's step where nothing is recorded, with the corrections as numbers."""
    steps = own["step"].item()
    if group["amsgrad"]:
        (largest,) = _parts(own["max_exp_avg_sq"])
        square = largest.copy_(largest.maximum(square))
    root = (square.sqrt() / (1 - beta2**steps) ** 0.5).add_(group["eps"])
    param.addcdiv_(mean, root, value=-(lr / (1 - beta1**steps)))


def adamax(self: Any, param: Any, grad: Any, group: Group) -> None:
    """Adamax's step."""
    own = self._started(param, group)
    beta1, beta2 = group["betas"]
    steps = count_step(own, group)
    grad = _decayed(param, grad, group["weight_decay"])
    param, grad, mean, largest = _parts(param, grad, own["exp_avg"], own["exp_inf"])
    mean.lerp_(grad, 1 - beta1)
    both = [largest.mul_(beta2).unsqueeze(0), grad.abs().add_(group["eps"]).unsqueeze_(0)]
    largest.copy_(cat(both, 0).amax(0))
    param.addcdiv_(mean, largest, value=-(_scalar(group["lr"]) / (1 - beta1**steps)))


def nadam(self: Any, param: Any, grad: Any, group: Group) -> None:
    """NAdam's step."""
    own = self._started(param, group)
    lr, (beta1, beta2), decay = _scalar(group["lr"]), group["betas"], group["momentum_decay"]
    param, grad, mean, square = _parts(param, grad, own["exp_avg"], own["exp_avg_sq"])
    steps = count_step(own, group, f"params, mu_products{',' * bool(group['foreach'])} and state_steps")
    if group["decoupled_weight_decay"]:
        if group["weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
    else:
        grad = _decayed(param, grad, group["weight_decay"])
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (steps * decay))
    following = beta1 * (1.0 - 0.5 * 0.96 ** ((steps + 1) * decay))
    product = own["mu_product"]
    product.mul_(mu)
    mean.lerp_(grad, 1 - beta1)
    _decay_square(square, grad, beta2)
    root = square.div(1 - beta2**steps).sqrt().add(group["eps"])
    after = product * following
    if not group["differentiable"]:
        product, after = product.item(), after.item()
        param.addcdiv_(grad, root, value=-lr * (1.0 - mu) / (1.0 - product))
        param.addcdiv_(mean, root, value=-lr * following / (1.0 - after))
        return
    grad = grad * (-lr * (1.0 - mu) / (1.0 - product))
    mean = mean * (-lr * following / (1.0 - after))
    param.addcdiv_(grad, root)
    param.addcdiv_(mean, root)


def radam(self: Any, param: Any, grad: Any, group: Group) -> None:
    """RAdam's step."""
    own = self._started(param, group)
    lr, (beta1, beta2) = _scalar(group["lr"]), group["betas"]
    param, grad, mean, square = _parts(param, grad, own["exp_avg"], own["exp_avg_sq"])
    steps = count_step(own, group)
    if group["decoupled_weight_decay"]:
        if group["weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
    else:
        grad = _decayed(param, grad, group["weight_decay"])
    mean.lerp_(grad, 1 - beta1)
    _decay_square(square, grad, beta2)
    correction = 1 - beta2**steps
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * steps * beta2**steps / correction
    update = mean / (1 - beta1**steps) * lr
    if length > 5.0:
        rectified = ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5
        update = update * (correction**0.5 / square.sqrt().add(group["eps"])) * rectified
    param.add_(update, alpha=-1.0)


def _scalar(setting: Any) -> Any:
    """A setting that may be a tensor of one element, without dimensions."""
    return setting.squeeze() if isinstance(setting, Tensor) and setting.dim() else setting


def _requires_grad(setting: Any) -> bool:
    return isinstance(setting, Tensor) and setting.requires_grad


def _parts(*tensors: Any) -> list[Any]:
    """Complex tensors as real ones with a last dimension for both parts."""
    return [view_as_real(each) if each.is_complex() else each for each in tensors]


def _decayed(param: Any, grad: Any, decay: Any) -> Any:
    """The gradient with the weights' decay added."""
    if not _requires_grad(decay):
        return grad.add(param, alpha=decay) if decay != 0 else grad
    return grad.addcmul_(param.clone(), decay) if decay != 0 else grad


def _decay_square(mean: Any, value: Any, beta: Any) -> None:
    """Move a running mean of squares towards a value's square."""
    mean.mul_(beta).addcmul_(value, value, value=1 - beta)
