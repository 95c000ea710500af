"""The register of all commands.

Every edit is made of these few. Each is JSON-serialisable; undo, journal and recovery share the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.document.commands.base import Command, CommandError
from app.document.commands.figure_commands import (
    AddFigure,
    AddSequence,
    EditFigure,
    RemoveFigure,
    SetActive,
    SetFigure,
    SetJointValue,
    SetJointValues,
)
from app.document.commands.layer_commands import SetLayers
from app.document.commands.sequence_commands import (
    SetAlwaysLocks,
    SetGaitManner,
    SetHybridStrips,
    SetKeys,
    SetPhysics,
    SetPose,
    SetSequenceValue,
    SetStrips,
)

COMMANDS: tuple[type[Command], ...] = (
    SetPose,
    SetKeys,
    SetLayers,
    SetStrips,
    SetHybridStrips,
    SetPhysics,
    SetAlwaysLocks,
    SetSequenceValue,
    SetGaitManner,
    SetJointValue,
    SetJointValues,
    AddFigure,
    RemoveFigure,
    SetFigure,
    EditFigure,
    AddSequence,
    SetActive,
)
"""All commands; a new one is one class and one line here."""

_BY_OP = {command.op: command for command in COMMANDS}


def command_from_json(record: Mapping[str, Any]) -> Command:
    """Return the command of a record.

    Raises:
        CommandError: If the operation is unknown or a member is missing.
    """
    op = record.get("op")
    if op not in _BY_OP:
        raise CommandError(f'unknown command "{op}"; known are {", ".join(_BY_OP)}')
    try:
        return _BY_OP[op].from_json(record)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise CommandError(f'the record of command "{op}" is damaged: {error!r}') from None
