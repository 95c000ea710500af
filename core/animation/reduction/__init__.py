"""Reduction: the fewest keys, joint by joint, that stay within a tolerance of a dense motion at every frame."""

MILLIMETRES, DEGREES = 3.0, 3.0
"""How far any part may be off, and turned off, if nothing else is said."""
