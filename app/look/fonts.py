"""The user interface's font: Inter, bundled, with tabular figures where numbers stand under each other."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

FAMILY = "Inter"
FALLBACKS = ("Noto Sans", "DejaVu Sans", "sans-serif")
BODY, SECONDARY, SMALL = 12.0, 11.0, 11.0
REGULAR, MEDIUM, SEMIBOLD = 400, 500, 600

_density: list[float] = []  # of the primary screen, once it was asked: fonts are wanted hundreds of times a picture
_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "fonts"


@lru_cache(maxsize=1)
def load() -> str:
    """Register the bundled fonts with Qt once; return the family that the interface uses.

    Needs a ``QGuiApplication``. When the files are missing, the first fallback that is installed is returned.
    """
    families: list[str] = []
    for path in sorted(_FOLDER.glob("*.otf")):
        number = QFontDatabase.addApplicationFont(str(path))
        if number >= 0:
            families.extend(QFontDatabase.applicationFontFamilies(number))
    if FAMILY in families:
        return FAMILY
    installed = set(QFontDatabase.families())
    return next(
        (name for name in FALLBACKS if name in installed),
        QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family(),
    )


def font(size: float = BODY, weight: int = REGULAR, tabular: bool = False) -> QFont:
    """Return the interface font.

    Args:
        size: Height in logical pixels; fractions are kept.
        weight: 400 body, 500 buttons and values, 600 titles.
        tabular: Whether all figures are equally wide, so that changing numbers do not jitter.

    Returns:
        A new ``QFont`` that the caller may change.
    """
    return QFont(_font(float(size), int(weight), bool(tabular), _dots_per_inch()))


def _dots_per_inch() -> float:
    if not _density:
        screen = QGuiApplication.primaryScreen()
        if screen is None:
            return 96.0
        _density.append(screen.logicalDotsPerInch())
        screen.logicalDotsPerInchChanged.connect(_forget_density)
        screen.destroyed.connect(_forget_density)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.primaryScreenChanged.connect(_forget_density)
    return _density[0]


def _forget_density(*_news: object) -> None:
    """Ask the screen again: it is another one, or has another density."""
    _density.clear()


@lru_cache(maxsize=64)
def _font(size: float, weight: int, tabular: bool, dots_per_inch: float) -> QFont:
    made = QFont([load(), *FALLBACKS])
    made.setPointSizeF(size * 72.0 / dots_per_inch)  # setPixelSize takes whole pixels only, and 10.5 is needed
    made.setWeight(QFont.Weight(weight))
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # same letter widths at every screen scale
    if tabular:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made
