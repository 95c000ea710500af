"""Where a figure stands and which way it faces: poses of the figure put on another place of the floor.

A pose in a mirror at x = 0 (``core.skeleton.mirroring.pose_mirror``) stands on the other side of the floor and faces
the other way. Put back to where the figure stood, facing as it did, it is the pose flipped in place.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.errors import PoseError
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.root_turn import RootTurn, local_frames
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

_UPRIGHT = 1e-9
_Y = np.array([0.0, 1.0, 0.0])


class Stance:
    """Reads and sets where a figure stands and faces. ``stance`` gives it.

    Attributes:
        turn: Number of the value of a pose that turns the upright figure, or None if no one value does: then the
            way it faces is worked out from all that turn the root.
    """

    def __init__(self, skeleton: Skeleton):
        self._root = root = skeleton.joints[0]
        self._own = slice(3, 3 + len(root.dofs))
        self._slides = any(dof.kind == SLIDE for dof in root.dofs)
        hinges = [k for k, dof in enumerate(root.dofs) if dof.kind == HINGE]
        self._turns = RootTurn(root.dofs)
        self.turn: int | None = None
        if hinges:
            heights = {k: float((root.rotation @ root.dofs[k].axis)[1]) for k in hinges}
            self._upright = max(hinges, key=lambda k: abs(heights[k]))
            self._sense = 1.0 if heights[self._upright] > 0.0 else -1.0
            if abs(abs(heights[hinges[0]]) - 1.0) < _UPRIGHT:
                self.turn = 3 + hinges[0]

    def _frame(self, q: Array) -> Array:
        """Return the root's frame in the world, shape (4, 4), unscaled."""
        frame: Array = np.array(local_frames(self._root, q[None, self._own])[0])
        frame[:3, :3] /= np.asarray(self._root.scale)
        frame[:3, 3] += q[:3]
        return frame

    def heading(self, q: Array) -> float:
        """Return the angle about y by which the figure faces away from +z, [rad]."""
        x, _, z = self._frame(q)[:3, 2]
        return math.atan2(float(x), float(z))

    def ground_place(self, q: Array) -> tuple[float, float, float]:
        """Return where on the floor the root is, x and z [m], after the angle by which it is turned about y [rad].

        The angle is that of the part of its rotation that goes about y: turned on, the figure has as much more.
        """
        frame = self._frame(np.asarray(q, dtype=np.float64))
        turned = math.atan2(frame[0, 2] - frame[2, 0], frame[0, 0] + frame[2, 2])
        return turned, float(frame[0, 3]), float(frame[2, 3])

    def moved(self, poses: Array, angle: float, x: float, z: float) -> Array:
        """Return poses turned about the world's y axis and then moved over the floor, shape (m, nq); a new array.

        A figure whose root cannot be turned is only moved. Where nothing turns and nothing moves, poses stay bit for
        bit.

        Args:
            poses: Poses, shape (m, nq), [m] and [rad].
            angle: The angle, [rad].
            x: How far they move along x, [m].
            z: Along z, [m].
        """
        made = np.array(poses, dtype=np.float64)
        turns = angle != 0.0 and (self.turn is not None or self._turns.solved)
        if not turns:
            made[:, 0] += x
            made[:, 2] += z
            return made
        before = np.array([self._frame(q) for q in made])
        R = so3.axis_rotation(_Y, angle)
        if self.turn is not None:
            made[:, self.turn] += self._sense * angle
        else:
            near = made[:, self._own].copy()
            near[:, self._upright] += self._sense * angle
            local = self._root.rotation.T @ R @ before[:, :3, :3]
            made[:, self._own] = self._turns.values(local, near, np.zeros_like(near))
        wanted = before[:, :3, 3] @ R.T + np.array([x, 0.0, z])
        now = np.array([self._frame(q)[:3, 3] for q in made]) if self._slides else before[:, :3, 3]
        made[:, :3] += wanted - now
        return made

    def placed(self, poses: Array, motion: Array) -> Array:
        """Return poses of the figure taken elsewhere in the world, shape (m, nq); a new array.

        The figure stays as it is. An import, whose figure may take the turn in its root's frame instead, does that by
        ``core.formats.importing.placing.turned``.

        Args:
            poses: Poses in order, shape (m, nq), [m] and [rad]; the root's angles go on from one to the next.
            motion: Where the world's frame goes, rigidly, shape (4, 4).

        Raises:
            PoseError: If the motion leans, and the root cannot be turned about three axes.
        """
        made, R = np.array(poses, dtype=np.float64), motion[:3, :3]
        before = np.array([self._frame(q) for q in made])
        angle = math.atan2(R[0, 2] - R[2, 0], R[0, 0] + R[2, 2])
        leans = np.abs(R - so3.axis_rotation(_Y, angle)).max() > _UPRIGHT
        if leans and len(self._turns.solved) < 3:
            raise PoseError(f'the root "{self._root.name}" does not turn about three axes, so the figure cannot lean')
        if not leans:
            made = self.moved(made, angle, 0.0, 0.0)
        else:
            near = made[:, self._own].copy()
            near[:, self._upright] += self._sense * angle
            local = self._root.rotation.T @ R @ before[:, :3, :3]
            made[:, self._own] = self._turns.values(local, near, np.zeros_like(near))
        wanted = before[:, :3, 3] @ R.T + motion[:3, 3]
        made[:, :3] += wanted - np.array([self._frame(q)[:3, 3] for q in made])
        return made

    def stood_like(self, q: Array, like: Array) -> Array:
        """Return a pose put where another one stands and facing as that does, shape (nq,); a new array.

        Height, lean and everything above the root stay.

        Args:
            q: Pose to put there, shape (nq,), [m] and [rad].
            like: Pose that stands there.
        """
        made = np.array(q, dtype=np.float64)
        if self.turn is not None:
            made[self.turn] = like[self.turn]
        elif self._turns.solved:
            angle = self.heading(like) - self.heading(made)
            local = self._root.rotation.T @ so3.axis_rotation(_Y, angle) @ self._frame(made)[:3, :3]
            near = made[None, self._own].copy()
            near[0, self._upright] += self._sense * angle  # so that no value goes a whole turn further round
            made[self._own] = self._turns.values(local[None], near, np.zeros_like(near))[0]
        if self._slides:
            made[[0, 2]] += (self._frame(like) - self._frame(made))[[0, 2], 3]
        else:
            made[[0, 2]] = np.asarray(like)[[0, 2]]
        return made


@per_skeleton
def stance(skeleton: Skeleton) -> Stance:
    """Return what reads and sets where a figure stands; kept as long as the figure lives."""
    return Stance(skeleton)


def flipped(skeleton: Skeleton, q: Array, in_place: bool = True) -> Array:
    """Return a pose with left and right exchanged, shape (nq,); a new array.

    Flipped twice it is the pose itself: bit for bit if one value turns the figure, else to rounding.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        in_place: Whether the figure stays where it stands and faces as it does; else it is mirrored at x = 0 with
            all that it is, its place and its way too.
    """
    mirrored = pose_mirror(skeleton).convert(q)
    return stance(skeleton).stood_like(mirrored, np.asarray(q)) if in_place else mirrored
