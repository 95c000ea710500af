"""Bodies that do not push each other apart: a prop and the hand that holds it."""

from __future__ import annotations

from collections.abc import Sequence

from core.preview.actor import Actor
from core.skeleton.joined import is_prop


def grips(actors: Sequence[Actor]) -> set[tuple[int, int]]:
    """Return the bodies of props with those of the parts that hold them at some time, and of what hangs on these.

    Fingers reach round what they hold, and a palm lies a little inside it: they do not push each other apart, neither
    while it is held nor as it is let go.

    Args:
        actors: The figures.

    Returns:
        Pairs of bodies of the whole model.
    """
    names: dict[str, int] = {}
    for k, actor in enumerate(actors):
        names.setdefault(actor.sequence.skeleton.name, k)
    found: set[tuple[int, int]] = set()
    for owner, actor in enumerate(actors):
        for strip in actor.sequence.locks.strips:
            second = strip.lock.second
            held = names.get(str(second[0])) if second is not None and strip.lock.mutual else None
            if held is None or held == owner:
                continue
            for holder, part, prop in ((owner, strip.lock.joint, held), (held, second[1], owner)):  # type: ignore[index]
                if is_prop(actors[prop].sequence.skeleton) and not is_prop(actors[holder].sequence.skeleton):
                    bodies = range(actors[prop].bodies.start, actors[prop].bodies.stop)
                    found |= {(hand, body) for hand in _below(actors[holder], part) for body in bodies}
    return found


def _below(actor: Actor, part: str | int) -> list[int]:
    """Return the bodies of a part and of all that hangs on it, by their numbers in the whole model."""
    s = actor.sequence.skeleton
    below = {s.joint_index(part)}
    for k, joint in enumerate(s.joints):  # parents come first
        if joint.parent in below:
            below.add(k)
    return [actor.bodies.start + k for k, name in enumerate(actor.model.names) if actor.names[name] in below]
