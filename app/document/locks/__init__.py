"""Locks of the sequence that is shown."""
