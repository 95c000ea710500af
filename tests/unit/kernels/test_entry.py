"""What Python calls of compiled kernels: quick for what they were compiled for, numba's own for anything else."""

from __future__ import annotations

import pickle
from types import BuiltinFunctionType
from typing import Any

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.tree_memory import TreeMemory
from core.formats.bundled import bundled_folder
from core.ik import Goal
from core.ik.problem import Problem, build
from core.joints import Revolute
from core.kernels import entry as entries
from core.kernels import load, serving
from core.kernels.block import Block, Layout, record
from core.skeleton.scr.reader import load_skeleton
from core.spatial import SpatialInertia

N = 4


class Other(Block):
    layout = Layout(record(("count", np.dtype(np.int64))), [("values", np.dtype(np.float64), ("count",))])


class Longer(TreeMemory):
    """A tree memory by another name."""


def model() -> Multibody:
    inertia = SpatialInertia(1.0, (0.1, 0.2, 0.3), np.diag([1.0, 1.0, 1.0]))
    m = Multibody([Body(f"b{i}", i - 1, Revolute((0, 0, 1)), inertia=inertia) for i in range(N)])
    m.forward_dynamics(np.zeros(N), np.zeros(N))
    return m


@pytest.fixture
def forward() -> Any:
    return load("core.dynamics.recursive_kernel").forward


def arguments(m: Multibody) -> list[Any]:
    rng = np.random.default_rng(4)
    return [m.packed.memory, *rng.normal(size=(3, N)), np.zeros((N, 6)), np.empty(N)]


def problem() -> Problem:
    arm = load_skeleton(bundled_folder() / "arm7.scr")
    return build(arm, arm.rest_pose(), (Goal(len(arm.joints) - 1, position=(0.1, 0.2, 0.3)),), None, None)


def test_kernels_for_python_have_entries() -> None:
    assert entries.fits()
    served = vars(load("core.dynamics.recursive_kernel"))
    for name in ("forward", "inverse", "hybrid", "mass_matrix", "inverse_product"):
        assert isinstance(served[name], BuiltinFunctionType)
        assert "Write" in served[name].__doc__ and served[name].__name__ == name
    assert isinstance(vars(load("core.dynamics.rows_kernel"))["forward"], BuiltinFunctionType), "of another file"
    assert isinstance(load("core.ik.nodes_kernel").frames, BuiltinFunctionType), "named tuples"


def test_the_entry_does_what_numba_does(forward: Any) -> None:
    m = model()
    given = arguments(m)
    dispatcher = forward.__self__
    assert forward(*given) == -1
    quick = given[-1].tobytes()
    given[-1][:] = 0.0
    assert dispatcher(*given) == -1 and given[-1].tobytes() == quick


def _refused(good: list[Any]) -> list[tuple[str, list[Any]]]:
    frozen = good[1].copy()
    frozen.setflags(write=False)
    swapped = [good[1].astype(dtype) for dtype in (">f8", "f4", "i8", "c16", "O")]
    odd = np.zeros(8 * N + 1, dtype=np.uint8)[1:].view(np.float64)
    others = [
        *swapped, frozen, odd, np.zeros((N, 2))[:, 0], np.zeros((N, 1)), np.array(1.0), [0.0] * N, None, 1, 1.5, "x",
        np.float64(1.0), object(), good[0],
    ]  # fmt: skip
    cases = [("array", [good[0], other, *good[2:]]) for other in others]
    cases += [("two axes", [*good[:4], other, good[5]]) for other in (np.zeros(6 * N), np.zeros((6, N)).T, None)]
    cases += [("block", [other, *good[1:]]) for other in (Other({"count": 3}), None, good[0].address, good[0].bytes)]
    cases += [("number", good[:-1]), ("number", [*good, 1]), ("number", [])]
    return cases


def test_what_numba_refuses_is_refused(forward: Any) -> None:
    """Nothing is read or written where an argument is of another kind; ``SIGSEGV`` would be the least of it."""
    m = model()
    for what, given in _refused(arguments(m)):
        with pytest.raises(TypeError):
            forward(*given)
            pytest.fail(f"taken: {what}")
    with pytest.raises(TypeError):
        forward(*arguments(m)[:-1], vdot=np.empty(N))


def test_what_numba_takes_is_taken(forward: Any) -> None:
    """An array with a dtype of its own, as pickle makes them; a block of a class made from the kernel's."""
    m = model()
    given = arguments(m)
    assert forward(*given) == -1
    expected = given[-1].tobytes()
    again = pickle.loads(pickle.dumps(given[1]))
    assert again.dtype is not given[1].dtype, "or this shows nothing"
    given[-1][:] = 0.0
    assert forward(given[0], again, *given[2:]) == -1 and given[-1].tobytes() == expected
    longer = Longer({"node_count": 1 + N, "body_count": N, "coordinate_count": N})
    longer.bytes[:] = given[0].bytes
    given[-1][:] = 0.0
    assert forward(longer, *given[1:]) == -1 and given[-1].tobytes() == expected


def test_numbers_truth_values_and_what_comes_back() -> None:
    kernels = serving("core.ik.poses_kernel")
    q = np.array([0.1, 5.0, -0.0])
    bounds = np.full(3, -1.0), np.full(3, 1.0)
    assert kernels.clamp_values(q, *bounds) is True and q.tolist() == [0.1, 1.0, 0.0]
    assert kernels.clamp_values(np.array([np.nan]), *bounds) is False
    x, base = np.empty(2), np.empty((2, 3, 4))
    pose, index, unit = np.array([1.0, 2.0, 3.0, 4.0]), np.array([3, 1]), np.ones(2)
    for size, fixed in ((2.0, True), (2, True), (np.float64(2.0), np.True_), (2, 1)):
        assert kernels.take(pose, index, unit, size, fixed, x, base) is None
        assert x.tolist() == [4.0, 2.0] and base[0, :, 3].tolist() == [0.5, 1.0, 1.5]
    with pytest.raises(TypeError):
        kernels.take(pose, index, unit, "2", True, x, base)
    target = np.zeros((2, 3))
    kernels.aim(np.ones(3), 2.0, 1, target)
    assert target.tolist() == [[0.0] * 3, [0.5] * 3]
    with pytest.raises(OverflowError):
        kernels.aim(np.ones(3), 2.0, 2**80, target)


def test_named_tuples_and_tuples_that_come_back() -> None:
    p = problem()
    kernels = load("core.ik.nodes_kernel")
    assert isinstance(kernels.frames, BuiltinFunctionType)
    kernels.frames(p.nodes, p.aims, p.x, p.work)
    merit, worst = kernels.errors(p.aims, p.work)
    assert (merit, worst) == kernels.errors.__self__(p.aims, p.work)
    assert type(merit) is float and merit > 0.0
    for bad in (tuple(p.aims), p.nodes, p.aims._replace(point=p.aims.point[0]), p.aims._replace(node=None)):
        with pytest.raises(TypeError):
            kernels.errors(bad, p.work)


def test_without_it_numba_is_called(monkeypatch: pytest.MonkeyPatch, forward: Any) -> None:
    dispatcher = forward.__self__
    assert entries.entry(dispatcher) is not dispatcher
    with monkeypatch.context() as patched:
        patched.setattr(entries, "_entry_name", lambda fndesc: "nowhere")  # compiled where nothing fitted
        assert entries.entry(dispatcher) is dispatcher
    monkeypatch.setattr(entries, "fits", lambda: False)
    assert entries.entry(dispatcher) is dispatcher
