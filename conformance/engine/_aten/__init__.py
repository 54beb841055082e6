"""Operators: one row says all there is of one (torch: ATen/native, derivatives.yaml)."""
