"""What changed in a document: the one event that all views listen to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

KINDS: tuple[str, ...] = (
    "file",
    "figure",
    "sequence",
    "keys",
    "locks",
    "hybrid",
    "pending",
    "physics",
    "frame",
    "pose",
    "selection",
    "session",
    "message",
)
"""All kinds, in the order in which the changes of one edit are announced."""


@dataclass(frozen=True)
class Change:
    """One thing that changed.

    Attributes:
        kind: One of ``KINDS``:
            ``"file"``: another file, its name, or whether it is modified; detail ``{"name": ...}``, one of
            ``"opened"``, ``"saved"``, ``"recovered"`` and ``"modified"``.
            ``"figure"``: the figures, the active one or a joint's values; detail may name ``"joint"`` and ``"name"``.
            ``"sequence"``: the active sequence or one of its values; detail ``{"name": ...}``.
            ``"keys"``: keys of the active sequence (and with them a range that ends at the last key);
            detail ``{"frames": tuple of frames, "live": whether a drag is under way}``.
            ``"locks"``: lock strips of the active sequence; detail ``{"live": whether a drag is under way}``.
            ``"hybrid"``: hybrid strips of the active sequence; detail as for ``"locks"``.
            ``"pending"``: an unkeyed pose came, went or moved; detail ``{"pending": bool, "live": bool}``.
            ``"physics"``: settings of physics, or what is simulated; detail ``{"name": ...}`` as
            ``PhysicsState.changed`` tells it, ``"settings"`` for those that the document holds.
            ``"frame"``: the current frame; detail ``{"frame": int}``.
            ``"pose"``: the pose on screen, whatever made it change; detail ``{"live": bool}``.
            ``"selection"``: detail ``{"selection": tuple of joint indices}``.
            ``"session"``: detail ``{"name": ..., "value": ...}``.
            ``"message"``: detail ``{"level": ..., "text": ..., "details": ...}``.
        detail: More about it.
    """

    kind: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def coalesced(changes: Iterable[Change]) -> list[Change]:
    """Return the changes one of a kind, in the order of ``KINDS``; frames add up, else the latest detail counts."""
    latest: dict[str, Change] = {}
    for change in changes:
        before = latest.get(change.kind)
        if before is not None and change.kind == "keys":
            frames = tuple(sorted({*before.detail.get("frames", ()), *change.detail.get("frames", ())}))
            change = Change("keys", {**change.detail, "frames": frames})
        elif before is not None and change.kind in ("sequence", "figure") and before.detail != change.detail:
            change = Change(change.kind, {"name": "all"})
        latest[change.kind] = change
    return [latest[kind] for kind in KINDS if kind in latest]
