"""The window's exports show what the command line draws: obstacles, rigid_bodies, strings, what was simulated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QFileDialog

from app.cli.main import main
from app.dialogs.export_dialog import ExportDialog
from app.window.main_window import MainWindow
from core.animation import Sequence
from core.dynamics.contact.obstacles import obstacle_from_record
from core.formats import Project, save
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.preview.settings import PhysicsSettings
from core.skeleton import load_skeleton

SIZE = (240, 160)
SECONDS = 0.5
BOX = {"kind": "box", "size": [0.6, 0.5, 0.6], "position": [0.9, 0.25, 0.0]}


@pytest.fixture
def scene(tmp_path: Path, skeletons_folder: Path) -> Path:
    """A chain beside a box, with a ball in the air, a crate, and a string."""
    figure = load_skeleton(skeletons_folder / "arm7.scr")
    sequence = Sequence(figure, name="among things")
    sequence.set_key(0, figure.rest_pose())
    moved = figure.rest_pose()
    moved[3] += 0.5
    sequence.set_key(12, moved)
    settings = PhysicsSettings(
        obstacles=(obstacle_from_record(BOX, "box"),),
        rigid_bodies=(
            RigidBody("ball", (0.2,), 1.0, np.array([-0.8, 1.2, 0.0]), velocity=np.array([0.5, 0.0, 0.0]), name="ball"),
            RigidBody("box", (0.3, 0.3, 0.3), 2.0, np.array([-0.7, 0.4, 0.5])),
        ),
        strings=(PhysicsString("ball", np.array([-0.8, 2.2, 0.0]), 1.0),),
    )
    path = tmp_path / "scene.seq"
    save(Project([figure], [sequence], physics=settings.to_record()), path)
    return path


def pixels(path: Path) -> NDArray[np.uint8]:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).copy()


def exported(window: MainWindow, target: Path, monkeypatch: pytest.MonkeyPatch, qtbot, movie: bool) -> None:
    """Export as a person does, framed on the figure from where the command line looks."""

    def answer(box: ExportDialog) -> QDialog.DialogCode:
        if movie:
            box.kinds.set_current("series")
            box._take_kind()
        box.width_field.edit_to(SIZE[0])
        box.height_field.edit_to(SIZE[1])
        box.camera_choice.setCurrentIndex(1)  # frames what moves
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ExportDialog, "exec", answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    with qtbot.waitSignal(window.background.ended, timeout=120_000):
        window.action_table["export_movie" if movie else "export_picture"].trigger()
    assert "written" in window.status.state.text, window.errors.text


def words(window: MainWindow, *more: str) -> list[str]:
    camera = window.area.host.cameras[window.area.kind]
    size = f"{SIZE[0]}x{SIZE[1]}"
    return ["--size", size, "--camera", json.dumps(camera.to_json()), "--fit", "--theme", "dark", *more]


def ready(window: MainWindow, scene: Path) -> None:
    window.document.files.open(scene)
    window.document.session.view.theme = "dark"


def test_a_picture_from_the_window_has_obstacles_props_and_strings(
    window: MainWindow, scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    ready(window, scene)
    own, other, bare = (tmp_path / name for name in ("window.png", "line.png", "bare.png"))
    exported(window, own, monkeypatch, qtbot, movie=False)
    assert main(["render", str(scene), str(other), "--frame", "0", *words(window)]) == 0
    assert np.array_equal(pixels(own), pixels(other))
    project = window.document.model
    save(Project([project.figures[0].skeleton], list(project.sequences)), tmp_path / "bare.seq")
    assert main(["render", str(tmp_path / "bare.seq"), str(bare), "--frame", "0", *words(window)]) == 0
    changed = (pixels(own) != pixels(bare)).any(axis=2)
    assert changed.mean() > 0.05  # what stands around is seen


@pytest.mark.verify
def test_a_movie_from_the_window_is_that_of_the_command_line(
    window: MainWindow, scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    ready(window, scene)
    exported(window, tmp_path / "window.png", monkeypatch, qtbot, movie=True)
    assert main(["render", str(scene), str(tmp_path / "line.png"), "--frames", "0:12", *words(window)]) == 0
    for number in (0, 6, 12):
        one, other = (pixels(tmp_path / f"{name}_{number:04d}.png") for name in ("window", "line"))
        assert np.array_equal(one, other), number


@pytest.mark.verify
def test_what_was_simulated_is_exported_and_the_same_on_the_command_line(
    window: MainWindow, scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    ready(window, scene)
    document, physics = window.document, window.document.physics
    document.session.mode = "physics"
    fps = document.sequence.fps
    physics.start()
    qtbot.waitUntil(lambda: physics.last_frame >= SECONDS * fps, timeout=60_000)
    physics.pause()
    physics.scrub(14)
    last = int(physics.samples[-1].frame)

    exported(window, tmp_path / "still.png", monkeypatch, qtbot, movie=False)
    exported(window, tmp_path / "window.png", monkeypatch, qtbot, movie=True)
    line = tmp_path / "line.png"
    more = ["--simulate", repr(last / fps), "--frames", f"0:{last}"]
    assert main(["render", str(scene), str(line), *words(window, *more)]) == 0
    for number in (1, 8, 15):
        one, other = (pixels(tmp_path / f"{name}_{number:04d}.png") for name in ("window", "line"))
        assert np.array_equal(one, other), number
    one, other = (pixels(tmp_path / f"window_{number:04d}.png") for number in (1, 15))
    assert (one != other).any(axis=2).mean() > 0.02  # ball and crate have fallen

    main(["render", str(scene), str(tmp_path / "moment.png"), "--frame", "14", "--simulate", "0.5", *words(window)])
    assert np.array_equal(pixels(tmp_path / "still.png"), pixels(tmp_path / "moment.png"))


@pytest.mark.verify
def test_what_was_baked_is_exported_with_the_world(
    window: MainWindow, scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    baked = tmp_path / "baked.seq"
    assert main(["simulate", str(scene), "-o", str(baked), "--duration", "0.3"]) == 0
    ready(window, baked)
    window.document.set_frame(6)
    exported(window, tmp_path / "window.png", monkeypatch, qtbot, movie=False)
    assert main(["render", str(baked), str(tmp_path / "line.png"), "--frame", "6", *words(window)]) == 0
    assert np.array_equal(pixels(tmp_path / "window.png"), pixels(tmp_path / "line.png"))


def test_exported_motion_holds_its_locks(window: MainWindow, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "scenes" / "stairs.seq")
    shown = window.files._exports._shown()
    sequence = window.document.sequence
    assert shown is not sequence and shown.locks.strips == sequence.locks.strips
    assert tuple(shown.locks) == tuple(sequence.locks)
    assert np.array_equal(shown.pose_at_frame(5), sequence.pose_at_frame(5))
