"""Hybrid strips: over which frames which joints of a sequence are moved by forces instead of by keys."""
