"""One view of the figure: the renderer's picture with the overlays painted on top, and the mouse."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QEvent, QPoint, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.marks import bones, paint
from app.marks.both_sides import helping
from app.process.handler_guard import guarded
from app.render.lights import lights_of
from app.render.picture import Picture
from app.render.service import as_image
from app.scene.pointing import Pointer
from app.views.host import TITLES, Host
from app.views.hovering import Hovering
from app.views.navigation import DURATION, Navigation
from app.views.view_painter import CHIP_GAP, ViewPainter
from app.widgets.behaviour.own_keys import OwnKeysMixin, means

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.render.camera import Camera

Array = NDArray[np.float64]

JUST = 0.1  # [s]
_HELD = Qt.KeyboardModifier
_NUDGES = {"nudge_left": (-1, 0), "nudge_right": (1, 0), "nudge_up": (0, 1), "nudge_down": (0, -1)}
_FINE = dict(zip((Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down), _NUDGES.values(), strict=True))
_CURSORS = {
    "orbit": Qt.CursorShape.ClosedHandCursor,
    "pan": Qt.CursorShape.SizeAllCursor,
    "zoom": Qt.CursorShape.SizeVerCursor,
}


class View(OwnKeysMixin, QWidget):
    """A view.

    Args:
        host: What the views have in common.
        kind: Which camera: ``"perspective"``, ``"front"``, ``"side"`` or ``"top"``.
        small: Whether it is one of the four small ones; they show less and may lag behind.
        parent: Owner.

    Signals:
        camera_moved(str): The camera of this kind was moved by hand.
        turned(tuple): The view cube asks to look from a direction.
        frame_requested(int): A ghost's label was clicked.
        menu_requested(QPoint, object): A right click at a global position, on a joint or on None.
        changed_status(): What the status line should say may have changed.
        resized(): It has another size.
    """

    camera_moved = Signal(str)
    turned = Signal(tuple)
    frame_requested = Signal(int)
    menu_requested = Signal(QPoint, object)
    changed_status = Signal()
    resized = Signal()

    def __init__(self, host: Host, kind: str, small: bool = False, parent: QWidget | None = None):
        super().__init__(parent)
        self.host = host
        self.kind = kind
        self.small = small
        self.accented = False
        self.chip_left: float = CHIP_GAP
        self.shown = host.scene.poses  # in the picture: a small view may lag behind
        self.navigation = Navigation(lambda: self.camera)
        self._over = ViewPainter(self)
        self._image: QImage | None = None
        self._pixels: NDArray[np.uint8] | None = None
        self._stale = True
        self._smooth = False
        self._drawn_at = -JUST
        self._old: QImage | None = None
        self.hovering = Hovering(self, self._over.cube_center)
        self._ring = False
        self._fade = QVariantAnimation(self)
        self._fade.setStartValue(1.0)
        self._fade.setEndValue(0.0)
        self._fade.setDuration(DURATION)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.valueChanged.connect(lambda _: self.update())
        self._fade.finished.connect(self._faded)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if small else Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._name()

    def _name(self) -> None:
        self.setAccessibleName(f"{TITLES[self.kind]} view" + ("" if self.small else ", work area"))
        self.setObjectName(f"view-{self.kind}" if self.small else "work-view")

    # -- what tools ask ------------------------------------------------------------------------------------------

    @property
    def camera(self) -> Camera:
        """The camera it looks through, shared with the other view of the same kind."""
        return self.host.cameras[self.kind]

    @property
    def theme(self) -> Theme:
        """Colours."""
        return self.host.scene.theme

    @property
    def aspect(self) -> float:
        """Width over height."""
        return max(self.width(), 1) / max(self.height(), 1)

    def ray(self, x: float, y: float) -> tuple[Array, Array]:
        """Return origin and unit direction of the ray under a logical pixel."""
        return self.camera.ray(x, y, self.width(), self.height())

    def project(self, points: Array) -> Array:
        """Return logical pixels and depth of world points, shape (m, 3)."""
        return self.camera.project(points, self.width(), self.height())

    def pixel_size(self, point: Array) -> float:
        """Return how many metres a logical pixel covers at a world point."""
        return self.camera.pixel_size(self.height(), point)

    # -- picture -------------------------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """Whether the picture no longer shows the document."""
        return self._stale

    @property
    def waits(self) -> bool:
        """Whether it is about to be painted for the first time since its picture went out of date."""
        return self._stale and self.isVisible()

    @property
    def just_drawn(self) -> bool:
        """Whether a fast picture has only just been drawn: a finer one would keep the person waiting."""
        return not self._smooth and self.isVisible() and monotonic() - self._drawn_at < JUST

    @property
    def rough(self) -> bool:
        """Whether the picture was drawn fast, with jagged edges."""
        return not self._smooth

    def invalidate(self) -> None:
        """Note that the picture is out of date: a large view draws at its next paint, a small one when asked to."""
        self._stale = True
        if not self.small or not self.host.interacting:
            self.update()

    def refresh(self) -> None:
        """Draw the picture now if it is out of date or could be smoother, and repaint."""
        samples = self.host.samples
        if self._stale or (samples and not self._smooth):
            self._render(samples)
            self.update()

    def show_kind(self, kind: str, fade: bool) -> None:
        """Look through another camera; the old picture fades out."""
        if kind == self.kind:
            return
        if fade and self._image is not None and self.isVisible():
            self._old = self._image.copy()
            self._fade.stop()
            self._fade.start()
        self.kind = kind
        self._name()
        self.invalidate()

    def _faded(self) -> None:
        self._old = None
        self.update()

    def picture(self) -> Picture:
        """Return what the renderer should draw."""
        return picture_for(self)

    def _render(self, samples: int) -> None:
        ratio = self.devicePixelRatioF()
        width, height = max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))
        host = self.host
        self.shown = host.scene.poses
        self._pixels = host.service.draw(
            host.scene.drawn, self.camera, self.picture(), width, height, self.theme, samples
        )
        self._image = None if self._pixels is None else as_image(self._pixels, ratio)
        self._stale = False
        self._smooth = samples > 0
        self._drawn_at = monotonic()

    def image(self) -> QImage | None:
        """Return the picture without overlays, smooth, in device pixels; None if nothing can be drawn."""
        if self._stale or not self._smooth:
            self._render(4)
        return self._image

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint picture and overlays."""
        fits = self._image is not None and self._image.deviceIndependentSize().toSize() == self.size()
        if not self.small and self._stale:
            self._render(self.host.samples)
        elif self._image is None and self.host.interacting:
            pass  # the first picture comes with its turn, after that of the work area
        elif self._image is None or not fits or (self._stale and not self.host.interacting):
            self._render(self.host.samples)
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if self._image is not None:
            painter.drawImage(QPointF(0.0, 0.0), self._image)
        else:
            self._over.failure(painter)
        if self._old is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setOpacity(float(self._fade.currentValue()))
            painter.drawImage(rect, self._old)
            painter.setOpacity(1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.small:
            self._over.small(painter)
        else:
            self._over.large(painter, self.hovering.cursor, self.hovering.cube)
        paint.cut_corners(painter, rect, paint.color(self.theme, "win"), top=not self.small)
        if self.accented or self._ring:
            ring = self._ring and self.hasFocus()
            painter.setPen(QPen(paint.color(self.theme, "accent" if ring else "acc_line"), 2.0 if ring else 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = 1.0 if ring else 0.5
            if self.accented and not ring:
                box = rect.adjusted(inset, -8.0, -inset, -inset)
            else:
                box = rect.adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
        painter.end()

    # -- mouse ---------------------------------------------------------------------------------------------------

    def _pointer(self, event: QMouseEvent) -> Pointer:
        at, held = event.position(), event.modifiers()
        return Pointer(at.x(), at.y(), bool(held & _HELD.ShiftModifier), bool(held & _HELD.ControlModifier))

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a camera move or a tool's gesture, or press one of the marks."""
        if self._ring:  # the mouse has taken over from the keyboard
            self._ring = False
            self.update()
        self.hovering.cursor = event.position()
        if self.host.toolbox.active:
            if event.button() != Qt.MouseButton.LeftButton:
                return
            self.host.toolbox.release(self, self._pointer(event))  # the release went elsewhere
        if self.navigation.press(event):
            self.host.toolbox.current.leave()
            self._set_cursor()
            self.update()
            return
        if event.button() != Qt.MouseButton.LeftButton or self.host.scene.skeleton is None:
            return
        direction = self.hovering.cube_at(event.position())
        if direction is not None:
            self.turned.emit(direction)
            return
        frame = self.hovering.label_at(event.position())
        if frame is not None:
            self.frame_requested.emit(frame)
            return
        self.host.toolbox.press(self, self._pointer(event))
        self.refresh_status()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Carry on what the press began, else show what a click would grab."""
        self.hovering.cursor = event.position()
        toolbox, held = self.host.toolbox, bool(event.buttons() & Qt.MouseButton.LeftButton)
        if self.navigation.active:
            self.navigation.move(event, self.width(), self.height())
            self.camera_moved.emit(self.kind)
        elif toolbox.active and not event.buttons():
            toolbox.release(self, self._pointer(event))  # the release went elsewhere, to a dialog perhaps
        elif held or not event.buttons():
            if held:
                toolbox.move(self, self._pointer(event))
            if not toolbox.active and self.host.scene.skeleton is not None:  # also after Esc, the button still down
                self.hovering.look(event.modifiers())
            self.refresh_status()
        self._set_cursor()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End what the press began."""
        if self.navigation.active:
            self.navigation.release()
            self.camera_moved.emit(self.kind)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.host.toolbox.release(self, self._pointer(event))
            self.refresh_status()
        self._set_cursor()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the whole group of a part, or hold a control point."""
        plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers() & _HELD.AltModifier
        if plain and self.host.scene.skeleton is not None and self.hovering.cube_at(event.position()) is None:
            self.host.toolbox.double_click(self, self._pointer(event))
        else:
            self.mousePressEvent(event)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor."""
        self.hovering.cursor = event.position()
        if self.navigation.wheel(event, self.width(), self.height()):
            self.camera_moved.emit(self.kind)
        event.accept()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the part under the pointer."""
        if event.modifiers() & _HELD.AltModifier or self.host.toolbox.active:
            return
        self.menu_requested.emit(event.globalPos(), self.host.toolbox.part_at(self, event.pos().x(), event.pos().y()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        """Show no part as hovered any more."""
        self.hovering.leave()
        self.refresh_status()
        self.update()

    def _set_cursor(self) -> None:
        shape = _CURSORS.get(self.navigation.mode, self.host.toolbox.current.cursor)
        if self.cursor().shape() != shape:
            self.setCursor(shape)

    def refresh_status(self) -> None:
        """Announce that the status line may have to say something new, and paint the overlays again."""
        self.changed_status.emit()
        if not self.small:
            self.update()

    # -- keys ----------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        """Claim a gesture's keys and those that nudge in the plane of this view before the window's shortcuts do."""
        nudges = bool(self.host.document.selection.joints) and _nudge(event) is not None
        guides = (Qt.Key.Key_Escape, Qt.Key.Key_X, Qt.Key.Key_Y, Qt.Key.Key_Z)
        return (
            nudges
            or (self.host.toolbox.active and event.key() in guides)
            or self.host.toolbox.current.claims(event.key())
        )

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc and Ctrl+Z cancel a gesture, X, Y, Z guide it; others nudge the part."""
        toolbox, key = self.host.toolbox, event.key()
        undoes = key == Qt.Key.Key_Z and bool(event.modifiers() & _HELD.ControlModifier)
        if (key == Qt.Key.Key_Escape or undoes) and toolbox.cancel():
            self.refresh_status()
        elif toolbox.current.key(key):
            self.refresh_status()
        elif (nudge := _nudge(event)) is not None:
            toolbox.nudge(self, *nudge)
        else:
            super().keyPressEvent(event)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus ring if the keyboard brought the focus."""
        self._ring = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus ring."""
        self._ring = False
        self.update()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw a picture of the new size."""
        self.invalidate()
        self.resized.emit()

    @guarded
    def sizeHint(self) -> QSize:
        """Return the size of the design: 824x564, small views 200x116."""
        return QSize(200, 116) if self.small else QSize(824, 564)


def _nudge(event: QKeyEvent) -> tuple[int, int, bool] | None:
    """Return how far a key nudges a part to the right and up, and whether finely; None if it does not nudge."""
    for action, (right, up) in _NUDGES.items():
        if means(event, action):
            return right, up, False
    held = event.modifiers() & ~_HELD.KeypadModifier
    fine = _FINE.get(Qt.Key(event.key())) if held == _HELD.AltModifier | _HELD.ControlModifier else None
    return None if fine is None else (*fine, True)


def picture_for(view: View) -> Picture:
    """Return what the renderer should draw."""
    scene, session = view.host.scene, view.host.document.session
    chain, shown, keyed = session.drag.chain, session.view.overlays, scene.physics.ghost
    ghosts = [(ghost.poses, ghost.token, ghost.strength) for ghost in scene.ghosts]
    return Picture(
        poses=scene.body_poses if scene.skeleton is not None else None,
        ghosts=ghosts if keyed is None else [keyed],
        ghost_joints=scene.ghost_figures.joints if keyed is None else None,
        hover=set() if chain is not None or session.view.hover is None else {session.view.hover},
        selected=set(view.host.document.selection.joints),
        chain=set(session.view.flash if chain is None else chain.joints),
        **(scene.locks.helping() if chain is None else helping(session, scene.skeleton, chain.joints)),
        grid=bool(shown.get("grid", True)),
        silhouette=bool(shown.get("silhouette", False)),
        small=view.small,
        scale=view.devicePixelRatioF(),
        body=bones.SEEN_THROUGH if scene.at_rest else scene.physics.opacity,
        loose=scene.at_rest,
        physics=scene.physics.picture,
        solids=scene.world_around.solids,
        ground=scene.world_around.ground,
        terrain=scene.world_around.terrain,
        lights=lights_of(session.view.lights, session.view.key_light),
        backdrop="studio" if shown.get("studio", False) else "stage",
    )
