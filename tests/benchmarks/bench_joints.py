"""What joints that are evaluated by functions cost more than hinges: screws in the place of all hinges of a chain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.dynamics import Multibody
from core.dynamics.contact.world import World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.ik import Goal, nodes_kernel
from core.ik.problem import build
from core.kernels import load
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton import Skeleton, read_scr
from tests.benchmarks.timing import interleaved
from tests.support.kernels import kernels_in_use

COUNT = 20
AXES = ("x", "0 0.6 0.8", "z")
CALLS, ROUNDS = 50, 41


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"):
        figures = [_chain("hinge {axis}"), _chain("joint type screw {axis} 0.02")]
        for name, make in (
            ("forward kinematics", _forward), ("point Jacobian", _jacobian), ("inverse kinematics, a step", _inverse),
            ("step of a simulation", _step), ("forward dynamics", _dynamics),
        ):  # fmt: skip
            calls = [make(s) for s in figures]
            interleaved(calls, 1)  # kernels are loaded
            hinge, screw = (1e9 * seconds / (CALLS * COUNT) for seconds in interleaved(calls, ROUNDS))
            report(f"{name}: what a screw takes more than a hinge", screw - hinge, "ns", f"a hinge takes {hinge:.0f}")


def _chain(line: str) -> Skeleton:
    names = [f"part {i}" for i in range(COUNT)]
    lines = ['define skeleton "chain"', 'joint "base"', *(f'joint "{name}"' for name in names), "end skeleton"]
    lines += ['define joint "base"', "mass 1", "end joint"]
    for i, name in enumerate(names):
        own = line.format(axis=AXES[i % 3])
        lines += [f'define joint "{name}"', "offset 0 0.1 0", own, "mass 1", "tip 0 0.1 0", "end joint"]
    return read_scr("\n".join(lines))


def _pose(s: Skeleton) -> np.ndarray:
    return np.concatenate([np.zeros(3), 0.4 * np.random.default_rng(0).normal(size=s.n_dofs)])


def _forward(s: Skeleton) -> Callable[[], object]:
    q = _pose(s)
    return lambda: [forward_kinematics(s, q) for _ in range(CALLS)]


def _jacobian(s: Skeleton) -> Callable[[], object]:
    q, last = _pose(s), COUNT
    return lambda: [point_jacobian(s, q, last) for _ in range(CALLS)]


def _inverse(s: Skeleton) -> Callable[[], object]:
    """Return what a step of every solver by the Jacobian works out first: frames, errors and columns."""
    kernels = load(nodes_kernel)
    p = build(s, _pose(s), (Goal(COUNT, (0.0, 0.1, 0.0), np.array([0.0, 9.0, 0.0])),), None, None)

    def step() -> None:
        kernels.frames(p.nodes, p.aims, p.x, p.work)
        kernels.errors(p.aims, p.work)
        kernels.columns(p.nodes, p.aims, p.work)

    return lambda: [step() for _ in range(CALLS)]


def _step(s: Skeleton) -> Callable[[], object]:
    model = Multibody.from_skeleton(s)
    stepper = Stepper(model, (), World(floor=None), settings=StepSettings(step=1 / 240, sleep=False))
    # Springs keep both from flying freely, where hinges are looked after more closely.
    stepper.inputs.set_joint_forces(np.full(model.nv, 0.1), np.zeros(model.nq), np.full(model.nv, 0.5))
    stepper.set_state(*model.state_from_pose(_pose(s), np.zeros(s.nq)))
    start = stepper.snapshot()

    def steps() -> None:
        stepper.restore(start)
        stepper.step(CALLS)

    return steps


def _dynamics(s: Skeleton) -> Callable[[], object]:
    model = Multibody.from_skeleton(s)
    x, v = model.state_from_pose(_pose(s), np.zeros(s.nq))
    return lambda: [model.forward_dynamics(x, v) for _ in range(CALLS)]
