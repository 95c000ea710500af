"""Generated recursions beside the kernels and other programs: time, growth, and how long a model takes to open.

Si & Guenter's table 1 again: RC20, RC50, RC100 are chains of hinges, TC10 and TC20 chains of tori that run on each
other (4 coordinates each, the first has 2), WM is a windmill whose arms hang together by all five pairs of surfaces.
Methods I and the kernels are timed over many states in one call, other programs from Python, all by turns.
"""

from __future__ import annotations

import ctypes
import math
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from core.codegen import bundle, generated, machine
from core.codegen.sweep import Sweep
from core.dynamics import Multibody
from core.dynamics.packed import Packed
from core.dynamics.recursive import packed_of
from core.dynamics.symbolic import tree
from core.dynamics.symbolic.tree import SymbolicTree, tree_of
from core.kernels import load
from core.kernels.cache import CACHE_VARIABLE
from core.system_calls import processors
from tests.benchmarks.bench_dynamics import BATCH, Pinocchio, agree, chain, mujoco_chain, random_states, slope
from tests.benchmarks.timing import LONG, one_thread
from tests.support.kernels import kernels_in_use
from tests.support.paper_examples import Example, batches, examples, itself, rods

LENGTHS = (20, 50, 100)
GROWTH = (20, 50, 100, 200, 400)
ROUNDS, REPEATS, STATES, BATCHES = 61, 10, 40, 40
Array = np.ndarray


class Generated:
    """Generated code of a model over many states in one call."""

    def __init__(self, model: Multibody):
        self.sweep = tree_of(model).sweep("outward", "inward", "onward")
        self.states = batches(model, STATES)
        self.out = np.empty((STATES, model.nv))
        self.sweep.wait()

    def __call__(self) -> None:
        self.sweep.run(*self.states, self.out)


class Kernel:
    """The compiled kernels of a model over the same states in one call, on one thread."""

    def __init__(self, model: Multibody, count: int = STATES):
        self.states, self.out = batches(model, count), np.empty((count, model.nv))
        packed, self.rows = packed_of(model), load("core.dynamics.rows_kernel").forward_rows
        self.arguments = packed.memory, *packed.functions
        self.rest = np.zeros((1, len(model.bodies), 6)), self.out, np.empty(count, dtype=np.int64), 0, count
        while generated._worker is not None:  # joints are evaluated by generated code, which is being optimized
            time.sleep(0.01)

    def __call__(self) -> None:
        self.rows(*self.arguments, *self.states, *self.rest)


class Looped:
    """A function of one state, called from Python for each, as people do."""

    def __init__(self, call: Callable[..., Array], states: tuple[Array, Array, Array]):
        self.call, self.states = call, list(zip(*states, strict=True))

    def __call__(self) -> None:
        call = self.call
        for state in self.states:
            call(*state)


def others(example: Example) -> tuple[dict[str, Callable[..., Array]], dict[str, str]]:
    """Return forward dynamics in other programs, on the example's hinges; and of those that cannot why not."""
    made: dict[str, Callable[..., Array]] = {}
    lacking: dict[str, str] = {}
    for name, make in (("Pinocchio aba", _pinocchio), ("MuJoCo mj_forward", _mujoco), ("Drake", _drake)):
        if example.hinges is None:
            lacking[name] = "cannot: it has no such joints"
            continue
        try:
            made[name] = make(example.hinges)
        except ImportError as error:
            lacking[name] = f"not installed ({error})"
    return made, lacking


def _pinocchio(model: Multibody) -> Callable[..., Array]:
    return Pinocchio(model).forward


def _mujoco(model: Multibody) -> Callable[..., Array]:
    return mujoco_chain(model)


def _drake(model: Multibody) -> Callable[..., Array]:
    """Return Drake's forward dynamics of a chain, which is lazy: it works out what has changed."""
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, UnitInertia
    from pydrake.multibody.tree import SpatialInertia as DrakeInertia

    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(model.gravity)
    made = []
    for body, parent in zip(model.bodies, model.parents.tolist(), strict=True):
        own = body.inertia.moved(body.X_JB[:3, :3], body.X_JB[:3, 3])
        inertia = DrakeInertia(0.0, np.zeros(3), UnitInertia(0.0, 0.0, 0.0))
        if own.mass:
            I = own.inertia  # noqa: E741
            about = RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
            inertia = DrakeInertia.MakeFromCentralInertia(own.mass, own.center, about)
        made.append(plant.AddRigidBody(body.name, inertia))
        before = plant.world_body() if parent < 0 else made[parent]
        frame = plant.AddFrame(FixedOffsetFrame(f"at {body.name}", before.body_frame(), RigidTransform(body.X_PJ)))
        axis = np.array(body.joint.axis)  # type: ignore[attr-defined]
        plant.AddJoint(RevoluteJoint(body.name, frame, made[-1].body_frame(), axis))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    n = model.nv
    forces = plant.get_applied_generalized_force_input_port().FixValue(context, np.zeros(n))
    state = np.empty(2 * n)

    def forward(x: Array, v: Array, tau: Array) -> Array:
        state[:n], state[n:] = x, v
        plant.SetPositionsAndVelocities(context, state)
        forces.GetMutableData().get_mutable_value().SetFromVector(tau)
        found: Array = plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector()
        return found

    return forward


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with tempfile.TemporaryDirectory() as folder, kernels_in_use("compiled"), one_thread():
        for name in ("rows_kernel", "joints_kernel", "recursive_kernel"):
            load(f"core.dynamics.{name}")
        before = os.environ.get(CACHE_VARIABLE)
        os.environ[CACHE_VARIABLE] = folder  # nothing has been compiled yet
        try:
            measure_opening(report)
            measure_preprocessing(report)
            for n in LENGTHS:
                measure(report, itself(f"RC{n}, frames anywhere", chain(n), chain(n)))
            for example in examples():
                measure(report, example)
            measure_batch(report)
            measure_growth(report)
        finally:
            os.environ.pop(CACHE_VARIABLE)
            if before is not None:
                os.environ[CACHE_VARIABLE] = before


def measure(report: Callable[..., None], example: Example) -> None:
    """A row of the table: generated code, our kernel, Method II, the public call, other programs, the paper."""
    model = example.model
    code, kernel = Generated(model), Kernel(model)
    made, lacking = others(example)
    code()
    kernel()
    theirs = example.states(STATES)
    for k in range(4):
        agree(code.out[k], kernel.out[k], "the kernel")
        for name, call in made.items():
            agree(code.out[k], example.accelerations(call(*(part[k] for part in theirs))), name)

    def public(x: Array, v: Array, tau: Array) -> Array:
        return model.forward_dynamics(x, v, tau, "symbolic")

    def mixed(x: Array, v: Array, tau: Array) -> Array:
        return model.forward_dynamics(x, v, tau, "mixed")

    calls = [
        code,
        kernel,
        Looped(public, code.states),
        Looped(mixed, code.states),
        *(Looped(call, theirs) for call in made.values()),
    ]
    own, by_kernel, call, second, *rest = (1e6 * time / STATES for time in steady(calls))
    count = tree_of(model).operations("outward", "inward", "onward")
    times = dict(zip(made, rest, strict=True))
    aba = times.get("Pinocchio aba")

    def ratio(value: float, aim: str = "") -> str:
        return f"ratio to aba {value / aba:.3f}{aim}" if aba else ""

    named = f"{example.name}, {model.nv} coordinates"
    report(f"{named}: Method I", own, "us", ratio(own, "; the aim is 0.20" if example.name.startswith("RC") else ""))
    report("  its operations", count, "", f"{own * cycles() / count:.2f} cycles each; the aim is 3")
    report("  Method II", second, "us")
    report("  our kernel", by_kernel, "us", ratio(by_kernel))
    report("  the public call, Method I", call, "us", ratio(call))
    for name, value in times.items():
        report(f"  {name}", value, "us", "" if example.hinges is model else f"of {example.hinges.nv} hinges")
    for name, why in lacking.items():
        report(f"  {name}", float("nan"), "us", why)
    if example.paper:
        names = ("Method II", "Featherstone", "SD/FAST")
        noted = [f"{name} {time or 'none'}" for name, time in zip(names, example.paper[1:], strict=True)]
        report("  the paper's Method I, in 2011 at 2.67 GHz", example.paper[0] or 0.0, "us", f"its {', '.join(noted)}")


def steady(candidates: Sequence[Callable[[], Any]]) -> list[float]:
    """Return the least time [s] of each candidate, by turns, once it has filled the caches with its own."""
    least = [math.inf] * len(candidates)
    for _ in range(ROUNDS):
        for k, candidate in enumerate(candidates):
            candidate()
            done, start = 0, time.perf_counter()
            while done < REPEATS and (not done or time.perf_counter() - start < LONG):
                candidate()
                done += 1
            least[k] = min(least[k], (time.perf_counter() - start) / done)
    return least


@cache
def cycles() -> float:
    """Return how many cycles of the processor a microsecond has: of a loop that counts, which takes one each."""
    text = (
        "define i64 @count(i64 %n) {\nentry:\nbr label %next\nnext:\n%i = phi i64 [0, %entry], [%more, %next]\n"
        "%more = add i64 %i, 1\n%again = icmp slt i64 %more, %n\nbr i1 %again, label %next, label %end\n"
        "end:\nret i64 %more\n}\n"
    )
    llvm = machine.machine()
    count = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(llvm.load([llvm.object_of(text, True)], "count")[0])
    best = float("inf")
    for _ in range(200):
        start = time.perf_counter()
        count(100_000)
        best = min(best, time.perf_counter() - start)
    return 1e-6 * 100_000 / best


def measure_batch(report: Callable[..., None]) -> None:
    """Many states of a chain of 20 hinges in one call, beside the kernel and generated code on one thread."""
    for name, model in (("frames anywhere", chain(20)), ("equal rods", rods(20))):
        kernel, code = Kernel(model, BATCH), Generated(model)
        states = kernel.states
        out = np.empty((BATCH, model.nv))
        kernel()
        found = model.forward_dynamics(*states, "symbolic")
        code.sweep.run(*states, out)
        if not np.array_equal(found, out):
            raise ValueError("a batch has other bits than one state after the other")
        agree(found, kernel.out, "the kernel")
        calls = [
            kernel, lambda: model.forward_dynamics(*states), lambda: code.sweep.run(*states, out),  # noqa: B023
            lambda: model.forward_dynamics(*states, "symbolic"),  # noqa: B023
        ]  # fmt: skip
        # By the clock: what the other threads work is not this one's, and counts.
        least = np.full(len(calls), np.inf)
        for _ in range(BATCHES):
            for k, call in enumerate(calls):
                start = time.perf_counter()
                call()
                least[k] = min(least[k], time.perf_counter() - start)
        one, kernels, alone, whole = (1e6 * least / BATCH).tolist()
        report(
            f"RC20, {name}: {BATCH} states in one call", whole, "us",
            f"{one / whole:.2f} times the kernel's rate; the aim is 1.7; {processors()} processors",
        )  # fmt: skip
        report("  generated code on one thread", alone, "us", f"all of them {alone / whole:.2f} times its rate")
        report("  the kernel on one thread", one, "us")
        report("  the kernel on all", kernels, "us", f"{one / kernels:.2f} times its rate on one")


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
    """RC100 from the model to the first accelerations: the least of some tries, when nothing else is going on."""
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
    report("RC100 opens and has accelerations", 1e3 * min(cold), "ms", "the aim is 250")
    report("  the same, code on the disk", 1e3 * min(warm), "ms", "the aim is 10")


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
    times = steady(codes)
    note = ", ".join(f"{n}: {1e6 * time / STATES:.2f} us" for n, time in zip(GROWTH, times, strict=True))
    report("Method I: power of the number of joints", slope(GROWTH, times), "", note)


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
