"""What changed in a document: one class a kind of change, and one signal that emits them, ``Document.changed``.

Listeners ask with ``isinstance``. A class says what it is about; ``name`` says which value of it is another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Change:
    """One change.

    Attributes:
        name: Which value of what changed is another; "" where the class says it all.
        live: Whether a drag is under way.
    """

    name: str = ""
    live: bool = field(default=False, kw_only=True)


class FileChanged(Change):
    """Another file, its name, or whether it is modified: ``"opened"``, ``"saved"``, ``"recovered"``, ``"modified"``."""


@dataclass(frozen=True)
class FigureChanged(Change):
    """The figures, the active one or a joint's values.

    Attributes:
        joint: The joint whose value ``name`` changed, or None.
    """

    joint: int | None = field(default=None, kw_only=True)


class SequenceChanged(Change):
    """The active sequence or one of its values, ``name``."""


@dataclass(frozen=True)
class KeysChanged(Change):
    """Keys of the active sequence, and with them a range that ends at the last key.

    Attributes:
        frames: The frames at which keys changed; () if that may be all.
    """

    frames: tuple[int, ...] = field(default=(), kw_only=True)


class LayersChanged(Change):
    """Layers of the active sequence, and with them a range that ends with the last key."""


class LocksChanged(Change):
    """Lock strips of the active sequence."""


class HybridChanged(Change):
    """Hybrid strips of the active sequence."""


@dataclass(frozen=True)
class PendingChanged(Change):
    """An unkeyed pose came, went or moved.

    Attributes:
        pending: Whether there is one now.
    """

    pending: bool = field(default=False, kw_only=True)


class PhysicsChanged(Change):
    """Settings of physics, ``name`` ``"settings"``, or what is simulated, as ``PhysicsState.changed`` names it."""


@dataclass(frozen=True)
class FrameChanged(Change):
    """The current frame.

    Attributes:
        frame: The frame that is current now.
    """

    frame: int = field(default=0, kw_only=True)


class PoseChanged(Change):
    """The pose on screen, whatever made it change."""


@dataclass(frozen=True)
class SelectionChanged(Change):
    """The selected joints.

    Attributes:
        joints: Those that are selected now.
    """

    joints: tuple[int, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class SessionChanged(Change):
    """A value that the window shares, ``name``.

    Attributes:
        value: What it is now.
    """

    value: Any = None


@dataclass(frozen=True)
class MessageShown(Change):
    """A line for the person.

    Attributes:
        level: ``"info"``, ``"warning"`` or ``"error"``.
        text: One line.
        details: All of it.
    """

    level: str = field(default="info", kw_only=True)
    text: str = field(default="", kw_only=True)
    details: str = field(default="", kw_only=True)


ORDER: tuple[type[Change], ...] = (
    FileChanged,
    FigureChanged,
    SequenceChanged,
    KeysChanged,
    LayersChanged,
    LocksChanged,
    HybridChanged,
    PendingChanged,
    PhysicsChanged,
    FrameChanged,
    PoseChanged,
    SelectionChanged,
    SessionChanged,
    MessageShown,
)
"""All kinds of changes, in the order in which those of one edit are announced."""


def coalesced(changes: Iterable[Change]) -> list[Change]:
    """Return the changes one of a kind, in ``ORDER``; frames of keys add up, else the latest counts.

    Several values of a sequence or of the figures become one change with the name ``"all"``.
    """
    latest: dict[type[Change], Change] = {}
    for change in changes:
        before = latest.get(type(change))
        if isinstance(change, KeysChanged) and isinstance(before, KeysChanged):
            change = replace(change, frames=tuple(sorted({*before.frames, *change.frames})))
        elif isinstance(change, SequenceChanged | FigureChanged) and before not in (None, change):
            change = type(change)("all")
        latest[type(change)] = change
    return [latest[kind] for kind in ORDER if kind in latest]
