"""Locks in time: strips, keyed targets, and poses that hold them at every in-between."""
