"""Hair, tails and cords made with the mouse: drawn, edited, moved by keys and by a simulation, exported."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.edits import joint_edits
from app.export.shot import Shot
from app.panels.physics.panel import PhysicsPanel
from app.panels.physics.world import StrandRow
from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from app.words.line_kinds import STRAND
from core.animation.hybrid_strips import HybridStrip
from core.dynamics.contact.world import Floor
from core.formats.exchange.recording import Recording
from core.kinematics import forward_kinematics
from core.preview import SecondaryMotion, Strand
from core.preview.settings import PhysicsSettings
from tests.support.attaching import LEFT, begin, click, drag, pixel_of
from tests.support.mouse import hover

HAIR = Strand("head", [(0, 0.16, -0.09), (0, 0.1, -0.35)], links=8, mass=0.04, radius=0.02)


@pytest.fixture(autouse=True)
def _ends(window: MainWindow):
    yield
    window.document.physics.forget()


def strands(window: MainWindow) -> tuple[Strand, ...]:
    return window.document.physics.settings.now.strands


def rows(window: MainWindow) -> list[StrandRow]:
    panel = next(panel for panel in window.panels if isinstance(panel, PhysicsPanel))
    return [row for row in panel.world.rows if isinstance(row, StrandRow)]


def hung(window: MainWindow) -> np.ndarray:
    """Return where the views draw the nodes of the first strand."""
    lines = window.area.host.scene.world_around.lines()
    return next(line.points for line in lines if line.style == STRAND)


def hang(window: MainWindow, qtbot, *more: Strand) -> None:
    """Give the figure hair by a step of its own, and wait until all frames are worked out."""
    assert window.document.physics.settings.edit("Hang hair", strands=(HAIR, *more))
    settle(window, qtbot)


def settle(window: MainWindow, qtbot) -> None:
    hung(window)
    qtbot.waitUntil(lambda: not window.document.physics.strands.busy, timeout=20000)


def test_a_drag_from_a_part_hangs_a_strand_on_it(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, view = window.document, window.area.work_view
    start = pixel_of(window, "head")
    end = start + QPoint(120, 60)
    hit = window.area.host.scene.pick(*view.ray(start.x(), start.y()))
    assert hit is not None
    begin(window, "strand")
    hover(view, start)
    assert window.status.hints.hints[0] == ("Click", "the part where the strand begins")
    drag(window, start, end)
    (made,) = strands(window)
    assert document.stack.undoText() == "Attach a strand" and document.physics.attaching is None
    assert made.part == "head" and made.other is None and made.figure == ""
    X = window.area.host.scene.poses[document.skeleton.joint_index("head")]
    ends = np.asarray(made.points) @ X[:3, :3].T + X[:3, 3]
    assert np.allclose(ends[0], hit.point, atol=1e-9)
    assert (view_point(view, ends[1]).toPoint() - end).manhattanLength() < 4
    assert rows(window)[0].header.isChecked() and rows(window)[0].header.text() == "Strand 1"
    assert len(hung(window)) == made.links + 1
    document.history.undo()
    assert strands(window) == () and rows(window) == []
    # Beside the figure nothing begins.
    begin(window, "strand")
    click(window, QPoint(view.width() // 2, 30))
    assert document.physics.attaching == "strand" and window.area.host.toolbox.current._found == []
    assert strands(window) == ()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert document.physics.attaching is None


@pytest.mark.verify
def test_with_shift_its_end_is_tied_to_a_part(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    begin(window, "strand")
    shift = Qt.KeyboardModifier.ShiftModifier
    drag(window, pixel_of(window, "left forearm"), pixel_of(window, "right forearm"), shift)
    (made,) = strands(window)
    assert (made.part, made.other) == ("left forearm", "right forearm")
    document, scene = window.document, window.area.host.scene
    settle(window, qtbot)
    for frame in (0, 9):
        document.set_frame(frame)
        X = scene.poses[document.skeleton.joint_index("right forearm")]
        assert np.allclose(hung(window)[-1], X[:3, :3] @ made.anchor + X[:3, 3], atol=1e-9)


@pytest.mark.verify
def test_a_cord_between_the_selected_parts(window: MainWindow, qtbot) -> None:
    document = window.document
    document.selection.set(["left hand", "right hand"])
    window.action_table["attach_strand_between"].trigger()
    (made,) = strands(window)
    assert (made.part, made.other, made.name) == ("left hand", "right hand", "strand 1")


@pytest.mark.verify
def test_numbers_are_edited_in_its_row(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    hang(window, qtbot)
    (row,) = rows(window)
    length = row.numbers["length"].value
    assert length == pytest.approx(np.linalg.norm(np.diff(HAIR.points, axis=0)), abs=1e-4)
    row.numbers["length"].edit_to(2.0 * length)
    assert np.linalg.norm(np.diff(strands(window)[0].points, axis=0)) == pytest.approx(2.0 * length, rel=1e-3)
    assert strands(window)[0].mass == pytest.approx(0.08, rel=1e-3) and strands(window)[0].links == 16
    for name, value in (("links", 12.0), ("mass", 0.1), ("stretch", 70.0), ("bend", 2.0), ("damping", 0.01),
                        ("drag", 2.0), ("shape", 5.0)):  # fmt: skip
        row.numbers[name].edit_to(value)
        assert getattr(strands(window)[0], name) == value
    row.numbers["radius"].edit_to(0.03)
    assert strands(window)[0].radius == pytest.approx(0.015)
    assert len(hung(window)) == 13
    window.document.history.undo()
    row.name_field.setText("ponytail")
    row.name_field.commit()
    assert strands(window)[0].name == "ponytail" and row.header.text() == "Ponytail"
    window.document.history.undo()
    assert strands(window)[0].radius == 0.02 and row.numbers["radius"].value == pytest.approx(0.04)
    row.remove_button.click()
    assert strands(window) == () and rows(window) == []


@pytest.mark.verify
def test_a_click_picks_it_and_delete_removes_it(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    hang(window, qtbot)
    view = window.area.work_view
    on = view_point(view, hung(window)[5]).toPoint()
    hover(view, on)
    qtbot.waitUntil(lambda: window.status.state.text == "Strand of head")
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.NoModifier, on)
    assert window.document.physics.picked == ("strands", 0)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert strands(window) == () and window.document.stack.undoText() == "Remove strand of head"
    window.document.history.undo()
    assert len(strands(window)) == 1


@pytest.mark.verify
def test_keys_move_it_whatever_frame_is_shown_next(window: MainWindow, qtbot) -> None:
    document, scene = window.document, window.area.host.scene
    hang(window, qtbot)
    document.session.mode = "pose"
    wanted = SecondaryMotion(document.sequence, [HAIR], document.physics.settings.now)
    for frame in (20, 3, 31, 0):
        document.set_frame(frame)
        assert np.allclose(hung(window), wanted.at(frame)[0], atol=1e-9)
    head = document.skeleton.joint_index("head")
    local = []
    for frame in (4, 12):
        document.set_frame(frame)
        X = scene.poses[head]
        local.append((hung(window) - X[:3, 3]) @ X[:3, :3])
    assert np.abs(local[0] - local[1]).max() > 0.01, "it swings"


@pytest.mark.verify
def test_it_is_worked_out_anew_when_keys_change_and_meanwhile_hangs_on_its_part(window: MainWindow, qtbot) -> None:
    document, scene = window.document, window.area.host.scene
    hang(window, qtbot)
    document.session.mode = "pose"
    document.set_frame(16)
    before = hung(window)
    q = np.array(document.pose)
    q[3 + document.skeleton.first_dof[document.skeleton.joint_index("head")]] += 0.3
    gesture = document.posing.begin_gesture("Nod")
    gesture.set_pose(q)
    head = document.skeleton.joint_index("head")
    X = scene.poses[head]
    assert np.allclose(hung(window)[0], X[:3, :3] @ HAIR.points[0] + X[:3, 3], atol=1e-9)
    assert not np.allclose(hung(window), before, atol=1e-3)
    gesture.commit()
    document.keys.set()
    assert document.physics.strands.busy
    settle(window, qtbot)
    wanted = SecondaryMotion(document.sequence, [HAIR], document.physics.settings.now)
    assert np.allclose(hung(window), wanted.at(16)[0], atol=1e-9)


@pytest.mark.verify
def test_the_window_never_works_it_out_itself(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    own = SecondaryMotion.in_parts

    def noted(motion: SecondaryMotion, frame: int):
        threads.append(threading.current_thread().name)
        return own(motion, frame)

    monkeypatch.setattr(SecondaryMotion, "in_parts", noted)
    hang(window, qtbot)
    for frame in (30, 2, 17):
        window.document.set_frame(frame)
        hung(window)
    assert set(threads) == {"strands"} and len(threads) == 33, "each frame once, whatever is shown after"


@pytest.mark.verify
def test_views_are_asked_to_draw_it_when_it_is_there(window: MainWindow, qtbot) -> None:
    document = window.document
    document.set_frame(12)
    names: list[str] = []
    document.physics.changed.connect(names.append)
    hang(window, qtbot)
    qtbot.waitUntil(lambda: "strands" in names)


@pytest.mark.verify
def test_a_simulation_moves_it(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document = window.document
    hang(window, qtbot)
    document.hybrid.set((HybridStrip((), 0, None),))
    physics = document.physics
    physics.start()
    qtbot.waitUntil(lambda: physics.current is not None and physics.current.time > 0.3, timeout=60000)
    physics.pause()
    sample = physics.current
    (nodes,) = sample.strands
    assert np.array_equal(hung(window), nodes)
    X = forward_kinematics(document.skeleton, sample.q)[document.skeleton.joint_index("head")]
    assert np.allclose(nodes[0], X[:3, :3] @ HAIR.points[0] + X[:3, 3], atol=1e-6)
    # Back at the start it is as it was there, bit for bit.
    first = physics.samples[0].strands[0]
    physics.rewind()
    assert np.array_equal(hung(window), first)


def test_a_recording_keeps_it(window: MainWindow, qtbot, tmp_path: Path) -> None:
    from core.preview import Preview

    document = window.document
    settings = PhysicsSettings(strands=(HAIR, Strand("head", [(0, 0, 0), (0, 1, 0)], figure="nobody")))
    preview = Preview(document.sequence, 0, settings)
    preview.run(3.0)
    recording = Recording.of(preview.samples)
    recording.write(tmp_path / "recording.npz")
    back = Recording.read(tmp_path / "recording.npz")
    assert back.strands[0].shape == (len(preview.samples), 9, 3) and back.strands[1].shape[1] == 0
    assert np.array_equal(back.strands_at(2)[0], preview.samples[2].strands[0])
    again = preview.samples[4].strands[0]
    preview.rewind(1.0)
    preview.run(3.0)
    assert np.allclose(preview.samples[4].strands[0], again, atol=1e-4), "as closely as the simulation itself"


@pytest.mark.verify
def test_joints_that_are_renamed_or_removed_take_it_along(window: MainWindow, qtbot) -> None:
    document = window.document
    hang(window, qtbot, Strand("head", HAIR.points, figure="another"))
    assert document.figures.edit(joint_edits.renamed("head", "skull"), "Rename head")
    assert [each.part for each in strands(window)] == ["skull", "head"]
    document.history.undo()
    assert document.figures.edit(joint_edits.removed(("head",), True), "Remove head")
    assert [each.figure for each in strands(window)] == ["another"]
    document.history.undo()
    assert len(strands(window)) == 2


def test_strands_of_several_figures_keep_to_theirs() -> None:
    from app.document.content.records import carried_physics, with_figures_named

    record = {"strands": [{"part": "head", "points": []}, {"part": "head", "points": [], "figure": "cat"}]}
    renamed = carried_physics(record, {"man: head": "man: skull", "head": "skull"}, "man")
    assert [(each["part"], each.get("figure")) for each in renamed["strands"]] == [("skull", None), ("head", "cat")]
    other = carried_physics(record, {"cat: head": "tiger: head"}, "man")
    assert [(each["part"], each.get("figure")) for each in other["strands"]] == [("head", None), ("head", "tiger")]
    assert carried_physics(record, {"cat: head": None, "man: head": None}, "man") == {}
    assert [each["figure"] for each in with_figures_named(record, "man")["strands"]] == ["man", "cat"]


@pytest.mark.verify
def test_all_is_in_the_file(window: MainWindow, qtbot, tmp_path: Path) -> None:
    document = window.document
    hang(window, qtbot)
    record = document.physics.settings.now.to_record()
    assert document.files.save(tmp_path / "hair.seq") and document.files.open(tmp_path / "hair.seq")
    assert document.physics.settings.now.to_record() == record
    document.session.mode = "pose"
    settle(window, qtbot)
    assert len(hung(window)) == 9


@pytest.mark.verify
def test_icons_of_the_library_have_it(window: MainWindow, qtbot, tmp_path: Path) -> None:
    from app.library.reading import Reader

    document = window.document
    hang(window, qtbot)
    assert document.files.save(tmp_path / "hair.seq")
    content = Reader().read(tmp_path / "hair.seq")
    assert len(content.hair) == len(content.poses)
    first, second = content.around(0)[-1], content.around(3)[-1]
    assert first.token == STRAND and not np.allclose(first.poses[:20], second.poses[:20], atol=1e-3)
    assert document.physics.settings.edit("No hair", strands=())
    assert document.files.save(tmp_path / "bald.seq")
    assert Reader().read(tmp_path / "bald.seq").hair == ()


@pytest.mark.verify
def test_pictures_and_movies_have_it(window: MainWindow, qtbot) -> None:
    document = window.document
    bright = Strand("head", [(0, 0.1, 0.12), (0, 0.1, 0.6)], links=6, radius=0.05, shape=60.0)

    def shot(strands: tuple[Strand, ...], recording: Recording | None = None) -> np.ndarray:
        settings = PhysicsSettings(strands=strands, floor=Floor())
        made = Shot(
            document.skeleton, np.array([0.0]), 30.0, (200, 160), document.sequence, physics=settings,
            recording=recording, view="side",
        )  # fmt: skip
        return next(iter(made.pictures()))[..., :3].astype(int)

    without = shot(())
    changed = np.abs(shot((bright,)) - without).max(axis=2) > 25
    assert changed.sum() > 60
    q = document.sequence.pose_at_frame(0)
    far = np.array([[0.0, 1.0, 0.5], [0.0, 1.0, 0.9]])
    recorded = Recording(np.zeros(1), q[None], strands=(far[None],))
    other = np.abs(shot((bright,), recorded) - without).max(axis=2) > 25
    assert other.sum() > 30 and not (other & changed).sum() > 0.5 * other.sum()


@pytest.mark.verify
def test_hair_on_a_walking_figure_stays_out_of_it(window: MainWindow, qtbot) -> None:
    """All nodes but those below the skin where it begins."""
    from core.preview.strand_obstacles import StrandObstacles

    document = window.document
    long = Strand("head", [(0, 0.16, -0.09), (0, -0.4, -0.1)], links=14, mass=0.06, radius=0.02)
    counts = []
    for strand in (long, Strand(**{**vars(long), "collides": False})):
        motion = SecondaryMotion(document.sequence, [strand])
        obstacles = StrandObstacles(document.skeleton, np.full(15, strand.radius - 1e-6))
        found = 0
        for frame in range(0, 33, 4):
            X = forward_kinematics(document.skeleton, document.sequence.pose_at_frame(frame))
            found += int(obstacles.inside(motion.at(frame)[0], X[obstacles.joints])[4:].any(axis=1).sum())
        counts.append(found)
    assert counts[0] == 0 and counts[1] > 8, counts
