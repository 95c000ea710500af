"""The ground of a scene in the window: chosen in the Physics panel, drawn, undone, stood on, saved, and missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QFileDialog

from app.panels.physics.panel import PhysicsPanel
from app.views.view import View, picture_for
from app.window.main_window import MainWindow
from core.formats import load
from core.preview.grounds import HillsGround, MeshGround, StairsGround


def form_of(window: MainWindow):
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel))
    panel.world.header.setChecked(True)
    panel.world.header.show_body()
    return panel.world.ground


def put_mesh(path: Path, height: float = 0.25) -> Path:
    corners = [(-3.0, height, -3.0), (-3.0, height, 3.0), (3.0, height, 3.0), (3.0, height, -3.0)]
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3 4\n")
    return path


def test_ground_is_chosen_drawn_changed_and_undone(window: MainWindow, tmp_path: Path, monkeypatch, qtbot) -> None:
    document, said = window.document, []
    document.message.connect(lambda level, text, details: said.append(text))
    window.action_table["mode_physics"].trigger()
    form, settings = form_of(window), document.physics.settings
    assert form.kind.chosen == "flat" and not form.open_button.isVisible()

    form.kind.picked.emit("hills")
    assert settings.now.ground == HillsGround()
    assert form.fields["hills"]["height"].isVisible() and not form.fields["stairs"]["rise"].isVisible()
    for view in window.area.findChildren(View):
        assert picture_for(view).terrain is settings.now.terrain
    form.fields["hills"]["height"].committed.emit(0.5)
    form.fields["hills"]["seed"].committed.emit(3.0)
    assert settings.now.ground == HillsGround(height=0.5, seed=3)
    form.kind.picked.emit("stairs")
    form.fields["stairs"]["rise"].committed.emit(0.2)
    assert settings.now.ground == StairsGround(rise=0.2)
    for _ in range(4):
        document.stack.undo()
    assert settings.now.ground == HillsGround() and form.kind.chosen == "hills"
    document.stack.undo()
    assert settings.now.ground is None and picture_for(window.area.work_view).terrain is None

    mesh = put_mesh(tmp_path / "field.obj")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "none.obj"), ""))
    form.kind.picked.emit("mesh")
    assert len(said) == 1 and "none.obj" in said[0] and settings.now.ground is None and form.kind.chosen == "flat"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    form.kind.picked.emit("mesh")
    assert settings.now.ground is None and form.kind.chosen == "flat"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(mesh), ""))
    form.kind.picked.emit("mesh")
    assert settings.now.ground == MeshGround(str(mesh))
    assert form.kind.currentText() == "field.obj" and form.open_button.isVisible()

    # A fall ends on it, and the note of the floor measures against it.
    around = window.area.work_view.host.scene.world_around
    assert around.below(np.array([[0.5, 2.0, 0.5]])).tolist() == [[0.5, 0.25, 0.5]]
    struck = around.struck(np.array([0.5, 2.0, 0.5]), np.array([0.0, -1.0, 0.0]))
    assert struck is not None and abs(struck[1] - 0.25) < 1e-12
    document.physics.start()
    qtbot.waitUntil(lambda: document.physics.current is not None and document.physics.current.time > 0.1, timeout=30000)
    document.physics.pause()
    contacts = document.physics.current.contacts
    assert contacts is not None and np.abs(contacts.points[contacts.others < 0, 1] - 0.25).max() < 1e-2
    document.physics.forget()

    saved = tmp_path / "on a field.seq"
    assert document.files.save(saved)
    assert load(saved).physics["ground"] == {"kind": "mesh", "file": str(mesh)}
    assert '"field.obj"' in saved.read_text()
    mesh.unlink()
    said.clear()
    document.files.open(saved)
    assert picture_for(window.area.work_view).terrain is None
    form.show_document(anew=True)
    assert [text for text in said if "ground" in text] == [form.note.text()]
    assert "field.obj" in form.note.text() and form.note.isVisibleTo(form)
    settings.edit("Gravity", gravity=5.0)  # the ground is kept for when the file is there again
    assert document.model.physics["ground"]["kind"] == "mesh"
