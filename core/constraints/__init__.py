"""Locks: what they are, what they hold, and the solvers that keep them (Welman 1993, chapter 5)."""

from core.constraints.bind import bind
from core.constraints.counterpart import lock_for, mirrored_lock
from core.constraints.kinds import KINDS, find_kind
from core.constraints.lock import Lock
from core.constraints.records import lock_from_json, lock_to_json
from core.constraints.solve_locks import LockResult, LockSolver, lock_residuals, solve_locks

__all__ = [
    "KINDS",
    "Lock",
    "LockResult",
    "LockSolver",
    "bind",
    "find_kind",
    "lock_for",
    "lock_from_json",
    "lock_residuals",
    "lock_to_json",
    "mirrored_lock",
    "solve_locks",
]
