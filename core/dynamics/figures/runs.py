"""Which joints of a figure become which body of a model.

A run is what becomes one body: a joint, with the joints before it that sit at the same place and carry nothing. What
hangs on a body and moves no mass is left out, and joints without mass that do not move are welded to what they hang on.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.joints import JointModel
from core.skeleton.dof import SLIDE
from core.skeleton.frames import local_frame
from core.skeleton.joint import Joint
from core.skeleton.skeleton import Skeleton
from core.spatial import se3


class Piece(NamedTuple):
    """One degree of freedom of a run, or all of a joint of another type.

    Attributes:
        dofs: Numbers of the figure's degrees of freedom.
        kind: ``"hinge"``, ``"slide"`` or ``"coordinate"``.
        axis: Unit axis of a hinge or slide, in the frame left by the pieces before it, all fixed turns between the
            joints of the run folded into it, shape (3,).
        type: The joint type of coordinates.
    """

    dofs: tuple[int, ...]
    kind: str
    axis: Array
    type: JointModel | None


@dataclass
class Run:
    """What becomes one body.

    Attributes:
        parent: Number of the run it hangs on, -1 for the world.
        link: Pose of the joint frame at its zero in the parent's body frame, shape (4, 4).
        joints: The joints of the figure in it; the last one's frame is the body frame.
        pieces: Its degrees of freedom in order.
        rest: Turn of the body frame in the joint frame, shape (3, 3).
        floats: Whether the run is the root's and moves freely in space before its pieces.
        dropped: Numbers of the root's slides, which are no pieces of a run that floats.
    """

    parent: int
    link: Array
    joints: list[int]
    pieces: list[Piece]
    rest: Array = field(default_factory=lambda: np.eye(3))
    floats: bool = False
    dropped: list[int] = field(default_factory=list)

    @property
    def body_frame(self) -> Array:
        """Pose of the body frame in the joint frame, shape (4, 4)."""
        return se3.transform(self.rest)


class Places(NamedTuple):
    """The runs of a figure, and where its joints are.

    Attributes:
        runs: Parents first.
        run: For each joint the run it moves with, -1 for the world; shape (n,).
        frames: Pose of each joint's frame in the body frame of that run, shape (n, 4, 4).
        inside: Whether a joint turns against the frames of all bodies, as those inside a run do, shape (n,).
    """

    runs: list[Run]
    run: NDArray[np.intp]
    frames: Array
    inside: NDArray[np.bool_]


def joint_type(joint: Joint) -> JointModel | None:
    """Return the joint type that moves a joint, in the coordinates of its degrees of freedom; None for plain rows.

    Balls are rotation vectors in the model, so their types are not among these, and roots are dealt with degree by
    degree, as what places them may be part of their place in the world.
    """
    found = joint.type
    if found is None or (found.n < 2 and found.steps is not None):
        return None
    return found if joint.curved is not None or (joint.parent >= 0 and found.steps is not None) else None


def moves_mass(s: Skeleton) -> NDArray[np.bool_]:
    """Return whether a joint or anything that hangs on it has mass, shape (n,)."""
    moves = np.array([bool(joint.mass) for joint in s.joints])
    for i in range(len(s.joints) - 1, 0, -1):
        moves[s.joints[i].parent] |= moves[i]
    return moves


def find_runs(s: Skeleton, home: Array, held: Set[int], fixed_base: bool) -> Places:
    """Return which joints become which body.

    Args:
        s: The figure.
        home: Pose in which what is held is held, shape (nq,), [m] and [rad].
        held: Joints whose degrees of freedom are held besides those that move no mass.
        fixed_base: Whether the root stays at its place.
    """
    count = len(s.joints)
    moves = moves_mass(s)
    runs: list[Run] = []
    run = np.full(count, -1, dtype=np.intp)
    frames = np.tile(np.eye(4), (count, 1, 1))
    for i, joint in enumerate(s.joints):
        first = s.first_dof[i]
        still = i in held or not moves[i] or not joint.dofs
        above, X = (-1, np.eye(4)) if joint.parent < 0 else (int(run[joint.parent]), frames[joint.parent])
        floats = joint.parent < 0 and not fixed_base
        values = home[3 + first : 3 + first + len(joint.dofs)]
        own = local_frame(joint, values) if still else se3.transform(joint.rotation, joint.offset)
        if joint.parent < 0 and fixed_base:
            own[:3, 3] += home[:3]
        if still and not floats and not joint.mass:
            run[i], frames[i] = above, X @ own
            continue
        if floats and joint_type(joint) is None:
            # The body's place is expressed in the axes of the world, so the fixed turn comes after all that moves.
            turn = own[:3, :3]
            pieces = [] if still else _pieces(s, i, turn)
            runs.append(Run(-1, se3.transform(translation=own[:3, 3]), [i], pieces, turn, floats=True))
        elif floats:
            runs.append(Run(-1, own, [i], _pieces(s, i, np.eye(3)), floats=True))
        else:
            runs.append(Run(above, X @ own, [i], [] if still else _pieces(s, i, np.eye(3))))
        run[i] = len(runs) - 1
    inside = np.zeros(count, dtype=np.bool_)
    places = _merged(s, Places(runs, run, frames, inside))
    for own_run in places.runs:
        if own_run.floats and all(piece.type is None for piece in own_run.pieces):  # the place is free already
            own_run.dropped = [piece.dofs[0] for piece in own_run.pieces if piece.kind == SLIDE]
            own_run.pieces = [piece for piece in own_run.pieces if piece.kind != SLIDE]
    return places


def _pieces(s: Skeleton, i: int, turn: Array) -> list[Piece]:
    """Return the degrees of freedom of a joint, their axes turned; those of other types come whole."""
    joint, first = s.joints[i], s.first_dof[i]
    found = joint_type(joint)
    if found is not None:
        return [Piece(tuple(range(first, first + len(joint.dofs))), "coordinate", np.zeros(3), found)]
    return [Piece((first + k,), dof.kind, turn @ dof.axis, None) for k, dof in enumerate(joint.dofs)]


def _merged(s: Skeleton, places: Places) -> Places:
    """Return the places with each run that carries nothing joined to its only child, where both turn at one place."""
    runs, run, frames, inside = places
    children = np.bincount([one.parent for one in runs if one.parent >= 0], minlength=len(runs))
    # Joints with mass never weld, so a run that nothing but one other run hangs on can carry welded joints only.
    gone: dict[int, int] = {}
    for k, child in enumerate(runs):
        while child.parent >= 0:
            above = runs[child.parent]
            turn = above.rest @ child.link[:3, :3]
            arm = above.rest @ child.link[:3, 3]
            foldable = all(piece.type is None for piece in child.pieces) or np.array_equal(turn, np.eye(3))
            # What does not turn carries the child along wherever it sits.
            foldable = foldable and (not np.any(arm) or all(piece.kind == SLIDE for piece in above.pieces))
            if s.joints[above.joints[-1]].mass or children[child.parent] != 1 or not foldable:
                break
            old = child.parent
            folded = [piece._replace(axis=turn @ piece.axis) for piece in child.pieces]
            if child.pieces:
                inside[run == old] = True
            else:  # the child turns with the joints of the run above
                frames[run == old] = se3.inverse(child.link @ child.body_frame) @ frames[run == old]
            run[run == old] = k
            child.pieces = above.pieces + folded
            child.joints = above.joints + child.joints
            child.link, child.parent = above.link @ se3.transform(translation=arm), above.parent
            child.floats = above.floats
            child.rest = turn @ child.rest
            gone[old] = k
    kept = [k for k in range(len(runs)) if k not in gone]
    number = {old: new for new, old in enumerate(kept)}
    number[-1] = -1
    for k in kept:
        runs[k].parent = number[runs[k].parent]
    renumbered = np.array([number[int(k)] for k in run], dtype=np.intp)
    return Places([runs[k] for k in kept], renumbered, frames, inside)
