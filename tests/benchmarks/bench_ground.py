"""What ground of 20,000 triangles adds to a step: the man falls and lies on the floor, and on ground, by turns."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.dynamics import Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.formats.bundled import bundled_folder
from core.skeleton.scr.reader import load_skeleton
from core.terrain import Terrain, height_field
from tests.benchmarks.timing import one_thread

BLOCK, STARTS, SECONDS, FALLS = 20, 4, 6.0, 2.0
MOST = 1.3
"""A step on ground may take so many times that on the floor."""


def _field(rise: float) -> Terrain:
    """Return 20,000 triangles about the origin, level or of waves of 3 m."""
    x = 0.2 * (np.arange(101) - 50)
    X, Z = np.meshgrid(x, x, indexing="ij")
    return height_field(rise * np.sin(2.0 * np.pi * X / 3.0) * np.sin(2.0 * np.pi * Z / 3.0), 0.2, (x[0], x[0]))


def _times(steppers: list[Stepper]) -> np.ndarray:
    """Return seconds a step of each stepper in each block, falling and lying by turns, shape (steppers, starts, k)."""
    rng = np.random.default_rng(1)
    blocks = round(SECONDS * 240 / BLOCK)
    taken = np.zeros((len(steppers), STARTS, blocks))
    for start in range(STARTS):
        model = steppers[0].model
        x = np.zeros(model.nq)
        x[1], x[3:6] = 1.5, rng.normal(size=3)
        for stepper in steppers:
            stepper.set_state(x, np.zeros(model.nv))
        for k in range(blocks):
            for which, stepper in enumerate(steppers):
                begin = time.process_time()
                stepper.step(BLOCK)
                taken[which, start, k] = (time.process_time() - begin) / BLOCK
    return taken


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    shapes = figure_geometries(skeleton, model)
    worlds = {"floor": World(), "level ground": World(ground=_field(0.0)), "waves of 0.2 m": World(ground=_field(0.1))}
    steppers = [Stepper(model, shapes, world, settings=StepSettings(sleep=False)) for world in worlds.values()]
    with one_thread():
        for stepper in steppers:
            stepper.step()  # kernels are loaded at the first call
        taken = _times(steppers)
    fall = round(FALLS * 240 / BLOCK)
    for phase, part in (("falling", taken[..., :fall]), ("lying", taken[..., fall:])):
        base = float(part[0].mean())
        report(f"step of the man, {phase}, on the floor", 1e6 * base, "us")
        for name, own in zip(list(worlds)[1:], part[1:], strict=True):
            report(f"  ratio on {name}", float(own.mean()) / base, "", f"{MOST} at most is wanted")
