"""The icons of the library: read in a thread, drawn one picture at a time while the window has nothing better to do."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from app.document.files import model_files
from app.library import cache as library_cache
from app.library.cache import Icon
from app.library.places import icons_folder
from app.library.reading import Content, Reader
from app.look.theme import current_theme
from app.process.log import logger
from core.errors import CoreError, PoseError
from core.formats.files import read_bytes
from core.formats.library import Entry
from core.formats.project import LARGEST

if TYPE_CHECKING:
    from app.document.document import Document
    from app.render.flipbook import Framing

WIDTH, HEIGHT = 66, 62  # of a picture, logical px
KEPT = 600
PAUSE_MS = 18
_CLEAR = 24  # of 255: what is fainter does not count as part of a figure
_FINER = 3  # times as many pixels each way are drawn of a still as it has, so that its outline is smooth
_WAIT = 0.05  # how often the thread looks whether playing or a drag is over, [s]


class Key(NamedTuple):
    """What makes one icon another: file, its size and time, theme, and device pixels a logical one."""

    path: Path
    stamp: tuple[int, int]
    theme: str
    ratio: float


@dataclass
class _Work:
    """An icon under way: what is drawn, what is drawn already, and its name on the disk."""

    key: Key
    content: Content
    digest: str
    icon: Icon
    seen: Framing | None = None


class LibraryIcons(QObject):
    """Gives the icons of sequences, from the disk or drawn.

    Args:
        document: Nothing is read or drawn while it plays, a drag goes on or the skeleton is edited.
        folder: Where icons are kept; None for the platform's place.
        parent: Qt parent.
        size: Width and height of a picture, [px].
        stills: Whether an icon is the one pose that stands for its motion.

    Signals:
        ready(Path): More of a file's icon is there than before.
    """

    ready = Signal(object)
    _read = Signal(object)

    def __init__(
        self,
        document: Document,
        folder: Path | None = None,
        parent: QObject | None = None,
        size: tuple[int, int] = (WIDTH, HEIGHT),
        stills: bool = False,
    ):
        super().__init__(parent)
        self._document = document
        self._size, self._stills = size, stills
        self._rests = False
        self.folder = icons_folder() if folder is None else folder
        self._icons: OrderedDict[Key, Icon] = OrderedDict()
        self._stood: OrderedDict[Path, Icon] = OrderedDict()
        self._asked: set[Key] = set()
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._reader = Reader()
        self._works: list[_Work] = []
        self._read.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._draw_one)

    # -- asking ------------------------------------------------------------------------------------------------------

    def icon(self, entry: Entry, ratio: float) -> Icon | None:
        """Return the icon of a sequence, or None while there is nothing to show; ``ready`` says when there is more.

        While a changed file is drawn again, its old icon is shown.

        Args:
            entry: The sequence.
            ratio: Device pixels a logical one.
        """
        key = Key(entry.path, entry.stamp, current_theme().name, ratio)
        found = self._icons.get(key)
        if found is not None:
            self._icons.move_to_end(key)
            if found.complete or found.problem or entry.path not in self._stood:
                return found
        elif key not in self._asked and not self._stopped and not self._rests:
            self._asked.add(key)
            self._do(lambda: self._find(key))
        return self._stood.get(entry.path)

    @property
    def busy(self) -> bool:
        """Whether icons that were asked for are still to come."""
        return bool(self._asked)

    def forget_moved(self, old: Path, new: Path) -> None:
        """Let an icon stand in at another path: its file was renamed."""
        if old in self._stood:
            self._stood[new] = self._stood.pop(old)

    def rest(self, rests: bool) -> None:
        """Say whether icons are not wanted for now: nothing more is read or drawn, and figures are let go."""
        self._rests = rests
        if rests:
            with self._lock:
                self._jobs.clear()
            self._asked.clear()
            self._works.clear()
            self._reader = Reader()

    def stop(self, longest: float = 5.0) -> None:
        """End what goes on in the background, and wait for it."""
        self._stopped = True
        self._timer.stop()
        with self._lock:
            self._jobs.clear()
            thread = self._thread
        if thread is not None:
            thread.join(longest)

    # -- the thread --------------------------------------------------------------------------------------------------

    def _do(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="icons of the library", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if self._stopped or not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            while self._busy() and not self._stopped:
                time.sleep(_WAIT)
            job()

    def _busy(self) -> bool:
        session, simulates = self._document.session, self._document.physics.running
        return bool(
            session.playback.playing or simulates or session.drag.chain is not None or session.mode == "skeleton"
        )

    def _find(self, key: Key) -> None:
        width, height = self._pixels(key.ratio)
        try:
            content = read_bytes(key.path, LARGEST)
            name = library_cache.digest(content, key.theme, width, height)
            icon = library_cache.load(self.folder, name)
            found: Icon | Content = self._content(key.path) if icon is None else icon
            if self._stills and isinstance(found, Content) and not self._rests:
                found = self._drawn_here(_Work(key, found, name, Icon(found.about, [None]))) or found
        except (CoreError, OSError) as error:
            found, name = Icon(problem=model_files.one_line(error, key.path)), ""
        except Exception as error:  # a file that nobody thought of must not take the others along
            logger.warning("the icon of %s cannot be made", key.path, exc_info=error)
            found, name = Icon(problem=f"{key.path.name}: cannot be read ({type(error).__name__})"), ""
        try:
            self._read.emit((key, found, name))
        except RuntimeError:
            pass  # the window closed meanwhile

    def _content(self, path: Path) -> Content:
        content = self._reader.read(path)
        if not self._stills:
            return content
        about = replace(content.about, still=0, pictures=1)
        return Content(content.skeleton, content.poses[[content.about.still]], about)

    def _drawn_here(self, work: _Work) -> Icon | None:
        """Draw a single picture in this thread and keep it; None where only the thread of the window can draw."""
        from app.render.gl import USES_EGL

        if not USES_EGL:
            return None
        if self._drawn(work, 0):
            library_cache.save(self.folder, work.digest, work.icon)
            return work.icon
        about = work.content.about
        return Icon(replace(about, pictures=0))

    def _pixels(self, ratio: float) -> tuple[int, int]:
        """Return width and height of a picture, device pixels."""
        return round(self._size[0] * ratio), round(self._size[1] * ratio)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def _take(self, news: tuple[Key, Icon | Content, str]) -> None:
        key, found, name = news
        if self._stopped or self._rests:
            return
        if isinstance(found, Icon):
            for picture in found.pictures:
                if picture is not None:
                    picture.setDevicePixelRatio(key.ratio)
            self._keep(key, found)
        elif key.theme != current_theme().name:
            self._asked.discard(key)  # asked for again when it is wanted again
        else:
            icon = Icon(found.about, [None] * found.about.pictures)
            self._works.append(_Work(key, found, name, icon))
            self._timer.start()

    def _keep(self, key: Key, icon: Icon) -> None:
        self._icons[key] = icon
        self._icons.move_to_end(key)
        if icon.complete:
            self._stood[key.path] = icon
            self._stood.move_to_end(key.path)
            self._asked.discard(key)
        for kept in (self._icons, self._stood):
            while len(kept) > KEPT:
                kept.popitem(last=False)
        self.ready.emit(key.path)

    def _draw_one(self) -> None:
        if self._busy():
            return
        theme = current_theme().name
        for work in [work for work in self._works if work.key.theme != theme]:
            self._works.remove(work)
            self._asked.discard(work.key)
            self._icons.pop(work.key, None)
        if not self._works:
            self._timer.stop()
            return
        # The picture that stands for each sequence comes first, then the others.
        work = next((work for work in self._works if not any(work.icon.pictures)), self._works[0])
        about = work.content.about
        missing = [number for number, picture in enumerate(work.icon.pictures) if picture is None]
        number = about.still if about.still in missing else missing[0]
        if not self._drawn(work, number):
            self._works.remove(work)
            work.icon = Icon(library_cache.About(about.frames, about.keys, 0, 0, about.figure))
        elif work.icon.complete:
            self._works.remove(work)
            done = Icon(about, list(work.icon.pictures))
            self._do(lambda: library_cache.save(self.folder, work.digest, done))
            if not self._works:
                self._do(lambda: library_cache.prune(self.folder))
        self._keep(work.key, work.icon)

    def _drawn(self, work: _Work, number: int) -> bool:
        """Draw one picture; return whether that is possible: a figure may lack shapes, a machine OpenGL."""
        from app.render.context import GraphicsError
        from app.render.flipbook import draw, framing

        content = work.content
        width, height = self._pixels(work.key.ratio)
        try:
            if work.seen is None:
                work.seen = framing(content.skeleton, content.poses, width / height)
            fine = _FINER if self._stills else 1
            pixels = draw(
                content.skeleton, content.poses[number], work.seen, number, (fine * width, fine * height),
                work.key.theme, content.around(number),
            )  # fmt: skip
        except (GraphicsError, PoseError) as error:
            logger.info("the icon of %s cannot be drawn", work.key.path, exc_info=error)
            return False
        picture = picture_of(pixels, work.key.ratio)
        if fine > 1:
            whole, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            picture = picture.scaled(width, height, whole, smooth)
        work.icon.pictures[number] = picture
        return True


def to_middle(picture: QImage) -> int:
    """Return how far to the right a picture must go for what is in it to stand in the middle, device pixels.

    What stays away from the edges can go there: all that is moved out is clear.
    """
    alpha = picture.convertToFormat(QImage.Format.Format_Alpha8)
    rows = np.frombuffer(alpha.constBits(), np.uint8).reshape(alpha.height(), alpha.bytesPerLine())
    filled = np.flatnonzero(rows[:, : alpha.width()].max(axis=0) > _CLEAR)
    if not len(filled) or filled[0] == 0 or filled[-1] == alpha.width() - 1:  # an obstacle is cut off there
        return 0
    return round(0.5 * (alpha.width() - 1 - int(filled[0]) - int(filled[-1])))


def picture_of(pixels: NDArray[np.uint8], ratio: float) -> QImage:
    """Return premultiplied RGBA as a picture of its own."""
    data = np.ascontiguousarray(pixels)
    height, width = data.shape[:2]
    image = QImage(data.data, width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied)
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    return image
