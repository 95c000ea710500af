"""The folder that the editor and its add-on for Blender exchange armatures over, and the add-on itself.

The add-on finds the folder through a small file that stands where it can look without Qt (``folders.py`` in
``resources/blender``).
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QStandardPaths, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from app.document.files.model_files import Stamp, stamp_of
from core.formats.armature.layout import SUFFIX
from core.formats.files import write_bytes, write_text
from core.regular_file import open_regular

FROM_BLENDER, TO_BLENDER = f"from-blender{SUFFIX}", f"to-blender{SUFFIX}"
ADD_ON = Path(__file__).parents[2] / "resources" / "blender" / "sequence_editor_link"
ADD_ON_FILE = "sequence_editor_link.zip"
QUIET_MS = 200
"""So long after a notice the file is looked at: it comes whole, but notices come in twos and threes."""
_HEAD = 4096  # bytes in which the name stands
_NAME = re.compile(r'"armature":\s*("(?:[^"\\]|\\.)*")')
_EPOCH = (1980, 1, 1, 0, 0, 0)  # same input, same bits: no times of files in the archive


def data_folder() -> Path:
    """Return where the editor keeps what it shares with other programs of the same person."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return Path(place) / "sequence-editor"


def exchange_folder() -> Path:
    """Return the folder of exchange; it need not exist."""
    return data_folder() / "blender"


def prepare_folder() -> Path:
    """Make the folder of exchange, and say to the add-on where it is; return it.

    Raises:
        OSError: If the folder cannot be made.
        FormatError: If the file that says where it is cannot be written.
    """
    folder = exchange_folder()
    folder.mkdir(parents=True, exist_ok=True)
    write_text(data_folder() / "blender-link.json", json.dumps({"folder": str(folder)}, indent=1) + "\n")
    return folder


def name_in(path: Path) -> str:
    """Return the name of the armature in a file, "" if there is none; reads no more than its beginning."""
    try:
        with open_regular(path) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
        found = _NAME.search(head)
        name = json.loads(found.group(1)) if found else ""
    except (OSError, ValueError):
        return ""
    return " ".join(str(name).split())[:60]


def write_add_on(path: Path) -> None:
    """Write the add-on as an archive that Blender installs from the disk.

    Raises:
        OSError: If the add-on is not where it belongs.
        FormatError: If the archive cannot be written; what was there is untouched.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(ADD_ON.iterdir()):
            if file.suffix in (".py", ".toml"):
                about = zipfile.ZipInfo(f"{ADD_ON.name}/{file.name}", _EPOCH)
                about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(about, file.read_bytes())
    write_bytes(path, made.getvalue())


class BlenderWatch(QObject):
    """Watches for what Blender sends, once the folder is there.

    Signals:
        came(Path): Another file than before has come.

    Args:
        parent: Owner.
        seen: Stamp of the file that was reported last, in an earlier session; None for none.
    """

    came = Signal(object)

    def __init__(self, parent: QObject, seen: Stamp | None = None):
        super().__init__(parent)
        self.seen = seen
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._watcher.directoryChanged.connect(lambda _folder: self._timer.start())
        self._timer.timeout.connect(self.look)

    @property
    def path(self) -> Path:
        """The file that Blender writes."""
        return exchange_folder() / FROM_BLENDER

    def start(self) -> None:
        """Begin to watch; a file that came while the editor was closed is reported at once."""
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        # Some file systems report nothing, and the folder may be made later: look whenever the person comes here.
        application.applicationStateChanged.connect(self._come_back)
        self.look()

    def stop(self) -> None:
        """End watching."""
        self._timer.stop()
        if self._watcher.directories():
            self._watcher.removePaths(self._watcher.directories())

    def _come_back(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._timer.start()

    def look(self) -> None:
        """Look whether there is another file now."""
        folder = str(exchange_folder())
        if folder not in self._watcher.directories() and Path(folder).is_dir():
            self._watcher.addPath(folder)
        stamp = stamp_of(self.path)
        if stamp is not None and stamp != self.seen:
            self.seen = stamp
            self.came.emit(self.path)
