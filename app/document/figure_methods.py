"""The part of ``Document`` that edits the figure itself: its joints, its root; each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from app.document import skeleton_edits
from app.document.commands import Command
from core.animation.channels import channels_of
from core.joints import JointModel
from core.skeleton import Skeleton, SkeletonBuilder

if TYPE_CHECKING:
    from app.document.model import Model
    from app.document.session import Session


class FigureMethods:
    """Edits of the figure. Each returns whether it was possible; if not, ``message`` has said why."""

    if TYPE_CHECKING:
        model: Model
        session: Session
        _merging: tuple[str, int] | None

        def gesture_id(self) -> int: ...
        def say(self, level: str, text: str, details: str = "") -> None: ...
        def _do(self, text: str, make: Callable[[], list[Command]], gesture: int | None = None) -> bool: ...

    def edit_figure(self, edit: Callable[[SkeletonBuilder], None], text: str, merge: str | None = None) -> bool:
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
            if self._merging is None or self._merging[0] != merge:
                self._merging = merge, self.gesture_id()
            gesture = self._merging[1]

        def make() -> list[Command]:
            self.session.playing = False
            return skeleton_edits.edited(self.model, edit)

        return self._do(text, make, gesture)

    def set_joint_type(self, name: str, model: JointModel | None, controls: object = None) -> bool:
        """Give a joint of the active figure a type.

        Of degrees of freedom that the new type does not have the keys lose what they hold; the person is told.

        Args:
            name: The joint.
            model: The type; None for a plain row of hinges and slides.
            controls: Control frames of a spline curve as files tell them, as in :class:`~core.skeleton.Joint`.
        """
        old, builders = self.model.skeleton, []

        def edit(builder: SkeletonBuilder) -> None:
            builder.set(name, type=model, controls=controls)
            builders.append(builder)

        keys = {id(each): each.keys for each in self.model.sequences if each.skeleton is old}
        done = self.edit_figure(edit, "Set the type")
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
                self.say("info", f"{held} of {names} · Undo brings them back")
        return done

    def reroot(self, joint: int | str) -> bool:
        """Make a joint the root of the active figure; every pose of every key stays as it is in the world.

        Between keys other joints are interpolated then, so poses there may change; the person is told.
        """

        def make() -> list[Command]:
            self.session.playing = False
            return skeleton_edits.rerooted(self.model, joint)

        skeleton = self.model.skeleton
        known = skeleton is not None and not isinstance(joint, str) and 0 <= joint < len(skeleton.joints)
        old = self.model.skeleton
        done = self._do(f"Make {skeleton.joint_names[joint] if known else joint} the root", make)
        sequences = [each for each in self.model.sequences if each.skeleton is self.model.skeleton]
        apart = any(b - a > 1 for each in sequences for a, b in pairwise(each.keys.frames))
        if done and apart and self.model.skeleton is not old:
            self.say("info", "Key poses stay as they are; poses between keys may change")
        return done

    def add_figure(self, skeleton: Skeleton, text: str = "New figure") -> bool:
        """Put a new figure beside the others, with an empty sequence, and show it."""
        return self._do(text, lambda: skeleton_edits.added(self.model, skeleton))
