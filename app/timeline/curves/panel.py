"""The curve editor: a bar, the list of curves, and the picture of them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.look import style
from app.process.handler_guard import guarded
from app.timeline.curves.bar import CurvesBar
from app.timeline.curves.canvas import CurveCanvas
from app.timeline.curves.model import ROOT_SPEED, SPEED, TIMING, VALUE, CurvesModel
from app.timeline.curves.root_speed import RootSpeedView
from app.timeline.curves.timing import TimingView
from app.timeline.curves.value_list import CurveList
from app.timeline.curves.values import ValuesView
from app.timeline.curves.view import CurveView
from app.timeline.model import TimelineModel
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import Painted
from app.widgets.layouts import row_layout


class CurvesPanel(Painted):
    """List and curves side by side; the bar is a part of its own, which stands over the ruler.

    Args:
        timeline: The timeline's scale of frames.

    Attributes:
        model: What all parts share.
        bar: The bar.
    """

    def __init__(self, timeline: TimelineModel):
        super().__init__()
        self.model = CurvesModel(timeline, self)
        self.timing, self.root_speed = TimingView(self.model), RootSpeedView(self.model)
        self.values = ValuesView(self.model, speed=False)
        self.views: dict[str, CurveView] = {
            VALUE: self.values,
            SPEED: ValuesView(self.model, speed=True),
            TIMING: self.timing,
            ROOT_SPEED: self.root_speed,
        }
        self.bar = CurvesBar(self.model, self.timing, self.root_speed)
        self.canvas = CurveCanvas(self.model, self.views)
        self.list = CurveList(self.model)
        scroll = QScrollArea()
        scroll.setAccessibleName("Curves shown")
        scroll.setWidget(self.list)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFixedWidth(NAMES_WIDTH - 1)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        row = row_layout(self)
        row.addWidget(scroll)
        row.addSpacing(1)
        row.addWidget(self.canvas, 1)
        self.setAccessibleName("Curve editor")

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.activate(True)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self.canvas.cancel()
        self.model.activate(False)
        super().hideEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("panel"))
        painter.fillRect(NAMES_WIDTH - 1, 0, 1, self.height(), style.color("line2"))
        painter.end()
