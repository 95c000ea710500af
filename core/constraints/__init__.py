"""Locks: what they are, what they hold, and the solvers that keep them (Welman 1993, chapter 5)."""

from core.constraints.bind import bind
from core.constraints.comfort import joint_comfort
from core.constraints.conflicts import Conflict, Fix, apply_fix, find_conflict
from core.constraints.counterpart import lock_for, mirrored_lock
from core.constraints.kinds import KINDS, find_kind
from core.constraints.lock import Lock
from core.constraints.loop_locks import is_loop_lock, loop_locks
from core.constraints.records import lock_from_json, lock_to_json
from core.constraints.solve_locks import LockResult, LockSolver, lock_residuals, solve_locks
from core.constraints.support import balance_margin, sole_outline, support_polygon

__all__ = [
    "KINDS",
    "Conflict",
    "Fix",
    "Lock",
    "LockResult",
    "LockSolver",
    "apply_fix",
    "balance_margin",
    "bind",
    "find_conflict",
    "find_kind",
    "is_loop_lock",
    "joint_comfort",
    "lock_for",
    "lock_from_json",
    "lock_residuals",
    "lock_to_json",
    "loop_locks",
    "mirrored_lock",
    "sole_outline",
    "solve_locks",
    "support_polygon",
]
