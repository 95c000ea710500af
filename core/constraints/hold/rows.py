"""The rows that a solver keeps: what the residuals of locks and goals become for one figure.

Each entry stands for one row or several of ``C = 0`` (``C <= 0`` for inequalities), ``C = h - R`` with ``h`` what the
figure has and ``R`` what it should have. Lengths in metres, angles in radians, vectors in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.bind import bind_in
from core.constraints.equations import EquationResidual
from core.constraints.hold.packed import AIM, AXIS, CALL, DISTANCE, EQUATION, MASS, POINT, ROTATION
from core.constraints.places import Places
from core.constraints.residuals import (
    OTHER_ORIENTATION,
    OTHER_POINT,
    AimResidual,
    AxisResidual,
    CarriedOrientationResidual,
    CarriedPointResidual,
    DistanceResidual,
    HalfPlanesResidual,
    OrientationResidual,
    PlaceAimResidual,
    PointResidual,
    Residual,
)
from core.kinematics.goal import Goal
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

WORLD = -1
"""In place of a joint: the point is given in the world."""

_ORIGIN = np.zeros(3)
_ALL = np.eye(3)


class Rows(NamedTuple):
    """Some rows of one lock or goal.

    Attributes:
        form: ``POINT``: ``D (p - p_other - target)``; ``DISTANCE``: ``|p - p_other| - target``; ``ROTATION``:
            ``log(R target^T)``, three rows, with ``R_other target`` for the target where another part carries it;
            ``AXIS``: the angle between an axis of the joint's frame and a world direction, two rows; ``AIM``: the same
            with the line of sight from ``p`` to ``p_other``; ``MASS``: ``D c - target`` for the centre of mass ``c`` of
            the figure, or of one of those that it is joined of; ``EQUATION``: functions of the pose,
            given by ``residual``; ``CALL``: any residual.
        joint: Index of the joint.
        point: Point of that joint, in its frame, shape (3,), [m].
        directions: D, shape (m, 3); its number of rows is that of the entry for every form.
        target: What the form says: a point (3,), a length, a rotation (3, 3), a unit direction (3,), bounds (m,).
        axis: Unit axis in the joint's frame, for ``AXIS`` and ``AIM``.
        other: Index of another joint, or ``WORLD``; for ``ROTATION`` that which carries the target.
        other_point: Point of the other joint, in its frame; in the world for ``WORLD``.
        weight: 1 and more is a hard row, less a soft one.
        joints: Indices of the joints that may help, None for all.
        inequality: Whether the rows are ``C <= 0``.
        other_rotation: Rotation of the other part for ``WORLD``, shape (3, 3).
        residual: For ``EQUATION`` the equations, for ``CALL`` a function that no kernel knows.
        supports: For ``MASS``: joints that the figure stands on.
        within: For ``MASS``: joint below which all that counts hangs, where figures are joined to one; else ``WORLD``.
        lock: Number of the lock the rows belong to; the number of goals before it for a goal.
    """

    form: int
    joint: int
    point: Array = _ORIGIN
    directions: Array = _ALL
    target: Any = None
    axis: Array = _ORIGIN
    other: int = WORLD
    other_point: Array = _ORIGIN
    weight: float = 1.0
    joints: tuple[int, ...] | None = None
    inequality: bool = False
    other_rotation: Array = _ALL
    residual: Residual | None = None
    supports: tuple[int, ...] = ()
    within: int = WORLD
    lock: int = 0

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.directions)

    @property
    def is_angle(self) -> bool:
        """Whether C is an angle and not a length."""
        return self.form in (ROTATION, AXIS, AIM) or (self.residual is not None and self.residual.angular)


def rows_of_locks(locks: Sequence[Any], places: Places) -> tuple[tuple[Any, ...], list[Rows]]:
    """Return the locks, bound where they were not, and their rows; those of weight 0 have none.

    Raises:
        LockError: If a lock names a joint or figure that is not there.
    """
    bound = tuple(bind_in(lock, places) for lock in locks)
    rows: list[Rows] = []
    for number, lock in enumerate(bound):
        for residual in lock.rule.residuals_at(lock, places, bound):
            entry = _rows(residual, lock, places)
            if entry.weight > 0.0 and entry.size:
                rows.append(entry._replace(lock=number))
    return bound, rows


def rows_of_goals(goals: Sequence[Goal], s: Skeleton) -> list[Rows]:
    """Return the rows of goals, those of weight 0 left out.

    Raises:
        JointError: If a goal's joint does not exist.
    """
    rows: list[Rows] = []
    for number, goal in enumerate(goals):
        joint = s.joint_index(goal.joint)
        if goal.position is not None:
            rows.append(Rows(POINT, joint, goal.point, target=goal.position, weight=goal.weights[0], lock=number))
        if goal.rotation is not None:
            rows.append(Rows(ROTATION, joint, goal.point, target=goal.rotation, weight=goal.weights[1], lock=number))
    return [entry for entry in rows if entry.weight > 0.0]


def _rows(residual: Residual, lock: Any, places: Places) -> Rows:
    """Return the rows of a residual; one that the kernels do not know is called for."""
    helpers = None if lock.joints is None else tuple(sorted({places.index(joint) for joint in lock.joints}))
    weight = lock.weights[1] if residual.angular else lock.weights[0]
    made = Rows(POINT, places.index(lock.joint), lock.point, joints=helpers, weight=weight)
    if isinstance(residual, HalfPlanesResidual):
        made = made._replace(form=MASS, within=_whose_mass(lock, places))
        made = made._replace(directions=residual.normals, target=residual.bounds, inequality=True)
        return made._replace(supports=residual.supports)
    if OTHER_POINT in residual.of or OTHER_ORIENTATION in residual.of:
        made = _seen(made, lock, places)
    if isinstance(residual, PointResidual):
        return made._replace(directions=residual.directions, target=residual.target)
    if isinstance(residual, DistanceResidual):
        return made._replace(form=DISTANCE, directions=_ALL[:1], target=residual.length)
    if isinstance(residual, CarriedPointResidual) and not pack(places.skeleton).scaled:
        # A point that the other part carries, as a pair's; below a scale it would be scaled as well.
        there = made.other_point + (residual.offset if made.other >= 0 else made.other_rotation @ residual.offset)
        return made._replace(target=np.zeros(3), other_point=there)
    if isinstance(residual, CarriedOrientationResidual):
        turn = residual.turn if made.other >= 0 else made.other_rotation @ residual.turn
        return made._replace(form=ROTATION, target=turn)
    if isinstance(residual, OrientationResidual):
        return made._replace(form=ROTATION, target=residual.target)
    if isinstance(residual, AxisResidual):
        return made._replace(form=AXIS, directions=_ALL[:2], axis=residual.axis, target=residual.direction)
    if isinstance(residual, AimResidual):
        return made._replace(form=AIM, directions=_ALL[:2], axis=residual.axis)
    if isinstance(residual, PlaceAimResidual):
        return made._replace(form=AIM, directions=_ALL[:2], axis=residual.axis, other_point=residual.place)
    form = EQUATION if isinstance(residual, EquationResidual) else CALL
    return made._replace(
        form=form, directions=np.zeros((residual.size, 3)), residual=residual, inequality=residual.inequality
    )


def _whose_mass(lock: Any, places: Places) -> int:
    """Return the joint below which what is to be balanced hangs: all of the figure, or one of those it is joined of."""
    s = places.skeleton
    return s.place(s.member_of(places.index(lock.joint))[0]) if isinstance(s, Joined) else WORLD


def _seen(rows: Rows, lock: Any, places: Places) -> Rows:
    """Return rows that look at the lock's second part; one of another figure stands still."""
    figure, joint, point = lock.second
    if figure is None:
        return rows._replace(other=places.index(joint), other_point=point)
    there = places.point(joint, point, figure), places.rotation(joint, figure)
    return rows._replace(other=WORLD, other_point=there[0], other_rotation=there[1])


def helped(rows: Sequence[Rows]) -> list[int]:
    """Return the joints that rows are about; those of balance are about none."""
    return [joint for each in rows if each.form != MASS for joint in (each.joint, each.other) if joint >= 0]


def allowed(s: Skeleton, rows: Rows, is_goal: bool, goal_dofs: Sequence[int] | None) -> set[int] | None:
    """Return the pose values that may help some rows, None for all."""
    if rows.joints is not None:
        found = {3 + k for j in rows.joints for k in range(s.first_dof[j], s.first_dof[j + 1])}
        return found | {0, 1, 2} if 0 in rows.joints else found
    return set(goal_dofs) if is_goal and goal_dofs is not None else None
