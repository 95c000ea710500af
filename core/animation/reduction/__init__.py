"""Reduction: the fewest keys, joint by joint, that stay within a tolerance of a dense motion at every frame."""
