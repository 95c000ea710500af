"""Bringing a pose onto the locks that hold at a frame, as every edit of the document does."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys
from app.document.content.records import sequence_for
from app.document.edits import edits
from app.document.edits.edits import need_figure
from app.document.edits.lock_states import hold_fully
from app.document.edits.timed_keys import SeenFrame
from core.animation.key import Key
from core.animation.locks.strip import LockStrip
from core.animation.retiming import made_key
from core.constraints.aiming import free_of_other
from core.constraints.lock import Lock
from core.errors import CoreError
from core.posing import pose_edit
from core.posing.partners import Partners
from core.posing.pose_edit import HeldLocks

if TYPE_CHECKING:
    from app.document.content.model import Model
    from app.document.session import Session
    from core.arrays import Array


def holds_edits(model: Model, session: Session, frame: int) -> bool:
    """Return whether edits of the pose at a frame have locks to hold."""
    return bool(session.locks.hold and hold_fully(model.active_locks(frame)))


def lock_options(session: Session) -> dict[str, Any]:
    """Return the keywords of ``solve_locks`` that say how to solve."""
    return {"method": session.locks.method, "comfort": session.locks.comfort}


def holding_of(model: Model, session: Session, always: bool = False, frame: int | None = None) -> HeldLocks | None:
    """Return which locks edits of the pose hold at a frame, and how; None if there are none.

    Args:
        model: The document's content.
        session: How to solve, and whether edits hold locks.
        always: Hold even if edits do not.
        frame: The frame; None for the current one.
    """
    if not (session.locks.hold or always):
        return None
    locks = hold_fully(model.active_locks(model.frame if frame is None else frame))
    together = partners_of(model, session, frame)
    if together:  # they hold among all of them, once this one has been posed
        locks = [lock for lock in locks if together.isdisjoint(lock.figures)]
    if not locks:
        return None
    firm, options = session.locks.hold_mode == "firm", lock_options(session)
    return HeldLocks(
        locks, model.other_figures(locks, frame), iterations=session.locks.iterations, firm=firm, **options
    )


def partners_of(model: Model, session: Session, frame: int | None = None) -> frozenset[str]:
    """Return the figures that an edit of the active one moves along at a frame, by name; none without automatic keys.

    Only one figure's pose can be pending, so that without these the others lead.
    """
    sequence, skeleton = model.sequence, model.skeleton
    if sequence is None or skeleton is None or sequence.ensemble is None:
        return frozenset()
    if not (session.locks.hold and session.keys.auto and sequence.tied):
        return frozenset()
    return sequence.ensemble.partners(model.frame if frame is None else frame, skeleton.name)


class PartnerEdit:
    """Edits of the active figure at a frame, and what they do to those that are solved together with it.

    Args:
        model: The document's content, as it is before the edit.
        session: How to solve.
        frame: The frame that is posed.
    """

    def __init__(self, model: Model, session: Session, frame: int):
        _, sequence = need_figure(model)
        assert sequence.ensemble is not None
        self._session = session
        self._name = sequence.skeleton.name
        self._system = system = sequence.ensemble.system(frame, self._name, whole=True)
        self._together = Partners(system, self._name)
        poses = system.joined.split(system.pose)
        self._others = {
            name: _Partner(model, name, frame, before)
            for name, before in zip(system.names, poses, strict=True)
            if name != self._name and name not in system.leaders
        }

    @classmethod
    def of(cls, model: Model, session: Session, frame: int) -> PartnerEdit | None:
        """Return what edits at a frame go through; None where no other figure moves along."""
        return cls(model, session, frame) if partners_of(model, session, frame) else None

    def posed(self, q: Array) -> tuple[Array, list[Command]]:
        """Return the pose of the active figure after an edit, shape (nq,), and what keys those of the others.

        The commands go from what was there when this was made, whatever the model shows meanwhile.

        Args:
            q: The pose that the edit makes by itself, shape (nq,).
        """
        system = self._system
        pose = self._together.posed(q, self._session.locks.comfort)
        commands: list[Command] = []
        own = q
        for name, after in zip(system.names, system.joined.split(pose), strict=True):
            if name == self._name:
                own = np.array(after)
            elif name in self._others:
                commands += self._others[name].keyed(np.array(after), self._session.keys.what == "changed")
        return own, commands


class _Partner:
    """Another figure than the one that is edited: what keys it at a frame, as it is when this is made.

    Args:
        model: The document's content, as it is before the edit.
        name: Which figure.
        frame: The frame that is posed, of the active sequence.
        shown: Its pose there, shape (nq,).
    """

    def __init__(self, model: Model, name: str, frame: int, shown: Array):
        number = next(k for k, figure in enumerate(model.figures) if figure.skeleton.name == name)
        self._index = model.active.sequences[number]
        self._sequence = sequence = model.sequences[self._index]
        assert model.sequence is not None
        self._frame = round(frame * sequence.fps / model.sequence.fps)
        self._shown = np.array(shown)
        self._seen_by_keys = sequence.interpolated_at_frames([self._frame])[0]
        self._base = sequence.base_at_frames([self._frame])[0] if sequence.layers else None
        self._timed = SeenFrame(sequence, self._frame) if sequence.timing.curves else None
        self._key = sequence.keys.at(self._frame)

    def keyed(self, q: Array, changed_only: bool) -> list[Command]:
        """Return what keys a pose, shape (nq,); nothing if the keys said so already."""
        sequence, names = self._sequence, None
        if np.array_equal(q, self._seen_by_keys):
            return []
        if self._base is not None:
            q = sequence.layered.without(self._frame, self._shown, self._base, q)
        if changed_only:
            changed = np.unique(sequence.channels.of_value[self._shown != q])
            names = frozenset(sequence.channels.names[k] for k in changed)
            if not names:
                return []
        if self._timed is not None:
            return self._timed.commands(self._index, q, names)
        key = made_key(sequence.channels, self._key, self._frame, q, names)
        if edits.same_bits(self._key, key):
            return []
        return [SetKeys(self._index, {self._frame: self._key}, {self._frame: key})]


def posing_options(model: Model, session: Session, q: Array, frame: int | None = None) -> dict[str, Any]:
    """Return the keywords of ``core.posing.DragSession`` and ``PartTurn`` that the session and the locks give.

    Args:
        model: The document's content.
        session: How to solve.
        q: Pose at press, shape (nq,).
        frame: The frame that is posed; None for the current one.
    """
    locks = holding_of(model, session, frame=frame) or ()
    how = session.solver.options(q, obstacles_for(model, session))
    return {"locks": locks, "mirror": session.tools.mirror_editing, **how}


def obstacles_for(model: Model, session: Session) -> list[Any]:
    """Return what limbs keep away from: the obstacles, rigid bodies and floor of the settings of physics.

    Nothing where the session does not use it, or the settings make no sense.
    """
    if session.solver.secondary != "obstacles":
        return []
    from core.dynamics.contact.shapes import Geometry  # dynamics brings scipy in
    from core.posing.scene_obstacles import scene_obstacles
    from core.preview.settings import PhysicsSettings

    try:
        settings = PhysicsSettings.from_record(model.physics)
    except CoreError:
        return []
    bodies = [Geometry(body.shape(), -1, body.X_WB, name=body.name) for body in settings.rigid_bodies]
    return scene_obstacles([*settings.world.geometries, *bodies], settings.floor if settings.terrain is None else None)


def held_pose(
    model: Model,
    session: Session,
    q: object,
    fixed: Iterable[int] = (),
    start: object = None,
    always: bool = False,
    frame: int | None = None,
) -> Array:
    """Return a pose projected onto the locks of a frame, as ``core.posing`` does it; as it is if none holds edits.

    In mirror editing what holds one side to the other holds the other way round as well, so that sides that are alike
    stay so.

    Args:
        model: The document's content.
        session: How to solve, and whether edits hold locks.
        q: Pose, shape (nq,), [m] and [rad].
        fixed: Places in the pose that were edited.
        start: Pose to stay near, shape (nq,); None for ``q`` itself.
        always: Hold even if edits do not.
        frame: The frame; None for the current one.

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    skeleton, _ = need_figure(model)
    pose, holding = skeleton.check_pose(q), holding_of(model, session, always, frame)
    if holding is None:
        return pose
    locks = holding.with_mirror_images(skeleton, model.pose) if session.tools.mirror_editing else None
    return pose_edit.held_pose(skeleton, pose, holding, fixed, None if start is None else np.asarray(start), locks)


def aimed(model: Model, session: Session, lock: Lock, instead_of: frozenset[str] = frozenset()) -> list[Command]:
    """Return what brings the pose on screen to where a new lock holds, beside those that hold already.

    What aims turns first, and what is aimed at stays; only if that is not enough do the joints turn that carry both.
    The pose is keyed or pending as after any other edit of it.

    Args:
        model: The document's content, without the new lock.
        session: How to solve, and whether edits make keys.
        lock: The new lock.
        instead_of: Kinds of locks of its part that it replaces.
    """
    from core.constraints.solve_locks import solve_locks

    skeleton, _ = need_figure(model)
    joint = skeleton.joint_index(lock.joint)
    others = [
        each for each in hold_fully(model.active_locks(model.frame))
        if each.kind not in instead_of or skeleton.joint_index(each.joint) != joint
    ]  # fmt: skip
    figures, options = model.other_figures([*others, lock]), lock_options(session)
    for eager in (free_of_other(lock, skeleton), lock):
        locks = [*others, eager]
        result = solve_locks(skeleton, model.pose, locks, figures=figures, **options)
        if not pose_edit.missed(locks, result):
            break
    return posed(model, session, result.q)


def posed(model: Model, session: Session, q: object) -> list[Command]:
    """Return the commands that show a pose at the current frame: as its key, or pending without automatic keys."""
    return edits.key_pose(model, model.frame, q) if session.keys.auto else edits.pend_pose(model, q)


def held_keys(
    model: Model, session: Session, keys: Iterable[Key], strips: Sequence[LockStrip], frames: Container[int]
) -> list[Key]:
    """Return keys, those at some frames brought onto the locks that there will be.

    Args:
        model: The document's content.
        session: How to solve, and whether edits hold locks.
        keys: Keys of the active sequence.
        strips: Its strips as they will be.
        frames: Frames of the keys to bring onto them.
    """
    from core.constraints.solve_locks import solve_locks

    skeleton, sequence = need_figure(model)
    if not session.locks.hold or not (strips or sequence.locks):
        return list(keys)
    trial = sequence_for(sequence, skeleton)
    keys = list(keys)
    trial.locks.strips, options, made = tuple(strips), lock_options(session), []
    if any(key.keyed is not None for key in keys):
        trial.set_keys(keys)
    for key in keys:
        locks = hold_fully(trial.locks.active(key.frame)) if key.frame in frames else []
        if locks:
            figures = model.other_figures(locks)
            key = replace(key, q=solve_locks(skeleton, trial.pose_of(key), locks, figures=figures, **options).q)
        made.append(key)
    return made
