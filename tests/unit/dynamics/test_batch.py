"""Many states as rows: the bits of each state alone, in any number of threads; errors that name the row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.codegen import sweep
from core.dynamics import Body, Multibody, batch, rows_kernel
from core.errors import DynamicsError
from core.joints import Revolute, SplineCurve
from core.kernels import is_ready, threads, uncompiled
from core.spatial import SpatialInertia
from tests.support.hinge_rows import HingeRow
from tests.support.random_trees import random_pose, random_tree

Array = np.ndarray
TREES = [random_tree(np.random.default_rng(seed), 6) for seed in range(4)]


def hinges(n: int) -> Multibody:
    """A chain of hinges about z and x by turns."""
    inertia = SpatialInertia(1.0, (0.0, -0.2, 0.1), np.diag([0.02, 0.02, 0.02]))
    bodies = [Body(f"b{i}", i - 1, Revolute(((0, 0, 1), (1, 0, 0))[i % 2]), inertia=inertia) for i in range(n)]
    return Multibody(bodies)


def states(model: Multibody, count: int, seed: int = 5) -> list[Array]:
    """Coordinates, velocities, forces or accelerations, wrenches."""
    rng = np.random.default_rng(seed)
    return [*rng.uniform(-0.8, 0.8, (3, count, model.nv)), rng.normal(size=(count, len(model.bodies), 6))]


def alone(model: Multibody, x: Array, v: Array, tau: Array, wrenches: Array | None = None) -> tuple[bytes, bytes]:
    """Forward and inverse dynamics, one state after the other."""
    outside = [None] * len(x) if wrenches is None else list(wrenches)
    each = list(zip(x, v, tau, outside, strict=True))
    forward = np.array([model.forward_dynamics(*own, wrenches=w) for *own, w in each])
    inverse = np.array([model.inverse_dynamics(*own, wrenches=w) for *own, w in each])
    return forward.tobytes(), inverse.tobytes()


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_the_bits_of_each_state_alone_in_any_number_of_threads(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(threads, "processors", lambda: number)
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(batch, "_WORTH_A_THREAD", 10)
    model = hinges(12)
    x, v, tau, wrenches = states(model, 501)
    forward, inverse = alone(model, x, v, tau)
    for _ in range(3):
        assert model.forward_dynamics(x, v, tau).tobytes() == forward
        assert model.inverse_dynamics(x, v, tau).tobytes() == inverse
    matrices = np.array([model.mass_matrix(own) for own in x])
    assert model.mass_matrix(x).tobytes() == matrices.tobytes()
    assert 1 <= len(model.packed.spare) <= number
    pushed = alone(model, x, v, tau, wrenches)
    assert model.forward_dynamics(x, v, tau, wrenches=wrenches).tobytes() == pushed[0] != forward
    assert model.inverse_dynamics(x, v, tau, wrenches=wrenches).tobytes() == pushed[1] != inverse


@pytest.mark.parametrize("model", TREES)
def test_trees_of_all_joints(model: Multibody) -> None:
    """Those that are evaluated in Python among them, and with the text of the kernels."""
    x, v, tau, wrenches = states(model, 9)
    assert model.forward_dynamics(x, v, tau, wrenches=wrenches).tobytes() == alone(model, x, v, tau, wrenches)[0]
    assert model.inverse_dynamics(x, v, tau).tobytes() == alone(model, x, v, tau)[1]
    assert model.mass_matrix(x).tobytes() == np.array([model.mass_matrix(own) for own in x]).tobytes()
    with uncompiled():
        few = [own[:2] for own in (x, v, tau)]
        assert (model.forward_dynamics(*few).tobytes(), model.inverse_dynamics(*few).tobytes()) == alone(model, *few)


@pytest.mark.verify
@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_generated_code_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Rows with and without wrenches, the bits of each alone, while other threads use the same model."""
    monkeypatch.setattr(threads, "processors", lambda: number)
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(sweep, "_WORTH_A_THREAD", 50)
    for model in (hinges(12), TREES[number % len(TREES)]):
        x, v, tau, wrenches = states(model, 301)
        wrenches[::3] = 0.0
        # What is optimized on a thread gives the same bits, too.
        calm = np.array([model.forward_dynamics(*own, "symbolic") for own in zip(x, v, tau, strict=True)])
        pushed = [
            model.forward_dynamics(*own, "symbolic", wrenches=w) for *own, w in zip(x, v, tau, wrenches, strict=True)
        ]
        assert model.forward_dynamics(x, v, tau, "symbolic", wrenches=wrenches).tobytes() == np.array(pushed).tobytes()
        with ThreadPoolExecutor(3) as pool:
            found = list(pool.map(lambda k: _one_or_all(model, k, x, v, tau), range(12)))  # noqa: B023
        assert all(own == (calm if k % 2 else calm[k]).tobytes() for k, own in enumerate(found))
        still = np.array([model.forward_dynamics(own, v[0], None, "symbolic") for own in x])
        assert model.forward_dynamics(x, v[0], None, "symbolic").tobytes() == still.tobytes()
        outside = np.array([model.forward_dynamics(own, v[0], None, "symbolic", wrenches=wrenches[1]) for own in x])
        found = model.forward_dynamics(x, v[0], None, "symbolic", wrenches=wrenches[1])
        assert found.tobytes() == outside.tobytes() != still.tobytes()
        close = np.array([model.forward_dynamics(*own) for own in zip(x, v, tau, strict=True)])
        # States of random trees may be next to a singular one.
        off = np.abs(calm - close).max(axis=1) / np.abs(close).max(axis=1)
        assert np.median(off) <= 1e-12


def _one_or_all(model: Multibody, k: int, x: Array, v: Array, tau: Array) -> bytes:
    rows = slice(None) if k % 2 else k
    return model.forward_dynamics(x[rows], v[rows], tau[rows], "symbolic").tobytes()


def test_generated_code_leaves_single_rows_to_a_closer_look() -> None:
    model = hinges(3)
    x, v, tau, _ = states(model, 60)
    good = model.forward_dynamics(x, v, tau, "symbolic")
    tau[7] = 1e308  # overflows in between
    v[31] = 1e200
    with np.errstate(all="ignore"):
        found = model.forward_dynamics(x, v, tau, "symbolic")
        for k in (7, 31):
            assert found[k].tobytes() == model.forward_dynamics(x[k], v[k], tau[k], "symbolic").tobytes()
    assert np.delete(found, (7, 31), 0).tobytes() == np.delete(good, (7, 31), 0).tobytes()
    cross = SpatialInertia(0.0, (0, 0, 0), np.zeros((3, 3)))
    ball = SpatialInertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.1]))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    bodies = [Body(f"b{i}", i - 1, Revolute(axis), inertia=ball if i == 2 else cross) for i, axis in enumerate(axes)]
    locked = Multibody(bodies)
    x, v, tau, _ = states(locked, 5)
    x[3, 1] = 0.5 * np.pi
    with pytest.raises(DynamicsError, match=r'^row 3: body "b0"'):
        locked.forward_dynamics(x, v, tau, "symbolic")


@pytest.mark.parametrize("number", [1, 3])
def test_joints_that_compiled_functions_evaluate_are_shared_among_threads(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Splines in a row; a joint that Python evaluates among them is done one by one."""
    monkeypatch.setattr(threads, "processors", lambda: number)
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(batch, "_WORTH_A_THREAD", 10)
    model = splines(4)
    x, v, tau, wrenches = states(model, 200)
    compiled = alone(model, x, v, tau, wrenches)
    if is_ready(rows_kernel):
        monkeypatch.setattr(batch, "one_by_one", None)
    assert model.forward_dynamics(x, v, tau, wrenches=wrenches).tobytes() == compiled[0]
    assert model.inverse_dynamics(x, v, tau, wrenches=wrenches).tobytes() == compiled[1]
    matrices = np.array([model.mass_matrix(own) for own in x])
    assert model.mass_matrix(x).tobytes() == matrices.tobytes()
    assert len(model.packed.spare) <= number
    monkeypatch.undo()
    by_python = Multibody(
        [*model.bodies, Body("row", "b3", HingeRow("zy", (0.3, 0.2)), inertia=model.bodies[0].inertia)]
    )
    x, v, tau, wrenches = states(by_python, 9)
    assert (
        by_python.forward_dynamics(x, v, tau, wrenches=wrenches).tobytes() == alone(by_python, x, v, tau, wrenches)[0]
    )


def splines(n: int) -> Multibody:
    """Curves and hinges by turns."""
    rng = np.random.default_rng(3)
    inertia = SpatialInertia(1.0, (0.0, -0.2, 0.1), np.diag([0.02, 0.03, 0.04]))
    bodies = []
    for i in range(n):
        curve = SplineCurve([random_pose(rng, 1.0) for _ in range(6)])
        bodies.append(Body(f"b{i}", i - 1, curve if i % 2 == 0 else Revolute(), inertia=inertia))
    return Multibody(bodies)


@pytest.mark.parametrize("formulation", ["symbolic", "fastest"])
def test_no_rows_at_all(formulation: str) -> None:
    model = hinges(4)
    assert model.forward_dynamics(np.zeros((0, 4)), np.zeros(4), None, formulation).shape == (0, 4)


@pytest.mark.parametrize("formulation", ["redmax", "maximal", "lagrangian", "mixed"])
def test_other_formulations_take_rows_too(formulation: str) -> None:
    model = hinges(4)
    x, v, tau, _ = states(model, 3)
    found = model.forward_dynamics(x, v, tau, formulation)
    for row, own in zip(found, zip(x, v, tau, strict=True), strict=True):
        assert row.tobytes() == model.forward_dynamics(*own, formulation).tobytes()


@pytest.mark.verify
@given(
    count=st.integers(0, 40),
    single=st.lists(st.booleans(), min_size=4, max_size=4).filter(lambda s: not all(s)),
    form=st.sampled_from(["c", "fortran", "list", "read-only", "single", "strided"]),
)
@settings(max_examples=60, deadline=None)
def test_an_argument_of_one_state_stands_for_all(count: int, single: list[bool], form: str) -> None:
    model = TREES[0] if count % 2 else hinges(5)
    full = states(model, count + 1)
    if form == "single":
        full = [own.astype(np.float32).astype(float) for own in full]
    arguments = [own[0] if one else own[:count] for own, one in zip(full, single, strict=True)]
    rows = [
        np.broadcast_to(own[:1], own[:count].shape) if one else own[:count]
        for own, one in zip(full, single, strict=True)
    ]
    x, v, tau, wrenches = (_formed(own, form) for own in arguments)
    if count == 0 and form == "list":
        return  # an empty list has no length of rows
    expected = alone(model, *(np.array(own) for own in rows))
    found = model.forward_dynamics(x, v, tau, wrenches=wrenches)
    assert found.shape == (count, model.nv) and found.flags.owndata
    assert found.tobytes() == expected[0]
    assert model.inverse_dynamics(x, v, tau, wrenches=wrenches).tobytes() == expected[1]


def _formed(own: Array, form: str) -> object:
    if form == "fortran":
        return np.asfortranarray(own)
    if form == "list":
        return own.tolist()
    if form == "single":
        return own.astype(np.float32)
    if form == "strided":
        return np.repeat(own, 2, axis=-1)[..., ::2]
    copy = own.copy()
    copy.setflags(write=form != "read-only")
    return copy


def test_bias_and_no_forces() -> None:
    model = hinges(6)
    x, v, _, _ = states(model, 8)
    assert model.bias(x, v).tobytes() == np.array([model.bias(*own) for own in zip(x, v, strict=True)]).tobytes()
    expected = np.array([model.forward_dynamics(*own) for own in zip(x, v, strict=True)])
    assert model.forward_dynamics(x, v).tobytes() == expected.tobytes()


def test_errors_name_the_row() -> None:
    model = hinges(5)
    x, v, tau, wrenches = states(model, 7)
    for name, own in (("x", x), ("v", v), ("tau", tau)):
        bad = own.copy()
        bad[4, 2] = np.nan
        given_ = {"x": x, "v": v, "tau": tau} | {name: bad}
        with pytest.raises(DynamicsError, match=rf"{name}\[4, 2\] is nan"):
            model.forward_dynamics(**given_)
    wrenches[3, 1, 0] = np.inf
    with pytest.raises(DynamicsError, match=r"wrenches\[3, 1, 0\] is inf"):
        model.inverse_dynamics(x, v, tau, wrenches=wrenches)
    with pytest.raises(DynamicsError, match=r"x has 7 rows and v has 6"):
        model.forward_dynamics(x, v[:6], tau)
    with pytest.raises(DynamicsError, match=r"v has shape \(7, 4\); it must have shape \(k, 5\), or \(5,\) for all"):
        model.inverse_dynamics(x, v[:, :4], tau)
    with pytest.raises(DynamicsError, match=r"x has shape \(2, 7, 5\)"):
        model.mass_matrix(np.stack([x, x]))
    with pytest.raises(DynamicsError, match=r"v has shape \(2, 7, 5\)"):
        model.forward_dynamics(x, np.stack([v, v]))
    with pytest.raises(DynamicsError, match="v "):
        model.forward_dynamics(x, None, tau)
    with pytest.raises(DynamicsError, match="vdot "):
        model.inverse_dynamics(x, v, None)
    with pytest.raises(DynamicsError, match="tau is"):
        model.forward_dynamics(x, v, [["much"] * 5] * 7)
    with pytest.raises(DynamicsError, match='no formulation "quick"'):
        model.forward_dynamics(x, v, tau, "quick")


def test_rows_that_the_kernel_leaves_to_a_closer_look() -> None:
    """Gimbal lock of three hinges: one direction moves no inertia, of this row alone."""
    cross = SpatialInertia(0.0, (0, 0, 0), np.zeros((3, 3)))
    ball = SpatialInertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.1]))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    bodies = [Body(f"b{i}", i - 1, Revolute(axis), inertia=ball if i == 2 else cross) for i, axis in enumerate(axes)]
    model = Multibody(bodies)
    x, v, tau, _ = states(model, 5)
    good = model.forward_dynamics(x, v, tau)
    x[3, 1] = 0.5 * np.pi
    with pytest.raises(DynamicsError, match=r'^row 3: body "b0"'):
        model.forward_dynamics(x, v, tau)
    assert (
        model.forward_dynamics(np.delete(x, 3, 0), np.delete(v, 3, 0), np.delete(tau, 3, 0)).tobytes()
        == np.delete(good, 3, 0).tobytes()
    )
    # Its sum of squares overflows, and the numbers themselves are fine.
    far = hinges(3)
    x, v, tau, _ = states(far, 4)
    tau[2] = 1e200
    assert far.forward_dynamics(x, v, tau).tobytes() == alone(far, x, v, tau)[0]


def test_several_threads_may_share_a_model() -> None:
    model = hinges(10)
    x, v, tau, _ = states(model, 400)
    forward, inverse = alone(model, x, v, tau)
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda k: (model.inverse_dynamics if k % 2 else model.forward_dynamics)(x, v, tau).tobytes(), range(40)
            )
        )
    assert found == [forward, inverse] * 20
