"""When feet stand in a motion, said for the feet of another figure, and how high the ground is there."""

from __future__ import annotations

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet
from core.animation.contacts.finding import Contacts
from core.animation.contacts.phases import FLAT, REST, SWING, Phase, phases_of
from core.animation.retargeting.matching import Matching
from core.constraints.soles import height
from core.skeleton.skeleton import Skeleton

_SAME_FLOOR = 0.03  # of the height: feet that stand this much higher are on other ground


def paired_feet(source: Skeleton, target: Skeleton, joints: dict[int, int]) -> dict[Foot, Foot]:
    """Return the source's foot for each of the target's whose joint, or one below it, is paired with it."""
    own = {foot.joint: foot for foot in figure_feet(source)}
    found: dict[Foot, Foot] = {}
    for foot in figure_feet(target):
        other = own.get(joints.get(foot.joint, -1))
        if other is not None:
            found[foot] = other
    return found


def stood(contacts: Contacts, feet: dict[Foot, Foot], size: float) -> dict[int, list[Phase]]:
    """Return what each of the target's feet does, by its joint."""
    first, parts = round(float(contacts.frames[0])), _parts(contacts)
    rows = zip(feet, contacts.feet, contacts.touching, contacts.frames_of, strict=True)
    return {
        foot.joint: _as_stands(foot, phases_of(own, touching, places, first, parts, size))
        for foot, own, touching, places in rows
    }


def _as_stands(foot: Foot, phases: list[Phase]) -> list[Phase]:
    """Return what a foot does, said as its own shape has it: one with heel and toes is flat where another rests."""
    made: list[Phase] = []
    for phase in phases:
        kind = phase.kind
        if kind != SWING and not foot.rolls:
            kind = REST
        elif kind == REST:
            kind = FLAT
        if made and made[-1].kind == kind:
            made[-1] = made[-1]._replace(last=phase.last)
        else:
            made.append(phase._replace(kind=kind))
    return made


def flat_frames(phases: list[Phase], first: int) -> list[int]:
    """Return at which frames, counted from the first, a foot stands with all of it."""
    return [f - first for p in phases if p.kind in (FLAT, REST) for f in range(p.first, p.last + 1)]


def levels(contacts: Contacts, phases: dict[int, list[Phase]], matching: Matching) -> list[float]:
    """Return how high the held point of each of the source's feet is where it stands flat; let them be level there.

    Where the feet differ by more than recordings are off, as on stairs, all have the mean.
    """
    first, found = round(float(contacts.frames[0])), []
    for own, places, (joint, phase) in zip(contacts.feet, contacts.frames_of, phases.items(), strict=True):
        flat = places[:: _parts(contacts), 0][flat_frames(phase, first)]
        if len(flat):
            matching.stand(joint, flat)
            found.append(float(np.median((flat[:, :3, :3] @ own.point + flat[:, :3, 3])[:, 1])))
        else:
            found.append(np.nan)
    if np.isnan(found).all():
        return [contacts.bounds.floor or 0.0] * len(found)
    apart = np.nanmax(found) - np.nanmin(found) > _SAME_FLOOR * height(matching.source)
    mean = float(np.nanmean(found))
    return [mean if apart or np.isnan(each) else each for each in found]


def _parts(contacts: Contacts) -> int:
    """Return how many samples there are to a frame."""
    span = round(float(contacts.frames[-1] - contacts.frames[0]))
    return (len(contacts.frames) - 1) // max(span, 1) or 1
