"""Random numbers, and operators that draw them."""
