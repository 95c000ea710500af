"""Forward and inverse dynamics beside Pinocchio and MuJoCo, and how they grow with the number of joints.

Everybody is called from Python, takes turns in one process and never gets the same state twice running. The chains'
joints turn about local z, which is the fastest that each of them has.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.dynamics import Body, Multibody
from core.dynamics.packed import Packed
from core.formats.bundled import bundled_folder
from core.joints import Composite, Fixed, Free, JointModel, Revolute, Spherical
from core.joints.base import HINGE
from core.kernels import load
from core.skeleton.scr.reader import load_skeleton
from core.spatial import quaternion, se3
from core.system_calls import processors
from tests.benchmarks.timing import interleaved, one_thread
from tests.support.kernels import kernels_in_use
from tests.support.random_trees import random_inertia, random_pose

LENGTHS = (20, 50, 100)
GROWTH = (20, 50, 100, 200, 400)
ROUNDS, CALLS = 101, 20
STATES = 4
BATCH, BATCHES = 10_000, 60

Array = np.ndarray
State = tuple[Array, ...]
Call = Callable[..., Any]


def chain(n: int) -> Multibody:
    """Return a serial chain of n hinges with random frames and inertias."""
    rng = np.random.default_rng(n)
    bodies = [
        Body(f"{i}", i - 1, Revolute(), random_pose(rng, 0.2), random_pose(rng, 0.1), random_inertia(rng))
        for i in range(n)
    ]
    return Multibody(bodies, gravity=(0.0, 0.0, -9.81))


def random_states(n: int) -> list[State]:
    """Return coordinates, velocities and forces, each of shape (n,)."""
    rng = np.random.default_rng(n)
    return [(rng.uniform(-3.0, 3.0, n), rng.normal(size=n), rng.normal(size=n)) for _ in range(STATES)]


def medians(calls: Sequence[Call], states: Sequence[Sequence[State]], rounds: int = ROUNDS) -> list[float]:
    """Return the median time of one call of each candidate, [us], over its states in turn."""

    def loop(call: Call, own: Sequence[State]) -> Callable[[], None]:
        def run() -> None:
            for k in range(CALLS):
                call(*own[k % STATES])

        return run

    times = interleaved([loop(*pair) for pair in zip(calls, states, strict=True)], rounds)
    return [1e6 * time / CALLS for time in times]


class Ours:
    """The compiled kernels of a model, as ``Multibody`` calls them, into an output that is there."""

    def __init__(self, model: Multibody):
        kernels = load("core.dynamics.recursive_kernel")
        packed, out, rest = Packed(model), np.empty(model.nv), np.zeros((len(model.bodies), 6))
        self.out = out

        def forward(x: Array, v: Array, tau: Array) -> Array:
            kernels.forward(packed.memory, x, v, tau, rest, out)
            return out

        def inverse(x: Array, v: Array, vdot: Array) -> Array:
            kernels.inverse(packed.memory, x, v, vdot, rest, out)
            return out

        self.forward, self.inverse = forward, inverse


class Pinocchio:
    """A tree in Pinocchio: hinges about coordinate axes as such, composites as rows of joints."""

    def __init__(self, model: Multibody):
        import pinocchio as pin

        self.pin, self.ours, self.peer = pin, model, pin.Model()
        self.peer.gravity.linear = np.array(model.gravity)
        joints, places = {-1: 0}, {-1: pin.SE3.Identity()}
        for i, body in enumerate(model.bodies):
            parent = int(model.parents[i])
            at, place = joints[parent], places[parent] * pin.SE3(body.X_PJ)
            for k, piece in enumerate(pieces(body.joint)):
                at, place = self.peer.addJoint(at, self._made(piece), place, f"{i}.{k}"), pin.SE3.Identity()
            joints[i], places[i] = at, place
            own = body.inertia
            inertia = pin.Inertia(own.mass, np.array(own.center), np.array(own.inertia))
            self.peer.appendBodyToJoint(at, inertia, place * pin.SE3(body.X_JB))
        self.data = self.peer.createData()

    def _made(self, piece: JointModel) -> Any:
        pin = self.pin
        if not isinstance(piece, Revolute):
            return pin.JointModelSpherical() if isinstance(piece, Spherical) else pin.JointModelFreeFlyer()
        for axis, kind in zip(np.eye(3), (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ), strict=True):
            if piece.axis == tuple(axis):
                return kind()
        return pin.JointModelRevoluteUnaligned(np.array(piece.axis))

    def state(self, x: Array, v: Array, tau: Array) -> State:
        """Return our state in its coordinates: quaternions, and twists in the bodies' axes."""
        q, u, f = np.zeros(self.peer.nq), np.zeros(self.peer.nv), np.zeros(self.peer.nv)
        joint, at = 0, 0
        for body in self.ours.bodies:
            for piece in pieces(body.joint):
                joint += 1
                own, part = self.peer.joints[joint], slice(at, at + piece.n)
                at += piece.n
                here, there = slice(own.idx_v, own.idx_v + own.nv), slice(own.idx_q, own.idx_q + own.nq)
                if isinstance(piece, Revolute):
                    q[there], u[here], f[here] = x[part], v[part], tau[part]
                    continue
                X, S = piece.transform(x[part]), piece.subspace(x[part])
                S = S[:3] if isinstance(piece, Spherical) else S[[3, 4, 5, 0, 1, 2]]
                turn = np.roll(quaternion.from_matrix(X[:3, :3]), -1)
                q[there] = turn if isinstance(piece, Spherical) else np.concatenate([X[:3, 3], turn])
                u[here], f[here] = S @ v[part], np.linalg.solve(S.T, tau[part])
        return q, u, f

    def forward(self, q: Array, u: Array, tau: Array) -> Array:
        """Return the accelerations; the articulated-body algorithm."""
        found: Array = self.pin.aba(self.peer, self.data, q, u, tau)
        return found

    def inverse(self, q: Array, u: Array, udot: Array) -> Array:
        """Return the forces; the recursive Newton-Euler algorithm."""
        found: Array = self.pin.rnea(self.peer, self.data, q, u, udot)
        return found


def pieces(joint: JointModel) -> list[JointModel]:
    """Return the joints that Pinocchio gets for one of ours."""
    if isinstance(joint, Fixed):
        return []
    if isinstance(joint, Composite):
        return [piece for part in joint.joints for piece in pieces(part)]
    if isinstance(joint, (Revolute, Spherical, Free)):
        return [joint]
    if joint.steps is None or any(step.kind != HINGE for step in joint.steps):
        raise ValueError(f"no joint of type {joint.type_name} is made here")
    return [Revolute(step.axis) for step in joint.steps]


def mujoco_chain(model: Multibody) -> Call:
    """Return MuJoCo's forward dynamics of a chain of hinges, without contacts.

    It takes no bodies without mass: hinges of such become joints of the first body behind them that has some.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = np.array(model.gravity)
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    at = spec.worldbody
    waiting: list[Body] = []
    for body in model.bodies:
        waiting.append(body)
        if not body.inertia.mass:
            continue
        places = list(itertools.accumulate((each.X_PJ for each in waiting), np.matmul))
        X = places[-1]
        at = at.add_body(name=body.name, pos=X[:3, 3], quat=quaternion.from_matrix(X[:3, :3]))
        own = body.inertia.moved(body.X_JB[:3, :3], body.X_JB[:3, 3])
        I = own.inertia  # noqa: E741
        at.mass, at.ipos, at.explicitinertial = own.mass, own.center, True
        at.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        for each, place in zip(waiting, places, strict=True):
            back = se3.inverse(X) @ place
            at.add_joint(
                name=each.name, type=mujoco.mjtJoint.mjJNT_HINGE, pos=back[:3, 3],
                axis=back[:3, :3] @ np.array(each.joint.axis),  # type: ignore[attr-defined]
            )  # fmt: skip
        waiting = []
    peer = spec.compile()
    data = mujoco.MjData(peer)

    def forward(x: Array, v: Array, tau: Array) -> Array:
        data.qpos[:] = x
        data.qvel[:] = v
        data.qfrc_applied[:] = tau
        mujoco.mj_forward(peer, data)
        found: Array = data.qacc
        return found

    return forward


def agree(ours: Array, theirs: Array, what: str) -> None:
    """Make sure that a peer computes the same.

    Raises:
        ValueError: If it is off by more than 1e-9 of the largest value.
    """
    off = float(np.abs(ours - theirs).max() / np.abs(ours).max())
    if not off <= 1e-9:
        raise ValueError(f"{what} is off by {off:.2g}")


def slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return by which power of the size a time grows: the slope of the line through both logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"), one_thread():
        for n in LENGTHS:
            measure_chain(report, n)
        measure_figure(report)
        measure_growth(report)
        measure_batch(report)


def measure_batch(report: Callable[..., None]) -> None:
    """Many states of a chain of 20 hinges in one call, beside the kernel that does one row after the other."""
    model, rng = chain(20), np.random.default_rng(1)
    x, v, tau = rng.uniform(-3.0, 3.0, (BATCH, 20)), *rng.normal(size=(2, BATCH, 20))
    model.forward_dynamics(x[0], v[0])
    rows, memory = load("core.dynamics.rows_kernel").forward_rows, model.packed.memory
    outside, out, status = np.zeros((1, 20, 6)), np.empty((BATCH, 20)), np.empty(BATCH, dtype=np.int64)

    def kernel() -> None:
        rows(memory, *model.packed.functions, x, v, tau, outside, out, status, 0, BATCH)

    kernel()
    if not np.array_equal(out, model.forward_dynamics(x, v, tau)):
        raise ValueError("a batch has other bits than the kernel")
    # By the clock: what the other threads work is not this one's, and counts.
    least = np.full(2, np.inf)
    for _ in range(BATCHES):
        for k, call in enumerate((kernel, lambda: model.forward_dynamics(x, v, tau))):
            start = time.perf_counter()
            call()
            least[k] = min(least[k], time.perf_counter() - start)
    alone, whole = least.tolist()
    report(
        f"chain of 20 hinges: {BATCH} states in one call", 1e6 * whole / BATCH, "us a state",
        f"{processors()} processors; one alone {1e6 * alone / BATCH:.2f} us; {alone / whole:.2f} times its rate; "
        "the aim is 1.7 on two",
    )  # fmt: skip


def measure_chain(report: Callable[..., None], n: int) -> None:
    """A serial chain: forward beside both peers, inverse beside Pinocchio."""
    model, states = chain(n), random_states(n)
    ours, pinocchio, mujoco = Ours(model), Pinocchio(model), mujoco_chain(model)
    for state in states:
        agree(ours.forward(*state), pinocchio.forward(*state), "Pinocchio's aba")
        agree(ours.forward(*state), mujoco(*state), "MuJoCo")
        agree(ours.inverse(*state), pinocchio.inverse(*state), "Pinocchio's rnea")
    calls = [
        ours.forward, pinocchio.forward, mujoco, ours.inverse, pinocchio.inverse,
        model.forward_dynamics, model.inverse_dynamics,
    ]  # fmt: skip
    own, aba, mj, inverse, rnea, call, inverse_call = medians(calls, [states] * len(calls))
    report(f"chain of {n} hinges: forward dynamics", own, "us")
    report("  the same, Pinocchio aba", aba, "us", f"ratio {own / aba:.2f}; the aim is 0.40")
    report("  the same, Multibody.forward_dynamics", call, "us", f"ratio {call / aba:.2f}; the aim at 20 is 0.50")
    report("  the same, MuJoCo mj_forward without contacts", mj, "us", f"ratio {own / mj:.2f}")
    report(f"chain of {n} hinges: inverse dynamics", inverse, "us")
    report("  the same, Pinocchio rnea", rnea, "us", f"ratio {inverse / rnea:.2f}")
    report("  the same, Multibody.inverse_dynamics", inverse_call, "us", f"ratio {inverse_call / rnea:.2f}")


def measure_figure(report: Callable[..., None]) -> None:
    """The human: a free base and ball joints, in our coordinates and in Pinocchio's."""
    model = Multibody.from_skeleton(load_skeleton(bundled_folder() / "human.scr"))
    ours, pinocchio = Ours(model), Pinocchio(model)
    states = [(0.4 * x, v, tau) for x, v, tau in random_states(model.nv)]
    theirs = [pinocchio.state(*state) for state in states]
    for state, other in zip(states, theirs, strict=True):
        vdot = ours.forward(*state).copy()
        again = pinocchio.state(state[0], state[1], ours.inverse(state[0], state[1], np.zeros(model.nv)))[2]
        agree(again, pinocchio.inverse(other[0], other[1], twist_rates(model, state, 0.0 * vdot)), "Pinocchio's rnea")
        agree(twist_rates(model, state, vdot), pinocchio.forward(*other), "Pinocchio's aba")
    calls = [ours.forward, pinocchio.forward, ours.inverse, pinocchio.inverse]
    own, aba, inverse, rnea = medians(calls, [states, theirs, states, theirs])
    name = f"human, {len(model.bodies)} bodies, {model.nv} coordinates"
    report(f"{name}: forward dynamics", own, "us")
    report("  the same, Pinocchio aba", aba, "us", f"ratio {own / aba:.2f}")
    report(f"{name}: inverse dynamics", inverse, "us")
    report("  the same, Pinocchio rnea", rnea, "us", f"ratio {inverse / rnea:.2f}")


def twist_rates(model: Multibody, state: State, vdot: Array) -> Array:
    """Return accelerations as Pinocchio tells them: S vdot + Sdot v of joints that turn in space."""
    x, v, _ = state
    found, at = [], 0
    for body in model.bodies:
        for piece in pieces(body.joint):
            part = slice(at, at + piece.n)
            at += piece.n
            rates = vdot[part]
            if not isinstance(piece, Revolute):
                twist = piece.subspace(x[part]) @ rates + piece.subspace_rate(x[part], v[part]) @ v[part]
                rates = twist[:3] if isinstance(piece, Spherical) else twist[[3, 4, 5, 0, 1, 2]]
            found.append(rates)
    return np.concatenate(found)


def measure_growth(report: Callable[..., None]) -> None:
    """How the times grow from 20 to 400 joints."""
    models = {n: chain(n) for n in GROWTH}
    states = [random_states(n) for n in GROWTH]
    times = medians([Ours(models[n]).forward for n in GROWTH], states)
    note = ", ".join(f"{n}: {time:.1f} us" for n, time in zip(GROWTH, times, strict=True))
    report("recursive: power of the number of joints that the time grows with", slope(GROWTH, times), "", note)

    def maximal(model: Multibody) -> Call:
        return lambda x, v, tau: model.forward_dynamics(x, v, tau, formulation="maximal")

    times = medians([maximal(models[n]) for n in GROWTH], states, rounds=3)
    note = ", ".join(f"{n}: {1e-3 * time:.1f} ms" for n, time in zip(GROWTH, times, strict=True))
    report("maximal: power of the number of joints that the time grows with", slope(GROWTH, times), "", note)


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
