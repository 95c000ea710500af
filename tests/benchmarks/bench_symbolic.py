"""Generated recursions beside the kernels and Pinocchio: time, growth, and how long a model takes to open.

Si & Guenter's table 1: RC20, RC50, RC100 are chains of hinges, TC10 and TC20 chains of tori that roll on each other (4
coordinates each, the first has 2), WM a windmill with a pair of every kind of surface (73). Generated code is timed
over many states in one call, Pinocchio from Python.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from core.codegen import bundle, generated, machine
from core.codegen.sweep import Sweep
from core.dynamics import Body, Multibody
from core.dynamics.packed import Packed
from core.dynamics.symbolic import tree
from core.dynamics.symbolic.tree import SymbolicTree, tree_of
from core.formats import bundled_folder
from core.joints import Revolute, SurfaceOnSurface, Universal
from core.joints.geometry import Torus
from core.kernels.cache import CACHE_VARIABLE
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia, se3
from tests.benchmarks.bench_dynamics import Ours, Pinocchio, agree, chain, random_states, slope
from tests.benchmarks.timing import interleaved, one_thread
from tests.support.kernels import kernels_in_use

LENGTHS = (20, 50, 100)
GROWTH = (20, 50, 100, 200, 400)
ROUNDS, STATES = 61, 40
TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])

Array = np.ndarray


def rods(n: int) -> Multibody:
    """Return a chain of equal rods, each hinge at right angles to the one before."""
    rod = SpatialInertia.box(1.0, (0.2, 0.05, 0.05), (0.1, 0.0, 0.0))
    step = se3.transform(TURN, (0.2, 0.0, 0.0))
    bodies = [Body(f"{i}", i - 1, Revolute(), step if i else np.eye(4), inertia=rod) for i in range(n)]
    return Multibody(bodies, gravity=(0.0, 0.0, -9.81))


def tori(n: int) -> Multibody:
    """Return a chain of tori, the first on a universal joint, each other rolling and sliding on the one before."""
    inertia = SpatialInertia.sphere(1.0, 0.3)
    bodies = [Body("0", -1, Universal(), inertia=inertia)]
    pair = SurfaceOnSurface(Torus(0.3, 0.1), Torus(0.3, 0.1))
    bodies += [Body(f"{i}", i - 1, pair, inertia=inertia) for i in range(1, n)]
    return Multibody(bodies)


def windmill() -> Multibody:
    """Return the bundled windmill, which has a hinge and 18 pairs of surfaces of five kinds."""
    return Multibody.from_skeleton(load_skeleton(bundled_folder() / "mechanisms" / "windmill.scr"), fixed_base=True)


def batches(n: int) -> tuple[Array, Array, Array]:
    """Return states as rows."""
    states = random_states(n)
    x, v, tau = (np.stack([states[k % len(states)][part] for k in range(STATES)]) for part in range(3))
    return x, v, tau


class Generated:
    """Generated code of a model over many states in one call."""

    def __init__(self, model: Multibody):
        self.sweep = tree_of(model).sweep("outward", "inward", "onward")
        self.states = batches(model.nv)
        self.out = np.empty((STATES, model.nv))
        self.sweep.wait()

    def __call__(self) -> None:
        self.sweep.run(*self.states, self.out)


def many(call: Callable[..., Any], n: int) -> Callable[[], None]:
    """Return a loop over the same states."""
    states = [tuple(part[k] for part in batches(n)) for k in range(STATES)]

    def run() -> None:
        for state in states:
            call(*state)

    return run


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with tempfile.TemporaryDirectory() as folder, kernels_in_use("compiled"), one_thread():
        before = os.environ.get(CACHE_VARIABLE)
        os.environ[CACHE_VARIABLE] = folder  # nothing has been compiled yet
        try:
            measure_opening(report)
            measure_preprocessing(report)
            for n in LENGTHS:
                measure_chain(report, f"RC{n}, frames anywhere", chain(n))
                measure_chain(report, f"RC{n}, equal rods", rods(n))
            for n in (10, 20):
                measure_pairs(report, f"TC{n}", tori(n))
            measure_pairs(report, "WM", windmill())
            measure_growth(report)
        finally:
            os.environ.pop(CACHE_VARIABLE)
            if before is not None:
                os.environ[CACHE_VARIABLE] = before


def measure_chain(report: Callable[..., None], name: str, model: Multibody) -> None:
    """Generated code, our kernel, Method II and Pinocchio; the public call."""
    n = model.nv
    ours, pinocchio, code = Ours(model), Pinocchio(model), Generated(model)
    code()
    for k in range(4):
        state = tuple(part[k] for part in code.states)
        agree(code.out[k], ours.forward(*state), "the kernel")
        agree(code.out[k], pinocchio.forward(*state), "Pinocchio's aba")

    def public(x: Array, v: Array, tau: Array) -> Array:
        return model.forward_dynamics(x, v, tau, "symbolic")

    def mixed(x: Array, v: Array, tau: Array) -> Array:
        return model.forward_dynamics(x, v, tau, "mixed")

    calls = [code, many(ours.forward, n), many(public, n), many(pinocchio.forward, n)]
    own, kernel, call, aba = (1e6 * time / STATES for time in interleaved(calls, ROUNDS))
    (second,) = (1e6 * time / STATES for time in interleaved([many(mixed, n)], 3))
    count = tree_of(model).operations("outward", "inward", "onward")
    report(f"{name}: Method I", own, "us", f"ratio to aba {own / aba:.3f}; the aim is 0.20")
    report("  its operations", count, "", f"{1e-3 * count / own:.2f} a nanosecond; at least a third a cycle")
    report("  Method II", second, "us")
    report("  our kernel", kernel, "us", f"ratio {kernel / aba:.3f}")
    report("  the public call, Method I", call, "us", f"ratio {call / aba:.3f}")
    report("  Pinocchio aba", aba, "us")


def measure_pairs(report: Callable[..., None], name: str, model: Multibody) -> None:
    """A model with pairs of surfaces: Method I, the public call of Methods I and II and of the recursive kernel."""
    code = Generated(model)
    code()

    def call(formulation: str) -> Callable[..., Array]:
        return lambda x, v, tau: model.forward_dynamics(x, v, tau, formulation)

    agree(code.out[0], call("recursive")(*(part[0] for part in code.states)), "the kernel")
    n = model.nv
    calls = [code, many(call("symbolic"), n), many(call("recursive"), n)]
    own, public, kernel = (1e6 * time / STATES for time in interleaved(calls, ROUNDS))
    (second,) = (1e6 * time / STATES for time in interleaved([many(call("mixed"), n)], 3))
    count = tree_of(model).operations("outward", "inward", "onward")
    report(f"{name}, {n} coordinates: Method I", own, "us")
    report("  its operations", count, "", f"{1e-3 * count / own:.2f} a nanosecond; at least a third a cycle")
    report("  the public call, Method I", public, "us")
    report("  the public call, our kernel", kernel, "us")
    report("  Method II", second, "us")


def _forget() -> None:
    for known in (tree._routines, generated._noted, generated._functions, bundle._known):
        known.clear()  # type: ignore[attr-defined]


def opened(model: Multibody) -> float:
    """Return how long it takes until a model has accelerations, with no code in memory, [s]."""
    _forget()
    x, v, tau = random_states(model.nv)[0]
    out = np.empty(model.nv)
    start = time.perf_counter()
    model.packed = Packed(model)
    SymbolicTree(model).forward(x, v, tau, model.calm, out)
    return time.perf_counter() - start


def measure_opening(report: Callable[..., None]) -> None:
    """RC100 from the model to the first accelerations."""
    machine.machine()
    Sweep([], np.zeros(1), 1)
    opened(rods(3))
    cold, warm = [], []
    for _ in range(5):
        model = chain(100)
        for path in generated.CACHE.folder.glob("*"):
            path.unlink()
        cold.append(opened(model))
        while generated._worker is not None:
            time.sleep(0.01)
        warm += [opened(model) for _ in range(5)]
    report("RC100 opens and has accelerations", 1e3 * float(np.median(cold)), "ms", "the aim is 250")
    report("  the same, code on the disk", 1e3 * float(np.median(warm)), "ms", "the aim is 10")


def measure_preprocessing(report: Callable[..., None]) -> None:
    """How the time to prepare grows, with nothing on the disk and nothing in memory."""
    times = []
    for n in GROWTH:
        model, own = rods(n), []
        for _ in range(3):
            for path in generated.CACHE.folder.glob("*"):
                path.unlink()
            own.append(opened(model))
        times.append(min(own))
    note = ", ".join(f"{n}: {1e3 * time:.0f} ms" for n, time in zip(GROWTH, times, strict=True))
    report("preparing: power of the number of joints", slope(GROWTH, times), "", note)


def measure_growth(report: Callable[..., None]) -> None:
    """How the time of an evaluation grows from 20 to 400 joints."""
    codes = [Generated(chain(n)) for n in GROWTH]
    times = interleaved([lambda code=code: code() for code in codes], ROUNDS)
    note = ", ".join(f"{n}: {1e6 * time / STATES:.2f} us" for n, time in zip(GROWTH, times, strict=True))
    report("Method I: power of the number of joints", slope(GROWTH, times), "", note)


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
