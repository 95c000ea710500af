"""The part of ``Document`` that mends implausible stretches of a motion; each edit is one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command

if TYPE_CHECKING:
    from app.document.model import Model
    from core.preview.plausibility.violation import Violation
    from core.preview.settings import PhysicsSettings


class PlausibilityMethods:
    """What makes a keyed motion one that forces could make. Edits return whether they were possible; if not,
    ``message`` has said why.
    """

    if TYPE_CHECKING:
        model: Model

        @property
        def physics_settings(self) -> PhysicsSettings: ...
        def _do(
            self, text: str | Callable[[], str], make: Callable[[], list[Command]], gesture: int | None = None
        ) -> bool: ...

    def fix_ballistic(self, violation: Violation) -> bool:
        """Put a flight on its parabola: other keys of the root's place between its ends, and nothing else.

        Args:
            violation: What was found; ``fixable`` says whether this mends it.
        """
        gravity = (0.0, -self.physics_settings.gravity, 0.0)

        def make() -> list[Command]:
            from core.preview.plausibility.ballistic import ballistic_fix

            _, sequence = edits.need_figure(self.model)
            fixed = {key.frame: key for key in ballistic_fix(sequence, violation, gravity)}
            keys = {key.frame: key for key in sequence.keys} | fixed
            return edits.key_changes(self.model, keys.values())

        return self._do(f"Put frames {violation.first} to {violation.last} on a parabola", make)
