"""The part of ``Document`` that puts flights on their parabolas; each is one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command

if TYPE_CHECKING:
    from app.document.model import Model
    from core.preview.plausibility.mending import MendedFlight
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

        Whatever else is wrong with the same flight goes with it: if the figure turns by itself, the root is turned
        too, so that its angular momentum stays.

        Args:
            violation: What ``find_violations`` found in the active sequence.
        """
        told: list[MendedFlight] = []

        def make() -> list[Command]:
            from core.preview.plausibility.mending import mend_flight

            _, sequence = edits.need_figure(self.model)
            told.append(mend_flight(sequence, violation, self.physics_settings.world))
            keys = told[-1].keys
            return edits.key_changes(self.model, {key.frame: key for key in (*sequence.keys, *keys)}.values())

        done = self._do("Fit flight to a parabola", make)
        if done and told:
            mended, frames = told[-1], f"frames {violation.first} to {violation.last}"
            what = "of the root" if mended.turned else "of the root's place"
            turns = " and the figure turns evenly" if mended.turned else ""
            count = f"{len(mended.keys)} keys {what}"
            if mended.left:
                self.say(
                    "warning",
                    f"The centre of mass now follows a parabola{turns}, {frames}: {count}, but one problem remains: "
                    + mended.left[0].text,
                    "The keys just before and after the flight are too far from it; move those, or more of the flight.",
                )
            else:
                self.say("info", f"The centre of mass now follows a parabola{turns}, {frames}: {count}")
        return done
