"""The part of ``Document`` that poses in larger steps: flip, mirror, break down, reset, copy and paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from app.document import part_choice, pose_clip
from app.document.edits import need_figure
from app.document.pose_clip import PoseClip
from app.document.posing_gesture import InBetween, PosingGesture, title
from core.errors import CoreError, JointError
from core.posing.pose_edit import inside_limits
from core.skeleton.mirroring.sides import columns_of, mirrored_over, on_side, with_counterparts
from core.skeleton.stance import flipped

if TYPE_CHECKING:
    from app.document.model import Array, Model

Parts = Iterable[int | str]


class PosingMethods:
    """Edits of the pose on screen, each one undo step. They return whether they were possible.

    All hold the locks of the frame, stay inside the limits, and go into a key or a pending pose as any other edit.
    """

    if TYPE_CHECKING:
        model: Model

        @property
        def pose(self) -> Array: ...
        def say(self, level: str, text: str, details: str = "") -> None: ...
        def set_pose(self, q: object, text: str = "Pose", *, edited: Iterable[int] | None = None) -> bool: ...

    def _posed(self, text: str, make: Callable[[], tuple[Array, Iterable[int]]]) -> bool:
        """Set the pose that ``make`` returns with the places it is about; say why not if that is not possible."""
        try:
            need_figure(self.model)
            q, edited = make()
        except CoreError as error:
            self.say("warning", str(error).partition("\n")[0], str(error))
            return False
        if np.array_equal(q, self.pose):
            self.say("info", f"{text}: nothing changes")
            return False
        return self.set_pose(q, text, edited=edited)

    def _numbers(self, joints: Parts | None) -> tuple[int, ...] | None:
        if joints is None:
            return None
        skeleton, _ = need_figure(self.model)
        return tuple(dict.fromkeys(skeleton.joint_index(joint) for joint in joints))

    # -- left and right ------------------------------------------------------------------------------------------

    def flip_pose(self, joints: Parts | None = None, in_place: bool = True) -> bool:
        """Let left and right change places.

        Args:
            joints: Parts that change places with those across from them; parts in the middle turn round to the other
                side. None for the whole figure.
            in_place: Whether the figure stays where it stands and faces as it does; else it is mirrored at x = 0.
        """

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self.model)
            chosen = self._numbers(joints)
            made = flipped(skeleton, self.pose, in_place)
            columns = np.arange(skeleton.nq)
            if chosen is not None:
                columns = columns_of(skeleton, with_counterparts(skeleton, chosen))
                whole, made = made, np.array(self.pose)
                made[columns] = whole[columns]
            return inside_limits(skeleton, made, columns), columns.tolist()

        return self._posed("Flip pose" if joints is None else "Flip parts", make)

    def mirror_pose(self, joints: Parts) -> bool:
        """Let the other side of parts do what they do."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self.model)
            chosen = self._numbers(joints) or ()
            across = set(part_choice.other_side(skeleton, chosen))
            sources = [joint for joint in chosen if joint not in across]
            if not sources:
                why = "both sides are selected" if chosen and any(self._sided(chosen)) else "nothing here has a side"
                raise JointError(f"{why}; select what to mirror, on the left or on the right")
            return self._carried(sources)

        return self._posed("Mirror to the other side", make)

    def mirror_side(self, side: str) -> bool:
        """Let the other side do what all of one does, ``"left"`` or ``"right"``."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self.model)
            sources = on_side(skeleton, side)
            if not sources:
                raise JointError(f'figure "{skeleton.name}" has no {side} side')
            return self._carried(sources)

        return self._posed(f"Mirror {side} side", make)

    def _sided(self, joints: Iterable[int]) -> list[bool]:
        skeleton, _ = need_figure(self.model)
        return [other != joint for joint in joints for other in part_choice.other_side(skeleton, [joint])]

    def _carried(self, joints: Iterable[int]) -> tuple[Array, Iterable[int]]:
        skeleton, _ = need_figure(self.model)
        columns = columns_of(skeleton, joints)
        both = columns_of(skeleton, with_counterparts(skeleton, joints))
        return inside_limits(skeleton, mirrored_over(skeleton, self.pose, columns), both), both.tolist()

    # -- between keys --------------------------------------------------------------------------------------------

    def begin_between(self, kind: str, joints: Parts | None = None) -> PosingGesture | None:
        """Begin to pose between neighbouring keys, live: ``set`` as often as it moves, then ``commit`` or ``cancel``.

        Args:
            kind: One of ``app.document.posing_gesture.KINDS``.
            joints: Parts to pose; None for the whole figure.

        Returns:
            The gesture, or None if there are no keys to pose between; ``message`` has said so.
        """
        try:
            return PosingGesture(self, kind, self._numbers(joints))  # type: ignore[arg-type]
        except CoreError as error:
            self.say("info", str(error))
            return None

    def pose_between(self, kind: str, amount: float, joints: Parts | None = None) -> bool:
        """Pose between neighbouring keys in one step; ``amount`` as ``PosingGesture.set`` takes it."""

        told: list[str] = []

        def make() -> tuple[Array, Iterable[int]]:
            between = InBetween(self.model, kind, self._numbers(joints))
            pose = between.pose(self.pose, amount)
            told.append(between.told())
            return pose, between.columns

        done = self._posed(title(kind, amount), make)
        if told and told[0]:
            self.say("info", told[0])
        return done

    # -- rest ----------------------------------------------------------------------------------------------------

    def reset_groups(self, joints: Parts) -> bool:
        """Bring every part of the groups that some parts are in back to rest."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self.model)
            columns = columns_of(skeleton, part_choice.whole_groups(skeleton, self._numbers(joints) or ()))
            q = np.array(self.pose)
            q[columns] = skeleton.rest_pose()[columns]
            return q, columns.tolist()

        return self._posed("Reset group to rest", make)

    def reset_place(self) -> bool:
        """Bring the root back to where it stands at rest; the figure keeps its pose, and faces as it does."""

        def make() -> tuple[Array, Iterable[int]]:
            skeleton, _ = need_figure(self.model)
            q = np.array(self.pose)
            q[:3] = skeleton.rest_pose()[:3]
            return q, [0, 1, 2]

        return self._posed("Reset position of the figure", make)

    # -- copying -------------------------------------------------------------------------------------------------

    def copy_pose(self, joints: Parts | None = None) -> PoseClip | None:
        """Put the pose of some parts on the clipboard, of the whole figure if None; return it. Not an edit."""
        try:
            skeleton, _ = need_figure(self.model)
            clip = PoseClip.of(skeleton, self.pose, self._numbers(joints))
        except CoreError as error:
            self.say("warning", str(error))
            return None
        pose_clip.put(clip)
        return clip

    def paste_pose(
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
            skeleton, _ = need_figure(self.model)
            found = pose_clip.get() if clip is None else clip
            left.extend(found.missing(skeleton))
            return found.pasted(skeleton, self.pose, flipped, in_place, world)

        done = self._posed("Paste pose flipped" if flipped else "Paste pose", make)
        if done and left:
            more = f" and {len(left) - 3} more" if len(left) > 3 else ""
            self.say("info", f"Pasted all but these, which this figure does not have: {', '.join(left[:3])}{more}")
        return done
