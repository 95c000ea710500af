"""The function-block network: derivatives, kept values, rewiring, several figures, forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.constraints.network import Block, Constraint, Handle, Network
from core.constraints.network.handles.base import elements_above
from core.constraints.network.state import FigureState
from core.constraints.residuals import (
    AimResidual,
    AxisResidual,
    DistanceResidual,
    HalfPlanesResidual,
    OrientationResidual,
    PointResidual,
)
from core.errors import LockError, PoseError
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.spatial import so3
from tests.support.figures import fork, random_figure, random_pose

UP = np.array([0.0, 1.0, 0.0])
EYE, ZERO = np.eye(3), np.zeros(3)
MAKERS: dict[str, Callable[[Network], Constraint]] = {
    "location": lambda n: Constraint(PointResidual(EYE, np.array([0.3, 0.2, 0.1])), [n.point(9, (0.1, 0.2, 0))]),
    "location, two coordinates": lambda n: Constraint(PointResidual(EYE[[0, 2]], ZERO), [n.point(9)]),
    "center of mass": lambda n: Constraint(PointResidual(EYE, ZERO), [n.center_of_mass()]),
    "orientation": lambda n: Constraint(OrientationResidual(so3.exp([0.4, -1.0, 0.3])), [n.orientation(10)]),
    "axis": lambda n: Constraint(AxisResidual(np.array([0.6, 0, 0.8]), UP), [n.orientation(10)]),
    "point pair": lambda n: pair(n.point(7), n.point(11, (0, 0.1, 0)), np.array([0.1, 0, 0])),
    "distance": lambda n: Constraint(DistanceResidual(0.3), [n.point(7), n.point(11, (0, 0.1, 0))]),
    "aim": lambda n: Constraint(AimResidual(UP), [n.point(7), n.orientation(7), n.point(11)]),
    "half-planes": lambda n: Constraint(
        HalfPlanesResidual(np.vstack([UP, -UP]), np.array([-9.0, -9.0])), [n.center_of_mass()]
    ),
    "pair of figures": lambda n: pair(n.point(7), n.point("left hand", figure="fork")),
    "aim at another figure": lambda n: Constraint(
        AimResidual(UP), [n.point(7), n.orientation(7), n.point(3, figure="fork")]
    ),
}


def pair(first: Handle, second: Handle, offset: np.ndarray = ZERO) -> Constraint:
    return Constraint(PointResidual(EYE, offset, pair=True), [first, second])


def two_figures(seed: int, scaled: bool = False) -> Network:
    rng = np.random.default_rng(seed)
    network = Network()
    s = random_figure(seed, scaled=scaled)
    weighted = Skeleton("s", [_with_mass(joint, i) for i, joint in enumerate(s.joints)])
    network.add_figure(weighted, random_pose(weighted, rng), "first")
    network.add_figure(fork(), random_pose(fork(), rng))
    return network


def _with_mass(joint: Any, i: int) -> Any:
    import dataclasses

    return dataclasses.replace(joint.as_given(), mass=0.5 + 0.1 * i, center=np.array([0.1, 0.05, 0.0]))


def dense(network: Network) -> np.ndarray:
    system = network.assemble()
    J = np.zeros((len(system.C), network.state.size))
    J[:, system.variables] = system.J.toarray()
    return J


@pytest.mark.sampled(6)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_jacobians_are_the_slopes_of_the_values(name: str, scaled: bool) -> None:
    for seed in range(2):
        network = two_figures(seed, scaled)
        network.add(MAKERS[name](network))
        J, state, h = dense(network), network.state.vector, 1e-6
        for k, step in enumerate(h * np.eye(len(state))):
            values = []
            for sign in (1.0, -1.0):
                network.state.vector = state + sign * step
                values.append(network.assemble().C)
            assert J[:, k] == pytest.approx((values[0] - values[1]) / (2 * h), abs=2e-8)


# -- kept values -----------------------------------------------------------------------------------------------------


def hands_to_hips() -> tuple[Network, dict[str, Handle], list[Constraint]]:
    """The thesis' example, figure 5.4."""
    s = fork()
    network = Network()
    network.add_figure(s, s.rest_pose())
    handles = {
        "h1": network.point("right hand", (-0.1, 0, 0)),
        "h2": network.point("pelvis", (-0.15, 0, 0)),
        "h3": network.point("left hand", (0.1, 0, 0)),
        "h4": network.point("pelvis", (0.15, 0, 0)),
    }
    constraints = [
        network.add(pair(handles["h1"], handles["h2"])),
        network.add(pair(handles["h3"], handles["h4"])),
    ]
    return network, handles, constraints


def counts(blocks: list[Block]) -> list[tuple[int, int]]:
    return [(block.evaluations, block.jacobian_evaluations) for block in blocks]


def test_only_blocks_above_what_changed_work_again() -> None:
    network, handles, constraints = hands_to_hips()
    blocks: list[Block] = [*handles.values(), *constraints]
    system = network.assemble()
    assert system.C.shape == (6,) and system.J.shape == (6, len(system.variables))
    assert counts(blocks) == [(1, 1)] * 6
    network.assemble()
    assert counts(blocks) == [(1, 1)] * 6

    figure = network.state.figures["fork"]
    q, s = figure.q, figure.skeleton
    figure.set(q)  # nothing changes
    network.assemble()
    assert counts(blocks) == [(1, 1)] * 6
    q[3 + s.first_dof[s.joint_index("right hand")]] += 0.3
    figure.set(q)
    network.assemble()
    assert counts(blocks) == [(2, 2), (1, 1), (1, 1), (1, 1), (2, 2), (1, 1)]
    q[3 + s.first_dof[s.joint_index("head")]] += 0.1  # carries none of the handles
    figure.set(q)
    network.assemble()
    assert counts(blocks) == [(2, 2), (1, 1), (1, 1), (1, 1), (2, 2), (1, 1)]
    q[1] += 0.1  # the root carries all of them
    figure.set(q)
    again = network.assemble()
    assert counts(blocks) == [(3, 3), (2, 2), (2, 2), (2, 2), (3, 3), (2, 2)]
    # Both ends of a pair move with the root: neither the pair's value nor its place in the state depends on it.
    assert np.abs(again.J.toarray()[:, :3]).max() == 0.0
    assert network.constraints[0].value == pytest.approx(handles["h1"].value - handles["h2"].value)


def test_kept_values_are_those_of_a_new_network() -> None:
    rng = np.random.default_rng(1)
    network = two_figures(1)
    blocks = [network.add(make(network)) for make in MAKERS.values()]
    for _ in range(20):
        state = network.state.vector
        some = rng.random(len(state)) < 0.1
        network.state.vector = state + some * rng.normal(size=len(state)) * 0.1
        kept = network.assemble()
        fresh = Network()
        for name, figure in network.state.figures.items():
            fresh.add_figure(figure.skeleton, figure.q, name)
        for make in MAKERS.values():
            fresh.add(make(fresh))
        new = fresh.assemble()
        assert np.array_equal(kept.C, new.C) and (kept.J != new.J).nnz == 0
    assert blocks[0].evaluations < 21


# -- rewiring --------------------------------------------------------------------------------------------------------


def test_constraints_come_and_go_while_it_runs() -> None:
    network, handles, constraints = hands_to_hips()
    variables = network.assemble().variables
    assert network.point("right hand", (-0.1, 0, 0)) is handles["h1"]
    network.remove(constraints[0])
    assert set(network.handles) == {handles["h3"], handles["h4"]} and network.assemble().C.shape == (3,)
    assert len(network.variables) < len(variables)
    figure = network.state.figures["fork"]
    q = figure.q
    q[3:] += 0.05
    figure.set(q)
    before = handles["h1"].evaluations
    network.assemble()
    assert handles["h1"].evaluations == before  # it is off the state
    added = network.add(Constraint(PointResidual(UP[None], UP), [network.point("head")]))
    system = network.assemble()
    head = forward_kinematics(figure.skeleton, q)[figure.skeleton.joint_index("head"), 1, 3]
    assert system.C.shape == (4,) and system.C[3] == pytest.approx(head - 1.0)
    with pytest.raises(LockError, match="not in the network"):
        network.remove(constraints[0])
    with pytest.raises(LockError, match="not of this network"):
        network.add(pair(handles["h1"], handles["h4"]))
    network.remove(added)
    network.remove(constraints[1])
    assert not network.handles and network.assemble().J.shape == (0, 0)


def test_a_handle_stays_while_a_force_pulls_it() -> None:
    network, handles, constraints = hands_to_hips()
    force = network.apply_force(handles["h1"], (1, 0, 0))
    network.remove(constraints[0])
    assert handles["h1"] in network.handles and handles["h2"] not in network.handles
    network.remove_force(force)
    assert handles["h1"] not in network.handles
    with pytest.raises(LockError):
        network.remove_force(force)


def test_forces_add_up() -> None:
    network, handles, _ = hands_to_hips()
    figure = network.state.figures["fork"]
    turned = network.orientation("chest")
    pulls = {"h1": np.array([1.0, 2.0, 3.0]), "h3": np.array([0.0, -1.0, 0.5])}
    for name, pull in pulls.items():
        network.apply_force(handles[name], pull)
    network.apply_force(turned, (0, 0, 2.0))
    wanted = sum(handles[name].local_jacobian().T @ pull for name, pull in pulls.items())
    wanted = wanted + turned.local_jacobian().T @ np.array([0, 0, 2.0])
    assert network.generalized_force()[figure.elements] == pytest.approx(wanted, abs=1e-14)


def test_soft_constraints_are_springs() -> None:
    network, handles, constraints = hands_to_hips()
    target = np.array([0.0, 1.0, 0.0])
    spring = network.add(Constraint(PointResidual(EYE, target), [handles["h1"]], weight=0.3))
    assert network.assemble().C.shape == (6,)
    pull = handles["h1"].local_jacobian().T @ (0.3 * (target - handles["h1"].value))
    assert network.generalized_force() == pytest.approx(pull, abs=1e-14)
    network.remove(spring)
    assert not network.generalized_force().any() and len(network.constraints) == len(constraints)


def test_what_may_not_help_stands_in_the_jacobian_but_not_in_its_transpose() -> None:
    s = fork()
    network = Network()
    figure = network.add_figure(s, s.rest_pose())
    allowed = elements_above(s, s.joint_index("left hand"))[-2:]
    network.add(Constraint(PointResidual(EYE, ZERO), [network.point("left hand", (0.1, 0, 0))], allowed))
    system = network.assemble()
    J, H = system.J.toarray(), system.H.toarray()
    helps = np.isin(system.variables, allowed)
    assert np.array_equal(J[:, helps], H[:, helps]) and not H[:, ~helps].any() and J[:, ~helps].any()
    assert figure.elements == slice(0, s.nq)


# -- several figures -------------------------------------------------------------------------------------------------


def test_figures_lie_one_after_another() -> None:
    network = two_figures(2)
    first, second = network.state.figures.values()
    block = network.add(MAKERS["pair of figures"](network))
    J = dense(network)
    assert np.abs(J[:, first.elements]).max() > 0.1 and np.abs(J[:, second.elements]).max() > 0.1
    assert J[:, :3] == pytest.approx(np.eye(3)) and J[:, second.first : second.first + 3] == pytest.approx(-np.eye(3))
    before = block.handles[0].evaluations
    q = second.q
    q[0] += 0.5
    second.set(q)
    assert network.assemble().C[0] == pytest.approx(block.values[0][0] - block.values[1][0])
    assert block.handles[0].evaluations == before  # only the other figure moved
    with pytest.raises(LockError, match="names must differ"):
        network.add_figure(fork(), fork().rest_pose())
    with pytest.raises(LockError, match='no figure "Bob"'):
        network.point(0, figure="Bob")
    with pytest.raises(LockError, match='no joint "tail"'):
        network.point("tail")
    with pytest.raises(PoseError):
        second.set(q[:-1])
    with pytest.raises(LockError, match="no figure"):
        Network().center_of_mass()


# -- a new kind of handle is one class -------------------------------------------------------------------------------


class HeightHandle(Handle):
    """Height of a joint's origin, given three times over, as an example of a handle of one's own."""

    def __init__(self, figure: FigureState, joint: int):
        super().__init__(figure, elements_above(figure.skeleton, joint))
        self.joint = joint

    @property
    def key(self) -> tuple[Any, ...]:
        return ("height", self.figure.name, self.joint)

    def _evaluate(self) -> np.ndarray:
        return np.full(3, self.figure.frames[self.joint][1, 3])

    def local_jacobian(self) -> np.ndarray:
        from core.kinematics import point_jacobian

        return np.tile(point_jacobian(self.skeleton, self.figure.q, self.joint)[1], (3, 1))


def test_a_handle_of_ones_own() -> None:
    network = two_figures(3)
    figure = network.state.figures["first"]
    handle = network.share(HeightHandle(figure, 6))
    assert network.share(HeightHandle(figure, 6)) is handle
    network.add(Constraint(PointResidual(EYE[:1], ZERO), [handle]))
    J, state = dense(network), network.state.vector
    network.state.vector = state + 1e-7
    slope = (network.assemble().C - forward_height(figure, state)) / 1e-7
    assert J.sum(axis=1) == pytest.approx(slope, abs=1e-5)


def forward_height(figure: FigureState, state: np.ndarray) -> np.ndarray:
    return forward_kinematics(figure.skeleton, state[figure.elements])[6, 1:2, 3]
