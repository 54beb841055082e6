"""The words of the vocabulary, and nothing else: what they mean to a program is in ``vocabulary``.

A name is here because a scenario can exercise it on the CPU, and nothing that follows from it reaches a
file, the network, a process or a module. Names stand by area, and there by where torch has them:
``in torch.nn`` is a function or value of that module, ``class in torch.nn`` a class, ``of torch.Tensor`` an
attribute; ``in place`` is the same name with ``_`` behind it, of torch.Tensor.
"""

from __future__ import annotations

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
            bincount histc histogram hash_tensor
            """,
        "in torch": "std_mean var_mean histogramdd segment_reduce",
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
            householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor
            lu_factor_ex lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet
            solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
            """,
        "in torch": "lu lu_solve svd_lowrank pca_lowrank lobpcg solve lstsq symeig eig matrix_rank",
    },
    "Fourier transforms": {
        "in torch.fft": """
            fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn
            fftfreq rfftfreq fftshift ifftshift
            """,
        "in torch, of torch.Tensor": "stft istft",
        "in torch": "hann_window hamming_window bartlett_window blackman_window kaiser_window",
        "in torch.signal.windows": """
            bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall
            """,
    },
    "special functions": {
        "in torch.special": """
            digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e
            log1p log_ndtr log_softmax logit logsumexp multigammaln ndtr ndtri polygamma psi round sinc
            softmax xlog1py xlogy zeta airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0
            modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0
            scaled_modified_bessel_k1 spherical_bessel_j0 chebyshev_polynomial_t chebyshev_polynomial_u
            chebyshev_polynomial_v chebyshev_polynomial_w shifted_chebyshev_polynomial_t
            shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
            hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
            """,
    },
    "creation": {
        "in torch": """
            tensor as_tensor asarray zeros ones full empty zeros_like ones_like full_like empty_like
            empty_strided empty_permuted arange range linspace logspace eye scalar_tensor from_numpy fill
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
            CharTensor ByteTensor BoolTensor UntypedStorage DisableTorchFunction DisableTorchFunctionSubclass
            """,
        "in torch.types": "Number Device _size",
        "class in torch.types": "_dtype _int _float _bool _device",
        "in torch.cpu": """
            is_available is_initialized device_count current_device set_device synchronize current_stream stream
            """,
        "class in torch.cpu": "Stream Event",
        "of torch.cpu.Stream": "wait_stream record_event wait_event",
        "of torch.cpu.Event": "query record synchronize wait",
        "in torch.functional": """
            atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors cartesian_prod block_diag cdist
            chain_matmul einsum istft meshgrid norm split stft tensordot unique unique_consecutive unravel_index
            """,
        "in torch": """
            float16 bfloat16 float32 float64 half float double int8 int16 int32 int64 short int long uint8 uint64 bool
            complex64 complex128 cfloat cdouble
            contiguous_format legacy_contiguous_format preserve_format channels_last channels_last_3d strided pi e inf
            nan newaxis get_default_dtype
            set_default_dtype set_default_tensor_type result_type promote_types can_cast is_tensor is_floating_point
            is_complex is_signed numel typename
            """,
        "in torch.cuda": """
            is_available is_initialized device_count manual_seed manual_seed_all empty_cache memory_allocated
            max_memory_allocated memory_reserved
            """,
        "in torch.accelerator": "is_available current_accelerator device_count",
        "in torch.backends.mps": "is_available is_built",
        "in torch.backends.cudnn": "is_available version deterministic benchmark enabled flags",
        "in torch.mps": "manual_seed",
        "in torch.xpu": "is_available manual_seed manual_seed_all",
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
        "class in torch.cpu.amp": "autocast GradScaler",
        "class in torch.cuda.amp": "autocast GradScaler",
        "of torch.amp.GradScaler": """
            scale unscale_ update get_scale get_growth_factor set_growth_factor get_backoff_factor set_backoff_factor
            get_growth_interval set_growth_interval is_enabled
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
            resize_as_ resize resize_as volatile set_ apply_ map_ map2_ layout is_coalesced dim_order
            module_load storage_type _typed_storage
            """,
        "class in torch": """
            TypedStorage FloatStorage DoubleStorage HalfStorage BFloat16Storage LongStorage IntStorage ShortStorage
            CharStorage ByteStorage BoolStorage ComplexFloatStorage ComplexDoubleStorage
            """,
        "in torch.utils.dlpack": "from_dlpack to_dlpack",
        "in torch.utils": "swap_tensors",
        "in torch.testing": "make_tensor assert_close",
        "of torch.UntypedStorage": """
            data_ptr nbytes size tolist element_size device clone copy_ fill_ resize_ new untyped type
            """,
        "of torch.TypedStorage": "pickle_storage_type complex_float complex_double",
        "in torch": """
            set_printoptions get_device _assert from_dlpack to_dlpack frombuffer is_storage
            _check _check_index _check_value _check_type _check_not_implemented _check_is_size _check_with
            _check_tensor_all
            """,
    },
    "sparse tensors": {
        "in torch": "sparse_coo_tensor sparse_coo spmm",
        "of torch.Tensor": """
            is_sparse indices values _indices _values _nnz coalesce _coalesced_ to_sparse to_sparse_coo to_dense
            sparse_mask
            """,
        "in torch.sparse": "sum mm addmm softmax log_softmax",
        "class in torch.sparse": "check_sparse_tensor_invariants FloatTensor DoubleTensor LongTensor",
        "of torch.sparse.check_sparse_tensor_invariants": "is_enabled enable disable",
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
        "class in torch.autograd.forward_ad": "dual_level UnpackedDualTensor",
        "of torch.autograd.forward_ad.UnpackedDualTensor": "primal tangent",
    },
    "functions of functions": {
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
    "profiles": {
        "class in torch.autograd.profiler": """
            profile record_function emit_itt emit_nvtx EnforceUnique EventList FunctionEvent KinetoStepTracker
            """,
        "class in torch.autograd.profiler_util": "FunctionEventAvg Interval",
        "class in torch.profiler": "profile record_function ProfilerActivity ProfilerAction DeviceType",
        "in torch.profiler": "schedule supported_activities kineto_available",
        "in torch.autograd": "_profiler_enabled",
        "of torch.autograd.profiler.profile": """
            enabled entered use_device function_events key_averages total_average table self_cpu_time_total config
            """,
        "of torch.profiler.profile": """
            start stop step step_num current_action events toggle_collection_dynamic get_trace_id
            set_custom_trace_id_callback
            """,
        "of torch.profiler.ProfilerActivity": "CPU CUDA",
        "of torch.profiler.ProfilerAction": "NONE WARMUP RECORD RECORD_AND_SAVE DEVICE_STOPPED",
        "of torch.autograd.profiler.EventList": "_populate_cpu_children _build_tree _remove_dup_nodes",
        "of torch.autograd.profiler.FunctionEvent": """
            id key name trace_name node_id thread time_range scope sequence_nr count cpu_children cpu_parent
            append_cpu_child set_cpu_parent append_kernel kernels input_shapes is_async is_remote is_legacy
            is_user_annotation device_type device_index device_resource_id use_device stack overload_name flops cpu_time
            cpu_time_str cpu_time_total cpu_time_total_str self_cpu_time_total self_cpu_time_total_str device_time
            device_time_str device_time_total device_time_total_str self_device_time_total self_device_time_total_str
            cpu_memory_usage self_cpu_memory_usage device_memory_usage self_device_memory_usage
            """,
        "of torch.autograd.profiler_util.Interval": "start end elapsed_us",
        "of torch.autograd.profiler_util.FunctionEventAvg": "add",
        "of torch.autograd.profiler.EnforceUnique": "see seen",
        "of torch.autograd.profiler.KinetoStepTracker": """
            init_step_count erase_step_count increment_step current_step
            """,
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
        "class in torch": "Tag",
        "class in torch.library": "Library",
        "of torch.Tag": "core out pointwise view_copy",
        "in torch.library": """
            custom_op define impl infer_schema register_autocast register_autograd register_fake register_kernel
            register_vmap
            """,
        "of CustomOpDef": """
            register_autocast register_autograd register_kernel register_fake register_vmap set_kernel_enabled
            """,
        "of torch.library.Library": "define impl",
        "of Operator": "default overloads _schema tags",
        "of Argument": "default_value arguments",
    },
    "modules": {
        "class in torch.nn": """
            Module Parameter Buffer ParameterList ParameterDict Sequential Container ModuleList ModuleDict Identity
            UninitializedParameter UninitializedBuffer DataParallel
            """,
        "class in torch.nn.parameter": "Parameter",
        "in torch.nn.parameter": "is_lazy",
        "of torch.nn.Module": """
            forward parameters named_parameters buffers named_buffers children named_children modules
            named_modules register_buffer register_parameter register_module add_module get_parameter
            get_buffer get_submodule set_submodule state_dict load_state_dict train eval training zero_grad
            requires_grad_
            apply to half bfloat16 float double extra_repr register_forward_hook register_forward_pre_hook
            register_full_backward_hook register_full_backward_pre_hook register_backward_hook
            register_state_dict_pre_hook register_state_dict_post_hook register_load_state_dict_pre_hook
            register_load_state_dict_post_hook get_extra_state set_extra_state _parameters _buffers _modules
            _get_name to_empty _forward_hooks _forward_pre_hooks _register_state_dict_hook
            _register_load_state_dict_pre_hook
            """,
        "of Module": """
            weight bias in_features out_features in1_features in2_features num_embeddings embedding_dim
            padding_idx in_channels out_channels kernel_size stride padding dilation groups num_features eps
            momentum affine track_running_stats running_mean running_var num_batches_tracked from_pretrained
            normalized_shape elementwise_affine input_size hidden_size num_layers batch_first dropout
            bidirectional proj_size mode nonlinearity weight_ih weight_hh bias_ih bias_hh weight_ih_l0 weight_hh_l0
            bias_ih_l0 bias_hh_l0 weight_ih_l0_reverse weight_hh_l0_reverse bias_ih_l0_reverse bias_hh_l0_reverse
            weight_ih_l1_reverse weight_hh_l1_reverse bias_ih_l1_reverse bias_hh_l1_reverse convert_sync_batchnorm
            process_group
            weight_ih_l1 weight_hh_l1 bias_ih_l1 bias_hh_l1 weight_hr_l0 all_weights
            flatten_parameters p inplace negative_slope num_parameters alpha beta reduction
            output_size output_ratio return_indices ceil_mode scale_factor align_corners recompute_scale_factor
            embed_dim num_heads head_dim merge_masks in_proj_weight in_proj_bias out_proj bias_k bias_v q_proj_weight
            k_proj_weight layers use_nested_tensor generate_square_subsequent_mask v_proj_weight update_parameters
            n_averaged self_attn linear1 linear2 norm1 norm2 reset_parameters reset_running_stats missing_keys
            unexpected_keys has_uninitialized_params initialize_parameters cls_to_become log_prob predict head tail
            weight_orig weight_mask bias_orig bias_mask module loss output materialize
            """,
        "in torch.nn.modules.module": """
            register_module_forward_pre_hook register_module_forward_hook register_module_full_backward_pre_hook
            register_module_full_backward_hook register_module_buffer_registration_hook
            register_module_module_registration_hook register_module_parameter_registration_hook
            """,
        "in torch.nn.utils.prune": """
            identity random_unstructured l1_unstructured random_structured ln_structured global_unstructured
            custom_from_mask remove is_pruned
            """,
        "class in torch.nn.utils.prune": """
            BasePruningMethod PruningContainer Identity RandomUnstructured L1Unstructured RandomStructured LnStructured
            CustomFromMask
            """,
        "of torch.nn.utils.prune.BasePruningMethod": "compute_mask prune apply_mask",
        "of torch.nn.utils.prune.Identity": "PRUNING_TYPE",
        "in torch.nn.grad": "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight",
        "in torch.nn.utils": """
            skip_init fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights
            clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector
            vector_to_parameters clip_grad_norm weight_norm remove_weight_norm spectral_norm remove_spectral_norm
            convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format
            """,
        "class in torch.nn.utils.parametrize": "ParametrizationList",
        "of torch.nn.utils.parametrize.ParametrizationList": "right_inverse",
        "of Parametrized": "parametrizations original original0 original1 weight_g weight_v",
        "in torch.__future__": """
            set_swap_module_params_on_conversion get_swap_module_params_on_conversion
            set_overwrite_module_params_on_conversion get_overwrite_module_params_on_conversion
            """,
        "in torch.nn.utils.parametrizations": "weight_norm spectral_norm orthogonal",
        "in torch.nn.utils.stateless": "functional_call",
        "class in torch.nn.utils.rnn": "PackedSequence",
        "in torch.nn.utils.rnn": """
            pad_sequence pack_sequence pack_padded_sequence pad_packed_sequence unpad_sequence unpack_sequence
            invert_permutation
            """,
        "in torch.nn.utils.parametrize": """
            register_parametrization remove_parametrizations is_parametrized cached type_before_parametrizations
            transfer_parametrizations_and_params
            """,
        "in torch.nn.modules.utils": """
            _single _pair _triple _quadruple _reverse_repeat_tuple _list_with_default
            consume_prefix_in_state_dict_if_present
            """,
        "in torch.func": "functional_call stack_module_state replace_all_batch_norm_modules_",
        "in torch.nn.init": """
            uniform_ normal_ constant_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_
            kaiming_uniform_ kaiming_normal_ trunc_normal_ orthogonal_ sparse_ calculate_gain
            uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal
            sparse
            """,
    },
    "layers": {
        "class in torch.nn": """
            Linear Bilinear Embedding EmbeddingBag Flatten Unflatten Conv1d Conv2d Conv3d ConvTranspose1d
            ConvTranspose2d
            MaxPool1d MaxPool2d AvgPool1d AvgPool2d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d
            AdaptiveMaxPool2d LPPool1d LPPool2d LayerNorm GroupNorm RMSNorm BatchNorm1d BatchNorm2d
            BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d Dropout Dropout1d Dropout2d Dropout3d
            AlphaDropout FeatureAlphaDropout ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d ConstantPad3d
            ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
            CircularPad1d CircularPad2d CircularPad3d Upsample UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle
            PixelUnshuffle ChannelShuffle Unfold Fold LocalResponseNorm CrossMapLRN2d CosineSimilarity PairwiseDistance
            Transformer TransformerEncoder TransformerDecoder TransformerDecoderLayer
            FractionalMaxPool2d FractionalMaxPool3d ConvTranspose3d MaxPool3d AvgPool3d AdaptiveAvgPool3d
            AdaptiveMaxPool3d LPPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d LazyLinear LazyConv1d LazyConv2d LazyConv3d
            LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyBatchNorm1d LazyBatchNorm2d
            LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d
            """,
        "in torch.nn.functional": """
            linear bilinear embedding embedding_bag one_hot grid_sample affine_grid
            conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc
            max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
            adaptive_avg_pool2d adaptive_avg_pool3d fractional_max_pool2d fractional_max_pool3d
            adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d max_pool1d_with_indices
            max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool1d_with_indices
            adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices
            fractional_max_pool3d_with_indices lp_pool1d lp_pool2d lp_pool3d layer_norm
            group_norm
            rms_norm local_response_norm max_unpool1d max_unpool2d max_unpool3d
            batch_norm instance_norm normalize dropout dropout1d dropout2d dropout3d alpha_dropout
            feature_alpha_dropout pad unfold fold interpolate upsample upsample_nearest upsample_bilinear
            pixel_shuffle pixel_unshuffle channel_shuffle cosine_similarity pairwise_distance pdist
            scaled_dot_product_attention
            """,
        "class in torch.nn.attention": "SDPBackend",
        "in torch.nn.attention": "sdpa_kernel",
        "of torch.nn.attention.SDPBackend": """
            ERROR MATH FLASH_ATTENTION EFFICIENT_ATTENTION CUDNN_ATTENTION OVERRIDEABLE
            """,
        "in torch.backends.cuda": """
            enable_flash_sdp flash_sdp_enabled enable_math_sdp math_sdp_enabled enable_mem_efficient_sdp
            mem_efficient_sdp_enabled enable_cudnn_sdp cudnn_sdp_enabled
            """,
        "in torch": """
            dropout dropout_ alpha_dropout feature_dropout feature_dropout_ feature_alpha_dropout feature_alpha_dropout_
            pixel_shuffle pixel_unshuffle channel_shuffle cosine_similarity pairwise_distance pdist
            embedding embedding_bag batch_norm instance_norm native_batch_norm native_layer_norm native_group_norm
            native_dropout convolution adaptive_max_pool1d lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell
            rnn_relu_cell embedding_renorm_ conv_tbc
            """,
    },
    "activations": {
        "class in torch.nn": """
            ReLU ReLU6 LeakyReLU PReLU RReLU ELU SELU CELU GELU SiLU Mish Sigmoid LogSigmoid Hardsigmoid
            Hardswish Hardtanh Hardshrink Softshrink Tanhshrink Tanh Softplus Softsign Softmax Softmax2d Softmin
            LogSoftmax GLU Threshold RNN LSTM GRU RNNCell LSTMCell GRUCell
            MultiheadAttention TransformerEncoderLayer
            """,
        "in torch.nn.functional": """
            relu relu_ relu6 leaky_relu leaky_relu_ prelu rrelu rrelu_ elu elu_ selu selu_ celu celu_ gelu
            silu mish sigmoid logsigmoid hardsigmoid hardswish hardtanh hardtanh_ hardshrink softshrink
            tanhshrink tanh softplus softsign softmax softmin log_softmax glu threshold threshold_
            gumbel_softmax
            """,
        "in torch, of torch.Tensor": "softmax log_softmax prelu hardshrink",
        "in torch": "selu selu_ celu celu_ rrelu rrelu_ threshold threshold_",
    },
    "losses": {
        "class in torch.nn": """
            MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss LinearCrossEntropyLoss LinearCrossEntropyOptions
            NLLLoss NLLLoss2d BCELoss
            BCEWithLogitsLoss KLDivLoss PoissonNLLLoss GaussianNLLLoss HingeEmbeddingLoss MarginRankingLoss
            CosineEmbeddingLoss SoftMarginLoss TripletMarginLoss MultiMarginLoss
            MultiLabelMarginLoss MultiLabelSoftMarginLoss TripletMarginWithDistanceLoss CTCLoss
            AdaptiveLogSoftmaxWithLoss
            """,
        "in torch.nn.functional": """
            mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy linear_cross_entropy nll_loss binary_cross_entropy
            binary_cross_entropy_with_logits kl_div poisson_nll_loss gaussian_nll_loss hinge_embedding_loss
            margin_ranking_loss cosine_embedding_loss soft_margin_loss triplet_margin_loss multi_margin_loss
            multilabel_margin_loss multilabel_soft_margin_loss triplet_margin_with_distance_loss ctc_loss
            """,
        "in torch": """
            ctc_loss binary_cross_entropy_with_logits kl_div poisson_nll_loss hinge_embedding_loss margin_ranking_loss
            triplet_margin_loss cosine_embedding_loss
            """,
    },
    "distributions": {
        "class in torch.distributions": """
            Distribution ExponentialFamily Normal Uniform Exponential Laplace Bernoulli Categorical OneHotCategorical
            Independent MixtureSameFamily MultivariateNormal TransformedDistribution LogNormal HalfNormal HalfCauchy
            Gumbel Cauchy Geometric Poisson Gamma Chi2 StudentT Dirichlet Beta RelaxedBernoulli
            RelaxedOneHotCategorical OneHotCategoricalStraightThrough Pareto Weibull GeneralizedPareto Kumaraswamy
            ContinuousBernoulli LogisticNormal InverseGamma FisherSnedecor Binomial NegativeBinomial Multinomial
            VonMises LowRankMultivariateNormal Wishart LKJCholesky
            Transform ComposeTransform IndependentTransform ReshapeTransform ExpTransform PowerTransform
            SigmoidTransform SoftplusTransform TanhTransform AbsTransform AffineTransform SoftmaxTransform
            StickBreakingTransform LowerCholeskyTransform PositiveDefiniteTransform CorrCholeskyTransform
            CumulativeDistributionTransform CatTransform StackTransform
            """,
        "in torch.distributions": "kl_divergence identity_transform biject_to transform_to",
        "class in torch.distributions.constraint_registry": "ConstraintRegistry",
        "class in torch.distributions.normal": "Normal",
        "class in torch.distributions.categorical": "Categorical",
        "class in torch.distributions.multivariate_normal": "MultivariateNormal",
        "class in torch.distributions.distribution": "Distribution",
        "class in torch.distributions.uniform": "Uniform",
        "class in torch.distributions.bernoulli": "Bernoulli",
        "class in torch.distributions.beta": "Beta",
        "class in torch.distributions.gamma": "Gamma",
        "class in torch.distributions.laplace": "Laplace",
        "class in torch.distributions.exponential": "Exponential",
        "class in torch.distributions.poisson": "Poisson",
        "class in torch.distributions.dirichlet": "Dirichlet",
        "class in torch.distributions.independent": "Independent",
        "class in torch.distributions.one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
        "class in torch.distributions.relaxed_bernoulli": "RelaxedBernoulli",
        "class in torch.distributions.relaxed_categorical": "RelaxedOneHotCategorical",
        "class in torch.distributions.transformed_distribution": "TransformedDistribution",
        "in torch.distributions.kl": "kl_divergence",
        "class in torch.distributions.transforms": """
            Transform ComposeTransform IndependentTransform ReshapeTransform ExpTransform PowerTransform
            SigmoidTransform SoftplusTransform TanhTransform AbsTransform AffineTransform SoftmaxTransform
            StickBreakingTransform LowerCholeskyTransform PositiveDefiniteTransform CorrCholeskyTransform
            CumulativeDistributionTransform CatTransform StackTransform
            """,
        "in torch.distributions.utils": """
            broadcast_all clamp_probs logits_to_probs probs_to_logits tril_matrix_to_vec vec_to_tril_matrix
            """,
        "class in torch.distributions.constraints": """
            Constraint dependent_property independent greater_than greater_than_eq less_than interval integer_interval
            half_open_interval multinomial cat stack
            """,
        "in torch.distributions.constraints": """
            dependent is_dependent boolean one_hot real real_vector positive nonnegative unit_interval simplex
            lower_cholesky square symmetric positive_definite nonnegative_integer positive_integer corr_cholesky
            lower_triangular positive_semidefinite
            """,
        "of torch.distributions.Distribution": """
            sample rsample log_prob cdf icdf entropy perplexity enumerate_support expand batch_shape event_shape
            arg_constraints support has_rsample has_enumerate_support mean mode variance stddev param_shape probs logits
            loc scale low high rate base_dist reinterpreted_batch_ndims scale_tril covariance_matrix precision_matrix
            mixture_distribution component_distribution temperature alpha concentration concentration0 concentration1
            concentration_reciprocal df df1 df2 total_count cov_factor cov_diag log_cdf log_survival_function
            sample_n _validate_sample _natural_params _log_normalizer _mean_carrier_measure
            """,
        "of Transform": """
            inv sign domain codomain bijective log_abs_det_jacobian forward_shape inverse_shape with_cache _call
            _inverse transforms lengths length distribution
            """,
        "of Constraint": "check event_dim is_discrete lower_bound upper_bound base_constraint cseq",
        "of torch.distributions.constraint_registry.ConstraintRegistry": "register",
    },
    "optimizers": {
        "in torch": """
            _foreach_add _foreach_add_ _foreach_sub _foreach_mul_ _foreach_div_ _foreach_sqrt _foreach_neg_
            _foreach_pow _foreach_addcmul_ _foreach_addcdiv_ _foreach_lerp_ _foreach_norm _foreach_maximum_ _foreach_max
            _foreach_clone _foreach_copy_ _foreach_zero_
            """,
        "class in torch.optim": """
            Optimizer SGD SparseAdam Adafactor Muon Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam Rprop
            ASGD LBFGS
            """,
        "class in torch.optim.sgd": "SGD",
        "class in torch.optim.adam": "Adam",
        "class in torch.optim.optimizer": "Optimizer",
        "in torch.optim.optimizer": "register_optimizer_step_pre_hook register_optimizer_step_post_hook",
        "class in torch.optim.lr_scheduler": """
            LRScheduler StepLR MultiStepLR ExponentialLR LambdaLR MultiplicativeLR ConstantLR LinearLR
            CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR OneCycleLR ReduceLROnPlateau SequentialLR
            ChainedScheduler PolynomialLR
            """,
        "class in torch.optim.swa_utils": "AveragedModel SWALR",
        "in torch.optim.swa_utils": """
            update_bn get_ema_avg_fn get_swa_avg_fn get_ema_multi_avg_fn get_swa_multi_avg_fn
            """,
        "of torch.optim.Optimizer": """
            step zero_grad param_groups state defaults state_dict load_state_dict add_param_group
            register_step_pre_hook register_step_post_hook register_state_dict_pre_hook
            register_state_dict_post_hook register_load_state_dict_pre_hook register_load_state_dict_post_hook
            """,
        "of Scheduler": """
            optimizer gamma step_size num_bad_epochs best cooldown_counter step get_last_lr get_lr last_epoch base_lrs
            state_dict load_state_dict
            """,
    },
    "data": {
        "class in torch.utils.data": """
            TensorDataset StackDataset ConcatDataset ChainDataset Subset Dataset IterableDataset Sampler
            SequentialSampler RandomSampler SubsetRandomSampler WeightedRandomSampler BatchSampler
            DistributedSampler
            """,
        "of DistributedSampler": "set_epoch num_samples",
        "of ConcatDataset": "cumulative_sizes cummulative_sizes",
        "in torch.utils.data": "random_split default_collate default_convert",
    },
    "settings": {
        "in torch": """
            use_deterministic_algorithms are_deterministic_algorithms_enabled set_deterministic_debug_mode
            get_deterministic_debug_mode get_float32_matmul_precision
            set_float32_matmul_precision get_default_device set_default_device
            """,
        "in torch.utils.deterministic": "fill_uninitialized_memory",
    },
    "beneath": {
        "in torch": """
            _aminmax _assert_async _assert_tensor_metadata _efficientzerotensor _euclidean_dist _log_softmax
            _masked_softmax _safe_softmax
            _sample_dirichlet _segment_reduce _shape_as_tensor _softmax _stack _standard_gamma _trilinear _unsafe_index
            _test_autograd_multiple_dispatch _test_autograd_multiple_dispatch_view
            _test_autograd_multiple_dispatch_view_copy
            """,
        "in torch, of torch.Tensor": "_conj _conj_physical _is_all_true _is_any_true _is_zerotensor _neg_view",
    },
    "numbers": {
        "in torch": "sym_int sym_float sym_not sym_sqrt sym_max sym_min sym_sum sym_ite",
    },
    "weak references": {
        "class in torch.utils.weak": "WeakIdRef WeakIdKeyDictionary WeakTensorKeyDictionary TensorWeakRef",
        "of WeakIdKeyDictionary": "keyrefs",
    },
    "results": {
        "of Result": """
            values indices sign logabsdet eigenvalues eigenvectors solution Q R U S V Vh L P LU pivots info
            residuals rank singular_values min max mantissa exponent inverse data batch_sizes sorted_indices
            unsorted_indices to double LD E X ivars bvars hist bin_edges
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
