"""Fitting cameras to the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.marks.control_frame_marks import control_frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.render.camera import Camera
    from app.scene.scene import Scene
    from app.views.view import View

ROOM = 1.28
"""How much larger than the figure a view is when all of it is framed."""
_LEAST_FIGURE = 0.1  # of the figure's height
_LEAST_PART = 0.22  # of the figure's height: a single hand should not fill the whole view


def common_aspect(views: Iterable[View]) -> float:
    """Return the width over height that fits into all of some views, the hidden ones aside; 1 at least."""
    return max(min((view.aspect for view in views if view.isVisible()), default=1.0), 1.0)


def fit_others(cameras: Mapping[str, Camera], kind: str, scene: Scene, aspect: float) -> None:
    """Fit all that is seen now into all views but one."""
    for other, camera in cameras.items():
        if other != kind:
            fit_parts(camera, scene, None, aspect, everything=True)


def refit_small(small: Iterable[View], kind: str, scene: Scene) -> None:
    """Fit the small views that the figure no longer fits into, but for that of the large view's kind."""
    points = scene.points(scene.poses)
    for view in small:
        if view.kind == kind or not len(points):
            continue
        pixels = view.project(points)
        if (pixels[:, 2] <= 0.0).any() or (pixels[:, :2] < 0.0).any() or (pixels[:, :2] > _size(view)).any():
            fit_parts(view.camera, scene, None, max(view.aspect, 1.0))


def _size(view: View) -> tuple[int, int]:
    return view.width(), view.height()


def fit_journey(cameras: Iterable[Camera], scene: Scene, aspect: float) -> None:
    """Fit what a person is about to see into views: the figure at all its keys, or as it stands if views follow it.

    What it moves among, and the strings it hangs on, are seen too.
    """
    following = scene.document.session.view.overlays["follow"]
    lo, hi = scene.seen_bounds(scene.bounds() if following else scene.journey_bounds())
    if float((hi - lo).max()) < _LEAST_FIGURE * scene.height:  # a figure of one joint, to be built on
        lo, hi = lo - 0.5 * scene.height, hi + 0.75 * scene.height
    for camera in cameras:
        camera.frame(np.minimum(lo, [np.inf, 0.0, np.inf]), hi, aspect, ROOM)
        if camera.orthographic:  # one scale for all three, so that a figure seen from above is not a giant
            camera.half_height = max(camera.half_height, 0.5 * scene.height)


def fit_parts(
    camera: Camera, scene: Scene, joints: tuple[int, ...] | None, aspect: float, everything: bool = False
) -> None:
    """Fit some parts, or the whole figure for None, as they stand now into a view; or everything that is seen.

    A part that is edited brings along the control frames that it runs along.
    """
    lo, hi = scene.seen_bounds() if everything else scene.bounds(joints)
    if joints is None and float((hi - lo).max()) < _LEAST_FIGURE * scene.height:
        lo, hi = lo - 0.5 * scene.height, hi + 0.75 * scene.height
    if joints is not None:
        least, frames = _LEAST_PART, control_frames(scene)
        if frames is not None and frames.joint in joints:  # the spline is what is edited
            lo, hi, least = np.minimum(lo, frames.places.min(axis=0)), np.maximum(hi, frames.places.max(axis=0)), 0.0
        room = np.maximum(0.0, least * scene.height - (hi - lo)) / 2.0
        lo, hi = lo - room, hi + room
    camera.frame(lo, hi, aspect, ROOM)
    if joints is None and camera.orthographic:
        # Front, side and top show the whole figure at one scale; but for what that would cut, such as a spider's legs
        # seen from above.
        half = 0.5 * (hi - lo)
        reach = float(np.array([half[0] / aspect, half[1], half[2] / aspect]).max())
        camera.half_height = max(camera.half_height, ROOM * reach)
