"""What the command line does: one module for each kind of command, and what they are made of."""
