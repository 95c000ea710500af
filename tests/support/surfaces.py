"""Dialogs, windows and popovers of the editor, opened as a person does where that does not wait for an answer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from PySide6.QtWidgets import QApplication, QWidget

from app.dialogs.bake_dialog import BakeDialog
from app.dialogs.effort_dialog import EffortDialog
from app.dialogs.export_dialog import ExportDialog, Wishes
from app.dialogs.import_dialog import ImportDialog
from app.dialogs.key_map_window import KeyMapWindow
from app.dialogs.library_dialog import LibraryDialog
from app.dialogs.manual_window import ManualWindow
from app.dialogs.motion_dialog import MotionDialog, MotionWishes
from app.dialogs.retarget_dialog import RetargetDialog
from app.document.files.model_files import read_model
from app.popovers.camera import CameraPopover
from app.popovers.clean_up import CleanUpBoard
from app.popovers.foot_paths import FootPathsPopover
from app.popovers.lights import LightsPopover
from app.popovers.motion import MotionPopover
from app.popovers.reduce_keys import ReduceKeysPopover
from app.popovers.walk import WalkPopover
from app.timeline.reshape_board import ReshapePopover
from app.timeline.sheet.key_numbers import KeyNumbers
from app.window.main_window import MainWindow
from core.formats import ImportChoices, Project, bundled_folder, save
from core.formats.exchange.recording import Recording
from core.skeleton import load_skeleton

MODES = ("pose", "physics", "skeleton")


def prepare(window: MainWindow) -> None:
    """Put the window, with a motion open, where all of them have something to show."""
    document = window.document
    document.session.mode = "pose"
    document.selection.set((5,))
    document.locks.lock_parts(["left foot"], "position")
    window.action_table["select_all_keys"].trigger()
    window.action_table["key_camera"].trigger()
    QApplication.processEvents()


def _by(action: str, kind: type[QWidget]) -> Callable[[MainWindow], QWidget]:
    def open_it(window: MainWindow) -> QWidget:
        window.action_table[action].trigger()
        QApplication.processEvents()
        shown = [each for each in window.findChildren(kind) if each.isVisible()]
        assert shown, action
        return shown[0]

    return open_it


def _export(movie: bool) -> Callable[[MainWindow], QWidget]:
    def open_it(window: MainWindow) -> QWidget:
        camera = window.area.host.cameras["perspective"].copy()
        sequence = window.document.sequence
        assert sequence is not None
        return _shown(ExportDialog(sequence, Wishes(), window.document.session.view.theme, camera, movie, window))

    return open_it


def _export_motion(window: MainWindow) -> QWidget:
    sequence = window.document.sequence
    assert sequence is not None
    frames = np.arange(sequence.range[1] + 1.0)
    recording = Recording(frames, sequence.poses_at_frames(frames))
    return _shown(MotionDialog([sequence, sequence], frozenset(), MotionWishes(), 1.0, recording, True, window))


def _import(window: MainWindow) -> QWidget:
    sequence = window.document.sequence
    assert sequence is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk from another program.bvh"
        save(Project([sequence.skeleton], [sequence]), path)
        model, _warnings = read_model(path, choices=ImportChoices.found())
    return _shown(ImportDialog(path, model, None, lambda _choices, done: done(None), window))


def _bake(window: MainWindow) -> QWidget:
    samples = [SimpleNamespace(frame=float(frame)) for frame in range(40)]
    return _shown(BakeDialog(cast(Any, samples), window))


def _retarget(window: MainWindow) -> QWidget:
    walk, robot = window.document.sequence, load_skeleton(bundled_folder() / "robot.scr")
    assert walk is not None
    return _shown(RetargetDialog([("walk", walk)], robot, lambda *_: None, window))


def _effort(window: MainWindow) -> QWidget:
    return _shown(EffortDialog((0, 40), 2, True, window))


def _save_to_library(window: MainWindow) -> QWidget:
    menus = ["Walks and runs", "Gestures"]
    return _shown(LibraryDialog("Save to library", "Save", "Walk", menus, menus[0], lambda *_: "", window))


def _palette(window: MainWindow) -> QWidget:
    window.action_table["command_palette"].trigger()
    return window.palette_actions.palette


def _shown(dialog: QWidget) -> QWidget:
    dialog.show()
    return dialog


SURFACES: dict[str, Callable[[MainWindow], QWidget]] = {
    "command palette": _palette,
    "key map": _by("key_map", KeyMapWindow),
    "manual": _by("manual", ManualWindow),
    "ghosts and trails": _by("motion_settings", MotionPopover),
    "lights": _by("light_settings", LightsPopover),
    "camera": _by("camera_settings", CameraPopover),
    "walk": _by("walk", WalkPopover),
    "foot paths": _by("lock_feet_path", FootPathsPopover),
    "clean up": _by("clean_up", CleanUpBoard),
    "reduce keys": _by("reduce_keys", ReduceKeysPopover),
    "key numbers": _by("key_numbers", KeyNumbers),
    "reshape keys": _by("reshape_keys", ReshapePopover),
    "export movie": _export(True),
    "export picture": _export(False),
    "export motion": _export_motion,
    "import": _import,
    "bake": _bake,
    "retarget": _retarget,
    "least effort": _effort,
    "save to library": _save_to_library,
}
"""By name; the window is to be prepared."""
