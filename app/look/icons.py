"""Icons: SVG files on a 16x16 grid, drawn in one colour and rendered for the screen they are shown on.

The files use ``currentColor`` for every stroke and fill; it is replaced by the wanted colour before rendering.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.look.theme import current_theme

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "icons"
APPLICATION = FOLDER.parent / "desktop" / "sequence-editor.svg"
SIZE = 16
_RATIOS = (1.0, 1.25, 1.5, 1.75, 2.0, 3.0)


def names() -> tuple[str, ...]:
    """Return the names of all icons there are, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.svg")))


@lru_cache(maxsize=512)
def svg(name: str, color: str) -> str:
    """Return an icon's SVG text in a colour.

    Args:
        name: File name without its ending, for example ``"prev-key"``.
        color: ``"#rrggbb"``.

    Raises:
        KeyError: If there is no such icon.
    """
    path = FOLDER / f"{name}.svg"
    if not path.is_file():
        raise KeyError(f'no icon "{name}"; there are {", ".join(names())}')
    return path.read_text(encoding="utf-8").replace("currentColor", color)


@lru_cache(maxsize=256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(svg(name, color).encode()))


def paint(painter: QPainter, name: str, color: str | QColor, box: QRectF) -> None:
    """Draw an icon into ``box`` with vectors, at the painter's own resolution."""
    text = color if isinstance(color, str) else color.name()
    _renderer(name, text).render(painter, box)


@lru_cache(maxsize=1024)
def pixmap(name: str, color: str, size: int = SIZE, ratio: float = 1.0) -> QPixmap:
    """Return an icon as a pixmap.

    Args:
        name: The icon.
        color: ``"#rrggbb"``.
        size: Edge in logical pixels.
        ratio: Device pixels per logical pixel.

    Returns:
        A cached pixmap of ``ceil(size * ratio)`` device pixels with its device pixel ratio set; do not change it.
    """
    edge = -int(-size * ratio // 1)
    picture = QPixmap(edge, edge)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _renderer(name, color).render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


@lru_cache(maxsize=512)
def icon(name: str, color: str | None = None, size: int = SIZE, on: str | None = None) -> QIcon:
    """Return a ``QIcon`` for menus and Qt's own widgets.

    Args:
        name: The icon.
        color: ``"#rrggbb"``, or a colour token of the current theme such as ``"text2"``; None is ``"text2"``.
        size: Edge in logical pixels.
        on: Colour or token when checked; None is ``color``.
    """
    normal, checked = _resolve(color or "text2"), _resolve(on or color or "text2")
    screens = QGuiApplication.screens() if QGuiApplication.instance() is not None else []
    ratios = set(_RATIOS) | {screen.devicePixelRatio() for screen in screens}
    made = QIcon()
    for ratio in sorted(ratios):
        plain = pixmap(name, normal, size, ratio)
        made.addPixmap(plain, QIcon.Mode.Normal, QIcon.State.Off)
        made.addPixmap(pixmap(name, checked, size, ratio), QIcon.Mode.Normal, QIcon.State.On)
        made.addPixmap(_faded(plain), QIcon.Mode.Disabled, QIcon.State.Off)
    return made


def app_icon() -> QIcon:
    """Return the application's own icon, in its own colours."""
    renderer = QSvgRenderer(str(APPLICATION))
    made = QIcon()
    for edge in (16, 24, 32, 48, 64, 128, 256):
        picture = QPixmap(QSize(edge, edge))
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter)
        painter.end()
        made.addPixmap(picture)
    return made


def forget() -> None:
    """Drop icons that were made in the colours of a theme by token; called when the theme changes."""
    icon.cache_clear()


def _faded(picture: QPixmap) -> QPixmap:
    faded = QPixmap(picture.size())
    faded.setDevicePixelRatio(picture.devicePixelRatio())
    faded.fill(Qt.GlobalColor.transparent)
    painter = QPainter(faded)
    painter.setOpacity(0.4)
    painter.drawPixmap(0, 0, picture)
    painter.end()
    return faded


def _resolve(color: str) -> str:
    return color if color.startswith("#") else str(getattr(current_theme(), color))
