"""Collation and worker processes (torch: utils/data/_utils)."""
