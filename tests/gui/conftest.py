"""The whole window with a sample open, for tests that drive it as a person would."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.look import style
from app.render.mesh.geometry import Geometry, build_geometry
from app.window.main_window import MainWindow
from core.skeleton import Skeleton
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import bind_frames, segment_skin
from tests.support.shared_window import SharedWindow

_built: dict[bytes, Geometry] = {}


def _shape_of(skeleton: Skeleton) -> bytes:
    """Return a digest of all that a figure's triangles are built from."""
    digest = hashlib.sha256(bind_frames(skeleton).tobytes())
    for i, joint in enumerate(skeleton.joints):
        mesh, skin = segment_mesh(skeleton, i), segment_skin(skeleton, i)
        arrays = [] if mesh is None else [mesh.vertices, mesh.triangles]
        arrays += [] if skin is None else [skin.joints, skin.weights]
        digest.update(repr([joint.parent, joint.scale.tolist(), [array.shape for array in arrays]]).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


@pytest.fixture(autouse=True)
def _figures_are_built_once(figures_are_read_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of windows open the same walk; making its triangles ready would be half of the time they take."""

    def built(skeleton: Skeleton) -> Geometry:
        shape = _shape_of(skeleton)
        if shape not in _built:
            _built[shape] = build_geometry(skeleton)
        return _built[shape]

    monkeypatch.setattr("app.render.drawn_figure.kept_geometry", built)


@pytest.fixture(autouse=True)
def _pointer_aside(qapp: QApplication) -> None:
    """Take the pointer out of the way, no button down: as the last test left it, it would hover or hold something."""
    if (held := qapp.mouseButtons()) != Qt.MouseButton.NoButton:
        aside = QWidget()
        aside.show()
        for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton):
            if held & button:
                QTest.mouseRelease(aside, button)
        aside.close()
    QCursor.setPos(qapp.primaryScreen().geometry().bottomRight())
    qapp.processEvents()
    assert qapp.mouseButtons() == Qt.MouseButton.NoButton


@pytest.fixture(autouse=True)
def _no_icons(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The library's icons are drawn in its own tests only, and kept out of the person's cache."""
    monkeypatch.setattr("app.library.icons.LibraryIcons.icon", lambda *_: None)
    monkeypatch.setattr("app.library.icons.icons_folder", lambda: tmp_path_factory.getbasetemp() / "icons")


@pytest.fixture(autouse=True)
def _quick_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Views at rest are drawn as while something moves: smooth edges and fine shadows take a seventh of the time.

    The timeline has no small pictures of poses either: each file that is opened would have all of its keys drawn.
    Tests of pictures are marked ``smooth_views``.
    """
    if request.node.get_closest_marker("smooth_views") is None:
        monkeypatch.setattr("app.views.host.Host.samples", 0)
        monkeypatch.setattr("app.work.thumbnails.Thumbnails.image", lambda *_: None)


@pytest.fixture(scope="module")
def _shared_window(qapp: QApplication) -> Iterator[SharedWindow]:
    shared = SharedWindow()
    yield shared
    shared.close()
    style.apply(qapp, "dark")


@pytest.fixture
def window(request, _shared_window: SharedWindow, qtbot, skeletons_folder: Path) -> MainWindow:
    """The active window, 1600 x 1000, dark, with the walk open; it keeps nothing of the person's.

    The tests of a module share it; it is put back to what it was at first as far as ``SharedWindow`` knows it. A test
    that needs another one, since it uses what a window remembers while it is open, is marked ``fresh_window``.
    """
    if request.node.get_closest_marker("fresh_window") is not None:
        _shared_window.close()
    return _shared_window.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
