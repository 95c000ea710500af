"""The session, its settings file, and recent files."""

from __future__ import annotations

import numpy as np
import pytest

import core.ik
from app.document import Document
from app.document.changes import SessionChanged
from app.document.files.recent import MOST, RecentFiles
from app.document.session import OVERLAYS, DragGoal, DragSolve, Session, SessionError
from app.window.settings import Settings
from core.kinematics import CHAIN_MODES
from tests.support.changes import kind_of

VALUES = {
    "tool": "rotate",
    "drag_mode": "up_to",
    "chain_base": 2,
    "solver": "jacobian_transpose",
    "tolerance": 0.002,
    "max_steps": 12,
    "nudge": False,
    "secondary": "range",
    "auto_key": False,
    "hover": 3,
    "chain": object(),
    "theme": "light",
    "playing": True,
    "loop": False,
    "speed": 0.5,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_change_is_reported_once(document, heard, name):
    value = VALUES[name]
    document.session.set(name, value)
    assert [(kind_of(c), c.name, c.value is value) for c in heard.changes] == [("session", name, True)]
    assert document.session.get(name) is value
    document.session.set(name, dict(value) if isinstance(value, dict) else value)
    assert len(heard.changes) == 1
    assert document.stack.count() == 0


def test_goals_are_compared_by_value(document, heard):
    names = []
    document.drag_changed.connect(names.append)
    document.session.drag.goal = DragGoal(0, np.zeros(3), np.ones(3))
    document.session.drag.goal = DragGoal(0, np.zeros(3), np.ones(3))
    assert names == ["goal"]
    document.session.drag.goal = DragGoal(0, np.zeros(3), np.array([1, 1, 2.0]))
    document.session.drag.goal = None
    assert names == ["goal"] * 3
    document.session.drag.solve = DragSolve(3, np.zeros(4), 0.0, 0.0)
    assert names[-1] == "solved"
    assert heard.changes == []  # nobody else is disturbed with every move of the mouse


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool", "hammer"),
        ("drag_mode", "all"),
        ("solver", "magic"),
        ("theme", "pink"),
        ("speed", 0.0),
        ("speed", 99),
        ("tolerance", 0.0),
        ("tolerance", float("nan")),
        ("tolerance", "wide"),
        ("max_steps", 0),
        ("max_steps", 10**6),
        ("max_steps", "many"),
        ("secondary", "comfort"),
        ("tol", 1),
    ],
)
def test_values_that_cannot_be_are_refused(document, heard, name, value):
    with pytest.raises(SessionError):
        document.session.set(name, value)
    assert heard.changes == []


def test_overlays(document, heard):
    overlays = document.session.view.overlays
    assert set(overlays) == set(OVERLAYS)
    overlays["grid"] = True
    assert heard.changes == []
    overlays["grid"] = False
    assert heard.changes == [SessionChanged("overlays", dict(overlays))]
    assert heard.changes[0].value["grid"] is False
    document.session.view.overlays = {"com": True, "grid": True}
    assert overlays["com"] and overlays["grid"]
    for name in ("fog", "Grid"):
        with pytest.raises(SessionError, match=name):
            overlays[name] = True


def test_joints_of_another_figure_are_forgotten(document, skeletons_folder):
    for name in ("chain_base", "hover", "chain"):
        document.session.set(name, VALUES[name])
    document.session.drag.goal = DragGoal(0, np.zeros(3), np.ones(3))
    document.figures.set_joint_value(1, "weight", 0.5)
    assert document.session.view.hover == 3, "the joints are the same"
    document.files.open(skeletons_folder / "arm7.scr")
    session = document.session
    assert session.tools.chain_base is session.view.hover is session.drag.chain is session.drag.goal is None


def test_solver_options_are_what_solve_takes(document):
    session = document.session
    assert session.solver.options() == {
        "solver": "ccd",
        "tolerance": 1e-4,
        "max_iterations": None,
    }
    session.solver.name = "damped_least_squares"
    q = np.arange(4.0)
    session.solver.tolerance, session.solver.steps, session.solver.nudge = 5e-4, 12, False
    session.solver.secondary = "pose"
    options = session.solver.options(q)
    assert (options["tolerance"], options["max_iterations"], options["nudge"]) == (5e-4, 12, False)
    assert options["secondary"][0] == "pose" and options["secondary"][1] is q
    assert "secondary" not in session.solver.options(), "without a pose there is nothing to stay near"
    session.solver.secondary = "range"
    assert session.solver.options()["secondary"] == "range"
    session.solver.secondary = "obstacles"
    assert "secondary" not in session.solver.options(q)
    spheres = [((0.0, 1.0, 0.0), 0.1)]
    assert session.solver.options(q, spheres)["secondary"] == ("obstacles", spheres)
    session.solver.name = "ccd"
    assert "secondary" not in session.solver.options(q, spheres), "CCD has no freedom to spare"


def test_settings_bring_the_solver_back(document, tmp_path):
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    settings.bind(document)
    session = document.session
    session.solver.name, session.solver.tolerance, session.solver.steps = "ccd", 0.002, 12
    session.solver.nudge, session.solver.secondary = False, "manipulability"
    settings.sync()
    other_document = Document()
    Settings(path).bind(other_document)
    other = other_document.session
    names = ("solver", "tolerance", "max_steps", "nudge", "secondary")
    assert [other.get(name) for name in names] == ["ccd", 0.002, 12, False, "manipulability"]
    session.solver.steps = session.solver.secondary = None
    settings.sync()
    last = Document()
    Settings(path).bind(last)
    assert (last.session.solver.steps, last.session.solver.secondary) == (None, None)


def test_settings_bring_the_session_back(document, tmp_path):
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    settings.bind(document)
    document.session.view.theme = "light"
    document.session.keys.auto = False
    document.session.playback.loop = False
    document.session.view.overlays["com"] = True
    document.session.view.overlays["grid"] = False
    settings.sync()
    assert path.is_file()
    other = Document()
    Settings(path).bind(other)
    assert (other.session.view.theme, other.session.keys.auto, other.session.playback.loop) == ("light", False, False)
    assert dict(other.session.view.overlays) == dict(document.session.view.overlays)
    assert other.session.keys.auto is False


def test_nonsense_in_the_settings_file_leaves_the_defaults(document, tmp_path):
    path = tmp_path / "settings.ini"
    path.write_text("[session]\ntheme=pink\nauto_key=perhaps\nloop=\n[overlays]\ngrid=maybe\nfog=true\n")
    before = (
        document.session.view.theme,
        document.session.keys.auto,
        document.session.playback.loop,
        dict(document.session.view.overlays),
    )
    Settings(path).bind(document)
    after = (
        document.session.view.theme,
        document.session.keys.auto,
        document.session.playback.loop,
        dict(document.session.view.overlays),
    )
    assert after == before


def test_recent_files(document, tmp_path):
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    document.files.recent = RecentFiles(settings)
    assert document.files.recent.paths == ()
    names = [tmp_path / f"{i}.seq" for i in range(MOST + 3)]
    for name in names:
        assert document.files.save(name)
    assert document.files.open(names[8])
    assert not document.files.open(tmp_path / "missing.seq")
    settings.sync()
    kept = RecentFiles(Settings(path)).paths
    assert len(kept) == MOST
    assert kept[0] == names[8] and kept[1] == names[-1]
    assert len(set(kept)) == MOST
    kept[0].unlink()
    assert document.files.recent.paths[0] == names[-1]
    document.files.recent.clear()
    assert document.files.recent.paths == ()
    document.files.recent.add(names[1])
    settings.sync()
    assert RecentFiles(Settings(path)).paths == (names[1],), "a list of one survives the file format"


def test_drag_modes_and_solvers_are_those_of_the_toolkit():
    session = Session(lambda name, value: None)
    for solver in core.ik.SOLVERS:
        session.solver.name = solver.name
        assert session.solver.name == solver.name
    for mode in CHAIN_MODES:
        session.tools.drag_mode = mode
        assert session.tools.drag_mode == mode
