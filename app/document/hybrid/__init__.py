"""Ranges in which forces move joints, and flights."""
