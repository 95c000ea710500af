"""Rotations, rigid motions and inertia."""
