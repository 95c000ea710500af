"""The skeleton as it is edited: a ball for each joint, a bone to each child, axes and limits of degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.marks import manipulators, paint
from app.marks.manipulators import VIEW
from core.skeleton.dof import ANGLE, HINGE
from core.skeleton.segment import segment_tip
from core.spatial.so3 import exp

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.skeleton import Joint, Skeleton

Array = NDArray[np.float64]
Handles = tuple[manipulators.Handle, ...]

SEEN_THROUGH = 0.42
"""How much the body hides its bones while they are edited."""
BALL, LEAST_BALL, SMALL = 4.5, 2.8, 2.2  # radii
BALLS_HIGH = 75.0  # a figure is at least this many radii high, so that balls do not hide a small one
BONE = 0.65  # half of a bone's width at its thick end, in radii
AXIS, TICK = 46.0, 11.0  # lengths
ARCS = (27.0, 34.0, 41.0)  # radii of the limits of x, y and z
ARC_BAND = 4.5
_SAME = 1e-6  # [m]
_TOKENS = ("axis_x", "axis_y", "axis_z")


def draw(painter: QPainter, view: SceneView, scene: Scene, shown: Array | None = None) -> None:
    """Draw the skeleton over the picture of its body.

    Args:
        painter: Where to draw.
        view: Into which view.
        scene: The figure at rest.
        shown: For a small view the frames of the joints in its picture, which may lag behind, shape (n, 4, 4): there
            bones are thin, and joints are dots.
    """
    skeleton, small = scene.edited, shown is not None
    if skeleton is None:
        return
    poses = shown if shown is not None and len(shown) == len(skeleton.joints) else scene.poses
    chosen, hover = scene.document.selection.joints, scene.document.session.view.hover
    pixels = view.project(poses[:, :3, 3])
    high = scene.height / view.pixel_size(poses[0, :3, 3])
    radius = SMALL if small else min(max(high / BALLS_HIGH, LEAST_BALL), BALL)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    order = np.argsort(-pixels[:, 2], kind="stable")
    for i in order:
        _draw_bones(painter, view.theme, skeleton, pixels, int(i), i in chosen, radius)
    if not small:
        _draw_tips(painter, view, scene, skeleton, pixels, chosen)
        _draw_ticks(painter, view, skeleton, scene.poses, chosen[-1:])
        handles = _handles(scene, skeleton, chosen[-1]) if chosen else ()
        _draw_limits(painter, view, handles)
        _draw_axes(painter, view, handles)
    partner = _partner(skeleton, chosen)
    for i in order:
        if pixels[i, 2] > 0.0:
            _draw_ball(painter, view.theme, pixels[i], radius, skeleton.joints[i].parent < 0, i in chosen, i == hover)
            if not small and i in (hover, partner):
                _draw_ring(painter, view.theme, pixels[i], radius + 3.4, "text" if i == hover else "accent")
    if not small:
        _draw_letters(painter, view, handles)
    painter.restore()


def _partner(skeleton: Skeleton, chosen: tuple[int, ...]) -> int | None:
    """Return the counterpart of the joint chosen last, on the other side."""
    for pair in skeleton.mirror_pairs if chosen else ():
        if chosen[-1] in pair:
            return pair[0] if pair[1] == chosen[-1] else pair[1]
    return None


def _point(row: Array) -> QPointF:
    return QPointF(float(row[0]), float(row[1]))


def _draw_bones(
    painter: QPainter, theme: Theme, skeleton: Skeleton, pixels: Array, joint: int, lit: bool, radius: float
) -> None:
    """Draw a joint's bones: to each child, thick at the joint and thin at the child."""
    for child in skeleton.children[joint]:
        if pixels[joint, 2] <= 0.0 or pixels[child, 2] <= 0.0:
            continue
        a, b = pixels[joint, :2], pixels[child, :2]
        along = b - a
        length = float(np.linalg.norm(along))
        if length < 1.0:
            continue
        side = np.array([-along[1], along[0]]) / length * BONE * radius
        token = "accent" if lit else "body" if theme.name == "dark" else "text2"
        corners = (a + side, b + 0.2 * side, b - 0.2 * side, a - side)
        painter.setPen(QPen(paint.color(theme, "halo", 0.75), 1.6 if radius > SMALL else 1.0))
        painter.setBrush(paint.color(theme, token, 0.95 if lit else 0.8))
        painter.drawPolygon(QPolygonF([_point(corner) for corner in corners]))


def _draw_tips(
    painter: QPainter, view: SceneView, scene: Scene, skeleton: Skeleton, pixels: Array, chosen: tuple[int, ...]
) -> None:
    """Draw where the segments of the last joints of chains end."""
    for i in range(len(skeleton.joints)):
        if skeleton.children[i] or not skeleton.joints[i].has_body:
            continue
        end = view.project(scene.world(i, segment_tip(skeleton, i))[None])[0]
        if end[2] > 0.0 and pixels[i, 2] > 0.0:
            token = "accent" if i in chosen else "text2"
            paint.stroke_line(painter, view.theme, [_point(pixels[i]), _point(end)], token, 1.2, (3.0, 3.0), halo=1.2)


def _draw_ball(painter: QPainter, theme: Theme, pixel: Array, radius: float, root: bool, lit: bool, over: bool) -> None:
    """Draw a joint: a ball, for the root a box."""
    center, grown = _point(pixel), radius * (1.3 if lit else 1.0)
    fill = "accent" if lit else "text" if over else "joint" if theme.name == "dark" else "raised"
    edge = paint.color(theme, "halo" if theme.name == "dark" else "text2", 0.9)
    painter.setPen(QPen(edge, 1.6 if radius > SMALL else 1.2))
    painter.setBrush(paint.color(theme, fill))
    if root:
        painter.drawRoundedRect(QRectF(center.x() - grown, center.y() - grown, 2 * grown, 2 * grown), 1.5, 1.5)
    else:
        painter.drawEllipse(center, grown, grown)


def _draw_ring(painter: QPainter, theme: Theme, pixel: Array, radius: float, token: str) -> None:
    """Draw what marks the joint under the pointer, and the counterpart of the selected one."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(paint.color(theme, token), 1.6))
    painter.drawEllipse(_point(pixel), radius, radius)


# -- degrees of freedom ------------------------------------------------------------------------------------------


def _handles(scene: Scene, skeleton: Skeleton, joint: int) -> Handles:
    return manipulators.handles(skeleton, skeleton.rest_pose(), scene.poses, joint, own=True)


def rest_axes(skeleton: Skeleton, poses: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return the axes of all degrees of freedom at rest.

    Args:
        skeleton: The figure.
        poses: World frames of its joints at rest, shape (n, 4, 4), [m].

    Returns:
        Unit axes in the world, shape (n_dofs, 3), and which of x, y, z each is nearest to in its joint, (n_dofs,).
    """
    q = skeleton.rest_pose()[3:]
    owners = list(skeleton.dof_joints)
    axes = np.array([dof.axis for dof in skeleton.all_dofs]).reshape(-1, 3)
    for joint in (i for i, each in enumerate(skeleton.joints) if each.curved is not None):
        own = slice(skeleton.first_dof[joint], skeleton.first_dof[joint + 1])
        axes[own] = _ways(skeleton.joints[joint], q[own])
    letters: NDArray[np.intp] = np.argmax(np.abs(axes), axis=1) if len(axes) else np.zeros(0, dtype=np.intp)
    # Told in the frame that its joint ends in, an axis is turned back by the degrees of freedom after it.
    for d in np.flatnonzero(q):
        dof = skeleton.all_dofs[d]
        if dof.kind == HINGE:
            first = skeleton.first_dof[owners[d]]
            axes[first:d] = axes[first:d] @ exp(q[d] * dof.axis)
    scales = np.array([joint.scale for joint in skeleton.joints])
    world = np.einsum("dij,dj->di", poses[owners, :3, :3], axes / scales[owners])
    return world / np.maximum(np.linalg.norm(world, axis=1, keepdims=True), 1e-12), letters


def _ways(joint: Joint, values: Array) -> Array:
    """Return about what or along what a joint of a type of its own moves, in the frame it ends in, shape (n, 3)."""
    assert joint.curved is not None
    S = joint.curved.subspace(values).T
    found = np.where(np.array([unit == ANGLE for unit in joint.units])[:, None], S[:, :3], S[:, 3:])
    still = np.linalg.norm(found, axis=1) < _SAME
    found[still] = (S[:, :3] + S[:, 3:])[still]  # the other half: one of them is zero
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def _draw_ticks(painter: QPainter, view: SceneView, skeleton: Skeleton, poses: Array, without: tuple[int, ...]) -> None:
    """Draw the axes of all joints but some as short ticks, in the colour of the letter each is nearest to."""
    axes, letters = rest_axes(skeleton, poses)
    shown = [d for d, joint in enumerate(skeleton.dof_joints) if joint not in without]
    owners = [skeleton.dof_joints[d] for d in shown]
    if not shown:
        return
    centers = poses[owners, :3, 3]
    sizes = {joint: TICK * view.pixel_size(poses[joint, :3, 3]) for joint in set(owners)}
    ends = centers + axes[shown] * np.array([sizes[joint] for joint in owners])[:, None]
    a, b = view.project(centers), view.project(ends)
    lines = [QLineF(_point(p), _point(q)) for p, q in zip(a, b, strict=True)]
    seen = (a[:, 2] > 0.0) & (b[:, 2] > 0.0)
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.5), 2.6))
    painter.drawLines([line for line, good in zip(lines, seen, strict=True) if good])
    for letter, token in enumerate(_TOKENS):
        painter.setPen(QPen(paint.color(view.theme, token, 0.75), 1.4))
        mine = seen & (letters[shown] == letter)
        painter.drawLines([line for line, good in zip(lines, mine, strict=True) if good])


def _axis_end(view: SceneView, handle: manipulators.Handle) -> tuple[QPointF, QPointF]:
    """Return where the long axis of the selected joint begins and ends on screen."""
    reach = AXIS * view.pixel_size(handle.center)
    ends = view.project(np.array([handle.center, handle.center + reach * handle.axis]))
    return _point(ends[0]), _point(ends[1])


def _draw_axes(painter: QPainter, view: SceneView, handles: Handles) -> None:
    """Draw the axis of each degree of freedom of the selected joint."""
    for handle in handles:
        paint.stroke_line(painter, view.theme, list(_axis_end(view, handle)), handle.token, 2.0, halo=2.0)


def _draw_limits(painter: QPainter, view: SceneView, handles: Handles) -> None:
    """Draw what each hinge allows as an arc round its axis, and where it stands at rest."""
    for handle in handles:
        if handle.kind != HINGE:
            continue
        radius = ARCS[handle.letter if handle.letter < VIEW else (handle.letter - VIEW - 1) % len(ARCS)]
        if handle.hi - handle.lo > 2.0 * np.pi + 1e-9 and np.isfinite(handle.lo) == np.isfinite(handle.hi):
            _draw_circle(painter, view, handle, radius - ARC_BAND)
            continue
        lo, hi = max(handle.lo, -np.pi), min(handle.hi, np.pi)
        path = manipulators.band(view, handle, lo, hi, radius, radius - ARC_BAND)
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.6), 1.0))
        painter.setBrush(paint.color(view.theme, handle.token, 0.6))
        painter.drawPath(path)
        ends = manipulators.ring_points(view, handle, radius + 1.5, np.array([handle.value]))
        inner = manipulators.ring_points(view, handle, radius - ARC_BAND - 1.5, np.array([handle.value]))
        painter.setPen(QPen(paint.color(view.theme, "text"), 1.6))
        painter.drawLine(_point(inner[0]), _point(ends[0]))


def _draw_circle(painter: QPainter, view: SceneView, handle: manipulators.Handle, radius: float) -> None:
    """Draw a thin ring: the hinge turns all round."""
    points = [_point(row) for row in manipulators.ring_points(view, handle, radius)]
    paint.stroke_line(painter, view.theme, points, handle.token, 1.2, halo=0.8, alpha=0.55)


def _draw_letters(painter: QPainter, view: SceneView, handles: Handles) -> None:
    theme = view.theme
    for handle in handles:
        _, end = _axis_end(view, handle)
        box = QRectF(end.x() - 7.0, end.y() - 7.0, 14.0, 14.0)
        painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(theme, handle.token))
        if handle.kind != HINGE:
            painter.drawRoundedRect(box, 2.0, 2.0)
        else:
            painter.drawEllipse(box)
        painter.setPen(paint.color(theme, "halo"))
        painter.setFont(paint.font(9.5, 600))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, handle.mark)
