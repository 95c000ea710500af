"""How a figure with another root came from the one before, and how poses go from one to what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import PoseError
from core.skeleton.root_turn import RootTurn, leading_slides, local_frames, motions
from core.skeleton.structure import Structure


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

    original: Structure
    path: tuple[int, ...]
    columns: tuple[int, ...]
    factors: Array
    frames: Array
    order: tuple[int, ...]


def converted(new: Structure, rerooting: Rerooting, q: object) -> Array:
    """Return the poses of a re-rooted figure; see ``core.skeleton.skeleton.Rerooted.convert``."""
    slides = leading_slides(rerooting.original.joints[0].dofs) is not None
    old = rerooting.original.check_pose(q, batch=True)
    rows = np.atleast_2d(old)
    columns = np.array(rerooting.columns, dtype=np.intp)
    known = columns >= 0
    out = np.zeros((len(rows), new.nq))
    out[:, known] = rows[:, columns[known]] * rerooting.factors[known]
    if len(rerooting.path) > 1:
        target = rerooting.order[0]
        ends = _end_frames(rerooting.original, rerooting.path, rows) @ np.linalg.inv(rerooting.frames[0])
        follow = np.zeros((len(rows), len(new.joints[0].dofs)))
        follow[1:] = np.diff(out[:, 3 : 3 + follow.shape[1]], axis=0)
        assert target == rerooting.path[-1]
        _stand(new, out, ends, follow, slides)
    return out[0] if old.ndim == 1 else out


def reverted(new: Structure, rerooting: Rerooting, q: object) -> Array:
    """Return the poses of the original; see ``core.skeleton.skeleton.Rerooted.revert``."""
    root = rerooting.original.joints[0]
    solved = np.isin(np.arange(len(root.dofs)), RootTurn(root.dofs).solved)
    # Where slides of its root move the whole figure, as in imported files, they go on to do so.
    slides = leading_slides(root.dofs) is not None
    poses = new.check_pose(q, batch=True)
    rows = np.atleast_2d(poses)
    columns = np.array(rerooting.columns, dtype=np.intp)
    known = columns >= 0
    out = np.zeros((len(rows), rerooting.original.nq))
    out[:, columns[known]] = rows[:, known] / rerooting.factors[known]
    if len(rerooting.path) > 1:
        number = {old: i for i, old in enumerate(rerooting.order)}
        path = tuple(number[i] for i in reversed(rerooting.path))
        ends = _end_frames(new, path, rows) @ rerooting.frames[path[-1]]
        follow = np.zeros((len(rows), len(rerooting.original.joints[0].dofs)))
        follow[1:] = np.diff(out[:, 3 : 3 + follow.shape[1]], axis=0)
        own = slice(3, 3 + follow.shape[1])
        # Small angles are expected of the old root, but whole turns made since are kept.
        turns = 2.0 * np.pi * np.trunc(out[:1, own] / (2.0 * np.pi))
        out[:1, own] = np.where(solved, turns, out[:1, own])
        _stand(rerooting.original, out, ends, follow, slides)
    return out[0] if poses.ndim == 1 else out


def _end_frames(s: Structure, path: Sequence[int], q: Array) -> Array:
    """Return the world frame of the last joint of a path from the root, in each pose, shape (m, 4, 4)."""
    world = np.tile(np.eye(4), (len(q), 1, 1))
    world[:, :3, 3] = q[:, :3]
    for i in path:
        first = 3 + s.first_dof[i]
        world = world @ local_frames(s.joints[i], q[:, first : first + len(s.joints[i].dofs)])
    return world


def _stand(s: Structure, q: Array, frames: Array, follow: Array, slides: bool) -> None:
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


@dataclass(frozen=True, eq=False)
class PoseMap:
    """Where each value of a pose goes when a figure is edited.

    Attributes:
        n_before: Length of a pose before.
        columns: For each value of a new pose the number of the old one that it keeps, -1 for a new degree of freedom;
            the first three are the root's place.
        rest: What new degrees of freedom start with, shape (nq,); the rest of it is not used.
    """

    n_before: int
    columns: tuple[int, ...]
    rest: Array

    @property
    def identical(self) -> bool:
        """Whether every pose stays as it is."""
        return self.columns == tuple(range(self.n_before))

    def convert(self, q: object) -> Array:
        """Return poses of the edited figure, shape (nq,) or (m, nq); new.

        Degrees of freedom keep their values, whatever their joints are called and wherever they stand now; new ones
        are at rest, removed ones are dropped.

        Args:
            q: Pose or poses of the figure before, shape (n_before,) or (m, n_before).

        Raises:
            PoseError: If the shape is wrong.
        """
        old = np.asarray(q, dtype=np.float64)
        if old.ndim not in (1, 2) or old.shape[-1] != self.n_before:
            raise PoseError(f"pose has shape {old.shape}; expected ({self.n_before},) or (m, {self.n_before})")
        columns = np.array(self.columns, dtype=np.intp)
        # One more column, so that -1 finds something even in a pose of no values.
        wide = np.concatenate([old, np.zeros((*old.shape[:-1], 1))], axis=-1)
        return np.where(columns >= 0, wide[..., columns], self.rest)
