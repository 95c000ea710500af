"""The part of a document that edits the settings of physics; each edit is one step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetPhysics
from app.document.content.walk_rules import terrain_of
from core.errors import CoreError

if TYPE_CHECKING:
    from core.preview.settings import PhysicsSettings
    from core.terrain import Terrain

Record = dict[str, Any]


class Settings:
    """Settings of physics of a document. Edits return whether they were possible; if not, ``message`` has said why."""

    def __init__(self, document: DocumentBase):
        self._document = document
        self._read: tuple[Record, PhysicsSettings] | None = None
        self._walked: tuple[PhysicsSettings, Terrain, PhysicsSettings] | None = None

    @property
    def now(self) -> PhysicsSettings:
        """The settings; the usual ones while those of the file make no sense, which is said once."""
        record = self._document.model.physics
        if self._read is None or self._read[0] is not record:
            from core.preview.settings import PhysicsSettings  # it knows all shapes that touch

            try:
                read = PhysicsSettings.from_record(record)
            except CoreError as error:
                read = PhysicsSettings()
                self._read = (record, read)
                self._document.say("warning", f"The physics settings are ignored: {str(error).partition(chr(10))[0]}")
            self._read = (record, read)
            if why := read.ground_problem:
                self._document.say("warning", why[:1].upper() + why[1:])
        return self._read[1]

    @property
    def simulated(self) -> PhysicsSettings:
        """The settings with the ground that views show: what the active sequence walks on goes before the scene's."""
        now, sequence = self.now, self._document.model.sequence
        walked = None if sequence is None else terrain_of((sequence,))
        if walked is None:
            return now
        if self._walked is None or self._walked[0] is not now or self._walked[1] is not walked:
            from core.preview.grounds import TriangleGround

            self._walked = now, walked, replace(now, ground=TriangleGround(walked))
        return self._walked[2]

    def edit(self, text: str = "Change physics", gesture: int | None = None, **values: Any) -> bool:
        """Change settings of physics.

        Args:
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            **values: Fields of ``PhysicsSettings``.
        """

        def make() -> list[Command]:
            before = self._document.model.physics
            after = replace(self.now, **values).to_record()
            return [] if after == before else [SetPhysics(before, after)]

        return self._document.do(text, make, gesture)
