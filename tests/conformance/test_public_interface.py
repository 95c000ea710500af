"""The names, signatures and meanings that other programs bind to: they may gain keywords, never lose or change one."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.animation import Sequence
from core.constraints import Lock, bind, solve_locks
from core.dynamics import Body, Multibody, simulate
from core.errors import (
    CoreError,
    DynamicsError,
    FormatError,
    GoalError,
    JointError,
    KeyCollision,
    LockError,
    PoseError,
)
from core.formats import load, save
from core.ik import SOLVERS, Goal, solve
from core.joints import Fixed, Free, Revolute
from core.kinematics import forward_kinematics, point_jacobian
from core.posing import DragSession
from core.skeleton import Skeleton, load_skeleton, read_scr
from core.spatial import SpatialInertia, so3

NO_DEFAULT = inspect.Parameter.empty

SIGNATURES: list[tuple[Callable[..., Any], list[tuple[str, Any]]]] = [
    (load_skeleton, [("path", NO_DEFAULT)]),
    (load, [("path", NO_DEFAULT), ("unit", None)]),
    (save, [("project", NO_DEFAULT), ("path", NO_DEFAULT)]),
    (forward_kinematics, [("s", NO_DEFAULT), ("q", NO_DEFAULT)]),
    (
        point_jacobian,
        [("s", NO_DEFAULT), ("q", NO_DEFAULT), ("joint", NO_DEFAULT), ("point", (0.0, 0.0, 0.0))],
    ),
    (Goal, [("joint", NO_DEFAULT), ("point", (0, 0, 0)), ("position", None), ("rotation", None), ("weight", 1.0)]),
    (
        solve,
        [
            ("s", NO_DEFAULT),
            ("q", NO_DEFAULT),
            ("goals", NO_DEFAULT),
            ("solver", "damped_least_squares"),
            ("base", None),
            ("tolerance", 1e-4),
            ("max_iterations", None),
            ("weights", None),
            ("locks", ()),
        ],
    ),
    (
        Lock,
        [
            ("joint", NO_DEFAULT),
            ("kind", NO_DEFAULT),
            ("point", (0, 0, 0)),
            ("target", None),
            ("other", None),
            ("weight", 1.0),
            ("axes", None),
            ("joints", None),
        ],
    ),
    (
        DragSession,
        [
            ("skeleton", NO_DEFAULT),
            ("q", NO_DEFAULT),
            ("part", NO_DEFAULT),
            ("point", None),
            ("mode", "limb"),
            ("locks", ()),
            ("solver", "ccd"),
        ],
    ),
    (bind, [("lock", NO_DEFAULT), ("s", NO_DEFAULT), ("q", NO_DEFAULT)]),
    (
        solve_locks,
        [
            ("s", NO_DEFAULT),
            ("q", NO_DEFAULT),
            ("locks", NO_DEFAULT),
            ("goals", ()),
            ("start", None),
            ("tolerance", 1e-9),
        ],
    ),
    (Sequence, [("skeleton", NO_DEFAULT), ("fps", 30)]),
    (Sequence.set_key, [("self", NO_DEFAULT), ("frame", NO_DEFAULT), ("q", NO_DEFAULT)]),
    (Sequence.delete, [("self", NO_DEFAULT), ("frames", NO_DEFAULT)]),
    (Sequence.copy, [("self", NO_DEFAULT), ("first", NO_DEFAULT), ("last", NO_DEFAULT)]),
    (Sequence.insert, [("self", NO_DEFAULT), ("frame", NO_DEFAULT), ("clip", NO_DEFAULT)]),
    (
        Sequence.stretch,
        [("self", NO_DEFAULT), ("first", NO_DEFAULT), ("last", NO_DEFAULT), ("factor", NO_DEFAULT)],
    ),
    (Sequence.slide, [("self", NO_DEFAULT), ("first", NO_DEFAULT), ("last", NO_DEFAULT), ("by", NO_DEFAULT)]),
    (Sequence.pose_at, [("self", NO_DEFAULT), ("time", NO_DEFAULT)]),
    (Sequence.poses, [("self", NO_DEFAULT), ("times", NO_DEFAULT)]),
    (SpatialInertia, [("mass", NO_DEFAULT), ("center", NO_DEFAULT), ("inertia", NO_DEFAULT)]),
    (Multibody, [("bodies", NO_DEFAULT), ("gravity", (0.0, -9.81, 0.0))]),
    (Multibody.from_skeleton, [("s", NO_DEFAULT), ("fixed_base", False)]),
    (Multibody.state_from_pose, [("self", NO_DEFAULT), ("q", NO_DEFAULT), ("qdot", None)]),
    (Multibody.pose_from_state, [("self", NO_DEFAULT), ("x", NO_DEFAULT)]),
    (
        Multibody.forward_dynamics,
        [
            ("self", NO_DEFAULT),
            ("x", NO_DEFAULT),
            ("v", NO_DEFAULT),
            ("tau", None),
            ("formulation", "recursive"),
        ],
    ),
    (
        Multibody.inverse_dynamics,
        [("self", NO_DEFAULT), ("x", NO_DEFAULT), ("v", NO_DEFAULT), ("vdot", NO_DEFAULT)],
    ),
    (Multibody.mass_matrix, [("self", NO_DEFAULT), ("x", NO_DEFAULT)]),
    (Multibody.bias, [("self", NO_DEFAULT), ("x", NO_DEFAULT), ("v", NO_DEFAULT)]),
    (Multibody.energy, [("self", NO_DEFAULT), ("x", NO_DEFAULT), ("v", NO_DEFAULT)]),
    (Multibody.momentum, [("self", NO_DEFAULT), ("x", NO_DEFAULT), ("v", NO_DEFAULT)]),
    (
        simulate,
        [("scene", NO_DEFAULT), ("duration", NO_DEFAULT), ("dt", NO_DEFAULT), ("integrator", "linearly_implicit")],
    ),
]


@pytest.mark.parametrize(("function", "wanted"), SIGNATURES, ids=lambda value: getattr(value, "__qualname__", ""))
def test_signature(function: Callable[..., Any], wanted: list[tuple[str, Any]]) -> None:
    parameters = list(inspect.signature(function).parameters.values())
    found = [(p.name, p.default) for p in parameters[: len(wanted)]]
    assert found == wanted
    keyword_only = {"goals", "start", "tolerance"} if function is solve_locks else {"unit"}
    for p in parameters[: len(wanted)]:
        assert p.kind is (p.KEYWORD_ONLY if p.name in keyword_only else p.POSITIONAL_OR_KEYWORD)
    for p in parameters[len(wanted) :]:
        assert p.default is not NO_DEFAULT, f"{p.name} was added without a default"


# -- skeleton --------------------------------------------------------------------------------------------------------

ARM = """
define skeleton "arm"
    joint "base"
    group "Arms"
        joint "right arm"
        joint "right hand"
    end group
    group "Other"
        joint "left arm"
        joint "left hand"
    end group
end skeleton
define joint "base"
    slide y -0.5 0.5 "Lift"
end joint
define joint "right arm"
    offset -0.2 1 0
    orientation 10 20 30
    hinge x -90 45 "Swing"
    hinge z
    hinge y -45 45
    mass 2
    mirror "left arm"
end joint
define joint "right hand"
    offset 0 -0.5 0
    hinge 1 1 0 0 90
    mass 1
    center 0 -0.1 0
    inertia 0.01 0.02 0.03 0.001 0.002 0.003
    mirror "left hand"
end joint
"""


@pytest.fixture
def arm(tmp_path: Path) -> Skeleton:
    (tmp_path / "arm.scr").write_text(ARM, encoding="utf-8")
    return load_skeleton(tmp_path / "arm.scr")


def rotation(axis: str, degrees: float) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array(
        {
            "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


def test_a_skeleton_describes_its_joints(arm: Skeleton) -> None:
    assert isinstance(arm, Skeleton) and arm.name == "arm"
    assert list(arm.joint_names) == ["base", "right arm", "right hand", "left arm", "left hand"]
    assert [joint.parent for joint in arm.joints] == [-1, 0, 1, 0, 3]
    assert arm.n_dofs == len(arm.dof_names) == 9
    assert list(arm.dof_names[1:4]) == ["right arm.x", "right arm.z", "right arm.y"]
    right = arm.joints[1]
    assert right.name == "right arm" and right.offset.tolist() == [-0.2, 1.0, 0.0]
    expected = rotation("z", 30) @ rotation("y", 20) @ rotation("x", 10)
    assert right.rotation.shape == (3, 3) and right.rotation == pytest.approx(expected, abs=1e-15)
    kind, axis, lo, hi = right.dofs[0]
    assert (kind, list(axis)) == ("hinge", [1.0, 0.0, 0.0])
    assert (lo, hi) == (math.radians(-90), math.radians(45))
    assert tuple(right.dofs[1])[2:] == (-math.inf, math.inf)
    assert arm.joints[0].dofs[0][0] == "slide"
    assert np.linalg.norm(arm.joints[2].dofs[0].axis) == pytest.approx(1.0, abs=1e-15)


def test_limits_and_rest_pose(arm: Skeleton) -> None:
    assert arm.limits.shape == (9, 2)
    assert arm.limits[0].tolist() == [-0.5, 0.5]
    assert arm.limits[2].tolist() == [-math.inf, math.inf]
    assert arm.rest_pose().shape == (12,) and not arm.rest_pose().any()
    bent = read_scr('define skeleton "s"\njoint "a"\nend skeleton\ndefine joint "a"\nhinge x 20 30\nend joint')
    assert bent.rest_pose()[3] == math.radians(20)
    q = arm.rest_pose()
    q[:] = 7.0
    assert not arm.rest_pose().any()


def test_masses(arm: Skeleton) -> None:
    hand = arm.joints[2]
    assert hand.mass == 1.0 and hand.center is not None and hand.inertia is not None
    assert hand.center.tolist() == [0.0, -0.1, 0.0]
    assert hand.inertia.tolist() == [[0.01, 0.001, 0.002], [0.001, 0.02, 0.003], [0.002, 0.003, 0.03]]
    for joint in arm.joints:
        assert joint.mass is not None and joint.mass >= 0.0
        assert joint.center is not None and joint.center.shape == (3,)
        assert joint.inertia is not None and joint.inertia.shape == (3, 3)
    assert np.linalg.eigvalsh(arm.joints[1].inertia)[0] > 0.0


def test_pairs_and_compounds(arm: Skeleton) -> None:
    assert sorted(map(tuple, arm.mirror_pairs)) == [(1, 3), (2, 4)]
    assert [tuple(c) for c in arm.compounds] == [(1, 2, 3), (5, 6, 7)]
    assert arm.joints[3].offset.tolist() == [0.2, 1.0, 0.0]
    same = arm.rest_pose()
    same[4:8] = same[8:12] = (0.3, -0.2, 0.4, 0.5)
    X = forward_kinematics(arm, same)
    assert X[[3, 4], 0, 3] == pytest.approx(-X[[1, 2], 0, 3]) and X[[3, 4], 1:3, 3] == pytest.approx(X[[1, 2], 1:3, 3])


def test_bad_files_list_every_problem(tmp_path: Path) -> None:
    (tmp_path / "bad.scr").write_text('define skeleton "s"\njiont "a"\njoint "b"\njoint "b"\nend skeleton\n')
    with pytest.raises(FormatError) as caught:
        load_skeleton(tmp_path / "bad.scr")
    lines = str(caught.value).splitlines()
    assert len(lines) == 2 and lines[0].startswith("bad.scr:2:1: ") and lines[1].startswith("bad.scr:4:7: ")
    with pytest.raises(FormatError):
        load_skeleton(str(tmp_path / "nowhere.scr"))


# -- kinematics ------------------------------------------------------------------------------------------------------


def test_frames_are_as_the_interface_says(arm: Skeleton) -> None:
    q = np.arange(1.0, 13.0) / 20.0
    X = forward_kinematics(arm, q)
    assert X.shape == (5, 4, 4)
    base = np.eye(4)
    base[:3, 3] = q[:3] + np.array([0.0, q[3], 0.0])
    assert X[0] == pytest.approx(base, abs=1e-15)
    turned = arm.joints[1].rotation
    for axis, value in zip("xzy", q[4:7], strict=True):
        turned = turned @ rotation(axis, math.degrees(value))
    assert X[1, :3, :3] == pytest.approx(turned, abs=1e-14)
    assert X[1, :3, 3] == pytest.approx(base[:3, 3] + (-0.2, 1.0, 0.0), abs=1e-15)
    many = forward_kinematics(arm, np.stack([q, 2 * q, arm.rest_pose()]))
    assert many.shape == (3, 5, 4, 4)
    assert many[0] == pytest.approx(X, abs=1e-15) and many[1] == pytest.approx(forward_kinematics(arm, 2 * q))
    assert forward_kinematics(arm, q.tolist()).tolist() == X.tolist()


@pytest.mark.parametrize("joint", [2, "right hand", np.int64(2)])
def test_jacobian_rows_are_v_then_w_in_world_axes(arm: Skeleton, joint: Any) -> None:
    q = np.arange(1.0, 13.0) / 20.0
    point = np.array([0.1, -0.3, 0.05])
    J = point_jacobian(arm, q, joint, point)
    assert J.shape == (6, 12) and J[:3, :3].tolist() == np.eye(3).tolist() and not J[3:, :3].any()
    h = 1e-6
    for k in range(12):
        step = np.eye(12)[k] * h
        after, before = forward_kinematics(arm, q + step)[2], forward_kinematics(arm, q - step)[2]
        v = (after - before) @ [*point, 1.0] / (2 * h)
        w = so3.log(after[:3, :3] @ before[:3, :3].T) / (2 * h)
        assert J[:, k] == pytest.approx(np.concatenate([v[:3], w]), abs=1e-8)


@pytest.mark.parametrize("joint", [5, -1, "nose", 1.5, None])
def test_a_joint_that_is_not_there(arm: Skeleton, joint: Any) -> None:
    with pytest.raises(JointError):
        point_jacobian(arm, arm.rest_pose(), joint, (0, 0, 0))
    with pytest.raises(GoalError):
        solve(arm, arm.rest_pose(), [Goal(joint, position=(0, 0, 0))])


@pytest.mark.parametrize("q", [np.zeros(11), np.zeros((1, 1, 12)), np.full(12, np.nan), "pose"])
def test_what_is_no_pose(arm: Skeleton, q: Any) -> None:
    with pytest.raises(PoseError):
        forward_kinematics(arm, q)
    with pytest.raises(PoseError):
        point_jacobian(arm, q, 0, (0, 0, 0))


# -- inverse kinematics ----------------------------------------------------------------------------------------------


def test_the_default_solver_and_result(arm: Skeleton) -> None:
    q = arm.rest_pose()
    result = solve(arm, q, [Goal("right hand", point=(0, -0.2, 0), position=(-0.3, 0.8, 0.4))])
    named = solve(
        arm, q, [Goal(2, (0, -0.2, 0), (-0.3, 0.8, 0.4), None, 1.0)], "damped_least_squares", None, 1e-4, None, None, ()
    )
    assert result.converged is True and result.error <= 1e-4 and isinstance(result.iterations, int)
    assert result.q.tolist() == named.q.tolist() and result.q.shape == (12,)
    assert not q.any() and result.q is not q


def test_error_is_weighted_and_scaled_by_reach(arm: Skeleton) -> None:
    goals = [
        Goal("right hand", (0, -0.2, 0), (3.0, 3.0, 3.0), rotation("y", 40), weight=0.25),
        Goal("left arm", position=(-3.0, 0.0, 0.0)),
    ]
    result = solve(arm, arm.rest_pose(), goals, max_iterations=3)
    X = forward_kinematics(arm, result.q)
    reach = math.hypot(0.2, 1.0) + 0.5 + 0.2
    away = np.linalg.norm((X[2] @ [0, -0.2, 0, 1])[:3] - 3.0)
    angle = np.linalg.norm(so3.log(rotation("y", 40) @ X[2, :3, :3].T))
    other = np.linalg.norm(X[3, :3, 3] - (-3.0, 0.0, 0.0))
    expected = math.sqrt(0.25 * (away**2 + (reach * angle) ** 2) + other**2)
    assert result.error == pytest.approx(expected, rel=1e-12)
    assert not result.converged


def test_base_says_what_moves(arm: Skeleton) -> None:
    q = arm.rest_pose()
    goal = Goal("right hand", position=(-0.4, 0.9, 0.3))

    def moved(base: Any) -> set[int]:
        return set(np.flatnonzero(solve(arm, q, [goal], base=base).q != q).tolist())

    assert moved(None) <= set(range(3, 8)) and 3 in moved(None)
    assert moved("right arm") == moved(1) and moved(1) <= set(range(4, 8)) and moved(1)
    assert moved("world") & {0, 1, 2}
    for base in ("left arm", "nose", 9, -1, 1.5):
        with pytest.raises(GoalError):
            solve(arm, q, [goal], base=base)


def test_weights_hold_values_back(arm: Skeleton) -> None:
    weights = np.ones(12)
    weights[3] = 0.0
    goal = Goal("right hand", position=(-0.4, 0.9, 0.3))
    for solver in SOLVERS:
        result = solve(arm, arm.rest_pose(), [goal], solver=solver.name, weights=weights)
        assert result.q[3] == 0.0 and result.q[4:8].any()
    for bad in (np.ones(11), np.full(12, 1.5), np.full(12, -0.1), np.full(12, np.nan)):
        with pytest.raises(GoalError):
            solve(arm, arm.rest_pose(), [goal], weights=bad)


def test_tolerance_decides_what_has_converged(arm: Skeleton) -> None:
    q = arm.rest_pose()
    X = forward_kinematics(arm, q)[2, :3, 3]
    near = [Goal("right hand", position=X + np.array([0.0, 0.0, 0.01]))]
    assert solve(arm, q, near, tolerance=0.02, max_iterations=0).converged
    assert not solve(arm, q, near, tolerance=0.005, max_iterations=0).converged


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(arm: Skeleton, bad: float) -> None:
    q = arm.rest_pose()
    makers: list[Callable[[], object]] = [
        lambda: solve(arm, q, [Goal(2, position=(bad, 0, 0))]),
        lambda: solve(arm, q, [Goal(2, (0, bad, 0), (0, 0, 0))]),
        lambda: solve(arm, q, [Goal(2, rotation=np.full((3, 3), bad))]),
        lambda: solve(arm, q, [Goal(2, position=(0, 0, 0), weight=bad)]),
        lambda: solve(arm, np.full(12, bad), [Goal(2, position=(0, 0, 0))]),
        lambda: solve(arm, q, [Goal(2, position=(0, 0, 0))], tolerance=bad),
    ]
    for make in makers:
        with pytest.raises(GoalError):
            make()
    with pytest.raises(GoalError, match="valid are"):
        solve(arm, q, [Goal(2, position=(0, 0, 0))], solver="magic")


# -- locks -----------------------------------------------------------------------------------------------------------


def test_locks_hold(arm: Skeleton) -> None:
    q = arm.rest_pose()
    lock = Lock("right hand", "position", (0, -0.1, 0))
    target = bind(lock, arm, q).target
    hand = forward_kinematics(arm, q)[arm.joint_index("right hand")]
    assert target == pytest.approx((hand @ [0, -0.1, 0, 1])[:3], abs=1e-15)
    other = q + 0.05
    found = solve_locks(arm, other, [bind(lock, arm, q)])
    assert found.q.shape == (12,) and found.residuals.shape == (1,) and found.residuals[0] <= 1e-9 and found.held
    assert found.iterations > 0 and solve_locks(arm, q, [lock]).residuals[0] <= 1e-15
    goal = Goal("left hand", position=forward_kinematics(arm, q)[arm.joint_index("left hand"), :3, 3] + [0, 0.01, 0])
    pulled = solve(arm, q, goal, locks=[lock])
    assert pulled.converged and pulled.held and pulled.residuals[0] <= 1e-9
    dragged = solve_locks(arm, q, [lock], goals=[goal], start=q, tolerance=1e-8)
    assert dragged.held and np.linalg.norm(bind(lock, arm, dragged.q).target - target) <= 1e-8


# -- posing ----------------------------------------------------------------------------------------------------------


def test_a_drag(arm: Skeleton) -> None:
    q = arm.rest_pose() + 0.02
    drag = DragSession(arm, q, "right hand", mode="right arm", locks=[Lock("left hand", "position")])
    start = forward_kinematics(arm, q)[arm.joint_index("right hand")]
    place = (start @ np.append(drag.point, 1.0))[:3] + np.array([0.0, 0.01, 0.0])
    moved = drag.move_to(place)
    while drag.behind:
        drag.again()
    assert moved.shape == (12,) and drag.result.q.shape == (12,) and drag.distance < 2e-3
    eye = place + np.array([0.0, 0.0, 3.0])
    assert drag.move_along(eye, [0.0, 0.0, -1.0]).shape == (12,)
    assert np.array_equal(drag.cancel(), q)


def test_targets_of_locks(arm: Skeleton) -> None:
    q = arm.rest_pose() + 0.02
    other = ("left hand", (0, 0, 0))
    shapes = {"position": (3,), "orientation": (3, 3), "plane": (4,), "line": (2, 3), "distance": (), "balance": ()}
    for kind, shape in shapes.items():
        lock = bind(Lock("right hand", kind, other=other if kind == "distance" else None), arm, q)
        assert np.shape(lock.target) == shape
    for kind in ("point_pair", "aim"):
        for second in (other, ("Bob", *other)):
            assert bind(Lock(1, kind, other=second), arm, q, {"Bob": (arm, q + 0.1)}).bound
    assert Lock("right hand", "pose", target=((0, 0, 1), np.eye(3)), weight=(1.0, 0.5)).target.shape == (4, 4)
    n = np.array([0.6, 0.8, 0.0])
    plane = Lock("right hand", "plane", target=(*n, 0.25))
    found = solve_locks(arm, q, [plane])
    assert n @ forward_kinematics(arm, found.q)[arm.joint_index("right hand"), :3, 3] == pytest.approx(0.25, abs=1e-9)
    aligned = Lock("right hand", "orientation", target=np.eye(3), axes=(False, True, False))
    found = solve_locks(arm, q, [aligned])
    up = forward_kinematics(arm, found.q)[arm.joint_index("right hand"), :3, 1]
    assert up == pytest.approx([0, 1, 0], abs=1e-8) or not found.held
    for make in (
        lambda: Lock("right hand", "glue"),
        lambda: Lock("right hand", "position", target=(0, 0, math.nan)),
        lambda: Lock("right hand", "aim"),
        lambda: solve_locks(arm, q, [Lock("tail", "position")]),
    ):
        with pytest.raises(LockError):
            make()


# -- sequences and files ---------------------------------------------------------------------------------------------


def test_a_sequence_holds_before_and_after(arm: Skeleton) -> None:
    s = Sequence(arm)
    assert s.fps == 30 and s.skeleton is arm and len(s.locks) == 0
    q = arm.rest_pose()
    s.set_key(30, q)
    s.set_key(60, q + 0.1)
    assert s.pose_at(1.0).tolist() == s.pose_at(0.0).tolist() == q.tolist()
    assert s.pose_at(2.0).tolist() == s.pose_at(1e6).tolist() == (q + 0.1).tolist()
    assert s.poses([0.0, 1.5, 2.0]).shape == (3, 12)
    assert s.poses([1.5])[0].tolist() == s.pose_at(1.5).tolist() == s.interpolated(1.5).tolist()
    assert Sequence(arm, fps=24).fps == 24
    assert Sequence(arm, 60).pose_at(0.0).tolist() == arm.rest_pose().tolist()


def test_edits_of_a_sequence(arm: Skeleton) -> None:
    s = Sequence(arm)
    for frame in (0, 10, 20):
        s.set_key(frame, np.full(12, frame / 100))
    clip = s.copy(0, 10)
    s.insert(30, clip)
    assert [key.frame for key in s.keys] == [0, 10, 20, 30, 40]
    s.stretch(30, 40, 2.0)
    s.slide(0, 0, 5)
    s.delete([10])
    assert [key.frame for key in s.keys] == [5, 20, 30, 50]
    before = s.keys
    for edit in (lambda: s.slide(5, 20, 10), lambda: s.insert(20, clip), lambda: s.stretch(5, 20, 5 / 3)):
        with pytest.raises(KeyCollision):
            edit()
        assert s.keys == before
    for frame in (-1, 1.5, math.nan, "2"):
        with pytest.raises(CoreError):
            s.set_key(frame, arm.rest_pose())  # type: ignore[arg-type]


def test_files(arm: Skeleton, tmp_path: Path) -> None:
    project = load(tmp_path / "arm.scr")
    assert [figure.name for figure in project.figures] == ["arm"] and project.unit == 1.0
    assert all(any(s.skeleton is figure for figure in project.figures) for s in project.sequences)
    project.sequences[0].set_key(3, np.full(12, 0.1))
    save(project, tmp_path / "arm.seq")
    again = load(str(tmp_path / "arm.seq"), unit=None)
    assert again.sequences[0].skeleton is again.figures[0]
    assert again.sequences[0].pose_at(0.1).tolist() == [0.1] * 12
    for name in ("arm.xyz", "arm", "none.seq", "none.scr"):
        with pytest.raises(FormatError):
            load(tmp_path / name)


def test_spatial_inertia_is_about_the_centre() -> None:
    body = SpatialInertia(2.0, (1.0, 0.0, 0.0), np.eye(3))
    assert (body.mass, body.center.tolist(), body.inertia.tolist()) == (2.0, [1.0, 0.0, 0.0], np.eye(3).tolist())


# -- dynamics --------------------------------------------------------------------------------------------------------


def crane() -> Multibody:
    """A mast that turns about y and a boom that turns about its own z, at the mast's top."""
    top, middle, out = np.eye(4), np.eye(4), np.eye(4)
    top[1, 3], middle[1, 3], out[0, 3] = 2.0, 1.0, 0.5
    mast = SpatialInertia(4.0, np.zeros(3), np.eye(3))
    boom = SpatialInertia(3.0, np.zeros(3), 0.1 * np.eye(3))
    return Multibody(
        bodies=[
            Body("mast", -1, Revolute((0, 1, 0)), np.eye(4), middle, mast),
            Body("boom", 0, Revolute((0, 0, 1)), X_PJ=top, X_JB=out, inertia=boom),
        ]
    )


def test_a_model_of_bodies() -> None:
    model = crane()
    assert model.nq == model.nv == 2
    x, v = np.array([0.4, 0.3]), np.array([1.5, -0.7])
    arm = 0.5 * math.cos(0.3)
    M = np.diag([1.0 + 0.1 + 3.0 * arm**2, 0.1 + 3.0 * 0.25])
    assert model.mass_matrix(x) == pytest.approx(M, abs=1e-14)
    kinetic, potential = model.energy(x, v)
    assert kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-14)
    assert potential == pytest.approx(9.81 * (4.0 * 1.0 + 3.0 * (2.0 + 0.5 * math.sin(0.3))), rel=1e-14)
    momentum = model.momentum(x, v)
    assert momentum.shape == (6,) and momentum[1] == pytest.approx(M[0, 0] * 1.5, rel=1e-14)
    # [L; P]: the boom's centre moves up by its own turning, and round by the mast's.
    assert momentum[4] == pytest.approx(3.0 * arm * -0.7, rel=1e-14)
    slope = -3.0 * 0.25 * math.sin(2 * 0.3)  # dM_11/dx_2
    bias = [slope * 1.5 * -0.7, -0.5 * slope * 1.5**2 + 3.0 * 9.81 * arm]
    assert model.bias(x, v) == pytest.approx(bias, rel=1e-12)
    tau = np.array([0.2, -1.0])
    for formulation in ("recursive", "redmax", "maximal"):
        vdot = model.forward_dynamics(x, v, tau, formulation=formulation)
        assert vdot == pytest.approx((tau - bias) / np.diag(M), rel=1e-11)
        assert model.inverse_dynamics(x, v, vdot) == pytest.approx(tau, rel=1e-10)
    with pytest.raises(DynamicsError):
        model.forward_dynamics(x, v, tau, "magic")


def test_bodies_have_their_frames_where_they_are_given() -> None:
    shift = np.eye(4)
    shift[:3, 3] = (0.1, 0.2, 0.3)
    ball = SpatialInertia(1.0, np.zeros(3), np.eye(3))
    model = Multibody(
        [Body("a", -1, Free(), shift, inertia=ball), Body("b", "a", Fixed(), shift, shift, ball)], (0, 0, -1)
    )
    assert model.gravity.tolist() == [0, 0, -1]
    x = np.array([1.0, 2.0, 3.0, 0.0, 0.0, math.pi / 2])  # free: (p, r)
    poses = model.body_poses(x)
    assert poses[0, :3, 3] == pytest.approx([1.1, 2.2, 3.3]) and poses[0, :3, :3] == pytest.approx(rotation("z", 90))
    assert poses[1, :3, 3] == pytest.approx([1.1 - 0.4, 2.2 + 0.2, 3.3 + 0.6])
    assert poses[1, :3, :3] == pytest.approx(rotation("z", 90))
