"""A figure with another root, and the way for poses to it and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.skeleton.joint import Array, Group, Joint
from core.skeleton.root_turn import RootTurn, leading_slides, local_frames, motions
from core.skeleton.skeleton import Skeleton


class Rerooting(NamedTuple):
    """How a re-rooted figure came from another one.

    Attributes:
        original: The figure before.
        path: Its joints from its root to the new one.
        columns: For each value of a new pose the number of the old one that it is; -1 for one that is new.
        factors: What it is multiplied with; other than 1 for slides next to a scale.
        frames: For each new joint the old frame of its segment in its new one, shape (n, 4, 4).
        order: For each new joint the number of the old one.
    """

    original: Skeleton
    path: tuple[int, ...]
    columns: tuple[int, ...]
    factors: Array
    frames: Array
    order: tuple[int, ...]


class Rerooted(Skeleton):
    """A figure that was re-rooted, made by :meth:`core.skeleton.Skeleton.rerooted`.

    Every segment is where it was in the old figure's pose when this one takes the converted pose.

    Args:
        name: The figure's name.
        joints: Joints, the new root first.
        layout: Joints and groups as listed in the .scr file.
        rerooting: Where it came from.

    Attributes:
        original: The figure before.
        frames: For each joint the frame its segment had in the figure before, in its frame now, shape (n, 4, 4):
            world frames of the old figure are ``F_old = F_new @ frames``, joint by name; read-only.
    """

    def __init__(self, name: str, joints: Sequence[Joint], layout: Sequence[int | Group] | None, rerooting: Rerooting):
        super().__init__(name, joints, layout, rerooting.original.source)
        self.rerooting = rerooting
        self.original = rerooting.original
        self.frames: Array = np.array(rerooting.frames)
        self.frames.setflags(write=False)
        root = self.original.joints[0]
        self._solved = np.isin(np.arange(len(root.dofs)), RootTurn(root.dofs).solved)
        # Where the motion of the whole figure is told by slides of its root, as in imported files, it stays so.
        self._slides = leading_slides(root.dofs) is not None

    def convert(self, q: object) -> Array:
        """Return the poses of this figure in which all segments are where a pose of the original puts them.

        Many poses are taken as a motion: angles of the root are chosen nearest to those of the pose before, and full
        turns stay turns.

        Args:
            q: Pose or poses of the original, shape (nq,) or (m, nq), [m] and [rad].

        Returns:
            Shape as ``q``, with this figure's number of values; new.

        Raises:
            PoseError: If the shape is wrong or a value is not finite.
        """
        old = self.original.check_pose(q, batch=True)
        rows = np.atleast_2d(old)
        columns = np.array(self.rerooting.columns, dtype=np.intp)
        known = columns >= 0
        out = np.zeros((len(rows), self.nq))
        out[:, known] = rows[:, columns[known]] * self.rerooting.factors[known]
        if len(self.rerooting.path) > 1:
            target = self.rerooting.order[0]
            ends = _end_frames(self.original, self.rerooting.path, rows) @ np.linalg.inv(self.frames[0])
            follow = np.zeros((len(rows), len(self.joints[0].dofs)))
            follow[1:] = np.diff(out[:, 3 : 3 + follow.shape[1]], axis=0)
            assert target == self.rerooting.path[-1]
            _stand(self, out, ends, follow, self._slides)
        return out[0] if old.ndim == 1 else out

    def revert(self, q: object) -> Array:
        """Return the poses of the original that this figure's poses are; the inverse of :meth:`convert`.

        A root of the original that cannot turn every way is turned as far as it can; where the pose is one that it
        can take, all segments are where they were.

        Args:
            q: Pose or poses of this figure, shape (nq,) or (m, nq), [m] and [rad].

        Returns:
            Shape as ``q``, with the original's number of values; new.

        Raises:
            PoseError: If the shape is wrong or a value is not finite.
        """
        new = self.check_pose(q, batch=True)
        rows = np.atleast_2d(new)
        columns = np.array(self.rerooting.columns, dtype=np.intp)
        known = columns >= 0
        out = np.zeros((len(rows), self.original.nq))
        out[:, columns[known]] = rows[:, known] / self.rerooting.factors[known]
        if len(self.rerooting.path) > 1:
            number = {old: i for i, old in enumerate(self.rerooting.order)}
            path = tuple(number[i] for i in reversed(self.rerooting.path))
            ends = _end_frames(self, path, rows) @ self.frames[path[-1]]
            follow = np.zeros((len(rows), len(self.original.joints[0].dofs)))
            follow[1:] = np.diff(out[:, 3 : 3 + follow.shape[1]], axis=0)
            own = slice(3, 3 + follow.shape[1])
            # Small angles are expected of the old root, but whole turns made since are kept.
            turns = 2.0 * np.pi * np.trunc(out[:1, own] / (2.0 * np.pi))
            out[:1, own] = np.where(self._solved, turns, out[:1, own])
            _stand(self.original, out, ends, follow, self._slides)
        return out[0] if new.ndim == 1 else out


def _end_frames(s: Skeleton, path: Sequence[int], q: Array) -> Array:
    """Return the world frame of the last joint of a path from the root, in each pose, shape (m, 4, 4)."""
    world = np.tile(np.eye(4), (len(q), 1, 1))
    world[:, :3, 3] = q[:, :3]
    for i in path:
        first = 3 + s.first_dof[i]
        world = world @ local_frames(s.joints[i], q[:, first : first + len(s.joints[i].dofs)])
    return world


def _stand(s: Skeleton, q: Array, frames: Array, follow: Array, slides: bool) -> None:
    """Write values of the root into ``q`` that put it where ``frames`` are.

    Args:
        s: The figure.
        q: Poses, shape (m, nq), changed in place; what is not written is given.
        frames: Where the root is to be, shape (m, 4, 4).
        follow: By how much its values are expected to change from pose to pose.
        slides: Whether the three slides it begins with place it; else the translation before them does.
    """
    root = s.joints[0]
    own = slice(3, 3 + len(root.dofs))
    linear = frames[:, :3, :3]
    turns = linear / np.cbrt(np.linalg.det(linear))[:, None, None]
    q[:, own] = RootTurn(root.dofs).values(root.rotation.T @ turns, q[:, own], follow)
    if slides:
        q[:, 3:6] = 0.0
    left = frames[:, :3, 3] - root.offset - motions(root, q[:, own])[:, :3, 3] @ root.rotation.T
    axes = leading_slides(root.dofs) if slides else None
    if axes is None:
        q[:, :3] = left
    else:
        q[:, 3:6] = np.linalg.solve(axes, root.rotation.T @ (left - q[:, :3]).T).T
