"""Where locks are in the world: what their glyphs, rings, patches and links are drawn from. No painting here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.look import lock_glyphs
from app.scene.shown_center import center_of_mass
from app.words import lock_words
from core.animation.locks.strip import STRIP_MARK
from core.constraints.residuals import PathResidual
from core.errors import CoreError
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.scene.scene import Scene
    from core.constraints.lock import Lock

Array = NDArray[np.float64]

RING = 0.043
"""Radius of the ring round an orientation lock's joint, as a share of the figure's height."""
PATCH = 0.34
"""Edge of the patch drawn of a plane, [m]."""
REACH = 0.5
"""How far a line is drawn either way, [m]."""
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class LockMark:
    """One lock as the views see it; world axes, [m].

    Attributes:
        id: Of its strip; a name that no strip has for one that holds at all times.
        kind: Its kind.
        joint: Index of its joint; 0 for a balance.
        lock: The lock as it is at the current frame.
        word: ``"holds"``, ``"yields"``, ``"conflict"``, ``"let go"``, ``"easing"`` or ``"off"``: that of the document.
        state: The document's ``LockState``.
        anchor: What its glyph belongs to, shape (3,).
        here: Where its point is now, shape (3,).
        place: Where the point should be, shape (3,); None for kinds that hold no place.
        rotation: What its part's frame should be, shape (3, 3), or None.
        center: Middle of its ring, or of its patch, shape (3,); None if it has neither.
        normal: Axis of its ring, its patch's normal or its line's direction, shape (3,), or None.
        other: The second point of a pair, a distance or an aim, what is looked at, shape (3,), or None.
        radius: Of its ring, [m].
        counterpart: Where the joint on the other side is, shape (3,), or None.
    """

    id: str
    kind: str
    joint: int
    lock: Lock
    word: str
    state: Any
    anchor: Array
    here: Array
    place: Array | None = None
    rotation: Array | None = None
    center: Array | None = None
    normal: Array | None = None
    other: Array | None = None
    radius: float = 0.0
    counterpart: Array | None = None

    @property
    def editable(self) -> bool:
        """Whether it is a strip's, so that it can be edited here."""
        return self.state.strip is not None

    @property
    def broken(self) -> str:
        """The state that its glyph is drawn in."""
        return "conflict" if self.word == "conflict" else ""


class LockPlaces:
    """The locks of the shown pose, worked out once for each pose and change of the locks."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._known: tuple[object, object, object, tuple[LockMark, ...]] = (None, None, None, ())

    @property
    def marks(self) -> tuple[LockMark, ...]:
        """All locks at the current frame; () without any, or while the skeleton is edited."""
        scene = self._scene
        if scene.skeleton is None or scene.at_rest or not has_locks(scene):
            return ()
        states, poses, conflict = scene.document.locks.states(), scene.poses, scene.document.session.locks.conflict
        if self._known[0] is not states or self._known[1] is not poses or self._known[2] is not conflict:
            frame = scene.document.frame
            strips = sum(state.strip is not None for state in states)
            found = (
                _mark(scene, state, k - strips)
                for k, state in enumerate(states)
                if state.strip is None or state.strip.covers(frame)
            )
            self._known = states, poses, conflict, tuple(mark for mark in found if mark is not None)
        sequence = scene.document.sequence
        if sequence is None or sequence.gait is None or not scene.walk_prints.shown:
            return self._known[3]
        return tuple(filter(self._matters, self._known[3]))

    def _matters(self, mark: LockMark) -> bool:
        """Return whether a lock's marks are seen: those of a walk are footprints, unless one is meant or fails."""
        locks = self._scene.document.session.locks
        return (
            not mark.id.startswith(STRIP_MARK) or mark.word == "conflict" or mark.id in (locks.selected, locks.hovered)
        )

    def mark(self, id: str | None) -> LockMark | None:
        """Return the lock of a strip, if it is there at the current frame."""
        return None if id is None else next((mark for mark in self.marks if mark.id == id), None)

    def helping(self) -> dict[str, Any]:
        """Return what a picture says of the lock under the pointer: the joints that may help to hold it, its colour."""
        scene = self._scene
        wanted, skeleton = scene.document.session.locks.hovered, scene.skeleton
        if wanted is None or skeleton is None or scene.at_rest:
            return {}
        lock = next((strip.lock for strip in scene.document.locks.strips if strip.id == wanted), None)
        if lock is None:
            return {}
        joints = set(lock_words.helping_joints(lock, skeleton))
        return {"helping": joints, "helping_token": lock_glyphs.token(lock.kind)}


def has_locks(scene: Scene) -> bool:
    """Whether the shown sequence has any locks at all: else nothing more is asked."""
    sequence = scene.document.sequence
    return sequence is not None and bool(sequence.locks.strips or sequence.locks)


def _mark(scene: Scene, state: Any, number: int) -> LockMark | None:
    skeleton, lock = scene.skeleton, state.lock
    if skeleton is None:
        return None
    known = lock_words.found(skeleton, [lock.joint])
    if not known and lock.kind != "balance":
        return None
    joint = known[0] if known else 0
    place = _PLACES.get(lock.kind) or (_linked if lock.rule.takes_other else None)
    frame = scene.poses[joint]
    here = frame[:3, :3] @ np.asarray(lock.point, dtype=np.float64) + frame[:3, 3]
    values: dict[str, Any] = {"anchor": here} if place is None else place(scene, lock, joint, here)
    name = f"always {number}" if state.strip is None else state.strip.id
    mirror = skeleton.joints[joint].mirror
    if mirror is not None and mirror != skeleton.joints[joint].name and mirror in skeleton.joint_names:
        values["counterpart"] = scene.poses[skeleton.joint_index(mirror)][:3, 3]
    return LockMark(name, lock.kind, joint, lock, state.word, state, here=here, **values)


def _position(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    place = here if lock.target is None else np.array(lock.target, dtype=np.float64)
    if lock.axes is not None:  # where the point may be along what is free
        place = np.where(np.asarray(lock.axes), place, here)
    return {"anchor": place, "place": place}


def _orientation(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    frame = scene.poses[joint]
    rotation = frame[:3, :3] if lock.target is None else np.array(lock.target, dtype=np.float64)
    center, radius = np.array(frame[:3, 3]), RING * scene.height
    return {"anchor": center, "rotation": rotation, "center": center, "normal": _around(scene, joint), "radius": radius}


def _pose(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    target = lock.target
    if target is None:
        return _position(scene, lock, joint, here) | {"rotation": scene.poses[joint][:3, :3]}
    place, rotation = pose_parts(target)
    values = _orientation(scene, lock, joint, here)
    return {**values, "anchor": place, "place": place, "rotation": rotation}


def pose_parts(target: Any) -> tuple[Array, Array]:
    """Return place (3,) and rotation (3, 3) of a pose lock's target, however it is written."""
    if isinstance(target, tuple | list):
        return np.array(target[0], dtype=np.float64), np.array(target[1], dtype=np.float64)
    matrix = np.asarray(target, dtype=np.float64)
    return matrix[:3, 3].copy(), matrix[:3, :3].copy()


def _plane(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    if lock.target is None:
        return {"anchor": here}
    target = np.asarray(lock.target, dtype=np.float64)
    long = max(float(np.linalg.norm(target[:3])), _TINY)
    normal = target[:3] / long
    center = here + (float(target[3]) / long - float(normal @ here)) * normal
    return {"anchor": center, "place": center, "center": center, "normal": normal}


def _line(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    if lock.target is None:
        return {"anchor": here}
    point, direction = np.asarray(lock.target, dtype=np.float64)
    direction = direction / max(float(np.linalg.norm(direction)), _TINY)
    center = point + float((here - point) @ direction) * direction
    return {"anchor": center, "place": center, "center": center, "normal": direction}


def _path(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    if lock.target is None:
        return {"anchor": here}
    nearest = here - PathResidual(lock.target).value(here)
    return {"anchor": nearest, "place": nearest}


def _linked(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    other = _other_point(scene, lock)
    if other is None:
        return {"anchor": here}
    if lock.kind == "aim":
        return {"anchor": other, "other": other}
    place = None
    if lock.kind == "point_pair":
        place = other if lock.target is None else other + np.asarray(lock.target, dtype=np.float64)
    return {"anchor": 0.5 * (here + other), "other": other, "place": place}


def _look_at(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    if lock.target is None:
        return {"anchor": here}
    place = np.array(lock.target[0], dtype=np.float64)
    return {"anchor": place, "place": place, "other": place}


def _balance(scene: Scene, lock: Lock, joint: int, here: Array) -> dict[str, Any]:
    center = center_of_mass(scene)
    ground = np.array([center[0], 0.0, center[2]])
    return {"anchor": ground, "other": center}


_PLACES: Mapping[str, Any] = {
    "position": _position,
    "orientation": _orientation,
    "pose": _pose,
    "plane": _plane,
    "line": _line,
    "path": _path,
    "point_pair": _linked,
    "distance": _linked,
    "aim": _linked,
    "look_at": _look_at,
    "balance": _balance,
}


def _other_point(scene: Scene, lock: Lock) -> Array | None:
    """Return the second point of a lock in the world, shape (3,); None where its figure is not there."""
    second = lock.second
    if second is None or scene.skeleton is None:
        return None
    figure, joint, point = second
    try:
        if figure is None:
            return scene.world(scene.skeleton.joint_index(joint), np.asarray(point, dtype=np.float64))
        skeleton, q = scene.document.model.other_figures([lock])[figure]
        frame = forward_kinematics(skeleton, np.asarray(q, dtype=np.float64))[skeleton.joint_index(joint)]
    except (CoreError, KeyError):
        return None
    return np.asarray(frame[:3, :3] @ np.asarray(point) + frame[:3, 3])


def _around(scene: Scene, joint: int) -> Array:
    """Return the axis of the ring round a joint: along the bone that ends there, else along its own, shape (3,)."""
    skeleton, poses = scene.skeleton, scene.poses
    assert skeleton is not None
    own, parent = poses[joint, :3, 3], skeleton.joints[joint].parent
    ends = [own - poses[parent, :3, 3]] if parent >= 0 else []
    ends += [poses[child, :3, 3] - own for child in skeleton.children[joint]]
    for bone in ends:
        long = float(np.linalg.norm(bone))
        if long > 0.01 * scene.height:
            return np.asarray(bone / long)
    return np.array([0.0, 1.0, 0.0])


def plane_basis(normal: Array) -> tuple[Array, Array]:
    """Return two unit directions in a plane, square to each other, along the world's axes as far as may be."""
    x, y, z = normal.tolist()
    if abs(z) < 0.9:  # normal x z
        long = math.hypot(x, y)
        a, b, c = y / long, -x / long, 0.0
    else:  # normal x x
        long = math.hypot(y, z)
        a, b, c = 0.0, z / long, -y / long
    return np.array([a, b, c]), np.array([y * c - z * b, z * a - x * c, x * b - y * a])
