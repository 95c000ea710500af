"""A gesture: one drag of a pose from press to release, shown live and one undo step in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys, SetPose
from app.document.content.model import Pending, read_only
from app.document.edits import edits, layer_edits
from app.document.edits.holding import PartnerEdit, holding_of
from app.document.edits.key_edits import channels_to_key
from app.document.edits.many_keys import ManyKeys
from app.document.edits.timed_keys import SeenFrame, key_note
from app.document.gestures.live_gesture import LiveGesture
from core.animation.key_parts import Names
from core.animation.layers.layer import Layer
from core.animation.retiming import made_key
from core.arrays import Array
from core.errors import CoreError
from core.posing.pose_edit import edited_pose
from core.skeleton.following import followed, following_dofs, follows_of

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class Gesture(LiveGesture):
    """Live edits of the pose at one frame; made by ``Posing.begin_gesture``. See ``LiveGesture``.

    With auto-key on it writes the key at the current frame, of the channels that the session's ``key_what`` names,
    else the pending pose; which of the two is decided at press. Where several keys are selected, this one among them,
    all take the change; see ``app.document.edits.many_keys``.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.
        edited: Places in the pose that it is about, which mirror editing carries over to the other side; None for
            those that change, of poses that are yet to be brought onto the locks.

    Attributes:
        keyed: Whether it writes a key.
        many: The selected keys that take part; None if it is made to its frame alone.
        start: The pose at press.
    """

    def __init__(self, document: DocumentBase, text: str, edited: Iterable[int] | None = None):
        super().__init__(document, text)
        model = document.model
        self._edited = None if edited is None else list(edited)
        self.keyed: bool = document.session.keys.auto
        self.start: Array = model.pose
        self._told = False
        self._skeleton, self._sequence = edits.need_figure(model)
        self._frame = model.frame
        self._index = model.sequence_index
        self._pending = model.pending
        self._key = self._sequence.keys.at(self._frame)
        self._seen = SeenFrame(self._sequence, self._frame) if self._sequence.timing.curves else None
        self._shown = self.start
        self._base: Array | None = None
        self._find_more()

    def _find_more(self) -> None:
        """Find out where else the edit goes: to a layer, to several keys, or to figures that are tied to this one."""
        model, session = self.document.model, self.document.session
        self._layer = layer_edits.pose_layer(model, session) if self.keyed and self._pending is None else None
        many = self.keyed and self._layer is None
        self.many = ManyKeys.at(model, session, self._frame) if many else None
        alone = self.keyed and self._layer is None and self.many is None
        self._partners = PartnerEdit.of(model, session, self._frame) if alone else None

    @property
    def shown(self) -> Array:
        """The pose that it shows, shape (nq,): where other figures hold this one back not the one it was given."""
        return self._shown

    @property
    def moved(self) -> bool:
        """Whether the pose now differs from the one at press."""
        return bool(self._live) and self._shown.tobytes() != self.start.tobytes()

    def set_pose(self, q: object, fixed: Iterable[int] | None = None) -> None:
        """Show a pose now, brought onto the locks of the frame; the moves of a gesture become one step.

        Args:
            q: Pose, shape (nq,), [m] and [rad]; copied.
            fixed: Places in the pose that were edited and stay so if the locks allow it; None for those in which
                it differs from the pose at press.

        Raises:
            PoseError: If the pose does not fit the figure; what was shown before stays.
        """
        if not self.active:
            return
        model, session = self.document.model, self.document.session
        holding = holding_of(model, session, frame=self._frame)
        how: dict[str, Any] = {"edited": self._edited, "fixed": fixed, "near": model.pose}
        self._say_what_follows(np.asarray(q))
        array = edited_pose(self._skeleton, self.start, q, holding, mirror=session.tools.mirror_editing, **how)
        self._put(array, array is q)

    def _say_what_follows(self, q: Array) -> None:
        """Say once what an edit of nothing but followers is in vain for."""
        following = following_dofs(self._skeleton)
        if not following or self._told or q.shape != self.start.shape:
            return
        changed = [int(k) - 3 for k in np.flatnonzero(q != self.start)]
        if changed and all(dof in following for dof in changed):
            leaders = next(leaders for dof, leaders, _ in follows_of(self._skeleton) if dof == changed[0])
            labels = self._skeleton.dof_labels
            of = " and ".join(labels[k] for k in leaders) or "an expression"
            self.document.say("info", f"{labels[changed[0]]} follows {of}: move that instead")
            self._told = True

    def show(self, q: object) -> None:
        """Show a pose now as it is: one that holds the locks already, such as those of ``core.posing``."""
        if self.active:
            array = self._skeleton.check_pose(q)
            if follows_of(self._skeleton):
                array = followed(self._skeleton, array)
            self._put(array, array is q)

    def _put(self, array: Array, shared: bool) -> None:
        """Show a pose; ``shared`` if it is the caller's array."""
        model = self.document.model
        others: list[Command] = []
        if self._partners is not None:
            array, others = self._partners.posed(array)
            shared = False
        commands = (*self._commands(array, shared), *others)
        for command in reversed(self._live):
            command.revert(model)
        for command in commands:
            command.apply(model)
        if self.keyed and (commands or self._layer is None):
            model.show_pose(self._frame, read_only(array))
        self._shown = array
        shown, self._live = commands or self._live, commands
        self.document.show_live(shown)

    def _commands(self, pose: Array, shared: bool) -> tuple[Command, ...]:
        """Return what shows a pose; ``shared`` if it is the caller's array."""
        if not self.keyed:
            pose = pose.copy() if shared or not pose.flags.owndata else pose
            return (SetPose(self._pending, Pending(self._frame, read_only(pose))),)
        if self._layer is not None:
            return self._in_layer(self._layer, pose)
        if (in_many := self._in_many(pose, live=True)) is not None:
            return in_many
        names, pose = self._names(pose), self._on_keys(pose)
        if names is not None and not names:
            return ()
        if self._seen is not None:
            made = self._seen.commands(self._index, pose, names)
            drops = self._pending is not None and names is None
            return (*made, SetPose(self._pending, None)) if drops else tuple(made)
        key = made_key(self._sequence.channels, self._key, self._frame, pose, names)
        keyed = SetKeys(self._index, {self._frame: self._key}, {self._frame: key})
        dropped = self._pending is not None and key.keyed is None
        return (keyed, SetPose(self._pending, None)) if dropped else (keyed,)

    def _on_keys(self, pose: Array) -> Array:
        """Return what keys must say for a pose to be seen through the layers."""
        if not self._sequence.layers or self._pending is not None:
            return pose
        if self._base is None:
            self._base = self._sequence.base_at_frames([self._frame])[0]
        return self._sequence.layered.without(self._frame, self.start, self._base, pose)

    def _in_layer(self, layer: Layer, pose: Array) -> tuple[Command, ...]:
        """Return what gives a layer the change that a pose has; nothing, and say so once, if it cannot have it."""
        model, shown = self.document.model, self._live
        for command in reversed(shown):
            command.revert(model)
        try:
            return tuple(layer_edits.posed(model, layer, self._frame, self.start, pose))
        except CoreError as error:
            if not self._told:
                self._told = True
                self.document.refuse_edit(error)
            return ()
        finally:
            for command in shown:
                command.apply(model)

    def _in_many(self, pose: Array, live: bool = False) -> tuple[Command, ...] | None:
        """Return what gives all selected keys the change that a pose has; None if its frame alone has it."""
        if self.many is None:
            return None
        made = self.many.commands(self._index, self._on_keys(self.start), self._on_keys(pose), live)
        if made and live and not self._told:
            self._told = True
            self.document.say("info", f"All {self.many.count} selected keys follow · Esc gives it up")
        return None if made is None else tuple(made)

    def _names(self, pose: Array) -> Names:
        """Return the channels that a pose is keyed in; None for all."""
        document = self.document
        return channels_to_key(document.session, self._skeleton, document.selection.joints, self.start, pose)

    def commit(self) -> bool:
        done = super().commit()
        if done and self._layer is not None:
            layer_edits.show_taken(self.document, self._layer)
        if done and self.keyed and (text := key_note(self.document.model, self._shown)):
            self.document.say("info", text)
        return done

    def _settle(self) -> None:
        sequence, model = self._sequence, self.document.model
        if self.many is not None:
            for command in reversed(self._live):
                command.revert(model)
            made = self._in_many(self._shown)
            if made is not None:
                self._live, self.text = made, self.many.text(self.text)
            for command in self._live:
                command.apply(model)
            model.forget_poses()
            return
        key = sequence.keys.at(self._frame)
        if (
            sequence.locks.strips
            or sequence.locks
            or sequence.timing.in_use
            or sequence.layers
            or (key is not None and key.keyed is not None)
        ):
            model.forget_poses()  # from here on the pose is what playing shows


class KeyPoseGesture(Gesture):
    """Live edits of the key at one frame; it is written whether keys are set by themselves or not.

    A key that holds some channels holds the changed ones as well then, and no others.

    Args:
        document: The document, which has a figure.
        frame: Where the key is.
        text: What the undo step is called.
    """

    def __init__(self, document: DocumentBase, frame: int, text: str):
        super().__init__(document, text)
        self.keyed = True
        self._frame, self._pending = frame, None
        self._key = self._sequence.keys.at(frame)
        self.start = self._shown = document.model.keyed_pose(frame)
        self._find_more()

    @property
    def pose(self) -> Array:
        """The pose at the frame as it is now, shape (nq,); read-only."""
        return self._shown

    def _names(self, pose: Array) -> Names:
        names = super()._names(pose)
        if names is not None or self._key is None or self._key.keyed is None:
            return names
        channels = self._sequence.channels
        changed = np.unique(channels.of_value[self.start != pose])
        return frozenset(channels.names[number] for number in changed)
