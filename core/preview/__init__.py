"""Figures moved by physics between their keys, and what the physics of keyed motion is."""
