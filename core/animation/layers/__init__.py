"""Offsets from a motion: between poses, over many keys, and in layers that are added to what the keys say."""
