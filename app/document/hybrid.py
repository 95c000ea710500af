"""The part of a document that edits hybrid strips, and makes keys of simulations and of flights on their parabolas."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.content.records import sequence_for
from app.document.edits import edits
from app.document.edits.edits import add_sequence, found_in, hybrids_of, need_figure, sequence_values
from app.document.physics.settings import Settings
from core.animation import hybrid_strips as hybrids
from core.animation.hybrid_strips import HybridStrip
from core.animation.key import check_frame
from core.errors import SequenceError

if TYPE_CHECKING:
    from core.preview.bake import Baked
    from core.preview.plausibility.repair import FlightRepair
    from core.preview.plausibility.violation import Violation
    from core.preview.sample import Sample

Commands = list[Command]
HybridStrips = tuple[HybridStrip, ...]

_VALUES = frozenset(field.name for field in fields(HybridStrip)) - {"id", "extra"}


def found(model: Model, strip_id: str) -> tuple[int, HybridStrip]:
    """Return place and strip of an id.

    Raises:
        SequenceError: If there is none.
    """
    missing = SequenceError(f'there is no hybrid strip "{strip_id}" here; it may have been removed')
    return found_in(hybrids_of(model), strip_id, missing)


def exchanged(model: Model, strip_id: str, *by: HybridStrip) -> HybridStrips:
    """Return the strips with others, or none, in the place of one.

    Raises:
        SequenceError: If there is no strip of that id.
    """
    place, _ = found(model, strip_id)
    strips = hybrids_of(model)
    return (*strips[:place], *by, *strips[place + 1 :])


def new_hybrid(
    model: Model, joints: Iterable[int | str], start: int | None, end: int | None, **values: Any
) -> HybridStrip:
    """Return a new strip of joints; of none, or of all of them, it is one of the whole figure.

    Args:
        model: The document's content.
        joints: The joints.
        start: First frame; None for the current one.
        end: Frame at which they are back at their keys; None for never.
        **values: Further fields of ``HybridStrip``.

    Raises:
        JointError: If there is no such joint.
        SequenceError: If a value makes no sense.
    """
    skeleton, _ = need_figure(model)
    numbers = dict.fromkeys(skeleton.joint_index(joint) for joint in joints)
    names = tuple(skeleton.joints[number].name for number in numbers)
    parts = () if len(names) == len(skeleton.joints) else names
    return HybridStrip(parts, model.frame if start is None else check_frame(start), end, **values)


def edited(model: Model, strip_id: str, values: dict[str, Any]) -> HybridStrips:
    """Return the strips with values of one changed.

    Raises:
        SequenceError: If there is no such strip or value, or a value makes no sense.
    """
    _, strip = found(model, strip_id)
    strange = sorted(set(values) - _VALUES)
    if strange:
        raise SequenceError(f'a hybrid strip has no value "{strange[0]}"; it has {", ".join(sorted(_VALUES))}')
    if "parts" in values and "torques" not in values:
        strip = hybrids.with_parts(strip, tuple(values["parts"]))
    return exchanged(model, strip_id, replace(strip, **values))


def baking(model: Model, baked: Baked, new: bool) -> Commands:
    """Return the commands that put baked keys into the active sequence, or into a new one, which is then shown.

    Raises:
        CoreError: If they do not fit.
    """
    from core.preview.bake import baked_values

    skeleton, sequence = need_figure(model)
    values = baked_values(sequence, baked)
    if not new:
        return sequence_values(model, values)
    copy = sequence_for(sequence, skeleton, keys=values["keys"])
    copy.hybrid_strips, copy.name = values["hybrid_strips"], _free_name(model, f"{sequence.name} baked")
    copy.set_range(*values["range"])
    return add_sequence(model, copy)


def _free_name(model: Model, name: str) -> str:
    """Return a name that no sequence has yet: the one given, or with a number."""
    taken = {sequence.name for sequence in model.sequences}
    names = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return next(free for free in names if free not in taken)


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
            repairs.append(repair_flight(sequence, violation, self._settings.simulated.world))
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


class Hybrid:
    """Hybrid strips of a document. Edits return whether they were possible; if not, ``message`` has said why.

    Those that make a strip return its id instead, None if that was not possible.
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
        return self._put(text, lambda: strips, gesture)

    def _put(self, text: str, make: Callable[[], Iterable[HybridStrip]], gesture: int | None = None) -> bool:
        """Put strips that are still to be made in the place of those of the active sequence."""
        return self._document.do(text, lambda: edits.hybrid_changes(self._document.model, make()), gesture)

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

        def make() -> HybridStrips:
            chosen = self._document.selection.joints if joints is None else joints
            made.append(new_hybrid(self._document.model, chosen, start, end, mode=mode, **values))
            return (*self.strips, made[0])

        done = self._put(text or f"Make joints {'follow motors' if mode == 'motor' else 'dynamic'}", make)
        return made[0].id if done else None

    def edit(self, strip_id: str, gesture: int | None = None, text: str = "Edit dynamic joints", **values: Any) -> bool:
        """Change values of a strip: its mode, ends, eases, gain, damping, parts or name.

        Args:
            strip_id: Id of the strip.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
            **values: Fields of ``HybridStrip``.
        """
        return self._put(text, lambda: edited(self._document.model, strip_id, values), gesture)

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

        def make() -> HybridStrips:
            _, strip = found(self._document.model, strip_id)
            return exchanged(self._document.model, strip_id, *hybrids.split(strip, at))

        return self._put(f"Split dynamic range at frame {at}", make)

    def remove(self, strip_id: str) -> bool:
        """Remove a strip: keys move its joints again."""
        return self._put("Remove dynamic range", lambda: exchanged(self._document.model, strip_id))

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
            return baking(self._document.model, made[0], new)

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
