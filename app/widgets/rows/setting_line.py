"""One line of settings: a label on the left, and a switch, a bar or a choice on the right."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.look import style
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout


class SettingLine(QWidget):
    """A label, and at the right end of the line what sets the value.

    Args:
        label: The label.
        part: What sets the value.
        tip: What the setting does.
        label_width: Room for the label, [px]; the part then takes all that is left. None gives each what it needs.
        height: Height of the line, [px].
    """

    def __init__(
        self,
        label: str,
        part: QWidget,
        tip: str,
        label_width: int | None = None,
        height: int = style.FIELD_HEIGHT + 2,
    ):
        super().__init__()
        self.setFixedHeight(height)
        self.setToolTip(tip)
        line = row_layout(self, (6, 0, 2, 0), 2)
        name = quiet_label(label)
        line.addWidget(name)
        if label_width is None:
            line.addStretch(1)
            line.addWidget(part)
        else:
            name.setFixedWidth(label_width)
            line.addWidget(part, 1)
