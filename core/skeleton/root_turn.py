"""The root's degrees of freedom: whether they turn a figure freely, and which values give it a wanted rotation."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.skeleton.dof import HINGE, SLIDE, Dof
from core.skeleton.joint import Joint
from core.spatial import quaternion as quat
from core.spatial import so3
from core.spatial.three_axes import PARALLEL, ThreeAxes

_SQUARE = 1e-9
_STARTS, _STEPS, _MET = 12, 40, 1e-14
_LABELS = {1: "Turn", 0: "Bend", 2: "Side"}


def _axes(dofs: tuple[Dof, ...], numbers: tuple[int, ...]) -> Array:
    return np.array([dofs[k].axis for k in numbers]).reshape(-1, 3)


def _free_triple(dofs: tuple[Dof, ...]) -> tuple[int, ...] | None:
    """Return three hinges in a row, by number, that can make every rotation: each at right angles to the next."""
    hinges = [k for k, dof in enumerate(dofs) if dof.kind == HINGE]
    for k in range(len(hinges) - 2):
        a, b, c = _axes(dofs, (hinges[k], hinges[k + 1], hinges[k + 2]))
        if abs(a @ b) < _SQUARE and abs(b @ c) < _SQUARE:
            return hinges[k], hinges[k + 1], hinges[k + 2]
    return None


def _across(axis: Array) -> Array:
    """Return a unit axis at right angles to another, a coordinate axis where one is."""
    start = np.zeros(3)
    start[[1, 2, 0][int(np.argmax(np.abs(axis)))] if abs(axis[0]) < 0.9 else 1] = 1.0
    across = start - (start @ axis) * axis
    return np.asarray(across / np.linalg.norm(across)) + 0.0


def leading_slides(dofs: tuple[Dof, ...]) -> Array | None:
    """Return the axes of three slides that a joint begins with, one a column, if they reach every place."""
    if len(dofs) < 3 or any(dof.kind != SLIDE for dof in dofs[:3]):
        return None
    axes = _axes(dofs, (0, 1, 2)).T
    return axes if abs(float(np.linalg.det(axes))) > _SQUARE else None


def free_dofs(joint: Joint) -> tuple[tuple[Dof, ...], tuple[str, ...], tuple[int, ...]]:
    """Return degrees of freedom for a root that is to turn freely, made from those of the root before.

    Its hinges without their limits, which would mean another thing at another part of the body, and its slides, those
    that place the figure without their limits too. Where the hinges do not turn the figure every way, more are put
    after them, or three new ones in their place if that is of no use.

    Args:
        joint: The root before.

    Returns:
        The degrees of freedom, their labels, and which one of the old root's each is, -1 for a new one.
    """
    dofs, labels = list(joint.dofs), list(joint.dof_labels)
    who = list(range(len(dofs)))
    hinges = [k for k, dof in enumerate(dofs) if dof.kind == HINGE]
    if _free_triple(joint.dofs) is None:
        axes = _axes(joint.dofs, tuple(hinges))
        if len(hinges) == 1:
            first = axes[0]
            second = _across(first)
            more = [second, np.cross(first, second) + 0.0]
        elif len(hinges) == 2 and abs(axes[0] @ axes[1]) < _SQUARE:
            more = [np.cross(axes[0], axes[1]) + 0.0]
        else:
            kept = [k for k in range(len(dofs)) if k not in hinges]
            dofs, labels, who = ([values[k] for k in kept] for values in (dofs, labels, who))  # type: ignore[assignment]
            more = [np.eye(3)[k] for k in _LABELS]
        for axis in more:
            letter = int(np.argmax(np.abs(axis)))
            dofs.append(Dof(HINGE, axis, -math.inf, math.inf))
            labels.append(_LABELS[letter] if len(more) == 3 else "")
            who.append(-1)
    placing = 3 if leading_slides(joint.dofs) is not None else 0
    freed = tuple(
        Dof(dof.kind, dof.axis, -math.inf, math.inf) if dof.kind == HINGE or k < placing else dof
        for k, dof in enumerate(dofs)
    )
    return freed, tuple(labels), tuple(who)


def _distinct(dofs: tuple[Dof, ...]) -> tuple[int, ...]:
    """Return the hinges by number, without those that turn about the same axis as the one before."""
    found: list[int] = []
    for k, dof in enumerate(dofs):
        if dof.kind == HINGE and not (found and np.linalg.norm(np.cross(dofs[found[-1]].axis, dof.axis)) < PARALLEL):
            found.append(k)
    return tuple(found)


class RootTurn:
    """Finds the values of a joint's hinges that make a rotation.

    Up to three are solved for, those past them keep the values they are given. With fewer than three the rotation is
    met as far as they can.

    Args:
        dofs: The joint's degrees of freedom.
    """

    def __init__(self, dofs: tuple[Dof, ...]):
        self.dofs = dofs
        hinges = _distinct(dofs)
        self.many = len(hinges) > 3 and _free_triple(dofs) is None
        self.solved = (_free_triple(dofs) or hinges[:3]) if len(hinges) > 2 else hinges
        self._three = ThreeAxes(_axes(dofs, self.solved)[None]) if len(self.solved) == 3 else None

    def values(self, rotations: Array, given: Array, follow: Array) -> Array:
        """Return the values for a row of rotations, each on the branch nearest to what is expected of it.

        Args:
            rotations: What the degrees of freedom together should make, shape (m, 3, 3).
            given: Values of those that are not solved for, shape (m, n); the others' are expected of the first row.
            follow: By how much each value is expected to change from row to row, shape (m, n).
        """
        out = np.array(given, dtype=np.float64)
        if not self.solved or not len(out):
            return out
        columns = list(self.solved)
        turns = quat.from_matrix(self._left(rotations, out))
        near = out[0, columns]
        for i in range(len(out)):
            if i:
                near = out[i - 1, columns] + follow[i, columns]
            out[i, columns] = self._angles(turns[i], near)
            if self.many:
                out[i] = self._refined(rotations[i], out[i])
        return out

    def _left(self, rotations: Array, values: Array) -> Array:
        """Return what is left for those that are solved for when all others have their values, shape (m, 3, 3)."""
        left = np.array(rotations, dtype=np.float64)
        hinges = [k for k, dof in enumerate(self.dofs) if dof.kind == HINGE and k not in self.solved]
        for k in (k for k in hinges if k < self.solved[0]):
            left = so3.axis_rotation(self.dofs[k].axis, -values[:, k]) @ left
        for k in (k for k in reversed(hinges) if k > self.solved[-1]):
            left = left @ so3.axis_rotation(self.dofs[k].axis, -values[:, k])
        # Between them stand only hinges that turn about the axis before them; their values are part of its own.
        return left

    def _angles(self, turn: Array, near: Array) -> Array:
        """Return the angles that make one rotation, nearest to given ones."""
        axes = _axes(self.dofs, self.solved)
        if self._three is not None:
            return np.asarray(self._three.angles(turn[None], near[None])[0])
        if len(axes) == 2:
            first, second = axes
            plane, moved = second - (second @ first) * first, quat.rotate(turn, second)
            about = math.atan2(float(np.cross(plane, moved) @ first), float(plane @ moved))
            rest = quat.multiply(quat.from_axis_angle(first, -about), turn)
            found = np.array([about, 2.0 * math.atan2(float(rest[1:] @ second), float(rest[0]))])
        else:
            found = np.array([2.0 * math.atan2(float(turn[1:] @ axes[0]), float(turn[0]))])
        away = found - near
        return np.asarray(near + away - 2.0 * np.pi * np.rint(away / (2.0 * np.pi)))

    def _refined(self, rotation: Array, values: Array) -> Array:
        """Return values of all hinges that make a rotation which three of more than three cannot make alone."""
        best, least = values, np.inf
        hinges = [k for k, dof in enumerate(self.dofs) if dof.kind == HINGE]
        for start in range(_STARTS):
            trial = values.copy()
            # Other starts spread over the circle, each hinge at another pace; none of them at random.
            trial[hinges] += start * np.sqrt(2.0 + np.arange(len(hinges)))
            for _ in range(_STEPS):
                made, axes = np.eye(3), []
                for k in hinges:
                    axes.append(made @ self.dofs[k].axis)
                    made = made @ so3.axis_rotation(self.dofs[k].axis, trial[k])
                error = so3.log(rotation @ made.T)
                size = float(np.linalg.norm(error))
                if size < least:
                    best, least = trial.copy(), size
                if size < _MET:
                    return best
                columns = np.array(axes).T
                damped = columns @ columns.T + 0.01 * size * size * np.eye(3)
                trial[hinges] += columns.T @ np.linalg.solve(damped + 1e-15 * np.eye(3), error)
        return best


def motions(joint: Joint, values: Array) -> Array:
    """Return ``D_1 .. D_n`` of a joint for a row of values, shape (m, n) to (m, 4, 4)."""
    out = np.tile(np.eye(4), (len(values), 1, 1))
    if joint.curved is not None:
        return np.array([joint.curved.transform(row) for row in values]).reshape(out.shape)
    for k, dof in enumerate(joint.dofs):
        if dof.kind == SLIDE:
            out[:, :3, 3] += out[:, :3, :3] @ dof.axis * values[:, k, None]
        else:
            out[:, :3, :3] = out[:, :3, :3] @ so3.axis_rotation(dof.axis, values[:, k])
    return out


def local_frames(joint: Joint, values: Array) -> Array:
    """Return ``T(offset) R D_1 .. D_n S`` of a joint for a row of values, shape (m, n) to (m, 4, 4)."""
    fixed = np.eye(4)
    fixed[:3, :3] = joint.rotation
    fixed[:3, 3] = joint.offset
    out = np.asarray(fixed @ motions(joint, values))
    out[:, :3, :3] *= joint.scale
    return out
