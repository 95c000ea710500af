"""Simulations by a formulation and an integrator: as ``simulate`` has them, with keys, pulls and what is left out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock, bind
from core.dynamics import Multibody, Scene, redmax, simulate
from core.dynamics.contact.methods import CONTACT_METHODS
from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor
from core.dynamics.forces import JointDamping, JointSpring, JointTorque
from core.dynamics.formulations import FORMULATIONS
from core.dynamics.integrators import INTEGRATORS
from core.errors import DynamicsError
from core.formats import bundled_folder, load
from core.preview.method import Method, left_out, method_of
from core.preview.preview import Preview
from core.preview.rigid_bodies import PhysicsString
from core.preview.settings import PhysicsSettings
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.dof import HINGE

MAN = load_skeleton(bundled_folder() / "stickman.scr")
SPACE = PhysicsSettings(gravity=0.0, floor=None, integrator="rk4")
UP, ACROSS = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])


def arm(**physics: object) -> Skeleton:
    """Return a body that floats with a limb on a hinge, with some physics in it."""
    turn = tuple(Dof(HINGE, axis, -np.inf, np.inf) for axis in np.eye(3)[[1, 0, 2]])
    limb = Joint(
        "limb", 0, offset=0.3 * UP, dofs=(Dof(HINGE, ACROSS, -np.inf, np.inf),), mass=1.0, center=0.2 * UP,
        inertia=np.diag([0.02, 0.005, 0.02]), **physics,
    )  # fmt: skip
    body = Joint("body", -1, dofs=turn, mass=3.0, center=np.zeros(3), inertia=np.diag([0.05, 0.03, 0.06]))
    return Skeleton("arm", [body, limb])


def spinning(s: Skeleton) -> Sequence:
    """Return a motion of a figure that turns steadily about y and swings all that it has after that."""
    keys = []
    for frame in range(0, 31, 2):
        q = s.rest_pose()
        q[3:] += 0.01 * frame * np.arange(1, s.n_dofs + 1) / s.n_dofs
        keys.append(Key(frame, q))
    return Sequence(s, keys=keys)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", INTEGRATORS, ids=lambda kind: kind.name)
def test_what_is_shown_is_what_simulate_computes(kind):
    s = arm(stiffness=(3.0, 0.4), damping=0.02, motor=0.1)
    sequence = spinning(s)
    preview = Preview(sequence, 10, replace(SPACE, gravity=9.81, integrator=kind.name, formulation="redmax"))
    samples = preview.run(12)
    model = Multibody.from_skeleton(s, pose=sequence.pose_at_frame(10))
    first = samples[0]
    x, v = model.state_from_pose(first.q, first.rates)
    forces = (JointSpring("limb", 3.0, 0.4), JointDamping("limb", 0.02), JointTorque("limb", 0.1))
    found = simulate(Scene(model, x, v, forces), 2 / 30, 1 / 240, kind.name, "redmax")
    ends = found.x[[round(sample.time * 240) for sample in samples]]
    poses = np.array([model.pose_from_state(row, sample.q) for row, sample in zip(ends, samples, strict=True)])
    np.testing.assert_allclose([sample.q for sample in samples], poses, atol=1e-9)
    np.testing.assert_allclose(samples[-1].kinetic, found.energy[-1, 0], rtol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_all_formulations_show_the_same(formulation):
    sequence = spinning(arm(stiffness=(3.0, 0.4), viscous=0.02))
    chosen = [replace(SPACE, gravity=9.81, formulation=name) for name in ("recursive", formulation)]
    ends = [Preview(sequence, 10, settings).run(11)[-1].q for settings in chosen]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_free_motion_keeps_momentum_and_energy():
    preview = Preview(spinning(arm()), 10, SPACE)
    samples = preview.run(20)
    first, last = samples[0], samples[-1]
    np.testing.assert_allclose(last.momentum, first.momentum, atol=1e-9 * np.abs(first.momentum).max())
    assert last.kinetic == pytest.approx(first.kinetic, rel=1e-9) and first.kinetic > 1e-3
    assert np.abs(last.q - first.q).max() > 0.05


@pytest.mark.verify
def test_keys_move_what_they_move_and_the_rest_follows():
    sequence = spinning(MAN)
    sequence.hybrid_strips = [HybridStrip(("left arm", "left hand"), 10, 14, ease_out=0.0)]
    settings = replace(SPACE, gravity=9.81, integrator="linearly_implicit")
    preview = Preview(sequence, 8, settings)
    samples = preview.run(15)
    own = np.isin(np.array(MAN.dof_joints), [MAN.joint_index(name) for name in ("left arm", "left hand")])
    keyed = np.array([sequence.pose_at_frame(sample.frame) for sample in samples])
    off = np.abs([sample.q for sample in samples] - keyed)
    assert off[:, 3:][:, ~own].max() == 0.0 and off[:, :3].max() == 0.0
    inside = np.array([10 < sample.frame < 14 for sample in samples])
    assert off[~inside].max() < 1e-12 and off[inside][-1].max() > 0.03
    # The arm hangs on a body that is where its keys are, as the step of contacts has it: both are of first order.
    apart = []
    for step in (1 / 240, 1 / 480):
        ends = [
            Preview(sequence, 10, replace(settings, step=step, integrator=name)).run(12)[-1].q
            for name in ("linearly_implicit", "contact")
        ]
        apart.append(np.abs(ends[0] - ends[1]).max())
    assert apart[0] < 2.5e-3 and apart[1] == pytest.approx(0.5 * apart[0], rel=0.05)


def test_the_same_happens_again_and_a_rewind_goes_on_as_before():
    sequence, settings = spinning(arm(stiffness=(3.0, 0.4))), replace(SPACE, gravity=9.81)
    preview = Preview(sequence, 10, settings)
    first = [sample.q for sample in preview.run(16)]
    preview.rewind()
    again = [sample.q for sample in preview.run(16)]
    assert np.array_equal(first, again)
    preview.rewind(13)
    np.testing.assert_allclose([sample.q for sample in preview.run(16)], first, atol=1e-9)


@pytest.mark.verify
def test_pulls_throws_and_balls_do_what_they_do_to_the_step_of_contacts():
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    preview = Preview(sequence, 0, replace(SPACE, integrator="conserving"))  # however fast limbs whirl after a pull
    preview.pull("left hand", np.zeros(3), [3.0, 1.0, 0.0])
    assert preview.run(3)[-1].velocity[0] > 0.01
    preview.release()
    momentum = preview.samples[-1].momentum
    before = momentum[3:]
    preview.run(5)
    for part in (slice(0, 3), slice(3, 6)):
        size = np.linalg.norm(momentum[part])
        np.testing.assert_allclose(preview.samples[-1].momentum[part], momentum[part], atol=1e-12 * size)
    preview.throw(None, [0.0, 2.0, 0.0])
    assert preview.run(6)[-1].velocity[1] == pytest.approx(before[1] / MAN_MASS + 2.0, abs=0.05)
    preview.throw("left hand", [0.0, 0.0, 1.0])
    preview.drop_ball([2.0, 0.0, 0.0], velocity=[1.0, 0.0, 0.0])
    start = preview.samples[-1].time
    sample = preview.run(8)[-1]
    assert sample.velocity[2] > 1e-3
    assert sample.rigid_bodies[0][:3, 3] == pytest.approx([2.0 + sample.time - start, 0.0, 0.0], abs=1e-9)


MAN_MASS = Multibody.from_skeleton(MAN).mass


def test_what_is_left_out_is_listed():
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    sequence.hybrid_strips = [HybridStrip(("left arm",), 0, 20, "motor", ease_in=2, ease_out=4)]
    sequence.locks = [bind(Lock("left foot", "position"), MAN, MAN.rest_pose())]
    full = PhysicsSettings(
        obstacles=(BoxObstacle((1, 1, 1), position=(5, 0, 5)),),
        strings=(PhysicsString("left hand", (0, 3, 0), 1.0),), self_contact=True,
    )  # fmt: skip
    assert left_out(full, sequence) == Preview(sequence, 0, full).left_out == ()
    listed = left_out(replace(full, integrator="rk4"), sequence)
    assert listed == (
        "the floor", "1 obstacle", "1 string", "contact between bodies", "1 lock", "limits of joints", "motors to keys",
        "easing in", "the way back to keys",
    )  # fmt: skip
    assert "limits of joints" not in left_out(replace(full, integrator="linearly_implicit"), sequence)
    for mode, noun in (("limp", "damping by flesh"), ("brace", "bracing"), ("stumble", "stumbling")):
        directed = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
        directed.hybrid_strips = [HybridStrip((), 0, None, mode)]
        assert left_out(SPACE, directed)[-1] == noun and left_out(PhysicsSettings(), directed) == ()
    assert left_out(SPACE, Sequence(arm())) == ()
    sample = Preview(sequence, 0, replace(full, integrator="rk4")).run(1)[-1]
    assert [residual.acts for residual in sample.lock_residuals] == [False]


def test_limits_hold_where_the_integrator_takes_them():
    s = arm(motor=2.0)
    bound = Dof(HINGE, ACROSS, -0.1, 0.3)
    s = Skeleton("arm", [s.joints[0], replace(s.joints[1], dofs=(bound,))])
    sequence = Sequence(s, keys=[Key(0, s.rest_pose())])
    angles = {
        name: max(sample.q[6] for sample in Preview(sequence, 0, replace(SPACE, integrator=name)).run(9))
        for name in ("symplectic_euler", "linearly_implicit", "rk4")
    }
    assert angles["rk4"] > 1.0 and max(angles["symplectic_euler"], angles["linearly_implicit"]) < 0.3 + 1e-3


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", INTEGRATORS, ids=lambda kind: kind.name)
def test_keys_move_bodies_by_every_integrator_that_can_follow_them(kind):
    sequence = spinning(arm())
    sequence.hybrid_strips = [HybridStrip(("limb",), 10)]
    settings = replace(SPACE, integrator=kind.name)
    if kind.name in ("conserving", "hakenberg"):
        with pytest.raises(DynamicsError, match=f"{kind.label} takes no joints that keys move; make the whole figure"):
            Preview(sequence, 10, settings)
        return
    samples = Preview(sequence, 10, settings).run(13)
    keyed = np.array([sequence.pose_at_frame(sample.frame) for sample in samples])
    found = np.array([sample.q for sample in samples])
    assert np.abs(found - keyed)[:, :6].max() < 1e-12
    assert 1e-4 < np.abs(found - keyed)[-1, 6] < 0.1


@pytest.mark.parametrize("kind", INTEGRATORS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("bound", [False, True])
def test_what_a_method_works_by_is_known_before(kind, bound, monkeypatch):
    """The formulation that is said to count is the one that is asked for accelerations, or for matrices."""
    asked = []
    for name, compute in dict(FORMULATIONS).items():

        def spy(*given, name=name, compute=compute):
            asked.append(name)
            return compute(*given)

        monkeypatch.setitem(FORMULATIONS, name, spy)
    matrices = redmax.system

    def system(*given):
        asked.append("redmax")
        return matrices(*given)

    monkeypatch.setattr("core.dynamics.redmax.system", system)
    s = arm(motor=2.0)
    if bound:
        s = Skeleton("arm", [s.joints[0], replace(s.joints[1], dofs=(Dof(HINGE, ACROSS, -0.1, 0.3),))])
    sequence = Sequence(s, keys=[Key(0, s.rest_pose())])
    for chosen in ("redmax", "lagrangian"):
        settings = replace(SPACE, integrator=kind.name, formulation=chosen)
        found = method_of(settings, sequence)
        assert found.refusal == ""
        asked.clear()
        Preview(sequence, 0, settings).run(1)
        assert (chosen in asked) == (found.formulation == chosen)
        assert found.formulation in (chosen, "recursive", None)


@pytest.mark.verify
def test_what_is_refused_is_known_before():
    sequence, clavicle = spinning(arm()), Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    limb, body = HybridStrip(("limb",), 10, 20), HybridStrip(("body",), 10, 15)
    chain = load(bundled_folder() / "scenes" / "chain.seq").sequences
    cases = [
        (sequence, (), "conserving", ()),
        (sequence, (HybridStrip((), 10, 20),), "conserving", ()),  # it is over where keys move everything again
        (sequence, (limb,), "conserving", ()),
        (sequence, (limb,), "hakenberg", ()),
        (sequence, (limb,), "rk4", ()),
        (sequence, (limb, body), "conserving", ()),  # keys have the body back earlier than the limb
        (sequence, (), "conserving", (spinning(arm()),)),  # keys move the other figure
        (clavicle, (), "hakenberg", ()),
        (chain[0], chain[0].hybrid_strips, "hakenberg", ()),
    ]
    refused = []
    for motion, strips, integrator, others in cases:
        motion.hybrid_strips = strips
        settings = replace(SPACE, integrator=integrator)
        found = method_of(settings, motion, 10, others)
        why = ""
        try:
            Preview(motion, 10, settings, others=others).run(19)
        except DynamicsError as error:
            why = str(error)
        assert found.refusal == why
        refused.append(bool(why))
    assert refused == [False, False, True, True, False, True, True, True, True]
    assert method_of(PhysicsSettings(), sequence) == Method(None, "")
    clavicle.hybrid_strips, settings = (), replace(SPACE, integrator="rk4", formulation="hakenberg")
    refusal = method_of(settings, clavicle).refusal
    assert refusal.endswith("; choose another method")
    with pytest.raises(DynamicsError, match=re.escape(refusal)):  # rather than that the motion runs away
        Preview(clavicle, 0, settings)


# -- contacts by a method ----------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("formulation", ["recursive", "maximal"])
@pytest.mark.parametrize("method", [kind.name for kind in CONTACT_METHODS])
def test_a_figure_lands_on_the_floor_by_every_contact_method(method: str, formulation: str) -> None:
    shapes = arm()
    limb = replace(shapes.joints[1], tips=(0.4 * UP,))
    s = Skeleton("arm", [shapes.joints[0], limb])
    q = s.rest_pose()
    q[1], q[3:6] = 0.35, 0.0
    settings = replace(
        SPACE, gravity=9.81, floor=Floor(), integrator="linearly_implicit", formulation=formulation,
        contact_method=method,
    )  # fmt: skip
    sequence = Sequence(s, keys=[Key(0, q)])
    samples = Preview(sequence, 0, settings).run(12)
    step = Preview(sequence, 0, replace(settings, integrator="contact")).run(12)
    free = Preview(sequence, 0, replace(settings, contact_method="none")).run(12)[-1]
    assert samples[-1].q[1] > free.q[1] + 0.1 and not free.contacts.points.size
    assert abs(samples[-1].q[1] - step[-1].q[1]) < 0.03
    assert max(sample.contacts.ground[1] for sample in samples) > 0.0
    assert method_of(settings, sequence).formulation == formulation


def test_what_contact_methods_take_is_not_listed_as_left_out() -> None:
    s = arm(coulomb=(0.2, 0.02, 0.04))
    sequence = Sequence(s, keys=[Key(0, s.rest_pose())])
    settings = PhysicsSettings(
        integrator="linearly_implicit", contact_method="bisp", self_contact=True,
        obstacles=(BoxObstacle((0.4, 0.3, 0.4)),),
    )  # fmt: skip
    assert left_out(settings, sequence) == ()
    assert left_out(replace(settings, formulation="maximal"), sequence) == ("dry friction in joints",)
    assert left_out(replace(settings, contact_method="single_qp"), sequence) == ("dry friction in joints",)
    nothing = "the floor", "1 obstacle", "contact between bodies", "dry friction in joints"
    assert left_out(replace(settings, contact_method="none"), sequence) == nothing
    assert left_out(replace(settings, integrator="rk4"), sequence) == nothing


@pytest.mark.verify
def test_dry_friction_of_a_figure_acts_by_bisp_as_by_the_step_of_contacts() -> None:
    limb = arm(coulomb=(0.4, 0.05, 0.1))
    sequence = Sequence(limb, keys=[Key(0, limb.rest_pose())])
    sequence.hybrid_strips = [HybridStrip(("limb",), 0)]
    rates = np.zeros(len(limb.rest_pose()))
    rates[-1] = 3.0
    settings = replace(SPACE, gravity=9.81, integrator="linearly_implicit", start_rates=tuple(rates))
    ends = {
        name: Preview(sequence, 0, replace(settings, integrator=integrator, contact_method=method)).run(6)[-1].q[-1]
        for name, integrator, method in (
            ("bisp", "linearly_implicit", "bisp"), ("step", "contact", "none"), ("none", "linearly_implicit", "none"),
        )
    }  # fmt: skip
    assert ends["bisp"] == pytest.approx(ends["step"], abs=0.01)
    assert abs(ends["bisp"] - ends["none"]) > 0.03, "it brakes"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("friction", "moves"), [(0.02, True), (0.3, False)])
def test_a_linkage_with_dry_friction_goes_or_stands_alike_by_bisp_and_the_step_of_contacts(friction, moves) -> None:
    s = load_skeleton(bundled_folder() / "mechanisms" / "four bar.scr")
    rubbing = Skeleton(s.name, [replace(joint, coulomb=(friction, 0.02, 0.04)) for joint in s.joints], s.groups)
    sequence = Sequence(rubbing, keys=[Key(0, rubbing.rest_pose())])
    ways = PhysicsSettings(), PhysicsSettings(integrator="linearly_implicit", contact_method="bisp")
    ends = [Preview(sequence, 0, way).run(8)[-1].q - rubbing.rest_pose() for way in ways]
    free = Preview(Sequence(s, keys=[Key(0, s.rest_pose())]), 0).run(8)[-1].q - s.rest_pose()
    np.testing.assert_allclose(ends[0], ends[1], atol=0.05 * np.abs(free).max())
    assert (np.abs(ends[0]).max() > 0.5 * np.abs(free).max()) == moves
    assert np.abs(ends[0]).max() < 0.99 * np.abs(free).max()
