"""The locks panel: what is held, how well, and what is in the way."""
