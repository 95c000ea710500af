"""The part of a document that edits the figure itself: its joints, its root; each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import edits, skeleton_edits
from core.animation.channels import channels_of
from core.joints import JointModel
from core.skeleton import Skeleton, SkeletonBuilder


class Figures:
    """All figures, and edits of the active one.

    Each edit returns whether it was possible; if not, ``message`` has said why.
    """

    def __init__(self, document: DocumentBase):
        self._document = document
        self._merging: tuple[str, int, int] | None = None  # the word, the gesture's number, steps passed till then

    @property
    def all(self) -> tuple[Skeleton, ...]:
        """All figures."""
        return tuple(figure.skeleton for figure in self._document.model.figures)

    def edit(self, edit: Callable[[SkeletonBuilder], None], text: str, merge: str | None = None) -> bool:
        """Edit the active figure; keys of all its sequences and the pending pose are carried over.

        An edit that is not possible changes nothing, one that makes no difference leaves no step.

        Args:
            edit: Changes the builder it is given.
            text: Name of the step.
            merge: A word: an edit with the same word as the step just before becomes one with it. Use another
                word for each drag.
        """
        gesture = None
        if merge is not None:
            passes = self._document.passes
            if self._merging is None or (self._merging[0], self._merging[2]) != (merge, passes):
                self._merging = merge, self._document.gesture_id(), passes
            gesture = self._merging[1]

        def make() -> list[Command]:
            self._document.session.playback.playing = False
            return skeleton_edits.edited(self._document.model, edit)

        return self._document.do(text, make, gesture)

    def set_joint_type(self, name: str, model: JointModel | None, controls: object = None) -> bool:
        """Give a joint of the active figure a type.

        Of degrees of freedom that the new type does not have the keys lose what they hold; the person is told.

        Args:
            name: The joint.
            model: The type; None for a plain row of hinges and slides.
            controls: Control frames of a spline curve as files write them, as in :class:`~core.skeleton.Joint`.
        """
        old, builders = self._document.model.skeleton, []

        def edit(builder: SkeletonBuilder) -> None:
            builder.set(name, type=model, controls=controls)
            builders.append(builder)

        keys = {id(each): each.keys for each in self._document.model.sequences if each.skeleton is old}
        done = self.edit(edit, "Set the type")
        if done and old is not None and builders:
            kept = builders[-1].pose_map().columns
            gone = [k for k in range(3, old.nq) if k not in kept]
            channels, rest = channels_of(old), old.rest_pose()
            whose = [(k, channels.names[channels.of_value[k]]) for k in gone]
            count = sum(
                any(key.keys(channel) and key.q[k] != rest[k] for k, channel in whose)
                for each in keys.values()
                for key in each
            )
            if count:
                names = ", ".join(old.dof_labels[k - 3] or old.dof_names[k - 3].replace(".", " ") for k in gone)
                held = f"{count} key{'s' * (count != 1)} lost {'their' if count != 1 else 'its'} values"
                self._document.say("info", f"{held} of {names} · Undo brings them back")
        return done

    def reroot(self, joint: int | str) -> bool:
        """Make a joint the root of the active figure; every pose of every key stays as it is in the world.

        Between keys other joints are interpolated then, so poses there may change; the person is told.
        """

        def make() -> list[Command]:
            self._document.session.playback.playing = False
            return skeleton_edits.rerooted(self._document.model, joint)

        skeleton = self._document.model.skeleton
        known = skeleton is not None and not isinstance(joint, str) and 0 <= joint < len(skeleton.joints)
        old = self._document.model.skeleton
        done = self._document.do(f"Make {skeleton.joint_names[joint] if known else joint} the root", make)
        sequences = [each for each in self._document.model.sequences if each.skeleton is self._document.model.skeleton]
        apart = any(b - a > 1 for each in sequences for a, b in pairwise(each.keys.frames))
        if done and apart and self._document.model.skeleton is not old:
            self._document.say("info", "Key poses stay as they are; poses between keys may change")
        return done

    def add(self, skeleton: Skeleton, text: str = "New figure") -> bool:
        """Put a new figure beside the others, with an empty sequence, and show it."""
        return self._document.do(text, lambda: skeleton_edits.added(self._document.model, skeleton))

    # -- inverse kinematics ----------------------------------------------------------------------------------------

    def set_joint_value(self, joint: int | str, name: str, value: float, gesture: int | None = None) -> bool:
        """Set a joint's inverse-kinematics ``"weight"`` (0 to 1) or ``"resistance"`` (> 0)."""
        return self._document.do(
            f"Set {name}", lambda: edits.joint_change(self._document.model, joint, name, value), gesture
        )

    def set_joint_values(
        self, values: Mapping[int | str, Mapping[str, float]], text: str, gesture: int | None = None
    ) -> bool:
        """Set inverse-kinematics values of several joints as one step.

        Args:
            values: By joint: what ``set_joint_value`` takes, by name.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        return self._document.do(text, lambda: edits.joint_changes(self._document.model, values), gesture)
