"""How well a chain can move a point: singular values of its Jacobian and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import GoalError, JointError
from core.kinematics.chain import ancestry
from core.kinematics.jacobian import point_jacobian
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

PARTS = ("position", "rotation", "pose")
"""Rows of the Jacobian that may be asked for."""

_ROUNDING = 16.0 * float(np.finfo(np.float64).eps)


class Ellipsoid(NamedTuple):
    """Where unit speed of the joints can take a point, or turn a part.

    Attributes:
        axes: Unit directions as columns, right-handed, world, shape (3, 3).
        radii: Half-axes along them, falling, 0 where nothing moves, shape (3,), [m/rad] or [rad/rad].
    """

    axes: Array
    radii: Array


def chain_jacobian(
    s: Skeleton,
    q: Any,
    joint: int | str,
    point: Any = (0.0, 0.0, 0.0),
    *,
    base: int | str | None = None,
    dofs: Sequence[int] | None = None,
    part: str = "pose",
) -> Array:
    """Return the Jacobian of a chain's end, of the degrees of freedom that move it only.

    Slides are measured in units of the figure's size, and coordinates of splines in what moves a part by about as
    much, as the solvers do, so that the unit of length plays no part in how they and hinges compare. The rotational
    rows of a whole pose are multiplied by the chain's reach, so that all rows are lengths.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joint: Index or name of the joint that carries the point.
        point: Point in the joint's frame, shape (3,), [m].
        base: First joint that moves, index or name; None: every joint from the root, root translation fixed;
            ``"world"``: that one free too.
        dofs: Indices into ``q`` instead of ``base``, such as ``Chain.dofs``.
        part: One of ``PARTS``.

    Returns:
        Shape (3, K) or, for ``"pose"``, (6, K), rows in world axes; new.

    Raises:
        JointError: If a joint does not exist.
        PoseError: If ``q`` or ``point`` has the wrong shape or holds NaN or infinity.
        GoalError: If ``base`` is not above ``joint``, an index is no degree of freedom, or ``part`` is unknown.
    """
    if part not in PARTS:
        raise GoalError(f'no part "{part}" of a Jacobian; valid are {", ".join(PARTS)}')
    pose = np.array(s.check_pose(q), dtype=np.float64)
    pose[:3] = 0.0  # moves everything alike, and costs digits
    J = point_jacobian(s, pose, joint, point)
    chosen = _columns(s, s.joint_index(joint), base, dofs)
    tree = pack(s)
    unit = np.concatenate([np.full(3, tree.size or 1.0), tree.unit])
    J = J[:, chosen] * unit[chosen]
    if part == "pose":
        reach = sum(tree.length[i] for i in ancestry(s, s.joint_index(joint)))
        extra = tree.linear[s.joint_index(joint)] @ np.asarray(point, dtype=np.float64)
        J[3:] *= reach + float(np.sqrt(extra @ extra)) or 1.0
        return np.asarray(J)
    return np.asarray(J[:3] if part == "position" else J[3:])


def singular_values(
    s: Skeleton,
    q: Any,
    joint: int | str,
    point: Any = (0.0, 0.0, 0.0),
    *,
    base: int | str | None = None,
    dofs: Sequence[int] | None = None,
    part: str = "position",
) -> Array:
    """Return the singular values of a chain's Jacobian, falling; exactly 0 where the rank is missing.

    Args, errors: As ``chain_jacobian``.

    Returns:
        Shape (3,), or (6,) for ``part="pose"``, whatever the number of joints; new.

    Source: Welman (1993) eq. 3.9.
    """
    return _decomposed(chain_jacobian(s, q, joint, point, base=base, dofs=dofs, part=part))[1]


def condition_number(
    s: Skeleton,
    q: Any,
    joint: int | str,
    point: Any = (0.0, 0.0, 0.0),
    *,
    base: int | str | None = None,
    dofs: Sequence[int] | None = None,
    part: str = "position",
) -> float:
    """Return the largest singular value over the smallest, infinite at a singular pose; arguments as there.

    Source: Welman (1993) section 3.2.2.
    """
    values = singular_values(s, q, joint, point, base=base, dofs=dofs, part=part)
    return float(values[0] / values[-1]) if values[-1] > 0.0 else float("inf")


def manipulability(
    s: Skeleton,
    q: Any,
    joint: int | str,
    point: Any = (0.0, 0.0, 0.0),
    *,
    base: int | str | None = None,
    dofs: Sequence[int] | None = None,
    part: str = "position",
) -> float:
    """Return ``sqrt(det(J J^T))``, the product of the singular values, 0 at a singular pose; arguments as there.

    Source: Yoshikawa (1985).
    """
    return float(np.prod(singular_values(s, q, joint, point, base=base, dofs=dofs, part=part)))


def manipulability_ellipsoid(
    s: Skeleton,
    q: Any,
    joint: int | str,
    point: Any = (0.0, 0.0, 0.0),
    *,
    base: int | str | None = None,
    dofs: Sequence[int] | None = None,
    part: str = "position",
) -> Ellipsoid:
    """Return the ellipsoid of velocities that joint speeds of norm 1 give a point, or a part's rotation.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joint: Index or name of the joint that carries the point.
        point: Point in the joint's frame, shape (3,), [m].
        base: First joint that moves, see ``chain_jacobian``.
        dofs: Indices into ``q`` instead of ``base``, such as ``Chain.dofs``.
        part: ``"position"`` or ``"rotation"``.

    Returns:
        Axes in world directions, and radii.

    Raises:
        JointError: If a joint does not exist.
        PoseError: If ``q`` or ``point`` has the wrong shape or holds NaN or infinity.
        GoalError: If ``base`` is not above ``joint``, an index is no degree of freedom, or ``part`` has no ellipsoid.

    Source: Yoshikawa (1985).
    """
    if part == "pose":
        raise GoalError('a whole pose has no ellipsoid; part may be "position" or "rotation"')
    axes, radii = _decomposed(chain_jacobian(s, q, joint, point, base=base, dofs=dofs, part=part))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return Ellipsoid(axes, radii)


def _decomposed(J: Array) -> tuple[Array, Array]:
    """Return all left singular vectors as columns, (m, m), and m singular values, rounding taken for what it is."""
    m, n = J.shape
    U, found, _ = np.linalg.svd(J)
    values = np.zeros(m)
    values[: len(found)] = found
    values[values <= _ROUNDING * max(m, n) * values.max(initial=0.0)] = 0.0
    return np.asarray(U), values


def _columns(s: Skeleton, joint: int, base: int | str | None, dofs: Sequence[int] | None) -> list[int]:
    """Return the columns of the Jacobian that count."""
    if dofs is not None:
        chosen = [int(k) for k in dofs]
        if chosen and not 0 <= min(chosen) <= max(chosen) < s.nq:
            raise GoalError(f"dofs run from {min(chosen)} to {max(chosen)}; a pose has the numbers 0 to {s.nq - 1}")
        return chosen
    up = ancestry(s, joint)
    top = up[-1]
    if base is not None and base != "world":
        try:
            top = s.joint_index(base)
        except JointError as error:
            raise GoalError(f'{error}; or "world" for the root translation too') from None
        if top not in up:
            names = s.joints[top].name, s.joints[joint].name
            raise GoalError(f'base "{names[0]}" is not above joint "{names[1]}"')
    path = reversed(up[: up.index(top) + 1])
    own = [3 + k for i in path for k in range(s.first_dof[i], s.first_dof[i + 1])]
    return [0, 1, 2, *own] if base == "world" else own
