"""The part of ``Document`` that edits: each method makes commands, and each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command
from app.document.gesture import Gesture
from app.document.holding import held_pose
from app.document.key_choice import channels_to_key
from app.document.mirror_editing import both_sides, edited_values
from app.document.timed_keys import told
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.sequence import Sequence

if TYPE_CHECKING:
    from app.document.model import Array, Model
    from app.document.session import Session


class EditMethods:
    """Edits of a document. Each returns whether it was possible; if not, ``message`` has said why."""

    if TYPE_CHECKING:
        model: Model
        session: Session

        @property
        def holding(self) -> bool: ...

        def say(self, level: str, text: str, details: str = "") -> None: ...
        def _do(self, text: str, make: Callable[[], list[Command]], gesture: int | None = None) -> bool: ...

    # -- poses -----------------------------------------------------------------------------------------------------

    def begin_gesture(self, text: str, edited: Iterable[int] | None = None) -> Gesture:
        """Begin a drag: ``set_pose`` as often as it moves, then ``commit`` or ``cancel``; an open one is committed.

        Playing stops: the pose belongs to the frame at press.

        Args:
            text: Name of the step.
            edited: Places in the pose that the drag is about, for mirror editing; see ``Gesture``.

        Raises:
            SkeletonError: If there is no figure.
        """
        return Gesture(self, text, edited)  # type: ignore[arg-type]

    def set_pose(
        self,
        q: object,
        text: str = "Pose",
        gesture: int | None = None,
        fixed: Iterable[int] | None = None,
        hold: bool = True,
        edited: Iterable[int] | None = None,
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
            edited: Places in the pose that the edit is about, which mirror editing carries over to the other side;
                None for those that change, if the pose is yet to be brought onto the locks.
        """

        wanted: list[Array] = []

        def make() -> list[Command]:
            self.session.playing = False
            model, pose, others = self.model, q, []
            if self.session.mirror_editing and (hold or edited is not None):
                skeleton = edits.need_figure(model)[0]
                pose, others = both_sides(skeleton, model.pose, skeleton.check_pose(q), edited)
            if (hold or others) and self.holding:
                array = edits.need_figure(model)[0].check_pose(pose)
                changed = edited_values(model.pose, array, fixed, None if hold else edited, others)
                pose = held_pose(model, self.session, array, changed)
            if self.session.auto_key:
                wanted.append(edits.need_figure(model)[0].check_pose(pose))
                names = channels_to_key(self, model.pose, wanted[0])
                return edits.key_pose(model, model.frame, pose, names) if names is None or names else []
            return edits.pend_pose(model, pose)

        done = self._do(text, make, gesture)
        if done and wanted and (said := told(self.model, wanted[0])):
            self.say("info", said)
        return done

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

    def set_timing(self, channel: str, curve: TimingCurve | None, gesture: int | None = None) -> bool:
        """Set which frame of a channel's path is taken when, beside the path; None takes the curve away.

        Args:
            channel: Name of the channel, ``""`` for the root's place, ``"*"`` for the whole figure.
            curve: The curve.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self.model)
            timings = {name: old for name, old in sequence.timing.curves.items() if name != channel}
            if curve is not None:
                timings[channel] = curve
            return edits.sequence_change(self.model, "timings", timings)

        return self._do("Set timing" if curve is not None else "Clear timing", make, gesture)

    def set_root_speed(self, curve: SpeedCurve | None, gesture: int | None = None) -> bool:
        """Set how fast the root travels its path; None lets it travel as it is keyed."""
        text = "Set speed of the root" if curve is not None else "Clear speed of the root"
        return self._set_value("root_speed", curve, text, gesture)

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
