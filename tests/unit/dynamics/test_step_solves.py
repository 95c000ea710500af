"""Linearly implicit steps by conjugate gradients: the same velocities as from the whole matrix, in linear time."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, Stabilization, simulate
from core.dynamics.constraints import LoopClosure
from core.dynamics.forces import BodyDamping, DirectionalForce, Force, JointDamping, JointSpring, SpringDamper
from core.dynamics.forces.coordinate_blocks import CoordinateBlocks
from core.dynamics.integrators import LinearlyImplicit
from core.dynamics.newton_euler import body_inertias
from core.dynamics.simulation import Simulation
from core.dynamics.step_solves import STEP_SOLVES
from core.dynamics.step_solves import conjugate_gradients as gradients_module
from core.dynamics.step_solves.conjugate_gradients import TreeSolver
from core.dynamics.step_solves.dense import dense_step
from core.dynamics.step_solves.tree_terms import step_matrix
from core.dynamics.system import System
from core.errors import DynamicsError
from core.joints import Fixed, Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3
from tests.support.counts import few_of
from tests.support.kernels import MODES, kernels_in_use
from tests.support.large_machines import MACHINES
from tests.support.random_trees import random_state, random_tree

H = 1e-2
GRADIENTS = "conjugate_gradients"


def system_of(scene: Scene) -> System:
    return System(scene, "recursive", Stabilization())


def both(scene: Scene, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the velocities after a step by the whole matrix and by conjugate gradients."""
    system = system_of(scene)
    found = []
    for name in ("dense", GRADIENTS):
        found.append(STEP_SOLVES[name](system, system.state(H, x, v), x, v, v, H).solve())
    return found[0], found[1]


def far(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference to the largest number."""
    return float(np.abs(a - b).max() / np.abs(a).max())


def no_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the whole matrix was made")

    monkeypatch.setattr(gradients_module, "dense_step", refuse)


def sprung(rng: np.random.Generator, model: Multibody) -> Scene:
    """Everything that acts: in joints, on bodies, between near ones and far ones, on the world."""
    forces: list[Force] = []
    for i, body in enumerate(model.bodies):
        forces += [BodyDamping(i, 0.3), DirectionalForce(i, rng.normal(size=3), 0.1 * rng.normal(size=3))]
        if body.joint.n:
            forces += [JointSpring(i, 40.0), JointDamping(i, 2.0)]
    count = len(model.bodies)
    for _ in range(count):
        i, j = rng.choice(count, 2, replace=False).tolist()
        first, second = rng.normal(size=(2, 3))
        forces.append(SpringDamper((i, int(j) if rng.random() < 0.8 else -1), (first, second), 300.0, 0.3, 5.0))
    return Scene(model, np.zeros(model.nq), np.zeros(model.nv), tuple(forces))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MACHINES)
def test_velocities_are_those_of_the_whole_matrix(name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = MACHINES[name](30)
    rng = np.random.default_rng(0)
    x, v = scene.x + 1e-6 * rng.normal(size=scene.model.nv), 1e-3 * rng.normal(size=scene.model.nv)
    with kernels_in_use(mode):
        whole, _ = both(scene, x, v)
        no_fallback(monkeypatch)
        system = system_of(scene)
        found = STEP_SOLVES[GRADIENTS](system, system.state(H, x, v), x, v, v, H).solve()
    assert far(whole, found) <= 1e-9


@pytest.mark.verify
def test_any_joints_and_forces() -> None:
    """Products are those of the whole matrix, and so is what is solved, whether the matrix is positive or not."""
    rng = np.random.default_rng(3)
    positive = 0
    for _ in few_of(range(40), 12):
        model = random_tree(rng, int(rng.integers(3, 12)))
        x, v = random_state(rng, model)
        scene = sprung(rng, model)
        system = system_of(scene)
        state = system.state(H, x, v)
        equations = dense_step(system, state, x, v, v, H)
        derivatives = system.derivatives(state)
        inertias = body_inertias(model)
        whole, found = both(scene, x, v)
        try:
            solver = TreeSolver(state, step_matrix(state, derivatives, H, inertias), inertias)
        except gradients_module.NotPositiveError:
            continue
        probe = rng.normal(size=model.nv)
        assert isinstance(equations.left, np.ndarray)
        product = equations.left @ probe
        np.testing.assert_allclose(solver.product(probe), product, rtol=0, atol=1e-11 * np.abs(product).max())
        residue = equations.left @ found - equations.right
        assert np.abs(residue).max() <= 1e-7 * np.abs(equations.right).max()
        assert np.isfinite(whole).all()
        positive += 1
    assert positive > 6


def test_springs_across_a_hinge_and_between_neighbors_are_solved_at_once() -> None:
    """Without tension the tree of clusters is all of the matrix."""
    for name in ("chain, a spring across each joint", "tree"):
        scene = MACHINES[name](40)
        system = system_of(scene)
        state = system.state(0.0, scene.x, np.zeros(scene.model.nv))
        inertias = body_inertias(scene.model)
        solver = TreeSolver(state, step_matrix(state, system.derivatives(state), H, inertias), inertias)
        solver.solve(np.random.default_rng(0).normal(size=scene.model.nv))
        assert solver.products <= 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("terms", ["start", "middle"])
def test_motion_is_the_same(terms: str) -> None:
    scene = MACHINES["tree"](20)
    whole, found = (
        simulate(scene, 0.2, H, LinearlyImplicit(velocity_terms=terms, solve=solve))  # type: ignore[arg-type]
        for solve in STEP_SOLVES
    )
    assert np.abs(whole.v).max() > 1.0
    np.testing.assert_allclose(found.x, whole.x, atol=1e-9)
    np.testing.assert_allclose(found.v, whole.v, atol=1e-8)


@pytest.mark.verify
def test_loops_hold() -> None:
    rod = SpatialInertia.box(1.0, (1.0, 0.1, 0.1), (0.5, 0.0, 0.0))
    ahead = se3.transform(None, (1.0, 0.0, 0.0))
    hinge = Revolute((0, 0, 1))
    model = Multibody(
        [
            Body("a", -1, hinge, inertia=rod),
            Body("b", "a", hinge, ahead, inertia=rod),
            Body("c", "b", hinge, ahead, inertia=rod),
        ]
    )
    closed = LoopClosure("c", (1.0, 0.0, 0.0), -1, (1.0, 0.0, 0.0), axis=(0, 0, 1))
    x = np.array([np.pi / 2, -np.pi / 2, -np.pi / 2])
    scene = Scene(model, x, np.zeros(3), (JointSpring("b", 20.0, -1.0),), constraints=(closed,))
    whole, found = (simulate(scene, 0.5, H, LinearlyImplicit(solve=solve)) for solve in STEP_SOLVES)
    assert np.ptp(whole.x[:, 0]) > 0.1
    np.testing.assert_allclose(found.x, whole.x, atol=1e-9)


def test_a_floating_tree_of_balls_and_welds() -> None:
    rng = np.random.default_rng(5)
    inertia = SpatialInertia.box(2.0, (0.4, 0.2, 0.3), (0.1, 0.0, 0.05))
    kinds = [Free(), Spherical(), Fixed(), Revolute((0, 1, 0)), Spherical(), Fixed()]
    ahead = se3.transform(None, (0.5, 0.1, 0.0))
    bodies = [Body(str(i), (i - 1) // 2 if i else -1, kind, ahead, ahead, inertia) for i, kind in enumerate(kinds)]
    model = Multibody(bodies)
    x, v = random_state(rng, model)
    whole, found = both(sprung(rng, model), x, v)
    assert far(whole, found) <= 1e-10


def test_what_is_not_positive_is_left_to_the_whole_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring that is pressed together far pushes its ends aside more than the masses resist."""
    light = SpatialInertia.box(1e-3, (0.1, 0.1, 0.1))
    hinge = Revolute((0, 0, 1))
    arm = se3.transform(None, (1.0, 0.0, 0.0))
    model = Multibody([Body("a", -1, hinge, X_JB=arm, inertia=light)])
    pressed = SpringDamper((0, -1), (np.zeros(3), (1.001, 0.0, 0.0)), 1e4, 0.5)
    scene = Scene(model, np.zeros(1), np.ones(1), (pressed,))
    whole, found = both(scene, np.zeros(1), np.ones(1))
    np.testing.assert_array_equal(whole, found)
    no_fallback(monkeypatch)
    with pytest.raises(AssertionError):
        both(scene, np.zeros(1), np.ones(1))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(DynamicsError, match="solve is 'sparse'; it must be one of dense, conjugate_gradients"):
        LinearlyImplicit(solve="sparse")


def test_blocks_of_coordinates_add_up() -> None:
    blocks, whole = CoordinateBlocks(5), np.zeros((5, 5))
    rng = np.random.default_rng(1)
    for rows, columns in ((slice(0, 2), slice(1, 4)), (slice(0, 2), slice(1, 4)), (slice(1, 2), slice(2, 5))):
        block = rng.normal(size=whole[rows, columns].shape)
        blocks[rows, columns] += block
        whole[rows, columns] += block
    np.testing.assert_allclose(blocks.dense(), whole)
    np.testing.assert_allclose(np.asarray(blocks), whole)
    vectors = rng.normal(size=(5, 2))
    np.testing.assert_allclose(blocks @ vectors, whole @ vectors)
    np.testing.assert_allclose(blocks @ vectors[:, 0], whole @ vectors[:, 0])
    places, entries = blocks.entries()
    again = np.zeros((5, 5))
    np.add.at(again, tuple(places.T), entries)
    np.testing.assert_allclose(again, whole)
    for bad in ((0, slice(0, 1)), (slice(0, 4, 2), slice(0, 2))):
        with pytest.raises(TypeError):
            blocks[bad] = 1.0  # type: ignore[index]


@pytest.mark.verify
@pytest.mark.parametrize("name", MACHINES)
def test_products_hardly_grow_with_the_number_of_bodies(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 50 to 3,000 bodies a step takes at most twice as many products, over the first six steps from rest."""
    most: dict[int, int] = {}
    counted = TreeSolver.solve

    def solve(self: TreeSolver, right: np.ndarray, tolerance: float = gradients_module.TOLERANCE) -> np.ndarray:
        found = counted(self, right, tolerance)
        most[count] = max(most.get(count, 0), self.products)
        return found

    monkeypatch.setattr(TreeSolver, "solve", solve)
    no_fallback(monkeypatch)
    for count in (50, 200, 800, 3000):
        run = Simulation(MACHINES[name](count), H, LinearlyImplicit(solve=GRADIENTS))
        for _ in range(6):
            run.step()
    assert max(most.values()) <= 2 * most[50], most
