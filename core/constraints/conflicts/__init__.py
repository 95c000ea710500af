"""Locks that cannot be held together: which they are, what is the matter, and ways out."""

from core.constraints.conflicts.finding import Conflict, find_conflict
from core.constraints.conflicts.fixes import Fix, apply_fix

__all__ = ["Conflict", "Fix", "apply_fix", "find_conflict"]
