"""The words of the vocabulary for modules, losses, distributions and optimizers; the others are in ``names``."""

from __future__ import annotations

NAMES: dict[str, dict[str, str]] = {
    "modules": {
        "class in torch.nn": """
            Module Parameter Buffer ParameterList ParameterDict Sequential ModuleList ModuleDict Identity
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
            weight_ih_l1_reverse weight_hh_l1_reverse bias_ih_l1_reverse bias_hh_l1_reverse
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
            skip_init fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_weights
            clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector
            vector_to_parameters clip_grad_norm weight_norm remove_weight_norm spectral_norm remove_spectral_norm
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
            _single _pair _triple _quadruple
            consume_prefix_in_state_dict_if_present
            """,
        "in torch.func": "functional_call stack_module_state replace_all_batch_norm_modules_",
        "in torch.nn.init": """
            uniform_ normal_ constant_ ones_ zeros_ eye_ xavier_uniform_ xavier_normal_
            kaiming_uniform_ kaiming_normal_ trunc_normal_ orthogonal_ calculate_gain
            uniform normal constant eye xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal
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
            conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
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
            native_dropout convolution adaptive_max_pool1d lstm_cell gru_cell rnn_tanh_cell
            rnn_relu_cell embedding_renorm_
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
            MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss LinearCrossEntropyLoss
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
        "in torch": "ctc_loss",
    },
    "distributions": {
        "class in torch.distributions": """
            Distribution ExponentialFamily Normal Uniform Exponential Laplace Bernoulli Categorical OneHotCategorical
            Independent MixtureSameFamily MultivariateNormal TransformedDistribution LogNormal
            Poisson Gamma Dirichlet Beta RelaxedBernoulli
            RelaxedOneHotCategorical OneHotCategoricalStraightThrough
            Transform ComposeTransform IndependentTransform ReshapeTransform ExpTransform PowerTransform
            SigmoidTransform SoftplusTransform TanhTransform AffineTransform SoftmaxTransform
            StickBreakingTransform
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
            SigmoidTransform SoftplusTransform TanhTransform AffineTransform SoftmaxTransform
            StickBreakingTransform
            """,
        "in torch.distributions.utils": """
            broadcast_all clamp_probs logits_to_probs probs_to_logits
            """,
        "class in torch.distributions.constraints": """
            dependent_property independent greater_than greater_than_eq less_than interval integer_interval
            """,
        "in torch.distributions.constraints": """
            dependent is_dependent boolean one_hot real real_vector positive nonnegative unit_interval simplex
            lower_cholesky positive_definite nonnegative_integer
            """,
        "of torch.distributions.Distribution": """
            sample rsample log_prob cdf icdf entropy expand batch_shape event_shape
            arg_constraints support has_rsample mean mode variance stddev param_shape probs logits
            loc scale low high rate base_dist reinterpreted_batch_ndims scale_tril covariance_matrix precision_matrix
            mixture_distribution component_distribution temperature

            _natural_params _log_normalizer _mean_carrier_measure
            """,
        "of Transform": """
            inv domain codomain bijective log_abs_det_jacobian forward_shape inverse_shape _call
            _inverse
            """,
        "of Constraint": "check event_dim lower_bound upper_bound base_constraint",
        "of torch.distributions.constraint_registry.ConstraintRegistry": "register",
    },
    "optimizers": {
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
}
