"""A swing never leaves its cone by more than a tenth of a degree: in inverse kinematics, between keys, in a fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import EASES, INTERPOLATIONS, Clip, Key, Sequence, Shape
from core.animation.breakdown import broken_down, leaned, neighbours, pushed
from core.animation.curves.timing_curves import TimingCurve
from core.animation.hybrid_strips import BRACE, MODES, STUMBLE, HybridStrip
from core.animation.resampling import resampled
from core.ik import SOLVERS, Goal, solve
from core.preview.preview import Preview
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_pose
from core.spatial import so3
from tests.support.coned import CLOSE, CONE, CONED, coned, inside, swings
from tests.support.counts import examples

FIGURE = coned()
PROFILE = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)


def posed(s: Skeleton, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
    """Return a pose inside all limits, many of its swings at the rim."""
    return clamp_pose(s, np.concatenate([rng.normal(size=3), rng.normal(0.0, spread, s.n_dofs)]))


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@PROFILE
@given(seed=SEEDS, far=st.floats(0.2, 3.0), turned=st.booleans())
def test_solvers(solver: str, seed: int, far: float, turned: bool) -> None:
    rng = np.random.default_rng(seed)
    q = posed(FIGURE, rng, 0.5)
    joint = FIGURE.joint_index(CONED[int(rng.integers(len(CONED)))])
    goal = Goal(joint, [0.0, 0.2, 0.0], rng.normal(size=3) * far, so3.exp(rng.normal(size=3)) if turned else None)
    for _ in range(3):
        q = solve(FIGURE, q, goal, solver, max_iterations=30).q
        assert inside(FIGURE, q), np.degrees(swings(FIGURE, q))


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_solvers_come_to_the_rim(solver: str) -> None:
    q = FIGURE.rest_pose()
    goal = Goal(FIGURE.joint_index("left arm"), [0.0, 0.3, 0.0], [1.2, -0.3, 0.9])
    for _ in range(20):
        q = solve(FIGURE, q, goal, solver, max_iterations=60).q
    assert CONE - np.radians(1.0) < swings(FIGURE, q)[0] <= CONE + CLOSE


def sequence_of(rng: np.random.Generator, *kinds: str) -> Sequence:
    """Return keys in random poses, interpolated each in one of some kinds, some with an ease of their own."""
    sequence, frame = Sequence(FIGURE), 0
    for _ in range(5):
        ease = EASES[str(rng.choice(list(EASES)))] if rng.random() < 0.5 else None
        shape = Shape(str(rng.choice(kinds)), turns=bool(rng.random() < 0.2), ease=ease)
        sequence.set_keys([*sequence.keys, Key(frame, posed(FIGURE, rng), shape=shape)])
        frame += int(rng.integers(2, 20))
    return sequence


def between(sequence: Sequence) -> np.ndarray:
    """Return how far swings go over a sequence, closely sampled and past its ends, [rad]."""
    last = sequence.keys[-1].frame
    return swings(FIGURE, sequence.poses_at_frames(np.linspace(-2.0, last + 2.0, 12 * last + 1)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", INTERPOLATIONS)
@PROFILE
@given(seed=SEEDS)
def test_between_keys(kind: str, seed: int) -> None:
    found = between(sequence_of(np.random.default_rng(seed), kind))
    assert found.max() <= CONE + CLOSE, np.degrees(found.max())


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS)
def test_between_keys_of_different_kinds(seed: int) -> None:
    sequence = sequence_of(np.random.default_rng(seed), *INTERPOLATIONS)
    assert between(sequence).max() <= CONE + CLOSE


@PROFILE
@given(seed=SEEDS, amount=st.floats(-1.0, 2.0))
def test_breakdowns(seed: int, amount: float) -> None:
    rng = np.random.default_rng(seed)
    sequence = sequence_of(rng, *INTERPOLATIONS)
    frame = int(rng.integers(1, sequence.keys[-1].frame))
    q = posed(FIGURE, rng)
    near = neighbours(sequence, frame)
    for made in (broken_down(near, q, amount), pushed(near, q, amount), leaned(near, q, min(amount, 1.0))):
        assert inside(FIGURE, made), np.degrees(swings(FIGURE, made))


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS)
def test_retimed_pasted_and_mirrored_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wide = coned(70.0)  # the same joints, so that its clips fit, and wider cones
    sequence = sequence_of(rng, *INTERPOLATIONS)
    last = sequence.keys[-1].frame
    sequence.timing.curves = {"left arm": TimingCurve(((0, 0), (last / 3, last / 2), (last, last)))}
    assert between(sequence).max() <= CONE + CLOSE
    assert between(resampled(sequence, 1, last - 1, 37.0)).max() <= CONE + CLOSE
    sequence.stretch(0, last, float(rng.uniform(1.0, 3.0)))
    assert between(sequence).max() <= CONE + CLOSE
    clip = Clip(tuple(Key(frame, posed(wide, rng)) for frame in (0, 4, 9)), 10)
    sequence.insert(last // 2, clip, make_room=True, flipped=bool(rng.random() < 0.5))
    assert between(sequence).max() <= CONE + CLOSE


_SLOW = (BRACE, STUMBLE)  # they look ahead again and again


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "mode", [pytest.param(each, marks=pytest.mark.verify if each in _SLOW else ()) for each in MODES]
)
@settings(max_examples=examples(25), deadline=None, derandomize=True, database=None)
@given(seed=SEEDS, frames=st.integers(3, 9))
def test_falls(mode: str, seed: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    first = posed(FIGURE, rng, 0.8)
    first[:3] = 0.0, 1.5, 0.0
    then = first + np.concatenate([np.zeros(3), rng.normal(0.0, 0.5, FIGURE.n_dofs)])
    sequence = Sequence(FIGURE)
    sequence.set_key(0, first)
    sequence.set_key(frames, clamp_pose(FIGURE, then))
    sequence.hybrid_strips = [HybridStrip(tuple(FIGURE.joint_names), 2, 100, mode)]
    found = swings(FIGURE, np.array([sample.q for sample in Preview(sequence, 0).run(90)]))
    assert found.max() <= CONE + CLOSE, np.degrees(found.max())
    assert found[4:].max() > CONE - np.radians(5.0)
