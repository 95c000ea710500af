"""Joint types: each is a transform Q, a motion subspace S and its rate (Sueda 2.1 to 2.4)."""
