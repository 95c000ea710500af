"""Physics scenes open from the File menu, ready to be simulated."""

from __future__ import annotations

from app.window.main_window import MainWindow


def test_a_scene_opens_in_physics_mode_and_runs(window: MainWindow, qtbot) -> None:
    files = window.files
    files.fill_samples()
    names = [action.text() for action in files.sample_menu.actions()]
    heading = names.index("Physics scenes")
    assert names[heading + 1 :] == [
        "Chain", "Marionette", "Ragdoll", "Sled", "Spline slide", "Stairs", "Swing", "Torus chain", "Tumbling",
        "Windmill",
    ]  # fmt: skip
    files.sample_menu.actions()[names.index("Tumbling")].trigger()
    document = window.document
    qtbot.waitUntil(lambda: document.sequence is not None and document.sequence.name == "Tumbling", timeout=20000)
    qtbot.waitUntil(lambda: document.session.mode == "physics", timeout=5000)
    assert document.frame == 0 and document.physics.settings.now.gravity == 0.0
    start = document.pose.copy()
    document.physics.start()
    qtbot.waitUntil(
        lambda: document.physics.current is not None and document.physics.current.time > 0.05, timeout=60000
    )
    document.physics.stop()
    assert document.pose.tobytes() == start.tobytes()
    document.session.mode = "pose"
