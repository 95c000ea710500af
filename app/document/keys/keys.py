"""The part of a document that edits keys: each method makes commands, and each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.content.key_selection import KeySelection
from app.document.edits import edits, key_edits, layer_edits
from app.document.edits.timed_keys import key_note, seen_frame
from app.document.gestures.live_gesture import KeyGesture
from app.document.keys import clipboard
from core.animation import editing
from core.animation.channels import channels_of
from core.animation.clip import Clip
from core.animation.layers.layer import Layer
from core.animation.retiming import frames_inserted, frames_removed, moved

Which = KeySelection | Iterable[int] | int
"""Keys: some channels at some frames, or whole keys at frames."""


class Keys:
    """Edits of keys. Each returns whether it was possible; if not, ``message`` has said why.

    Edits of whole keys take lock strips along. With ``ripple`` everything after the last key that moves moves by as
    much as it does: keys of the same channels, with whole keys also strips, markers and timings.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

    def begin_gesture(self, text: str) -> KeyGesture:
        """Begin an edit of keys by hand: show it as often as it changes, then ``commit`` or ``cancel``.

        Raises:
            SkeletonError: If there is no figure.
        """
        return KeyGesture(self._document, text)

    # -- setting and deleting --------------------------------------------------------------------------------------

    def set(
        self,
        frame: int | None = None,
        joints: Iterable[int | str] | None = None,
        channels: Iterable[str] | None = None,
    ) -> bool:
        """Key the pose on screen at the current frame, or at another frame the pose that is there.

        Args:
            frame: The frame; None for the current one.
            joints: Joints to key, with the root also its place; None for the whole figure.
            channels: Names of channels to key instead.
        """
        model = self._document.model
        at = model.frame if frame is None else frame
        taken: list[Layer] = []

        def make() -> list[Command]:
            skeleton, _ = edits.need_figure(model)
            names = None if channels is None else frozenset(channels)
            if joints is not None:
                own = channels_of(skeleton).of_joints(joints, place=True)
                names = channels_of(skeleton).checked((names or frozenset()) | frozenset(own), "these joints")
            layer = layer_edits.pose_layer(model, self._document.session)
            if layer is not None and model.pending is None:
                taken.append(layer)
                return layer_edits.key_here(model, layer, at, names, zero=False)
            ruled = model.sequence is not None and model.sequence.gait is not None
            if layer is not None and ruled and at == model.frame:
                taken.append(layer)
                return [
                    *layer_edits.posed(model, layer, at, model.keyed_pose(at), model.pose), *edits.drop_pending(model)
                ]  # fmt: skip
            return edits.key_pose(model, at, model.pose if at == model.frame else model.keyed_pose(at), names)

        pose = None if model.skeleton is None else model.pose
        done = self._document.do(f"Set key at frame {at}", make)
        if done and taken:
            layer_edits.show_taken(self._document, taken[0])
        if done and pose is not None and at == model.frame and (said := key_note(model, pose)):
            self._document.say("info", said)
        return done

    def _parts(self, which: Which) -> dict[int, Any]:
        if isinstance(which, KeySelection):
            return dict(which.parts)
        return dict.fromkeys(which if isinstance(which, Iterable) else [which])

    def _edit(self, text: str, make: Callable[[Any], Mapping[str, Any]], gesture: int | None = None) -> bool:
        """Give the sequence the values that ``make`` gives for it."""

        def commands() -> list[Command]:
            _, sequence = edits.need_figure(self._document.model)
            return edits.sequence_values(self._document.model, make(sequence))

        return self._document.do(text, commands, gesture)

    def delete(self, which: Which | None = None, text: str = "") -> bool:
        """Delete keys, or the one seen at the current frame; of a ``KeySelection`` only the channels that are in it."""
        if which is None:
            sequence = self._document.model.sequence
            which = self._document.model.frame if sequence is None else seen_frame(sequence, self._document.model.frame)
        parts = self._parts(which)
        text = text or ("Delete key" if len(parts) == 1 else f"Delete {len(parts)} keys")
        return self._edit(text, lambda s: {"keys": editing.removed(s.keys, parts, s.channels)})

    # -- retiming --------------------------------------------------------------------------------------------------

    def move(
        self,
        which: Mapping[int, int] | Which,
        mapping: Mapping[int, int] | str | None = None,
        text: str = "",
        gesture: int | None = None,
        ripple: bool = False,
        earlier: bool = False,
    ) -> bool:
        """Move keys from old frames to new ones, all at once; a collision is refused.

        Args:
            which: The keys, or the mapping itself for whole keys.
            mapping: New frames by old ones; of frames that are not in it keys stay.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            ripple: Whether what is later moves on.
            earlier: Whether markers and timings before the first of the keys go along with it; the keys there are
                among those that move.
        """
        if isinstance(which, Mapping):
            moves, parts = dict(which), dict.fromkeys(which)
            text = mapping if isinstance(mapping, str) else text
        else:
            assert isinstance(mapping, Mapping)
            parts = self._parts(which)
            moves = {old: new for old, new in mapping.items() if old in parts}
        text = text or ("Move key" if len(moves) == 1 else f"Move {len(moves)} keys")
        return self._edit(text, lambda s: key_edits.moved_keys(s, moves, parts, "moving", ripple, earlier), gesture)

    def shift(self, which: Which, by: int, ripple: bool = False, gesture: int | None = None) -> bool:
        """Move keys by a number of frames, back if it is negative."""
        parts = self._parts(which)
        text = "Move key" if len(parts) == 1 else f"Move {len(parts)} keys"

        def make(s: Any) -> Mapping[str, Any]:
            return key_edits.moved_keys(s, editing.slide_map(parts, by), parts, "moving", ripple)

        return self._edit(text, make, gesture)

    def scale(
        self,
        which: Which,
        factor: float,
        about: int | None = None,
        ripple: bool = False,
        gesture: int | None = None,
    ) -> bool:
        """Spread keys by a factor, or draw them together below 1, each rounded to a whole frame.

        Args:
            which: The keys.
            factor: Positive number.
            about: The frame that stays; None for the first of the keys.
            ripple: Whether what is later moves on by as much as the last of them.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        parts = self._parts(which)

        def make(s: Any) -> Mapping[str, Any]:
            return key_edits.moved_keys(s, key_edits.scale_map(parts, factor, about), parts, "stretching", ripple)

        return self._edit("Stretch keys", make, gesture)

    def stretch(
        self, first: int, last: int, factor: float, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> bool:
        """Spread the keys in ``first..last`` from ``first`` by ``factor``, of some channels or whole."""

        def make(s: Any) -> Mapping[str, Any]:
            names = None if channels is None else s.channels.checked(channels)
            parts = editing.inside(s.keys, *editing.checked_range(first, last), s.channels, names)
            mapping = editing.stretch_map(parts, first, last, factor)
            end = editing.stretched_frame(last, first, factor)
            return moved(s, mapping, parts, "stretching", (last, end - last) if ripple else None)

        return self._edit("Stretch keys", make)

    def slide(
        self, first: int, last: int, by: int, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> bool:
        """Move the keys in ``first..last`` by ``by`` frames, of some channels or whole."""

        def make(s: Any) -> Mapping[str, Any]:
            names = None if channels is None else s.channels.checked(channels)
            parts = editing.inside(s.keys, *editing.checked_range(first, last), s.channels, names)
            return moved(s, editing.slide_map(parts, by), parts, "sliding", (last, int(by)) if ripple else None)

        return self._edit("Slide keys", make)

    def insert_frames(self, frame: int, count: int) -> bool:
        """Put frames in before one: keys, strips, markers, timings and the end of the range from there on are later."""
        text = "Insert frame" if count == 1 else f"Insert {count} frames"
        return self._edit(text, lambda s: frames_inserted(s, frame, count))

    def remove_frames(self, first: int, last: int) -> bool:
        """Take the frames ``first..last`` away, their keys with them; what is later comes earlier."""
        text = "Remove frame" if first == last else f"Remove {last - first + 1} frames"
        return self._edit(text, lambda s: frames_removed(s, first, last))

    # -- shapes ----------------------------------------------------------------------------------------------------

    def set_shape(self, which: Which, text: str = "", gesture: int | None = None, **values: Any) -> bool:
        """Set how the motion goes through keys and the spans that begin there.

        Args:
            which: The keys; of a ``KeySelection`` only the channels that are in it.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            values: Values of ``core.animation.Shape``; ``ease`` may be the name of a preset.
        """
        parts = self._parts(which)
        return self._edit(
            text or key_edits.shape_text(values), lambda s: {"keys": key_edits.shaped(s, parts, values)}, gesture
        )

    def set_interpolation(self, which: Which, interp: str) -> bool:
        """Set how the spans that begin at keys are filled, one of ``INTERPOLATIONS``."""
        return self.set_shape(which, interp=interp)

    def set_turns(self, which: Which, turns: bool) -> bool:
        """Set whether compound joints turn by their angles in the spans that begin at keys (full turns)."""
        return self.set_shape(which, turns=turns)

    # -- copying ---------------------------------------------------------------------------------------------------

    def copy(self, which: Which, last: int | None = None) -> Clip | None:
        """Copy keys to the clipboard; not an edit.

        Args:
            which: The keys, or the first frame of a range.
            last: Last frame of the range; its lock strips are copied with it.

        Returns:
            What was copied; None without a figure or if there is nothing to copy.
        """
        sequence = self._document.model.sequence
        if sequence is None:
            return None
        clip = key_edits.copied(sequence, which, self._parts(which) if last is None else None, last)
        if clip is not None:
            clipboard.put(clip, sequence.skeleton)
        return clip

    def cut(self, which: Which) -> bool:
        """Copy keys to the clipboard and delete them."""
        parts = self._parts(which)
        if not parts or self.copy(which if isinstance(which, KeySelection) else list(parts)) is None:
            return False
        return self.delete(KeySelection(parts), text="Cut key" if len(parts) == 1 else f"Cut {len(parts)} keys")

    def paste(
        self,
        frame: int | None = None,
        flipped: bool = False,
        make_room: bool = False,
        replace: bool = False,
        clip: Clip | None = None,
        text: str = "",
    ) -> bool:
        """Paste keys from the clipboard, their first at a frame.

        Where keys of the same channels are in the way the paste is refused, unless they make room or are replaced.
        Keys of a figure with other joints go by the joints' names.

        Args:
            frame: The frame; None for the current one.
            flipped: Whether left and right change sides.
            make_room: Whether keys from there on first move away.
            replace: Whether keys that are there, of the same channels, go first.
            clip: What is pasted instead of what is on the clipboard.
            text: Name of the step.
        """
        at = self._document.model.frame if frame is None else frame
        notes: list[str] = []

        def make() -> list[Command]:
            skeleton, _ = edits.need_figure(self._document.model)
            copied = clip if clip is not None else clipboard.get(skeleton)
            commands, note = key_edits.pasted(
                self._document.model, self._document.session, at, copied, make_room, flipped, replace
            )
            notes.append(note)
            return commands

        done = self._document.do(text or ("Paste keys flipped" if flipped else "Paste keys"), make)
        if done and notes[0]:
            self._document.say("info", notes[0])
        return done

    def insert_clip(self, frame: int, clip: Clip, make_room: bool = False, text: str = "") -> bool:
        """Put a clip in from ``frame`` on, as one step; with ``make_room`` the keys from there on move away first.

        Its poses are brought onto the locks that hold where they come to stand.
        """
        return self.paste(frame, make_room=make_room, clip=clip, text=text)
