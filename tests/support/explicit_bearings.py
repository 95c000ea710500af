"""Bearings of hinges as explicit contacts of separate bodies, for staggered projections: an oracle of ``bisp``.

Every point of a pin presses from either side, as two contacts; no row says that there is a joint.
"""

from __future__ import annotations

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics import Body, Multibody, Scene, newton_euler
from core.dynamics.bearings import Bearing
from core.dynamics.contact.methods import Program, StaggeredProjections
from core.dynamics.jacobian_products import jacobian_rate_product
from core.dynamics.state import State
from core.joints import Revolute
from core.spatial import SpatialInertia, se3

MU, RADIUS, HEIGHT, POINTS = 0.1, 0.02, 0.1, 8


def chain(count: int) -> Scene:
    """Return links on hinges that swing, their bodies' frames those of the joints, with friction in all hinges."""
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.02, -0.15, 0.05))
    down = se3.transform(None, (0.0, -0.3, 0.0))
    bodies = [Body(f"link {i}", i - 1, Revolute((0, 0, 1)), down, inertia=link) for i in range(count)]
    rng = np.random.default_rng(count)
    bearings = tuple(Bearing(i, MU, RADIUS, HEIGHT, POINTS) for i in range(count))
    return Scene(Multibody(bodies), rng.normal(size=count), 2.0 * rng.normal(size=count), bearings=bearings)


def explicit_friction(scene: Scene, h: float, method: StaggeredProjections) -> tuple[Array, bool]:
    """Return the impulse of friction about each hinge in a step, shape (nb,), and whether the method converged."""
    model = scene.model
    at = State(model, np.asarray(scene.x), np.asarray(scene.v))
    M = newton_euler.body_inertias(model)
    Jdot_v = jacobian_rate_product(model, at.motion, at.v)
    force = newton_euler.forces(M, at.twists, at.poses[:, :3, :3], model.gravity)
    momenta = np.einsum("bij,bj->bi", M, at.twists - h * Jdot_v) + h * force
    L = scipy.linalg.block_diag(*np.linalg.cholesky(M))
    free = np.linalg.solve(L.T, np.linalg.solve(L, momenta.ravel()))
    angles = 2.0 * np.pi * np.arange(POINTS) / POINTS
    n = np.stack([np.cos(angles), np.sin(angles), np.zeros(POINTS)], axis=1)
    along = np.cross([0.0, 0.0, 1.0], n)
    normal, tangent = [], []
    for end in (0.5 * HEIGHT, -0.5 * HEIGHT):
        arm = np.array([0.0, 0.0, end])
        normal.append(np.hstack([np.cross(arm, n), n]))
        tangent.append(np.hstack([np.cross(arm + RADIUS * n, along), along]))
    normal.append([[0, 0, 0, 0, 0, 1.0]])
    tangent.append([[0, 0, RADIUS, 0, 0, 0]])
    N, T = np.vstack(normal), np.vstack(tangent)
    C, D = [], []
    for i, parent in enumerate(model.parents.tolist()):
        on = np.zeros((6, L.shape[0]))
        on[:, 6 * i : 6 * i + 6] = np.eye(6)
        if parent >= 0:
            on[:, 6 * parent : 6 * parent + 6] = -at.motion.Ad[i]
        C.append(np.vstack([N, -N]) @ on)
        D.append(np.vstack([T, T]) @ on)
    rows, slides = np.vstack(C), np.vstack(D)
    T2 = np.zeros((2 * len(slides), L.shape[0]))
    T2[::2] = slides
    half = np.linalg.solve(L, np.vstack([rows, T2]).T).T
    program = Program(
        half[: len(rows)], -rows @ free, 0, half[len(rows) :], T2 @ free, np.full(len(rows), MU)
    )  # fmt: skip
    found = method.solve(program, np.zeros(len(T2)))
    torque = found.drag[::2].reshape(len(model.bodies), -1) @ np.concatenate([T, T])[:, 2]
    return np.asarray(torque), found.converged
