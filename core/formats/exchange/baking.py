"""A project as a scene: joints as nodes, motion taken down frame by frame as it shows.

What no other program knows of a motion is in it all the same: splines of quaternions, locks, layers, cycles, timing and
physics are worked out at every frame, between which others go straight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.exchange.bodies import add_bodies
from core.formats.exchange.cameras import add_camera
from core.formats.exchange.clips import clip_groups, clock, link_group
from core.formats.exchange.physics import shown_poses
from core.formats.exchange.record import record_of
from core.formats.exchange.recording import Recording
from core.formats.exchange.scene import Node, Scene, SceneClip, Track
from core.formats.exchange.world import add_world
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.skeleton.frames import local_frame
from core.skeleton.helper_joints import PARTS, helper_joints, with_helpers
from core.skeleton.skin import bind_frames
from core.spatial.quaternion import from_matrix, one_side

MOST_ROWS = 20_000_000
"""Frames times nodes of one clip: more would fill a machine's memory."""
_CHUNK = 256  # frames at a time
_STILL = 1e-9  # [m]


@dataclass
class _Placed:
    """A figure in the scene: the nodes of its joints and of its helper joints, and what they hang on, by row."""

    figure: Skeleton
    joints: list[int]
    above: list[int]


def scene_of(project: Project, file: str, progress: Progress | None = None) -> Scene:
    """Return the scene of a project.

    Args:
        project: The project.
        file: Name of the file that is written, for messages.
        progress: Told what is done.

    Raises:
        FormatError: If there is no figure, or a motion is too long.
        Cancelled: If ``progress`` did so.
    """
    if not project.figures:
        raise FormatError(Problem(file, 0, 0, "a scene holds figures, and the project has none"))
    scene = Scene()
    placed = [_add_figure(scene, figure) for figure in project.figures]
    groups = clip_groups(project)
    recordings = []
    for number, group in enumerate(groups):
        here = part(progress, number / len(groups), (number + 1) / len(groups))
        given = project.recordings[number] if number < len(project.recordings) else None
        recordings.append(_add_clip(scene, placed, group, project, given, file, here))
    try:
        add_world(scene, project, recordings)
    except CoreError as error:
        raise FormatError(Problem(file, 0, 0, str(error).partition("\n")[0])) from None
    scene.record = record_of(project, groups, file)
    report(progress, 1.0)
    return scene


def _add_figure(scene: Scene, s: Skeleton) -> _Placed:
    holder = len(scene.nodes)
    scene.nodes.append(Node(s.name))
    scene.figures.append(holder)
    nodes: list[int] = []
    above: list[int] = []
    for joint in s.joints:
        local = local_frame(joint, np.zeros(len(joint.dofs)))
        turn = from_matrix(local[:3, :3] / joint.scale)
        parent = holder if joint.parent < 0 else nodes[joint.parent]
        nodes.append(len(scene.nodes))
        above.append(joint.parent)
        scene.nodes.append(Node(joint.name, parent, local[:3, 3].copy(), turn, np.array(joint.scale)))
    helpers = helper_joints(s)
    bind = with_helpers(s, bind_frames(s))
    for row, (joint_number, parent_number) in enumerate(zip(helpers.joints, helpers.parents, strict=True)):
        for k in range(PARTS - 1):
            local = np.linalg.inv(bind[parent_number]) @ bind[len(s.joints) + row * (PARTS - 1) + k]
            name = f"{s.joints[joint_number].name} twist {k + 1}"
            nodes.append(len(scene.nodes))
            above.append(int(parent_number))
            scene.nodes.append(
                Node(name, nodes[parent_number], local[:3, 3].copy(), from_matrix(local[:3, :3]), np.ones(3))
            )
    add_bodies(scene, s, holder, nodes)
    return _Placed(s, nodes, above)


def _add_clip(
    scene: Scene,
    placed: list[_Placed],
    group: list[Sequence],
    project: Project,
    given: Recording | None,
    file: str,
    progress: Progress | None,
) -> tuple[SceneClip, Recording | None]:
    """Put a motion into the scene; figures that it does not move stay at rest.

    Args:
        given: What was simulated of it, at frames of its first sequence; None if that is still to be done.

    Returns:
        The clip, and what was simulated, at the clip's own frames.
    """
    time = clock(group, file)
    count = time.count
    rows = count * max(len(each.joints) for each in placed)
    if rows > MOST_ROWS:
        message = f"the motion has {count} frames of {rows // count} joints each; of so many none is written"
        raise FormatError(Problem(file, 0, 0, message))
    clip = SceneClip(group[0].name, time.rate, count)
    link_group(group)
    simulated = None if given is None else given.at((given.frames - time.starts[0]) / time.steps[0])
    for number, (sequence, first, step) in enumerate(zip(group, time.starts, time.steps, strict=True)):
        here = part(progress, number / len(group), (number + 1) / len(group))
        frames = first + step * np.arange(count, dtype=np.float64)
        others = [other for other in group if other is not sequence]
        q, own = shown_poses(sequence, frames, project.physics, others, part(here, 0.0, 0.7))
        if simulated is None and own is not None:
            simulated = own.at((own.frames - first) / step)
        found = next(each for each in placed if each.figure is sequence.skeleton)
        _add_tracks(scene, clip, found, q, part(here, 0.7, 1.0))
        scene.poses.append(q)
        add_camera(scene, clip, sequence, frames)
    scene.clips.append(clip)
    return clip, simulated


def _add_tracks(scene: Scene, clip: SceneClip, placed: _Placed, q: Array, progress: Progress | None) -> None:
    s, n = placed.figure, len(placed.joints)
    scales = np.ones((n, 3))
    scales[: len(s.joints)] = [joint.scale for joint in s.joints]
    above = np.array(placed.above)
    places, turns = np.empty((len(q), n, 3)), np.empty((len(q), n, 4))
    for start in range(0, len(q), _CHUNK):
        report(progress, start / len(q))
        worlds = with_helpers(s, forward_kinematics(s, q[start : start + _CHUNK]))
        local = worlds.copy()
        inside = above >= 0
        local[:, inside] = np.linalg.inv(worlds[:, above[inside]]) @ worlds[:, inside]
        places[start : start + _CHUNK] = local[..., :3, 3]
        turns[start : start + _CHUNK] = from_matrix(local[..., :3, :3] / scales[:, None, :])
    for row, number in enumerate(placed.joints):
        node = scene.nodes[number]
        moves = row == 0 or float(np.abs(places[:, row] - node.translation).max(initial=0.0)) > _STILL
        turn = one_side(turns[:, row])
        if turn[0] @ node.rotation < 0.0:
            turn = -turn
        turned = row == 0 or math.sqrt(float(((turn - node.rotation) ** 2).sum(axis=1).max(initial=0.0))) > _STILL
        if moves or turned:
            clip.tracks[number] = Track(places[:, row] if moves else None, turn if turned else None)
