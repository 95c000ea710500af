"""Which locks cannot be held together: the smallest set that can be found, and how far off they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.arrays import Array
from core.constraints.bind import bind
from core.constraints.conflicts.blocking import blocking_limits
from core.constraints.conflicts.feasible import Trials
from core.constraints.conflicts.fixes import Remedies
from core.constraints.conflicts.words import sentence
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.constraints.solve_locks import LockResult
from core.kinematics.center_of_mass import center_of_mass
from core.skeleton.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Conflict:
    """Locks that cannot be held together.

    Attributes:
        locks: The smallest set found, by place in the list that was given, in its order. Without any one of them the
            others can be held.
        residuals: How far each of the set is off in the compromise, [m] or [rad], shape (k,).
        position_residuals: [m], NaN for locks that hold no place, shape (k,).
        angle_residuals: [rad], NaN for locks that hold no orientation, shape (k,).
        arrows: From where a part is to where its lock wants it, world, [m]: pairs of points, shape (3,) each; one for
            each lock of the set that holds a place.
        limits: Degrees of freedom, ``q`` index minus 3, whose limits are in the way.
        q: The compromise of all locks, shape (nq,).
        fixes: What would help, each tried; what helps most gently first.
        text: What is the matter, one sentence in words.
        missed: Which lock the sentence is about, by place in the list; how far it says is while the others are held,
            so that it differs from where all of them give way.
    """

    locks: tuple[int, ...]
    residuals: Array
    position_residuals: Array
    angle_residuals: Array
    arrows: tuple[tuple[Array, Array], ...]
    limits: tuple[int, ...]
    q: Array
    fixes: tuple[Any, ...] = ()
    text: str = ""
    missed: int | None = None


def find_conflict(
    s: Skeleton,
    q: Any,
    locks: Iterable[Lock],
    *,
    figures: Figures | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    fixes: bool = True,
) -> Conflict | None:
    """Return why locks cannot all be held, or None if they can be from ``q``.

    The smallest set is found by construction: every pose that is found to hold some locks rules out all sets within
    them, the smallest set that no pose rules out is tried, and it either gives another pose, which is then made to hold
    as many locks as it can, or is the answer. What cannot be held is found by a local solver from several poses, which
    is no proof.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        locks: The locks; those without a target hold what they have in ``q``, soft ones yield and are never at fault.
        figures: Other figures that locks name, ``{name: (skeleton, pose)}``.
        cancelled: Asked often; the search is given up once it returns True.
        fixes: Whether to look for what would help.

    Raises:
        Cancelled: If it was given up.
        LockError: If a lock names what is not there.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.

    Source: Ignatiev, Previti, Liffiton and Marques-Silva (2015), Smallest MUS extraction with minimal hitting set
    dualization; Marques-Silva (2010) on minimal unsatisfiable sets.
    """
    pose = s.check_pose(q)
    given = tuple(bind(lock, s, pose, figures) for lock in locks)
    trials = Trials(s, pose, given, figures, cancelled)
    if not trials.hard:
        return None
    whole = trials.solve(trials.hard, trials.q)
    if trials.known(trials.hard) is not None:
        return None
    order = _order(whole, trials)
    mask = _smallest(trials, order)
    if mask == 0:
        # All can be held, but not on the way from here: the largest set that was held leaves out what is to blame.
        mask = trials.hard & ~trials.held(whole)
    chosen = tuple(i for i in range(len(given)) if mask >> i & 1)
    remedies = Remedies(trials, given, chosen)
    short = remedies.shortfall()
    return Conflict(
        locks=chosen,
        residuals=whole.residuals[list(chosen)],
        position_residuals=whole.position_residuals[list(chosen)],
        angle_residuals=whole.angle_residuals[list(chosen)],
        arrows=_arrows(trials, whole, chosen),
        limits=blocking_limits(s, trials.compromise(mask).q, [trials.locks[i] for i in chosen], figures),
        q=whole.q,
        fixes=remedies.all() if fixes else (),
        text=sentence(s, given, chosen, short),
        missed=short[0],
    )


def _order(whole: LockResult, trials: Trials) -> list[int]:
    """The locks, those first that a compromise of all holds best."""
    return sorted(range(len(trials.locks)), key=lambda i: (float(whole.residuals[i]) > 1e-3, i))


def _smallest(trials: Trials, order: Sequence[int]) -> int:
    """Return the smallest set of locks that cannot be held, 0 if a pose was found that holds all."""
    missing: list[int] = []  # of each large set that can be held, what it leaves out
    while True:
        mask = smallest_hitting_set(missing, order[::-1])
        if mask and not trials.feasible(mask):
            return mask
        held = trials.grow(mask, order)
        if trials.hard & ~held == 0:
            return 0
        missing.append(trials.hard & ~held)


def smallest_hitting_set(sets: Sequence[int], order: Sequence[int]) -> int:
    """Return a smallest set that has something in common with each of some sets, all written as bits.

    Args:
        sets: None of them empty; no sets give the empty set.
        order: Which bit is taken first among those as good.
    """
    found = 0
    for size in range(len(sets) + 1):
        answer = _hitting(list(sets), order, size)
        if answer is not None:
            found = answer
            break
    return found


def _hitting(sets: list[int], order: Sequence[int], size: int) -> int | None:
    if not sets:
        return 0
    if size == 0:
        return None
    least = min(sets, key=int.bit_count)
    for i in order:
        if least >> i & 1:
            rest = _hitting([each for each in sets if not each >> i & 1], order, size - 1)
            if rest is not None:
                return rest | 1 << i
    return None


def _arrows(trials: Trials, result: LockResult, chosen: Sequence[int]) -> tuple[tuple[Array, Array], ...]:
    s = trials.skeleton
    places = Places(s, result.q, trials.figures)
    arrows = []
    for i in chosen:
        lock = trials.locks[i]
        away = lock.rule.deviation(lock, places).position
        if away is None:
            continue
        here = places.point(lock.joint, lock.point)
        if lock.kind == "balance":
            here = center_of_mass(s, result.q)
        arrows.append((here, here - away))
    return tuple(arrows)
