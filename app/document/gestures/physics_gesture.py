"""An edit of the settings of physics by hand: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetPhysics
from app.document.gestures.live_gesture import LiveGesture

if TYPE_CHECKING:
    from app.document.document import Document


class PhysicsGesture(LiveGesture):
    """A live edit of the settings of physics. See ``LiveGesture``.

    Attributes:
        before: The settings at press.
    """

    def __init__(self, document: Document, text: str):
        super().__init__(document, text)
        self.before = document.physics.settings.now

    def show(self, **values: Any) -> bool:
        """Show other values of fields of ``PhysicsSettings``; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """

        def make() -> list[Command]:
            record = self.document.model.physics
            after = replace(self.before, **values).to_record()
            return [] if after == record else [SetPhysics(record, after)]

        return self._show(make)
