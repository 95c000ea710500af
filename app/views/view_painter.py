"""What a view paints over its picture, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter

from app.marks import (
    bone_lines,
    bones,
    cone_marks,
    conflict_marks,
    control_marks,
    limit_arcs,
    lock_marks,
    overlays,
    paint,
    reach_marks,
    safe_frame,
    spline_path,
    touching,
    view_cube,
)
from app.marks.balance_marks import BalanceMarks
from app.marks.ghost_marks import GhostLabel, draw_ghost_labels, ghost_labels
from app.marks.marks import Marks
from app.marks.physics_tags import PhysicsTags
from app.marks.tag_places import TagPlaces
from app.marks.trail_marks import draw_beads
from app.words.keys_now import key_of
from app.words.part_names import part_name

if TYPE_CHECKING:
    from app.views.view import View

CHIP_GAP = 8.0
CUBE_INSET = QPointF(56.0, 54.0)
AXES_INSET = QPointF(48.0, 44.0)
_LEGEND_SHARE = 0.55
"""A legend that would take more of the view's width has no words."""
_FINE_GRID = 4.0
"""Below this many pixels a cell of 25 cm is no longer drawn."""


class ViewPainter:
    """Paints the overlays of one view.

    Args:
        view: The view.
    """

    def __init__(self, view: View):
        self.view = view
        self.marks = Marks(view.host.scene)
        self.places = TagPlaces(view.host.scene)
        self.balance = BalanceMarks(view.host.scene)
        self.physics = PhysicsTags(view.host.scene)
        self._balls, self._cube, self._legend = paint.Cached(), paint.Cached(), paint.Cached()
        self._tool_chip, self._grid_chip = paint.Cached(), paint.Cached()
        self._labelled: tuple[object, tuple[object, ...]] | None = None  # what the labels of ghosts were placed for

    def failure(self, painter: QPainter) -> None:
        """Say why there is no picture."""
        view = self.view
        painter.fillRect(view.rect(), paint.color(view.theme, "sky_horizon"))
        if not view.small:
            painter.setPen(paint.color(view.theme, "text2"))
            painter.setFont(paint.font(12.0))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            text = f"The figure cannot be drawn: {view.host.service.failure}"
            painter.drawText(QRectF(view.rect()).adjusted(24, 24, -24, -24), flags, text)

    def small(self, painter: QPainter) -> None:
        """Paint what a small view shows: centre of mass, goal, axes."""
        view = self.view
        goal = view.host.document.session.drag.goal
        if view.host.scene.at_rest:
            bones.draw(painter, view, view.host.scene, view.shown)
        elif (bare := view.host.scene.bare_bones) is not None:
            bone_lines.draw_ghosts(bare, painter, view, view.host.scene, small=True)
            bone_lines.draw_bones(bare, painter, view, view.host.scene, view.shown, small=True)
        self.marks.paint(painter, view, small=True)
        self._paint_controls(painter, small=True)
        lock_marks.draw_small(painter, view, view.host.scene.locks.marks)
        if view.host.document.session.view.overlays.get("ellipsoid", False):
            view.host.ellipsoid.paint(painter, view, small=True)
        if goal is not None:
            reach_marks.draw_goal(painter, view, goal, small=True)
        if view.camera.orthographic:
            overlays.draw_flat_axes(painter, view.theme, view.camera, QRectF(view.rect()))

    def large(self, painter: QPainter, cursor: QPointF | None, cube: tuple[float, float, float] | None) -> None:
        """Paint what the work area shows.

        Args:
            painter: Where to draw.
            cursor: Where the pointer is, [px]; None outside the view.
            cube: Direction of the view cube's part under the pointer, or None.
        """
        view, host = self.view, self.view.host
        session, scene = host.document.session, host.scene
        if scene.skeleton is None:
            view.hovering.labels = []
            return
        self._paint_frame(painter)
        if not scene.at_rest and scene.bare_bones is not None:
            bone_lines.draw_ghosts(scene.bare_bones, painter, view, scene, small=False)
            bone_lines.draw_bones(scene.bare_bones, painter, view, scene, scene.poses, small=False)
        labels = view.hovering.labels = self._ghost_labels()
        self.marks.paint(painter, view, small=False)
        draw_ghost_labels(painter, view, labels, session.view.hovered_ghost)
        if session.view.overlays.get("axes", True):
            self._paint_axes(painter, cube)
        spline_path.draw(painter, view, scene)
        touching.draw(painter, view, scene)
        if scene.at_rest:
            bones.draw(painter, view, scene)
        self._paint_controls(painter, small=False)
        taken = self._corners() + self._paint_locks(painter)
        taken += draw_beads(painter, view, scene)
        taken += self.physics.paint(painter, view, taken)
        host.toolbox.paint(view, painter)
        goal = session.drag.goal
        if goal is not None and session.drag.chain is not None:
            overlays.draw_chain(painter, view, scene, session.drag.chain, goal.effector)
        shows_ellipsoid = session.view.overlays.get("ellipsoid", False)
        if shows_ellipsoid:
            host.ellipsoid.paint(painter, view, small=False)
        if goal is not None:
            if (hindrance := goal.hindrance) is not None and hindrance.stops:
                limit_arcs.draw(painter, view, limit_arcs.blocked_handles(scene, hindrance.stops))
                cone_marks.draw(painter, view, cone_marks.blocked_cones(scene, hindrance.stops))
            reach_marks.draw_goal(painter, view, goal)
            tag = reach_marks.draw_tag(painter, view, goal, self.places, taken)
        else:
            self.places.forget()
            tag = host.toolbox.current.tag_box
        if shows_ellipsoid:
            host.ellipsoid.paint_tag(painter, view, taken if tag is None else [*taken, tag])
        self._paint_chips(painter)
        hover = session.view.hover
        if hover is not None and cursor is not None and not self._dragging:
            name = session.view.hovered_control or scene.skeleton.joints[hover].name
            words = (part_name(name), self.physics.force_on(hover))
            overlays.draw_tooltip(painter, view, cursor, " · ".join(word for word in words if word))

    def _paint_frame(self, painter: QPainter) -> None:
        """Paint the frame of the movie that would be exported, if it is wanted."""
        view, shown, shot = self.view, self.view.host.document.session.view, self.view.host.shot
        through = shot is not None and shot.on and view.kind == "perspective"
        if not through and not shown.overlays["safe_frame"]:
            return
        room = QRectF(view.rect())
        share = shot.share if through and shot is not None else 1.0
        box = safe_frame.frame_box(room, shown.frame_shape, share)
        safe_frame.draw(painter, view.theme, room, box, shown.overlays["safe_frame"])
        if through and shot is not None:
            words = shot.words()
            width, height = paint.chip_size(words, 11.0)
            low = min(box.bottom() - height - 6.0, room.bottom() - height - CHIP_GAP)
            rect = QRectF(round(room.center().x() - 0.5 * width), round(low), width, height)
            paint.draw_chip(painter, view.theme, rect, words, "text2", None, 11.0)

    @property
    def _dragging(self) -> bool:
        """Whether something is dragged, here or elsewhere: what hovering shows would only run along with it."""
        return self.view.host.toolbox.active or QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton

    def _ghost_labels(self) -> list[GhostLabel]:
        """Return the labels of ghosts: while a part is dragged they stay where they were when the drag began."""
        view, scene = self.view, self.view.host.scene
        camera = repr(view.camera.to_json())
        seen = (camera, view.width(), view.height(), scene.document.session.view.hovered_ghost, scene.document.frame)
        dragged, ghosts = scene.document.gesture is not None, tuple(scene.ghosts)
        before = self._labelled
        if dragged and before is not None and before[0] == seen and len(before[1]) == len(ghosts):
            if all(ghost is other for ghost, other in zip(ghosts, before[1], strict=True)):
                return view.hovering.labels
        self._labelled = seen, ghosts
        return ghost_labels(view, scene)

    def _corners(self) -> list[QRectF]:
        """Return the boxes of axes and view cube, which no tag should cover."""
        view, found = self.view, []
        if self.view.host.document.session.view.overlays.get("axes", True) and not view.camera.orthographic:
            found.append(QRectF(AXES_INSET.x() - 44.0, view.height() - AXES_INSET.y() - 44.0, 88.0, 88.0))
            middle, reach = self.cube_center(), view_cube.REACH
            found.append(QRectF(middle.x() - reach, middle.y() - reach, 2.0 * reach, 2.0 * reach))
        return found

    def _paint_locks(self, painter: QPainter) -> list[QRectF]:
        """Paint the locks of the current frame and the path of the selected one; return the boxes of their tags."""
        view, host = self.view, self.view.host
        session, scene, tool = host.document.session, host.scene, host.toolbox.locks
        if (strip := tool.selected_strip) is not None:
            tool.path.draw(painter, view, strip, host.document.frame, tool.lit_key)
        marks = scene.locks.marks
        if view.accessibleDescription() != (said := lock_marks.describe(marks, scene)):
            view.setAccessibleDescription(said)
        if not marks:
            return []
        room = QRectF(view.rect()).adjusted(0.0, reach_marks.HEADER, 0.0, 0.0)
        free = room.adjusted(0.0, 0.0, 0.0, -(2.0 * CHIP_GAP + paint.CHIP_HEIGHT))  # the legend stands below
        margins = self.balance.paint(painter, view, marks, free)
        shown = lock_marks.placed(view, marks)
        hovered, selected = session.locks.hovered, session.locks.selected
        lock_marks.draw(painter, view, shown, hovered, selected)
        quiet = tool.held.id if tool.held is not None else None  # its tag says already how far it is off
        lit = tuple(id for id in (hovered, selected) if id is not None)
        taken = conflict_marks.draw(
            painter, view, scene, marks, room, lit, [*(each.box() for each in shown), *margins], quiet
        )
        each = None if self._dragging else next((each for each in shown if each.mark.id == hovered), None)
        taken += margins
        return taken if each is None else [*taken, lock_marks.draw_label(painter, view, each, scene, room)]

    def _paint_controls(self, painter: QPainter, small: bool) -> None:
        host = self.view.host
        document, hovered = host.document, host.document.session.view.hovered_control
        control_marks.draw(painter, self.view, host.scene, hovered, document.selection.joints, small)

    def cube_center(self) -> QPointF:
        """Return the middle of the view cube, [px]."""
        return QPointF(self.view.width() - CUBE_INSET.x(), CUBE_INSET.y())

    def _paint_axes(self, painter: QPainter, cube: tuple[float, float, float] | None) -> None:
        view, camera, theme = self.view, self.view.camera, self.view.theme
        if camera.orthographic:
            box = QRectF(view.rect()).adjusted(8.0, 40.0, -8.0, -8.0)
            overlays.draw_flat_axes(painter, theme, camera, box, arm=26.0)
            return
        center = QPointF(AXES_INSET.x(), view.height() - AXES_INSET.y())
        key = (theme.name, camera.yaw, camera.pitch)
        box = QRectF(center.x() - 44.0, center.y() - 44.0, 88.0, 88.0)
        self._balls.draw(painter, box, key, lambda p: overlays.draw_axis_balls(p, theme, camera, center))
        middle, reach = self.cube_center(), view_cube.REACH
        box = QRectF(middle.x() - reach, middle.y() - reach, 2.0 * reach, 2.0 * reach)
        self._cube.draw(painter, box, (*key, cube), lambda p: view_cube.draw(p, theme, camera, middle, cube))

    def _paint_chips(self, painter: QPainter) -> None:
        view, document = self.view, self.view.host.document
        tool = view.host.toolbox.current
        text = tool.chip()
        if text:
            width, height = paint.chip_size(text, 12.0)
            box = QRectF(view.chip_left, CHIP_GAP, width, height)
            tokens = tool.chip_tokens
            key = (view.theme.name, text, *tokens)
            self._tool_chip.draw(painter, box, key, lambda p: paint.draw_chip(p, view.theme, box, text, *tokens))
        right = view.width() - CHIP_GAP
        shown = document.session.view.overlays
        if shown.get("grid", True) and not shown["studio"]:
            fine = 0.25 / view.camera.pixel_size(view.height()) >= _FINE_GRID
            words = "Grid 25 cm" if fine else "Grid 1 m"
            width, height = paint.chip_size(words, 11.0)
            rect = QRectF(right - width, view.height() - CHIP_GAP - height, width, height)
            grid_key = (view.theme.name, words)
            self._grid_chip.draw(painter, rect, grid_key, lambda p: self._draw_grid_chip(p, rect, words))
            right -= width + CHIP_GAP
        left = self._paint_legend(painter, right)
        if document.pending and not view.host.scene.at_rest:
            text = f"Pose not keyed — press {key_of('set_key')}"
            crowded = left < 0.5 * (view.width() + paint.chip_size(text)[0]) + CHIP_GAP
            overlays.draw_badge(painter, view, text, CHIP_GAP + (paint.CHIP_HEIGHT + 4.0 if crowded else 0.0))

    def _draw_grid_chip(self, painter: QPainter, rect: QRectF, words: str) -> None:
        paint.draw_chip(painter, self.view.theme, rect, words, "text2", None, 11.0, 500, opacity=0.72)

    def _paint_legend(self, painter: QPainter, right: float) -> float:
        """Paint what the glyphs of the locks shown mean, its right end at a place; return its left end."""
        view = self.view
        if view.host.scene.physics.shown:
            return self.physics.paint_legend(painter, view, right, view.height() - CHIP_GAP, right - CHIP_GAP)
        kinds = lock_marks.legend_kinds(view.host.scene.locks.marks)
        if not kinds:
            return right
        words = lock_marks.legend_size(kinds)[0] <= _LEGEND_SHARE * view.width()
        width, height = lock_marks.legend_size(kinds, words)
        box = QRectF(right - width, view.height() - CHIP_GAP - height, width, height)
        key = (view.theme.name, kinds, words)
        self._legend.draw(painter, box, key, lambda p: lock_marks.draw_legend(p, view.theme, box, kinds, words))
        return float(box.left())
