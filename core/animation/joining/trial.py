"""Seams tried out: the first one is taken at which all that stands does so and no joint leaps.

Which feet stand and how alike poses are says nothing about how far legs reach, nor about how locks of both motions get
along. So a join is made, and looked at, before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from core.animation.joining.join import Join, last_frame
from core.animation.joining.seam import AHEAD, Seam
from core.animation.joining.stretch import is_still
from core.animation.locks.giving_up import pose_steps
from core.animation.sequence import Sequence
from core.arrays import Array
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton

SLIDES = 1e-6
"""What a lock that is fully on keeps is at most so far from its place, [m]."""

LEAPS = np.radians(3.5)
"""So much more than in both motions a joint may turn from one frame to the next, [rad]."""

_TRIED = 10  # seams, each of which takes a moment
_BETWEEN = 4  # places looked at for each frame: locks hold between frames as well
_AROUND = 0.4  # [s]: so much before a seam is looked at


class Trial(NamedTuple):
    """How well a join holds.

    Attributes:
        slides: How far something is at most from where a lock keeps it, [m].
        leaps: How much more a joint turns at most from one frame to the next than in both motions, [rad].
    """

    slides: float
    leaps: float

    @property
    def good(self) -> bool:
        """Whether the join can be kept."""
        return self.slides <= SLIDES and self.leaps <= LEAPS

    @property
    def cost(self) -> float:
        """How bad it is; what slides counts most."""
        return max(self.slides / SLIDES, 1.0) + max(self.leaps / LEAPS, 0.0)


def best_join(
    seams: Iterator[Seam],
    make: Callable[[Seam], Join],
    first: Sequence,
    second: Sequence,
    progress: Callable[[float], None] | None = None,
) -> Join:
    """Return the join at the first seam that can be kept, or at the least bad of some, with a note that says so.

    Args:
        seams: Seams, the best first.
        make: What makes a join at one.
        first: The first motion.
        second: The second one.
        progress: Called before each seam that is tried with what is done, 0 to 1; may raise ``Cancelled``.
    """
    best: tuple[Trial, Join] | None = None
    for number, seam in enumerate(islice(seams, _TRIED)):
        if progress is not None:
            progress(number / _TRIED)
        made = make(seam)
        trial = tried(made, first, second)
        if trial.good:
            return made
        if best is None or trial.cost < best[0].cost:
            best = trial, made
    assert best is not None, "there is always one seam"
    trial, made = best
    if trial.slides <= SLIDES:
        return made
    text = (
        f"No seam nearby keeps all that is locked: at frame {made.seam.before} something slides by {trial.slides:.2g} m"
    )
    return replace(made, notes=(*made.notes, text))


def tried(join: Join, first: Sequence, second: Sequence) -> Trial:
    """Return how well a join holds around its seam."""
    seam, fps = join.seam, first.fps
    low = max(seam.before - round(_AROUND * fps), 0)
    high = min(seam.before + seam.frames + round(0.5 * AHEAD * fps), last_frame(join.sequence))
    own = max(_steps(seam.first.skeleton, each.poses) for each in (seam.first, seam.second))
    frames = np.arange((high - low) * _BETWEEN + 1) / _BETWEEN + low
    poses = join.sequence.poses_at_frames(frames)
    return Trial(slides(join.sequence, frames, poses), _steps(first.skeleton, poses[::_BETWEEN]) - own)


def slides(sequence: Sequence, frames: Array, poses: Array) -> float:
    """Return how far a part is at most from the place where a lock that is fully on keeps it, [m].

    Args:
        sequence: The motion.
        frames: The frames that are looked at, shape (m,).
        poses: The poses there, locks applied, shape (m, nq).
    """
    worst, skeleton = 0.0, sequence.skeleton
    X = forward_kinematics(skeleton, poses)
    for strip in sequence.locks.strips:
        if not is_still(strip) or strip.lock.second is not None or strip.lock.kind not in ("pose", "position"):
            continue
        coming, going = strip.eases
        end = np.inf if strip.end is None else strip.end - going
        on = (frames >= strip.start + coming) & (frames <= end)
        own = X[on, skeleton.joint_index(strip.lock.joint)]
        target = np.asarray(strip.lock.target)
        place = target[:3, 3] if target.ndim == 2 else target
        away = own[:, :3, :3] @ np.asarray(strip.lock.point) + own[:, :3, 3] - place
        worst = max(worst, float(np.linalg.norm(away, axis=1).max(initial=0.0)))
    return worst


def _steps(skeleton: Skeleton, poses: Array) -> float:
    return float(pose_steps(skeleton, poses).turns.max(initial=0.0)) if len(poses) > 1 else 0.0
