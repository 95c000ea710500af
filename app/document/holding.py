"""Bringing a pose onto the locks that hold at a frame, as every edit of the document does."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document import edits
from app.document.commands import Command
from app.document.edits import need_figure
from app.document.lock_states import HELD, HELD_TURN, hold_fully
from app.document.records import sequence_for
from core.animation.key import Key
from core.animation.locks.strip import LockStrip
from core.constraints.aiming import free_of_other
from core.constraints.counterpart import both_ways
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.ik.root_under_locks import root_goal

if TYPE_CHECKING:
    from app.document.model import Array, Model
    from app.document.session import Session


HOLD = "hold"
"""The method of ``solve_locks`` that takes goals of different weights."""
MOST_STEPS = 40
"""Most steps of an edit under locks."""


def lock_options(session: Session) -> dict[str, Any]:
    """Return the keywords of ``solve_locks`` that say how to solve."""
    return {"method": session.lock_method, "comfort": session.comfort}


def held_pose(
    model: Model,
    session: Session,
    q: object,
    fixed: Iterable[int] = (),
    start: object = None,
    always: bool = False,
    frame: int | None = None,
) -> Array:
    """Return a pose projected onto the locks of a frame; as it is if none holds edits.

    What was edited stays as edited if the locks can be held so, and with it the root where and as it is: a lock takes
    its limb first, the root's place next, its tilt last. Where they cannot, everything gives way: locks are kept before
    edits. Where they cannot be held at all the pose is the nearest compromise. In mirror editing what holds one side to
    the other holds the other way round as well, so that sides that are alike stay so.

    Args:
        model: The document's content.
        session: How to solve, and whether edits hold locks.
        q: Pose, shape (nq,), [m] and [rad].
        fixed: Places in the pose that were edited.
        start: Pose to stay near, shape (nq,); None for ``q`` itself.
        always: Hold even if edits do not.
        frame: The frame; None for the current one.

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    skeleton, _ = need_figure(model)
    pose = skeleton.check_pose(q)
    if not (session.hold_locks or always):
        return pose
    locks = hold_fully(model.active_locks(model.frame if frame is None else frame))
    if not locks:
        return pose
    from core.constraints.solve_locks import solve_locks

    figures, options = model.other_figures(locks, frame), lock_options(session)
    if session.mirror_editing:
        locks = both_ways(locks, Places(skeleton, model.pose, figures))
    kept = sorted({int(i) for i in fixed})
    near = pose if start is None else start
    goal: dict[str, Any] = {"goals": root_goal(skeleton, pose), "start": near, "max_iterations": MOST_STEPS}
    firm = session.lock_method == HOLD and skeleton.first_dof[1] > 0
    tries: list[dict[str, Any]] = []
    if kept and len(kept) < skeleton.nq:
        tries = [{"fixed": kept, **goal}, {"fixed": kept, "start": start}]
    for how in [*tries, goal] if firm else tries[1:]:
        result = solve_locks(skeleton, pose, locks, figures=figures, **how, **options)
        if all_held(locks, result):
            return np.asarray(result.q)
    return np.asarray(solve_locks(skeleton, pose, locks, start=start, figures=figures, **options).q)


def aimed(model: Model, session: Session, lock: Lock) -> list[Command]:
    """Return what brings the pose on screen to where a new aim lock holds, beside those that hold already.

    What aims turns first, and what is aimed at stays; only if that is not enough do the joints turn that carry both.
    The pose is keyed or pending as after any other edit of it.

    Args:
        model: The document's content, without the new lock.
        session: How to solve, and whether edits make keys.
        lock: The new lock.
    """
    from core.constraints.solve_locks import solve_locks

    skeleton, _ = need_figure(model)
    others = hold_fully(model.active_locks(model.frame))
    figures, options = model.other_figures([*others, lock]), lock_options(session)
    for eager in (free_of_other(lock, skeleton), lock):
        locks = [*others, eager]
        result = solve_locks(skeleton, model.pose, locks, figures=figures, **options)
        if all_held(locks, result):
            break
    return posed(model, session, result.q)


def posed(model: Model, session: Session, q: object) -> list[Command]:
    """Return the commands that show a pose at the current frame: as its key, or pending without automatic keys."""
    return edits.key_pose(model, model.frame, q) if session.auto_key else edits.pend_pose(model, q)


def held_keys(
    model: Model, session: Session, keys: Iterable[Key], strips: Sequence[LockStrip], frames: Container[int]
) -> list[Key]:
    """Return keys, those at some frames brought onto the locks that there will be.

    Args:
        model: The document's content.
        session: How to solve, and whether edits hold locks.
        keys: Keys of the active sequence.
        strips: Its strips as they will be.
        frames: Frames of the keys to bring onto them.
    """
    from core.constraints.solve_locks import solve_locks

    skeleton, sequence = need_figure(model)
    if not session.hold_locks or not (strips or sequence.locks):
        return list(keys)
    trial = sequence_for(sequence, skeleton)
    keys = list(keys)
    trial.locks.strips, options, made = tuple(strips), lock_options(session), []
    if any(key.keyed is not None for key in keys):
        trial.set_keys(keys)
    for key in keys:
        locks = hold_fully(trial.locks.active(key.frame)) if key.frame in frames else []
        if locks:
            figures = model.other_figures(locks)
            key = replace(key, q=solve_locks(skeleton, trial.pose_of(key), locks, figures=figures, **options).q)
        made.append(key)
    return made


def all_held(locks: Sequence[Lock], result: Any) -> bool:
    """Return whether every hard lock holds in a result of ``solve_locks``."""
    return bool(missed(locks, result) == [])


def missed(locks: Sequence[Lock], result: Any) -> list[int]:
    """Return which of the hard locks are off, by their place in ``locks``."""
    rows = zip(locks, result.position_residuals, result.angle_residuals, strict=True)
    return [
        i
        for i, (lock, place, turn) in enumerate(rows)
        if (place > HELD and lock.weights[0] >= 1.0) or (turn > HELD_TURN and lock.weights[1] >= 1.0)
    ]


def changed_values(before: Array, after: Array) -> list[int]:
    """Return the places in which a pose differs from the one before."""
    return np.flatnonzero(before != after).tolist()
