"""Accelerations of a model's joints through equation (6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.hakenberg.model_bodies import bodies_of
from core.dynamics.hakenberg.solution import Method, solve
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.motion import motion

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def forward_dynamics(
    model: TreeModel, x: Array, v: Array, tau: Array | None, wrenches: Array | None, *, method: Method = "tree"
) -> Array:
    """Return ``vdot`` of bodies with hinges and balls between them, which may float or be fixed to each other.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        v: Rates, shape (nv,).
        tau: Generalized forces dual to ``v``, shape (nv,); None is zero.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None is none.
        method: How (6) is solved, see ``solution.solve``.

    Returns:
        Shape (nv,); new.

    Raises:
        DynamicsError: If a joint is another one or a body weighs nothing; names the body.

    Source: Hakenberg (3) to (6); the world as a body of infinite mass.
    """
    known = bodies_of(model)
    if not len(known.base):
        return np.zeros(0)
    poses = model.joint_poses(x)
    moving = motion(model, x, v)
    joints = joint_rows.of_motion(model, x, moving)
    state = known.states(poses, joints.V)
    found = solve(known.bodies, state, known.loads(model, moving, poses, tau, wrenches), method=method)
    Vdot = known.twist_rates(model, joints, state, found.a, found.domega)
    relative = joint_rows.against_parents(model, joints.Ad, Vdot) - joints.bias
    return np.concatenate([joint_rows.rates(own, relative[i]) for i, own in enumerate(joints.factors)])
