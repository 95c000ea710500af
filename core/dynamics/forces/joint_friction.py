"""Viscous friction between the two bodies of a joint, ``-mu (omega_i - omega_j)``, equal and opposite (Hakenberg).

By the joint's coordinates, whose motion subspace turns the one body beside the other by ``omega_i - omega_j = S v``,
it is the torque ``-mu S^T S v``: whatever the coordinates are it does the same, and the root has no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.body_names import body_of_coordinate
from core.joints import (
    Composite,
    Fixed,
    Free,
    FreeRotationFirst,
    JointModel,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
)

if TYPE_CHECKING:
    from core.dynamics.forces.base import Derivatives
    from core.dynamics.forces.implicit import Friction, ImplicitTerms
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel

_RIGHT = 1e-9  # cosine of the angle between axes that are meant to be at right angles
ALL = slice(None)


def add_friction(state: State, body: int, mu: float, tau: Array, hinges: slice = ALL) -> None:
    """Add the friction in a body's joint to ``tau``, shape (nv,).

    Args:
        state: The bodies.
        body: The body that the joint carries.
        mu: [N m s].
        tau: Where it is added, [N m] or [N].
        hinges: The joint's coordinates that it acts between, of several joints in one.
    """
    own, S = _turning(state, body, hinges)
    tau[own] -= mu * (S.T @ (S @ state.v[own]))


def differentiate_friction(state: State, body: int, mu: float, derivatives: Derivatives, hinges: slice = ALL) -> None:
    """Add the derivatives of the friction in a body's joint by its rates and its coordinates; as ``add_friction``."""
    own, S = _turning(state, body, hinges)
    derivatives.joint_damping[own, own] += mu * (S.T @ S)
    joint = state.model.bodies[body].joint
    if not mu or joint.n == 1:
        return
    v, whole = state.v[own], state.coordinates(body)
    change = joint.subspace_gradient(state.x[whole])[:3, hinges]  # of column i by coordinate k at [:, i, k]
    bent = np.einsum("aik,a->ik", change, S @ v) + S.T @ np.einsum("ajk,j->ak", change, v)
    derivatives.joint_stiffness[own, whole] -= mu * bent


def add_friction_terms(terms: ImplicitTerms, body: int, mu: float, hinges: slice = ALL) -> None:
    """Add the friction in a body's joint to what the engine has in its kernels; as ``add_friction``."""
    start = int(terms.model.first[body])
    first, end, _ = hinges.indices(terms.model.bodies[body].joint.n)
    terms.add_friction(slice(start + first, start + end), mu)


def single_dampers(model: TreeModel, frictions: Sequence[Friction]) -> tuple[Array, list[Friction]]:
    """Return viscous friction as dampers of single velocities of the step, shape (nv,), and that which is none."""
    damping, others = np.zeros(model.nv), []
    for friction in frictions:
        body = body_of_coordinate(model, friction.first)
        start = int(model.first[body])
        own = turning(model.bodies[body].joint, friction.first - start, friction.end - start)
        if own is None:
            others.append(friction)
        else:
            damping[[start + k for k in own]] += friction.mu
    return damping, others


def _turning(state: State, body: int, hinges: slice) -> tuple[slice, Array]:
    """Return the coordinates of hinges of a joint, and S of their relative angular velocity ``S v``, shape (3, n)."""
    whole = state.coordinates(body)
    first, end, _ = hinges.indices(whole.stop - whole.start)
    return slice(whole.start + first, whole.start + end), state.motion.S[body][:3, hinges]


def turning(joint: JointModel, first: int = 0, end: int | None = None) -> tuple[int, ...] | None:
    """Return which coordinates of a joint turn, if relative angular velocity squared is the sum of their rates squared.

    So it is of a ball, by its angular velocity, and of hinges that stay at right angles to each other: one, or two.
    Slides may stand beside them. None: it is not so, or not known.

    Args:
        joint: The joint.
        first, end: Only those coordinates are looked at; None: to the last one.
    """
    found: list[int] = []
    axes: list[Array] = []
    balls = place = 0
    for part in joint.joints if isinstance(joint, Composite) else (joint,):
        at, place = place, place + part.n
        if place <= first or (end is not None and at >= end):
            continue
        if isinstance(part, Revolute):
            axes.append(np.asarray(part.axis))
            found.append(at)
        elif isinstance(part, (Spherical, SphericalEuler, FreeRotationFirst)):
            balls += 1
            found += range(at, at + 3)
        elif isinstance(part, Free):
            balls += 1
            found += range(at + 3, place)
        elif not isinstance(part, (Fixed, Prismatic)):
            return None
    if balls + len(axes) > 1 and (balls or len(axes) > 2 or abs(float(axes[0] @ axes[1])) > _RIGHT):
        return None
    return tuple(found)
