"""Two dancers who hold both hands, against one figure of as many degrees of freedom under as many locks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtWidgets import QApplication

from app.document import Document
from app.document.edits.holding import posing_options
from core.animation import LockStrip, Sequence
from core.animation.ensemble import Ensemble, link
from core.constraints import Lock, LockSolver, bind, solve_locks
from core.formats import Project, bundled_folder, save
from core.ik import Goal
from core.kinematics import forward_kinematics
from core.posing import DragSession
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.joined import Joined
from tests.benchmarks.timing import each, one_thread

Report = Callable[..., None]

FPS = 30.0
HANDS, FEET = ("left hand", "right hand"), ("left foot", "right foot")
BETWEEN = np.arange(15.0, 45.0, FPS / 240.0)
"""Frames at which the locks are on in full."""
DRAGS = 20
AT_ONCE = 16


def _standing(s: Skeleton) -> np.ndarray:
    q = s.rest_pose()
    for joint, angle in (("thigh", 0.3), ("shank", 0.6), ("foot", 0.3), ("forearm", 1.2)):
        for side in ("left", "right"):
            dof = s.first_dof[s.joint_index(f"{side} {joint}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    return q


def _dancer(s: Skeleton, seed: int, hands: dict[str, np.ndarray], z: float, turn: float) -> Sequence:
    """Return one who sways on locked feet, the hands near some places."""
    rng = np.random.default_rng(seed)
    base = _standing(s)
    base[2], base[3] = z, base[3] + turn
    feet = [bind(Lock(foot, "pose"), s, base) for foot in FEET]
    sequence = Sequence(s, FPS, s.name)
    for frame in range(0, 61, 15):
        q = base.copy()
        q[:3] += 0.03 * rng.normal(size=3) * (1.0, 0.5, 0.3)
        q[3:6] += 0.03 * rng.normal(size=3)
        places = [Lock(hand, "position", target=place + 0.02 * rng.normal(size=3)) for hand, place in hands.items()]
        sequence.set_key(frame, solve_locks(s, q, [*feet, *places], root_weight=1e-3).q)
    sequence.locks.strips = [LockStrip(foot, 0) for foot in feet]
    return sequence


def dancers() -> Ensemble:
    """Return two who face each other and hold both hands."""
    man, woman = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "woman"))
    left, right = np.array([0.25, 1.05, 0.32]), np.array([-0.25, 1.05, 0.32])
    a = _dancer(man, 0, {"left hand": left, "right hand": right}, 0.0, 0.0)
    b = _dancer(woman, 1, {"right hand": left, "left hand": right}, 0.64, np.pi)
    pairs = zip(HANDS, reversed(HANDS), strict=True)
    grips = [Lock(x, "point_pair", (0, 0, 0), (0, 0, 0), ("woman", y, (0, 0, 0)), mutual=True) for x, y in pairs]
    a.locks.strips = [*a.locks.strips, *(LockStrip(grip, 0) for grip in grips)]
    return link({"human": a, "woman": b})


def one_figure(ensemble: Ensemble) -> Sequence:
    """Return the same motion and locks as those of one figure: the second body hangs on the first one's ground."""
    found = ensemble.system(30.0, ensemble.names[0])
    J = found.joined
    s = Skeleton("both", J.joints)
    sequence = Sequence(s, FPS, "both")
    for key in ensemble.sequences[0].keys:
        sequence.set_key(key.frame, J.join([each.keys.at(key.frame).q for each in ensemble.sequences]))
    sequence.locks.strips = [LockStrip(lock, 0) for lock in found.locks]
    return sequence


def _drag(s: Skeleton, q: np.ndarray, locks: list[Lock], joint: str, fixed: tuple[int, ...]) -> Callable[[], float]:
    """Return what drags a hand out by 10 cm in some events, and gives the largest residual of a lock, [m]."""
    start = forward_kinematics(s, q)[s.joint_index(joint), :3, 3]
    solver = LockSolver(s, locks, goals=[Goal(joint, position=start)], fixed=fixed, q=q)

    def drag() -> float:
        pose, worst = q, 0.0
        for k in range(1, DRAGS + 1):
            place = start + np.array([0.0, 0.1 * k / DRAGS, 0.0])
            result = solver.solve(pose, goal_positions=place[None], start=q)
            pose, worst = result.q, max(worst, float(result.residuals.max()))
        return worst

    return drag


def _edited(sequences: list[Sequence], folder: Path) -> Document:
    """Return a document of figures, the first one edited at a frame at which the locks are on."""
    document, path = Document(), folder / f"{len(sequences)}.seq"
    save(Project([each.skeleton for each in sequences], sequences), path)
    assert document.files.open(path)
    document.set_frame(30)
    return document


def _drag_by_mouse(document: Document, joint: str, up: float) -> Callable[[], None]:
    """Return what drags a part upwards in some events, as the drag tool does, and gives it up."""

    def drag() -> None:
        options = posing_options(document.model, document.session, document.pose)
        session = DragSession(document.skeleton, document.pose, joint, **options)
        gesture, start = document.posing.begin_gesture("Drag"), session.effector.copy()
        for k in range(1, DRAGS + 1):
            gesture.show(session.move_to(start + np.array([0.0, up * k / DRAGS, 0.0])))
        gesture.cancel()

    return drag


def run(report: Report) -> None:
    """Report times of frames and of drags, and how far locks are off."""
    ensemble = dancers()
    whole = one_figure(ensemble)
    report("values of both, and of the one figure", float(whole.skeleton.nq), "")

    def together(frames: np.ndarray) -> None:
        ensemble.forget_answers()  # what is remembered would be no work
        for sequence in ensemble.sequences:
            sequence.poses_at_frames(frames)

    one_by_one = BETWEEN[::12, None]
    batches = BETWEEN[: AT_ONCE * 8].reshape(-1, AT_ONCE)
    alone = [Sequence(each.skeleton, FPS, keys=each.keys) for each in ensemble.sequences]
    for sequence, own in zip(alone, ensemble.sequences, strict=True):
        sequence.locks.strips = own.locks.strips[:2]
    with one_thread():
        for name, frames in (("one frame", one_by_one), (f"a frame of {AT_ONCE} at once", batches)):
            tasks = [
                [lambda f=f: together(f) for f in frames],
                [lambda f=f: whole.poses_at_frames(f) for f in frames],
                [lambda f=f: [each.poses_at_frames(f) for each in alone] for f in frames],
            ]
            both, one, apart = (float(np.median(best)) / frames.shape[1] for best in each(tasks, 15))
            report(f"two dancers hand in hand, {name}", 1e6 * both, "us")
            report(f"  one figure of as many values, {name}", 1e6 * one, "us", f"the two are {both / one:.2f} times it")
            report(f"  the two with their feet locked and hands free, {name}", 1e6 * apart, "us")
        shared = ensemble._sharing((0, 1), ())
        starts = [ensemble._joined_poses(shared, f) for f in one_by_one], [
            whole.interpolated_at_frames(f) for f in one_by_one
        ]  # fmt: skip
        holdings = shared.holding, whole.locks.holding
        held = [
            [lambda f=f, q=q, h=h: h.held(f, q) for f, q in zip(one_by_one, start, strict=True)]
            for h, start in zip(holdings, starts, strict=True)
        ]
        both, one = (float(np.median(best)) for best in each(held, 15))
        report("  of one frame, to hold the locks", 1e6 * both, "us")
        report("    of one figure of as many values", 1e6 * one, "us", f"the two are {both / one:.2f} times it")
        found = ensemble.system(30.0, "human")
        assert isinstance(found.joined, Joined)
        locks, joint = list(found.locks), "0/left hand"
        drags = [_drag(s, found.pose, locks, joint, found.fixed) for s in (found.joined, whole.skeleton)]
        both, one = (float(best[0]) / DRAGS for best in each([[drag] for drag in drags], 15))
    report("an event of a drag of one hand, both move", 1e6 * both, "us")
    report("  of one figure of as many values", 1e6 * one, "us", f"the two are {both / one:.2f} times it")
    QApplication.instance() or QApplication([])
    with TemporaryDirectory() as folder, one_thread():
        two, single = (_edited(each, Path(folder)) for each in (list(ensemble.sequences), [whole]))
        for up in (0.04, -0.04, 0.1):
            tasks = [[_drag_by_mouse(two, "left hand", up)], [_drag_by_mouse(single, joint, up)]]
            both, one = (float(best[0]) / DRAGS for best in each(tasks, 9))
            report(f"the same as the window does it, by {100 * up:g} cm", 1e6 * both, "us")
            report("  of one figure of as many values", 1e6 * one, "us", f"the two are {both / one:.2f} times it")
    report("locks of the drag off by", drags[0](), "m")
    poses = [sequence.poses_at_frames(BETWEEN) for sequence in ensemble.sequences]
    places = [forward_kinematics(each.skeleton, q) for each, q in zip(ensemble.sequences, poses, strict=True)]
    for a, b in zip(HANDS, reversed(HANDS), strict=True):
        joints = [each.skeleton.joint_index(name) for each, name in zip(ensemble.sequences, (a, b), strict=True)]
        gap = places[0][:, joints[0], :3, 3] - places[1][:, joints[1], :3, 3]
        report(f"his {a} and her {b} apart at 240 samples a second", float(np.linalg.norm(gap, axis=1).max()), "m")
