"""Starts the editor: application, window, log, kernels; and its two uses without a person: screenshot and demo."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.window.main_window import MainWindow
    from core.formats import ImportChoices

SAMPLE = Path("library") / "Walks and runs" / "walk.seq"
DEMO_SECONDS = 3.0


def sample_path() -> Path:
    """Return the sequence that `make run` opens."""
    from core.formats.bundled import bundled_folder

    return bundled_folder() / SAMPLE


def make_application(theme: str | None = None) -> QApplication:
    """Make the application object with fonts, icon, look and log.

    Args:
        theme: Theme to begin with; None takes the person's, and with it the person's scale.
    """
    from app.process.pyside_imports import spare_sources

    spare_sources()
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    # Settings lie where these names say, and one of them is needed before there is an application object.
    QCoreApplication.setApplicationName("sequence-editor")
    QCoreApplication.setOrganizationName("sequence-editor")
    from app.look.scale import scaled
    from app.window.settings import Settings

    existing = QApplication.instance()
    if existing is None:
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    with scaled(Settings().scale() if theme is None else 100):
        application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationDisplayName("Sequence Editor")
    application.setDesktopFileName("sequence-editor")  # by it desktops find icon and name of the window

    from app.look import fonts, icons, style
    from app.look.theme import THEMES
    from app.process import log

    log.start()
    fonts.load()
    application.setWindowIcon(icons.app_icon())
    chosen = theme or str(Settings().value("session/theme", "dark"))
    style.apply(application, THEMES.get(chosen, THEMES["dark"]))
    return application


def make_window(theme: str | None = None, remember: bool = True) -> MainWindow:
    """Make the main window; with ``remember`` False it neither reads nor writes the person's settings and journal."""
    from app.window.main_window import MainWindow

    return MainWindow(theme=theme, remember=remember)


def open_editor(files: Sequence[Path], hints: bool = True) -> tuple[QApplication, MainWindow]:
    """Open the editor on files, up to where it waits for the person; the caller lets events in.

    Args:
        files: What to open; the first of them.
        hints: Whether the first steps are shown if this is the first start.
    """
    gc.disable()
    application = make_application()
    window = make_window()
    window.show()
    window.start()
    gc.freeze()  # modules and window stay: to search them for garbage, now and then, would only stall what plays
    gc.enable()
    if files:
        window.open_files(files)
    else:
        window.files.gallery.begin()
    window.offer_recovery()
    if hints:
        window.first_steps.offer()
    return application, window


def run(files: Sequence[Path], demo: bool = False) -> int:
    """Open the editor and stay until it is closed; return the exit code."""
    application, window = open_editor(files or ([sample_path()] if demo else []), hints=not demo)
    code = application.exec()
    window.stop()
    return code


def settle(application: QApplication, seconds: float) -> None:
    """Let the window work for a while, as it would between a person's actions."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        application.processEvents()
        time.sleep(0.005)


def finish_thumbnails(application: QApplication, window: MainWindow, longest: float = 20.0) -> None:
    """Let the window work until the pictures of the key poses are drawn, or for ``longest`` seconds."""
    end = time.monotonic() + longest
    while window.thumbnails.busy and time.monotonic() < end:
        settle(application, 0.05)
    settle(application, 0.05)


def take_screenshot(
    file: Path | None,
    output: Path,
    size: tuple[int, int],
    theme: str = "dark",
    frame: int | None = None,
    choices: ImportChoices | None = None,
) -> None:
    """Save a picture of the real window on a file; starts a virtual display where there is none.

    Args:
        file: What to open, or None for the empty window.
        output: A .png file.
        size: Width and height of the window, logical px.
        theme: ``"dark"`` or ``"light"``.
        frame: Frame to go to; the first key if None.
        choices: How a motion file of another program is read.
    """
    from app.process import virtual_display

    virtual_display.ensure(max(size[0], 1024), max(size[1], 680))
    application = make_application(theme)
    window = make_window(theme, remember=False)
    window.resize(*size)
    window.show()
    if file is not None:
        window.document.files.open(file, choices=choices)
    if frame is not None:
        window.document.set_frame(frame)
    settle(application, 0.6)  # so that refined pictures are in
    finish_thumbnails(application, window)
    window.grab().save(str(output))
    window.stop()
    window.close()


def play_demo(output: Path) -> None:
    """Play the sample on a virtual display for a few seconds, save a picture of it, and say so."""
    from app.process import virtual_display

    virtual_display.ensure(1600, 1000)
    print("No display: playing the sample on a virtual one.", flush=True)
    application = make_application()
    window = make_window(remember=False)
    window.resize(1600, 1000)
    window.show()
    window.start()
    window.files.open_path(sample_path())
    settle(application, 0.5)
    finish_thumbnails(application, window)
    window.player.play()
    settle(application, DEMO_SECONDS)
    shown, dropped = window.player.stats.shown, window.player.stats.dropped
    window.player.pause()
    settle(application, 0.6)
    window.grab().save(str(output))
    window.stop()
    window.close()
    print(f"Played {shown} frames in {DEMO_SECONDS:g} s ({dropped} dropped to keep time); wrote {output}.")
