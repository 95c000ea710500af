"""Locks: parts of a figure that hold while it is posed and at every in-between frame."""
