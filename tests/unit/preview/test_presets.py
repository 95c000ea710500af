"""Presets of physics: they are strong as people are, catch a push by a step, and guard the head in a fall."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import BRACE, DYNAMIC, LIMP, MODES, STUMBLE, HybridStrip
from core.arrays import Array
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.actor import Actor
from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Situation
from core.preview.controllers.muscles import limited
from core.preview.presets import PRESETS
from core.preview.preview import Preview
from core.preview.sample import FREE, MOTORED, Sample
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3
from tests.support.counts import few_of

GRAVITY = np.array([0.0, -9.81, 0.0])
PUSHED = 6  # sample
DIRECTIONS = np.random.default_rng(13).uniform(0.0, 2.0 * np.pi, 12)


def skeleton(name: str = "human") -> Skeleton:
    return load_skeleton(bundled_folder() / f"{name}.scr")


def anatomy(name: str = "human") -> Anatomy:
    figure = skeleton(name)
    return Anatomy(Actor(Sequence(figure, keys=[Key(0, figure.rest_pose())]), (), 0.0, GRAVITY))


def standing(mode: str, gain: float = 1.0, seed: int = 0) -> Preview:
    figure = skeleton()
    sequence = Sequence(figure, keys=[Key(0, figure.rest_pose()), Key(120, figure.rest_pose())])
    sequence.hybrid_strips = [HybridStrip((), 0, None, mode, gain=gain)]
    return Preview(sequence, 0, PhysicsSettings(seed=seed))


def push(preview: Preview, change: Array) -> None:
    """Strike the chest so that the velocity of the whole figure changes, [m/s]."""
    stage = preview._stage
    actor = stage.actors[0]
    body = actor.model.names.index("chest")
    arm = stage.stepper.readings.body_poses()[body, :3, :3] @ stage.model.bodies[body].inertia.center
    impulse = actor.model.mass * change
    stage.push(body, np.concatenate([np.cross(arm, impulse), impulse]))


def pushed(mode: str, speed: float, angle: float, seconds: float, seed: int = 0) -> list[Sample]:
    preview = standing(mode, seed=seed)
    for number in range(round(60 * seconds)):
        if number == PUSHED:
            push(preview, speed * np.array([np.sin(angle), 0.0, np.cos(angle)]))
        preview.advance()
    return preview.samples


def test_presets_are_modes_of_strips() -> None:
    assert [preset.name for preset in PRESETS] == [mode for mode in MODES if mode != DYNAMIC]
    assert len({preset.label for preset in PRESETS}) == len(PRESETS)
    for preset in PRESETS:
        moved = standing(preset.name).advance().dynamic
        assert set(moved.tolist()) == {MOTORED if preset.motors else FREE}


def test_strength_is_that_of_the_measurements() -> None:
    man = anatomy()
    names = list(man.actor.model.names)
    weight = man.mass * 9.81 * man.height
    assert man.height == pytest.approx(1.74, abs=0.08) and man.mass == pytest.approx(73.0, abs=0.5)
    for name, axis, (most, least), within in (
        ("left shank", 0, (0.087, 0.163), 1e-12),  # knee: flexion, extension
        ("right thigh", 0, (0.113, 0.161), 1e-12),
        ("left foot", 0, (0.033, 0.095), 1e-12),
    ):
        assert man.limits[names.index(name), axis] == pytest.approx([most * weight, least * weight], rel=within)
    # In N m, against what was measured in men: neck 30 and 51, wrist 12.2 and 7.1, elbow 0.78 and 0.67 N m/kg.
    for name, torques in (
        ("head", (30, 51)), ("right hand", (12.2, 7.1)), ("left forearm", (57, 49)), ("left upper arm", (90, 100)),
    ):  # fmt: skip
        assert man.limits[names.index(name), 0] == pytest.approx(torques, rel=0.2), name


def test_directions_of_joints_are_those_of_anatomy() -> None:
    """Turning a joint a little about its axis of flexion moves what hangs on it where flexion does."""
    man = anatomy()
    model, names = man.actor.model, list(man.actor.model.names)
    for joint, moved, way in (
        ("left thigh", "left foot", (0, 0, 1)), ("right shank", "right foot", (0, 0, -1)),
        ("left upper arm", "left hand", (0, 0, 1)), ("right forearm", "right hand", (0, 0, 1)),
        ("abdomen", "head", (0, 0, 1)), ("right thigh", "right foot", (-1, 0, 0)),
    ):  # fmt: skip
        body = names.index(joint)
        axis = 1 if way[0] else 0
        x = man.rest.copy()
        man.put_turn(x, body, man.turn(body, x) @ so3.exp(0.1 * man.axes[body, axis]))
        went = model.body_poses(x)[names.index(moved), :3, 3] - man.rest_poses[names.index(moved), :3, 3]
        assert went @ np.array(way) > 0.8 * np.linalg.norm(went) > 0.005, joint


@pytest.mark.parametrize("name", ["horse", "spider", "robot", "stickman"])
def test_other_figures_have_some_strength(name: str) -> None:
    found = anatomy(name)
    turning = np.concatenate([own for b, own in enumerate(found.coordinates) if found.parents[b] >= 0])
    assert (found.strength[turning] > 0.0).all() and np.isfinite(found.strength).all()


def test_no_joint_gets_more_torque_than_it_has() -> None:
    man, random = anatomy(), np.random.default_rng(3)
    n, strength = man.actor.model.nv, 0.7
    for _ in range(20):
        x, v = man.rest + 0.3 * random.normal(size=n), random.normal(size=n)
        keyed = man.rest + random.normal(size=n), random.normal(size=n)
        now = Situation(
            0.0, 1 / 240, x, v, man.rest_poses, keyed, np.zeros(3), np.zeros(3), frozenset(), 9.81, strength
        )  # fmt: skip
        besides = 200.0 * random.normal(size=n)
        kp = 3.0 * man.strength
        given = limited(man, now, *keyed, kp, 0.1 * kp, besides)
        assert (given.kp <= kp).all() and (given.kp >= 0.0).all()
        share = man.share(given.torque, strength)
        factor = np.divide(given.kp, kp, out=np.ones(n), where=kp > 0.0)
        assert share.max() > 0.0 and (factor[man.strength > 0.0] < 1.0).any()
        alone = limited(man, now, x, v, np.zeros(n), np.zeros(n), besides)
        assert man.share(alone.torque, strength).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("mode", [LIMP, BRACE, STUMBLE])
def test_torques_inside_keep_the_momentum(mode: str) -> None:
    """In free space nothing that a figure does moves its centre of mass or gives it spin."""
    figure = skeleton()
    bent = figure.rest_pose().copy()
    bent[3 + 12 :] += 0.2
    sequence = Sequence(figure, keys=[Key(0, figure.rest_pose()), Key(30, bent)])
    sequence.hybrid_strips = [HybridStrip((), 2, None, mode)]
    preview = Preview(sequence, 2, PhysicsSettings(gravity=0.0, floor=None))
    first = preview.samples[0].momentum
    for _ in range(20):
        sample = preview.advance()
        assert sample.momentum == pytest.approx(first, abs=2e-3 * max(1.0, float(np.abs(first).max())))


def test_a_preset_repeats_to_the_bit_and_goes_on_from_where_it_was() -> None:
    preview = standing(STUMBLE, seed=4)
    once = [sample.q.copy() for sample in preview.run(8)]
    preview.rewind()
    assert all(np.array_equal(a, b.q) for a, b in zip(once, preview.run(8), strict=True))


def test_stumble_stands_where_limp_falls() -> None:
    assert standing(STUMBLE).run(24)[-1].center_of_mass[1] > 0.95
    assert standing(LIMP).run(24)[-1].center_of_mass[1] < 0.8


def test_most_pushes_are_caught_by_a_step() -> None:
    """Of pushes that change the velocity by 0.2 to 0.3 m/s at least 7 in 10 do not end in a fall."""
    angles = few_of(list(DIRECTIONS), 2)
    up = 0
    for number, angle in enumerate(angles):
        samples = pushed(STUMBLE, 0.2 + 0.1 * number / max(len(angles) - 1, 1), float(angle), 2.5)
        up += samples[-1].center_of_mass[1] > 0.75
    assert up >= 0.7 * len(angles)


def head_and_hands(samples: list[Sample]) -> tuple[float, float, float]:
    """Return when hands or forearms touch the floor, when the head does, [s], and how fast it comes down, [m/s]."""
    figure = skeleton()
    head = figure.joint_index("head")
    arms = {figure.joint_index(f"{side} {part}") for side in ("left", "right") for part in ("hand", "forearm")}
    touched, hit, speed, places = np.inf, np.inf, 0.0, []
    for sample in samples:
        places.append(forward_kinematics(figure, sample.q)[head, :3, 3])
        joints = set(sample.contacts.joints.tolist())
        if joints & arms:
            touched = min(touched, sample.time)
        if head in joints and hit == np.inf:
            way = np.diff(np.array(places[-4:]), axis=0)
            hit, speed = sample.time, float(np.linalg.norm(way, axis=1).max()) * 60.0
    return touched, hit, speed


def test_a_brace_spares_the_head() -> None:
    """Thrown over, hands or forearms touch the floor before the head does, which comes down slower than a limp one."""
    for angle in few_of([0.0, np.pi, 0.5 * np.pi, 0.25 * np.pi, 1.25 * np.pi], 1):
        limp = head_and_hands(pushed(LIMP, 1.0, angle, 2.0))
        brace = head_and_hands(pushed(BRACE, 1.0, angle, 2.0))
        assert brace[0] <= brace[1], angle
        assert brace[2] < limp[2], angle
