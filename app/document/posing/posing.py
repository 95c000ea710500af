"""The part of a document that poses: set a pose, flip, mirror, break down, reset, copy and paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import edits, layer_edits, part_choice
from app.document.edits.edits import need_figure
from app.document.edits.holding import PartnerEdit, holding_of
from app.document.edits.key_edits import channels_to_key
from app.document.edits.many_keys import ManyKeys
from app.document.edits.timed_keys import key_note
from app.document.gestures.between_gesture import InBetween, PosingGesture
from app.document.gestures.pose_gesture import Gesture
from app.document.gestures.reshape_gesture import title
from app.document.posing import pose_clip
from app.document.posing.pose_clip import PoseClip
from app.words.part_names import part_name, spoken_name
from core.animation.layers.layer import Layer
from core.arrays import Array
from core.errors import CoreError, JointError
from core.posing.pose_edit import edited_pose, inside_limits
from core.skeleton.mirroring.pose_mirror import (
    columns_of,
    mirrored_over,
    on_side,
    pose_mirror,
    with_counterparts,
)
from core.skeleton.stance import flipped

Parts = Iterable[int | str]


class Posing:
    """Edits of the pose on screen, each one undo step. They return whether they were possible.

    All hold the locks of the frame, stay inside the limits, and go into a key or a pending pose as any other edit.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

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
        return Gesture(self._document, text, edited)

    def set(
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
        taken: list[Layer] = []
        called = [text]

        def make() -> list[Command]:
            self._document.session.playback.playing = False
            model, session = self._document.model, self._document.session
            skeleton, mirror = edits.need_figure(model)[0], session.tools.mirror_editing
            holding = holding_of(model, session) if hold or mirror else None
            how: dict[str, Any] = {"mirror": mirror, "edited": edited, "fixed": fixed, "hold": hold}
            pose = edited_pose(skeleton, model.pose, q, holding, **how)
            layer = layer_edits.pose_layer(model, session)
            if session.keys.auto and layer is not None and model.pending is None:
                called[0] = f"{text} on layer {layer.name}"
                taken.append(layer)
                return layer_edits.posed(model, layer, model.frame, model.pose, pose)
            if session.keys.auto:
                many = ManyKeys.at(model, session, model.frame)
                made = None if many is None else many.commands(model.sequence_index, *self._on_keys(model.pose, pose))
                if many is not None and made is not None:
                    called[0] = many.text(text)
                    return made
                partners = PartnerEdit.of(model, session, model.frame) if hold else None
                pose, others = (pose, []) if partners is None else partners.posed(pose)
                wanted.append(pose)
                names = channels_to_key(session, skeleton, self._document.selection.joints, model.pose, pose)
                own = edits.key_pose(model, model.frame, pose, names) if names is None or names else []
                return [*own, *others]
            return edits.pend_pose(model, pose)

        done = self._document.do(lambda: called[0], make, gesture)
        if done and taken:
            layer_edits.show_taken(self._document, taken[0])
        if done and wanted and (said := key_note(self._document.model, wanted[0])):
            self._document.say("info", said)
        return done

    def _on_keys(self, before: Array, after: Array) -> tuple[Array, Array]:
        """Return what keys must say at the current frame for two poses to be seen through the layers."""
        model = self._document.model
        _, sequence = need_figure(model)
        shown = model.keyed_pose(model.frame)
        return sequence.base_for(model.frame, before, shown), sequence.base_for(model.frame, after, shown)

    # -- larger steps --------------------------------------------------------------------------------------------

    def _posed(self, text: str, make: Callable[[], tuple[Array, Iterable[int]]]) -> bool:
        """Set the pose that ``make`` returns with the places it is about; say why not if that is not possible."""
        try:
            need_figure(self._document.model)
            q, edited = make()
        except CoreError as error:
            self._document.say("warning", str(error).partition("\n")[0], str(error))
            return False
        if np.array_equal(q, self._document.pose):
            self._document.say("info", f"{text}: nothing changes")
            return False
        return self.set(q, text, edited=edited)

    def _numbers(self, joints: Parts | None) -> tuple[int, ...] | None:
        if joints is None:
            return None
        skeleton, _ = need_figure(self._document.model)
        return tuple(dict.fromkeys(skeleton.joint_index(joint) for joint in joints))

    # -- left and right ------------------------------------------------------------------------------------------

    def flip(self, joints: Parts | None = None, in_place: bool = True) -> bool:
        """Let left and right change places.

        Args:
            joints: Parts that change places with those across from them; parts in the middle turn round to the other
                side. None for the whole figure.
            in_place: Whether the figure stays where it stands and faces as it does; else it is mirrored at x = 0.
        """

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            chosen = self._numbers(joints)
            made = flipped(skeleton, self._document.pose, in_place)
            columns = np.arange(skeleton.nq)
            if chosen is not None:
                columns = columns_of(skeleton, with_counterparts(skeleton, chosen))
                whole, made = made, np.array(self._document.pose)
                made[columns] = whole[columns]
            return inside_limits(skeleton, made, columns), columns.tolist()

        done = self._posed("Flip pose" if joints is None else "Flip parts", make)
        return self._mirrored(done, self._numbers(joints) if done else ())

    def mirror(self, joints: Parts) -> bool:
        """Let the other side of parts do what they do."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            chosen = self._numbers(joints) or ()
            across = set(part_choice.other_side(skeleton, chosen))
            sources = [joint for joint in chosen if joint not in across]
            if not sources:
                why = "both sides are selected" if chosen and any(self._sided(chosen)) else "nothing here has a side"
                raise JointError(f"{why}; select what to mirror, on the left or on the right")
            return self._carried(sources)

        done = self._posed("Mirror to the other side", make)
        return self._mirrored(done, self._numbers(joints) if done else ())

    def mirror_side(self, side: str) -> bool:
        """Let the other side do what all of one does, ``"left"`` or ``"right"``."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            sources = on_side(skeleton, side)
            if not sources:
                raise JointError(f'figure "{skeleton.name}" has no {side} side')
            return self._carried(sources)

        done = self._posed(f"Mirror {side} side", make)
        skeleton = self._document.model.skeleton
        return self._mirrored(done, on_side(skeleton, side) if done and skeleton is not None else ())

    def _mirrored(self, done: bool, joints: Iterable[int] | None) -> bool:
        """Say which of some joints could not be mirrored, None for all; return ``done``."""
        skeleton = self._document.model.skeleton
        if done and skeleton is not None:
            across = None if joints is None else with_counterparts(skeleton, joints)
            left = [i for i in pose_mirror(skeleton).unmatched if across is None or i in across]
            if left:
                joint, other = (skeleton.joints[i] for i in (left[0], pose_mirror(skeleton).counterparts[left[0]]))
                kind = joint.curved.type_name if joint.curved is not None else "joint"
                others = len(left) - 1
                more = f" · so do{'es' * (others == 1)} {others} more" if others else ""
                whose = "its own reflection" if joint is other else f"the reflection of {spoken_name(other.name)}"
                text = f"{part_name(joint.name)} keeps its value: its {kind} is not {whose}{more}"
                self._document.say("info", text)
        return done

    def _sided(self, joints: Iterable[int]) -> list[bool]:
        skeleton, _ = need_figure(self._document.model)
        return [other != joint for joint in joints for other in part_choice.other_side(skeleton, [joint])]

    def _carried(self, joints: Iterable[int]) -> tuple[Array, Iterable[int]]:
        skeleton, _ = need_figure(self._document.model)
        columns = columns_of(skeleton, joints)
        both = columns_of(skeleton, with_counterparts(skeleton, joints))
        return inside_limits(skeleton, mirrored_over(skeleton, self._document.pose, columns), both), both.tolist()

    # -- between keys --------------------------------------------------------------------------------------------

    def begin_between(self, kind: str, joints: Parts | None = None) -> PosingGesture | None:
        """Begin to pose between neighbouring keys, live: ``set`` as often as it moves, then ``commit`` or ``cancel``.

        Args:
            kind: One of ``app.document.gestures.between_gesture.KINDS``.
            joints: Parts to pose; None for the whole figure.

        Returns:
            The gesture, or None if there are no keys to pose between; ``message`` has said so.
        """
        try:
            return PosingGesture(self._document, kind, self._numbers(joints))
        except CoreError as error:
            self._document.say("info", str(error))
            return None

    def pose_between(self, kind: str, amount: float, joints: Parts | None = None) -> bool:
        """Pose between neighbouring keys in one step; ``amount`` as ``PosingGesture.set`` takes it."""

        limits: list[str] = []

        def make() -> tuple[Array, Iterable[int]]:
            between = InBetween(self._document.model, kind, self._numbers(joints))
            pose = between.pose(self._document.pose, amount)
            limits.append(between.limits_reached())
            return pose, between.columns

        done = self._posed(title(kind, amount), make)
        if limits and limits[0]:
            self._document.say("info", limits[0])
        return done

    # -- rest ----------------------------------------------------------------------------------------------------

    def reset_groups(self, joints: Parts) -> bool:
        """Bring every part of the groups that some parts are in back to rest."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            columns = columns_of(skeleton, part_choice.whole_groups(skeleton, self._numbers(joints) or ()))
            q = np.array(self._document.pose)
            q[columns] = skeleton.rest_pose()[columns]
            return q, columns.tolist()

        return self._posed("Reset group to rest", make)

    def reset_place(self) -> bool:
        """Bring the root back to where it stands at rest; the figure keeps its pose, and faces as it does."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            q = np.array(self._document.pose)
            q[:3] = skeleton.rest_pose()[:3]
            return q, [0, 1, 2]

        return self._posed("Reset position of the figure", make)

    # -- copying -------------------------------------------------------------------------------------------------

    def copy(self, joints: Parts | None = None) -> PoseClip | None:
        """Put the pose of some parts on the clipboard, of the whole figure if None; return it. Not an edit."""
        try:
            skeleton, _ = need_figure(self._document.model)
            clip = PoseClip.of(skeleton, self._document.pose, self._numbers(joints))
        except CoreError as error:
            self._document.say("warning", str(error))
            return None
        pose_clip.put(clip)
        return clip

    def paste(
        self, clip: PoseClip | None = None, flipped: bool = False, in_place: bool = False, world: bool = False
    ) -> bool:
        """Paste a pose onto the parts it is of.

        Args:
            clip: The pose; None for the one on the clipboard.
            flipped: Onto the other side.
            in_place: The figure stays where it stands and faces as it does.
            world: Parts are turned in the world as they were when copied, as far as their joints can.
        """
        left: list[str] = []

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self._document.model)
            found = pose_clip.get() if clip is None else clip
            left.extend(found.missing(skeleton))
            return found.pasted(skeleton, self._document.pose, flipped, in_place, world)

        done = self._posed("Paste pose flipped" if flipped else "Paste pose", make)
        if done and left:
            more = f" and {len(left) - 3} more" if len(left) > 3 else ""
            missing = f"{', '.join(left[:3])}{more}"
            self._document.say("info", f"Pasted all but these, which this figure does not have: {missing}")
        return done
