"""Secondary motion: strands that follow a figure's motion, whatever moves that; the figure is not moved by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Seq
from dataclasses import replace

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array
from core.kinematics import forward_kinematics
from core.preview.hanging_strands import LONGEST_STEP, HangingStrands, Nodes
from core.preview.settings import PhysicsSettings
from core.preview.strands import Strand
from core.skeleton import Skeleton

_AHEAD, _KEPT = 64, 16
"""So many steps have the frames of their parts worked out together, and so many lots of them are kept."""
_BEFORE = 5.0
"""How long a motion that goes round and round has gone on before the round that is shown, at least, [s]."""


class SecondaryMotion:
    """Strands along a motion. What a frame shows does not depend on what was asked before; the same input, same bits.

    The motion begins with the strands at rest; one that goes round and round, as after some rounds, so that it goes on
    without a jerk. Steps are worked out when they are asked for and kept. When the motion changes, make another one.

    Args:
        sequence: Motion of the figure that the strands hang on.
        strands: The strands.
        settings: Gravity and floor; None for the usual ones.
        poses: Gives the poses at frames, shape (m,) to (m, nq), instead of the sequence's, as of a simulation.

    Attributes:
        strands: As given.
        step: Length of a step, [s].

    Raises:
        DynamicsError: If a strand hangs on a joint that the figure does not have; names it.
    """

    def __init__(
        self,
        sequence: Sequence,
        strands: Seq[Strand],
        settings: PhysicsSettings | None = None,
        *,
        poses: Callable[[Array], Array] | None = None,
    ):
        self.strands, self._sequence = tuple(strands), sequence
        self._poses = sequence.poses_at_frames if poses is None else poses
        self._per_frame = max(1, math.ceil(1.0 / (sequence.fps * LONGEST_STEP) - 1e-9))
        self.step = 1.0 / (sequence.fps * self._per_frame)
        if self.strands:
            world = (PhysicsSettings() if settings is None else settings).world
            self._hanging = HangingStrands(sequence.skeleton, self.strands, world, self.step)
        self._rounds = poses is None and sequence.closes
        self._start = float(sequence.range[0]) if self._rounds else 0.0
        self._known: list[Nodes] = []
        self._parts: dict[int, Array] = {}

    def at(self, frame: float) -> tuple[Array, ...]:
        """Return the places of the nodes of each strand at a frame, world, shapes (n, 3), [m]; new.

        Between steps they are on the straight way from one to the next. Before its begin they are as there.
        """
        if not self.strands:
            return ()
        number = max(frame - self._start, 0.0) * self._per_frame
        whole = math.floor(number + 1e-9)
        share = max(number - whole, 0.0)
        self._reach(whole + (share > 1e-9))
        p = self._known[whole].p
        if share > 1e-9:
            p = p + share * (self._known[whole + 1].p - p)
        return self._hanging.each(p)

    def in_parts(self, frame: int) -> tuple[Array, ...]:
        """Return the places of the nodes of each strand at a whole frame in the frame of its part, (n, 3), [m]; new.

        :func:`placed` puts them where a part is that was moved meanwhile.
        """
        found = self.at(frame)
        number = max(round((frame - self._start) * self._per_frame), 0)
        X = self._frames_of(number)[: 2 * len(found) : 2] if found else ()
        return tuple((p - part[:3, 3]) @ part[:3, :3] for p, part in zip(found, X, strict=True))

    # -- steps -----------------------------------------------------------------------------------------------------

    def _reach(self, number: int) -> None:
        """Work out all steps up to one."""
        if not self._known:
            self._known.append(self._begun())
        while len(self._known) <= number:
            k = len(self._known)
            self._known.append(self._hanging.next(self._known[-1], self._frames_of(k), self._frames_of(k - 1)))

    def _begun(self) -> Nodes:
        """Return the nodes where the motion begins."""
        nodes = self._hanging.begun(self._frames_of(0))
        if not self._rounds:
            return nodes
        first, last = self._sequence.range
        ends = self._poses(np.array([float(first), float(last)]))
        count = (last - first) * self._per_frame
        for _ in range(math.ceil(_BEFORE / (count * self.step))):
            for number in range(1, count + 1):
                nodes = self._hanging.next(nodes, self._frames_of(number), self._frames_of(number - 1))
            nodes = nodes._replace(p=nodes.p + ends[0, :3] - ends[1, :3])
        return nodes

    # -- the figure --------------------------------------------------------------------------------------------------

    def _frames_of(self, number: int) -> Array:
        """Return the frames of the joints that strands and their steps need, at a step, shape (k, 4, 4)."""
        lot, place = divmod(number, _AHEAD)
        if lot not in self._parts:
            frames = self._start + (lot * _AHEAD + np.arange(_AHEAD)) / self._per_frame
            X = forward_kinematics(self._sequence.skeleton, self._poses(frames))
            if len(self._parts) >= _KEPT:
                self._parts.clear()
            self._parts[lot] = X[:, self._hanging.joints]
        return np.asarray(self._parts[lot][place])


def placed(strand: Strand, nodes: Array, frames: Mapping[str, Array]) -> Array | None:
    """Return the nodes of a strand in the world for another pose than they were worked out for, shape (n, 3), [m]; new.

    They go with their part; if the last one is fixed too, all give way to where its part has it, the more the nearer.

    Args:
        strand: The strand.
        nodes: Its nodes in the frame of its part, shape (n, 3), [m].
        frames: World frames of joints by name, shape (4, 4).

    Returns:
        None if one of its parts is not among the joints.
    """
    X, Y = frames.get(strand.part), frames.get(strand.part if strand.other is None else strand.other)
    if X is None or Y is None:
        return None
    p = nodes @ X[:3, :3].T + X[:3, 3]
    if strand.other is not None:
        missed = Y[:3, :3] @ np.asarray(strand.anchor) + Y[:3, 3] - p[-1]
        p += np.linspace(0.0, 1.0, len(p))[:, None] * missed
    return np.asarray(p)


def numbered_strands(
    settings: PhysicsSettings, skeleton: Skeleton, first: bool, name: str | None = None
) -> dict[int, Strand]:
    """Return the strands of a figure by their numbers in the settings; without those on joints that it does not have.

    Args:
        settings: Of the project.
        skeleton: The figure.
        first: Whether it is the project's first one.
        name: By which the settings know it; None for its own.
    """
    there = {None, *skeleton.joint_names}
    own = strands_of(settings, skeleton.name if name is None else name, first)
    return {
        number: each
        for number, each in enumerate(settings.strands)
        if any(each is one for one in own) and each.part in there and each.other in there
    }


def motions_of_strands(
    settings: PhysicsSettings, sequences: Seq[Sequence], names: Seq[str]
) -> list[tuple[tuple[int, ...], SecondaryMotion]]:
    """Return the strands of figures in motion: their numbers in the settings, and how they move.

    Args:
        settings: Of the project; strands that name no figure are those of the first of the sequences.
        sequences: Of the figures.
        names: By which the settings know these.
    """
    found = []
    for k, (sequence, name) in enumerate(zip(sequences, names, strict=True)):
        own = numbered_strands(settings, sequence.skeleton, k == 0, name)
        if own:
            found.append((tuple(own), SecondaryMotion(sequence, list(own.values()), settings)))
    return found


def with_figures(settings: PhysicsSettings, first: str) -> PhysicsSettings:
    """Return settings whose strands all name their figure: those that name none hang on the one of a name."""
    if all(each.figure for each in settings.strands):
        return settings
    return replace(settings, strands=tuple(replace(each, figure=each.figure or first) for each in settings.strands))


def strands_of(settings: PhysicsSettings, figure: str, first: bool) -> tuple[Strand, ...]:
    """Return the strands of one of the figures of a project.

    Args:
        settings: Of the project.
        figure: Name of the figure.
        first: Whether it is the first one, which strands hang on that name none.
    """
    return tuple(each for each in settings.strands if each.figure == figure or (first and not each.figure))
