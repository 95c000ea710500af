"""The camera of a shot as a camera of the scene that goes its way."""

from __future__ import annotations

import math

import numpy as np

from core.animation import Sequence
from core.animation.figure_way import FigureWay
from core.animation.shot_camera import CameraKey, CameraPath
from core.arrays import Array
from core.formats.exchange.scene import Node, Scene, SceneCamera, SceneClip, Track
from core.spatial.quaternion import from_matrix, one_side


def camera_frame(key: CameraKey) -> tuple[Array, Array]:
    """Return where the eye is, shape (3,), and its frame, which looks along -z with y up, shape (3, 3)."""
    sy, cy, sp, cp = math.sin(key.yaw), math.cos(key.yaw), math.sin(key.pitch), math.cos(key.pitch)
    back = np.array([sy * cp, sp, cy * cp])
    right = np.array([cy, 0.0, -sy])
    frame = np.column_stack([right, np.cross(back, right), back])
    return np.array(key.target) + key.distance * back, frame


def add_camera(scene: Scene, clip: SceneClip, sequence: Sequence, frames: Array) -> None:
    """Put the camera of a sequence into a scene, and its way into a clip; nothing happens where it has none.

    Args:
        scene: The scene.
        clip: The clip.
        sequence: The sequence.
        frames: The frame numbers of the clip's rows.
    """
    shot = sequence.camera
    if not shot.keys:
        return
    path = CameraPath(shot, FigureWay.of(sequence, shot.calm) if shot.follow > 0.0 else None)
    keys = [path.at(float(frame)) for frame in frames]
    places = [camera_frame(key) for key in keys]
    at = np.array([place for place, _ in places])
    turns = one_side(from_matrix(np.array([frame for _, frame in places])))
    name = f"{sequence.name} camera"
    scene.cameras.append(SceneCamera(name, keys[0].fov))
    scene.nodes.append(Node(name, -1, at[0], turns[0], camera=len(scene.cameras) - 1))
    clip.tracks[len(scene.nodes) - 1] = Track(at, turns)
    clip.fovs[len(scene.cameras) - 1] = np.array([key.fov for key in keys])
