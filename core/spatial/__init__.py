"""Rotations, rigid motions and inertia."""

from core.spatial.inertia import SpatialInertia

__all__ = ["SpatialInertia"]
