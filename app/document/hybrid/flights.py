"""The part of a document that puts flights on their parabolas; each is one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document.base import DocumentBase
from app.document.commands.registry import Command
from app.document.edits import edits
from app.document.physics.settings import Settings

if TYPE_CHECKING:
    from core.preview.plausibility.repair import FlightRepair
    from core.preview.plausibility.violation import Violation


class Flights:
    """Flights of a document's sequence. Edits return whether they were possible; if not, ``message`` says why.

    Args:
        document: The document.
        settings: Its settings of physics.
    """

    def __init__(self, document: DocumentBase, settings: Settings):
        self._document, self._settings = document, settings

    def repair(self, violation: Violation) -> bool:
        """Key the root so that the centre of mass flies on its parabola, as one step.

        Whatever else is wrong with the same flight goes with it: if the figure turns by itself, the root is turned
        too, so that its angular momentum stays.

        Args:
            violation: What ``find_violations`` found in the active sequence.
        """
        repairs: list[FlightRepair] = []

        def make() -> list[Command]:
            from core.preview.plausibility.repair import repair_flight

            _, sequence = edits.need_figure(self._document.model)
            repairs.append(repair_flight(sequence, violation, self._settings.now.world))
            keys = repairs[-1].keys
            return edits.key_changes(self._document.model, {key.frame: key for key in (*sequence.keys, *keys)}.values())

        done = self._document.do("Fit flight to a parabola", make)
        if done and repairs:
            repair, frames = repairs[-1], f"frames {violation.first} to {violation.last}"
            what = "of the root" if repair.turned else "of the root's place"
            turns = " and the figure turns evenly" if repair.turned else ""
            count = f"{len(repair.keys)} keys {what}"
            if repair.left:
                self._document.say(
                    "warning",
                    f"The centre of mass now follows a parabola{turns}, {frames}: {count}, but one problem remains: "
                    + repair.left[0].text,
                    "The keys just before and after the flight are too far from it; move those, or more of the flight.",
                )
            else:
                self._document.say("info", f"The centre of mass now follows a parabola{turns}, {frames}: {count}")
        return done
