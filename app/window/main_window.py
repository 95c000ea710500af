"""The main window: puts the parts together and connects actions with the document. It holds no state of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.actions.blender import BlenderActions
from app.actions.camera import CameraActions
from app.actions.clean_up import CleanUpActions
from app.actions.curves import CurveKeyActions
from app.actions.cycles import CycleActions
from app.actions.edit import OVERLAYS, EditActions
from app.actions.editor_window import EditorWindow
from app.actions.figures import FigureActions
from app.actions.files import FileActions
from app.actions.foot_paths import FootPathActions
from app.actions.key_map import KeyMapActions
from app.actions.keys import KeyActions
from app.actions.library import LibraryActions
from app.actions.locks import LockActions
from app.actions.motion import read_trails
from app.actions.music import MusicActions
from app.actions.palette import PaletteActions
from app.actions.physics import PhysicsActions
from app.actions.posing import PosingActions
from app.actions.reduce_keys import ReduceKeysActions
from app.actions.retarget import RetargetActions
from app.actions.scale import ScaleActions
from app.actions.skeleton import SkeletonActions
from app.actions.table import NUDGES, ActionTable
from app.actions.timeline import TimelineActions
from app.actions.walk import WalkActions
from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    PendingChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.document import Document
from app.document.player import Player
from app.files.recovery import Recovery
from app.look import style
from app.look.theme import current_theme
from app.panels import PANELS
from app.process import crash_guard
from app.process.freed_memory import FreedMemory
from app.process.handler_guard import guarded
from app.timeline.panel import TimelinePanel
from app.views.area import ViewportArea
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.behaviour.pointer_keys import PointerKeys
from app.widgets.frames.error_line import Choice, ErrorLine
from app.widgets.frames.status_line import StatusLine, about_text
from app.window.dropping import TakesDrops
from app.window.first_steps import FirstSteps
from app.window.floor_note import FloorNote
from app.window.menus import MenuBar
from app.window.message_lines import WindowLines
from app.window.settings import Settings
from app.window.toolbar import Toolbar
from app.window.window_size import first_size, least_size
from app.window.workbench import Workbench
from app.words import keys_now
from app.work.background import Background
from app.work.conflict_search import ConflictWorker
from app.work.kernel_warm_up import KernelWarmUp
from app.work.thumbnails import Thumbnails

NARROW = 1280
MOST_NAMED = 3  # files in one message


class MainWindow(TakesDrops, EditorWindow):
    """The editor's window.

    Args:
        theme: Theme to begin with; None takes the person's.
        remember: Whether settings, layout and journal are read and kept.
    """

    settings: Settings | None
    workbench: Workbench
    toolbar: Toolbar
    menu: MenuBar
    files: FileActions
    key_map: KeyMapActions
    edits: EditActions
    skeleton: SkeletonActions
    posing: PosingActions
    locks: LockActions
    physics: PhysicsActions
    library: LibraryActions

    def __init__(self, theme: str | None = None, remember: bool = True):
        super().__init__()
        self.remember = remember
        self.settings = Settings() if remember else None
        self.warm_up = KernelWarmUp(self)
        self.background = Background(self)
        self.document = Document(self)
        if self.settings is not None:
            self.settings.bind(self.document)
        if theme is not None:
            self.document.session.view.theme = theme
        self._opens = False  # a file whose figures are about to be shown
        self.player = Player(self.document)
        self.thumbnails = Thumbnails(self.document, parent=self)
        self.conflicts = ConflictWorker(self.document, self)
        self.freed_memory = FreedMemory(self)
        self.files = FileActions(self)
        self.blender = BlenderActions(self)
        self.edits = EditActions(self)
        self.skeleton = SkeletonActions(self)
        self.locks = LockActions(self)
        self.foot_paths = FootPathActions(self)
        self.reduce_keys = ReduceKeysActions(self)
        self.clean_up = CleanUpActions(self)
        self.posing = PosingActions(self)
        self.keys = KeyActions(self)
        self.timeline_steps = TimelineActions(self)
        self.curve_keys = CurveKeyActions(self)
        self.physics = PhysicsActions(self)
        self.figures = FigureActions(self)
        self.library = LibraryActions(self)
        self.music = MusicActions(self)
        self.camera = CameraActions(self)
        self.cycles = CycleActions(self)
        self.walk = WalkActions(self)
        self.retarget = RetargetActions(self)
        self.scale = ScaleActions(self)
        self.palette_actions = PaletteActions(self)
        self.key_map = KeyMapActions(self)
        self.key_map.begin()
        connected = (
            self.edits,
            self.skeleton,
            self.locks,
            self.library,
            self.posing,
            self.music,
            self.camera,
            self.cycles,
            self.keys,
            self.timeline_steps,
            self.curve_keys,
            self.physics,
            self.figures,
            self.walk,
            self.scale,
            self.key_map,
        )
        groups = (
            self.files, self.blender, self.foot_paths, self.retarget, self.reduce_keys, self.clean_up,
            self.palette_actions, *connected,
        )  # fmt: skip
        handlers = {name: handler for group in groups for name, handler in group.handlers().items()}
        self.action_table = ActionTable(self, keys_now.current(), handlers)
        self._build()
        self._connect()
        for group in connected:
            group.connect()
        self.setAcceptDrops(True)
        available = self.screen().availableGeometry().size()
        self.setMinimumSize(least_size(available))
        self.resize(first_size(available))
        self._restore_layout()
        self._uninstall = crash_guard.install(self.show_message)
        self.show_document()

    # -- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        top = QWidget(self)
        self.menu = MenuBar(self.action_table, self.files, self.figures, self.locks, top)
        self.toolbar = Toolbar(self.document, self.action_table, top)
        self.progress = self.toolbar.progress
        rows = QVBoxLayout(top)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        around = QWidget(top)
        self.recovery_line = ErrorLine(around)
        for part in (self.menu, self.toolbar, around):
            rows.addWidget(part)
        inset = QHBoxLayout(around)
        inset.setContentsMargins(style.GAP, style.GAP, style.GAP, 0)
        inset.addWidget(self.recovery_line)
        around.hide()  # takes no room while there is nothing to recover
        self.recovery_line.shown.connect(around.show)
        self.recovery_line.closed.connect(around.hide)
        self.recovery = Recovery(self, self.recovery_line)
        self.setMenuWidget(top)

        central = self.central = QWidget(self)
        self.workbench = Workbench(
            lambda parent: ViewportArea(self.document, parent=parent),
            lambda parent: TimelinePanel(self.document, self.action_table, self.thumbnails, parent),
            PANELS,
            self.document,
            central,
        )
        self.area, self.timeline, self.panels = self.workbench.area, self.workbench.timeline, self.workbench.panels
        self.home = self.area.work_view  # the keyboard goes back to it
        PointerKeys((*self.area.views(), *self.timeline.bands), self)
        self.menu.add_docks(self.workbench.docks)
        self.status = StatusLine(central)
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.workbench, 1)
        column.addWidget(self.status)
        self.setCentralWidget(central)
        self.lines = WindowLines(central, self.timeline, self.status)
        self.errors, self.busy = self.lines.errors, self.lines.busy
        self.floor_note = FloorNote(self.document, self)
        self.first_steps = FirstSteps(self)

    def _connect(self) -> None:
        self.document.changed.connect(self._take)
        self.document.changed.connect(self.freed_memory.note)
        self.document.message.connect(self.show_message)
        self.document.stack.indexChanged.connect(lambda _index: self._show_undo())
        self.document.stack.indexChanged.connect(lambda _index: self.status.drop_message())
        self.area.set_empty(self.files.make_gallery())
        self.area.status_changed.connect(self._show_status)
        self.timeline.hints.changed.connect(self._show_status)
        self.action_table.keys_changed.connect(self._show_status)
        self.timeline.violations.changed.connect(self.show_document)
        self.floor_note.changed.connect(self._show_about)
        self.timeline.height_changed.connect(self.workbench.fit_timeline)
        self.area.menu_requested.connect(self.edits.show_part_menu)
        self.thumbnails.ready.connect(self.timeline.strip.update)
        self.errors.undo_wanted.connect(self.document.stack.undo)
        self.background.started.connect(self.busy.begin)
        self.background.progressed.connect(self.busy.set_part)
        self.background.told.connect(self.busy.set_text)
        self.background.ended.connect(self.busy.end)
        self.busy.cancelled.connect(self._cancel_work)
        self.warm_up.progressed.connect(self._warming)
        self.warm_up.finished.connect(self._warmed)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._watch_button)

    # -- life -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin what goes on in the background; call once the window is shown."""
        self.warm_up.start()
        if self.remember:
            self.document.files.start_journal()
            self.blender.watch.start()

    def stop(self) -> None:
        """End what goes on in the background."""
        pictures = self.files.gallery.pictures
        at_work = (
            self.warm_up,
            self.background,
            self.conflicts,
            self.foot_paths,
            self.reduce_keys,
            self.clean_up,
            self.walk,
            self.library,
            self.music,
        )
        for part in (*at_work, self.timeline, pictures):
            part.stop()
        self.player.pause()
        self.files.watch.stop()
        self.blender.watch.stop()
        self.document.physics.close()
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        self._uninstall()
        self.document.stack.blockSignals(True)  # it tells of its own end, when half of the window is gone
        self.area.dispose()
        self.document.files.close()

    def open_files(self, files: Sequence[Path]) -> None:
        """Open files named on the command line or dropped: the first; a document holds one figure for now."""
        if files:
            first, *others = (Path(file) for file in files)
            self.files.open_path(first, then=lambda: self._report_left_out(first, others))

    def _report_left_out(self, opened: Path, others: list[Path]) -> None:
        if not others:
            return
        names = ", ".join(path.name for path in others[:MOST_NAMED])
        more = len(others) - MOST_NAMED
        names += f" and {more} more" if more > 0 else ""
        # What the opened file has brought up above the status line, a warning or a question, stays there.
        level = "warning" if self.errors.isHidden() else "info"
        self.show_message(level, f"Opened {opened.name}; one file at a time, these were left out: {names}")
        others.clear()  # it is said once, not again when the file is read in another way

    def offer_recovery(self) -> bool:
        """Offer what editors that ended unexpectedly left behind; return whether there is anything."""
        return self.remember and self.recovery.offer()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.workbench.set_folded(self.width() < NARROW)
        self.lines.place_soon()

    @guarded
    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_discard():
            event.ignore()
            return
        if self.settings is not None:
            docks, splitter = self.workbench.layout_state()
            for name, state in (("geometry", self.saveGeometry()), ("docks", docks), ("splitter", splitter)):
                self.settings.set_value(f"window/{name}", bytes(state.toBase64().data()).decode())
        event.accept()

    def _restore_layout(self) -> None:
        if self.settings is None:
            return
        kept = (str(self.settings.value(f"window/{name}", "") or "") for name in ("geometry", "docks", "splitter"))
        geometry, docks, splitter = (QByteArray.fromBase64(state.encode()) for state in kept)
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        self.workbench.restore_layout(docks, splitter)

    def regions(self) -> list[QWidget]:
        """Return what the keyboard goes through region by region, in order, as far as it is shown."""
        lines = [line for line in (self.recovery_line, self.errors, self.first_steps.callout) if not line.isHidden()]
        return [*lines, self.toolbar, self.area.work_view, self.timeline.tracks, *self.panels]

    def posing_regions(self) -> list[QWidget]:
        """Return where keys about poses hold: everywhere but in the timeline."""
        return [self.area, self.toolbar, *self.panels]

    def show_first_steps(self) -> None:
        """Show the hints at the real controls, from the first one on."""
        self.first_steps.begin()

    def reset_layout(self) -> None:
        """Put docks and sizes back as they were at first."""
        self.workbench.reset()

    # -- what is shown --------------------------------------------------------------------------------------------

    def show_message(self, level: str, text: str, details: str = "") -> None:
        """Show a message: passing ones in the status line, warnings and errors in a line above it until read."""
        self.lines.show_message(level, text, details)

    def ask(self, text: str, choices: Sequence[Choice], level: str = "warning") -> None:
        """Ask a question above the status line; see ``ErrorLine.ask``."""
        self.lines.ask(text, choices, level)

    def _cancel_work(self) -> None:
        self.show_message("info", "Cancelled")
        self.background.give_up()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.area.work_view.setFocus(Qt.FocusReason.OtherFocusReason)  # else the first button would take the space bar

    def _take(self, change: Change) -> None:
        if change.live:
            return  # a drag is under way; what stands here changes when it ends
        if isinstance(change, FileChanged) and change.name == "opened":
            self._opens = True
            self.menu.forget_saved()
        if isinstance(change, (FigureChanged, FileChanged, SequenceChanged, KeysChanged)):
            self.show_document()
        elif isinstance(change, SessionChanged):
            self._show_session(str(change.name))
        if isinstance(change, (SelectionChanged, PendingChanged, KeysChanged, FrameChanged)):
            self._show_keys()
        if isinstance(change, SelectionChanged):
            self.skeleton.show_state()
        if isinstance(change, FileChanged) and change.name == "opened":
            views = self.document.model.view.get("views")
            if isinstance(views, dict):
                self.area.restore_view_state(views)
            read_trails(self.document)
        if isinstance(change, FigureChanged) and change.name != "active":
            self._fit_timeline(self._opens)
            self._opens = False

    def _fit_timeline(self, another: bool) -> None:
        """Give the timeline room for the rows of a figure; less than it has only for ``another`` file.

        Never under a person's hands: a press on another figure makes that the one that is edited, and the views must
        not move away under it.
        """
        if self.document.session.mode == "skeleton":
            return
        if another or QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.workbench.fit_timeline(shrinks=another)

    def show_document(self) -> None:
        """Show title, menus and what is open."""
        document = self.document
        skeleton = document.skeleton
        self.setWindowTitle(f"{document.files.title} — Sequence Editor" if document.files.title else "Sequence Editor")
        self.setWindowModified(False)
        self.menu.show_title(document.files.title)
        self.menu.show_saved(document.files.path is not None and not document.modified)
        self.action_table.show_state(skeleton is not None, document.session.mode)
        self._show_about()
        self._show_undo()
        self._show_keys()
        for name in ("auto_key", "keys_together", "loop", "overlays", "theme", "turn_mode"):
            self._show_session(name)
        self.skeleton.show_state()
        self._show_status()

    def _show_about(self) -> None:
        notes = self.floor_note.text, self.timeline.violations.summary()
        self.status.show_about(about_text(self.document.skeleton, " · ".join(filter(None, notes))))

    def _show_undo(self) -> None:
        stack = self.document.stack
        directions = (("undo", stack.canUndo(), stack.undoText()), ("redo", stack.canRedo(), stack.redoText()))
        for name, can, text in directions:
            action = self.action_table[name]
            action.setEnabled(can)
            action.setText(f"{name.capitalize()} {text[:1].lower() + text[1:]}" if can and text else name.capitalize())
        self.menu.show_saved(self.document.files.path is not None and not self.document.modified)

    def _show_keys(self) -> None:
        if self.document.session.mode == "skeleton":
            return
        sequence = self.document.sequence
        key = sequence.keys.at(self.document.frame) if sequence is not None else None
        keys = len(sequence.keys) if sequence is not None else 0
        posing = self.document.session.mode == "pose"
        self.action_table["delete_key"].setEnabled(posing and key is not None)
        for name in ("previous_key", "next_key"):
            self.action_table[name].setEnabled(posing and keys > 0)
        # Locks alone may move; else it says why nothing plays.
        self.action_table["play"].setEnabled(sequence is not None)
        chosen = bool(self.document.selection.joints) and sequence is not None
        self.action_table["reset_selection"].setEnabled(posing and chosen)
        self.action_table["select_none"].setEnabled(chosen)
        for name in NUDGES:
            self.action_table[name].setEnabled(posing and chosen)

    def _show_session(self, name: str) -> None:
        session = self.document.session
        if name in ("auto_key", "keys_together", "loop", "mirror_editing"):
            self.action_table[name].setChecked(session.get(name))
        elif name == "overlays":
            for action, overlay in OVERLAYS.items():
                self.action_table[action].setChecked(session.view.overlays[overlay])
        elif name == "theme":
            application = QApplication.instance()
            self.action_table["toggle_theme"].setChecked(session.view.theme == "light")
            if isinstance(application, QApplication) and current_theme().name != session.view.theme:
                style.apply(application, session.view.theme)
        elif name in ("turn_mode", "turn_axes"):
            self.show_turning()
        elif name == "mode":
            self.skeleton.show_mode()
            if self.document.session.mode == "physics":
                self.warm_up.expect_physics()
            self.show_document()
        elif name in ("joint_tool", "carry_children", "snap"):
            self.skeleton.show_state()
            self._show_status()
        elif name in ("stops", "tool", "playing", "drag_mode"):  # of what the mouse does the area informs by itself
            self._show_status()

    def show_turning(self) -> None:
        """Show what the rings turn, and about which axes."""
        session = self.document.session
        self.action_table["turn_mode"].setChecked(session.tools.turn_mode == "chain")
        self.action_table["turn_axes"].setChecked(session.tools.turn_axes == "world")
        self._show_status()

    def _show_status(self) -> None:
        playing, tool = self.document.session.playback.playing, self.area.host.toolbox.current
        self.status.show_state("" if playing else self.area.status(), tool.troubled, tool.status_token())
        is_open = self.document.skeleton is not None
        over_timeline = self.timeline.hints.current if self.document.session.mode != "skeleton" else ()
        self.status.show_hints((over_timeline or self.area.hints()) if is_open else _nothing_open_hints())

    def _warming(self, done: int, total: int) -> None:
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self.progress.setToolTip(f"Compiling the solvers, once ({done} of {total})")
        self.progress.setAccessibleDescription(self.progress.toolTip())
        if done <= 1:
            self.show_message("info", "Preparing the solvers for this machine, once; everything works meanwhile")

    def _warmed(self, good: bool) -> None:
        self.progress.reset()
        self.progress.setToolTip("")
        self.progress.setAccessibleDescription("")
        if not good:
            why = "\n\n".join(filter(None, (self.warm_up.problem, "The log has it too: Help, Open log.")))
            text = "The solvers could not be prepared for this machine; they still work, but more slowly"
            self.show_message("warning", text, why)

    # -- events ---------------------------------------------------------------------------------------------------

    def _watch_button(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Filter the events of a button that takes the focus; of the whole application's it would cost too much."""
        if isinstance(now, QAbstractButton):
            now.installEventFilter(self)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Space alone belongs to a button that has the focus; everywhere else it plays."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and is_plain(event):
            if event.key() == Qt.Key.Key_Space and isinstance(watched, QAbstractButton) and watched.hasFocus():
                event.accept()
                return True
        return False


def _nothing_open_hints() -> tuple[tuple[str, str], ...]:
    """Return which keys work while nothing is open."""
    keys = (("open", "open a file"), ("command_palette", "find a command"), ("key_map", "all keys"))
    return tuple((keys_now.cap_of(action), words) for action, words in keys)
