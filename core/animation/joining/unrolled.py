"""A motion that plays round and round, with the beginning of its next round after it."""

from __future__ import annotations

import numpy as np

from core.animation.cycles import HOLD, OFFSET, CycledMotion
from core.animation.joining.foot_holds import shifted
from core.animation.key import Key
from core.animation.locks.moved import moved_strip
from core.animation.locks.strip import cut_out, moved_copy
from core.animation.sequence import Sequence
from core.skeleton.stance import stance
from core.spatial import se3, so3


def unrolled(sequence: Sequence, frames: int) -> Sequence:
    """Return a sequence that goes on for some frames as its next round would, from where the last one ended.

    Args:
        sequence: The sequence, as ``core.animation.joining.join.ready`` returns it; one that does not play round and
            round is returned as it is.
        frames: How many frames more.
    """
    after = sequence.cycles[1]
    if not (sequence.loop or after == OFFSET) or len(sequence.keys) < 2 or frames <= 0:
        return sequence
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    frames = min(frames, last - first)
    motion = CycledMotion(sequence.skeleton, (HOLD, OFFSET), first, last, sequence.poses_at_frames)
    over = motion.carried(OFFSET, 1)
    keys = list(sequence.keys)
    more = [key for key in sequence.keys if first < key.frame <= first + frames]
    if not more or more[-1].frame < first + frames:
        more.append(Key(first + frames, sequence.interpolated_at_frames([first + frames])[0]))
    poses = stance(sequence.skeleton).moved(np.array([sequence.pose_of(key) for key in more]), *over)
    keys += [key.changed(q=q).moved(key.frame + last - first) for key, q in zip(more, poses, strict=True)]
    made = Sequence(sequence.skeleton, sequence.fps, sequence.name, sequence.range[0], None, sequence.menu, keys=keys)
    X = se3.transform(so3.axis_rotation("y", over.angle), (over.x, 0.0, over.z))
    begun = [shifted(strip, last) for strip in cut_out(sequence.locks.strips, first, first + frames)]
    made.locks = sequence.locks
    made.locks.strips = (
        *(strip for strip in sequence.locks.strips),
        *(moved_strip(moved_copy(strip, strip.start), X) for strip in begun if strip.start < last + frames),
    )
    made.hybrid_strips, made.markers, made.camera = sequence.hybrid_strips, sequence.markers, sequence.camera
    made.gait, made.companions, made.locks.holds = sequence.gait, sequence.companions, sequence.locks.holds
    return made
