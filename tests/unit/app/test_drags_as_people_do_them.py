"""Drags and edits that were tried by hand and went wrong: a squat, a turned pelvis, a leg sideways, hands together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.scene.pointing import Pointer
from core.ik import SOLVERS, Goal, solve
from core.kernels import load_all
from core.kinematics import forward_kinematics
from core.spatial import so3
from tests.support.drags import Bench, Event

people = pytest.mark.parametrize("figure", ["human", "woman"])
every_solver = pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
FEET = ("left foot", "right foot")


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> Iterator[None]:
    load_all()
    yield


@pytest.fixture(params=["damped_least_squares", "ccd"])
def bench(figures_are_read_once: None, skeletons_folder: Path, figure: str, request: pytest.FixtureRequest) -> Bench:
    return Bench(skeletons_folder / f"{figure}.scr", request.param)


def frames(bench: Bench, *joints: str) -> np.ndarray:
    X = forward_kinematics(bench.skeleton, bench.document.pose)
    return X[[bench.skeleton.joint_index(joint) for joint in joints]]


def turned(before: np.ndarray, after: np.ndarray) -> float:
    """Return the angle between two frames, [deg]."""
    return math.degrees(float(so3.angle_between(before[:3, :3], after[:3, :3])))


def dragged(bench: Bench, part: str, kind: str, step: tuple[float, float], count: int, **how: object) -> list[Event]:
    """Drag a part in steps to the right and down, [m], and let it go."""
    joint = bench.skeleton.joint_index(part)
    view = bench.view(kind)
    size = view.pixel_size(bench.effector(joint))
    way = np.array([[step[0] * k / size, step[1] * k / size] for k in range(1, count + 1)])
    events = list(bench.dragged(joint, view, way, **how))  # type: ignore[arg-type]
    bench.tool.release(view, Pointer(0.0, 0.0))
    return events


@pytest.mark.sampled(1)
@people
@pytest.mark.parametrize("kind", ["front", "side"])
def test_a_squat_goes_straight_down_on_flat_feet(bench: Bench, kind: str) -> None:
    assert bench.document.locks.lock_parts(FEET, "pose")
    start, feet = frames(bench, "pelvis")[0], frames(bench, *FEET)
    events = dragged(bench, "pelvis", kind, (0.0, 0.002), 100)
    end = frames(bench, "pelvis")[0]
    assert end[1, 3] - start[1, 3] == pytest.approx(-0.20, abs=2e-3)
    assert np.abs(end[[0, 2], 3] - start[[0, 2], 3]).max() < 2e-3
    assert turned(start, end) < 0.1
    assert np.abs(frames(bench, *FEET) - feet).max() < 1e-6
    assert not any(event.breaks for event in events)


@pytest.mark.sampled(1)
@people
@pytest.mark.parametrize("way", [(0.0, 0.004), (0.004, 0.0), (-0.004, 0.002), (0.004, 0.004), (0.0, -0.004)])
@pytest.mark.parametrize("kind", ["front", "side"])
def test_a_pelvis_that_is_dragged_does_not_turn(bench: Bench, kind: str, way: tuple[float, float]) -> None:
    assert bench.document.locks.lock_parts(FEET, "pose")
    start = frames(bench, "pelvis")[0]
    events = dragged(bench, "pelvis", kind, way, 100)
    angles = []
    for event in events:
        X = forward_kinematics(bench.skeleton, event.q)[0]
        angles.append(turned(start, X))
    assert max(angles) < 6.0
    assert float(np.abs(np.diff(angles)).max()) < 1.0
    assert not any(event.breaks for event in events)


@people
@pytest.mark.parametrize("locked", [FEET[:1], FEET[1:], FEET])
def test_a_typed_turn_of_the_pelvis_turns_it_and_nothing_else(bench: Bench, locked: tuple[str, ...]) -> None:
    document = bench.document
    assert document.locks.lock_parts(locked, "pose")
    start, feet, q = frames(bench, "pelvis")[0], frames(bench, *locked), np.array(document.pose)
    q[3] += math.radians(40.0)
    assert bench.skeleton.dof_names[0] == "pelvis.y" and document.posing.set(q)
    assert document.pose[3] == q[3]
    assert np.degrees(np.abs(document.pose[4:6])).max() < 0.1
    assert np.linalg.norm(frames(bench, "pelvis")[0, :3, 3] - start[:3, 3]) < 0.01
    assert np.abs(frames(bench, *locked) - feet).max() < 1e-6


@pytest.mark.sampled(7)
@people
@pytest.mark.parametrize("bench", ["ccd"], indirect=True)
@every_solver
@pytest.mark.parametrize("kind", ["front", "perspective"])
@pytest.mark.parametrize("part", ["left shank", "left foot"])
def test_a_straight_leg_dragged_sideways_swings(bench: Bench, solver: str, kind: str, part: str) -> None:
    """Pressed 9 cm above the middle of the part: what was missing bent the knee by 55 degrees."""
    bench.document.session.solver.name = solver
    size = bench.view(kind).pixel_size(bench.effector(bench.skeleton.joint_index(part)))
    knee = 3 + bench.skeleton.dof_names.index("left shank.x")
    hip = [3 + bench.skeleton.dof_names.index(name) for name in ("left thigh.-x", "left thigh.z")]
    events = dragged(bench, part, kind, (0.005, 0.0), 50, grip=np.array([0.0, -0.09 / size]))
    assert math.degrees(max(abs(event.q[knee]) for event in events)) < 10.0
    assert math.degrees(max(abs(events[-1].q[hip]))) > 12.0


@pytest.mark.sampled(2)
@people
@pytest.mark.parametrize("pose", ["rest", "front"])
@pytest.mark.parametrize("part", ["left hand", "right hand"])
def test_hands_locked_to_each_other_stay_level_in_mirror_editing(bench: Bench, pose: str, part: str) -> None:
    document, skeleton = bench.document, bench.skeleton
    if pose == "front":
        goals = [Goal(f"{side} hand", position=(x, 1.0, 0.35)) for side, x in (("left", 0.1), ("right", -0.1))]
        document.posing.set(solve(skeleton, document.pose, goals, base=0).q)
    assert document.locks.lock_pair("point_pair", "left hand", "right hand")
    document.session.tools.mirror_editing = True
    hands = [skeleton.joint_index(f"{side} hand") for side in ("left", "right")]
    start = np.array([bench.effector(hand) for hand in hands])
    events = dragged(bench, part, "front", (0.0, -0.01), 30)
    end = np.array([bench.effector(hand) for hand in hands])
    assert abs(end[0, 1] - end[1, 1]) < 1e-4
    assert np.abs((end - start)[:, 1] - 0.30).max() < 5e-3
    assert document.locks.states()[0].word == "holds"
    assert not any(event.breaks for event in events)


@people
def test_typed_arms_stay_level_in_mirror_editing(bench: Bench) -> None:
    document, skeleton = bench.document, bench.skeleton
    goals = [Goal(f"{side} hand", position=(x, 1.0, 0.35)) for side, x in (("left", 0.1), ("right", -0.1))]
    document.posing.set(solve(skeleton, document.pose, goals, base=0).q)
    assert document.locks.lock_pair("point_pair", "left hand", "right hand")
    document.session.tools.mirror_editing = True
    q = np.array(document.pose)
    shoulder = skeleton.first_dof[skeleton.joint_index("left upper arm")]
    for k in range(3):
        q[3 + shoulder + k] += 0.2
    assert document.posing.set(q)
    left, right = (bench.effector(skeleton.joint_index(f"{side} hand")) for side in ("left", "right"))
    assert abs(left[1] - right[1]) < 1e-3 and document.locks.states()[0].word == "holds"
