"""Props that a simulated figure holds are simulated with it: who falls does not hang on what he carries."""

from __future__ import annotations

from collections.abc import Sequence as Seq

from core.animation.hybrid_strips import HybridStrip
from core.animation.sequence import Sequence
from core.skeleton.joined import is_prop

Strips = tuple[HybridStrip, ...]


def moved_along(figures: Seq[Sequence], strips: Strips) -> list[Strips]:
    """Return the hybrid strips of each figure in a simulation.

    A prop that has none of its own gets one of a figure whose moving parts hold it, by a mutual lock, at the frame at
    which that figure's begin: from then on forces move it, too, and the lock keeps it in the hand.

    Args:
        figures: The sequences; the first one is that which is simulated.
        strips: The strips of the first one.
    """
    found = [strips, *(other.hybrid_strips for other in figures[1:])]
    names: dict[str, int] = {}
    for k, each in enumerate(figures):
        names.setdefault(each.skeleton.name, k)
    for owner, sequence in enumerate(figures):
        for strip in sequence.locks.strips if sequence.locks.holds else ():
            second = strip.lock.second
            held = names.get(str(second[0])) if second is not None and strip.lock.mutual else None
            if held is None or held == owner:
                continue
            for holder, part, prop in ((owner, strip.lock.joint, held), (held, second[1], owner)):  # type: ignore[index]
                if found[prop] or not is_prop(figures[prop].skeleton) or is_prop(figures[holder].skeleton):
                    continue
                s = figures[holder].skeleton
                name = s.joint_names[s.joint_index(part)]
                rate = figures[prop].fps / figures[holder].fps
                begins = [
                    each.start for each in found[holder]
                    if (each.whole or name in each.parts) and strip.covers(each.start)
                ]  # fmt: skip
                if begins:
                    found[prop] = (HybridStrip((), round(min(begins) * rate)),)
    return found
