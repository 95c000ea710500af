"""Cameras there and back: that of a shot as a node that goes its way, and such a node as the camera of a shot."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.animation import Sequence
from core.animation.figure_way import FigureWay
from core.animation.shot_camera import EVEN, NO_CAMERA, CameraKey, CameraPath, ShotCamera
from core.arrays import Array
from core.formats.exchange.scene import Node, Scene, SceneCamera, SceneClip, Track
from core.spatial.quaternion import from_matrix, one_side

_ROLLED = 0.02  # [rad]: a picture that is more aslant than this is worth a word
_STEEP = 0.999  # of the direction upwards: where the heading is that of the picture's lower edge
_NEAR, _FAR = 0.2, 9e3  # [m]: how far what a camera looks at may be from it
_USUAL = 3.0  # [m]
_STRAIGHT, _TURNED = 5e-4, 3e-4  # how far the way may be from straight between two keys, [m] and [rad]


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


def shot_of(scene: Scene, clip: SceneClip, whole: Array, figure: Array | None) -> tuple[ShotCamera, str]:
    """Return the camera of a scene in a clip as that of a shot: the first one that moves, else the first there is.

    A camera here has a level horizon, so that a picture that is aslant is set upright. Between its keys, of which there
    are as few as keep to its way, it goes straight. It looks at what it sees in the distance of the figure.

    Args:
        scene: The scene.
        clip: The clip.
        whole: What takes the scene to metres with y up, shape (4, 4).
        figure: The middle of the figure in the first frame, shape (3,), [m]; None if nobody knows.

    Returns:
        The camera, none of its keys where the scene has no camera, and what had to be left out of it, or "".
    """
    cameras = [number for number, node in enumerate(scene.nodes) if node.camera is not None]
    if not cameras:
        return NO_CAMERA, ""
    worlds = {number: _worlds(scene, clip, number, whole) for number in cameras}
    number = next((each for each in cameras if len(worlds[each]) > 1), cameras[0])
    frames, kind = worlds[number], scene.nodes[number].camera
    assert kind is not None
    fovs = clip.fovs.get(kind, np.array([scene.cameras[kind].fov]))
    count = clip.count if len(frames) > 1 or len(fovs) > 1 else 1
    axes = frames[:, :3, :3] / np.linalg.norm(frames[:, :3, :3], axis=1, keepdims=True)
    eyes, right, back = (np.broadcast_to(each, (count, 3)) for each in (frames[:, :3, 3], axes[..., 0], axes[..., 2]))
    fovs = np.clip(np.broadcast_to(fovs, (count,)), 0.01, 3.0)
    steep = np.abs(back[:, 1]) > _STEEP
    yaw = np.unwrap(np.where(steep, np.arctan2(-right[:, 2], right[:, 0]), np.arctan2(back[:, 0], back[:, 2])))
    pitch = np.clip(np.arcsin(np.clip(back[:, 1], -1.0, 1.0)), -1.57, 1.57)
    away = _USUAL if figure is None else float((eyes[0] - figure) @ back[0])
    away = min(away, _FAR) if away > _NEAR else _USUAL
    ahead = np.column_stack([np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
    rows = np.column_stack([eyes - away * ahead, yaw, pitch, fovs])
    if not np.isfinite(rows).all() or np.abs(rows[:, :3]).max() > _FAR:
        return NO_CAMERA, f'camera "{scene.nodes[number].name}" is too far away, and was left out'
    rolled = float(np.abs(np.arcsin(np.clip(right[~steep, 1], -1.0, 1.0))).max(initial=0.0))
    note = f'camera "{scene.nodes[number].name}" is aslant by up to {math.degrees(rolled):.0f}°, which was left out'
    keys = []
    for k in _bends(rows):
        x, y, z, turn, rise, fov = rows[k].tolist()
        keys.append(CameraKey(k, (x, y, z), away, turn, rise, fov, EVEN))
    return ShotCamera(tuple(keys)), note if rolled > _ROLLED else ""


def _worlds(scene: Scene, clip: SceneClip, number: int, whole: Array) -> Array:
    """Return a node's frames in the world over a clip, shape (m, 4, 4), or (1, 4, 4) for one that stays."""
    frames = np.eye(4)[None]
    at = number
    while at >= 0:
        frames = scene.local_frames(at, clip, slice(0, clip.count)) @ frames
        at = scene.nodes[at].parent
    frames = whole @ frames
    return frames[:1] if float(np.abs(frames - frames[:1]).max()) < _STRAIGHT else frames


def _bends(rows: Array) -> list[int]:
    """Return the rows between which all others lie straight, by Douglas and Peucker (1973)."""
    if len(rows) < 2:
        return [0]
    scale = np.array([_STRAIGHT] * 3 + [_TURNED] * 3)
    kept, waiting = {0, len(rows) - 1}, [(0, len(rows) - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        part = np.linspace(0.0, 1.0, b - a + 1)[1:-1, None]
        off = (np.abs(rows[a + 1 : b] - ((1.0 - part) * rows[a] + part * rows[b])) / scale).max(axis=1)
        k = int(np.argmax(off))
        if off[k] > 1.0:
            kept.add(a + 1 + k)
            waiting += [(a, a + 1 + k), (a + 1 + k, b)]
    found = sorted(kept)
    return found[:1] if len(found) == 2 and bool((np.abs(rows[-1] - rows[0]) / scale < 1.0).all()) else found


def carried(camera: ShotCamera, moved: Array) -> ShotCamera:
    """Return a camera that goes along where its world is turned about the vertical and moved.

    Args:
        camera: The camera.
        moved: What is done to the world, shape (4, 4).
    """
    if not camera.keys or np.array_equal(moved, np.eye(4)):
        return camera
    angle = math.atan2(float(moved[0, 2]), float(moved[2, 2]))
    keys = []
    for key in camera.keys:
        x, y, z = (moved[:3, :3] @ np.array(key.target) + moved[:3, 3]).tolist()
        keys.append(replace(key, target=(x, y, z), yaw=key.yaw + angle))
    return replace(camera, keys=tuple(keys))
