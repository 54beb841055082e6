"""Code as people post it -> scenarios of it, with what torch does filled in."""
