"""Equations of locks in a simulation: derivatives, how exactly they hold while a figure falls, and what they cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation.ensemble import link
from core.animation.hybrid_strips import HybridStrip
from core.animation.script.script import Script, apply_script
from core.animation.sequence import Sequence
from core.constraints.equations import EquationResidual
from core.dynamics.constraints.situation import Situation
from core.preview.actor import Actor, merged
from core.preview.held_locks import Wanted
from core.preview.lock_equations import PoseEquation, equation_of
from core.preview.preview import Preview
from core.preview.sample import Sample
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton, load_skeleton
from tests.support.counts import few_of, is_quick

GRAVITY = np.array([0.0, -9.81, 0.0])
LINEAR = 'lock 0.5 * abdomen.bend = chest.bend; "left shank".flex = "right shank".flex'
CURVED = 'lock x("left hand")^2 + z("left hand")^2 = 0.1 + 0.3 * y("right hand")'


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.fixture(scope="module")
def woman(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "woman.scr")


def bent(s: Skeleton, seed: int = 3) -> np.ndarray:
    q, rng = s.rest_pose(), np.random.default_rng(seed)
    q[3:] = np.clip(q[3:] + rng.uniform(-0.15, 0.15, s.n_dofs), *(0.9 * s.limits).T)
    return q


def scripted(s: Skeleton, text: str, strips: tuple[HybridStrip, ...], q: np.ndarray | None = None) -> Sequence:
    made = Sequence(s, fps=24)
    for frame in (0, 48):
        made.set_key(frame, bent(s) if q is None else q)
    made.hybrid_strips = list(strips)
    found = apply_script(made, text, Script(), ids=("one", "two"))
    assert found.made.problems == ()
    made.locks.strips = found.strips
    return made


WHOLE = (HybridStrip((), 0, None),)
AIR = PhysicsSettings(floor=None)


def fallen(motion: Sequence, seconds: float, others: tuple[Sequence, ...] = ()) -> list[Sample]:
    preview = Preview(motion, 0, AIR, others=others)
    while not preview.samples or preview.samples[-1].time < seconds - 1e-9:
        preview.advance()
    return list(preview.samples)


def off(motion: Sequence, samples: list[Sample]) -> float:
    """Return how far off the equations are at most."""
    return max(
        float(np.abs(EquationResidual(strip.target_at(each.frame), motion.skeleton).value(each.q)).max())
        for each in samples
        for strip in motion.locks.strips
        if strip.covers(each.frame)
    )


# -- derivatives ---------------------------------------------------------------------------------------------------


def equations(human: Skeleton, woman: Skeleton) -> dict[str, tuple[PoseEquation, list[Actor]]]:
    found = {}
    for name, text in {
        "linear": LINEAR,
        "angles of balls": 'lock sin("left thigh".flex * pi/180) * 20 = neck.side + 0.1 * "left upper arm".out^2',
        "places": CURVED,
        "both": 'lock chest.bend = 100 * y("left hand") * x("right foot") + head.turn',
        "moving": "lock chest.bend + 3*frame^2 = abdomen.bend * t",
        "two figures": 'lock y("left hand") * chest.bend = z("woman.right hand") + woman.neck.bend',
    }.items():
        motions = [Sequence(human, fps=24), Sequence(woman, fps=24)]
        for motion in motions:
            motion.set_key(0, bent(motion.skeleton))
        link({"human": motions[0], "woman": motions[1]})
        made = apply_script(motions[0], text, Script()).made
        assert made.problems == ()
        strip = made.strips[0]
        assert strip is not None
        actors: list[Actor] = []
        for motion in motions:
            last = (actors[-1].bodies.stop, actors[-1].span.stop) if actors else (0, 0)
            actors.append(Actor(motion, (), 0.0, GRAVITY, *last))
        lock, later = strip.lock_at(2.0), strip.lock_at(2.1) if strip.moves else None
        wanted = Wanted(0, 0, lock, np.zeros(6), None, "one", False, later)
        found[name] = equation_of(wanted, 0, actors, {"woman": 1}, 0.5, 0.1 / 24), actors
    return found


def test_rows_are_the_derivatives_of_the_gap(human: Skeleton, woman: Skeleton) -> None:
    rng = np.random.default_rng(5)
    for name, (equation, actors) in equations(human, woman).items():
        model = merged(actors, [], GRAVITY)
        for share in few_of((0.0, 0.3, 0.9), 1):
            x = np.concatenate([a.figure.state(bent(a.sequence.skeleton, 7), a.model.nq) for a in actors])
            x = x + rng.normal(0.0, 0.05, model.nq)
            v, t = rng.normal(0.0, 1.0, model.nv), 0.5 + share * equation.lasts

            def rows(
                by: float, x: np.ndarray = x, v: np.ndarray = v, t: float = t, equation: PoseEquation = equation
            ) -> tuple[np.ndarray, ...]:
                return equation.rows(Situation(model, x + by * v, v, t))  # noqa: B023

            G, bias, gap, wanted = rows(0.0)
            assert G.shape == (len(gap), model.nv)
            step = 1e-6
            (ahead, behind) = rows(step), rows(-step)
            scale = 1.0 + np.abs(G @ v)
            assert np.abs((ahead[2] - behind[2]) / (2 * step) - G @ v).max() < 1e-6 * scale.max(), name
            curve = (ahead[0] @ v - behind[0] @ v) / (2 * step)
            assert np.abs(curve - bias).max() < 1e-4 * (1.0 + np.abs(curve).max()), name
            later = equation.rows(Situation(model, x, v, t + 1e-6))[2]
            assert (later - gap) / 1e-6 == pytest.approx(-wanted, abs=1e-4 * (1.0 + np.abs(wanted).max())), name


# -- how they hold ---------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_equations_hold_while_a_figure_falls_and_bring_no_energy(human: Skeleton) -> None:
    seconds = 0.06 if is_quick() else 0.5
    for text in (LINEAR, CURVED):
        motion = scripted(human, text, WHOLE)
        samples = fallen(motion, seconds)
        assert off(motion, samples) < 1e-6
        energy = np.array([each.kinetic + each.potential for each in samples])
        assert energy.max() <= energy[0] + 1e-3
        assert all(each.lock_residuals[0].acts for each in samples)
    again = fallen(scripted(human, text, WHOLE), seconds)
    assert np.array([each.q for each in samples]).tobytes() == np.array([each.q for each in again]).tobytes()


def test_between_joints_they_are_forces_within_the_figure(human: Skeleton) -> None:
    samples = fallen(scripted(human, LINEAR, WHOLE), 0.1 if is_quick() else 0.25)
    drop, time = samples[-1].center_of_mass - samples[0].center_of_mass, samples[-1].time
    step = 1.0 / 288.0  # velocities of its end
    assert drop == pytest.approx((0.0, -0.5 * 9.81 * time * (time + step), 0.0), abs=1e-5)
    assert np.abs(samples[-1].momentum[:3] - samples[0].momentum[:3]).max() < 1e-2


COORDINATES = st.sampled_from(
    ("chest.bend", "abdomen.side", "neck.bend", '"left thigh".flex', '"right upper arm".out', '"left shank".flex')
)
PLACES = st.sampled_from(('y("left hand")', 'x("right hand")', 'z("left foot")', "y(head)"))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """An equation, whose right side has a number that is still open."""
    a, b, c = draw(COORDINATES), draw(COORDINATES), draw(PLACES)
    k = draw(st.integers(-30, 30)) / 10.0
    form = draw(st.sampled_from(("{a} + {k} * {b}", "{a} + 0.02 * {a}^2 + {k} * {b}", "{c}^2 + 0.01 * {a}",
                                 "{a} + 20 * {k} * {c}", "20 * sin({a} * pi / 180) + {b} * {c}")))  # fmt: skip
    return form.format(a=a, b=b, c=c, k=k)


@pytest.mark.verify
@settings(max_examples=len(few_of(range(40), 3)), deadline=None, derandomize=True)
@given(text=texts())
def test_random_equations_hold_to_a_millionth(human: Skeleton, text: str) -> None:
    motion = scripted(human, f"lock {text} = 0", WHOLE)
    left = EquationResidual(motion.locks.strips[0].lock.target, human)
    made = float(np.degrees(left.value(bent(human))[0])) if left.angular else float(left.value(bent(human))[0])
    motion = scripted(human, f"lock {text} = {made!r}", WHOLE)
    samples = fallen(motion, 0.04 if is_quick() else 0.1)
    assert off(motion, samples) < 1e-6
    energy = np.array([each.kinetic + each.potential for each in samples])
    assert energy.max() <= energy[0] + 1e-3


@pytest.mark.verify
def test_targets_move_and_keys_may_lead(human: Skeleton) -> None:
    arm = (HybridStrip(("left upper arm", "left forearm", "left hand"), 0, None),)
    nod = scripted(human, 'lock "left forearm".flex = 40 + 8 * sin(2*pi*t)', arm)
    assert off(nod, fallen(nod, 0.06)) < 1e-6
    level = scripted(human, 'lock y("left hand") = y("right hand") + 0.05 from 0 ease in 1', arm)
    samples = fallen(level, 0.1 if is_quick() else 0.3)
    ends = [each for each in samples if each.frame > 2]
    assert ends
    assert off(level, ends) < 1e-6
    moving = {"left upper arm", "left forearm", "left hand"}
    keyed = [3 + k for k in range(human.n_dofs) if human.joints[human.dof_joints[k]].name not in moving]
    assert all(np.array_equal(each.q[keyed], level.pose_at_frame(each.frame)[keyed]) for each in samples)


@pytest.mark.verify
def test_what_cannot_be_held_and_what_is_soft_pulls_like_a_spring(human: Skeleton) -> None:
    far = scripted(human, 'lock "left shank".flex = 300 from 2 ease in 6', WHOLE)
    samples = fallen(far, 0.35 if is_quick() else 0.4)
    energy = np.array([each.kinetic + each.potential for each in samples])
    assert np.isfinite(energy).all() and energy.max() < energy[0] + 200.0
    knee = human.first_dof[human.joint_index("left shank")]
    low, high = human.limits[knee]
    assert all(low - 0.02 <= each.q[3 + knee] <= high + 0.02 for each in samples)
    firm, soft, none = (
        abs(fallen(scripted(human, text, WHOLE), 0.08)[-1].q[3 + human.first_dof[human.joint_index("chest")]])
        for text in ("lock chest.bend = 0 ease in 1", "lock chest.bend = 0 ease in 1 weight 0.3", "")
    )
    assert firm < 1e-6 < soft < none


@pytest.mark.verify
def test_an_equation_with_another_figure_acts_on_both(human: Skeleton, woman: Skeleton) -> None:
    lady = Sequence(woman, fps=24)
    q = bent(woman)
    q[2] += 1.0
    for frame in (0, 48):
        lady.set_key(frame, q)
    lady.hybrid_strips = list(WHOLE)
    man = scripted(human, "", WHOLE)
    link({"human": man, "woman": lady})
    man.locks.strips = apply_script(man, 'lock y("left hand") = y("woman.right hand")', Script(), ids=("one",)).strips
    samples = fallen(man, 0.08, (lady,))
    for each in samples:
        assert each.lock_residuals[0].acts and each.lock_residuals[0].position < 1e-6
