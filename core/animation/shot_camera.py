"""The camera of a shot: keys of what it looks at, from where and through which lens, and the way between them.

Each number between two keys runs along the cubic of ``core.keyed_curves``, which stands still between equal keys and
goes no farther than they do. The direction is kept as heading and elevation rather than as one rotation: so the horizon
stays level all the way, and a camera that goes round what it looks at goes round it in an arc. Distances change by
factors, as zooming does.

A camera that follows is carried along by the figure's calm way (``core.animation.figure_way``): keys stay the pictures
they are, and the way between them is measured from the figure.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from core.animation.key import check_frame
from core.arrays import Array
from core.errors import SequenceError
from core.keyed_curves import curve_rows
from core.keyed_curves.keyed_curve_kernel import value_at

SMOOTH, EVEN, CUT = "smooth", "even", "cut"
CAMERA_MOVES: tuple[str, ...] = (SMOOTH, EVEN, CUT)
"""How the camera goes on from a key: eased, at one speed, or not until it jumps to the next key."""
CALM = 0.35
"""Standard deviation that takes the sway out of a walk, [s]: of 1 Hz less than a tenth is left."""
FILM_HEIGHT = 24.0
"""Height of the film that lenses are named for, [mm]: 36 x 24."""
CALMEST = 5.0
"""Longest smoothing of the way that a camera follows, [s]."""
_FARTHEST = 1e4  # m


def _number(where: str, name: str, value: Any, low: float, high: float) -> float:
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise SequenceError(
            f"{where}: {name} {value!r:.40} is not possible; expected a number from {low:g} to {high:g}"
        )
    return float(value)


class Way(Protocol):
    """Where a figure goes and heads, as ``core.animation.figure_way.FigureWay``."""

    def at(self, frame: float) -> tuple[Array, float]:
        """Return place over the ground, shape (3,), [m], and heading about y, [rad]."""


def lens_of(fov: float) -> float:
    """Return the focal length that sees a vertical angle on film of 36 x 24, [mm]."""
    return 0.5 * FILM_HEIGHT / math.tan(0.5 * fov)


def angle_of(lens: float) -> float:
    """Return the vertical angle of view of a focal length on film of 36 x 24, [rad]."""
    return 2.0 * math.atan(0.5 * FILM_HEIGHT / lens)


@dataclass(frozen=True, slots=True)
class CameraKey:
    """Where the camera is at a frame. Immutable.

    Attributes:
        frame: Whole number from 0 on.
        target: Point in the middle of the picture, shape (3,), world, [m].
        distance: From the eye to it, [m].
        yaw: Turn of the eye about y, from +z toward +x, [rad].
        pitch: Elevation of the eye above the target, [rad].
        fov: Vertical angle of view, [rad].
        move: How it goes on from here, of ``CAMERA_MOVES``.

    Raises:
        SequenceError: If a value is not valid.
    """

    frame: int
    target: tuple[float, float, float]
    distance: float
    yaw: float
    pitch: float
    fov: float
    move: str = SMOOTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", check_frame(self.frame))
        where = f"the camera's key at frame {self.frame}"
        target = self.target
        if not isinstance(target, (tuple, list)) or len(target) != 3:
            raise SequenceError(f"{where}: target {target!r:.60} is not a place; expected three numbers")
        object.__setattr__(self, "target", tuple(_number(where, "target", v, -_FARTHEST, _FARTHEST) for v in target))
        limits = {"distance": (1e-3, _FARTHEST), "yaw": (-1e4, 1e4), "pitch": (-1.57, 1.57), "fov": (0.01, 3.0)}
        for name, (low, high) in limits.items():
            object.__setattr__(self, name, _number(where, name, getattr(self, name), low, high))
        if self.move not in CAMERA_MOVES:
            raise SequenceError(f"{where}: move {self.move!r:.40} is unknown; known are {', '.join(CAMERA_MOVES)}")


@dataclass(frozen=True)
class ShotCamera:
    """The camera of a sequence. Immutable; ``ShotCamera()`` is none.

    Attributes:
        keys: Sorted by frame.
        follow: How much of the figure's way over the ground it goes along, 0 to 1.
        turn: Whether it also turns with the figure's heading, by as much.
        calm: Over how long the way is smoothed, standard deviation, [s].

    Raises:
        SequenceError: If a value is not valid, or two keys stand at one frame.
    """

    keys: tuple[CameraKey, ...] = ()
    follow: float = 0.0
    turn: bool = False
    calm: float = CALM

    def __post_init__(self) -> None:
        found: dict[int, CameraKey] = {}
        for key in self.keys:
            if not isinstance(key, CameraKey):
                raise SequenceError(f"{key!r:.60} is not a key of a camera")
            if key.frame in found:
                raise SequenceError(f"two keys of the camera stand at frame {key.frame}; a frame holds one")
            found[key.frame] = key
        object.__setattr__(self, "keys", tuple(found[frame] for frame in sorted(found)))
        object.__setattr__(self, "follow", _number("the camera", "follow", self.follow, 0.0, 1.0))
        object.__setattr__(self, "calm", _number("the camera", "calm", self.calm, 0.0, CALMEST))
        if not isinstance(self.turn, bool):
            raise SequenceError(f"the camera: turn {self.turn!r:.40} is not possible; expected true or false")

    def key_at(self, frame: int) -> CameraKey | None:
        """Return the key at a frame, or None."""
        return next((key for key in self.keys if key.frame == frame), None)

    def with_key(self, key: CameraKey) -> ShotCamera:
        """Return it with one more key, or another one at its frame."""
        return replace(self, keys=(*(each for each in self.keys if each.frame != key.frame), key))

    def without_key(self, frame: int) -> ShotCamera:
        """Return it without the key at a frame."""
        return replace(self, keys=tuple(key for key in self.keys if key.frame != frame))

    def moved(self, place: Callable[[int], int | None]) -> ShotCamera:
        """Return it with keys at the frames that ``place`` gives from their old ones; None drops one.

        Where two would share a frame, the one that was later goes to the next that is free: none is lost.
        """
        found: dict[int, CameraKey] = {}
        for key in self.keys:
            frame = place(key.frame)
            while frame is not None and frame in found:
                frame += 1
            if frame is not None:
                found[frame] = replace(key, frame=frame)
        return replace(self, keys=tuple(found.values()))


NO_CAMERA = ShotCamera()
"""No key, and nothing set."""


class CameraPath:
    """The way of a shot's camera, worked out once and asked for at many frames.

    Args:
        camera: The camera; it has a key at least.
        way: The figure's way, if the camera follows; None leaves it out.

    Raises:
        SequenceError: If the camera has no key.
    """

    def __init__(self, camera: ShotCamera, way: Way | None = None):
        if not camera.keys:
            raise SequenceError("the camera has no keys; key it at a frame first")
        self._keys, self._camera = camera.keys, camera
        self._way = way if camera.follow > 0.0 else None

    def at(self, frame: float) -> CameraKey:
        """Return where the camera is at a frame, whole or not; at a key it is the key's, but for rounding."""
        keys = self._keys
        i = max(bisect_right(keys, frame, key=lambda key: key.frame) - 1, 0)
        u = min(max(frame, float(keys[0].frame)), float(keys[-1].frame))
        if keys[i].move == CUT:
            row = self._rows[i]
        elif keys[i].move == EVEN and i + 1 < len(keys):
            part = (u - keys[i].frame) / (keys[i + 1].frame - keys[i].frame)
            row = (1.0 - part) * self._rows[i] + part * self._rows[i + 1]
        else:
            first, curves = self._curves[i]
            row = np.array([value_at(curve, u) for curve in curves]) if curves else self._rows[first]
        place, yaw = self._carried(frame)
        x, y, z = place + _turned(row[:3], yaw)
        return CameraKey(
            round(max(frame, 0.0)), (float(x), float(y), float(z)), math.exp(float(row[3])), float(row[4]) + yaw,
            float(row[5]), float(row[6]), keys[i].move,
        )  # fmt: skip

    @cached_property
    def _rows(self) -> Array:
        """The numbers of each key, measured from the figure if it is followed, shape (n, 7)."""
        rows: list[list[float]] = []
        for key in self._keys:
            place, turned = self._carried(key.frame)
            yaw = key.yaw - turned
            if rows:  # the shorter way round
                yaw = rows[-1][4] + math.remainder(yaw - rows[-1][4], 2.0 * math.pi)
            local = _turned(np.array(key.target) - place, -turned)
            rows.append([*local, math.log(key.distance), yaw, key.pitch, key.fov])
        return np.array(rows)

    @cached_property
    def _curves(self) -> list[tuple[int, list[Array]]]:
        """For each key the first one of its stretch without a cut, and the curves of that; no curves for one alone."""
        found: list[tuple[int, list[Array]]] = []
        first = 0
        for i, key in enumerate(self._keys):
            if key.move != CUT and i + 1 < len(self._keys):
                continue
            frames = [float(each.frame) for each in self._keys[first : i + 1]]
            curves = []
            if len(frames) > 1:  # it sets off gently and comes to rest: as if it had stood before, and would after
                frames, rows = [frames[0] - 1.0, *frames, frames[-1] + 1.0], self._rows[first : i + 1]
                curves = [curve_rows(np.column_stack([frames, [v[0], *v, v[-1]]])) for v in rows.T]
            found += [(first, curves)] * (i + 1 - first)
            first = i + 1
        return found

    def _carried(self, frame: float) -> tuple[Array, float]:
        """Return how far the figure has carried the camera at a frame, and turned it about y, [m] and [rad]."""
        if self._way is None:
            return np.zeros(3), 0.0
        place, heading = self._way.at(frame)
        share = self._camera.follow
        return share * place, share * heading if self._camera.turn else 0.0


def _turned(v: Array, angle: float) -> Array:
    """Return a vector turned about y, from +z toward +x, shape (3,)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]])


def camera_to_json(camera: ShotCamera) -> dict[str, Any]:
    """Return the record of a camera."""
    keys = [
        {
            "frame": key.frame, "target": list(key.target), "distance": key.distance, "yaw": key.yaw,
            "pitch": key.pitch, "fov": key.fov, "move": key.move,
        }
        for key in camera.keys
    ]  # fmt: skip
    return {"keys": keys, "follow": camera.follow, "turn": camera.turn, "calm": camera.calm}


def camera_from_json(record: Any) -> ShotCamera:
    """Return the camera of a record; members that are missing have their defaults, None is no camera.

    Raises:
        SequenceError: If it is no record of one, or a value is not valid.
    """
    if record is None:
        return NO_CAMERA
    if not isinstance(record, dict) or not isinstance(record.get("keys", []), list):
        raise SequenceError("is not a record of a camera; it must be an object with a list of keys")
    names = ("follow", "turn", "calm")
    keys = tuple(_key_from_json(i, key) for i, key in enumerate(record.get("keys", [])))
    return ShotCamera(keys, **{name: record[name] for name in names if name in record})


def _key_from_json(i: int, record: Any) -> CameraKey:
    needed = ("frame", "target", "distance", "yaw", "pitch", "fov")
    missing = needed if not isinstance(record, dict) else [name for name in needed if name not in record]
    if missing:
        raise SequenceError(f"keys[{i}] is not a key of a camera; it lacks {', '.join(missing)}")
    return CameraKey(**{name: record[name] for name in needed}, move=record.get("move", SMOOTH))
