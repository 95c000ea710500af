"""The part of a document that edits hybrid strips, and turns what was simulated into keys; each edit is one step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from app.document.base import DocumentBase
from app.document.commands.registry import Command
from app.document.edits import edits, hybrid_edits
from core.animation.hybrid import strip_edits as hybrids
from core.animation.hybrid.strip import HybridStrip

if TYPE_CHECKING:
    from core.preview.bake import Baked
    from core.preview.sample import Sample

HybridStrips = tuple[HybridStrip, ...]


class Hybrid:
    """Hybrid strips of a document. Edits return whether they were possible; if not, ``message`` has said why.

    Those that make a strip return its id instead, None if that was not possible.

    Args:
        document: The document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def strips(self) -> HybridStrips:
        """The hybrid strips of the active sequence, in the order they were made; () without a figure."""
        return edits.hybrids_of(self._document.model)

    def strip(self, strip_id: str | None) -> HybridStrip | None:
        """Return the hybrid strip of an id, or None."""
        return next((strip for strip in self.strips if strip.id == strip_id), None)

    def set(self, strips: Iterable[HybridStrip], text: str = "Edit dynamic joints", gesture: int | None = None) -> bool:
        """Put other hybrid strips in the place of those of the active sequence.

        Args:
            strips: All strips, each with an id of its own.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        return self._document.do(text, lambda: edits.hybrid_changes(self._document.model, strips), gesture)

    def add(
        self,
        joints: Iterable[int | str] | None = None,
        start: int | None = None,
        end: int | None = None,
        mode: str = "dynamic",
        text: str = "",
        **values: Any,
    ) -> str | None:
        """Let forces move joints over a range of frames.

        Args:
            joints: The joints; None for those selected, of which none means the whole figure.
            start: First frame; None for the current one.
            end: Frame at which they are back at their keys; None for never.
            mode: ``"dynamic"`` or ``"motor"``.
            text: Name of the step.
            **values: Further fields of ``HybridStrip``.

        Returns:
            The id of the strip, or None if it could not be made.
        """
        made: list[HybridStrip] = []

        def make() -> list[Command]:
            chosen = self._document.selection.joints if joints is None else joints
            made.append(hybrid_edits.new_hybrid(self._document.model, chosen, start, end, mode=mode, **values))
            return edits.hybrid_changes(self._document.model, (*self.strips, made[0]))

        done = self._document.do(text or f"Make joints {'follow motors' if mode == 'motor' else 'dynamic'}", make)
        return made[0].id if done else None

    def edit(self, strip_id: str, gesture: int | None = None, text: str = "Edit dynamic joints", **values: Any) -> bool:
        """Change values of a strip: its mode, ends, eases, gain, damping, parts or name.

        Args:
            strip_id: Id of the strip.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
            **values: Fields of ``HybridStrip``.
        """
        return self._document.do(
            text,
            lambda: edits.hybrid_changes(
                self._document.model, hybrid_edits.edited(self._document.model, strip_id, values)
            ),
            gesture,
        )

    def set_mode(self, strip_id: str, mode: str) -> bool:
        """Let forces alone move a strip's joints (``"dynamic"``), or also motors that follow the keys (``"motor"``)."""
        text = "Follow keys with motors" if mode == "motor" else "Make dynamic"
        return self.edit(strip_id, mode=mode, text=text)

    def move(self, strip_id: str, start: int, end: int | None, gesture: int | None = None) -> bool:
        """Move the ends of a strip; ``end`` None lets it go on for ever."""
        return self.edit(strip_id, gesture, "Move dynamic range", start=start, end=end)

    def split(self, strip_id: str, frame: int | None = None) -> bool:
        """Cut a strip in two at a frame, the current one unless told otherwise: there its joints are at their keys."""
        at = self._document.model.frame if frame is None else frame

        def make() -> list[Command]:
            _, strip = hybrid_edits.found(self._document.model, strip_id)
            both = hybrids.split(strip, at)
            return edits.hybrid_changes(
                self._document.model, hybrid_edits.exchanged(self._document.model, strip_id, *both)
            )

        return self._document.do(f"Split dynamic range at frame {at}", make)

    def remove(self, strip_id: str) -> bool:
        """Remove a strip: keys move its joints again."""
        return self._document.do(
            "Remove dynamic range",
            lambda: edits.hybrid_changes(self._document.model, hybrid_edits.exchanged(self._document.model, strip_id)),
        )

    def bake(
        self,
        samples: Iterable[Sample],
        tolerance: float | None = None,
        first: int | None = None,
        last: int | None = None,
        new: bool = False,
        baked: Baked | None = None,
    ) -> bool:
        """Turn what was simulated of the active sequence into keys; the strips that had these frames are consumed.

        Args:
            samples: The samples of its preview.
            tolerance: How far a joint may be from its simulated position, [m]; None makes a key at every frame.
            first: First frame; None for the first that was simulated.
            last: Last frame; None for the last that was simulated.
            new: Whether the keys go into a new sequence beside the active one, which is then shown.
            baked: What ``core.preview.bake.bake`` returned for these samples, if it was called already.
        """
        made: list[Baked] = []

        def make() -> list[Command]:
            from core.preview.bake import bake

            _, sequence = edits.need_figure(self._document.model)
            made.append(baked or bake(samples, sequence, tolerance=tolerance, first=first, last=last))
            return hybrid_edits.baking(self._document.model, made[0], new)

        done = self._document.do("Bake to a new sequence" if new else "Bake to keys", make)
        if done:
            keys = made[0]
            count, off = len(keys.keys), f", at most {1e3 * keys.error:.1f} mm off" if keys.error > 0.0 else ""
            where = (
                f' of the new sequence "{self._document.sequence.name}"'
                if new and self._document.sequence is not None
                else ""
            )
            self._document.say("info", f"Baked frames {keys.first} to {keys.last} into {count} keys{where}{off}")
        return done
