"""The window as a person sees it, for what drives it outside of the tests: measurements and pictures."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from app.process import virtual_display
from app.window.editor import make_application, make_window
from app.window.main_window import MainWindow
from core.kernels import load_all

SCREEN = (1600, 1000)


def shown_window(size: tuple[int, int] = SCREEN) -> tuple[QApplication, MainWindow]:
    """Return the application and its window, dark, compiled, with nothing of earlier sessions, on a screen of its own.

    Args:
        size: Of the window, [px].
    """
    virtual_display.ensure(*SCREEN)
    load_all()
    application = make_application("dark")
    window = make_window("dark", remember=False)
    window.resize(*size)
    window.show()
    return application, window
