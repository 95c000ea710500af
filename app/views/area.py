"""The work area and the four small views beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    MessageShown,
    PhysicsChanged,
    SelectionChanged,
    SessionChanged,
)
from app.marks import paint, view_cube
from app.process.handler_guard import guarded
from app.render.camera import KINDS, CameraError
from app.render.service import Draws, RenderService
from app.scene.ghosts import GHOST_SESSION
from app.scene.slices import Slices
from app.tools.base import Hint
from app.views import fitting
from app.views.following import Follower
from app.views.header import ViewButton
from app.views.host import ORDER, Host
from app.views.hovering import HoverKeeper
from app.views.navigation import CameraGlide
from app.views.shot_view import ShotView
from app.views.small_view import SmallView, TitleStrip
from app.views.view import View
from app.views.view_painter import CHIP_GAP
from core.skeleton.extent import figure_height

if TYPE_CHECKING:
    from app.document.document import Document

SETTLE = 150
"""After this long without a change the views are drawn again with smooth edges, [ms]."""
SMALL_INTERVAL = 33
"""While something moves on a software renderer, one small view is drawn this often, [ms]."""
COMPACT_WIDTH = 1150
"""In windows narrower than this the small views become a row of titles, [px]."""
COLUMN_WIDTH = 200
GAP = 4

_PICTURE_SESSION = GHOST_SESSION | {
    "lights", "key_light", "hover", "hovered_lock", "chain", "flash", "overlays", "theme", "mode", "preview",
    "hovered_figure", "hidden_figures", "hovered_control",
}  # fmt: skip


class ViewportArea(QWidget):
    """One large view to work in and four small ones: front, side, top, perspective.

    Args:
        document: The open document.
        renderer: What draws; None makes the OpenGL renderer at the first picture.
        software: Whether drawing is slow; None asks the graphics driver.
        parent: Owner.

    Signals:
        view_changed(str): Another view is in the work area.
        status_changed(): ``hints()`` or ``status()`` may say something new.
        menu_requested(QPoint, object): A right click in a view, on a joint or on None.
    """

    view_changed = Signal(str)
    status_changed = Signal()
    menu_requested = Signal(QPoint, object)

    def __init__(
        self,
        document: Document,
        renderer: Draws | None = None,
        software: bool | None = None,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.document = document
        service = RenderService(renderer, software)
        self.destroyed.connect(lambda: service.dispose())
        self.host = Host(document, service)
        self.work_view = View(self.host, "perspective", parent=self)
        self.small_views = {kind: SmallView(self.host, kind, self) for kind in ORDER}
        self.chips = {kind: TitleStrip(self.host, kind, chip=True, parent=self) for kind in ORDER}
        self.view_button = ViewButton(self.host, self.work_view)
        self.empty: QWidget | None = None
        self._glide = CameraGlide(lambda: self._camera_changed(self.kind), self)
        self._follower = Follower(self.host, self._glide.carry, self.touch, self)
        self.shot = ShotView(self.host, lambda: self.work_view.aspect, self)
        self._hover = HoverKeeper(self.host, self.views(), self)
        self._slices = Slices(self.host.scene, self.work_view.update, self.touch, self)
        self._compact = False
        self._framed_for: object = None
        self._next_small = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE)
        self._settle.timeout.connect(self._refine_next)
        self._small_timer = QTimer(self, interval=SMALL_INTERVAL)
        self._small_timer.timeout.connect(self._draw_one_small)
        self._build()
        self._connect()
        self._mark_current()
        self._take_figure()

    def _build(self) -> None:
        self._column = QWidget(self)
        column = QVBoxLayout(self._column)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        for small in self.small_views.values():
            column.addWidget(small, 1)
        self._column.setFixedWidth(COLUMN_WIDTH)
        self._row = QWidget(self)
        row = QHBoxLayout(self._row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        for kind in ORDER:
            row.addWidget(self.chips[kind], 1)
        self._row.hide()
        layout = self._grid = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.setRowMinimumHeight(1, 320)
        layout.addWidget(self._row, 0, 0, 1, 2)
        layout.addWidget(self.work_view, 1, 0)
        layout.addWidget(self._column, 1, 1)
        layout.setColumnStretch(0, 1)
        layout.setRowStretch(1, 1)
        self.work_view.setMinimumSize(480, 320)
        self.view_button.move(round(CHIP_GAP), 7)
        self.work_view.chip_left = CHIP_GAP + self.view_button.width() + 6.0
        self.setFocusProxy(self.work_view)

    def _connect(self) -> None:
        self.document.changed.connect(self._take)
        self.document.drag_changed.connect(self._take_drag)
        for view in self.views():
            view.camera_moved.connect(self._camera_moved)
            view.frame_requested.connect(self.document.set_frame)
            view.changed_status.connect(self.status_changed)
            view.menu_requested.connect(self.menu_requested)
        self.work_view.turned.connect(self.look_from)
        self.work_view.resized.connect(self._place_empty)
        self.work_view.resized.connect(self.shot.show)
        self.host.shot = self.shot
        for kind in ORDER:
            self.small_views[kind].chosen.connect(self.show_view)
            self.chips[kind].clicked.connect(lambda _=False, kind=kind: self.show_view(kind))
        self.view_button.chosen.connect(self.show_view)
        self.view_button.frame_all_requested.connect(self.frame_all)
        self.view_button.frame_selected_requested.connect(self.frame_selected)

    # -- what the window asks ------------------------------------------------------------------------------------

    def views(self) -> list[View]:
        """Return all views, the work area first."""
        return [self.work_view, *(small.view for small in self.small_views.values())]

    @property
    def kind(self) -> str:
        """Which view is in the work area."""
        return self.work_view.kind

    @property
    def compact(self) -> bool:
        """Whether the small views are reduced to a row of titles."""
        return self._compact

    def hints(self) -> list[Hint]:
        """Return (key, what it does) for everything that works now; [] without a figure."""
        return self.host.toolbox.hints() if self.host.scene.skeleton is not None else []

    def status(self) -> str:
        """Return what goes on, in one line, or ""."""
        return self.host.toolbox.current.status() if self.host.scene.skeleton is not None else ""

    def set_empty(self, widget: QWidget) -> None:
        """Show a widget in place of the view in the work area as long as there is no figure."""
        self.empty = widget
        widget.setParent(self.work_view)
        widget.setVisible(self.host.scene.skeleton is None)
        self._place_empty()

    def cancel(self) -> bool:
        """Give up the gesture in progress, as Esc does; return whether there was one."""
        return self.host.toolbox.cancel()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Say whether cameras jump instead of gliding."""
        self.host.reduced_motion = reduced

    def show_view(self, kind: str) -> None:
        """Bring a view into the work area.

        Raises:
            CameraError: If there is no view of this name.
        """
        if kind not in KINDS:
            raise CameraError(f'no view "{kind}"; there are {", ".join(KINDS)}')
        if kind == self.kind:
            return
        self.cancel()
        self._glide.stop()
        self.work_view.show_kind(kind, fade=not self.host.reduced_motion)
        self._mark_current()
        self.touch()
        self._hover.schedule()
        self.view_changed.emit(kind)

    def frame_all(self) -> None:
        """Fit all that is seen into all views: the figure, what it moves among, and the keyed motion behind it."""
        if self.host.scene.skeleton is not None:
            self._frame(None, everything=True)
            fitting.fit_others(self.host.cameras, self.kind, self.host.scene, fitting.common_aspect(self.views()))
            self.touch()

    def frame_selected(self) -> None:
        """Fit the selected parts into the view in the work area; the figure alone if none is selected."""
        self._frame(tuple(self.document.selection.joints) or None)

    def look_from(self, direction: tuple[float, float, float]) -> None:
        """Turn the perspective camera so that it looks from a direction."""
        goal = (camera := self.host.cameras["perspective"]).copy()
        goal.yaw, goal.pitch = view_cube.angles(direction)
        self._glide.go(camera, goal, self.host.reduced_motion)

    def grab_work_view(self) -> QImage | None:
        """Return the work area's picture without overlays, smooth, in device pixels; None if it cannot be drawn."""
        return self.work_view.image()

    def dispose(self) -> None:
        """Free what the graphics driver holds; call when the window closes."""
        self._settle.stop()
        self._small_timer.stop()
        self._hover.stop()
        self._slices.stop()
        self._glide.stop()
        self._follower.stop()
        self.shot.stop()
        self.host.service.dispose()

    def settle(self) -> None:
        """Draw every view that is out of date or rough, now and smoothly."""
        self._settle.stop()
        self._small_timer.stop()
        self.host.interacting = False
        for view in self.views():
            if view.isVisible():
                view.refresh()

    def _refine_next(self) -> None:
        """Draw one view smoothly, the work area first; the others follow when the window has had its turn."""
        if self.work_view.waits or self.work_view.just_drawn:
            return self._settle.start(SETTLE)  # what opened took longer than this timer waits
        self.host.interacting = False
        self._small_timer.stop()
        smoothly = self.host.samples > 0  # else what has been drawn stays as it is
        rough = [view for view in self.views() if view.isVisible() and (view.stale or (smoothly and view.rough))]
        if rough:
            rough[0].refresh()
        if len(rough) > 1:
            self._settle.start(0)

    def view_state(self) -> dict[str, object]:
        """Return cameras and the view in the work area as JSON values."""
        return {"work": self.kind, "cameras": self.host.cameras_to_json() | self.shot.kept()}

    def restore_view_state(self, state: dict[str, object]) -> None:
        """Take cameras and view back; what makes no sense is passed over."""
        self.host.take_cameras(state.get("cameras"))
        work = state.get("work")
        if work in KINDS:
            self.show_view(str(work))
        self.touch()

    # -- keeping up ----------------------------------------------------------------------------------------------

    def touch(self) -> None:
        """Note that all pictures are out of date; the work area is drawn first."""
        self.host.interacting = True
        for view in self.views():
            view.invalidate()
        self._settle.start(SETTLE)
        if not self._small_timer.isActive():
            self._small_timer.start()

    def _draw_one_small(self) -> None:
        """Draw the next small view that is out of date; without hurry while something moves."""
        for _ in () if self.work_view.waits else ORDER:  # what the person looks at comes first
            view = self.small_views[ORDER[self._next_small]].view
            self._next_small = (self._next_small + 1) % len(ORDER)
            if view.stale and view.isVisible():
                view.refresh()
                if self.host.service.software:
                    return
        if not any(small.view.stale and small.view.isVisible() for small in self.small_views.values()):
            self._small_timer.stop()

    def _take(self, change: Change) -> None:
        scene, name = self.host.scene, change.name if isinstance(change, SessionChanged) else None
        root = scene.poses[0, :3, 3].copy() if name == "mode" and scene.skeleton is not None else None
        scene.take(change)
        self._follower.take(change)
        self.shot.take(change)
        self.host.toolbox.take(change)
        self._hover.take(change)
        self._slices.schedule()
        if isinstance(change, PhysicsChanged) and change.name == "picked":
            self._reveal_picked()
        if root is not None:
            self._glide.stop()
            self.host.follow(root)
        if opened := isinstance(change, FileChanged) and change.name == "opened":
            self._framed_for = None
        if opened or isinstance(change, FigureChanged):
            self._take_figure()
        if name == "theme":
            for widget in (*self.chips.values(), *(small.title for small in self.small_views.values())):
                widget.update()
            self.view_button.update()
            self.update()
        if isinstance(change, SessionChanged) and name not in _PICTURE_SESSION:
            self.work_view.update()  # the small views paint their marks with their next picture
        elif not isinstance(change, MessageShown) and change.name not in ("samples", "running"):  # of physics
            self.touch()
        if isinstance(change, (SessionChanged, SelectionChanged, FigureChanged, FileChanged, PhysicsChanged)):
            self.status_changed.emit()

    def _reveal_picked(self) -> None:
        """Show everything where none of what was added to the world, or picked in a panel, is seen in the work area."""
        physics, view = self.document.physics, self.work_view
        if physics.picked is None or not physics.empty or self.host.scene.skeleton is None:
            return
        places = self.host.scene.world_around.places_of(*physics.picked)
        if not len(places):
            return
        pixels = view.project(places)
        seen = (pixels[:, 2] > 0.0) & (pixels[:, :2] >= 0.0).all(axis=1)
        if not (seen & (pixels[:, :2] <= (view.width(), view.height())).all(axis=1)).any():
            self.frame_all()

    def _take_drag(self, name: str) -> None:
        if name == "goal":
            self.work_view.update()
            if self.document.session.drag.goal is None:  # let go
                self._hover.schedule()
                self.status_changed.emit()

    def _take_figure(self) -> None:
        """Frame a figure that is new; invite to open one if there is none."""
        skeleton = self.host.scene.skeleton
        # A figure that was re-rooted has the same joints in another order; one that was there is only chosen.
        identity = None if skeleton is None else self._figures_there()
        if self.empty is not None:
            focus = self.window().focusWidget()
            if skeleton is not None and focus is not None and self.empty.isAncestorOf(focus):
                self.work_view.setFocus()  # else Qt would take the keyboard to the toolbar
            self.empty.setVisible(skeleton is None)
        self.view_button.setVisible(skeleton is not None)
        self._place_empty()
        edited = self.host.scene.at_rest and self._framed_for is not None
        if skeleton is not None and identity != self._framed_for and not edited:  # nor when a limit was edited
            fitting.fit_journey(self.host.cameras.values(), self.host.scene, fitting.common_aspect(self.views()))
        elif edited and identity != self._framed_for:
            fitting.refit_small(self.views()[1:], self.kind, self.host.scene)
        self._framed_for = identity
        self.touch()

    def _figures_there(self) -> tuple[tuple[frozenset[str], float], ...]:
        """Return what tells whether cameras have to see other figures: joints and height of each, in any order."""
        figures = self.document.figures.all
        found = [(frozenset(each.joint_names), round(figure_height(each), 6)) for each in figures]
        return tuple(sorted(found, key=lambda each: (each[1], sorted(each[0]))))

    def _mark_current(self) -> None:
        for kind in ORDER:
            self.small_views[kind].set_current(kind == self.kind)
            self.chips[kind].set_current(kind == self.kind)
        self.view_button.set_kind(self.kind)

    # -- cameras -------------------------------------------------------------------------------------------------

    def zoom(self, factor: float) -> None:
        """Bring the view in the work area closer (above 1) or take it further away, as the wheel does."""
        self.host.cameras[self.kind].zoom(factor)
        self._camera_moved(self.kind)

    def turn(self, right: float, down: float) -> None:
        """Orbit the perspective view, or shift a parallel one, as dragging by so many pixels does."""
        camera = self.host.cameras[self.kind]
        if camera.orthographic:
            camera.pan(-right, -down, self.work_view.width(), self.work_view.height())
        else:
            camera.orbit(right, down)
        self._camera_moved(self.kind)

    def pan(self, right: float, down: float) -> None:
        """Shift the view in the work area, as dragging it by so many pixels does."""
        self.host.cameras[self.kind].pan(right, down, self.work_view.width(), self.work_view.height())
        self._camera_moved(self.kind)

    def nudge(self, right: int, up: int, fine: bool = False, whole: bool = False) -> None:
        """Move what is selected by 1 cm in the plane of the work area, as arrows with Alt do there.

        Args:
            right, up: 1, 0 or -1 steps that way.
            fine: Whether a step is 1 mm.
            whole: Whether the whole figure moves along.
        """
        self.host.toolbox.nudge(self.work_view, right, up, fine, whole)

    def turn_part(self, number: int, direction: int, fine: bool = False) -> str:
        """Turn one angle of the part selected last by a step, as its ring does; return what to say of it."""
        return self.host.toolbox.turn(number, direction, fine)

    def step_selection(self, up: bool) -> None:
        """Select the part above or below the one selected last, as arrows do in a view."""
        self.host.toolbox.step_selection(up=up)

    def _frame(self, joints: tuple[int, ...] | None, everything: bool = False) -> None:
        if self.host.scene.skeleton is None:
            return
        camera = self.host.cameras[self.kind]
        goal = camera.copy()
        fitting.fit_parts(goal, self.host.scene, joints, max(self.work_view.aspect, 1.0), everything)
        self._glide.go(camera, goal, self.host.reduced_motion)

    def _camera_moved(self, kind: str) -> None:
        self._glide.stop()
        self._camera_changed(kind)

    def _camera_changed(self, kind: str) -> None:
        if kind == "perspective":
            self.shot.moved()
        self.host.interacting = True
        self._hover.schedule()
        for view in self.views():
            if view.kind == kind:
                view.invalidate()
        self._settle.start(SETTLE)
        if not self._small_timer.isActive():
            self._small_timer.start()

    # -- layout --------------------------------------------------------------------------------------------------

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the small views away in a narrow window."""
        super().resizeEvent(event)
        self.set_compact(self.window().width() < COMPACT_WIDTH)

    def set_compact(self, compact: bool) -> None:
        """Show the small views as a row of titles above the work area, or in full beside it."""
        if compact == self._compact:
            return
        self._compact = compact
        self._column.setVisible(not compact)
        self._row.setVisible(compact)
        self._grid.setHorizontalSpacing(0 if compact else GAP)
        self.touch()

    def _place_empty(self) -> None:
        if self.empty is not None:
            self.empty.setGeometry(self.work_view.rect())

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the gaps between the views."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), paint.color(self.host.scene.theme, "win"))
        painter.end()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(1028, 564)  # of the design
