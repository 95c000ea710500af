"""Motions of one figure put together: where they meet, what stands there, and the sequence that both make."""
