"""What actions ask of the window that they are for, and of each other through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QWidget

from app.document.files.recent import RecentFiles, Store
from app.files.file_window import FileCommands, FileWindow

if TYPE_CHECKING:
    from app.actions.table import ActionTable
    from app.document.content.model import Model
    from app.document.content.records import Figure
    from app.files.file_watch import FileWatch
    from app.panels.library.panel import LibraryPanel
    from app.timeline.panel import TimelinePanel
    from app.widgets.frames.dock import Panel
    from app.work.background import Progress
    from core.errors import Problem
    from core.formats import Project
    from core.skeleton import Skeleton


class EditorToolbar(Protocol):
    """The toolbar, as far as actions know it.

    Attributes:
        auto_key: The button that lets edits set keys.
        set_key: The button that sets one.
    """

    @property
    def auto_key(self) -> QWidget: ...

    @property
    def set_key(self) -> QWidget: ...

    def mapTo(self, widget: QWidget, place: QPoint, /) -> QPoint:
        """Return where a place is in a widget around it."""

    def show_session(self) -> None:
        """Show mode, tool and drag mode."""

    def motion_place(self) -> QPoint:
        """Return where the settings of ghosts and trails open, on the screen."""

    def set_base(self, joint: int) -> None:
        """Let a drag move everything up to a joint."""


class EditorMenu(Protocol):
    """The menu bar, as far as actions know it."""

    def submenu(self, title: str, name: str) -> QMenu | None:
        """Return a menu in a menu, or None if there is none."""

    def entries(self) -> Iterator[tuple[str, QAction]]:
        """Yield every entry with where it stands, such as ``Pose > Mirror``."""

    def place_of(self, title: str) -> QRect:
        """Return where the title of a menu is in the window."""

    def note_saved(self) -> None:
        """Remember that the file was written now."""

    def show_saved(self, is_saved: bool) -> None:
        """Show whether everything is in the file."""


class EditorDocks(Protocol):
    """The docks around the views, as far as actions know them."""

    def dock_of(self, panel: Panel) -> QDockWidget:
        """Return the dock that a panel stands in, alone or as a tab."""

    def show_panel(self, panel: Panel) -> None:
        """Open the dock of a panel and give the panel the keyboard."""

    def fit_timeline(self) -> None:
        """Give the timeline the height of its rows."""

    def set_mode(self, mode: str) -> None:
        """Show the docks of another mode of the window."""


class OpenFileCommands(FileCommands, Protocol):
    """What other actions ask of those about files.

    Attributes:
        watch: Watches the file that is open.
        recent: The files that were opened and written last; None where nothing is remembered.
    """

    watch: FileWatch
    recent: RecentFiles | None

    def open_path(self, path: Path, then: Callable[[], object] | None = None) -> bool:
        """Open a file; return whether that has begun."""

    def read(self, path: Path, progress: Progress) -> Model:
        """Return what is in a file, read as files of its source were before; called beside the window."""

    def read_figure(self, path: Path, take: Callable[[Path, Figure, tuple[Problem, ...]], object]) -> None:
        """Read the figure of a file, beside the window if that may take long, and give it to ``take``."""

    def own_folder(self) -> Path:
        """Return the folder that dialogs begin in."""

    def suggested_path(self, suffix: str, otherwise: str) -> Path:
        """Return a path for a file that is written from what is open."""

    def note_export(self, figure: Skeleton | None, unit: float) -> None:
        """Remember that a figure was written for other programs, in a unit and with y up."""

    def shown_project(self) -> Project | None:
        """Return a copy of what is shown; None without a figure."""

    def keep_view(self) -> None:
        """Put how things are viewed into the document."""

    def saved(self, good: bool) -> bool:
        """Take whether the document was saved, and return it."""


class EditCommands(Protocol):
    """What other actions ask of those about editing."""

    def set_tool(self, tool: str) -> None:
        """Make another tool the active one."""

    def show_manual(self, page: str | None = None) -> None:
        """Show the manual, on the page it is on or another one."""


class KeyMapCommands(Protocol):
    """What other actions ask of those about the key map."""

    def show(self, words: str = "") -> None:
        """Show all keys and gestures, or those that some words find."""


class SkeletonCommands(Protocol):
    """What other actions ask of those about the skeleton."""

    def set_mode(self, mode: str) -> None:
        """Go to another mode of the window."""

    def show_joint_menu(self, place: QPoint, joint: int | None) -> None:
        """Show what can be done with a joint."""


class PartCommands(Protocol):
    """Actions that add theirs to the menu of a part."""

    def add_part_menu(self, menu: QMenu) -> None:
        """Add what can be done with the selected parts."""


class PhysicsCommands(PartCommands, Protocol):
    """What other actions ask of those about physics."""

    def simulate(self) -> None:
        """Simulate from the current frame, or stop."""


class LockCommands(Protocol):
    """What other actions ask of those about locks."""

    def add_part_menu(self, menu: QMenu, joint: int) -> None:
        """Add what can be locked of a part."""

    def add_held_menu(self, menu: QMenu, number: int) -> None:
        """Add what selected parts can do with another figure or a prop, by its number."""

    def look(self) -> None:
        """Let the next click in a view say what the part selected last looks at."""

    def draw_path(self) -> None:
        """Let the mouse draw the path of the part selected last."""


class LibraryCommands(Protocol):
    """What other actions ask of those about the library."""

    @property
    def panel(self) -> LibraryPanel:
        """The library panel."""

    def save(self) -> bool:
        """Ask for name and menu, and save the open sequence there."""


class KeptSettings(Store, Protocol):
    """What is remembered from one session to the next; other small files of the person stand beside it."""

    path: Path


class EditorWindow(FileWindow):
    """The window, as far as actions know it; the window that is shown fills the attributes in.

    Attributes:
        settings: What is remembered; None if nothing is.
        action_table: All actions by name.
        central: Holds docks and status line.
        timeline: The timeline.
        panels: The panels of the docks.
        workbench: The docks.
        toolbar: The toolbar.
        menu: The menu bar.
        files: Actions about files.
        edits: Actions about editing.
        key_map: Actions about the key map.
        skeleton: Actions about the skeleton.
        posing: Actions about poses.
        locks: Actions about locks.
        physics: Actions about physics.
        library: Actions about the library.
    """

    settings: KeptSettings | None
    action_table: ActionTable
    central: QWidget
    timeline: TimelinePanel
    panels: Sequence[Panel]
    workbench: EditorDocks
    toolbar: EditorToolbar
    menu: EditorMenu
    files: OpenFileCommands
    edits: EditCommands
    key_map: KeyMapCommands
    skeleton: SkeletonCommands
    posing: PartCommands
    locks: LockCommands
    physics: PhysicsCommands
    library: LibraryCommands

    def regions(self) -> list[QWidget]:
        """Return what the keyboard goes through region by region, in order, as far as it is shown."""
        raise NotImplementedError

    def posing_regions(self) -> list[QWidget]:
        """Return where keys about poses hold: everywhere but in the timeline."""
        raise NotImplementedError

    def show_turning(self) -> None:
        """Show what the rings turn, and about which axes."""
        raise NotImplementedError

    def show_first_steps(self) -> None:
        """Show the hints at the real controls, from the first one on."""
        raise NotImplementedError

    def reset_layout(self) -> None:
        """Put docks and sizes back as they were at first."""
        raise NotImplementedError
