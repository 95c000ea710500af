"""How readily joints follow: edits that survive everything, and a limb from stiff rod to loose chain."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from app.document import Document
from app.document.changes import FigureChanged
from app.document.edits.following import counterparts, dial_of, graded, is_changed, moving
from core.formats import bundled_folder, load
from core.ik import SOLVERS, Goal, solve
from core.kinematics import drag_chain, forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector

VALUES = {1: {"weight": 0.25, "resistance": 31.6227766}, 2: {"resistance": 0.1}}


def following(skeleton: Skeleton) -> list[tuple[float, float]]:
    return [(joint.weight, joint.resistance) for joint in skeleton.joints]


def test_several_joints_are_one_step_and_everything_else_stays(document, heard):
    document.selection.set((1, 2))
    pose, keys, before = np.array(document.pose), document.sequence.keys, following(document.skeleton)
    state = document.state_json()
    heard.changes.clear()
    assert document.figures.set_joint_values(VALUES, "Set stiffness")
    assert document.stack.count() == 1
    assert following(document.skeleton)[1:3] == [(0.25, 31.6227766), (1.0, 0.1)]
    assert [change.name for change in heard.changes if isinstance(change, FigureChanged)] == ["following"]
    assert np.array_equal(document.pose, pose)
    assert document.sequence.keys == keys
    assert document.selection.joints == (1, 2)
    assert document.sequence.skeleton is document.skeleton
    document.history.undo()
    assert following(document.skeleton) == before
    assert document.state_json() == state
    document.history.redo()
    assert following(document.skeleton)[1:3] == [(0.25, 31.6227766), (1.0, 0.1)]
    assert document.figures.set_joint_values(VALUES, "Again")
    assert document.stack.count() == 1, "what is so already leaves no step"


def test_one_bad_value_changes_nothing(document):
    state = document.state_json()
    for bad in ({1: {"weight": 0.5}, 2: {"weight": 1.5}}, {1: {"weight": 0.5, "resistance": float("nan")}}):
        assert not document.figures.set_joint_values(bad, "Set")
        assert document.state_json() == state
        assert document.stack.count() == 0


@pytest.mark.parametrize("ending", [".seq", ".scr"])
def test_values_come_back_from_files(document, tmp_path, ending):
    assert document.figures.set_joint_values(VALUES, "Set")
    wanted = following(document.skeleton)
    path = tmp_path / f"kept{ending}"
    assert document.files.save(path)
    assert following(load(path).figures[0]) == wanted
    other = Document()
    assert other.files.open(path)
    assert following(other.skeleton) == wanted, "to the last bit"
    text = json.loads(path.read_text(encoding="utf-8")) if ending == ".seq" else None
    if text is not None:
        assert "resistance 31.6227766" in json.dumps(text), "the sequence carries the figure's text"


def test_values_come_back_from_the_journal(document, tmp_path):
    assert document.files.start_journal(tmp_path)
    document.figures.set_joint_values(VALUES, "Set")
    number = document.gesture_id()
    for weight in (0.9, 0.8):
        document.figures.set_joint_values({1: {"weight": weight}}, "Drag", number)
    wanted, steps = document.state_json(), document.stack.count()
    assert steps == 2
    (path,) = tmp_path.glob("*.journal")
    back = Document()
    assert back.files.recover(path)
    assert back.state_json() == wanted
    assert back.stack.count() == steps
    back.history.undo()
    assert following(back.skeleton)[1] == (0.25, 31.6227766)


def test_marks_counterparts_and_what_moves():
    human = load_skeleton(bundled_folder() / "human.scr")
    hand, other = human.joint_index("right hand"), human.joint_index("left hand")
    assert counterparts(human, [hand]) == [other]
    assert counterparts(human, [hand, other]) == []
    assert counterparts(human, [human.joint_index("head")]) == []
    chain20 = load_skeleton(bundled_folder() / "chain20.scr")
    assert not any(is_changed(joint) for joint in chain20.joints)
    assert is_changed(replace(chain20.joints[3], weight=0.9)) and is_changed(replace(chain20.joints[3], resistance=2.0))
    assert moving(chain20, range(len(chain20.joints))) == [j for j in range(20) if chain20.joints[j].dofs]


@pytest.mark.parametrize("number", [2, 3, 7, 20])
def test_a_dial_is_read_back_from_the_values_it_sets(number):
    for dial in np.linspace(-1.0, 1.0, 21):
        assert dial_of(graded(number, dial)) == pytest.approx(dial, abs=1e-9)
    assert graded(number, 0.0) == [(1.0, 1.0)] * number
    edited = graded(number, 0.5)
    edited[0] = (0.9, edited[0][1])
    assert dial_of(edited) is None
    assert dial_of([(1.0, 1e3), (1.0, 1.0)]) is None, "beyond the end of the dial"
    assert dial_of([(1.0, 1.0), (0.0, 1.0)]) is None
    assert graded(1, -1.0) == graded(1, 1.0) == [(1.0, 1.0)] and dial_of([(1.0, 1.0)]) is None


def distal_share(skeleton: Skeleton, part: str, mode: str, solver: str, dial: float) -> float:
    """Return what share of all turning the distal half of a chain does while its tip is dragged to and fro."""
    chain = drag_chain(skeleton, part, mode)
    joints = moving(skeleton, chain.joints)
    values = {
        joint: {"weight": weight, "resistance": resistance}
        for joint, (weight, resistance) in zip(joints, graded(len(joints), dial), strict=True)
    }
    document = Document()
    document.figures.add(skeleton)
    assert document.figures.set_joint_values(values, "Grade")
    figure = document.skeleton
    assert figure is not None
    order = {joint: k for k, joint in enumerate(joints)}
    point, tip = end_effector(figure, part), figure.joint_index(part)
    turned = np.zeros(figure.nq)
    for seed in range(2):
        random = np.random.default_rng(seed)
        q = figure.rest_pose()
        for dof in chain.dofs:
            lower, upper = np.clip(figure.limits[dof - 3], -1.2, 1.2)
            q[dof] = lower + (upper - lower) * random.uniform(0.35, 0.65)
        frames = forward_kinematics(figure, q)
        start, base = frames[tip, :3, :3] @ point + frames[tip, :3, 3], frames[chain.joints[0], :3, 3]
        offset = random.normal(size=3)
        offset *= 0.15 * np.linalg.norm(start - base) / np.linalg.norm(offset)
        for angle in np.linspace(0.0, 2.0 * np.pi, 17)[1:]:
            place = start + np.sin(angle) * offset - 0.12 * (1.0 - np.cos(angle)) * (start - base)
            goal = Goal(tip, point=point, position=place)
            found = solve(figure, q, goal, solver=solver, base=chain.base, tolerance=1e-3)
            turned += np.abs(found.q - q)
            q = found.q
    distal = [dof for dof in chain.dofs if order[figure.dof_joints[dof - 3]] >= len(joints) / 2]
    return float(turned[distal].sum() / turned[list(chain.dofs)].sum())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@pytest.mark.parametrize(("name", "part", "mode"), [("chain20", "link 20", "body"), ("human", "right hand", "limb")])
def test_from_stiff_rod_to_loose_chain(name, part, mode, solver):
    skeleton = load_skeleton(bundled_folder() / f"{name}.scr")
    rod, even, loose = (distal_share(skeleton, part, mode, solver, dial) for dial in (-1.0, 0.0, 1.0))
    assert rod < even - 0.1, f"{rod:.2f} {even:.2f}: a stiff rod turns about its base"
    if solver == "ccd":  # its joints at the tip go first as they are
        assert even > 0.6 and loose > even - 0.02
    else:
        assert loose > even + 0.1, f"{even:.2f} {loose:.2f}: a loose chain gives way at its tip"


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@pytest.mark.parametrize("secondary", [None, "range", "pose", "manipulability", "obstacles"])
def test_every_setting_of_the_session_is_taken_by_solve(solver, secondary):
    document = Document()
    document.figures.add(load_skeleton(bundled_folder() / "arm7.scr"))
    skeleton, session = document.skeleton, document.session
    session.solver.name, session.solver.secondary, session.solver.nudge = solver, secondary, False
    session.solver.tolerance, session.solver.steps = 1e-3, 60
    q = skeleton.rest_pose()
    q[3:] += 0.3
    point = end_effector(skeleton, "hand")
    frame = forward_kinematics(skeleton, q)[skeleton.joint_index("hand")]
    place = frame[:3, :3] @ point + frame[:3, 3] + [0.05, -0.05, 0.02]
    options = session.solver.options(q, [((0.3, 0.4, 0.0), 0.05)])
    found = solve(skeleton, q, Goal("hand", point=point, position=place), **options)
    assert found.iterations <= 60 and found.error < 2e-3
