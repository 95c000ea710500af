"""The part of ``Document`` that puts flights on their parabolas; each is one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command

if TYPE_CHECKING:
    from app.document.model import Model
    from core.preview.plausibility.violation import Violation
    from core.preview.settings import PhysicsSettings


class FlightMethods:
    """Flights of a document's sequence. Edits return whether they were possible; if not, ``message`` says why."""

    if TYPE_CHECKING:
        model: Model

        @property
        def physics_settings(self) -> PhysicsSettings: ...

        def _do(
            self, text: str | Callable[[], str], make: Callable[[], list[Command]], gesture: int | None = None
        ) -> bool: ...
        def say(self, level: str, text: str, details: str = "") -> None: ...

    def mend_flight(self, violation: Violation) -> bool:
        """Key the root so that the centre of mass flies on its parabola, as one step.

        If the figure turns by itself there, the root is turned too, so that its angular momentum stays.

        Args:
            violation: What ``find_violations`` found in the active sequence.
        """
        told: list[int] = []

        def make() -> list[Command]:
            from core.preview.plausibility.ballistic import ballistic_fix

            _, sequence = edits.need_figure(self.model)
            keys = ballistic_fix(sequence, violation, self.physics_settings.world.gravity)
            told.append(len(keys))
            return edits.key_changes(self.model, {key.frame: key for key in (*sequence.keys, *keys)}.values())

        done = self._do("Make turning in the air even" if violation.turning else "Put flight on its parabola", make)
        if done and told:
            frames = f"frames {violation.first} to {violation.last}"
            what = "of the root" if violation.turning else "of the root's place"
            turns = " and it turns evenly" if violation.turning else ""
            self.say("info", f"The centre of mass flies on its parabola{turns}, {frames}: {told[0]} keys {what}")
        return done
