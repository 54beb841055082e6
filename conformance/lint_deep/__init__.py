"""What only running the specs shows: statements without effect, and what torch does not reproduce."""
