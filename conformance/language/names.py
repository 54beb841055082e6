"""The words of the vocabulary, and nothing else: what they mean to a program is in ``vocabulary``.

A name is here because a scenario can exercise it on the CPU, and nothing that follows from it reaches a
file, the network, a process or a module. Names stand by area, and there by where torch has them:
``in torch.nn`` is a function or value of that module, ``class in torch.nn`` a class, ``of torch.Tensor`` an
attribute; ``in place`` is the same name with ``_`` behind it, of torch.Tensor.
"""

from __future__ import annotations

from conformance.language import module_names

NAMES: dict[str, dict[str, str]] = {
    "arithmetic": {
        "in torch, of torch.Tensor, in place": """
            add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power
            neg negative reciprocal addcmul addcdiv lerp atan2 arctan2 hypot copysign heaviside xlogy ldexp
            nextafter gcd lcm bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift
            bitwise_right_shift
            """,
        "in torch, of torch.Tensor": "maximum minimum fmax fmin logaddexp logaddexp2 positive dist igamma igammac",
        "in torch": "rsub",
    },
    "comparison": {
        "in torch, of torch.Tensor, in place": """
            eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_and logical_or
            logical_not logical_xor
            """,
        "in torch, of torch.Tensor": """
            isclose allclose equal isnan isinf isfinite isposinf isneginf isreal is_nonzero is_same_size
            """,
        "in torch": "isin",
    },
    "unary": {
        "in torch, of torch.Tensor, in place": """
            abs absolute sign sgn square sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin
            acos atan arcsin arccos arctan sinh cosh tanh asinh acosh atanh arcsinh arccosh arctanh sigmoid
            logit erf erfc erfinv lgamma digamma polygamma mvlgamma i0 sinc ceil floor round trunc fix frac
            deg2rad rad2deg clamp clip clamp_min clamp_max nan_to_num relu
            """,
        "in torch, of torch.Tensor": "signbit frexp",
        "in torch": "relu_ sigmoid_ tanh_ exp_ sin_ cos_ sqrt_ abs_ neg_ clamp_",
    },
    "complex numbers": {
        "in torch, of torch.Tensor, in place": "conj_physical",
        "in torch, of torch.Tensor": "conj real imag angle resolve_conj resolve_neg is_conj is_neg",
        "in torch": "view_as_real view_as_complex complex polar",
    },
    "reduction": {
        "in torch, of torch.Tensor": """
            sum nansum mean nanmean prod std var amax amin aminmax max min all any argmax argmin logsumexp
            norm median nanmedian mode kthvalue quantile nanquantile count_nonzero trace cov corrcoef
            bincount histc
            """,
        "in torch": "std_mean var_mean segment_reduce",
    },
    "scanning": {
        "in torch, of torch.Tensor, in place": "cumsum cumprod",
        "in torch, of torch.Tensor": """
            cummax cummin logcumsumexp sort argsort msort topk unique unique_consecutive diff
            """,
        "in torch": "searchsorted bucketize trapezoid trapz cumulative_trapezoid gradient unravel_index",
    },
    "shape": {
        "in torch, of torch.Tensor, in place": """
            squeeze unsqueeze transpose t swapaxes swapdims tril triu as_strided
            """,
        "in torch, of torch.Tensor": """
            reshape ravel flatten unflatten broadcast_to permute movedim moveaxis narrow narrow_copy select
            unbind split split_with_sizes chunk tensor_split hsplit vsplit dsplit tile repeat_interleave
            roll flip fliplr flipud rot90 diagonal diag diag_embed diagflat clone select_scatter
            slice_scatter diagonal_scatter as_strided_scatter adjoint unsafe_chunk unsafe_split unsafe_split_with_sizes
            """,
        "in torch": """
            alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy slice_copy
            split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy
            view_as_complex_copy view_as_real_copy view_copy
            cat concat concatenate stack hstack vstack dstack row_stack column_stack atleast_1d atleast_2d
            atleast_3d meshgrid cartesian_prod combinations block_diag broadcast_tensors broadcast_shapes
            tril_indices triu_indices
            """,
        "of torch.Tensor": """
            view view_as reshape_as expand expand_as repeat unfold sum_to_size contiguous T mT H mH
            """,
    },
    "indexing": {
        "in torch, of torch.Tensor, in place": """
            index_add index_copy index_fill index_put index_reduce scatter scatter_add scatter_reduce
            masked_fill masked_scatter
            """,
        "in torch, of torch.Tensor": """
            index_select gather masked_select where take take_along_dim nonzero nonzero_static argwhere
            """,
        "in torch": "index_put_",
        "of torch.Tensor": "fill_diagonal_ put put_",
    },
    "matrix": {
        "in torch, of torch.Tensor, in place": "addmm addmv addr addbmm baddbmm renorm",
        "in torch, of torch.Tensor": "matmul mm bmm mv dot vdot inner outer ger kron cross",
        "in torch": """
            einsum tensordot chain_matmul cdist vander bilinear norm_except_dim lu_unpack constant_pad_nd frobenius_norm
            nuclear_norm
            """,
    },
    "linear algebra": {
        "in torch, of torch.Tensor": """
            det logdet slogdet inverse pinverse cholesky cholesky_solve cholesky_inverse qr svd matrix_exp
            matrix_power triangular_solve geqrf orgqr ormqr
            """,
        "in torch.linalg": """
            cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh
            householder_product inv inv_ex lstsq lu lu_factor
            lu_factor_ex lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet
            solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
            """,
        "in torch": "lu lu_solve svd_lowrank pca_lowrank",
    },
    "Fourier transforms": {
        "in torch.fft": """
            fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn
            fftfreq rfftfreq fftshift ifftshift
            """,
        "in torch, of torch.Tensor": "stft istft",
        "in torch": "hann_window hamming_window",
    },
    "special functions": {
        "in torch.special": """
            digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e
            log1p log_ndtr log_softmax logit logsumexp multigammaln ndtr ndtri polygamma psi round sinc
            softmax xlog1py xlogy zeta
            """,
    },
    "creation": {
        "in torch": """
            tensor as_tensor asarray zeros ones full empty zeros_like ones_like full_like empty_like
            empty_strided empty_permuted arange linspace logspace eye scalar_tensor from_numpy fill
            """,
        "of torch.Tensor": "new new_tensor new_zeros new_ones new_full new_empty new_empty_strided",
    },
    "random numbers": {
        "in torch": """
            rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial
            poisson binomial manual_seed seed get_rng_state set_rng_state initial_seed default_generator
            """,
        "in torch.random": "manual_seed fork_rng get_rng_state set_rng_state",
        "class in torch": "Generator",
        "of torch.Generator": "manual_seed seed get_state set_state clone_state initial_seed device",
        "of torch.Tensor": """
            bernoulli multinomial normal_ uniform_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_
            random_
            """,
    },
    "types": {
        "class in torch": """
            Tensor Size dtype device finfo iinfo FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor
            CharTensor ByteTensor BoolTensor DisableTorchFunction DisableTorchFunctionSubclass
            """,
        "in torch.types": "Number Device _size",
        "class in torch.types": "_dtype _int _float _bool _device",
        "in torch.functional": """
            atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors cartesian_prod block_diag cdist
            chain_matmul einsum istft meshgrid norm split stft tensordot unique unique_consecutive unravel_index
            """,
        "in torch": """
            float16 bfloat16 float32 float64 half float double int8 int16 int32 int64 short int long uint8 uint64 bool
            complex64 complex128 cfloat cdouble
            contiguous_format legacy_contiguous_format preserve_format channels_last channels_last_3d strided pi e inf
            nan newaxis get_default_dtype
            set_default_dtype result_type promote_types can_cast is_tensor is_floating_point
            is_complex is_signed numel typename
            """,
        "in torch.cuda": """
            is_available is_initialized device_count manual_seed manual_seed_all empty_cache memory_allocated
            max_memory_allocated memory_reserved
            """,
        "in torch.accelerator": "is_available current_accelerator device_count",
        "in torch.backends.mps": "is_available is_built",
        "in torch.backends.cudnn": "is_available version deterministic benchmark enabled flags",
        "in torch.version": "cuda",
        "in torch.compiler": "disable allow_in_graph is_compiling is_dynamo_compiling is_exporting reset",
        "of torch.Tensor": """
            to type type_as half bfloat16 float double cfloat cdouble int long short char byte bool cpu cuda
            is_floating_point is_complex is_signed dtype device is_cuda is_meta
            """,
        "of torch.finfo": "eps max min tiny smallest_normal resolution bits",
        "of torch.device": "type index",
    },
    "mixed precision": {
        "class in torch": "autocast",
        "class in torch.amp": "autocast GradScaler",
        "class in torch.amp.autocast_mode": "autocast",
        "class in torch.cuda.amp": "autocast GradScaler",
        "of torch.amp.GradScaler": """
            scale unscale_ update get_scale is_enabled
            """,
        "in torch": """
            is_autocast_enabled set_autocast_enabled get_autocast_dtype set_autocast_dtype is_autocast_cache_enabled
            set_autocast_cache_enabled clear_autocast_cache autocast_increment_nesting autocast_decrement_nesting
            is_autocast_cpu_enabled set_autocast_cpu_enabled get_autocast_cpu_dtype set_autocast_cpu_dtype
            get_autocast_gpu_dtype
            """,
        "in torch.amp": "custom_fwd custom_bwd is_autocast_available",
        "in torch.cuda.amp": "custom_fwd custom_bwd",
    },
    "tensors": {
        "of torch.Tensor": """
            shape size dim ndim ndimension numel nelement stride storage_offset element_size
            itemsize nbytes sparse_dim dense_dim
            is_contiguous data_ptr storage untyped_storage get_device
            is_pinned item tolist numpy is_set_to copy_ fill_ zero_ resize_
            resize_as_ set_ apply_ map_ layout is_coalesced
            module_load
            """,
        "in torch.utils": "swap_tensors",
        "in torch.testing": "make_tensor assert_close",
        "of torch.UntypedStorage": "data_ptr nbytes size",
        "in torch": """
            set_printoptions get_device _assert is_storage
            """,
    },
    "sparse tensors": {
        "in torch": "sparse_coo_tensor sparse_coo spmm",
        "of torch.Tensor": """
            is_sparse indices values _indices _values _nnz coalesce to_sparse to_dense
            sparse_mask
            """,
        "in torch.sparse": "sum mm addmm softmax log_softmax",
    },
    "autograd": {
        "in torch": "detach detach_ is_inference",
        "in torch.autograd": "backward grad gradcheck gradgradcheck variable",
        "class in torch.autograd": "Variable",
        "of torch.Tensor": """
            backward grad grad_fn _grad_fn requires_grad requires_grad_ is_leaf retain_grad retains_grad detach
            detach_ data output_nr grad_dtype _version _base _is_view _view_func _view_func_unsafe is_inference
            as_subclass
            """,
        "in torch.autograd.functional": "jacobian hessian vjp jvp hvp vhp",
        "in torch.utils.checkpoint": """
            checkpoint checkpoint_sequential set_checkpoint_early_stop set_checkpoint_debug_enabled
            create_selective_checkpoint_contexts detach_variable
            """,
        "class in torch.utils.checkpoint": "CheckpointPolicy GraphExecGroup",
        "of torch.utils.checkpoint.CheckpointPolicy": "MUST_SAVE PREFER_SAVE MUST_RECOMPUTE PREFER_RECOMPUTE",
        "of SelectiveCheckpointContext": "is_recompute op_output",
    },
    "forward AD": {
        "in torch.autograd.forward_ad": "make_dual unpack_dual enter_dual_level exit_dual_level",
        "class in torch.autograd.forward_ad": "dual_level UnpackedDualTensor _set_fwd_grad_enabled",
        "of torch.autograd.forward_ad.UnpackedDualTensor": "primal tangent",
    },
    "function transforms": {
        "in torch.func": """
            grad grad_and_value vjp jvp jacrev jacfwd hessian vmap functionalize debug_unwrap
            """,
        "of VmapInfo": "batch_size randomness",
        "in torch": "vmap",
        "in torch._vmap_internals": "vmap",
    },
    "graph": {
        "class in torch.autograd.graph": "Node GradientEdge",
        "in torch.autograd.graph": "get_gradient_edge increment_version",
        "of Node": "name next_functions metadata variable _sequence_nr _set_sequence_nr _input_metadata",
        "of torch.autograd.graph.GradientEdge": "node output_nr ownership_token",
        "in torch._C": """
            _current_autograd_node _current_graph_task_id _current_graph_task_execution_order
            _will_engine_execute_node
            """,
        "of Variable": "_execution_engine",
        "of Engine": "queue_callback is_checkpoint_valid",
    },
    "hooks": {
        "of torch.Tensor": """
            register_hook register_post_accumulate_grad_hook _backward_hooks _post_accumulate_grad_hooks
            """,
        "of Node": "register_hook register_prehook",
        "in torch.autograd.graph": "register_multi_grad_hook",
        "of Handle": "remove id",
    },
    "modes": {
        "class in torch": "no_grad enable_grad set_grad_enabled inference_mode",
        "in torch": """
            is_grad_enabled is_inference_mode_enabled is_anomaly_enabled is_anomaly_check_nan_enabled
            set_anomaly_enabled
            """,
        "class in torch.autograd": """
            no_grad enable_grad set_grad_enabled inference_mode detect_anomaly set_detect_anomaly
            set_multithreading_enabled enforce_grad_layout_policy _force_original_view_tracking
            _unsafe_preserve_version_counter
            """,
        "in torch.autograd": "is_view_replay_enabled is_multithreading_enabled",
    },
    "saved tensors": {
        "class in torch.autograd.graph": "saved_tensors_hooks save_on_cpu",
        "in torch.autograd.graph": "disable_saved_tensors_hooks allow_mutation_on_saved_tensors",
        "of SavedTensor": "register_hooks unpack unpack_hook",
    },
    "custom functions": {
        "class in torch.autograd": "Function",
        "class in torch.autograd.function": "Function InplaceFunction",
        "in torch.autograd.function": "once_differentiable",
        "of Function": """
            apply forward backward setup_context save_for_backward save_for_forward mark_shared_storage saved_tensors
            saved_variables needs_input_grad mark_dirty mark_non_differentiable set_materialize_grads materialize_grads
            to_save non_differentiable dirty_tensors clear_saved_tensors_on_access boxed_grads_call
            generate_vmap_rule vmap
            """,
    },
    "operators": {
        "class in torch.library": "Library",
        "in torch.library": """
            custom_op define impl infer_schema register_autocast register_autograd register_fake register_kernel
            register_vmap
            """,
        "of CustomOpDef": "register_autocast register_autograd register_kernel register_fake register_vmap",
        "of torch.library.Library": "define impl",
        "of Operator": "default overloads",
    },
    **module_names.NAMES,
    "settings": {
        "in torch": """
            use_deterministic_algorithms are_deterministic_algorithms_enabled get_float32_matmul_precision
            set_float32_matmul_precision get_default_device set_default_device
            """,
        "in torch.utils.deterministic": "fill_uninitialized_memory",
    },
    "private functions": {
        "in torch": """
            _efficientzerotensor _euclidean_dist _log_softmax
            _masked_softmax _safe_softmax
            _sample_dirichlet _segment_reduce _softmax _standard_gamma _trilinear _unsafe_index
            _test_autograd_multiple_dispatch _test_autograd_multiple_dispatch_view
            _test_autograd_multiple_dispatch_view_copy
            """,
        "in torch, of torch.Tensor": "_is_all_true _is_any_true _is_zerotensor _neg_view",
    },
    "results": {
        "of Result": """
            values indices sign logabsdet eigenvalues eigenvectors solution Q R U S V Vh L P LU pivots info
            residuals rank singular_values min max mantissa exponent inverse data batch_sizes sorted_indices
            unsorted_indices to double
            """,
    },
    "python": {
        "of list": "append extend insert pop remove clear index count sort reverse copy",
        "of dict": "keys values items get setdefault update popitem fromkeys",
        "of set": "add discard union intersection difference issubset issuperset",
        "of str": """
            join split rsplit splitlines strip lstrip rstrip startswith endswith replace upper lower find
            title partition isdigit zfill ljust rjust center encode
            """,
        "of bytes": "decode",
        "of ndarray": "base",
        "of float": "real imag is_integer conjugate hex",
        "of slice": "start stop step",
        "of generator": "send throw close",
        "of property": "setter getter",
        "of Exception": "args value",
    },
}

BUILTINS = """
    abs all any bool bytes callable chr complex dict divmod enumerate filter float format frozenset hasattr
    hash id int isinstance issubclass iter len list map max min next object ord pow print property range
    repr reversed round set slice sorted staticmethod classmethod str sum super tuple zip NotImplemented
    Ellipsis
    """
"""Python's own that a program may use, exceptions besides."""
