"""What locks make of a motion, in words for the panel and the status line."""

from __future__ import annotations

import numpy as np

from app.words.lengths import distance_text
from app.words.lock_words import angle_text
from app.words.part_names import spoken_name
from core.animation.locks.summary import Below, LockSummary
from core.skeleton import Skeleton

LEAST_MOVED = 0.005
"""From here on it is said that locks move the root, [m]."""

_MOST_SPANS = 3
_MORE = 0.005  # [m]: what has sunk farther than before by this is said again


def summary_lines(summary: LockSummary, skeleton: Skeleton) -> list[str]:
    """Return what the panel says of a motion under locks, line by line."""
    root = f"root {distance_text(summary.root_step)} at frame {summary.root_step_at}"
    joint = spoken_name(skeleton.joints[summary.turn_joint].name)
    lines = [f"Biggest jump between frames: {root}, {joint} {angle_text(summary.turn)} at frame {summary.turn_at}"]
    x, y, z = summary.moved
    far = float(np.linalg.norm(summary.moved))
    if far >= LEAST_MOVED:
        level = float(np.hypot(x, z))
        how = "move" if abs(y) < level else "lift" if y > 0.0 else "lower"
        lines.append(f"Locks {how} the root by up to {distance_text(far)}, at frame {summary.moved_at}")
    for given in summary.given_up:
        when = f"{given.first:.0f}–{given.last:.0f}"
        lines.append(
            f"Released at frames {when}: holding on would make the root jump {distance_text(given.root)} between frames"
        )
    return lines + [_below(part, skeleton) for part in summary.below]


def sunk_text(summary: LockSummary, skeleton: Skeleton | None, before: LockSummary) -> str:
    """Return what an edit has made go below the floor, or farther below it, in one line; or ""."""
    if skeleton is None:
        return ""
    known = {part.joint: part.depth for part in before.below}
    new = [part for part in summary.below if part.depth > known.get(part.joint, 0.0) + _MORE]
    if not new:
        return ""
    names = " and ".join(spoken_name(skeleton.joints[part.joint].name) for part in new)
    verb, depth = "goes" if len(new) == 1 else "go", distance_text(max(part.depth for part in new))
    text = f"{names[:1].upper()}{names[1:]} {verb} {depth} below the floor where no lock holds"
    return f"{text}; longer locks keep the feet up"


def _below(part: Below, skeleton: Skeleton) -> str:
    spans = [f"{a}–{b}" if a < b else f"{a}" for a, b in part.frames[:_MOST_SPANS]]
    more = len(part.frames) - len(spans)
    when = ", ".join(spans) + (f" and {more} more spans" if more else "")
    name = spoken_name(skeleton.joints[part.joint].name)
    plural = "frames" if len(part.frames) > 1 or "–" in when else "frame"
    where = f"{distance_text(part.depth)} below the floor at {plural} {when}"
    return f"{name[:1].upper()}{name[1:]} {where}, where no lock holds it"
