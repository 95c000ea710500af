"""Deformable bodies of mass points and springs: momentum, energy, attached nodes, closed forms, and equation 2.92."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy

from core.dynamics import FORMULATIONS, Body, Multibody, Scene, newton_euler, redmax, simulate
from core.dynamics.constraints import LoopClosure
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.world import World
from core.dynamics.deformable import Attachment, Deformable, DeformableModel, lattice, strand, with_deformables
from core.dynamics.deformable import springs as node_springs
from core.dynamics.forces import Derivatives, Load
from core.dynamics.state import State
from core.errors import DynamicsError
from core.joints import Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3, so3

Array = np.ndarray
NOTHING = Multibody([Body("post", -1, Revolute((0, 0, 1)), inertia=SpatialInertia.sphere(1.0, 0.1))])


def arm(gravity: Sequence[float] = (0.0, -9.81, 0.0), kinds: tuple = (Revolute((0, 0, 1)), Spherical())) -> Multibody:
    """Two bars, the second at the end of the first."""
    bar = SpatialInertia.box(2.0, (0.4, 0.1, 0.05), center=(0.2, 0, 0))
    ends = [Body("upper", -1, kinds[0], inertia=bar)]
    ends += [Body("lower", 0, kinds[1], X_PJ=se3.transform(translation=(0.4, 0, 0)), inertia=bar)]
    return Multibody(ends, gravity)


def tail(model: Multibody, x: Array, **more: object) -> Deformable:
    """A strand that hangs from the tip of the second bar and whose fourth node is tied to the first bar."""
    tip = model.body_poses(x)[1] @ (0.4, 0.0, 0.0, 1.0)
    points = tip[:3] + np.outer(np.arange(5), (0.02, -0.1, 0.03))
    made = strand("tail", points, mass=0.5, stretch=40.0, bend=3.0, damping=0.01, **more)  # type: ignore[arg-type]
    return made.attach(model, x, {0: "lower", 3: "upper"})


@pytest.fixture
def hung() -> DeformableModel:
    model = arm()
    x = np.array([-0.3, 0.4, -0.2, 0.5])
    cushion = lattice(
        "cushion", (0, 0.5, 0), np.diag([0.2, 0.1, 0.1]), (3, 2, 2), mass=0.3, stiffness=30.0, damping=0.1
    )
    cushion = cushion.attach(model, x, {0: "world", 1: "upper"})
    return with_deformables(model, x, [tail(model, x), cushion], v=[1.0, -0.5, 0.3, 2.0])


def shaken(made: DeformableModel, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return made.x + 0.03 * rng.normal(size=made.model.nq), made.v + 0.3 * rng.normal(size=made.model.nv)


def loads(made: DeformableModel, state: State) -> Load:
    load = Load(made.model)
    for force in made.forces:
        force.add(state, load)
    return load


def literally(rigid: Multibody, deformables: Sequence[Deformable], x: Array, v: Array) -> Array:
    """Accelerations by 2.89 to 2.92 as they stand: J_MR and its rate on bodies, attached and free nodes."""
    nv = rigid.nv
    state = State(rigid, x[:nv], v[:nv])
    J_mr, Jdot_mr = redmax.jacobian(rigid, state.motion), redmax.jacobian_rate(rigid, state.motion)
    blocks = newton_euler.body_inertias(rigid)
    R_all = state.poses[:, :3, :3]
    f_m = newton_euler.forces(blocks, state.twists, R_all, rigid.gravity).ravel()
    rows, rates = [np.hstack([J_mr, np.zeros((len(J_mr), len(x) - nv))])], []
    rates.append(np.hstack([Jdot_mr, np.zeros((len(J_mr), len(x) - nv))]))
    masses, forces = [scipy.linalg.block_diag(*blocks)], [f_m]
    at = nv
    for body in deformables:
        n = len(body.points)
        p, u = np.zeros((2, n, 3))
        for k in range(n):
            J, Jdot = np.zeros((2, 3, len(x)))
            if k in body.attached:
                i, point = body.attached[k]
                p[k] = point
                if i != -1:
                    X = state.poses[int(i)]
                    gamma = X[:3, :3] @ np.hstack([-so3.hat(np.array(point)), np.eye(3)])
                    own = slice(6 * int(i), 6 * int(i) + 6)
                    spin = X[:3, :3] @ so3.hat(state.twists[int(i), :3])
                    J[:, :nv] = gamma @ J_mr[own]
                    Jdot[:, :nv] = spin @ np.hstack([-so3.hat(np.array(point)), np.eye(3)]) @ J_mr[own]
                    Jdot[:, :nv] += gamma @ Jdot_mr[own]
                    p[k] = X[:3, :3] @ point + X[:3, 3]
            else:
                J[:, at : at + 3] = np.eye(3)
                p[k] = x[at : at + 3]
                at += 3
            u[k] = J @ v
            rows.append(J)
            rates.append(Jdot)
            masses.append(body.masses[k] * np.eye(3))
        pull = np.zeros((n, 3))
        for m, (i, j) in enumerate(body.pairs.tolist()):
            d = p[j] - p[i]
            size, L = np.linalg.norm(d), body.lengths[m]
            force = body.stiffness[m] * (size - L) / L / L + body.damping[m] * d @ (u[j] - u[i]) / size
            pull[i] += force * d / size
            pull[j] -= force * d / size
        forces.append((pull + body.masses[:, None] * rigid.gravity).ravel())
    J_MR, Jdot_MR = np.vstack(rows), np.vstack(rates)
    M_M = scipy.linalg.block_diag(*masses)
    M = J_MR.T @ M_M @ J_MR
    return np.linalg.solve(M, J_MR.T @ (np.concatenate(forces) - M_M @ Jdot_MR @ v))


@pytest.mark.parametrize("formulation", [name for name in FORMULATIONS if name != "hakenberg"])
def test_every_formulation_gives_equation_2_92(hung: DeformableModel, formulation: str) -> None:
    x, v = shaken(hung)
    load = loads(hung, State(hung.model, x, v))
    vdot = hung.model.forward_dynamics(x, v, load.tau, formulation, wrenches=load.wrenches)
    wanted = literally(arm(), [force.body for force in hung.forces], x, v)
    np.testing.assert_allclose(vdot, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_linearly_implicit_steps_of_redmax_and_the_recursion_agree(hung: DeformableModel) -> None:
    x, v = shaken(hung)
    scene = Scene(hung.model, x, v, hung.forces)
    ends = [simulate(scene, 0.1, 0.01, formulation=name).x[-1] for name in ("redmax", "recursive", "maximal")]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    np.testing.assert_allclose(ends[2], ends[1], atol=1e-9)


def test_forces_are_the_slopes_of_the_energy(hung: DeformableModel) -> None:
    made = hung._replace(forces=tuple(type(f)(replace(f.body, damping=0.0), f.first) for f in hung.forces))
    x, v = shaken(made)
    state, h = State(made.model, x, v), 1e-6
    tau = loads(made, state).generalized(made.model, x)
    slope = [
        sum(f.energy(State(made.model, x + h * e, v)) - f.energy(State(made.model, x - h * e, v)) for f in made.forces)
        / (2.0 * h)
        for e in np.eye(made.model.nv)
    ]
    np.testing.assert_allclose(tau, -np.array(slope), atol=1e-6)


def test_derivatives_are_those_of_differences(hung: DeformableModel) -> None:
    """All of them together, carried to the coordinates, where no joint's own Jacobian changes: of a free body."""
    model = Multibody([Body("ball", -1, Free(), inertia=SpatialInertia.sphere(1.0, 0.2))])
    x0 = np.zeros(6)
    cloth = lattice("cloth", (0.1, 0, 0), [(0.2, 0, 0.1), (0, 0.2, 0)], (2, 2), mass=0.3, stiffness=5.0, damping=0.3)
    made = with_deformables(model, x0, [cloth.attach(model, x0, {0: "ball", 1: "ball", 3: "world"})])
    force, n = type(made.forces[0])(made.forces[0].body, 1, exact=True), made.model.nv
    rng = np.random.default_rng(2)
    x = made.x + np.concatenate([np.zeros(6), 0.05 * rng.normal(size=n - 6)])
    v = rng.normal(size=n)
    derivatives = Derivatives(made.model)
    state = State(made.model, x, v)
    force.differentiate(state, derivatives)
    J = state.jacobian
    K = derivatives.joint_stiffness.dense()
    D = derivatives.joint_damping.dense()
    for total, terms in ((K, derivatives.body_stiffness), (D, derivatives.body_damping)):
        for (a, b), term in terms.items():
            total += J[6 * a : 6 * a + 6].T @ term @ J[6 * b : 6 * b + 6]

    def generalized(at: State) -> Array:
        load = loads(made, at)
        return load.tau + state.jacobian.T @ load.wrenches.ravel()

    h = 1e-6
    for k, e in enumerate(np.eye(n)):
        faster, slower = State(made.model, x, v + h * e), State(made.model, x, v - h * e)
        np.testing.assert_allclose((generalized(faster) - generalized(slower)) / (2 * h), -D[:, k], atol=1e-7)
        if k >= 6:
            there, back = State(made.model, x + h * e, v), State(made.model, x - h * e, v)
            np.testing.assert_allclose((generalized(there) - generalized(back)) / (2 * h), K[:, k], atol=1e-6)
    # Displacements of the ball, while the twists stay what they are in its axes.
    for k, e in enumerate(np.eye(6)):
        sides = []
        for sign in (-1.0, 1.0):
            at = State(made.model, x, np.concatenate([np.zeros(6), v[6:]]))
            at.poses = state.poses.copy()
            at.poses[0] = state.poses[0] @ se3.exp(sign * h * e)
            sides.append(loads(made, at).wrenches[0])
        still = Derivatives(made.model)
        force.differentiate(State(made.model, x, np.concatenate([np.zeros(6), v[6:]])), still)
        np.testing.assert_allclose((sides[1] - sides[0]) / (2 * h), still.body_stiffness[0, 0][:, k], atol=1e-6)


def test_an_attached_node_follows_its_body(hung: DeformableModel) -> None:
    motion = simulate(Scene(hung.model, hung.x, hung.v, hung.forces), 0.3, 0.01)
    body = hung.forces[0].body
    for row in motion.x:
        nodes, poses = hung.nodes(0, row), hung.model.body_poses(row)
        for k, (i, point) in body.attached.items():
            np.testing.assert_allclose(nodes[k], (poses[int(i)] @ (*point, 1.0))[:3], atol=1e-14)
        np.testing.assert_allclose(hung.nodes(1, row)[0], (0, 0.5, 0), atol=1e-14)


def floating(damping: float = 0.0) -> DeformableModel:
    """A block of rubber in free flight with a ball in it."""
    model = Multibody([Body("ball", -1, Free(), inertia=SpatialInertia.sphere(1.0, 0.1))], gravity=(0, 0, 0))
    block = lattice("block", (0, 0, 0), np.diag([0.3, 0.2, 0.2]), (3, 3, 3), mass=2.0, stiffness=60.0, damping=damping)
    x = np.array([0.15, 0.1, 0.1, 0.0, 0.0, 0.0])
    block = replace(block, attached={13: Attachment(0, (0.0, 0.0, 0.0)), 14: Attachment(0, (0.0, 0.0, 0.1))})
    return with_deformables(model, x, [block], v=[0.3, 0.2, -0.1, 1.0, 2.0, 3.0])


@pytest.mark.verify
def test_springs_inside_keep_momentum() -> None:
    made = floating(0.02)
    motion = simulate(Scene(made.model, made.x, made.v, made.forces), 0.1, 1e-3, "rk4")
    size = np.abs(motion.momentum[0]).max()
    assert np.ptp(motion.momentum, axis=0).max() < 1e-8 * size
    alone = lattice("alone", (0, 0, 0), np.diag([0.3, 0.2, 0.2]), (3, 2, 2), mass=2.0, stiffness=60.0)
    spun = with_deformables(Multibody([*NOTHING.bodies], gravity=(0, 0, 0)), [0.0], [alone])
    v = np.concatenate([[0.0], np.cross((1.0, 2.0, 3.0), alone.points - alone.points.mean(axis=0)).ravel()])
    motion = simulate(Scene(spun.model, spun.x, v, spun.forces), 0.5, 2e-3, "symplectic_euler")
    assert np.ptp(motion.momentum, axis=0).max() < 1e-13


@pytest.mark.verify
def test_dampers_take_energy_and_springs_keep_it() -> None:
    kept, braked = (floating(damping) for damping in (0.0, 0.02))
    v = shaken(kept)[1]
    kept_energy = simulate(Scene(kept.model, kept.x, v, kept.forces), 0.1, 1e-3, "rk4").energy.sum(axis=1)
    assert np.ptp(kept_energy) < 1e-5 * kept_energy[0]
    for name in ("rk4", "linearly_implicit"):
        energy = simulate(Scene(braked.model, braked.x, v, braked.forces), 0.1, 2e-3, name).energy.sum(axis=1)
        assert (np.diff(energy) <= 1e-12).all() and energy[-1] < 0.99 * energy[0]


def settled(body: Deformable, seconds: float = 6.0) -> Array:
    """Places of the nodes when all is at rest."""
    made = with_deformables(NOTHING, [-0.5 * np.pi], [body])
    motion = simulate(Scene(made.model, made.x, made.v, made.forces), seconds, 0.02)
    assert np.abs(motion.v[-1]).max() < 1e-6
    return made.nodes(0, motion.x[-1])


def test_a_hanging_strand_stretches_by_the_weight_below() -> None:
    links, mass, stretch = 8, 0.4, 30.0
    rope = strand("rope", [(0, 0, 0), (0, -0.8, 0)], mass=mass, stretch=stretch, damping=0.3, links=links)
    nodes = settled(replace(rope, attached={0: Attachment("world", (0.0, 0.0, 0.0))}))
    below = 9.81 * (mass - mass * (np.arange(links) + 0.5) / links)  # half a link's mass hangs on the upper node
    np.testing.assert_allclose(-np.diff(nodes[:, 1]), 0.1 * (1.0 + below / stretch), atol=1e-7)
    # Of many links it is the m g L / (2 E A) of a rod that hangs by its weight.
    assert -nodes[-1, 1] - 0.8 == pytest.approx(mass * 9.81 * 0.8 / (2.0 * stretch), rel=1e-6)


@pytest.mark.verify
def test_a_strand_between_two_posts_is_a_catenary() -> None:
    links, length, span = 30, 1.5, 1.0
    way = [(0, 0, 0), (0.5 * span, -0.5 * np.sqrt(length**2 - span**2), 0), (span, 0, 0)]
    rope = strand("rope", way, mass=0.5, stretch=3e4, damping=0.05, links=links)
    ends = {0: Attachment(-1, (0.0, 0.0, 0.0)), links: Attachment(-1, (span, 0.0, 0.0))}
    nodes = settled(replace(rope, attached=ends), 14.0)
    a = scipy.optimize.brentq(lambda a: 2.0 * a * np.sinh(0.5 * span / a) - length, 0.05, 10.0)
    expected = a * np.cosh((nodes[:, 0] - 0.5 * span) / a) - a * np.cosh(0.5 * span / a)
    assert np.abs(nodes[:, 1] - expected).max() < 2e-3 * length


def test_stiff_springs_are_stable_in_large_steps() -> None:
    rope = strand("rope", [(0, 0, 0), (1, 0, 0)], mass=0.1, stretch=1e6, damping=1e-3, links=10)
    made = with_deformables(NOTHING, [0.0], [replace(rope, attached={0: Attachment(-1, (0.0, 0.0, 0.0))})])
    motion = simulate(Scene(made.model, made.x, made.v, made.forces), 1.0, 1.0 / 60.0)
    lengths = np.linalg.norm(np.diff([made.nodes(0, row) for row in motion.x], axis=1), axis=2)
    assert np.abs(lengths - 0.1).max() < 0.01
    assert motion.energy[-1].sum() < -0.2  # m g l / 2 is 0.49 J: steps this long take much, and add nothing in the end


def test_they_touch_and_close_loops_as_bodies_do() -> None:
    cloth = lattice("cloth", (0, 0.1, 0), [(0.2, 0, 0), (0, 0, 0.2)], (3, 3), mass=0.2, stiffness=20.0, damping=0.1)
    made = with_deformables(NOTHING, [0.0], [cloth])
    contacts = Contacts(made.geometries(), World())
    motion = simulate(Scene(made.model, made.x, made.v, made.forces, contacts), 0.5, 1.0 / 120.0, "contact")
    assert made.nodes(0, motion.x[-1])[:, 1].min() > 0.005
    tied = LoopClosure("cloth 0", (0, 0, 0), "world", cloth.points[0])
    motion = simulate(Scene(made.model, made.x, made.v, made.forces, constraints=(tied,)), 0.2, 0.01)
    assert np.abs(made.nodes(0, motion.x[-1])[0] - cloth.points[0]).max() < 1e-9


def test_lattices_and_strands_have_each_spring_once() -> None:
    block = lattice("block", (0, 0, 0), np.eye(3), (3, 4, 2), mass=1.0, stiffness=1.0)
    pairs = {tuple(sorted(pair)) for pair in block.pairs.tolist()}
    near = {
        (i, j)
        for i in range(24)
        for j in range(i)
        if (np.abs(np.subtract(np.unravel_index(i, (3, 4, 2)), np.unravel_index(j, (3, 4, 2)))) <= 1).all()
    }
    assert len(pairs) == len(block.pairs) and {(j, i) for i, j in near} == pairs
    assert block.masses.sum() == pytest.approx(1.0)
    edge = lattice("line", (0, 0, 0), [(1, 0, 0)], (4,), mass=1.0, stiffness=2.0, shear=0.0)
    assert edge.pairs.tolist() == [[0, 1], [1, 2], [2, 3]] and edge.stiffness == pytest.approx([2 / 3] * 3)
    rope = strand("rope", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], mass=1.0, stretch=5.0, bend=1.0, links=4)
    assert rope.masses == pytest.approx([1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8]) and len(rope.pairs) == 7


def test_blocks_without_what_pushes_are_positive() -> None:
    rng = np.random.default_rng(4)
    rope = strand("rope", [(0, 0, 0), (1, 0, 0)], mass=1.0, stretch=5.0, damping=0.1, links=6)
    now = node_springs.stretch(rope, rope.points * 0.7 + 0.02 * rng.normal(size=(7, 3)), rng.normal(size=(7, 3)))
    assert (now.elastic < 0.0).any()
    blocks = node_springs.stiffness_blocks(rope, now, steady=True)
    assert np.linalg.eigvalsh(blocks).min() > -1e-12


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: strand("s", [(0, 0, 0)], mass=1.0, stretch=1.0), "k at least 2"),
        (lambda: strand("s", [(0, 0, 0), (0, 0, 0)], mass=1.0, stretch=1.0), "at one place"),
        (lambda: strand("s", [(0, 0, 0), (1, 0, 0)], mass=1.0, stretch=1.0, links=0), "0 links"),
        (lambda: strand("s", [(0, 0, 0), (1, 0, 0)], mass=0.0, stretch=1.0), "node 0 is free and has no mass"),
        (lambda: strand("s", [(0, 0, 0), (1, 0, 0)], mass=1.0, stretch=-1.0), "stiffness -1 makes no sense"),
        (lambda: strand("s", [(0, 0, 0), (1, 0, float("nan"))], mass=1.0, stretch=1.0), "nan"),
        (lambda: lattice("l", (0, 0, 0), np.eye(3), (2, 2), mass=1.0, stiffness=1.0), "one to three edges"),
        (lambda: lattice("l", (0, 0, 0), np.eye(3), (2, 2, 1), mass=1.0, stiffness=1.0), "2 nodes or more"),
        (lambda: Deformable("d", np.zeros((2, 3)), 1.0, [(0, 2)], 1.0), "two of 2 nodes"),
        (lambda: Deformable("d", np.zeros((2, 3)), 1.0, [(0, 1)], 1.0), "lengths 0 makes no sense"),
        (lambda: Deformable("d", np.eye(3), 1.0, [(0, 1)], 1.0, attached={5: (0, (0, 0, 0))}), "no node 5"),
        (lambda: Deformable("d", np.eye(3), 1.0, [(0, 1)], 1.0, attached={1: 7}), "7 is no attachment"),
        (lambda: Deformable("d", np.eye(3), 1.0, [(0, 1)], 1.0, radius=0.0), "radius 0 makes no sense"),
        (
            lambda: with_deformables(
                NOTHING, [0.0], [Deformable("d", np.eye(3), 1.0, [(0, 1)], 1.0, attached={1: ("arm", (0, 0, 0))})]
            ),
            "no body 'arm'",
        ),
        (lambda: Scene(NOTHING, [0.0], [0.0], floating().forces), "are not its nodes"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, message: str) -> None:
    with pytest.raises(DynamicsError, match=message):
        make()  # type: ignore[operator]
