"""The lowest layer: dtypes, devices, memory, layouts, errors, modes, version counters (torch: c10, ATen/Context.h)."""
