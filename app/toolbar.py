"""The toolbar: tools, what a drag moves, what is shown, undo, and the two ways to set a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy

from app import style
from app.actions import ActionTable, shortcut_text
from app.widgets.base import Painted
from app.widgets.progress_bar import ProgressBar
from app.widgets.segment_bar import SegmentBar
from app.widgets.tool_button import ToolButton
from app.widgets.upright_line import UprightLine
from core.kinematics.chain import ancestry

if TYPE_CHECKING:
    from app.document.change import Change
    from app.document.document import Document

HEIGHT = 40
TOOLS = (("tool_select", "select"), ("tool_drag", "drag"), ("tool_rotate", "rotate"))
SHOWN = (("show_ghosts", "ghost"), ("show_trail", "trail"), ("show_com", "com"), ("show_silhouette", "silhouette"),
         ("show_grid", "grid"))  # fmt: skip
DRAG_MODES = (("part", "Part"), ("limb", "Limb"), ("up_to", "Up to…"), ("body", "Body"))
MODE_TIPS = {
    "part": "A drag moves only the part",
    "limb": "A drag moves the limb, from the nearest branch",
    "up_to": "A drag moves everything up to a joint that you choose",
    "body": "A drag moves the whole body up to its root",
}


class Toolbar(Painted):
    """Everything that is done often.

    Args:
        document: The open document.
        actions: The window's actions.
    """

    def __init__(self, document: Document, actions: ActionTable):
        super().__init__()
        self.document = document
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(4)
        self._tools = {}
        for name, icon in TOOLS:
            button = self._button(actions, name, icon)
            button.setCheckable(True)
            self._tools[name.removeprefix("tool_")] = button
            row.addWidget(button)
        row.addWidget(UprightLine(HEIGHT, 10))
        self.mode_label = QLabel("Drag moves")
        self.mode_label.setProperty("quiet", True)
        row.addWidget(self.mode_label)
        row.addSpacing(4)
        self.modes = SegmentBar(DRAG_MODES, name="What a drag moves")
        for key, tip in MODE_TIPS.items():
            self.modes.segment(key).setToolTip(tip)
        self.modes.chosen.connect(self._choose_mode)
        row.addWidget(self.modes)
        row.addWidget(UprightLine(HEIGHT, 10))
        for name, icon in SHOWN:
            row.addWidget(self._button(actions, name, icon))
        row.addWidget(UprightLine(HEIGHT, 10))
        for name in ("undo", "redo"):
            row.addWidget(self._button(actions, name, name))
        row.addStretch(1)
        self.auto_key = self._button(actions, "auto_key", "autokey", "Auto key")
        row.addWidget(self.auto_key)
        row.addSpacing(4)
        self.set_key = self._button(actions, "set_key", "key", "Set key", look="primary")
        self.set_key.set_key(shortcut_text(actions["set_key"].shortcut().toString()))
        row.addWidget(self.set_key)
        self.progress = ProgressBar(self)
        document.changed.connect(self._take)
        self.show_session()

    def _button(self, actions: ActionTable, name: str, icon: str, text: str = "", look: str = "flat") -> ToolButton:
        button = ToolButton(icon, text, look=look)
        button.set_action(actions[name])
        return button

    # -- drag modes -----------------------------------------------------------------------------------------------

    def _choose_mode(self, mode: str) -> None:
        if mode == "up_to":
            self.choose_base()
        else:
            self.document.session.drag_mode = mode

    def base_menu(self) -> QMenu | None:
        """Return a menu of the joints a chain may begin at; None without a figure."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return None
        menu = QMenu(self)
        menu.setAccessibleName("Chain begins at")
        chosen = self.document.selection
        above = set(ancestry(skeleton, chosen[-1])) if chosen else set(range(len(skeleton.joints)))
        for i, joint in enumerate(skeleton.joints):
            if not skeleton.children[i] or i not in above:
                continue
            action = menu.addAction(joint.name[:1].upper() + joint.name[1:])
            action.setCheckable(True)
            action.setChecked(i == self.document.session.chain_base)
            action.triggered.connect(lambda _checked=False, i=i: self.set_base(i))
        return menu

    def choose_base(self) -> None:
        """Ask which joint a chain begins at."""
        menu = self.base_menu()
        if menu is not None:
            segment = self.modes.segment("up_to")
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(segment.mapToGlobal(QPoint(0, segment.height() + 2)))
        self.show_session()

    def set_base(self, joint: int) -> None:
        """Let a drag move everything up to a joint."""
        self.document.session.chain_base = joint
        self.document.session.drag_mode = "up_to"

    # -- showing --------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if change.kind in ("session", "figure", "file"):
            name = change.detail.get("name")
            if change.kind != "session" or name in ("tool", "drag_mode", "chain_base"):
                self.show_session()

    def show_session(self) -> None:
        """Show which tool and drag mode are on."""
        session, skeleton = self.document.session, self.document.skeleton
        for name, button in self._tools.items():
            button.setChecked(session.tool == name)
            button.update()
        self.modes.set_current(session.drag_mode)
        base = session.chain_base
        name = "…" if base is None or skeleton is None else ": " + skeleton.joints[base].name.capitalize()
        self.modes.set_label("up_to", "Up to" + name)
        self.modes.setEnabled(skeleton is not None)
        self.modes.updateGeometry()
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.progress.setGeometry(0, self.height() - 2, self.width(), 2)
        self.fit()

    def fit(self) -> None:
        """Leave out labels, the least needed first, until the rest has room."""
        row = self.layout()
        for caption, labels in ((True, True), (False, True), (False, False)):
            self.mode_label.setVisible(caption)
            for button, text in ((self.auto_key, "Auto key"), (self.set_key, "Set key")):
                button.set_label(text if labels else "")
            row.invalidate()
            if row.sizeHint().width() <= self.width():
                break

    def minimumSizeHint(self) -> QSize:
        return QSize(480, HEIGHT)  # labels give way

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("head"))
        painter.end()
