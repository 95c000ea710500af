"""Cameras of the viewports: perspective, front, side and top.

World: right-handed, y up, metres. Pixels: x to the right, y downward from the top left corner of the view; the centre
of the first pixel is (0.5, 0.5). View space: x right, y up, z toward the eye.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.animation.shot_camera import SMOOTH, CameraKey
from core.errors import CoreError

Array = NDArray[np.float64]

KINDS = ("perspective", "front", "side", "top")

# (yaw, pitch) of the orthographic views. Side looks along +x, so that z runs to the right as the figure walks.
_FIXED = {"front": (0.0, 0.0), "side": (-0.5 * math.pi, 0.0), "top": (0.0, 0.5 * math.pi)}
_MOST_PITCH = math.radians(89.0)
_NEAREST, _FARTHEST = 0.05, 1000.0
_DEPTH_ORTHOGRAPHIC = 500.0


class CameraError(CoreError):
    """A camera that cannot be: an unknown kind, a value that is not finite, an empty view."""


@dataclass(eq=True)
class Camera:
    """Where a view looks from.

    Attributes:
        kind: ``"perspective"``, ``"front"`` (looks along -z), ``"side"`` (along +x) or ``"top"`` (along -y, z down).
        target: Point in the middle of the view, shape (3,), [m].
        distance: From the eye to the target, [m]; perspective only.
        yaw: Turn of the eye about y, from +z toward +x, [rad]; perspective only.
        pitch: Elevation of the eye above the target, [rad]; perspective only.
        fov: Vertical angle of view, [rad]; perspective only.
        half_height: Half of the height that is seen, [m]; orthographic only.
    """

    kind: str = "perspective"
    target: tuple[float, float, float] = (0.0, 0.9, 0.0)
    distance: float = 4.6
    yaw: float = math.radians(-58.0)
    pitch: float = math.radians(8.0)
    fov: float = math.radians(30.0)
    half_height: float = 1.15
    _basis: dict[tuple[float, float], Array] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise CameraError(f'no camera kind "{self.kind}"; there are {", ".join(KINDS)}')
        self.target = tuple(float(v) for v in self.target)  # type: ignore[assignment]  # as many as it was given
        numbers = (*self.target, self.distance, self.yaw, self.pitch, self.fov, self.half_height)
        if len(self.target) != 3 or not all(math.isfinite(v) for v in numbers):
            raise CameraError(f"camera values must be finite and the target three numbers; got {numbers}")
        if self.distance <= 0 or self.half_height <= 0 or not 0 < self.fov < math.pi:
            raise CameraError(
                f"camera distance {self.distance:g} and half height {self.half_height:g} must be above 0, "
                f"the angle of view {self.fov:g} between 0 and pi"
            )

    # -- frames --------------------------------------------------------------------------------------------------

    @property
    def orthographic(self) -> bool:
        """Whether parallel lines stay parallel: front, side and top."""
        return self.kind != "perspective"

    @property
    def basis(self) -> Array:
        """Rows are right, up and back (toward the eye) in the world, shape (3, 3); read-only."""
        key = _FIXED.get(self.kind, (self.yaw, self.pitch))
        found = self._basis.get(key)
        if found is None:
            (sy, cy), (sp, cp) = ((math.sin(a), math.cos(a)) for a in key)
            found = np.array([[cy, 0.0, -sy], [-sy * sp, cp, -cy * sp], [sy * cp, sp, cy * cp]])
            found[np.abs(found) < 1e-15] = 0.0  # cos(pi / 2) is not quite 0; the fixed views look exactly along an axis
            found.setflags(write=False)
            self._basis.clear()
            self._basis[key] = found
        return found

    @property
    def eye(self) -> Array:
        """The eye in the world, shape (3,), [m]; of an orthographic camera a point far in front of everything."""
        away = _DEPTH_ORTHOGRAPHIC if self.orthographic else self.distance
        return np.asarray(self.target) + away * self.basis[2]

    def view_matrix(self) -> Array:
        """Return the world-to-view transform, shape (4, 4)."""
        view = np.eye(4)
        view[:3, :3] = self.basis
        view[:3, 3] = -self.basis @ self.eye
        return view

    def near_far(self) -> tuple[float, float]:
        """Return the distances of the near and the far clipping plane, [m]."""
        if self.orthographic:
            return 0.0, 2.0 * _DEPTH_ORTHOGRAPHIC
        return min(max(0.02 * self.distance, 0.005), 0.1), max(100.0, 10.0 * self.distance)

    def half_extent(self, aspect: float) -> tuple[float, float]:
        """Return half of the width and the height seen at the target, [m]; ``aspect`` is width over height."""
        half = self.half_height if self.orthographic else self.distance * math.tan(0.5 * self.fov)
        return half * aspect, half

    def projection(self, aspect: float) -> Array:
        """Return the view-to-clip transform (OpenGL: -w <= x, y, z <= w), shape (4, 4).

        Args:
            aspect: Width over height of the view.
        """
        near, far = self.near_far()
        result = np.zeros((4, 4))
        if self.orthographic:
            x, y = self.half_extent(aspect)
            result[0, 0], result[1, 1] = 1.0 / x, 1.0 / y
            result[2, 2], result[2, 3] = -2.0 / (far - near), -(far + near) / (far - near)
            result[3, 3] = 1.0
        else:
            focal = 1.0 / math.tan(0.5 * self.fov)
            result[0, 0], result[1, 1] = focal / aspect, focal
            result[2, 2], result[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
            result[3, 2] = -1.0
        return result

    def view_projection(self, aspect: float) -> Array:
        """Return the world-to-clip transform, shape (4, 4)."""
        return self.projection(aspect) @ self.view_matrix()

    # -- pixels --------------------------------------------------------------------------------------------------

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[Array, Array]:
        """Return the ray of all points that appear at a pixel position.

        Args:
            x: Pixels from the left.
            y: Pixels from the top.
            width: Of the view, [px].
            height: Of the view, [px].

        Returns:
            Origin and unit direction in the world, each of shape (3,); ``project`` of any point
            ``origin + s * direction`` with s > 0 is (x, y).
        """
        half_x, half_y = self.half_extent(width / height)
        right, up, back = self.basis
        across = (2.0 * x / width - 1.0) * half_x * right + (1.0 - 2.0 * y / height) * half_y * up
        if self.orthographic:
            return self.eye + across, -back
        direction = across - self.distance * back
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: ArrayLike, width: float, height: float) -> Array:
        """Return where points of the world appear.

        Args:
            points: Shape (m, 3) or (3,), [m].
            width: Of the view, [px].
            height: Of the view, [px].

        Returns:
            Shape (m, 3): pixels from the left, pixels from the top, and the depth from the eye along the view
            direction, [m]. Where the depth is not above 0 the point lies behind the eye and the pixels mean nothing.
        """
        found = (np.asarray(points, dtype=np.float64).reshape(-1, 3) - self.eye) @ self.basis.T
        depth = found[:, 2]
        np.negative(depth, out=depth)
        half_x, half_y = self.half_extent(width / height)
        across = found[:, :2]
        if not self.orthographic:
            safe = depth
            if (np.abs(depth) < 1e-9).any():
                safe = np.where(np.abs(depth) < 1e-9, 1e-9, depth)
            across *= (self.distance / safe)[:, None]
        across /= (half_x, -half_y)
        across += 1.0
        across *= (0.5 * width, 0.5 * height)
        return found

    def pixel_size(self, height: float, point: ArrayLike | None = None) -> float:
        """Return how many metres one pixel covers at a point of the world (the target if None)."""
        at_target = 2.0 * self.half_extent(1.0)[1] / height
        if point is None or self.orthographic:
            return at_target
        depth = float((self.eye - np.asarray(point, dtype=np.float64)) @ self.basis[2])
        return at_target * max(depth, 1e-9) / self.distance

    # -- moving it -----------------------------------------------------------------------------------------------

    def orbit(self, dx: float, dy: float) -> None:
        """Turn the eye round the target so that the scene follows the pointer; orthographic cameras stay as they are.

        Args:
            dx: Pointer movement to the right, [px]; 0.4 degrees a pixel.
            dy: Pointer movement downward, [px].
        """
        if self.orthographic:
            return
        rate = math.radians(0.4)
        self.yaw = math.remainder(self.yaw - rate * dx, 2.0 * math.pi)
        self.pitch = min(max(self.pitch + rate * dy, -_MOST_PITCH), _MOST_PITCH)

    def pan(self, dx: float, dy: float, width: float, height: float) -> None:
        """Shift the view so that what is at the target's depth follows the pointer by (dx, dy) pixels."""
        size = self.pixel_size(height)
        self._set_target(np.asarray(self.target) - size * dx * self.basis[0] + size * dy * self.basis[1])

    def shift(self, moved: ArrayLike) -> None:
        """Move eye and target together, by (3,) in the world, [m]."""
        self._set_target(np.asarray(self.target) + np.asarray(moved, dtype=np.float64))

    def zoom(self, factor: float, at: tuple[float, float, float, float] | None = None) -> None:
        """Move closer (factor above 1) or away.

        Args:
            factor: By how much things at the target's depth get larger.
            at: (x, y, width, height) in pixels: what is seen there at the target's depth stays there; None: the middle.

        Raises:
            CameraError: If the factor is not a finite number above 0.
        """
        if not (math.isfinite(factor) and factor > 0):
            raise CameraError(f"zoom factor {factor} must be a finite number above 0")
        size = self.half_height if self.orthographic else self.distance
        wanted = min(max(size / factor, _NEAREST), _FARTHEST)
        if at is not None:
            x, y, width, height = at
            half_x, half_y = self.half_extent(width / height)
            right, up, _ = self.basis
            offset = (2.0 * x / width - 1.0) * half_x * right + (1.0 - 2.0 * y / height) * half_y * up
            self._set_target(np.asarray(self.target) + offset * (1.0 - wanted / size))
        if self.orthographic:
            self.half_height = wanted
        else:
            self.distance = wanted

    def frame(self, lo: ArrayLike, hi: ArrayLike, aspect: float = 1.0, margin: float = 1.12) -> None:
        """Fit a box of the world into the view.

        Args:
            lo: Lowest corner, shape (3,), [m].
            hi: Highest corner, shape (3,), [m].
            aspect: Width over height of the view.
            margin: How much larger than the box the view is.

        Raises:
            CameraError: If a corner is not finite.
        """
        box = np.array([lo, hi], dtype=np.float64).reshape(2, 3)
        if not np.isfinite(box).all():
            raise CameraError(f"cannot frame the box {box.tolist()}; its corners must be finite")
        center = box.mean(axis=0)
        corners = np.array(np.meshgrid(*box.T, indexing="ij")).reshape(3, -1).T
        local = (corners - center) @ self.basis.T
        across = np.maximum(np.abs(local[:, 1]), np.abs(local[:, 0]) / aspect) * margin
        if self.orthographic:
            self.half_height = min(max(float(across.max()), _NEAREST), _FARTHEST)
        else:
            needed = across / math.tan(0.5 * self.fov) + local[:, 2]
            self.distance = min(max(float(needed.max()), _NEAREST), _FARTHEST)
        self._set_target(center)

    def _set_target(self, target: Array) -> None:
        self.target = (float(target[0]), float(target[1]), float(target[2]))

    # -- copies and files ----------------------------------------------------------------------------------------

    def copy(self) -> Camera:
        """Return an independent copy."""
        return replace(self, _basis={})

    def key(self, frame: int, move: str = SMOOTH) -> CameraKey:
        """Return it as a key of a shot's camera; of a perspective camera.

        Args:
            frame: When.
            move: How the shot's camera goes on from there, of ``core.animation.shot_camera.CAMERA_MOVES``.
        """
        return CameraKey(frame, self.target, self.distance, self.yaw, self.pitch, self.fov, move)

    @classmethod
    def of_key(cls, key: CameraKey) -> Camera:
        """Return the perspective camera of a key."""
        return cls("perspective", key.target, key.distance, key.yaw, key.pitch, key.fov)

    def to_json(self) -> dict[str, object]:
        """Return the camera as JSON values; angles in radians."""
        return {
            "kind": self.kind,
            "target": list(self.target),
            "distance": self.distance,
            "yaw": self.yaw,
            "pitch": self.pitch,
            "fov": self.fov,
            "half_height": self.half_height,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> Camera:
        """Return the camera of :meth:`to_json`; what is missing keeps its default, what is unknown is ignored.

        Raises:
            CameraError: If a value is of the wrong kind or makes no sense.
        """
        known: dict[str, Any] = {name: values[name] for name in cls().to_json() if name in values}
        try:
            for name in known.keys() - {"kind", "target"}:
                known[name] = float(known[name])
            if "target" in known:
                known["target"] = tuple(float(v) for v in known["target"])
            return cls(**known)
        except (TypeError, ValueError) as error:
            raise CameraError(f"camera values {dict(known)} cannot be read: {error}") from None
