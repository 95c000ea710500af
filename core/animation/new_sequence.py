"""Sequences as they begin: without keys, closing the loops of their figure."""

from __future__ import annotations

from core.animation.sequence import Sequence
from core.constraints.loop_locks import is_loop_lock, loop_locks
from core.skeleton import Skeleton


def new_sequence(skeleton: Skeleton, name: str | None = None) -> Sequence:
    """Return a sequence without keys whose locks keep the loops of its figure closed.

    Args:
        skeleton: The figure.
        name: Its name; None for the usual one.
    """
    made = Sequence(skeleton) if name is None else Sequence(skeleton, name=name)
    made.locks.extend(loop_locks(skeleton))
    return made


def carry_loop_locks(sequence: Sequence, old: Skeleton) -> None:
    """Let a sequence close the loops that its figure was given by an edit, and no longer those that it lost.

    Nothing happens where joints came, went or got other names: what locks name went along with them then.

    Args:
        sequence: Already of the new figure, its locks carried over.
        old: The figure as it was.
    """
    made = sequence.skeleton
    if made.joint_names != old.joint_names:
        return
    before, now = loop_locks(old), loop_locks(made)
    gone = [lock for lock in sequence.locks if is_loop_lock(old, lock) and not is_loop_lock(made, lock)]
    new = [lock for lock in now if not is_loop_lock(old, lock)]
    if gone or new or len(before) != len(now):
        sequence.locks = [*(lock for lock in sequence.locks if not any(lock is each for each in gone)), *new]
