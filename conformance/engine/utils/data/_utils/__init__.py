"""Collation and worker processes of DataLoader (torch: utils/data/_utils)."""
