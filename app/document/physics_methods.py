"""The part of ``Document`` that edits the settings of physics; each edit is one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.document.commands import Command
from app.document.physics_commands import SetPhysics
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.model import Model
    from core.preview.settings import PhysicsSettings

Record = dict[str, Any]


class PhysicsMethods:
    """Settings of physics of a document. Edits return whether they were possible; if not, ``message`` has said why."""

    _physics_read: tuple[Record, PhysicsSettings] | None = None

    if TYPE_CHECKING:
        model: Model

        def _do(
            self, text: str | Callable[[], str], make: Callable[[], list[Command]], gesture: int | None = None
        ) -> bool: ...
        def say(self, level: str, text: str, details: str = "") -> None: ...

    @property
    def physics_settings(self) -> PhysicsSettings:
        """The settings; the usual ones while those of the file make no sense, which is said once."""
        record = self.model.physics
        if self._physics_read is None or self._physics_read[0] is not record:
            from core.preview.settings import PhysicsSettings  # it knows all shapes that touch

            try:
                read = PhysicsSettings.from_record(record)
            except CoreError as error:
                read = PhysicsSettings()
                self._physics_read = (record, read)
                self.say("warning", f"The the physics settings are ignored: {str(error).partition(chr(10))[0]}")
            self._physics_read = (record, read)
        return self._physics_read[1]

    def edit_physics(self, text: str = "Change physics", gesture: int | None = None, **values: Any) -> bool:
        """Change settings of physics.

        Args:
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            **values: Fields of ``PhysicsSettings``.
        """

        def make() -> list[Command]:
            before = self.model.physics
            after = replace(self.physics_settings, **values).to_record()
            return [] if after == before else [SetPhysics(before, after)]

        return self._do(text, make, gesture)
