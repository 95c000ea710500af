"""What is known about locks that cannot be held together: what panel and views show of them."""

from __future__ import annotations

from dataclasses import dataclass

from core.arrays import Array
from core.constraints.conflicts import Conflict, Fix
from core.constraints.lock import Lock


@dataclass(frozen=True, eq=False)
class LockConflict:
    """What is known about locks that cannot be held together, as the session has it.

    Attributes:
        ids: Id of the strip of each lock that was looked at, None for one that holds at all times.
        looked_at: The locks that were looked at, in the order of ``ids``.
        now: How far off the lock is on screen that the text is about, in words as the list has them, or "".
        conflict: The answer; its ``locks`` and the keys of its fixes' ``changes`` count in ``ids``.
    """

    ids: tuple[str | None, ...]
    looked_at: tuple[Lock, ...]
    conflict: Conflict
    now: str = ""

    @property
    def locks(self) -> tuple[int, ...]:
        """The smallest set found, by place in ``ids``."""
        return self.conflict.locks

    @property
    def keys(self) -> tuple[str, ...]:
        """Ids of the strips of that set; locks that hold at all times are left out."""
        return tuple(key for i in self.locks if (key := self.ids[i]) is not None)

    @property
    def residuals(self) -> Array:
        """How far each of that set is off, as the conflict says."""
        return self.conflict.residuals

    @property
    def arrows(self) -> tuple[tuple[Array, Array], ...]:
        """From where parts are to where they should be, in the world, [m]."""
        return self.conflict.arrows

    @property
    def limits(self) -> tuple[int, ...]:
        """Degrees of freedom whose limits are in the way."""
        return tuple(self.conflict.limits)

    @property
    def text(self) -> str:
        """What is wrong, one sentence; with what is on screen, where all locks yield, if that differs."""
        text = self.conflict.text
        return text if not self.now or self.now in text else f"{text}; now {self.now} while all of them yield"

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What would help."""
        return self.conflict.fixes
