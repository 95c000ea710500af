"""Figures 4.4 and 4.5 of the thesis again: time against the accuracy that is asked for, on today's solvers.

An arm of seven degrees of freedom without limits, and one goal: in figure 4.4 well within reach, in 4.5 near the edge
of it. Prints the times as a table and draws them, with the first and last poses, into the folder ``bench``;
``python -m tests.benchmarks.bench_figures --docs`` puts copies into ``docs/images``.

Figures 6.4 and 6.5, of locks, are drawn besides; see ``lock_figures``.

Source: Welman (1993) section 4.3.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.ik import SOLVERS, Goal, find_solver, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import end_effector
from tests.benchmarks import lock_figures
from tests.benchmarks.bench_ik import free_arm, prepared, tips
from tests.benchmarks.peers import reachers
from tests.benchmarks.timing import each, one_thread
from tests.support.kernels import kernels_in_use

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench"
DOCS = ROOT / "docs" / "images"
CRITERIA = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
FIGURES = {"4.4": ("the goal well within reach", 0.6), "4.5": ("the goal near the edge of reach", 0.995)}
"""What each shows, and how far the goal is from the shoulder as a part of the reach."""
DIRECTION = np.array([0.3, 0.6, 0.74])
"""From the shoulder to the goal."""
START = np.radians([12.0, -35.0, 10.0, 75.0, 8.0, 40.0, 0.0])
FIRST = ("jacobian_transpose", "ccd")
"""The thesis' two, in its order; the others follow."""
MOST = 100_000
"""Iterations for all: slow ones may take their time."""
ROUNDS, PATIENCE = 40, 1.0


def order() -> list[str]:
    """Return the names of our solvers as they are shown."""
    return [*FIRST, *(solver.name for solver in SOLVERS if solver.name not in FIRST)]


def set_up(part: float) -> tuple[Skeleton, np.ndarray, int, np.ndarray, np.ndarray]:
    """Return arm, first pose, joint, its point and the goal at ``part`` of the reach from the shoulder."""
    arm = free_arm()
    joint = len(arm.joints) - 1
    point = end_effector(arm, joint)
    shoulder = forward_kinematics(arm, arm.rest_pose())[arm.joint_index("shoulder"), :3, 3]
    reach = float(np.linalg.norm(tips(arm, joint, point, arm.rest_pose()[None])[0] - shoulder))
    start = np.array(arm.rest_pose())
    start[3:] = START
    return arm, start, joint, point, shoulder + part * reach * DIRECTION / np.linalg.norm(DIRECTION)


def measure(part: float) -> dict[str, Any]:
    """Return the times [ms] of everybody for each criterion, NaN where it was not met, and the poses."""
    arm, start, joint, point, target = set_up(part)
    ours: dict[str, Callable[[float], tuple[np.ndarray, bool]]] = {}
    for name in order():

        def by_solver(tolerance: float, name: str = name) -> tuple[np.ndarray, bool]:
            goal = Goal(joint, point, target)
            result = solve(arm, start, goal, name, tolerance=tolerance, max_iterations=MOST)
            return result.q, result.converged

        ours[name] = by_solver
    everybody = dict(ours)
    absent = {}
    for name, peer in reachers(arm, joint, point).items():
        if isinstance(peer, str):
            absent[name] = peer
        else:
            everybody[name] = lambda tolerance, peer=peer: peer(start, target, tolerance)
    met = [[reach(criterion)[1] for criterion in CRITERIA] for reach in everybody.values()]
    tasks: list[list[Callable[[], Any]]] = []
    for name, reach in everybody.items():
        if name in ours:
            solver, goal = find_solver(name)._replace(max_iterations=MOST), Goal(joint, point, target)
            tasks.append([prepared(solver, arm, start, goal, criterion) for criterion in CRITERIA])
        else:
            tasks.append([lambda reach=reach, criterion=criterion: reach(criterion) for criterion in CRITERIA])
    best = each(tasks, ROUNDS, PATIENCE)
    rows = [
        {
            "name": name,
            "label": find_solver(name).label if name in ours else name,
            "ours": name in ours,
            "times": [1e3 * float(t) if ok else float("nan") for t, ok in zip(taken, done, strict=True)],
        }
        for name, taken, done in zip(everybody, best, met, strict=True)
    ]
    poses = [{"label": "Initial", "q": start.tolist()}]
    for name, by in ours.items():
        poses.append({"label": find_solver(name).label, "q": by(CRITERIA[-1])[0].tolist()})
    return {"rows": rows, "absent": absent, "poses": poses, "target": target.tolist(), "criteria": CRITERIA}


def run(report: Callable[..., None]) -> None:
    """Measure, report and draw.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    FOLDER.mkdir(exist_ok=True)
    with kernels_in_use("compiled"):
        for number, (what, part) in FIGURES.items():
            with one_thread():
                found = measure(part)
            print(f"  figure {number}, {what}: milliseconds to come within a distance; ours the solver alone")
            print("  " + " " * 26 + "".join(f"{criterion:>11g} m" for criterion in CRITERIA))
            for row in found["rows"]:
                print(f"  {row['label']:<26}" + "".join(f"{time:>13.3f}" for time in row["times"]))
            for name, why in found["absent"].items():
                print(f"  {name:<26} {why}")
            found |= {"number": number, "title": what}
            data = FOLDER / f"figure-{number}.json"
            data.write_text(json.dumps(found), encoding="utf-8")
            draw(data)
            report(f"figure {number}: pictures drawn", 1, "", f"{data.with_suffix('.png').relative_to(ROOT)}")
        lock_figures.run(report)


def draw(data: Path) -> None:
    """Draw a figure in a process of its own: this one may have a window system already, or none."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.benchmarks.figure_drawing", str(data)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"drawing failed: {done.stderr.strip()[-400:]}")


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {note}"))
    if "--docs" in sys.argv:
        for number in (*FIGURES, "6.4", "6.5"):
            shutil.copy(FOLDER / f"figure-{number}.png", DOCS)
