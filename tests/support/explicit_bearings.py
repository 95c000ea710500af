"""Bearings of joints as explicit contacts of separate bodies, for staggered projections: an oracle of ``bisp``.

Every point of a pin or a ball presses from either side, as two contacts; no row says that there is a joint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics import Body, Multibody, Scene, newton_euler
from core.dynamics.bearings import Bearing
from core.dynamics.contact.methods import BilateralStaggeredProjections, Program, StaggeredProjections
from core.dynamics.jacobian_products import jacobian_rate_product
from core.dynamics.simulation import Simulation
from core.dynamics.state import State
from core.joints import JointModel, Prismatic, Revolute, Spherical
from core.spatial import SpatialInertia, se3

MU, RADIUS, HEIGHT, POINTS = 0.1, 0.02, 0.1, 8
REGULARIZERS = {"hinge": 1e-8, "slide": 1e-8, "ball": 1e-5}
"""What both add to the diagonals of their Delassus matrices, about 1 to 100 themselves, [1/kg]. The 28 contacts of a
ball share its load in so many ways that staggered projections do not settle on one with less."""
TOLERANCES = {"hinge": 1e-6, "slide": 1e-6, "ball": 1e-4}
Z = np.array([0.0, 0.0, 1.0])
JOINTS: dict[str, JointModel] = {"hinge": Revolute(Z), "slide": Prismatic(Z), "ball": Spherical()}


def chain(count: int, kind: str = "hinge") -> Scene:
    """Return links on joints that move, their bodies' frames those of the joints, with friction in all joints."""
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.02, -0.15, 0.05))
    down = se3.transform(None, (0.0, -0.3, 0.0))
    bodies = [Body(f"link {i}", i - 1, JOINTS[kind], down, inertia=link) for i in range(count)]
    model = Multibody(bodies)
    rng = np.random.default_rng(count)
    bearings = tuple(Bearing(i, MU, RADIUS, HEIGHT, POINTS) for i in range(count))
    x = np.zeros(model.nq) if kind == "ball" else rng.normal(size=model.nq)  # balls by their first chart
    return Scene(model, x, 2.0 * rng.normal(size=model.nv), bearings=bearings)


class Contacts(NamedTuple):
    """Contacts of one joint in its frame.

    Attributes:
        normals: On the twist of the body against its parent, shape (c, 6).
        tangents: Two a contact, the first along the sliding, shape (c, 2, 6).
    """

    normals: Array
    tangents: Array


def contacts_of(kind: str, twist: Array) -> Contacts:
    """Return the contacts of a joint that moves with a twist."""
    if kind == "ball":
        corners = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]]) / np.sqrt(3.0)
        n = np.vstack([np.eye(3), corners])
        n = np.vstack([n, -n])
        first = np.cross(twist[:3], n)
        first /= np.linalg.norm(first, axis=1)[:, None]
        along = np.stack([first, np.cross(n, first)], axis=1)
        arms = RADIUS * n[:, None]
        return Contacts(
            np.hstack([np.zeros_like(n), n]),
            np.concatenate([np.cross(np.broadcast_to(arms, along.shape), along), along], 2),
        )
    angles = 2.0 * np.pi * np.arange(POINTS) / POINTS
    n = np.stack([np.cos(angles), np.sin(angles), np.zeros(POINTS)], axis=1)
    along = np.cross(Z, n) if kind == "hinge" else np.broadcast_to(Z, n.shape)
    zero = np.zeros(3)
    turn, push = np.concatenate([RADIUS * Z, zero]), np.concatenate([zero, Z])
    normals, tangents = [push if kind == "hinge" else turn], [turn if kind == "hinge" else push]
    for end in (0.5 * HEIGHT, -0.5 * HEIGHT):
        for m, t in zip(n, along, strict=True):
            normals.append(np.concatenate([np.cross(end * Z, m), m]))
            tangents.append(np.concatenate([np.cross(end * Z + RADIUS * m, t), t]))
    both = np.stack([np.array(tangents), np.zeros((len(tangents), 6))], axis=1)  # it slides one way only
    return Contacts(np.array(normals), both)


def free_rates(scene: Scene, h: float) -> Array:
    """Return the rates at the end of a step without friction, shape (nv,): which way contacts slide."""
    run = Simulation(replace(scene, bearings=()), h)
    run.step()
    return run.v


def explicit_friction(
    scene: Scene, h: float, method: StaggeredProjections, kind: str = "hinge", free_v: Array | None = None
) -> tuple[Array, bool]:
    """Return the impulse of friction along the motion of each joint in a step, and whether the method converged.

    Args:
        scene: As of ``chain``.
        h: Step, [s].
        method: Finds the impulses.
        kind: As of ``chain``.
        free_v: ``free_rates`` if they are known already.

    Returns:
        Shape (nb, n): about a hinge's axis, along a slide's, about the three axes of a ball's frame.
    """
    model = scene.model
    v = free_rates(scene, h) if free_v is None else free_v
    at = State(model, np.asarray(scene.x), np.asarray(scene.v))
    M = newton_euler.body_inertias(model)
    Jdot_v = jacobian_rate_product(model, at.motion, at.v)
    force = newton_euler.forces(M, at.twists, at.poses[:, :3, :3], model.gravity)
    momenta = np.einsum("bij,bj->bi", M, at.twists - h * Jdot_v) + h * force
    L = scipy.linalg.block_diag(*np.linalg.cholesky(M))
    free = np.linalg.solve(L.T, np.linalg.solve(L, momenta.ravel()))
    C, D, both = [], [], []
    for i, parent in enumerate(model.parents.tolist()):
        on = np.zeros((6, L.shape[0]))
        on[:, 6 * i : 6 * i + 6] = np.eye(6)
        if parent >= 0:
            on[:, 6 * parent : 6 * parent + 6] = -at.motion.Ad[i]
        own = contacts_of(kind, at.motion.S[i] @ v[at.coordinates(i)])
        both.append(np.concatenate([own.tangents, own.tangents]).reshape(-1, 6))
        C.append(np.vstack([own.normals, -own.normals]) @ on)
        D.append(both[-1] @ on)
    rows, slides = np.vstack(C), np.vstack(D)
    half = np.linalg.solve(L, np.vstack([rows, slides]).T).T
    program = Program(
        half[: len(rows)], -rows @ free, 0, half[len(rows) :], slides @ free, np.full(len(rows), MU)
    )  # fmt: skip
    found = method.solve(program, np.zeros(len(slides)))
    drag = found.drag.reshape(len(model.bodies), -1)
    wrenches = np.einsum("bk,bki->bi", drag, np.array(both))
    return wrenches[:, {"hinge": [2], "slide": [5], "ball": [0, 1, 2]}[kind]], found.converged


def own_friction(scene: Scene, h: float, method: BilateralStaggeredProjections, kind: str = "hinge") -> Array:
    """Return the same by a step with bearings."""
    Simulation(scene, h, contact=method).step()
    assert method.last is not None and method.last.converged
    v = free_rates(scene, h)
    at = State(scene.model, np.asarray(scene.x), np.asarray(scene.v))
    grip = method.last.grip.reshape(len(scene.model.bodies), -1)
    if kind != "ball":
        return grip * (RADIUS if kind == "hinge" else 1.0)
    wrenches = []
    for i, drag in enumerate(grip):
        tangents = contacts_of(kind, at.motion.S[i] @ v[at.coordinates(i)]).tangents.reshape(-1, 6)
        wrenches.append(drag @ tangents[: len(drag), :3])
    return np.array(wrenches)


def both_methods(kind: str) -> tuple[BilateralStaggeredProjections, StaggeredProjections]:
    """Return the methods that are compared."""
    numbers = TOLERANCES[kind], REGULARIZERS[kind]
    return BilateralStaggeredProjections(100, *numbers), StaggeredProjections(3000, *numbers)
