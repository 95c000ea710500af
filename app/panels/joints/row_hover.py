"""Which joint row is under the pointer, and which rows show the joint that is hovered anywhere in the window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets.joints.joint_row import JointRow

if TYPE_CHECKING:
    from app.document.session.session import Session


class RowHover:
    """Couples the rows of a scrolled column with the session's hovered joint.

    Args:
        session: Holds the hovered joint.
        column: The widget that the rows stand in.
    """

    def __init__(self, session: Session, column: QWidget):
        self._session = session
        self._column = column
        self._shown: int | None = None
        self._mine: int | None = None  # the joint that the pointer hovers by a row, not in a view

    def entered(self, row: JointRow, inside: bool) -> None:
        """Take note that the pointer came over a row or left it."""
        if inside:
            self._set(row.joint)
        elif self._mine == row.joint:
            self._set(None)

    def scrolled(self) -> None:
        """Look which row is under the pointer now; Qt tells only when the mouse moves."""
        under = QApplication.widgetAt(QCursor.pos())
        while under is not None and not isinstance(under, JointRow):
            under = under.parentWidget()
        if under is not None and under.parentWidget() is self._column:
            self._set(under.joint)
        elif self._mine is not None:
            self._set(None)

    def _set(self, joint: int | None) -> None:
        before, self._mine = self._mine, joint
        if joint is not None or self._session.view.hover == before:
            self._session.view.hover = joint

    def show(self, rows: Iterable[JointRow]) -> None:
        """Tint the rows of the joint that is hovered, here or in a view."""
        now = self._session.view.hover
        for row in rows:
            if row.joint in (self._shown, now):
                row.set_over(row.joint == now)
        self._shown = now
