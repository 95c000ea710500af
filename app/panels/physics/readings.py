"""What the Physics panel reads out at the shown frame: energies, force of the ground, locks, and how well it solves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.physics.series import motion_series
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.plots.motion_curves import ZERO
from app.words.lock_words import length_text
from app.words.physics_words import force_text
from app.words.quantity import MINUS
from app.work.throttle import Throttle

if TYPE_CHECKING:
    from app.document.document import Document

LATE_MS = 100  # nobody reads numbers faster
_LINE, _SMALL = 21, 17
_NOTHING = "–"


class Readings(Painted):
    """Four numbers, two a line, and a small line below."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.series = motion_series(document)
        self.rows: list[tuple[str, str]] = []
        self.small = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(ZERO)
        self._follow = Throttle(self.read, LATE_MS, self)
        document.physics.changed.connect(self._take)
        self.series.reset.connect(lambda: self._follow.wish(hurry=False))
        self.series.moved.connect(lambda: self._follow.wish(hurry=False))
        self.read()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(220, 2 * _LINE + _SMALL + 8)

    def _take(self, name: str) -> None:
        if name in ("sample", "mode", "running"):
            self._follow.wish(hurry=not self.document.physics.running)

    def read(self) -> None:
        """Read the numbers again."""
        values = self.series.values_now()
        sample = self.document.physics.current
        ground = residual = ""
        small = "" if values else "Nothing simulated at this frame"
        if sample is not None:
            from core.preview.method import contact_method  # there are samples, so that it is loaded
            from core.preview.settings import CONTACT

            ground = force_text(float(np.linalg.norm(sample.contacts.ground)))
            held = [lock.position for lock in sample.lock_residuals if lock.acts]
            residual = length_text(max(held)) if held else ""
            values = {"kinetic": sample.kinetic, "potential": sample.potential - self.series.zero}
            small = "Without contacts, by the method chosen above"
            if (found := contact_method(self.document.physics.settings.now)) is not None:
                count = len(sample.contacts.points)
                small = f"{count} contact{'s' * (count != 1)}: {found.label.lower()}"
            if self.document.physics.settings.now.integrator == CONTACT:
                small = solving_text(sample.kkt, sample.fallbacks, len(sample.contacts.points))
        rows = [
            ("Kinetic", joules(values.get("kinetic"))),
            ("Potential", joules(values.get("potential"))),
            ("Ground force", ground),
            ("Lock error", residual),
        ]
        if (rows, small) != (self.rows, self.small):
            self.rows, self.small = rows, small
            self.setAccessibleName(", ".join(f"{name} {value or 'unknown'}" for name, value in rows))
            self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle = self.width() / 2
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for number, (name, value) in enumerate(self.rows):
            left = 12.0 if number % 2 == 0 else middle + 6.0
            box = QRectF(left, 2 + _LINE * (number // 2), middle - 18.0, _LINE)
            painter.setFont(fonts.font())
            painter.setPen(style.color("text2"))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
            painter.setFont(fonts.font(tabular=True))
            painter.setPen(style.color("text" if value else "text3"))
            painter.drawText(box, right, value or _NOTHING)
        painter.setFont(fonts.font(fonts.SECONDARY, tabular=True))
        painter.setPen(style.color("text3"))
        box = QRectF(12, 4 + 2 * _LINE, self.width() - 24, _SMALL)
        text = painter.fontMetrics().elidedText(self.small, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


def joules(value: float | None) -> str:
    """Return an energy as a person reads it, "" for none."""
    return "" if value is None else f"{value:.1f} J".replace("-", MINUS)


def solving_text(kkt: float, fallbacks: int, contacts: int) -> str:
    """Return how well steps were solved: ``KKT 2e−12 · 14 contacts``, and fallbacks if there were any."""
    residual = f"{kkt:.0e}".replace("e-", f"e{MINUS}") if kkt else "0"
    parts = [f"KKT residual {residual}", f"{contacts} contact{'s' * (contacts != 1)}"]
    if fallbacks:
        parts.append(f"{fallbacks} fallback{'s' * (fallbacks != 1)}")
    return " · ".join(parts)
