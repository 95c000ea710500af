"""Accelerations, mass matrix and bias against Pinocchio and MuJoCo, for every joint that they have or can compose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.dynamics import Multibody
from core.joints import (
    JOINT_TYPES,
    Composite,
    Fixed,
    Free,
    FreeRotationFirst,
    JointModel,
    Mirrored,
    Reversed,
    Screw,
    SplineCurve,
    SplineSurface,
)
from core.joints.symbolic import SymbolicJoint
from tests.support.peer_dynamics import FREE, MuJoCo, Peer, Pinocchio, takes
from tests.support.random_trees import JOINTS, random_state, random_tree, wild_state

Rng = np.random.Generator

SPLINES = (SplineCurve, SplineSurface)
COUNTS = [pytest.param(20, 14, id="few"), pytest.param(300, 30, id="many", marks=pytest.mark.verify)]


def largest(value: np.ndarray) -> float:
    return float(np.abs(value).max(initial=0.0))


def tree_for(
    peer: type[Peer], rng: Rng, n: int, types: list[type[JointModel]], root: type[JointModel] | None
) -> Multibody:
    """A random tree; composite joints that the peer cannot make are replaced by others."""
    model = random_tree(rng, n, types=types, root=root, chain=bool(rng.random() < 0.2))
    bodies = []
    for body in model.bodies:
        joint = body.joint
        while not takes(joint, peer.whole) or (peer is MuJoCo and isinstance(joint, Composite) and joint.steps is None):
            joint = JOINTS[Composite](rng)
        bodies.append(replace(body, joint=joint))
    return Multibody(bodies, model.gravity)


@pytest.mark.parametrize(("count", "most"), COUNTS)
@pytest.mark.parametrize(
    ("package", "peer"), [("pinocchio", Pinocchio), ("mujoco", MuJoCo)], ids=["Pinocchio", "MuJoCo"]
)
def test_dynamics_are_those_of(package: str, peer: type[Peer], count: int, most: int) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed; `make verify` installs it")
    unknown = {*SPLINES, Screw, Mirrored, Reversed, *(() if peer is Pinocchio else FREE)}
    types = [kind for kind in JOINT_TYPES if kind not in unknown and not issubclass(kind, SymbolicJoint)]
    met, contradictions = set(), 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        root = (None, Free, FreeRotationFirst)[seed % 3]
        model = tree_for(peer, rng, 1 + seed % most, types, root)
        met.update(type(body.joint) for body in model.bodies)
        if not model.nv:
            continue
        x, v = wild_state(rng, model) if seed % 2 else random_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
        other = peer(model)
        M = model.mass_matrix(x)
        assert largest(other.mass_matrix(x) - M) <= 1e-12 * largest(M)
        bias = model.bias(x, v)
        assert largest(other.bias(x, v) - bias) <= 1e-11 * largest(bias)
        computed, implied = other.accelerations(x, v, tau, wrenches)
        # Where a peer contradicts itself by more than it may differ from us, its equations count.
        contradicts = largest(computed - implied) > 0.5e-9 * largest(implied)
        contradictions += contradicts
        for formulation in ("recursive", "redmax", "maximal"):
            found = model.forward_dynamics(x, v, tau, formulation, wrenches=wrenches)
            for expected in (implied,) if contradicts else (computed, implied):
                assert largest(found - expected) <= 1e-9 * largest(expected), (seed, formulation)
    assert contradictions <= 0.04 * count
    assert met == {*types, Fixed, Free, FreeRotationFirst}
