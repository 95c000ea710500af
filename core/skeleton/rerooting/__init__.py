"""The same figure with another root, and the way for its poses."""
