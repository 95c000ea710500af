"""What the mouse does in the curve editor, as actions; each shows the curves first if they are not on the screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from app.actions.group import WindowActions
from app.timeline.curves.actions import AUTO, BROKEN, FLAT, JOINED, STRAIGHT, CurveActions
from app.timeline.curves.canvas import CurveCanvas
from app.timeline.curves.control_points import ControlPointView
from app.timeline.time_scale import ZOOM_STEP

_NOTHING = "Select keys of the curves first"


class CurveKeyActions(WindowActions):
    """Actions on what is seen of the curves, and on the tangents of their selected keys."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {
            "zoom_in_values": partial(self.zoom, ZOOM_STEP),
            "zoom_out_values": partial(self.zoom, 1.0 / ZOOM_STEP),
            "fit_curves": lambda: self.canvas().fit(False),
            "fit_selected_curves": lambda: self.canvas().fit(True),
            "curve_alone": self.show_alone,
            "add_curve_point": self.add_point,
            "steeper_tangents": partial(self.tilt, 1),
            "flatter_tangents": partial(self.tilt, -1),
        }
        return made | {f"tangents_{how}": partial(self.set, how) for how in (AUTO, FLAT, STRAIGHT, JOINED, BROKEN)}

    def canvas(self) -> CurveCanvas:
        """Show the curves, with the keyboard in them, and return their canvas."""
        timeline = self._window.timeline
        if timeline.transport.tabs.current != "curves":
            timeline.show_tab("curves")
            timeline.curves.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return timeline.curves.canvas

    def zoom(self, factor: float) -> None:
        """Show the values larger or smaller."""
        canvas = self.canvas()
        canvas.model.scale.zoom(factor, canvas.height() / 2.0)
        canvas.update()

    def show_alone(self) -> None:
        """Show the curve of the key that was selected last alone; once more shows all."""
        model = self.canvas().model
        if model.primary is None:
            self.tell(_NOTHING)
        else:
            model.show_only(model.primary.row.id)

    def connect(self) -> None:
        """Bind the keys that hold on curves to them."""
        timeline = self._window.timeline
        curves = (timeline.curves.canvas, timeline.torques, timeline.activations)
        self.bind_keys("curves", lambda _action: curves)

    def add_point(self) -> None:
        """Add a point at the current frame: to the curve of the Dynamics tab if that is open, or to timing or speed."""
        timeline = self._window.timeline
        if timeline.transport.tabs.current == "dynamics":
            band = timeline.activations if timeline.activations.isVisible() else timeline.torques
            self.tell(band.add_here())
            return
        view = self.canvas().view
        if isinstance(view, ControlPointView):
            view.add_point(float(self.document.frame))
        else:
            self.tell("Points belong to Timing and Root speed: choose one of them above the curves")

    def set(self, how: str) -> None:
        """Set the tangents of the selected keys."""
        model = self.canvas().model
        if model.pose_points:
            CurveActions(model).set_tangents(how)
        else:
            self.tell(_NOTHING)

    def tilt(self, by: int) -> None:
        """Let the curve rise more steeply through the selected keys, or less."""
        model = self.canvas().model
        self.tell(CurveActions(model).tilt(by) if model.pose_points else _NOTHING)
