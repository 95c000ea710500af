"""Figures that fall: every step solves its program, nobody sinks, gains energy or creeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.skeleton.scr.reader import load_skeleton
from tests.support.contact_scenes import Depths, total
from tests.support.mujoco_figures import CMU, FRICTION, HUMANOID, MujocoFigure, load_mujoco_figure

STEP = 1.0 / 240.0
FEW, MANY = 1, 100


@pytest.fixture
def models(data_folder: Path) -> Path:
    """The folder of MuJoCo's figures, which MuJoCo itself reads."""
    pytest.importorskip("mujoco", reason="mujoco is not installed; `make verify` installs it")
    return data_folder / "models"


def of_mujoco(figure: MujocoFigure) -> Stepper:
    stepper = Stepper(
        figure.model, figure.geometries, World(floor=Floor(friction=FRICTION)), limits=figure.limits,
        armature=figure.armature, settings=StepSettings(step=STEP, sleep=False),
    )  # fmt: skip
    stepper.inputs.set_joint_forces(figure.stiffness, np.zeros(figure.model.nq), figure.damping)
    return stepper


class Fall:
    """What a fall was like.

    Args:
        stepper: In its start.
        shapes: That it carries.
        seconds: How long it falls and lies.
        stiffness: Of the springs in its joints.

    Attributes:
        kkt, fallbacks, left_out: As the steps tell, over all of them.
        deepest: Deepest point in the floor, [m].
        rise: Largest rise of energy in a step, [J].
        over: Farthest that a coordinate was beyond its limits.
        speed: Largest rate at the end.
    """

    def __init__(self, stepper: Stepper, shapes: tuple[Geometry, ...], seconds: float, stiffness: np.ndarray | float):
        floor = stepper.world.floor
        assert floor is not None
        self.kkt, self.fallbacks, self.left_out, self.deepest, self.rise = 0.0, 0, 0, -np.inf, -np.inf
        energy, depths = total(stepper, stiffness), Depths(shapes, floor)
        for _ in range(round(seconds / STEP)):
            report = stepper.step()
            self.kkt = max(self.kkt, report.kkt)
            self.fallbacks += report.fallbacks
            self.left_out += report.left_out
            now = total(stepper, stiffness)
            self.rise, energy = max(self.rise, now - energy), now
            self.deepest = max(self.deepest, depths.deepest(stepper.readings.body_poses()))
        x, v = stepper.state()
        assert np.isfinite(x).all() and np.isfinite(v).all()
        self.speed = float(np.abs(v).max())


@pytest.mark.parametrize("seed", range(FEW))
def test_the_humanoid_falls_and_comes_to_rest(models: Path, seed: int) -> None:
    figure = load_mujoco_figure(models / HUMANOID)
    stepper = of_mujoco(figure)
    stepper.set_state(*figure.start(np.random.default_rng(seed)))
    fall = Fall(stepper, figure.geometries, 10.0, figure.stiffness)
    check(fall)
    assert fall.speed <= 1e-4


def check(fall: Fall) -> None:
    assert fall.kkt <= 1e-8 and fall.fallbacks == 0 and fall.left_out == 0
    assert fall.deepest <= 0.002
    assert fall.rise <= 1e-3


@pytest.mark.verify
def test_the_humanoid_falls_a_hundred_times(models: Path) -> None:
    figure = load_mujoco_figure(models / HUMANOID)
    stepper = of_mujoco(figure)
    speeds = []
    for seed in range(MANY):
        stepper.set_state(*figure.start(np.random.default_rng(seed)))
        fall = Fall(stepper, figure.geometries, 10.0, figure.stiffness)
        check(fall)
        speeds.append(fall.speed)
    # Some still roll over, slowly, at that time.
    assert np.quantile(speeds, 0.9) <= 1e-4 and max(speeds) <= 0.5


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(4))
def test_a_figure_of_sixty_two_degrees_of_freedom_falls(models: Path, seed: int) -> None:
    figure = load_mujoco_figure(models / CMU)
    stepper = of_mujoco(figure)
    stepper.set_state(*figure.start(np.random.default_rng(seed)))
    fall = Fall(stepper, figure.geometries, 5.0, figure.stiffness)
    check(fall)


def human(skeletons_folder: Path, sleep: bool) -> tuple[Stepper, tuple[Geometry, ...]]:
    skeleton = load_skeleton(skeletons_folder / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    shapes = figure_geometries(skeleton, model)
    return Stepper(model, shapes, World(), settings=StepSettings(step=STEP, sleep=sleep)), shapes


def start_of_human(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.zeros(count)
    x[1], x[3:6] = 1.5, rng.normal(size=3)
    return x, np.zeros(count)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(FEW))
def test_the_human_falls_and_lies_still_or_sleeps(skeletons_folder: Path, seed: int) -> None:
    stepper, shapes = human(skeletons_folder, sleep=True)
    stepper.set_state(*start_of_human(seed, stepper.model.nq))
    fall = Fall(stepper, shapes, 10.0, 0.0)
    check(fall)
    assert stepper.asleep or fall.speed <= 2e-2


@pytest.mark.verify
def test_the_human_falls_a_hundred_times(skeletons_folder: Path) -> None:
    stepper, shapes = human(skeletons_folder, sleep=True)
    for seed in range(MANY):
        stepper.set_state(*start_of_human(seed, stepper.model.nq))
        fall = Fall(stepper, shapes, 10.0, 0.0)
        check(fall)
        assert stepper.asleep or fall.speed <= 2e-2, seed


def test_the_same_start_gives_the_same_bits(models: Path) -> None:
    figure = load_mujoco_figure(models / HUMANOID)
    ends = []
    for parts in ((240,), (1,) * 240, (7, 100, 133)):
        stepper = of_mujoco(figure)
        stepper.set_state(*figure.start(np.random.default_rng(5)))
        for count in parts:
            stepper.step(count)
        ends.append(np.concatenate(stepper.state()).tobytes())
    assert len(set(ends)) == 1
