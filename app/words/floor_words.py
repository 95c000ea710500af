"""What a pose has below the floor, in words for the status line."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.lock_words import length_text
from app.words.part_names import part_name, spoken_name
from core.posing.floor import Sunk
from core.skeleton import Skeleton

MOST_NAMED = 2


def floor_text(skeleton: Skeleton, parts: Sequence[Sunk]) -> str:
    """Return which parts are below the floor, and how far the deepest is; "" for none.

    Of parts that hang together, a foot and its toes, the deepest stands for all.

    Args:
        skeleton: The figure.
        parts: Parts below the floor, the deepest first.
    """
    apart: list[int] = []
    seen: set[int] = set()
    for part in parts:
        joint = skeleton.joints[part.joint]
        beside = {part.joint, joint.parent, *skeleton.children[part.joint]}
        if not beside & seen:
            apart.append(part.joint)
        seen.add(part.joint)
    if not apart:
        return ""
    names = [skeleton.joints[i].name for i in apart[:MOST_NAMED]]
    text = part_name(names[0]) + "".join(f" and {spoken_name(name)}" for name in names[1:])
    if len(apart) > MOST_NAMED:
        text = f"{part_name(names[0])} and {len(apart) - 1} more parts"
    return f"{text} {length_text(parts[0].depth)} below the floor"
