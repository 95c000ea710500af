"""The short way to accelerations has the bits of the long one, and leaves to it whatever is odd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.dynamics import Multibody, recursive
from core.dynamics.body import Body
from core.errors import DynamicsError
from core.joints import Free, Revolute, Spherical
from core.kernels import load_all
from core.spatial import SpatialInertia

RNG = np.random.default_rng(8)


def chain(count: int) -> Multibody:
    """A tree of all kinds of joints, two bodies on the world."""
    bodies = []
    for i in range(count):
        X = np.eye(4)
        X[:3, 3] = RNG.normal(size=3)
        joint = (Revolute((0.0, 0.0, 1.0)), Spherical(), Revolute((1.0, 0.0, 0.0)))[i % 3]
        joint = Free() if i == 0 else joint
        inertia = SpatialInertia(1.0 + i, RNG.normal(size=3), np.diag([2.0, 2.5, 3.0]))
        bodies.append(Body(f"b{i}", -1 if i in (0, 5) else i - 1, joint, X, np.eye(4), inertia))
    return Multibody(bodies)


@pytest.fixture(autouse=True)
def _compiled() -> None:
    load_all()


def general(m: Multibody, x: Any, v: Any, tau: Any) -> np.ndarray:
    return m.forward_dynamics(x, v, tau, wrenches=np.zeros((len(m.bodies), 6)))


def general_inverse(m: Multibody, x: Any, v: Any, vdot: Any) -> np.ndarray:
    return m.inverse_dynamics(x, v, vdot, wrenches=np.zeros((len(m.bodies), 6)))


def test_the_bits_are_the_same() -> None:
    m = chain(9)
    assert recursive.quick("forward", m, *np.zeros((3, m.nv))) is None, "nothing is packed yet"
    for _ in range(20):
        x, v, tau = RNG.normal(size=(3, m.nv))
        expected = general(m, x, v, tau)
        quick = recursive.quick("forward", m, x, v, tau)
        assert quick is not None
        assert quick.tobytes() == expected.tobytes() == m.forward_dynamics(x, v, tau).tobytes()
        assert m.forward_dynamics(x, v).tobytes() == general(m, x, v, None).tobytes()
        efforts = recursive.quick("inverse", m, x, v, tau)
        assert efforts is not None
        assert efforts.tobytes() == general_inverse(m, x, v, tau).tobytes() == m.inverse_dynamics(x, v, tau).tobytes()
    assert not m.calm.any() and not m.still.any() and not m.packed.rest.any()


def test_what_is_given_may_change_afterwards() -> None:
    """Nothing is known again by being the same array."""
    m = chain(6)
    x, v, tau = RNG.normal(size=(3, m.nv))
    m.forward_dynamics(x, v, tau)
    for array in (x, v, tau):
        array += 0.25
        assert m.forward_dynamics(x, v, tau).tobytes() == general(m, x.copy(), v.copy(), tau.copy()).tobytes()
        assert m.inverse_dynamics(x, v, tau).tobytes() == general_inverse(m, x.copy(), v.copy(), tau.copy()).tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("others", [0.0, 1.0])
def test_a_number_that_is_not_finite_is_refused_wherever_it_is(which: int, bad: float, others: float) -> None:
    m = chain(6)
    name = ("x", "v", "tau")[which]
    m.forward_dynamics(*np.zeros((3, m.nv)))
    for k in range(m.nv):
        given = others * RNG.normal(size=(3, m.nv))
        given[which, k] = bad
        with pytest.raises(DynamicsError, match=rf"{name}\[{k}\] is"):
            m.forward_dynamics(*given)
        with pytest.raises(DynamicsError, match=rf"{name.replace('tau', 'vdot')}\[{k}\] is"):
            m.inverse_dynamics(*given)


def test_what_is_no_array_of_floats_takes_the_long_way() -> None:
    m = chain(6)
    x, v, tau = RNG.normal(size=(3, m.nv))
    expected = m.forward_dynamics(x, v, tau).tobytes()
    frozen = x.copy()
    frozen.setflags(write=False)
    wide = np.zeros((m.nv, 2))
    wide[:, 0] = x
    for odd in (x.tolist(), tuple(x), frozen, wide[:, 0], x.astype(">f8")):
        assert m.forward_dynamics(odd, v, tau).tobytes() == expected
    single = x.astype(np.float32)
    assert m.forward_dynamics(single, v, tau).tobytes() == general(m, single, v, tau).tobytes()
    whole = np.arange(m.nv)
    assert m.forward_dynamics(x, v, whole).tobytes() == m.forward_dynamics(x, v, whole.astype(float)).tobytes()
    for short in (x[:-1], np.zeros((m.nv, 1)), 3.0):
        with pytest.raises(DynamicsError, match="x has shape"):
            m.forward_dynamics(short, v, tau)
    with pytest.raises(DynamicsError, match="tau is"):
        m.forward_dynamics(x, v, "much")
