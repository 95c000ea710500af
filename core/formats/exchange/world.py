"""The world around figures in a scene: ground, obstacles, and rigid bodies with the motion that was simulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from collections.abc import Sequence as Seq
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.formats.exchange.normals import unshared, with_normals
from core.formats.exchange.recording import Recording
from core.formats.exchange.scene import Color, Ints, Node, Part, Scene, SceneClip, SceneMesh, Track, trs_of
from core.spatial.quaternion import one_side, slerp

if TYPE_CHECKING:
    from core.formats.project import Project
    from core.preview.rigid_bodies import RigidBody

GROUND_COLOR: Color = (0.62, 0.64, 0.60)
OBSTACLE_COLOR: Color = (0.55, 0.57, 0.60)
RIGID_BODY_COLOR: Color = (0.80, 0.62, 0.40)


def add_world(scene: Scene, project: Project, recordings: Seq[tuple[SceneClip, Recording | None]]) -> None:
    """Put what stands around the figures of a project into its scene, and what moves freely.

    A body that is there for a part of the motion only stays where it was first seen before that, and where it was seen
    last after it.

    Args:
        scene: The scene, with its figures and clips.
        project: Its settings of physics say what is there.
        recordings: For each clip what was simulated, at the clip's frames, or None.

    Raises:
        DynamicsError: If the settings make no sense.
    """
    if not project.physics and all(each is None for _, each in recordings):
        return
    from core.dynamics.contact.shape_mesh import shape_mesh  # here, as the window starts without dynamics
    from core.preview import PhysicsSettings

    settings = PhysicsSettings.from_record(project.physics)
    terrain = settings.terrain
    if terrain is not None:
        scene.ground.append(_thing(scene, "ground", terrain.vertices, terrain.triangles, np.eye(4), GROUND_COLOR))
    for number, geometry in enumerate(settings.world.geometries):
        mesh = shape_mesh(geometry.shape)
        name = f"obstacle {number + 1}"
        triangles = mesh.triangles.astype(np.int64)
        scene.ground.append(_thing(scene, name, mesh.vertices, triangles, np.array(geometry.X_BS), OBSTACLE_COLOR))
    nodes: dict[Hashable, int] = {}
    known = [settings.rigid_bodies, *(recording.bodies for _, recording in recordings if recording is not None)]
    for key, body in (each for bodies in known for each in _named(bodies)):
        if key not in nodes:
            mesh = shape_mesh(body.shape())
            name = body.name or f"{body.kind} {len(nodes) + 1}"
            nodes[key] = _thing(
                scene, name, mesh.vertices, mesh.triangles.astype(np.int64), body.X_WB, RIGID_BODY_COLOR
            )
    for clip, recording in recordings:
        if recording is not None and recording.shown:
            _move(clip, recording, nodes)


def _named(bodies: Seq[RigidBody]) -> list[tuple[Hashable, RigidBody]]:
    """Return bodies, each with what is the same for it in the settings and in recordings of them."""
    found: list[tuple[Hashable, RigidBody]] = []
    times: Counter[Hashable] = Counter()
    for body in bodies:
        motion = tuple(each.tobytes() for each in (body.position, body.rotation, body.velocity, body.spin))
        alike = (body.kind, body.size, body.name, motion)
        found.append(((alike, times[alike]), body))
        times[alike] += 1
    return found


def _thing(scene: Scene, name: str, points: Array, triangles: Ints, frame: Array, color: Color) -> int:
    """Add a node with a mesh, and return its number."""
    corners, normals = with_normals(points, np.asarray(triangles, dtype=np.int64))
    old, rows, normal = unshared(points, np.asarray(triangles, dtype=np.int64), corners, normals)
    label = "#{:02x}{:02x}{:02x}".format(*(round(255 * c) for c in color))
    scene.meshes.append(SceneMesh(name, [Part(points[old], rows, normal, color, label)]))
    place, turn, _ = trs_of(frame)
    scene.nodes.append(Node(name, -1, place, turn, mesh=len(scene.meshes) - 1))
    return len(scene.nodes) - 1


def _move(clip: SceneClip, recording: Recording, nodes: dict[Hashable, int]) -> None:
    """Let bodies go their way in a clip, straight from one sample to the next, as figures do."""
    for number, (key, _) in enumerate(_named(recording.bodies)):
        seen = [row for row, shown in enumerate(recording.shown) if number in shown]
        if not seen:
            continue
        frames = np.array([recording.placed[row][recording.shown[row].index(number)] for row in seen])
        places, turns, _ = trs_of(frames)
        at, turns = recording.frames[seen], one_side(turns)
        now = np.clip(np.arange(clip.count, dtype=np.float64), at[0], at[-1])
        before = np.clip(np.searchsorted(at, now, side="right") - 1, 0, max(len(at) - 2, 0))
        after = np.minimum(before + 1, len(at) - 1)
        share = (now - at[before]) / np.where(after > before, at[after] - at[before], 1.0)
        between = (1.0 - share[:, None]) * places[before] + share[:, None] * places[after]
        clip.tracks[nodes[key]] = Track(between, one_side(slerp(turns[before], turns[after], share)))
