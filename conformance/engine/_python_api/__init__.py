"""Small functions of torch that are written in Python."""
