"""Presets of physics: they are strong as people are, catch a push by a step, and guard the head in a fall."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from app.words.preset_words import PRESET_WORDS
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
from tests.support.counts import is_quick

GRAVITY = np.array([0.0, -9.81, 0.0])
PUSHED = 6  # sample
HEAVY = partial(pytest.param, marks=pytest.mark.verify)
DIRECTIONS = np.random.default_rng(13).uniform(0.0, 2.0 * np.pi, 12)


@cache
def skeleton(name: str = "human") -> Skeleton:
    return load_skeleton(bundled_folder() / f"{name}.scr")


@cache
def anatomy(name: str = "human") -> Anatomy:
    figure = skeleton(name)
    return Anatomy(Actor(Sequence(figure, keys=[Key(0, figure.rest_pose())]), (), 0.0, GRAVITY))


@cache
def _simulated(mode: str) -> Preview:
    figure = skeleton()
    sequence = Sequence(figure, keys=[Key(0, figure.rest_pose()), Key(120, figure.rest_pose())])
    sequence.hybrid_strips = [HybridStrip((), 0, None, mode)]
    return Preview(sequence, 0, PhysicsSettings())


def standing(mode: str) -> Preview:
    """Return the man as he begins to be moved; one for all tests of a mode, as it begins the same to the bit."""
    preview = _simulated(mode)
    preview.rewind()
    return preview


def push(preview: Preview, change: Array) -> None:
    """Strike the chest so that the velocity of the whole figure changes, [m/s]."""
    stage = preview._stage
    actor = stage.actors[0]
    body = actor.model.names.index("chest")
    arm = stage.stepper.readings.body_poses()[body, :3, :3] @ stage.model.bodies[body].inertia.center
    impulse = actor.model.mass * change
    stage.push(body, np.concatenate([np.cross(arm, impulse), impulse]))


def pushed(mode: str, speed: float, angle: float, seconds: float, until_head_hits: bool = False) -> list[Sample]:
    preview, head = standing(mode), skeleton().joint_index("head")
    for number in range(round(60 * seconds)):
        if number == PUSHED:
            push(preview, speed * np.array([np.sin(angle), 0.0, np.cos(angle)]))
        sample = preview.advance()
        if until_head_hits and head in sample.contacts.joints:
            break
    return preview.samples


def test_presets_are_modes_of_strips() -> None:
    assert [preset.name for preset in PRESETS] == [mode for mode in MODES if mode != DYNAMIC]
    assert [words.name for words in PRESET_WORDS] == [preset.name for preset in PRESETS]
    assert len({words.label for words in PRESET_WORDS}) == len(PRESETS)
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


@pytest.mark.parametrize("name", [HEAVY("horse"), HEAVY("spider"), "robot", "stickman"])
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


@pytest.mark.parametrize("mode", [HEAVY(LIMP), BRACE, HEAVY(STUMBLE)])
def test_torques_inside_keep_the_momentum(mode: str) -> None:
    """In free space nothing that a figure does moves its centre of mass or gives it spin."""
    figure = skeleton()
    bent = figure.rest_pose().copy()
    bent[3 + 12 :] += 0.2
    sequence = Sequence(figure, keys=[Key(0, figure.rest_pose()), Key(30, bent)])
    sequence.hybrid_strips = [HybridStrip((), 2, None, mode)]
    preview = Preview(sequence, 2, PhysicsSettings(gravity=0.0, floor=None))
    first = preview.samples[0].momentum
    for _ in range(5 if is_quick() else 20):
        sample = preview.advance()
        assert sample.momentum == pytest.approx(first, abs=2e-3 * max(1.0, float(np.abs(first).max())))


@pytest.mark.verify
@pytest.mark.parametrize("mode", [HEAVY(BRACE), STUMBLE])
def test_a_preset_repeats_to_the_bit_and_goes_on_from_where_it_was(mode: str) -> None:
    """From the start, and from the middle of a fall or a step, where the controller remembers what it does."""
    middle, last = 20, 26

    def bits() -> list[bytes]:
        return [sample.q.tobytes() + sample.momentum.tobytes() for sample in preview.samples]

    preview = standing(mode)
    for number in range(last):
        if number == PUSHED:
            push(preview, np.array([0.5, 0.0, 0.0]))
        preview.advance()
    once, minds, end = bits(), preview._moments[middle].minds, preview.samples[-1].q
    assert minds != preview._moments[0].minds
    found = []
    for _ in range(2):
        preview.rewind(preview.samples[middle].frame)
        while len(preview.samples) <= last:
            preview.advance()
        found.append(bits())
    assert found[0] == found[1] and found[0][: middle + 1] == once[: middle + 1]
    assert preview.samples[-1].q == pytest.approx(end, abs=5e-3)  # contacts begin anew
    preview.rewind()
    for number in range(10):
        if number == PUSHED:
            push(preview, np.array([0.5, 0.0, 0.0]))
        preview.advance()
    assert bits() == once[:11]


@pytest.mark.verify
def test_stumble_stands_where_limp_falls() -> None:
    assert pushed(STUMBLE, 0.0, 0.0, 5.0)[-1].center_of_mass[1] > 0.95
    assert pushed(LIMP, 0.0, 0.0, 1.0)[-1].center_of_mass[1] < 0.8


@pytest.mark.verify
def test_a_push_is_caught_by_a_step() -> None:
    feet = [skeleton().joint_index(f"{side} foot") for side in ("left", "right")]
    samples = pushed(STUMBLE, 0.3, 0.5 * np.pi, 0.75)
    places = np.array([forward_kinematics(skeleton(), sample.q)[feet, :3, 3] for sample in samples])
    rises = (places[:, :, 1] - places[0, :, 1]).max(axis=0)
    assert rises.max() > 0.04 and np.abs(places[-1, :, 0] - places[0, :, 0]).max() > 0.1, "no foot steps"
    assert samples[-1].center_of_mass[1] > 0.85 > pushed(LIMP, 0.3, 0.5 * np.pi, 0.75)[-1].center_of_mass[1]


@pytest.mark.verify
def test_most_pushes_are_caught() -> None:
    """Of pushes that change the velocity by 0.2 to 0.3 m/s at least 7 in 10 do not end in a fall."""
    up = 0
    for number, angle in enumerate(DIRECTIONS):
        samples = pushed(STUMBLE, 0.2 + 0.1 * number / (len(DIRECTIONS) - 1), float(angle), 2.5)
        up += samples[-1].center_of_mass[1] > 0.75
    assert up >= 0.7 * len(DIRECTIONS)


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


def spares_the_head(angle: float) -> None:
    limp = head_and_hands(pushed(LIMP, 1.0, angle, 2.0, until_head_hits=True))
    brace = head_and_hands(pushed(BRACE, 1.0, angle, 2.0, until_head_hits=True))
    assert brace[0] <= brace[1], angle
    assert brace[2] < limp[2], angle


@pytest.mark.verify
def test_a_brace_spares_the_head() -> None:
    """Thrown over backwards, it has its hands on the floor and its head off it when the limp one's head is down."""
    limp, brace = (head_and_hands(pushed(mode, 1.0, 0.75 * np.pi, 0.64)) for mode in (LIMP, BRACE))
    assert limp[1] < 0.64 and limp[2] > 3.0 and limp[0] > limp[1]
    assert brace[0] < 0.64 < brace[1]


@pytest.mark.verify
def test_a_brace_spares_the_head_in_every_direction() -> None:
    for angle in np.arange(8) * 0.25 * np.pi:
        spares_the_head(float(angle))
