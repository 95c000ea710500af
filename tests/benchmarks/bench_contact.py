"""Steps with contacts beside MuJoCo's, of the same two figures from the same starts, and the human in real time.

Both fall on a level floor; nothing else touches. Blocks of steps take turns in one process; ratios are of medians.
MuJoCo solves with Newton and pyramidal cones. Falling is the first seconds of each start, lying the last ones; nobody
sleeps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from core.dynamics import Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.formats.bundled import bundled_folder
from core.skeleton.scr.reader import load_skeleton
from tests.benchmarks.timing import one_thread
from tests.conftest import DATA
from tests.support.mujoco_figures import CMU, FRICTION, HUMANOID, MujocoFigure, load_mujoco_figure

STEP, BLOCK = 0.005, 20
STARTS, SECONDS = 6, 10.0
FALLING, LYING = (0.0, 2.0), (6.0, 10.0)
GATE, REAL_TIME = 1.2, 50.0


class Stopwatch:
    """How long a ``with`` block takes: what this thread worked, if other programs interrupted it."""

    def __enter__(self) -> Stopwatch:
        self.start, self.busy = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = min(time.perf_counter() - self.start, time.thread_time() - self.busy)


@dataclass
class Times:
    """Seconds a step, by phase: of blocks in one call, and of single calls."""

    blocks: dict[str, list[float]] = field(default_factory=lambda: {"falling": [], "lying": []})
    calls: dict[str, list[float]] = field(default_factory=lambda: {"falling": [], "lying": []})
    contacts: list[int] = field(default_factory=list)


def ours(figure: MujocoFigure, **settings: float) -> Stepper:
    """Return a stepper of a figure of MuJoCo's, with its springs, dampers and armatures."""
    stepper = Stepper(
        figure.model, figure.geometries, World(floor=Floor(friction=FRICTION)), armature=figure.armature,
        limits=figure.limits, settings=StepSettings(step=STEP, sleep=False, **settings),
    )  # fmt: skip
    stepper.inputs.set_joint_forces(figure.stiffness, np.zeros(figure.model.nq), figure.damping)
    return stepper


def compare(figure: MujocoFigure, starts: int = STARTS, seconds: float = SECONDS) -> tuple[Times, Times]:
    """Return the times of our steps and of MuJoCo's."""
    import mujoco

    figure.theirs.opt.timestep = STEP
    stepper, data = ours(figure), mujoco.MjData(figure.theirs)
    times = Times(), Times()
    rng = np.random.default_rng(0)
    for _ in range(starts):
        x, v = figure.start(rng)
        stepper.set_state(x, v)
        mujoco.mj_resetData(figure.theirs, data)
        data.qpos[:], data.qvel[:] = figure.to_theirs(x, v)
        for block in range(round(seconds / STEP / BLOCK)):
            now = block * BLOCK * STEP
            phase = "falling" if now < FALLING[1] else "lying" if now >= LYING[0] else None
            single = bool(block % 2)
            spent = []
            for one, many in (
                (stepper.step, stepper.step),
                (lambda: mujoco.mj_step(figure.theirs, data), lambda n: mujoco.mj_step(figure.theirs, data, n)),
            ):
                with Stopwatch() as watch:
                    if single:
                        for _ in range(BLOCK):
                            one()
                    else:
                        many(BLOCK)
                spent.append(watch.seconds / BLOCK)
            if phase is not None:
                for own, taken in zip(times, spent, strict=True):
                    (own.calls if single else own.blocks)[phase].append(taken)
            if phase == "lying":
                times[0].contacts.append(stepper.step(0).contacts)
                times[1].contacts.append(int(data.ncon))
    return times


def human_in_real_time(sleep: bool, starts: int = 4, seconds: float = 10.0) -> tuple[float, float]:
    """Return how many seconds the human falls, the first 2.5 s, in a second; and falls and lies in all."""
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    stepper = Stepper(model, figure_geometries(skeleton, model), World(), settings=StepSettings(sleep=sleep))
    stepper.step()  # kernels are loaded at the first call
    rng = np.random.default_rng(1)
    taken: list[float] = []
    for _ in range(starts):
        x = np.zeros(model.nq)
        x[1], x[3:6] = 1.5, rng.normal(size=3)
        stepper.set_state(x, np.zeros(model.nv))
        for _ in range(round(seconds * 240 / BLOCK)):
            with Stopwatch() as watch:
                stepper.step(BLOCK)
            taken.append(watch.seconds / BLOCK)
    per = np.array(taken).reshape(starts, -1)
    fall = round(2.5 / seconds * per.shape[1])
    return float(1.0 / 240.0 / per[:, :fall].mean()), float(1.0 / 240.0 / per.mean())


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with one_thread():
        for name, file in (("27", HUMANOID), ("62", CMU)):
            figure = load_mujoco_figure(DATA / "models" / file)
            own, theirs = compare(figure)
            for phase in ("falling", "lying"):
                for kind, a, b in (
                    (f"{BLOCK} steps a call", own.blocks[phase], theirs.blocks[phase]),
                    ("one step a call", own.calls[phase], theirs.calls[phase]),
                ):
                    report(f"step of {name} degrees of freedom, {phase}, {kind}", 1e6 * float(np.median(a)), "us")
                    report("  mj_step", 1e6 * float(np.median(b)), "us")
                    note = f"{GATE} at most is wanted"
                    report("  ratio", float(np.median(a) / np.median(b)), "", note)
            report(f"contacts of {name} degrees of freedom, lying", float(np.mean(own.contacts)), "")
            report("  MuJoCo's", float(np.mean(theirs.contacts)), "")
        for sleep in (False, True):
            falling, all_of_it = human_in_real_time(sleep)
            rests = "asleep when it rests" if sleep else "always awake"
            report(f"the human falls for 2.5 s, {rests}, seconds in a second", falling, "x")
            report("  and for 10 s", all_of_it, "x", f"{REAL_TIME:g} at least is wanted")
