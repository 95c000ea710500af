"""Bodies that touch, in maximal coordinates: held by a gap and an angle that are found without the joint."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody
from core.joints.geometry import Surface
from core.joints.surface_on_surface import SurfaceOnSurface
from core.spatial import se3

Array = NDArray[np.float64]


def touch(first: Surface, second: Surface, X: Array, start: Array) -> tuple[Array, Array]:
    """Return the frames of the points of two surfaces that are nearest to each other, each shape (4, 4).

    Args:
        first: A surface in its frame.
        second: Another, in a frame that is at X in that of the first.
        X: Shape (4, 4).
        start: Coordinates near which they are sought, shape (4,).
    """

    def frames(q: Array) -> tuple[Array, Array]:
        return first.frames(q[:2]), X @ second.frames(q[2:])

    def off(q: Array) -> Array:
        F, G = frames(q)
        along = F[:3, :2].T
        return np.concatenate([along @ (G[:3, 3] - F[:3, 3]), along @ G[:3, 2]])

    q, step = np.array(start, dtype=np.float64), 1e-5
    for _ in range(12):
        slope = np.stack([(off(q + h) - off(q - h)) / (2.0 * step) for h in step * np.eye(4)], axis=1)
        q = q - np.linalg.solve(slope, off(q))
    return frames(q)


def constraints(joint: SurfaceOnSurface, X: Array, start: Array) -> Array:
    """Return by how much two bodies fail to touch as a joint has it: the gap, and the angle if it is to stay."""
    F, G = touch(joint.first, joint.second, X, start[:4])
    gap = F[:3, 2] @ (G[:3, 3] - F[:3, 3])
    if joint.turning:
        return np.array([gap])
    E = F[:3, :3].T @ G[:3, :3]
    return np.array([gap, np.arctan2(E[1, 0], E[0, 0]) - joint.turned])


def second_difference(function: Callable[[float], Array], step: float = 4e-3) -> Array:
    """Return the second derivative at 0, by differences of the fourth order."""
    near, far = function(step) + function(-step), function(2.0 * step) + function(-2.0 * step)
    return (16.0 * near - far - 30.0 * function(0.0)) / (12.0 * step * step)


def first_difference(function: Callable[[float], Array], step: float = 1e-3) -> Array:
    """Return the derivative at 0, by differences of the fourth order."""
    near, far = function(step) - function(-step), function(2.0 * step) - function(-2.0 * step)
    return (8.0 * near - far) / (12.0 * step)


def body_accelerations(model: Multibody, x: Array, v: Array) -> tuple[Array, Array]:
    """Return the twists of the bodies of a chain and their accelerations if only contacts hold them, (n, 6) each.

    The first body is free, the others touch the one before as ``SurfaceOnSurface``; joint frames are the bodies' own.
    Newton's and Euler's equations of all bodies and the constraints, whose Jacobian and whose acceleration at constant
    twists are differences of ``constraints``, in one system.
    """
    poses, twists, places = [], [], []
    at = 0
    for k, body in enumerate(model.bodies):
        own = slice(at, at + body.joint.n)
        Q, motion = body.joint.transform(x[own]), body.joint.subspace(x[own]) @ v[own]
        poses.append(Q if k == 0 else poses[-1] @ Q)
        twists.append(motion if k == 0 else se3.inverse_adjoint(Q) @ twists[-1] + motion)
        places.append(np.asarray(x[own]))
        at += body.joint.n
    n = len(poses)

    def broken(moved: list[Array]) -> Array:
        return np.concatenate(
            [
                constraints(model.bodies[k].joint, se3.inverse(moved[k - 1]) @ moved[k], places[k])  # type: ignore[arg-type]
                for k in range(1, n)
            ]
        )

    def along(change: list[Array]) -> Callable[[float], Array]:
        return lambda t: broken([X @ se3.exp(t * w) for X, w in zip(poses, change, strict=True)])

    zero = np.zeros(6)
    J = np.stack(
        [first_difference(along([unit if k == i else zero for k in range(n)])) for i in range(n) for unit in np.eye(6)],
        axis=1,
    )
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for k, (body, X, w) in enumerate(zip(model.bodies, poses, twists, strict=True)):
        own = slice(6 * k, 6 * k + 6)
        matrix = body.inertia.matrix()
        M[own, own] = matrix
        gravity = np.concatenate([np.zeros(3), X[:3, :3].T @ model.gravity])
        f[own] = se3.ad(w).T @ (matrix @ w) + matrix @ gravity
    m = len(J)
    system = np.block([[M, J.T], [J, np.zeros((m, m))]])
    right = np.concatenate([f, -second_difference(along(twists))])
    return np.array(twists), np.linalg.solve(system, right)[: 6 * n].reshape(n, 6)
