"""The toolbar: the window's mode, then what is done often in it: tools, what is shown, undo, keys or switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QActionGroup, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QProgressBar, QSizePolicy, QWidget

from app.actions.table import ActionTable
from app.document.changes import Change, FigureChanged, FileChanged, SessionChanged
from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.behaviour.keyed_tip import set_keyed_tip
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.frames.picture_tip import PictureTips
from app.widgets.frames.tool_button import ToolButton
from app.widgets.rows.upright_line import UprightLine
from app.words.keys_now import key_of
from core.kinematics.chain import ancestry

if TYPE_CHECKING:
    from app.document.document import Document

Part = TypeVar("Part", bound=QWidget)

HEIGHT = 40
SPACING, TIGHT_SPACING = 4, 3
MODES = (("pose", "Pose", "pose"), ("physics", "Physics", "gravity"), ("skeleton", "Skeleton", "skeleton"))
TOOLS = (("tool_select", "select"), ("tool_drag", "drag"), ("tool_rotate", "rotate"), ("tool_lock", "lock"))
JOINT_TOOLS = (("add_joints", "joint-add", "Add joints"), ("add_child", "child-add", "Add child"),
               ("remove_branch", "trash", ""), ("mirror_side", "mirror", "Mirror side"),
               ("reroot", "reroot", "Root here"))  # fmt: skip
PHYSICS_SHOWN = (("show_inertia", "inertia", "Inertia"), ("show_hinges", "hinge", "Hinges"),
                 ("show_balls", "ball", "Balls"), ("show_contacts", "force", "Contacts"),
                 ("show_mass_center", "com", "COM"), ("show_momentum", "momentum", "Momentum"))  # fmt: skip
SWITCHES = (("snap", "snap", "Snap"), ("carry_children", "carry", "Carry children"))
MOTION_SHOWN = (("show_ghosts", "ghost"), ("show_trail", "trail"), ("show_ellipsoid", "ellipsoid"))
SHOWN = (("show_com", "com"), ("show_silhouette", "silhouette"), ("show_grid", "grid"))
MOTION_SETTINGS = ("show_ghosts", "show_trail")
KEY_WHAT = ("key_figure", "key_changed", "key_selection")
SELDOM = ("show_silhouette", "show_com")
"""What narrow windows leave to the View menu, first what is needed least."""
TURN_MODES = (("joint", "Joint"), ("chain", "In place"))
TURN_TIPS = {
    "joint": "The rings turn the selected joint, one axis at a time",
    "chain": "The rings turn the selected part; it keeps its place and the joints behind it follow",
}
UP_TO = "Up to…"
DRAG_MODES = (("part", "Part"), ("limb", "Limb"), ("up_to", UP_TO), ("body", "Body"))
MODE_TIPS = {
    "part": "Only the part moves",
    "limb": "The limb moves, from the nearest branch",
    "up_to": "Everything up to a joint that you choose moves",
    "body": "The whole body moves, up to its root",
}


class Toolbar(Painted):
    """Everything that is done often.

    Args:
        document: The open document.
        actions: The window's actions.
        parent: Parent widget.
    """

    def __init__(self, document: Document, actions: ActionTable, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self._actions = actions
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 8, 0)
        self._row.setSpacing(SPACING)
        self._parts: dict[str, list[QWidget]] = {"": [], "pose": [], "physics": [], "skeleton": []}
        self._labelled: list[tuple[ToolButton, str]] = []
        self._left_out: set[QWidget] = set()
        self.tips = PictureTips(self, lambda: not document.session.view.reduced_motion)
        self._also_physics: set[QWidget] = set()
        self.mode = SegmentBar(MODES, primary=True, name="What the window works on", parent=self)
        for key, label, _ in MODES:
            set_keyed_tip(self.mode.segment(key), f"{label} ({{}})", f"mode_{key}")
        self.mode.chosen.connect(lambda mode: actions[f"mode_{mode}"].trigger())
        self._add(self.mode)
        self._add(UprightLine(HEIGHT, 10))
        self._add_tools()
        self._add_joint_tools()
        self._add_physics_shown()
        for name, icon in MOTION_SHOWN:
            button = self._add(self._button(name, icon), "pose")
            if name in MOTION_SETTINGS:
                self._also_physics.add(button)  # the ghost is that of the keyed motion there
                button.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                button.customContextMenuRequested.connect(lambda _at: actions["motion_settings"].trigger())
                self._motion = button
        self.motion_settings = ToolButton("chevron-down", size=(16, style.BUTTON_HEIGHT), parent=self)
        self.motion_settings.set_action(actions["motion_settings"])
        self._row.insertWidget(self._row.indexOf(self._motion) + 1, self.motion_settings)
        self._parts["pose"].append(self.motion_settings)
        shown = {name: self._add(self._button(name, icon)) for name, icon in SHOWN}
        self._mass_center = shown["show_com"]  # physics mode has one of its own
        self._seldom: list[QWidget] = [*(shown[name] for name in SELDOM), self.motion_settings]
        self._add(UprightLine(HEIGHT, 10))
        mirror = self._add(self._button("mirror_editing", "mirror"), "pose")
        self._seldom.append(mirror)
        for name in ("undo", "redo"):
            self._add(self._button(name, name))
        self._add_options()
        self._row.addStretch(1)
        self.auto_key = self._add(self._button("auto_key", "autokey", "Auto key"), "pose")
        self.key_what = self._add(
            ToolButton("chevron-down", "", "What a key stores", size=(16, style.BUTTON_HEIGHT), parent=self), "pose"
        )
        self.key_what.clicked.connect(self.show_key_menu)
        self._seldom.insert(0, self.key_what)
        self.set_key = self._add(self._button("set_key", "key", "Set key", look="primary"), "pose")
        self._show_keys()
        actions.keys_changed.connect(self._show_keys)
        self.key_menu = self._make_key_menu()
        for button in (self.auto_key, self.set_key):
            button.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            button.customContextMenuRequested.connect(lambda _at: self.show_key_menu())
        for name, icon, text in SWITCHES:
            self._add(self._button(name, icon, text), "skeleton")
        self._add(self._button("simulation_stop", "first", "Reset sim", look="raised"), "physics")
        self._add(self._button("bake", "bake", "Bake to keys", look="primary"), "physics")
        self.progress = QProgressBar(self, textVisible=False)  # lies over what is there, so that nothing jumps
        self.progress.setProperty("line", True)
        self.progress.setFixedHeight(2)
        self.progress.setAccessibleName("Progress")
        document.changed.connect(self._take)
        self.show_session()

    def _add_tools(self) -> None:
        # Checked is the action, not the button: a button takes over all that its action says whenever that changes.
        group = QActionGroup(self)
        self._tools = {}
        for name, icon in TOOLS:
            action = self._actions[name]
            action.setCheckable(True)
            group.addAction(action)
            self._tools[name.removeprefix("tool_")] = action
            self._add(self._button(name, icon), "pose")
        self._add(UprightLine(HEIGHT, 10), "pose")

    def _add_options(self) -> None:
        """Put what the active tool offers behind all that stays, so that another tool moves nothing else."""
        self._add(UprightLine(HEIGHT, 10), "pose")
        self.turn_label = self._add(_caption("Turn"), "pose")
        self.turn_modes = SegmentBar(TURN_MODES, name="What the rings turn", parent=self)
        for key, tip in TURN_TIPS.items():
            set_keyed_tip(self.turn_modes.segment(key), f"{tip} ({{}} switches)", "turn_mode")
        self.turn_modes.chosen.connect(self._choose_turn)
        self._add(self.turn_modes, "pose")
        self.between = self._add(UprightLine(HEIGHT, 10), "pose")
        self.mode_label = self._add(_caption("Drag moves"), "pose")
        self.modes = SegmentBar(DRAG_MODES, name="What moves", parent=self)
        for key, tip in MODE_TIPS.items():
            self.modes.segment(key).setToolTip(tip)
        self.modes.chosen.connect(self._choose_mode)
        self._add(self.modes, "pose")
        self.turn_axes = self._add(self._button("turn_axes", "world", "World axes"), "pose")

    def _show_keys(self) -> None:
        self.set_key.set_key(key_of("set_key", ""))

    def _make_key_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAccessibleName("What a key stores")
        menu.addAction("A key stores").setEnabled(False)
        menu.addSeparator()
        menu.addActions([self._actions[name] for name in KEY_WHAT])
        return menu

    def show_key_menu(self) -> None:
        """Offer what a key holds, under the buttons that set keys."""
        left = self.auto_key.x()
        room = self.width() - self._row.contentsMargins().right() - self.key_menu.sizeHint().width()
        self.key_menu.popup(self.mapToGlobal(QPoint(min(left, room), self.auto_key.geometry().bottom() + 3)))

    def _add_joint_tools(self) -> None:
        for name, icon, text in JOINT_TOOLS:
            self._add(self._button(name, icon, text), "skeleton")
        self._add(UprightLine(HEIGHT, 10), "skeleton")

    def _add_physics_shown(self) -> None:
        self.shown_label = self._add(_caption("Show"), "physics")
        for name, icon, text in PHYSICS_SHOWN:
            self._add(self._button(name, icon, text), "physics")
        self._add(UprightLine(HEIGHT, 10), "physics")

    def _add(self, part: Part, mode: str = "") -> Part:
        """Put a part at the end; with a mode it is there in that mode only."""
        self._row.addWidget(part)
        self._parts[mode].append(part)
        return part

    def _button(self, name: str, icon: str, text: str = "", look: str = "flat") -> ToolButton:
        button = ToolButton(icon, text, look=look, parent=self)
        button.set_action(self._actions[name])
        self.tips.watch(button, name)
        if text:
            self._labelled.append((button, text))
        return button

    def motion_place(self) -> QPoint:
        """Return where the settings of ghosts and trails open, on the screen."""
        return self._motion.mapToGlobal(QPoint(-self._motion.width() - SPACING, self._motion.height() + 4))

    # -- drag modes -----------------------------------------------------------------------------------------------

    def _choose_turn(self, mode: str) -> None:
        self.document.session.tools.turn_mode = mode

    def _choose_mode(self, mode: str) -> None:
        if mode == "up_to":
            self.choose_base()
        else:
            self.document.session.tools.drag_mode = mode

    def base_menu(self) -> QMenu | None:
        """Return a menu of the joints a chain may begin at; None without a figure."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return None
        menu = QMenu(self)
        menu.setAccessibleName("Chain begins at")
        chosen = self.document.selection.joints
        above = set(ancestry(skeleton, chosen[-1])) if chosen else set(range(len(skeleton.joints)))
        for i, joint in enumerate(skeleton.joints):
            if not skeleton.children[i] or i not in above:
                continue
            action = menu.addAction(_titled(joint.name))
            action.setCheckable(True)
            action.setChecked(i == self.document.session.tools.chain_base)
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
        self.document.session.tools.chain_base = joint
        self.document.session.tools.drag_mode = "up_to"

    # -- showing --------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, (SessionChanged, FigureChanged, FileChanged)):
            name = change.name
            if not isinstance(change, SessionChanged) or name in (
                "mode",
                "tool",
                "turn_mode",
                "drag_mode",
                "chain_base",
            ):
                self.show_session()

    def show_session(self) -> None:
        """Show mode, tool and drag mode."""
        session, skeleton = self.document.session, self.document.skeleton
        self.mode.set_current(session.mode)
        self.mode.setEnabled(skeleton is not None)
        for parts in self._parts.values():
            for part in parts:
                part.setVisible(self._belongs(part))
        for name, action in self._tools.items():
            action.setChecked(session.tools.tool == name)
        turning = session.mode == "pose" and session.tools.tool == "rotate"
        self.turn_modes.set_current(session.tools.turn_mode)
        self.turn_modes.setVisible(turning)
        self.turn_modes.setEnabled(skeleton is not None)
        self.modes.setVisible(session.mode == "pose" and (not turning or session.tools.turn_mode == "chain"))
        self.mode_label.setText("with" if turning else "Drag moves")
        self.modes.set_current(session.tools.drag_mode)
        self.modes.setEnabled(skeleton is not None)
        if self.isVisible():  # else the first resize event, which comes when it is shown, fits it
            self.fit()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.progress.setGeometry(0, self.height() - 2, self.width(), 2)
        self.fit()

    def fit(self) -> None:
        """Leave out what is needed least until the rest has room.

        The mode bar, which stands before everything, depends on the width alone, so that no tool moves the others.
        """
        self._show_texts(False)
        self._left_out = set()
        for roomy, words in ((True, True), (False, True), (False, False)):
            self.mode.set_compact(not words)
            for bar in (self.mode, self.turn_modes, self.modes):
                bar.set_tight(not roomy)
            self._row.setSpacing(SPACING if roomy else TIGHT_SPACING)
            if self._least_width() <= self.width():
                break
        for button in self._seldom:
            narrow = self._least_width(spared=False) > self.width()
            button.setHidden(narrow or not self._belongs(button))
            if narrow:
                self._left_out.add(button)
        self._show_texts(True)
        for leave_out in (
            lambda: self.turn_axes.set_label(""),
            lambda: self.auto_key.set_label(""),
            lambda: self._show_labels(False),
            lambda: self._show_captions(False),
            lambda: self.modes.set_label("up_to", UP_TO),
            lambda: self.turn_axes.hide(),  # the Pose menu has it too
        ):
            self._row.invalidate()
            if self._row.sizeHint().width() <= self.width():
                break
            leave_out()

    def _belongs(self, part: QWidget) -> bool:
        """Return whether a part is there in the mode of the window, where there is room."""
        mode = self.document.session.mode
        if mode == "physics" and (part is self._mass_center or part in self._also_physics):
            return part in self._also_physics
        return part in self._parts[""] or part in self._parts[mode]

    def _least_width(self, spared: bool = True) -> int:
        """Return the width of the toolbar without texts, whichever tool is on, as spacing and bars stand, [px].

        Args:
            spared: Whether what a tool offers last may be hidden too.
        """
        spare = {self.turn_label, self.mode_label, self.shown_label, *self._left_out} | (
            {self.turn_axes} if spared else set()
        )
        margins, widest = self._row.contentsMargins(), 0
        for mode in ("pose", "physics", "skeleton"):
            parts = [part for part in (*self._parts[""], *self._parts[mode]) if part not in spare]
            parts += self._also_physics if mode == "physics" else ()
            wide = sum(part.sizeHint().width() for part in parts) + self._row.spacing() * len(parts)
            widest = max(widest, wide + margins.left() + margins.right())
        return widest

    def _show_texts(self, shown: bool) -> None:
        """Show everything that the active tool has, or no more than has to be."""
        session, skeleton = self.document.session, self.document.skeleton
        turning = session.mode == "pose" and session.tools.tool == "rotate"
        base = session.tools.chain_base if shown else None
        named = None if base is None or skeleton is None else f"Up to: {_titled(skeleton.joints[base].name)}"
        self.modes.set_label("up_to", named or UP_TO)
        self.turn_axes.setVisible(turning and session.tools.turn_mode == "chain")
        self._show_labels(shown)
        self._show_captions(shown)

    def _show_labels(self, shown: bool) -> None:
        for button, text in self._labelled:
            button.set_label(text if shown else "")

    def _show_captions(self, shown: bool) -> None:
        turning, moving = self.turn_modes.isVisibleTo(self), self.modes.isVisibleTo(self)
        self.turn_label.setVisible(shown and turning)
        self.shown_label.setVisible(shown and self.document.session.mode == "physics")
        self.mode_label.setVisible(shown and moving)
        self.between.setVisible(turning and moving and not shown)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(480, HEIGHT)  # labels can be hidden

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("head"))
        painter.end()


def _caption(text: str) -> QLabel:
    """Return a quiet label that stands before a segment bar."""
    label = QLabel(text)
    label.setProperty("quiet", True)
    label.setContentsMargins(4, 0, 4, 0)
    return label


def _titled(name: str) -> str:
    """Return a name with a capital at its beginning, the rest as it is."""
    return name[:1].upper() + name[1:]
