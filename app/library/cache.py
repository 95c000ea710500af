"""Icons of the library on the disk: one small file each, named by a digest of all that it was drawn from.

A file is a line of JSON and a picture with all key poses in rows. What cannot be read is drawn again; nothing here is
ever the only copy of anything.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QImage, QPainter

from app.look.theme import THEMES
from core import __version__

DRAWN = 8  # raised when icons are drawn in another way
MOST_BYTES = 60_000
KEPT = 1500  # files
_COLUMNS = 8
_LOSSLESS, _SMALL = 100, 250  # rows of pixels of a sheet that is kept without loss if it is small enough
_QUALITIES = (90, 75, 55, 35, 15)


@dataclass(frozen=True)
class About:
    """What an icon says about its sequence.

    Attributes:
        frames: Number of frames it plays.
        keys: Number of its keys.
        still: Which picture stands for the sequence while nothing moves.
        pictures: How many pictures there are: one for each key, of very many keys an even choice.
        figure: Name of its figure.
    """

    frames: int
    keys: int
    still: int
    pictures: int
    figure: str


@dataclass
class Icon:
    """The pictures of a sequence.

    Attributes:
        about: What it says; None if the file cannot be read.
        pictures: One for each key pose, None for those still to be drawn.
        problem: Why the file cannot be read, one line; else "".
    """

    about: About | None = None
    pictures: list[QImage | None] = field(default_factory=list)
    problem: str = ""

    @property
    def complete(self) -> bool:
        """Whether every picture is there."""
        return all(picture is not None for picture in self.pictures)


def digest(content: bytes, theme: str, width: int, height: int) -> str:
    """Return the name of the icon of a file with this content.

    Args:
        content: The file's bytes.
        theme: Name of the theme.
        width: Of a picture, device pixels.
        height: Of a picture, device pixels.
    """
    made = hashlib.sha256(content)
    made.update(repr((__version__, DRAWN, THEMES[theme], width, height)).encode())
    return made.hexdigest()[:40]


def load(folder: Path, name: str) -> Icon | None:
    """Return a kept icon, or None if there is none that can be read; any thread may ask."""
    path = folder / f"{name}.icon"
    try:
        data = path.read_bytes()
        os.utime(path)  # the files used last are those that are kept
    except OSError:
        return None
    head, _, picture = data.partition(b"\n")
    try:
        record = json.loads(head)
        about = About(**record["about"])
        width, height = int(record["width"]), int(record["height"])
        sheet = QImage.fromData(picture)
        fits = 0 < about.pictures <= _COLUMNS * (sheet.height() // height) and sheet.width() >= width
        if not fits or not 0 <= about.still < about.pictures:
            return None
    except (ValueError, TypeError, KeyError, ZeroDivisionError):
        return None
    sheet = sheet.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    places = (_place(number, width, height) for number in range(about.pictures))
    return Icon(about, [sheet.copy(QRect(at.x(), at.y(), width, height)) for at in places])


def _place(number: int, width: int, height: int) -> QPoint:
    return QPoint(number % _COLUMNS * width, number // _COLUMNS * height)


def save(folder: Path, name: str, icon: Icon) -> None:
    """Keep a complete icon; a disk that is full or forbidden costs nothing but time. Any thread may ask."""
    pictures = [picture for picture in icon.pictures if picture is not None]
    if icon.about is None or len(pictures) != icon.about.pictures or not pictures:
        return
    width, height = pictures[0].width(), pictures[0].height()
    head = json.dumps({"about": asdict(icon.about), "width": width, "height": height}).encode() + b"\n"
    data = head + encoded(sheet_of(pictures), MOST_BYTES - len(head))
    part = folder / f".{name}.{os.getpid()}.{secrets.token_hex(4)}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(data)
            os.replace(part, folder / f"{name}.icon")
        finally:
            part.unlink(missing_ok=True)
    except OSError:
        return


def sheet_of(pictures: Sequence[QImage]) -> QImage:
    """Return pictures of one size in rows."""
    width, height = pictures[0].width(), pictures[0].height()
    columns, rows = min(len(pictures), _COLUMNS), math.ceil(len(pictures) / _COLUMNS)
    sheet = QImage(columns * width, rows * height, QImage.Format.Format_ARGB32_Premultiplied)
    sheet.fill(0)
    painter = QPainter(sheet)
    for number, picture in enumerate(pictures):
        plain = QImage(picture)
        plain.setDevicePixelRatio(1.0)
        painter.drawImage(_place(number, width, height), plain)
    painter.end()
    return sheet


def encoded(sheet: QImage, most: int) -> bytes:
    """Return a picture as bytes, as good as ``most`` of them allow; without the WebP plug-in as PNG."""
    data = QByteArray()
    for quality in _QUALITIES if sheet.height() > _SMALL else (_LOSSLESS, *_QUALITIES):
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        if not sheet.save(buffer, "WEBP", quality):  # type: ignore[call-overload]  # the stubs ask for bytes, Qt takes none
            buffer.seek(0)
            sheet.save(buffer, "PNG")  # type: ignore[call-overload]  # likewise
            break
        if data.size() <= most:
            break
    return bytes(data.data())


def prune(folder: Path, kept: int = KEPT) -> None:
    """Remove the icons used longest ago, if there are more than ``kept``."""
    try:
        with os.scandir(folder) as found:
            files = sorted(
                ((each.stat().st_mtime, each.path) for each in found if each.name.endswith(".icon")), reverse=True
            )
        for _, path in files[kept:]:
            os.unlink(path)
    except OSError:
        return
