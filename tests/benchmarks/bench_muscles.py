"""The step of the human with ten muscles beside the step without: both fall on the floor and lie there.

Blocks of steps take turns in one process; ratios are of medians. Weak muscles let both move alike, so that the same
number of points touch. Strong ones move the human otherwise, into poses where other points touch and parts turn so fast
that steps are taken in parts. There each step is taken twice from the same state, contacts remembered and all: with the
muscles, and with what they do in this moment as torques in the joints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics import Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.formats.bundled import bundled_folder
from core.skeleton.scr.reader import load_skeleton
from tests.benchmarks.bench_contact import Stopwatch
from tests.benchmarks.timing import one_thread
from tests.support.human_muscles import ACROSS, WAYS, muscles

BLOCK, STARTS, SECONDS, FALLS = 10, 2, 4.0, 1.5
GATE = 1.2


def compare(forces: list[float]) -> dict[str, list[float]]:
    """Return medians of the time of a step, [s]: falling, lying.

    Without muscles; without the bound of energy either, which a step with springs has not; with muscles of each force;
    with those of the first force and two from branch to branch.
    """
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    geometries = figure_geometries(skeleton, model)
    sets = [[], [], *(muscles(model, force, WAYS) for force in forces), muscles(model, forces[0], WAYS | ACROSS)]
    steppers = [
        Stepper(model, geometries, World(), settings=StepSettings(sleep=False, keep_energy=k != 1), forces=own)
        for k, own in enumerate(sets)
    ]
    taken: dict[str, list[list[float]]] = {phase: [[] for _ in steppers] for phase in ("falling", "lying")}
    rng = np.random.default_rng(3)
    for _ in range(STARTS):
        x = np.zeros(model.nq)
        x[1], x[3:6] = 1.3, rng.normal(size=3)
        for stepper in steppers:
            stepper.set_state(x, np.zeros(model.nv))
        for block in range(round(SECONDS * 240 / BLOCK)):
            phase = "falling" if block * BLOCK / 240 < FALLS else "lying"
            for own, stepper in zip(taken[phase], steppers, strict=True):
                with Stopwatch() as watch:
                    stepper.step(BLOCK)
                own.append(watch.seconds / BLOCK)
    return {phase: [float(np.median(each)) for each in own] for phase, own in taken.items()}


class Twice(NamedTuple):
    """Seconds of a step, and what it was like, with muscles and with torques instead; means but for the seconds."""

    seconds: tuple[float, float]
    iterations: tuple[float, float]
    contacts: tuple[float, float]


def from_the_same_states(force: float) -> dict[str, Twice]:
    """Return what steps take, falling and lying, with ten muscles and with the same torques, each from one state."""
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    geometries, own = figure_geometries(skeleton, model), muscles(model, force, WAYS)
    with_them, instead = (
        Stepper(model, geometries, World(), settings=StepSettings(sleep=False, keep_energy=False), forces=own)
        for _ in range(2)
    )
    rows: dict[str, list[Array]] = {"falling": [], "lying": []}
    rng = np.random.default_rng(3)
    for _ in range(STARTS):
        x = np.zeros(model.nq)
        x[1], x[3:6] = 1.3, rng.normal(size=3)
        with_them.set_state(x, np.zeros(model.nv))
        for k in range(round(SECONDS * 240)):
            instead.restore(with_them.snapshot())
            with Stopwatch() as watch:
                report = with_them.step()
            memory = instead._built.memory
            memory.state.acting = memory.state.path_count = memory.state.applied_count = 0
            instead.inputs.set_joint_forces(torque=with_them._built.memory.applied)
            instead.inputs.note_kinds()  # which is looked at once, not in every step
            with Stopwatch() as other:
                like = instead.step()
            rows["falling" if k / 240 < FALLS else "lying"].append(
                np.array([watch.seconds, other.seconds, report.iterations, like.iterations, report.contacts,
                          like.contacts])
            )  # fmt: skip
    found = {}
    for phase, taken in rows.items():
        middle, mean = np.median(taken, axis=0).tolist(), np.mean(taken, axis=0).tolist()
        found[phase] = Twice((middle[0], middle[1]), (mean[2], mean[3]), (mean[4], mean[5]))
    return found


def run(report: Callable[..., None]) -> None:
    """Print times and ratios."""
    with one_thread():
        found = compare([1.0])
        same = {force: from_the_same_states(force) for force in (1.0, 3000.0)}
    for phase, (without, unbound, weak, across) in found.items():
        report(f"step of the human, {phase}", 1e6 * without, "us")
        report(f"with 10 muscles, {phase}, over that", weak / without, "", f"at most {GATE}")
        report("  over a step without the bound of energy", weak / unbound, "", f"at most {GATE}")
        report("  and two from branch to branch, over that", across / unbound, "")
    for force, phases in same.items():
        for phase, twice in phases.items():
            report(f"step with 10 muscles of {force:g} N, {phase}", 1e6 * twice.seconds[0], "us")
            report("  over the same torques from the same states", twice.seconds[0] / twice.seconds[1], "",
                   f"at most {GATE}")  # fmt: skip
            report("  iterations of the contact program", twice.iterations[0], "", f"{twice.iterations[1]:.3g} without")
            report("  contacts", twice.contacts[0], "", f"{twice.contacts[1]:.3g} without")
