"""Scenes of derivatives: many operations in one statement, each differentiated once and again.

There are too many operations to draw each often enough, so one statement applies many of them. All are applied to one
matrix of double precision, so that rounding does not matter; a difference names the position in the list.
"""

from __future__ import annotations

from conformance.fuzz.scene import Scene

_GROUPS = (
    """
    x.sin(), x.cos(), x.tan(), x.sinh(), x.cosh(), x.asinh(), x.atan(), (x / 8).asin(), (x / 8).acos(),
    (x / 8).atanh(), (x * x + 2).acosh(), x.sinc()
    """,
    """
    x.exp2(), x.expm1(), (x * x + 1).log2(), (x * x + 1).log10(), (x * x).log1p(), (x * x + 1).rsqrt(), x.erf(),
    x.erfc(), (x / 8).erfinv(), (x / 8 + 0.5).logit(), (x * x + 1).lgamma(), (x * x + 1).digamma()
    """,
    """
    x ** 4, (x * x + 1) ** 0.5, (x * x + 1) ** -1.5, 2 ** x, x.float_power(2), x.deg2rad(), x.frac(), x.trunc(),
    x.sgn(), x.nan_to_num(), x.logaddexp2(x * 2), torch.special.xlog1py(x, x * x)
    """,
    """
    F.relu6(x), F.selu(x), F.celu(x, 2), F.mish(x), F.hardswish(x), F.softsign(x), F.logsigmoid(x), F.tanhshrink(x),
    F.softshrink(x, 1), F.hardshrink(x, 1), F.threshold(x, 1, 7)
    """,
    """
    F.gelu(x, approximate='tanh'), F.glu(x, 1), F.elu(x, 2), F.leaky_relu(x, 0.25), F.prelu(x, x[0, :1]),
    F.softmin(x, 0), F.softplus(x, 2, 1), F.hardtanh(x, -1, 2), x.softmax(0), x.log_softmax(0), x.clamp(-1, 2),
    x.clamp(x * 0, x * x)
    """,
    """
    x.var(), x.var(0, correction=0), x.std(-1), x.std((0, 1)), torch.var_mean(x, 0)[0], torch.std_mean(x, -1)[0],
    x.mean((0, 1)), x.norm(1), x.norm(3, 0), x.norm(float('inf')), x.nansum(0), x.nanmean()
    """,
    """
    x.prod(), x.prod(0), x.amax(), x.amin(0), x.aminmax().max, x.max(1).values, x.min(0).values, x.median(),
    x.median(0).values, x.kthvalue(2, 0).values, x.topk(1).values, x.mode(0).values
    """,
    """
    x.cumsum(0), x.cumprod(1), x.logcumsumexp(0), x.cummax(0).values, x.cummin(1).values, x.logsumexp((0, 1)),
    x.diff(), torch.trapezoid(x), x.dist(x * 2), x.renorm(2, 0, 1.5), x.sort(0, descending=True).values,
    x.quantile(0.25)
    """,
    """
    x.gather(0, torch.tensor([[1, 1]])), x.index_select(1, torch.tensor([1, 1])), x.take(torch.tensor([3, 0, 3])),
    x.index_add(0, torch.tensor([1, 1]), x), x.index_copy(1, torch.tensor([1]), x[:, :1]),
    x.index_fill(0, torch.tensor([0]), 3), x.scatter_add(0, torch.tensor([[1, 0]]), x[:1]),
    x.scatter_reduce(0, torch.tensor([[1, 1]]), x[:1], 'prod'), x[x > 0], x[[0, 0], [1, 1]]
    """,
    """
    x.masked_scatter(x > 0, x * 2), x.where(x > 0, x * x), x.take_along_dim(torch.tensor([[1, 0]]), 0),
    x.select_scatter(x[0], 0, 1), x.slice_scatter(x[:1], 0, 1), x.diagonal_scatter(x[0]),
    x.index_reduce(0, torch.tensor([1, 1]), x, 'amax'), x.tril(-1), x.triu(1),
    x.put(torch.tensor([1, 1]), x[0], accumulate=True)
    """,
    """
    x.roll((1, 1), (0, 1)), x.flip((0, 1)), x.rot90(), x.diag_embed(), x.diagonal(1), x.unfold(1, 2, 1),
    x.tile((2, 1)), x.repeat_interleave(2, 0), x.kron(x), x.trace(), torch.block_diag(x, x),
    torch.tensor_split(x, 2, 1)[1], x.swapaxes(0, 1), x.unflatten(0, (1, 2)),
    torch.meshgrid(x[0], x[1], indexing='ij')[0], torch.cartesian_prod(x[0], x[1]), torch.combinations(x[0])
    """,
    """
    x @ x, x.mv(x[0]), x.mm(x.t()), torch.addmm(x, x, x, beta=0.5, alpha=2),
    torch.addmv(x[0], x, x[1], beta=2, alpha=3), torch.addr(x, x[0], x[1], beta=0.5),
    torch.baddbmm(x[None], x[None], x[None], alpha=0.5), x.matrix_power(3), x.inner(x),
    torch.einsum('ij,jk->ki', x, x), torch.tensordot(x, x), torch.chain_matmul(x, x, x),
    torch.bilinear(x, x, x[None], None)
    """,
    """
    x.det(), x.inverse(), x.slogdet()[1], x.matrix_exp(), torch.linalg.solve(x, x @ x), torch.linalg.pinv(x),
    x.pinverse(), torch.linalg.cholesky(x @ x.t() + 2 * torch.eye(2, dtype=x.dtype)), torch.linalg.norm(x),
    torch.linalg.vector_norm(x, 3), torch.linalg.multi_dot([x, x, x]), torch.linalg.vecdot(x, x * x)
    """,
    """
    F.cross_entropy(x, torch.tensor([1, 0])), F.nll_loss(x, torch.tensor([1, 0])), F.kl_div(x, x.detach() ** 2),
    F.binary_cross_entropy_with_logits(x, x.detach() ** 0), F.binary_cross_entropy(x.sigmoid(), x.detach() * 0),
    F.huber_loss(x, x * 2, delta=2), F.smooth_l1_loss(x, x * 3, beta=0.5), F.soft_margin_loss(x, x.detach().sign()),
    F.poisson_nll_loss(x, x * x), F.gaussian_nll_loss(x, x * 2, x * x + 1), F.l1_loss(x, x * x)
    """,
    """
    F.cosine_embedding_loss(x, x * x, torch.tensor([1, -1])),
    F.margin_ranking_loss(x[0], x[1], x.detach()[0].sign()), F.hinge_embedding_loss(x, x.detach().sign()),
    F.triplet_margin_loss(x, x * 2, x * x), F.multilabel_soft_margin_loss(x, x.detach() * 0),
    F.cosine_similarity(x, x * x), F.pairwise_distance(x, x * 2), F.normalize(x),
    F.cross_entropy(x, torch.tensor([1, 1]), label_smoothing=0.25, reduction='none'),
    F.mse_loss(x, x * 2, reduction='sum')
    """,
    """
    F.linear(x, x, x[0]), F.layer_norm(x, (2,), x[0], x[1]), F.group_norm(x, 2, x[0]), F.rms_norm(x, (2,)),
    F.batch_norm(x, None, None, x[0], x[1], True), F.instance_norm(x[None]), F.local_response_norm(x[None], 2),
    F.embedding(torch.tensor([1, 1]), x), F.embedding_bag(torch.tensor([[1, 0]]), x),
    F.scaled_dot_product_attention(x, x, x), F.pixel_shuffle(x.view(4, 1, 1), 2), F.pixel_unshuffle(x[None], 2),
    F.channel_shuffle(x[None, :, :, None], 2)
    """,
    """
    F.conv1d(x[None], x[None]), F.conv1d(x[:, None], x[:, None], x[0], stride=2, padding=1),
    F.conv_transpose1d(x[None], x[:, :, None]), F.conv2d(x[None, None], x[None, None], padding=1),
    F.max_pool1d(x, 2), F.avg_pool1d(x, 2, padding=1), F.lp_pool1d(x, 2, 2), F.adaptive_avg_pool1d(x, 1),
    F.adaptive_max_pool1d(x, 1), F.max_pool2d(x[None], 2, stride=1, padding=1), F.avg_pool2d(x[None], 2),
    F.pad(x[None], (1, 1), 'reflect'), F.pad(x[None], (1, 1), 'replicate'), F.pad(x[None], (1, 1), 'circular')
    """,
    """
    F.interpolate(x[None], scale_factor=2), F.interpolate(x[None], 3, mode='linear'),
    F.interpolate(x[None, None], 3, mode='bilinear'), F.unfold(x[None, None], 2), F.fold(x.view(1, 4, 1), 2, 2),
    F.grid_sample(x[None, None], x[None, None] / 4, align_corners=False), torch.fft.rfft(x).abs(),
    torch.fft.ifft(x).real, torch.stft(x.view(-1), 2, 1, return_complex=True, center=False).imag
    """,
    """
    x.fmod(x[0] + 4), x.remainder(2), x.fmin(x * x), x.fmax(x[0]), torch.xlogy(x, x * x), x.ldexp(x[0]),
    x.atan2(x * x + 1), x.hypot(x[0]), x.lerp(x * x, x[0]), x.addcdiv(x, x * x + 1, value=3),
    x.addcmul(x, x[0], value=2), x.div(x * x + 1), x.copysign(x[0]), torch.maximum(x, x.t()),
    torch.rsub(x, x[0], alpha=3), torch.complex(x, x * x).abs()
    """,
    """
    F.hardsigmoid(x), torch.cdist(x, x * 2), F.pdist(x), F.multi_margin_loss(x, torch.tensor([1, 0]))
    """,  # once: torch has no second derivative of these
)


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


DERIVATIVE_SCENES: tuple[Scene, ...] = (
    Scene(
        "derivatives",
        (
            tuple(
                f"{{a}} = torch.tensor({numbers}, dtype=torch.float64, requires_grad=True)"
                for numbers in (
                    "[[1., -2.], [0.5, 3.]]", "[[2., 1.], [1., 3.]]", "[[1., 0.], [0., 1.]]",
                    "[[-1., 4.], [2., -0.25]]",
                )
            ),
            tuple(f"{{b}} = (lambda x: [{group}])({{a}})" for group in map(_in_a_line, _GROUPS)),
            (
                "{c} = [torch.autograd.grad(each.sum(), {a}, create_graph=True)[0] for each in {b}]",
                "{c} = [torch.autograd.grad((each * each).sum(), {a}, create_graph=True)[0] for each in {b}]",
                "{c} = [torch.autograd.grad(each.sum(), {a}, retain_graph=True)[0] for each in {b}]",
            ),
            (
                "sum(each.sum() for each in {c} if each.requires_grad).backward()",
                "sum(each.sum() for each in {b}).backward()", "",
            ),
        ),
    ),
)  # fmt: skip
