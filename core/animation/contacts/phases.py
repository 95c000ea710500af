"""What a foot does at each frame: it stands flat, on its heel or on its toes, or it swings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import HEEL, WHOLE, Foot
from core.animation.contacts.finding import RATE, runs
from core.arrays import Array, Bools, Ints

SWING, ON_HEEL, FLAT, ON_TOES, REST = "swing", "heel", "flat", "toes", "rest"
"""In the air or under way; only the heel touches; all of it; only the toes; what has neither heel nor toes stays."""

_SLIP = 0.003  # of the figure's height: a foot that is farther from where it stands does not stand yet
_TYPICAL = 1.5  # times the median slip in a stance is no reason to shorten it
_MOST_AT_SWING, _MOST_INSIDE = 2.0, 4.0  # but so many times the slip are, beside a swing and where the foot rolls on
_MOST_COMPARED = 48
_AGAIN = 0.2  # [s]: a foot that stands elsewhere for so long, before or after, has a stance there


class Phase(NamedTuple):
    """What a foot does over some frames.

    Attributes:
        kind: ``SWING``, ``ON_HEEL``, ``FLAT``, ``ON_TOES`` or ``REST``.
        first: First frame.
        last: Last frame.
    """

    kind: str
    first: int
    last: int


def phases_of(foot: Foot, touching: Bools, places: Array, first: int, parts: int, size: float) -> list[Phase]:
    """Return what a foot does from frame to frame, without gaps.

    Contacts are cut to whole frames, and at their ends to those at which the foot is where it stands.

    Args:
        foot: The foot.
        touching: Whether each of its regions is in contact, shape (regions, m).
        places: World frames of its joint and its toes at the samples, shape (m, 2, 4, 4).
        first: Frame of the first sample.
        parts: Samples to a frame.
        size: Height of the figure, [m].
    """
    whole = touching[:, ::parts]
    if not foot.rolls:
        kinds = np.where(whole[0], REST, SWING).astype(object)
    else:
        kinds = np.select([whole.all(axis=0), whole[0], whole[1]], [FLAT, ON_HEEL, ON_TOES], SWING).astype(object)
        for f in range(1, len(kinds)):  # from the heel to the toes, or back, it is flat for a moment
            if {kinds[f - 1], kinds[f]} == {ON_HEEL, ON_TOES}:
                kinds[f] = FLAT
    points = {region.name: _world(foot, region.joint, region.points, places[::parts]) for region in foot.regions}
    wanted = {FLAT: (*points,), ON_HEEL: (HEEL,), ON_TOES: (*points,)[-1:], REST: (WHOLE,)}
    for kind in (FLAT, ON_HEEL, ON_TOES, REST):
        for a, b in runs(kinds == kind):
            _trim(kinds, kind, a, b, points, wanted[kind], _SLIP * size, max(round(_AGAIN * RATE / parts), 2))
    return _phases(kinds.tolist(), first)


def _phases(kinds: Sequence[str], first: int) -> list[Phase]:
    """Return the phases that what a foot does at each frame makes."""
    found, start = [], 0
    for f in range(1, len(kinds) + 1):
        if f == len(kinds) or kinds[f] != kinds[start]:
            found.append(Phase(str(kinds[start]), first + start, first + f - 1))
            start = f
    return found


def without_frames(phases: Sequence[Phase], frames: Collection[int]) -> list[Phase]:
    """Return phases in which a foot swings at some frames."""
    kinds = [
        SWING if frame in frames else phase.kind for phase in phases for frame in range(phase.first, phase.last + 1)
    ]
    return _phases(kinds, phases[0].first)


def without_moments(phases: Sequence[Phase]) -> list[Phase]:
    """Return phases in which a foot swings where its heel or toes touch for one frame beside a swing: nothing stays.

    It would have to turn from how it stands to how it swings within that frame.
    """
    found: set[int] = set()
    for n, phase in enumerate(phases):
        beside = [*phases[max(n - 1, 0) : n], *phases[n + 1 : n + 2]]
        alone = phase.first == phase.last and phase.kind in (ON_HEEL, ON_TOES)
        if alone and len(beside) == 2 and any(each.kind == SWING for each in beside):
            found.add(phase.first)
    return without_frames(phases, found)


def without_stances(phases: Sequence[Phase], left_out: Collection[int]) -> tuple[Phase, ...]:
    """Return phases in which a foot swings instead of some stances, by their numbers in ``stances``."""
    spans = stances(phases)
    frames = {frame for n in left_out for frame in range(spans[n][0], spans[n][1] + 1)}
    return tuple(without_frames(phases, frames)) if frames else tuple(phases)


def stances(phases: Sequence[Phase]) -> list[tuple[int, int]]:
    """Return the first and the last frame of each stance: of phases between two swings."""
    found: list[tuple[int, int]] = []
    before = SWING
    for phase in phases:
        if phase.kind != SWING:
            found.append((phase.first if before == SWING else found.pop()[0], phase.last))
        before = phase.kind
    return found


def without_stance(phases: Sequence[Phase], number: int) -> list[Phase]:
    """Return phases in which a foot swings instead of one stance, by its number."""
    first, last = stances(phases)[number]
    return without_frames(phases, range(first, last + 1))


def with_end(phases: Sequence[Phase], number: int, last: bool, frame: int) -> list[Phase]:
    """Return phases in which a stance begins or ends at another frame.

    It goes on as it begins or ends, or less of it is left: a frame at least, and so much of the swings beside it.

    Args:
        phases: The phases.
        number: Which stance.
        last: Whether its end moves; else its beginning.
        frame: Where to.
    """
    all_of = stances(phases)
    first, end = all_of[number]
    kinds = [phase.kind for phase in phases for _ in range(phase.first, phase.last + 1)]
    origin = phases[0].first
    if last:
        most = all_of[number + 1][0] - 2 if number + 1 < len(all_of) else phases[-1].last
        frame = min(max(frame, first), most)
        kinds[end - origin : frame - origin + 1] = [kinds[end - origin]] * max(frame - end + 1, 0)
        kinds[frame - origin + 1 : end - origin + 1] = [SWING] * max(end - frame, 0)
    else:
        least = all_of[number - 1][1] + 2 if number > 0 else origin
        frame = max(min(frame, end), least)
        kinds[frame - origin : first - origin + 1] = [kinds[first - origin]] * max(first - frame + 1, 0)
        kinds[first - origin : frame - origin] = [SWING] * max(frame - first, 0)
    return _phases(kinds, origin)


def _world(foot: Foot, joint: int, points: Array, places: Array) -> Array:
    X = places[:, 0 if joint == foot.joint else 1]
    return np.asarray(np.einsum("mij,kj->mki", X[:, :3, :3], points) + X[:, None, :3, 3])


def _trim(
    kinds: Array, kind: str, a: int, b: int, points: dict[str, Array], names: tuple[str, ...], slip: float, again: int
) -> None:
    """Shorten a contact at both ends to where the foot is where it stands.

    What is cut off may stand on less; of so many frames as ``again`` or more, it stands by itself.
    """
    own = {name: points[name][a:b] for name in points}
    at = stillest(np.concatenate([own[name] for name in names], axis=1))
    off = {name: np.linalg.norm(p - p[at], axis=2).max(axis=1) for name, p in own.items()}
    far = np.max([off[name] for name in names], axis=0)
    usual = max(slip, _TYPICAL * float(np.median(far)))
    before, after = kinds[a - 1] if a > 0 else SWING, kinds[b] if b < len(kinds) else SWING
    # Where the motion begins or ends while a foot stands, it neither lands nor leaves there.
    low, high = (
        np.flatnonzero(far <= (_MOST_INSIDE * slip if cut_off else min(usual, most * slip)))
        for cut_off, most in (
            (a == 0, _MOST_AT_SWING if before == SWING else _MOST_INSIDE),
            (b == len(kinds), _MOST_AT_SWING if after == SWING else _MOST_INSIDE),
        )
    )
    less = {ON_HEEL: HEEL, ON_TOES: [*points][-1]}
    for cut, outer in ((range(int(low[0])), before), (range(int(high[-1]) + 1, b - a), after)):
        way = max(again // 2, 1)  # frames from one place to the other
        if outer == SWING and len(cut) >= again + way:
            there, under_way = (cut[:-way], cut[-way:]) if cut.start == 0 else (cut[way:], cut[:way])
            kinds[a + under_way[0] : a + under_way[-1] + 1] = SWING
            _trim(kinds, kind, a + there[0], a + there[-1] + 1, points, names, slip, again)
            continue
        for f in cut:
            if outer != SWING:  # it rolls on, or is that already
                kinds[a + f] = outer if kind == FLAT else kind
                continue
            kinds[a + f] = SWING
            for other, name in less.items() if kind == FLAT else ():
                if off[name][f] <= slip:
                    kinds[a + f] = other
                    break


def stillest(points: Array) -> int:
    """Return the sample from which all others are the least far, of points of shape (m, k, 3)."""
    m = len(points)
    at: Ints = np.unique(np.linspace(0, m - 1, min(m, _MOST_COMPARED)).round().astype(np.intp))
    apart = np.linalg.norm(points[at][:, None] - points[at][None], axis=3).max(axis=2)
    return int(at[int(apart.max(axis=1).argmin())])
