"""Scenes that come with the program: they are what their script makes, and simulate cleanly."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Multibody, Scene, simulate
from core.errors import DynamicsError
from core.formats import load, project_to_json
from core.joints import Free, Revolute, Spherical
from core.preview.bake import bake, baked_values
from core.preview.preview import Preview
from core.preview.settings import PhysicsSettings

scenes = importlib.import_module("skeletons.making.scenes.make_scenes")

NAMES = tuple(scenes.SCENES)
CLEAN = 1e-8  # KKT residual


def opened(folder: Path, name: str) -> Preview:
    project = load(folder / "scenes" / f"{name}.seq")
    assert not project.warnings
    sequence, *others = project.sequences
    sequence.companions = {other.skeleton.name: other for other in others}
    start = min(strip.start for strip in sequence.hybrid_strips)
    return Preview(sequence, start, PhysicsSettings.from_record(project.physics), others=others)


def bits(preview: Preview) -> bytes:
    return b"".join(sample.q.tobytes() + sample.rates.tobytes() for sample in preview.samples)


def test_every_scene_is_there(skeletons_folder):
    assert {path.stem for path in (skeletons_folder / "scenes").glob("*")} == set(NAMES)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_scene_is_what_its_script_makes(skeletons_folder, name):
    made = project_to_json(scenes.project(scenes.SCENES[name]()))
    assert project_to_json(load(skeletons_folder / "scenes" / f"{name}.seq")) == made


def simulated(folder: Path, name: str, seconds: float) -> Preview:
    preview = opened(folder, name)
    count = round(seconds / preview.tick)
    for _ in range(count):
        preview.advance()
    samples = preview.samples
    assert len(samples) == count + 1
    assert all(np.isfinite(sample.q).all() and np.isfinite(sample.rates).all() for sample in samples)
    assert max(sample.kkt for sample in samples) <= CLEAN
    return preview


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", NAMES)
def test_a_scene_simulates_cleanly(skeletons_folder, name):
    preview = simulated(skeletons_folder, name, 0.2)
    moved = preview.samples[-1].q - preview.samples[0].q
    assert np.abs(moved).max() > 0.002  # something happens


@pytest.mark.verify
@pytest.mark.parametrize("name", NAMES)
def test_a_scene_does_the_same_twice(skeletons_folder, name):
    first, second = (simulated(skeletons_folder, name, 2.0) for _ in range(2))
    assert bits(first) == bits(second)


@pytest.mark.verify
@pytest.mark.parametrize("name", NAMES)
def test_whole_scenes_stay_clean_to_their_end(skeletons_folder, name):
    project = load(skeletons_folder / "scenes" / f"{name}.seq")
    first, last = project.sequences[0].range
    preview = simulated(skeletons_folder, name, (last - first) / project.sequences[0].fps)
    samples = preview.samples
    for lock in samples[-1].lock_residuals:
        assert lock.position < 5e-3
    if name in ("ragdoll", "stairs"):  # on the ground, whatever they fell over
        assert samples[-1].center_of_mass[1] < 0.6 and samples[-1].kinetic < 5.0


def test_three_bodies_are_those_of_hakenberg(skeletons_folder):
    """The file has all numbers; the bodies' own equations, from these, move as the preview does."""
    project = load(skeletons_folder / "scenes" / "three bodies.seq")
    (figure,) = project.figures
    settings = PhysicsSettings.from_record(project.physics)
    whole = Multibody.from_skeleton(figure)
    model = Multibody(whole.bodies, (0.0, -settings.gravity, 0.0))
    assert [body.inertia.mass for body in model.bodies] == [6.4, 2.4, 2.3]
    assert [type(body.joint) for body in model.bodies] == [Free, Revolute, Spherical]
    x, v = whole.state_from_pose(project.sequences[0].pose_at_frame(0), np.array(settings.start_rates))
    preview = simulated(skeletons_folder, "three bodies", 1.0)
    samples = preview.samples
    assert samples[0].rates == pytest.approx(settings.start_rates, abs=1e-12)
    motion = simulate(Scene(model, x, v), 1.0, preview.tick, "hakenberg")
    there = whole.pose_from_state(motion.x[-1], near=samples[-1].q)
    assert np.abs(there - samples[-1].q).max() < 1e-5
    momenta = np.array([sample.momentum for sample in samples])
    assert np.abs(momenta - momenta[0]).max() < 1e-9 * np.linalg.norm(momenta[0])
    energies = np.array([sample.kinetic for sample in samples])
    assert np.ptp(energies) < 1e-3 * energies[0]
    turned = np.array([sample.q[3:6] for sample in samples])
    assert np.ptp(turned, axis=0).max() > 0.5


def test_start_rates_do_not_count_where_keys_have_moved_the_figure(skeletons_folder):
    project = load(skeletons_folder / "scenes" / "three bodies.seq")
    settings = PhysicsSettings.from_record(project.physics)
    preview = simulated(skeletons_folder, "three bodies", 0.5)
    (sequence,) = project.sequences
    baked = baked_values(sequence, bake(preview.samples, sequence))
    sequence.set_keys(baked["keys"])
    sequence.hybrid_strips = baked["hybrid_strips"]
    end = preview.samples[-1].frame
    for frame in (end, end - 2.0):
        later = Preview(sequence, frame, settings).samples[0]
        by_keys = Preview(sequence, frame, replace(settings, start_rates=None)).samples[0]
        assert np.array_equal(later.rates, by_keys.rates) and np.array_equal(later.momentum, by_keys.momentum)
        assert np.abs(later.rates - settings.start_rates).max() > 0.1
    # And the keys say what was simulated. Two frames before their end, where curves are not bent by ending there.
    there = next(sample for sample in preview.samples if sample.frame == end - 2.0)
    assert np.abs(later.momentum - there.momentum).max() < 1e-3 * np.linalg.norm(there.momentum)


def test_start_rates_that_cannot_be_are_refused(skeletons_folder):
    project = load(skeletons_folder / "scenes" / "three bodies.seq")
    with pytest.raises(DynamicsError, match=r"start_rates .* list of finite numbers"):
        PhysicsSettings.from_record({"start_rates": [1.0, float("nan")]})
    with pytest.raises(DynamicsError, match='start_rates has 2 numbers; a pose of "three bodies" has 10'):
        Preview(project.sequences[0], 0, PhysicsSettings(start_rates=(1.0, 2.0)))
