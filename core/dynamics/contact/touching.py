"""Contacts of a scene as rows on the bodies' twists: normals, and tangents along the sliding (Sueda 1.76 to 1.78)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.scene import Contacts
from core.spatial.cross_products import cross_rows

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Ints = NDArray[np.int64]

_SLIDES = 0.025
"""Speed along a surface from which a contact counts as sliding, to what gravity gives in a step."""
_STILL = 1e-9
"""Speed along a surface, to that of the bodies, below which it has no direction."""
_NEARBY = 1e-3
"""How near a shape must come to count as touching whatever its speed, to the size of its body."""


class Touching(NamedTuple):
    """What touches, or may within a step.

    Attributes:
        bodies: First and second body of each contact, -1 for the world, shape (k, 2).
        points: In the world, shape (k, 3).
        normals: Unit, from the second body to the first, shape (k, 3).
        tangents: Two unit tangents each, the first along the sliding, shape (k, 2, 3).
        gaps: Shape (k,), negative where something is inside something else.
        friction: Coefficients, shape (k,).
        numbers: By which contacts are known again in the next step, shape (k,).
        rows: On the stacked twists of the bodies in their frames, shape (3 k, 6 nb): all normals, then the two tangents
            of each contact. Times the twists they give the speed of the first body's point against the second's.
    """

    bodies: Ints
    points: Array
    normals: Array
    tangents: Array
    gaps: Array
    friction: Array
    numbers: Ints
    rows: Array


class ContactFinder:
    """Finds the contacts of a scene from step to step, and keeps their tangents.

    Args:
        model: The bodies.
        contacts: Their shapes and the world; None for nothing that touches.
    """

    def __init__(self, model: Multibody, contacts: Contacts | None) -> None:
        self._set: ContactSet | None = None
        self._reach = np.zeros(len(model.bodies))
        self._gravity = float(np.linalg.norm(model.gravity))
        self._before: dict[int, Array] = {}
        if contacts is not None:
            world = contacts.world
            self._set = ContactSet(model, contacts.geometries, world, self_contact=contacts.self_contact)
            for geometry in contacts.geometries:
                center, radius = geometry.bound
                far = float(np.linalg.norm(center)) + radius
                self._reach[geometry.body] = max(self._reach[geometry.body], far)

    def find(self, poses: Array, twists: Array, free: Array, h: float) -> Touching:
        """Return what touches, or what bodies may reach within a step at the speeds that they have or would have.

        Args:
            poses: Of the bodies, shape (nb, 4, 4).
            twists: ``[w; v]`` in their frames at the start of the step, shape (nb, 6).
            free: The same at its end, were there no contacts, shape (nb, 6).
            h: Step, [s].
        """
        count = len(poses)
        if self._set is None:
            return _nothing(count)
        speed = np.zeros(count)
        for each in (twists, free):
            turning = np.linalg.norm(each[:, :3], axis=1) * self._reach
            speed = np.maximum(speed, np.linalg.norm(each[:, 3:], axis=1) + turning)
        found, numbers = self._set.find(poses, h * speed + _NEARBY * self._reach)
        bodies = found[:, 8:10].astype(np.int64)
        points, normals = found[:, :3], found[:, 3:6]
        rows = point_rows(np.repeat(points, 3, axis=0), np.tile(np.eye(3), (len(found), 1)), bodies.repeat(3, 0), poses)
        own = (rows @ twists.ravel()).reshape(-1, 3)
        later = (rows @ free.ravel()).reshape(-1, 3)
        tangents = self._tangents(normals, own, later, numbers, h, float(speed.max(initial=0.0)))
        self._before = dict(zip(numbers.tolist(), tangents[:, 0], strict=True))
        axes = rows.reshape(-1, 3, 6 * count)
        along = np.einsum("kj,kjc->kc", normals, axes)
        across = np.einsum("ktj,kjc->ktc", tangents, axes).reshape(-1, 6 * count)
        return Touching(
            bodies, points, normals, tangents, found[:, 6], found[:, 7], numbers, np.vstack([along, across])
        )

    def _tangents(self, normals: Array, own: Array, later: Array, numbers: Ints, h: float, fastest: float) -> Array:
        """Return two tangents of each contact: along the sliding, or as they were where nothing slides."""
        own = own - np.einsum("kj,kj->k", own, normals)[:, None] * normals
        later = later - np.einsum("kj,kj->k", later, normals)[:, None] * normals
        slides = np.linalg.norm(own, axis=1) > _SLIDES * h * self._gravity
        still = np.linalg.norm(later, axis=1) <= _STILL * fastest
        first = np.array(later)
        for k, number in enumerate(numbers.tolist()):
            kept = self._before.get(number)
            if kept is not None and (still[k] or not slides[k]):
                first[k] = kept - (kept @ normals[k]) * normals[k]
                still[k] = np.linalg.norm(first[k]) <= 0.5  # it has turned on to another side
            if still[k]:
                axis = np.eye(3)[np.argmin(np.abs(normals[k]))]
                first[k] = axis - (axis @ normals[k]) * normals[k]
        first /= np.linalg.norm(first, axis=1)[:, None]
        return np.stack([first, cross_rows(normals, first)], axis=1)


def _nothing(count: int) -> Touching:
    none = np.zeros(0, dtype=np.int64)
    return Touching(
        none.reshape(0, 2), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2, 3)), np.zeros(0), np.zeros(0), none,
        np.zeros((0, 6 * count)),
    )  # fmt: skip


def point_rows(points: Array, directions: Array, bodies: Ints, poses: Array) -> Array:
    """Return rows that give the speed along a direction of a point of one body against that of another.

    ``d^T R Gamma(r) [w; v] = [r x R^T d; R^T d]^T [w; v]`` with the point r and the twist in the body's frame.

    Args:
        points: In the world, shape (m, 3).
        directions: In the world, shape (m, 3).
        bodies: First and second body, -1 for the world, shape (m, 2).
        poses: Of the bodies, shape (nb, 4, 4).

    Returns:
        Shape (m, 6 nb); new.

    Source: Sueda 1.75 to 1.78.
    """
    count, m = len(poses), len(points)
    rows = np.zeros((m, count, 6))
    for side, sign in ((0, 1.0), (1, -1.0)):
        on = np.flatnonzero(bodies[:, side] >= 0)
        body = bodies[on, side]
        R = poses[body, :3, :3]
        r = np.einsum("kji,kj->ki", R, points[on] - poses[body, :3, 3])
        d = np.einsum("kji,kj->ki", R, directions[on])
        rows[on, body] += sign * np.concatenate([cross_rows(r, d), d], axis=1)
    return rows.reshape(m, 6 * count)
