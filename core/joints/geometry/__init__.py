"""Curves and surfaces as expressions of their coordinates, which joints are made of."""

from core.joints.geometry.curves import CURVES, BezierCurve, Circle, Curve, Ellipse, Helix, Line
from core.joints.geometry.shape import Shape
from core.joints.geometry.surfaces import (
    SURFACES,
    BezierSurface,
    Cylinder,
    Ellipsoid,
    Link,
    Plane,
    Sphere,
    Surface,
    Torus,
)

__all__ = [
    "CURVES",
    "SURFACES",
    "BezierCurve",
    "BezierSurface",
    "Circle",
    "Curve",
    "Cylinder",
    "Ellipse",
    "Ellipsoid",
    "Helix",
    "Line",
    "Link",
    "Plane",
    "Shape",
    "Sphere",
    "Surface",
    "Torus",
]
