"""Figures that hold things and each other for a while: how a grip begins and ends without a jump.

A grip is a lock strip of the hand that names the other figure, and both give way to it: a prop goes with the hands and
the hands with the prop. At both of its ends everybody who is solved together gets a key of the pose that is shown, so
that what comes before and after is what was keyed, and what is let go stays where it was left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetHybridStrips, SetKeys
from app.document.content.model import Model
from app.document.edits import edits, figure_edits
from app.document.edits.edits import need_figure, strips_put
from core.animation.hybrid_strips import HybridStrip, checked_hybrid_strips
from core.animation.locks.strip import LockStrip
from core.arrays import Array
from core.constraints import Lock, bind
from core.errors import LockError
from core.kinematics import forward_kinematics
from core.skeleton.joined import is_prop
from core.skeleton.segment import end_effector

Commands = list[Command]

JUST_BEFORE = 0.01
"""Over how long the speed is taken with which something comes to a frame, [frames]."""
RESTS = 0.05
"""What is slower than this when it is let go is not thrown, it falls, [m/s]."""


def holding(model: Model, joints: Iterable[int], number: int) -> tuple[Commands, list[str]]:
    """Return the commands that let parts of the active figure hold another one from the current frame on.

    What is held stays where it is. Of a prop the parts keep place and orientation; of another figure each keeps its
    place on the part that is nearest to it, and may turn.

    Args:
        model: The document's content.
        joints: The parts.
        number: Which figure they hold.

    Returns:
        The commands, and the names of the parts of the other figure, one for each joint.

    Raises:
        LockError: If there is no part, a part holds that figure already, or the figure is the active one.
    """
    skeleton, sequence = need_figure(model)
    figure, chosen = figure_edits.checked(model, number).skeleton, list(joints)
    if number == model.active.figure:
        raise LockError(f'"{skeleton.name}" cannot hold itself; lock one of its parts to another instead')
    if not chosen:
        raise LockError(f"select what holds {figure.name} first, such as one hand or both")
    held = {skeleton.joint_index(strip.lock.joint) for _, strip in _grips_of(model, model.active.figure, number)}
    for joint in chosen:
        if joint in held:
            raise LockError(f"{skeleton.joint_names[joint]} holds {figure.name} already")
    strips, parts = [], []
    own, others = model.pose, model.other_figures()
    there = forward_kinematics(figure, others[figure.name][1])
    for joint in chosen:
        lock, part = _grip(model, joint, figure.name, there)
        strips.append(LockStrip(bind(lock, skeleton, own, others), model.frame))
        parts.append(part)
    put = strips_put(model, model.sequence_index, (*sequence.locks.strips, *strips))
    together = {model.active.figure, number, *_partners(model, model.active.figure), *_partners(model, number)}
    return [*keyed_here(model, together), *put], parts


def _grip(model: Model, joint: int, name: str, there: Array) -> tuple[Lock, str]:
    """Return the unbound lock of a part on another figure, whose joints' frames are given, and the part it holds."""
    skeleton, _ = need_figure(model)
    figure, _ = model.other_figures()[name]
    point = end_effector(skeleton, joint)
    X = forward_kinematics(skeleton, model.pose)[joint]
    place = X[:3, :3] @ point + X[:3, 3]
    if is_prop(figure):
        other = (name, figure.joint_names[0], (0.0, 0.0, 0.0))
        return Lock(skeleton.joint_names[joint], "carry", point, other=other, mutual=True), figure.joint_names[0]
    middles = [there[k, :3, :3] @ end_effector(figure, k) + there[k, :3, 3] for k in range(len(figure.joints))]
    nearest = min(range(len(middles)), key=lambda k: float(((middles[k] - place) ** 2).sum()))
    on_it = there[nearest, :3, :3].T @ (place - there[nearest, :3, 3])
    other = (name, figure.joint_names[nearest], tuple(on_it.tolist()))
    made = Lock(skeleton.joint_names[joint], "point_pair", point, (0.0, 0.0, 0.0), other, mutual=True)
    return made, figure.joint_names[nearest]


def letting_go(model: Model, joints: Iterable[int]) -> tuple[Commands, list[int]]:
    """Return the commands that end grips at the current frame; what is let go stays where it is.

    Args:
        model: The document's content.
        joints: Parts of the active figure that let go; all of them where none of these holds anything. Where the active
            figure is what is held, all that hold it let go.

    Returns:
        The commands, and the numbers of the figures that are let go.

    Raises:
        LockError: If nothing is held here.
    """
    skeleton, _ = need_figure(model)
    active, chosen = model.active.figure, set(joints)
    own = _grips_of(model, active)
    ending = [each for each in own if skeleton.joint_index(each[1].lock.joint) in chosen] or own
    if not ending:
        for owner in range(len(model.figures)):
            if owner != active:
                ending += _grips_of(model, owner, active)
    if not ending:
        raise LockError(f"{skeleton.name} holds nothing at frame {model.frame}")
    together = {active, *_partners(model, active)}
    commands = keyed_here(model, together)
    going, frame = {strip.id for _, strip in ending}, model.frame
    let_go: dict[int, None] = {}
    for owner in dict.fromkeys(number for number, _ in ending):
        index = model.active.sequences[owner]
        before = model.sequences[index].locks.strips
        after = tuple(
            replace(strip, end=frame) if strip.id in going else strip
            for strip in before
            if strip.id not in going or strip.start < frame
        )
        commands += strips_put(model, index, after)
    for _, strip in ending:
        let_go[_named(model, strip)] = None
    return commands, list(let_go)


def throwing(model: Model, joints: Iterable[int]) -> tuple[Commands, list[int]]:
    """Return the commands that end grips at the current frame and let forces move what is let go from there on.

    It flies off with the velocity that it came with, and is the one that is edited then.

    Raises:
        LockError: If nothing is held here, or what is held is no prop.
        SequenceError: If forces move it at some time already.
    """
    commands, let_go = letting_go(model, joints)
    props = [number for number in let_go if is_prop(model.figures[number].skeleton)]
    if not props:
        raise LockError("only a prop can be thrown; hold one first")
    for number in props:
        index, skeleton = model.active.sequences[number], model.figures[number].skeleton
        sequence = model.sequences[index]
        strips = (*sequence.hybrid_strips, HybridStrip((), model.frame))
        checked_hybrid_strips(strips, skeleton, f'sequence "{sequence.name}"')
        commands.append(SetHybridStrips(index, sequence.hybrid_strips, strips))
    return [*commands, *figure_edits.shown(model, props[0])], props


def holds_something(model: Model) -> bool:
    """Return whether the active figure holds another one at the current frame, or is held."""
    active = model.active.figure
    if model.skeleton is None or len(model.figures) < 2:
        return False
    return any(_grips_of(model, owner, None if owner == active else active) for owner in range(len(model.figures)))


def held_by(model: Model, number: int) -> list[tuple[int, str]]:
    """Return what holds a figure at the current frame: numbers of other figures and names of their parts."""
    if len(model.figures) < 2:
        return []
    owners = [k for k in range(len(model.figures)) if k != number]
    return [(owner, str(strip.lock.joint)) for k in owners for owner, strip in _grips_of(model, k, number)]


def speed_of(model: Model, number: int) -> float:
    """Return how fast the root of a figure moves as it comes to the current frame, [m/s]."""
    sequence, frame = model.sequences[model.active.sequences[number]], _frame_of(model, number)
    first = sequence.keys[0].frame if sequence.keys else frame
    if frame <= first:
        return 0.0
    places = sequence.poses_at_frames([frame - JUST_BEFORE, frame])[:, :3]
    return float(np.linalg.norm(places[1] - places[0])) * sequence.fps / JUST_BEFORE


def keyed_here(model: Model, figures: Iterable[int]) -> Commands:
    """Return what keys figures, by their numbers, as they are shown at the current frame."""
    commands: Commands = []
    for number in sorted(figures):
        if number == model.active.figure:
            commands += edits.key_pose(model, model.frame, model.pose)
            continue
        index = model.active.sequences[number]
        sequence, frame = model.sequences[index], _frame_of(model, number)
        old, key = sequence.keys.at(frame), edits.posed_key(sequence, frame, model.figure_pose(number, model.frame))
        if not edits.same_bits(old, key):
            commands.append(SetKeys(index, {frame: old}, {frame: key}))
    return commands


def _frame_of(model: Model, number: int) -> int:
    """Return the frame of a figure's own sequence that is shown now."""
    active = model.sequence
    assert active is not None
    return round(model.frame * model.sequences[model.active.sequences[number]].fps / active.fps)


def _partners(model: Model, number: int) -> set[int]:
    """Return the numbers of the figures that are solved together with one at the current frame."""
    sequence = model.sequences[model.active.sequences[number]]
    if sequence.ensemble is None:
        return set()
    names = sequence.ensemble.partners(_frame_of(model, number), sequence.skeleton.name)
    return {k for k, figure in enumerate(model.figures) if figure.skeleton.name in names}


def _named(model: Model, strip: LockStrip) -> int:
    assert strip.lock.second is not None
    name = strip.lock.second[0]
    return next(k for k, figure in enumerate(model.figures) if figure.skeleton.name == name)


def _grips_of(model: Model, owner: int, held: int | None = None) -> list[tuple[int, LockStrip]]:
    """Return (owner, strip) of the grips of a figure at the current frame that go on after it, or began at it.

    Args:
        model: The document's content.
        owner: Number of the figure.
        held: Number of the figure that they hold; None for any.
    """
    frame = _frame_of(model, owner)
    names = {figure.skeleton.name: k for k, figure in enumerate(model.figures)}
    found = []
    for strip in model.sequences[model.active.sequences[owner]].locks.strips:
        second = strip.lock.second
        if second is None or second[0] not in names or not strip.lock.mutual:
            continue
        goes_on = strip.covers(frame) and (strip.start == frame or strip.end != frame)
        if goes_on and held in (None, names[second[0]]):
            found.append((owner, strip))
    return found
