"""What runs in place of an operator: __torch_function__, __torch_dispatch__, autocast."""
