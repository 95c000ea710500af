"""A clip: keys taken from a sequence, to be put in elsewhere."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

from core.animation.key import Key
from core.animation.lock_strip import LockStrip, checked_strips
from core.animation.lock_strips import cut_out
from core.errors import PoseError
from core.skeleton import Skeleton


@dataclass(frozen=True)
class Clip:
    """Keys copied from a range of frames.

    Attributes:
        keys: Keys sorted by frame; their frames count from the first frame of the range.
        length: Number of frames from the first to the last frame of the range.
        joint_names: Joints of the figure the keys belong to; a clip fits figures with the same ones.
        strips: Lock strips over the range, cut off at its ends; their frames count likewise.
    """

    keys: tuple[Key, ...]
    length: int
    joint_names: tuple[str, ...] = ()
    strips: tuple[LockStrip, ...] = ()

    def check(self, skeleton: Skeleton) -> None:
        """Check that the keys fit a figure.

        Raises:
            PoseError: If it has other joints, or a pose has another length.
        """
        if self.joint_names and self.joint_names != skeleton.joint_names:
            strange = [name for name in self.joint_names if name not in skeleton.joint_names]
            what = f'joint "{strange[0]}" is not in it' if strange else "its joints are not all the same"
            raise PoseError(f'these keys are of another figure than "{skeleton.name}": {what}')
        for key in self.keys:
            skeleton.check_pose(key.q)
        checked_strips(self.strips, skeleton, "these keys")

    @classmethod
    def of(
        cls,
        keys: Seq[Key],
        first: int,
        last: int,
        joint_names: Seq[str] = (),
        strips: Seq[LockStrip] = (),
    ) -> Clip:
        """Return the clip of all ``keys`` and ``strips`` with frames in ``first..last``, both included."""
        chosen = tuple(key.moved(key.frame - first) for key in keys if first <= key.frame <= last)
        return cls(chosen, last - first, tuple(joint_names), cut_out(tuple(strips), first, last))
