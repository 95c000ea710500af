"""Vectors, rotations and poses whose entries are expressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.symbolic import Expression, apply, constant

Vector = tuple[Expression, Expression, Expression]
Rows = tuple[Vector, Vector, Vector]
"""The rows of a rotation."""

ZERO, ONE = constant(0.0), constant(1.0)


def vector(x: Expression | float, y: Expression | float, z: Expression | float) -> Vector:
    """Return a vector of expressions and numbers."""
    return constant(x), constant(y), constant(z)


ORIGIN = vector(0.0, 0.0, 0.0)


def add(*vectors: Vector) -> Vector:
    """Return the sum."""
    x, y, z = ORIGIN
    for a in vectors:
        x, y, z = x + a[0], y + a[1], z + a[2]
    return x, y, z


def scale(factor: Expression | float, a: Vector) -> Vector:
    """Return a multiple."""
    return factor * a[0], factor * a[1], factor * a[2]


def dot(a: Vector, b: Vector) -> Expression:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def unit(a: Vector) -> Vector:
    """Return the vector at unit length."""
    return scale(1.0 / apply("sqrt", dot(a, a)), a)


def columns(a: Vector, b: Vector, c: Vector) -> Rows:
    """Return the rows of a rotation by its columns."""
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def transposed(R: Rows) -> Rows:
    """Return the inverse of a rotation."""
    return columns(*R)


def rotated(R: Rows, a: Vector) -> Vector:
    """Return a vector turned."""
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


def product(A: Rows, *others: Rows) -> Rows:
    """Return the product of rotations."""
    for B in others:
        x, y, z = transposed(B)
        A = tuple((dot(row, x), dot(row, y), dot(row, z)) for row in A)  # type: ignore[assignment]
    return A


def turn(axis: Vector, angle: Expression) -> Rows:
    """Return the rotation about a unit axis, [rad]."""
    c, s = apply("cos", angle), apply("sin", angle)
    x, y, z = axis
    h = 1.0 - c
    return (
        (c + h * x * x, h * x * y - s * z, h * x * z + s * y),
        (h * x * y + s * z, c + h * y * y, h * y * z - s * x),
        (h * x * z - s * y, h * y * z + s * x, c + h * z * z),
    )


X, Y, Z = vector(1.0, 0.0, 0.0), vector(0.0, 1.0, 0.0), vector(0.0, 0.0, 1.0)
IDENTITY: Rows = (X, Y, Z)


def pose(R: Rows, p: Vector) -> list[Expression]:
    """Return a pose as twelve expressions, row by row the rotation and then the origin."""
    return [*R[0], *R[1], *R[2], *p]


def vectors(numbers: Iterable[Expression]) -> list[Vector]:
    """Return numbers in a row as vectors."""
    row: Sequence[Expression] = list(numbers)
    return [(row[k], row[k + 1], row[k + 2]) for k in range(0, len(row), 3)]
