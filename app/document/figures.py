"""The part of a document that edits the figure itself: its joints, its root; each call is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from app.document.base import DocumentBase
from app.document.changes import SelectionChanged
from app.document.commands.base import Command
from app.document.content.records import Figure
from app.document.edits import edits, figure_edits, skeleton_edits
from core.animation.channels import channels_of
from core.errors import CoreError
from core.joints import JointModel
from core.skeleton import Skeleton, SkeletonBuilder

if TYPE_CHECKING:
    from app.document.content.model import Model


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

    def edit(self, edit: Callable[[SkeletonBuilder], object], text: str, merge: str | None = None) -> bool:
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

        Between keys other joints are interpolated then, so poses there may change, and offsets of layers at joints
        between the two roots, which turn the other way round then, move the other side of the figure. The person is
        told so.
        """

        def make() -> list[Command]:
            self._document.session.playback.playing = False
            return skeleton_edits.rerooted(self._document.model, joint)

        skeleton = self._document.model.skeleton
        name = joint
        if skeleton is not None and not isinstance(joint, str) and 0 <= joint < len(skeleton.joints):
            name = skeleton.joint_names[joint]
        turned = _turned_layers(self._document.model, joint)
        done = self._document.do(f"Make {name} the root", make)
        sequences = [each for each in self._document.model.sequences if each.skeleton is self._document.model.skeleton]
        apart = any(b - a > 1 for each in sequences for a, b in pairwise(each.keys.frames))
        if done and turned and self._document.model.skeleton is not skeleton:
            which = f"layer {turned[0]}" if len(turned) == 1 else f"{len(turned)} layers"
            self._document.say(
                "warning",
                f"Offsets of {which} between the two roots move the other side of the figure now: look at the motion",
                "Keys stay as they are in the world. Joints between the old root and the new one hang the other way "
                "round, so that offsets at them no longer move what they moved. To keep the motion, undo, merge "
                "the layers into the keys, then make the joint the root.",
            )
        elif done and apart and self._document.model.skeleton is not skeleton:
            self._document.say("info", "Key poses stay as they are; poses between keys may change")
        return done

    # -- several figures -------------------------------------------------------------------------------------------

    def add(self, skeleton: Skeleton, text: str = "New figure", beside: bool = False) -> bool:
        """Put a new figure beside the others, with a sequence of its own, and make it active.

        Args:
            skeleton: The figure; it gets another name if there is one of its name.
            text: Name of the step.
            beside: Whether it gets a key at which it stands clear of the others.
        """
        from core.formats.project import source_of

        figure = Figure(skeleton, None, source_of(skeleton))
        return self._document.do(text, lambda: figure_edits.added(self._document.model, figure, beside))

    def duplicate(self, number: int) -> bool:
        """Put a copy of a figure, with its keys and locks, beside the others, and make it active."""
        text = f"Duplicate {self._name(number)}"
        return self._document.do(text, lambda: figure_edits.duplicated(self._document.model, number))

    def remove(self, number: int) -> bool:
        """Take a figure away, with its sequences and the locks of others that name it; the only one stays."""
        text = f"Remove {self._name(number)}"
        return self._document.do(text, lambda: figure_edits.removed(self._document.model, number))

    def rename(self, number: int, name: str) -> bool:
        """Give a figure another name; where another figure has it, the next number comes behind it."""
        before = self._name(number)
        done = self._document.do("Rename figure", lambda: figure_edits.renamed(self._document.model, number, name))
        after = self._name(number)
        if done and after != before:
            view = self._document.session.view
            view.hidden_figures, view.fixed_figures = (
                frozenset(after if each == before else each for each in names)
                for names in (view.hidden_figures, view.fixed_figures)
            )
            if after != name.strip():
                self._document.say("info", f'There is a "{name.strip()}" already; this one is called "{after}"')
        return done

    def show(self, number: int) -> bool:
        """Make a figure the one that is edited.

        Going from one to the next in a row is one step, and coming back to the first none; with an edit of the figure
        that comes right after it is one step.
        """
        document = self._document
        model = document.model
        if number == model.active.figure:
            return True
        gesture = document.leading or document.gesture_id()
        pending = model.pending
        document.session.playback.playing = document.session.playback.playing and pending is None
        done = document.do(f"Choose {self._name(number)}", lambda: figure_edits.shown(model, number), gesture)
        if done:
            document.session.forget_figure()
            if document.selection.forget():
                document.announce([SelectionChanged(joints=())])
            if pending is not None:
                document.say("info", f"Unkeyed pose at frame {pending.frame} dropped · Undo brings it back")
        return done

    def is_hidden(self, number: int) -> bool:
        """Whether a figure that is not active is left out of the views."""
        return self._name(number) in self._document.session.view.hidden_figures

    def is_fixed(self, number: int) -> bool:
        """Whether clicks in the views pass a figure by."""
        return self._name(number) in self._document.session.view.fixed_figures

    def _name(self, number: int) -> str:
        figures = self._document.model.figures
        return figures[number].skeleton.name if 0 <= number < len(figures) else "figure"

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


def _turned_layers(model: Model, joint: int | str) -> list[str]:
    """Return the names of the layers with offsets at joints between the root of the active figure and another one."""
    skeleton = model.skeleton
    try:
        at = -1 if skeleton is None else skeleton.joint_index(joint)
    except CoreError:
        return []  # what is wrong with it is said by the edit
    channels, between = None if skeleton is None else channels_of(skeleton), set[str]()
    while skeleton is not None and channels is not None and at >= 0:
        between.update(channels.of_joints([at]))
        at = skeleton.joints[at].parent
    return [
        layer.name
        for sequence in model.sequences
        if sequence.skeleton is skeleton
        for layer in sequence.layers
        if any(layer.takes(name) and len(layer.keys.channel_frames(name)) for name in between)
    ]
