"""Sequences of keys and what lies between them."""
