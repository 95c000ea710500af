"""Some frames of a motion as joining looks at them: poses, what tells them apart, and which feet stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.animation.contacts.feet import HEEL, Foot, figure_feet
from core.animation.contacts.finding import find_contacts
from core.animation.locks.strip import LockStrip
from core.animation.resampling import resampled
from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.errors import SequenceError
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.stance import stance

_SPEED_TIME = 0.1
"""A difference of speed counts as that of places after this time, [s]."""


def parts_of(foot: Foot) -> tuple[int, ...]:
    """Return the joints of a foot that locks hold: its own and that of its toes."""
    return (foot.joint,) if foot.toes is None else (foot.joint, foot.toes)


def is_still(strip: LockStrip) -> bool:
    """Return whether a lock strip keeps its target where it is."""
    return not strip.targets and strip.formula is None


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames ``first..last`` of a motion, as it is shown.

    Attributes:
        sequence: The motion.
        first: First frame.
        last: Last frame.
    """

    sequence: Sequence
    first: int
    last: int

    @property
    def skeleton(self) -> Skeleton:
        """The figure."""
        return self.sequence.skeleton

    @cached_property
    def poses(self) -> Array:
        """The poses, locks applied, shape (m, nq)."""
        return self.sequence.poses_at_frames(np.arange(self.first, self.last + 1))

    @cached_property
    def frames(self) -> Array:
        """The world frames of all joints, shape (m, n, 4, 4)."""
        return forward_kinematics(self.skeleton, self.poses)

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The figure's feet."""
        return figure_feet(self.skeleton)

    def frame_of(self, joint: int, frame: int) -> Array:
        """Return the world frame of a joint at a frame of the motion, shape (4, 4)."""
        return np.asarray(self.frames[frame - self.first, joint])

    @cached_property
    def looks(self) -> Array:
        """What tells poses apart wherever the figure stands and faces, shape (m, 6 n), [m].

        Places and speeds of the joints in a frame that stands on the ground below the root and faces as it does.
        Euclidean distance of two rows is the root mean square over the joints.
        """
        places = self.frames[:, :, :3, 3]
        ground = np.array([stance(self.skeleton).ground_place(q) for q in self.poses])
        c, s = np.cos(ground[:, 0]), np.sin(ground[:, 0])
        zero, one = np.zeros_like(c), np.ones_like(c)
        turn = np.stack([c, zero, -s, zero, one, zero, s, zero, c], axis=-1).reshape(-1, 3, 3)  # R_y(-angle)
        below = np.stack([ground[:, 1], zero, ground[:, 2]], axis=-1)
        speeds = np.gradient(places, axis=0) * self.sequence.fps if len(places) > 1 else np.zeros_like(places)
        own = np.einsum("mij,mkj->mki", turn, places - below[:, None])
        fast = np.einsum("mij,mkj->mki", turn, speeds) * _SPEED_TIME
        rows = np.concatenate([own, fast], axis=1).reshape(len(places), -1)
        return np.asarray(rows / np.sqrt(places.shape[1]))

    @cached_property
    def standing(self) -> Bools:
        """Which feet stand at which frames, shape (m, number of feet): by locks that stay, or by how they move."""
        found = np.zeros((self.last - self.first + 1, len(self.feet)), dtype=bool)
        if not self.feet:
            return found
        for number in range(len(self.feet)):
            for start, end in self._locked(number):
                found[max(start - self.first, 0) : max(end - self.first + 1, 0), number] = True
        for number, own in enumerate(self._touching()):
            found[:, number] |= own
        return found

    @cached_property
    def flat(self) -> Bools:
        """Which feet have their heel down, shape (m, number of feet); one without a heel, whenever it stands."""
        found = self.standing.copy()
        for number, foot in enumerate(self.feet):
            own = self._regions[number]
            if HEEL not in own or foot.toes is None:
                continue
            found[:, number] = own[HEEL]
            for start, end in self._locked(number, (foot.joint,)):
                found[max(start - self.first, 0) : max(end - self.first + 1, 0), number] = True
        return found

    def anchor(self, number: int, frame: int) -> int:
        """Return the joint of a foot that says where it stands at a frame: its own, or its toes' if its heel is up."""
        foot = self.feet[number]
        up = foot.toes is not None and not self.flat[frame - self.first, number]
        return foot.toes if up and foot.toes is not None else foot.joint

    def regions(self, number: int) -> dict[str, Bools]:
        """Return which regions of a foot touch the ground at each frame, by their names, each of shape (m,)."""
        return self._regions[number]

    def stance_end(self, number: int, frame: int) -> int:
        """Return the last frame, in the stretch, at which a foot still stands that stands at one."""
        row = self.standing[frame - self.first :, number]
        lifted = np.flatnonzero(~row)
        return self.last if not len(lifted) else frame + int(lifted[0]) - 1

    def next_landing(self, number: int, frame: int) -> int:
        """Return the first frame after one, in the stretch, at which a foot stands; one past the last if none."""
        row = np.flatnonzero(self.standing[frame + 1 - self.first :, number])
        return frame + 1 + int(row[0]) if len(row) else self.last + 1

    def _locked(self, number: int, parts: tuple[int, ...] | None = None) -> list[tuple[int, int]]:
        s, parts = self.skeleton, parts_of(self.feet[number]) if parts is None else parts
        strips = self.sequence.locks.strips
        here = [strip for strip in strips if is_still(strip) and s.joint_index(strip.lock.joint) in parts]
        here = [strip for strip in here if strip.lock.rule.holds_position and strip.lock.second is None]
        found = []
        for strip in here:
            coming, going = strip.eases
            found.append((math.ceil(strip.start + coming), self.last if strip.end is None else int(strip.end - going)))
        return found

    def _touching(self) -> list[Bools]:
        return [np.logical_or.reduce(list(own.values())) for own in self._regions]

    @cached_property
    def _regions(self) -> list[dict[str, Bools]]:
        count = self.last - self.first + 1
        nothing = [{region.name: np.zeros(count, dtype=bool) for region in foot.regions} for foot in self.feet]
        try:
            part = resampled(self.sequence, self.first, self.last)
            part.cycles = ("hold", "hold")
            contacts = find_contacts(part, self.feet)
        except SequenceError:  # nothing is keyed there: nothing moves, and locks say what stands
            return nothing
        whole = np.abs(contacts.frames - np.rint(contacts.frames)) < 1e-9
        at = np.rint(contacts.frames[whole]).astype(int)
        inside = (at >= 0) & (at < count)
        for own, touching, foot in zip(nothing, contacts.touching, self.feet, strict=True):
            for region, row in zip(foot.regions, touching, strict=True):
                own[region.name][at[inside]] = row[whole][inside]
                own[region.name][at[inside][-1] + 1 :] = row[whole][inside][-1]  # held after its last key
        return nothing
