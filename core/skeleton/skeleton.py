"""The figure: a tree of joints, the masses of its segments, and the same figure with another root."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from core.arrays import Array
from core.errors import Problem
from core.skeleton.clamp import clamp_pose
from core.skeleton.joint import Group, Joint
from core.skeleton.mass import with_masses
from core.skeleton.rerooting.conversion import Rerooting, converted, reverted
from core.skeleton.rerooting.reroot import reroot
from core.skeleton.structure import Structure

MOST_ROTARY = 3


def find_compounds(skeleton: Structure) -> tuple[tuple[int, ...], ...]:
    """Return the DOF numbers of each compound joint with two or three rotary degrees of freedom.

    A run is the DOF lines inside one joint, carried on through consecutive one-child joints at zero offset
    while the joints before carry neither object nor mass. A run that would hold more than
    three rotary degrees of freedom is cut at a joint's border; one joint alone with more stays separate angles.
    """
    compounds: list[tuple[int, ...]] = []
    run: list[int] = []
    previous = -1

    def close() -> None:
        if 2 <= len(run) <= MOST_ROTARY:
            compounds.append(tuple(run))
        run.clear()

    for i, joint in enumerate(skeleton.joints):
        first = skeleton.first_dof[i]
        rotary = [first + k for k, dof in enumerate(joint.dofs) if dof.kind == "hinge"]
        slides = len(rotary) != len(joint.dofs)
        before = skeleton.joints[previous] if previous >= 0 else None
        joins = (
            before is not None
            and joint.parent == previous
            and len(skeleton.children[previous]) == 1
            and not before.has_body
            and np.all(before.scale == 1.0)
            and not np.any(joint.offset)
            and not slides
            and len(run) + len(rotary) <= MOST_ROTARY
        )
        if not joins:
            close()
        run.extend(rotary)
        previous = i
        if slides:
            close()
    close()
    return tuple(compounds)


class Skeleton(Structure):
    """An articulated figure. Immutable: editing makes a new one.

    Args:
        name: The figure's name.
        joints: Joints, every parent before its children; the first is the root (parent -1). What they leave open of
            mass, centre and inertia is filled in.
        layout: Joints and groups as listed in the .scr file; None derives one group a branch when written.
        source: The file it came from, if any.
        warnings: What the reader noticed but could live with.

    Raises:
        SkeletonError: If the joints do not form one tree in parent-first order, or a name or limit is wrong.
    """

    def __init__(
        self,
        name: str,
        joints: Sequence[Joint],
        layout: Sequence[int | Group] | None = None,
        source: Path | None = None,
        warnings: Sequence[Problem] = (),
    ):
        super().__init__(name, joints, layout, source, warnings)
        # The shapes that masses come from need the tree, and nothing of the tree needs the masses.
        self.joints = with_masses(self)

    def rest_pose(self) -> Array:
        """Return the pose of all zeros, clamped into the limits, shape (nq,); a new array."""
        return clamp_pose(self, np.zeros(self.nq))

    @cached_property
    def compounds(self) -> tuple[tuple[int, ...], ...]:
        """Rotary degrees of freedom that share one place, two or three at a time, as tuples of DOF numbers."""
        return find_compounds(self)

    def rerooted(self, joint: int | str) -> Rerooted:
        """Return this figure with another joint as its root; this one stays as it is.

        Names stay. The joints between the two roots hang the other way round: each carries the degrees of freedom
        of its former child in reverse order about negated axes, so that values, labels and limits keep their meaning.
        Objects, weights, centres and tips are expressed in the new frames. The new root turns freely.

        Args:
            joint: Index or name.

        Returns:
            The figure, with ``convert`` and ``revert`` for poses.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If a joint on the way has a scale that is not the same in all directions.
        """
        made, rerooting = reroot(self, joint)
        return Rerooted(made, rerooting)


class Rerooted(Skeleton):
    """A figure that was re-rooted, made by :meth:`core.skeleton.Skeleton.rerooted`.

    Every segment is where it was in the old figure's pose when this one takes the converted pose.

    Args:
        made: Its joints and layout.
        rerooting: Where it came from.

    Attributes:
        original: The figure before.
        frames: For each joint the frame its segment had in the figure before, in its frame now, shape (n, 4, 4):
            world frames of the old figure are ``F_old = F_new @ frames``, joint by name; read-only.
    """

    def __init__(self, made: Structure, rerooting: Rerooting):
        super().__init__(made.name, made.joints, made.layout, rerooting.original.source)
        self.rerooting = rerooting
        self.original = rerooting.original
        self.frames: Array = np.array(rerooting.frames)
        self.frames.setflags(write=False)

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
        return converted(self, self.rerooting, q)

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
        return reverted(self, self.rerooting, q)
