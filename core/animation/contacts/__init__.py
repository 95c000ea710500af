"""Contacts: when the feet of a motion stand, and locks that keep them on the path they have."""
