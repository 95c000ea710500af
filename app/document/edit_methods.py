"""The part of ``Document`` that edits: each method makes commands, and each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from app.document import edits, lock_edits
from app.document.commands import Command
from app.document.gesture import Gesture
from app.document.holding import changed_values, held_keys, held_pose
from core.animation import editing, lock_strips
from core.animation.clip import Clip
from core.animation.key import Key
from core.animation.lock_strips import Strips
from core.animation.sequence import Sequence
from core.errors import SequenceError

if TYPE_CHECKING:
    from app.document.model import Model
    from app.document.session import Session

KeyEdit = Callable[[tuple[Key, ...]], Iterable[Key]]
KeyMap = Callable[[tuple[Key, ...]], Mapping[int, int]]
StripEdit = Callable[[Strips, tuple[int, ...]], Strips]


class EditMethods:
    """Edits of a document. Each returns whether it was possible; if not, ``message`` has said why."""

    if TYPE_CHECKING:
        model: Model
        session: Session
        _gesture: Gesture | None

        @property
        def holding(self) -> bool: ...
        def _do(self, text: str, make: Callable[[], list[Command]], gesture: int | None = None) -> bool: ...

    # -- poses -----------------------------------------------------------------------------------------------------

    def begin_gesture(self, text: str) -> Gesture:
        """Begin a drag: ``set_pose`` as often as it moves, then ``commit`` or ``cancel``; an open one is committed.

        Playing stops: the pose belongs to the frame at press.

        Raises:
            SkeletonError: If there is no figure.
        """
        if self._gesture is not None:
            self._gesture.commit()
        self.session.playing = False
        self._gesture = Gesture(self, text)  # type: ignore[arg-type]
        return self._gesture

    def set_pose(
        self,
        q: object,
        text: str = "Pose",
        gesture: int | None = None,
        fixed: Iterable[int] | None = None,
        hold: bool = True,
    ) -> bool:
        """Set the pose in one step: into the key at the current frame with auto-key on, else as pending pose.

        It is brought onto the locks of the frame first.

        Args:
            q: Pose, shape (nq,), [m] and [rad].
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step (a wheel, a slider).
            fixed: Places in the pose that were edited and stay so if the locks allow it; None for those in which it
                differs from the pose on screen.
            hold: False for a pose that holds the locks already, or is meant not to.
        """

        def make() -> list[Command]:
            self.session.playing = False
            model, pose = self.model, q
            if hold and self.holding:
                array = edits.need_figure(model)[0].check_pose(q)
                changed = changed_values(model.pose, array) if fixed is None else fixed
                pose = held_pose(model, self.session, array, changed)
            if self.session.auto_key:
                return edits.key_pose(model, model.frame, pose)
            return edits.pend_pose(model, pose)

        return self._do(text, make, gesture)

    # -- keys ------------------------------------------------------------------------------------------------------

    def set_key(self, frame: int | None = None) -> bool:
        """Key the pose on screen at the current frame, or at another frame the pose that is there."""
        model = self.model
        at = model.frame if frame is None else frame

        def make() -> list[Command]:
            edits.need_figure(model)
            return edits.key_pose(model, at, model.pose if at == model.frame else model.keyed_pose(at))

        return self._do(f"Set key at frame {at}", make)

    def delete_keys(self, frames: int | Iterable[int] | None = None) -> bool:
        """Delete the keys at ``frames``, or the one at the current frame."""
        frames = self.model.frame if frames is None else frames
        chosen = list(frames) if isinstance(frames, Iterable) else [frames]
        text = "Delete key" if len(chosen) == 1 else f"Delete {len(chosen)} keys"
        return self._do(text, lambda: edits.delete_keys(self.model, chosen))

    def _edit_keys(self, text: str, edit: KeyEdit, gesture: int | None = None, follow: StripEdit | None = None) -> bool:
        """Change the keys, and with ``follow`` lock strips, from what they are and the keys' frames before."""

        def make() -> list[Command]:
            skeleton, sequence = edits.need_figure(self.model)
            keys = tuple(edit(sequence.keys))
            for key in keys:
                skeleton.check_pose(key.q)
            strips = sequence.strips if follow is None else follow(sequence.strips, sequence.frames)
            return [*edits.key_changes(self.model, keys), *lock_edits.strip_changes(self.model, strips)]

        return self._do(text, make, gesture)

    def move_keys(self, frames: Mapping[int, int], text: str = "", gesture: int | None = None) -> bool:
        """Move keys from old frames to new ones, all at once; a collision is refused."""
        text = text or ("Move key" if len(frames) == 1 else f"Move {len(frames)} keys")
        return self._retime_keys(text, lambda keys: frames, "moving", gesture)

    def _retime_keys(self, text: str, mapping: KeyMap, doing: str, gesture: int | None = None) -> bool:
        """Move keys to the frames that ``mapping`` tells from the keys, and lock strips with them."""
        sequence = self.model.sequence
        if sequence is None:
            return self._edit_keys(text, tuple)
        return self._edit_keys(
            text,
            lambda keys: editing.moved(keys, mapping(keys), doing),
            gesture,
            lambda strips, frames: lock_strips.retimed(strips, frames, mapping(sequence.keys)),
        )

    def set_interpolation(self, frames: Iterable[int], interp: str) -> bool:
        """Set how the spans that begin at ``frames`` are filled: ``"spline"`` or ``"linear"``."""
        return self._replace_keys("Set interpolation", frames, lambda key: key.changed(interp=interp))

    def set_turns(self, frames: Iterable[int], turns: bool) -> bool:
        """Set whether compound joints turn by their angles in the spans that begin at ``frames`` (full turns)."""
        return self._replace_keys("Set full turns", frames, lambda key: key.changed(turns=turns))

    def _replace_keys(self, text: str, frames: Iterable[int], change: Callable[[Key], Key]) -> bool:
        chosen = set(frames)

        def edit(keys: tuple[Key, ...]) -> Iterable[Key]:
            missing = chosen - {key.frame for key in keys}
            if missing:
                raise SequenceError(f"there is no key at frame {min(missing)}")
            return [change(key) if key.frame in chosen else key for key in keys]

        return self._edit_keys(text, edit)

    def copy_keys(self, first: int, last: int) -> Clip | None:
        """Return the keys in ``first..last`` as a clip; None without a figure. Not an edit."""
        return None if self.model.sequence is None else self.model.sequence.copy(first, last)

    def insert_clip(self, frame: int, clip: Clip, make_room: bool = False) -> bool:
        """Put a clip in from ``frame`` on; with ``make_room`` the keys from there on move away first.

        Its poses are brought onto the locks that hold where they come to stand.
        """

        def make() -> list[Command]:
            skeleton, sequence = edits.need_figure(self.model)
            clip.check(skeleton)
            strips = lock_strips.made_room(sequence.strips, frame, clip.length + 1) if make_room else sequence.strips
            strips = lock_strips.put_in(strips, frame, clip.strips)
            keys = editing.inserted(sequence.keys, frame, clip, make_room)
            come = {key.frame + frame for key in clip.keys}
            held = held_keys(self.model, self.session, keys, strips, come)
            return [*edits.key_changes(self.model, held), *lock_edits.strip_changes(self.model, strips)]

        return self._do("Paste keys", make)

    def stretch_keys(self, first: int, last: int, factor: float) -> bool:
        """Spread the keys in ``first..last`` from ``first`` by ``factor``."""
        return self._retime_keys(
            "Stretch keys", lambda keys: editing.stretch_map(keys, first, last, factor), "stretching"
        )

    def slide_keys(self, first: int, last: int, by: int) -> bool:
        """Move the keys in ``first..last`` by ``by`` frames."""
        return self._retime_keys("Slide keys", lambda keys: editing.slide_map(keys, first, last, by), "sliding")

    # -- sequence --------------------------------------------------------------------------------------------------

    def _set_value(self, name: str, value: object, text: str, gesture: int | None = None) -> bool:
        return self._do(text, lambda: edits.sequence_change(self.model, name, value), gesture)

    def set_fps(self, fps: float, gesture: int | None = None) -> bool:
        """Set the frames a second; keys stay on their frames."""
        return self._set_value("fps", fps, "Set frames per second", gesture)

    def set_range(self, first: int, last: int | None = None, gesture: int | None = None) -> bool:
        """Set the range that plays; ``last`` None lets it end at the last key."""
        return self._set_value("range", (first, last), "Set range", gesture)

    def rename(self, name: str) -> bool:
        """Rename the sequence."""
        return self._set_value("name", name, "Rename sequence")

    def set_menu(self, menu: str | None) -> bool:
        """Set the library menu the sequence is kept in."""
        return self._set_value("menu", menu, "Set menu")

    def set_loop(self, loop: bool) -> bool:
        """Set whether the sequence is made to play round and round."""
        return self._set_value("loop", loop, "Set loop")

    def add_sequence(self, sequence: Sequence | None = None, name: str = "Untitled") -> bool:
        """Add a copy of a sequence of the active figure, or an empty one, and show it."""

        def make() -> list[Command]:
            skeleton, _ = edits.need_figure(self.model)
            return edits.add_sequence(self.model, sequence if sequence is not None else Sequence(skeleton, name=name))

        return self._do("Add sequence", make)

    def show_sequence(self, index: int) -> bool:
        """Show sequence number ``index`` and make its figure active."""
        return self._do("Show sequence", lambda: edits.show_sequence(self.model, index))

    # -- figure ----------------------------------------------------------------------------------------------------

    def set_joint_value(self, joint: int | str, name: str, value: float, gesture: int | None = None) -> bool:
        """Set a joint's inverse-kinematics ``"weight"`` (0 to 1) or ``"resistance"`` (> 0)."""
        return self._do(f"Set {name}", lambda: edits.joint_change(self.model, joint, name, value), gesture)

    def set_joint_values(
        self, values: Mapping[int | str, Mapping[str, float]], text: str, gesture: int | None = None
    ) -> bool:
        """Set inverse-kinematics values of several joints as one step.

        Args:
            values: By joint: what ``set_joint_value`` takes, by name.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        return self._do(text, lambda: edits.joint_changes(self.model, values), gesture)
