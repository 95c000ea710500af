"""Equations in the solver's kernels: values and slopes beside other ways to the same numbers, and targets that move."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.animation.locks.formula import TargetFormula
from core.constraints import Lock, LockSolver
from core.constraints import equations as reading
from core.constraints.equations import EquationResidual
from core.constraints.hold import rows_kernel
from core.constraints.hold.packed import Hold
from core.constraints.hold.packing import pack_rows
from core.constraints.hold.rows import rows_of_locks
from core.constraints.places import Places
from core.constraints.tape import make_tape
from core.errors import LockError
from core.kernels import serving, uncompiled
from core.skeleton import Skeleton, load_skeleton
from core.symbolic import Evaluator, apply, derivative, symbol
from core.symbolic.expression import CONSTANT, OPERATIONS, SYMBOL

TEXTS = (
    '0.5 * "abdomen".x = "chest".x',
    'sin("left thigh".x * pi / 180) * 20 = "neck".z + 0.1 * "left upper arm".z ^ 2',
    'x("left hand")^2 + z("left hand")^2 = 0.1 + 0.3 * y("right hand", 0.02, -0.1, 0.03)',
    '"chest".x = 100 * y("left hand") * x("right foot"); max("neck".x, 2) = min(3, "head".y) / (1 + (2.5))',
)


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def bent(s: Skeleton, seed: int) -> np.ndarray:
    q, rng = s.rest_pose(), np.random.default_rng(seed)
    q[:3] += rng.normal(0.0, 0.2, 3)
    q[3:] = np.clip(q[3:] + rng.uniform(-0.3, 0.3, s.n_dofs), *(0.9 * s.limits).T)
    return q


def equation(text: str) -> Lock:
    return Lock("chest", "equation", target=text)


def in_kernels(s: Skeleton, q: np.ndarray, text: str) -> tuple[np.ndarray, np.ndarray]:
    """Return what the kernels say of equations, [m] and [rad], shapes (m,) and (m, nq)."""
    h = pack_rows(s, rows_of_locks([equation(text)], Places(s, q))[1], [], 1).hold
    assert type(h) is Hold  # nothing in it calls Python
    h.x[0] = q[h.q_index] / h.unit
    kernels = serving(rows_kernel)
    kernels.evaluate(h, 0)
    kernels.columns(h, 0)
    own = h.scale[:, None] != 0.0
    first = int(h.entries[len(h.entries) - 1].first)
    J = np.zeros((len(h.scale), s.nq))
    J[:, h.q_index] = np.where(own, h.J * h.scale[:, None] / h.unit, 0.0)
    return (h.C[0] * h.scale)[first:], J[first:]


def by_steps(text: str, s: Skeleton, q: np.ndarray) -> np.ndarray:
    """Return the values as expressions are evaluated one float at a time, without a tape; in the units of the text."""
    found = []
    for wholes, expression in reading._sides(text, "equation"):
        values = []
        for whole in wholes:
            match = reading.REFERENCE.fullmatch(whole)
            assert match is not None
            each = reading._reference(s, match, symbol("w"))
            place = Places(s, q).point(each.joint, each.point)[each.axis] if each.dof < 0 else 0.0
            values.append(place if each.dof < 0 else q[each.dof] * each.factor)
        symbols = [symbol(f"r{k}") for k in range(len(wholes))]
        found += Evaluator([expression], symbols).floats(values)
    return np.array(found)


@pytest.mark.parametrize("text", TEXTS)
def test_kernels_and_residual_agree_with_plain_evaluation_and_differences(human: Skeleton, text: str) -> None:
    for seed in range(3):
        q = bent(human, seed)
        C, J = in_kernels(human, q, text)
        residual = EquationResidual(text, human)
        unit = math.radians(1.0) if residual.angular else 1.0
        assert C == pytest.approx(unit * by_steps(text, human, q), abs=1e-12)
        assert C == pytest.approx(residual.value(q), abs=1e-12)
        assert np.abs(J - residual.both(q)[1]).max() < 1e-12 * (1.0 + np.abs(J).max())
        for k in range(human.nq):
            ahead, behind = q.copy(), q.copy()
            ahead[k], behind[k] = q[k] + 1e-5, q[k] - 1e-5
            slope = unit * (by_steps(text, human, ahead) - by_steps(text, human, behind)) / 2e-5
            assert J[:, k] == pytest.approx(slope, abs=1e-6 * (1.0 + np.abs(J).max())), (k, text)


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in (CONSTANT, SYMBOL, "power")])
def test_a_tape_does_each_operation_as_floats_do(name: str) -> None:
    symbols = [symbol("a"), symbol("b"), symbol("c")][: OPERATIONS[name].arity]
    node = apply(name, *symbols)
    slopes = derivative([node], symbols)[0]
    tape, plain = make_tape([node], slopes, symbols), Evaluator([node, *slopes], symbols)
    special = (0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, -800.0, 800.0, math.inf, -math.inf, math.nan)
    for number in range(60):
        values = np.random.default_rng(number).choice(special, len(symbols)).tolist()
        if name == "log" or name == "exp":
            values = [special[number % len(special)]]
        expected = np.array(plain.floats(values))
        with np.errstate(all="raise"):
            assert np.allclose(tape.values(values), expected, rtol=1e-15, atol=0.0, equal_nan=True), (name, values)


def test_powers_are_squares_of_squares() -> None:
    a = symbol("a")
    for exponent in range(2, 20):
        tape = make_tape([a**exponent], [], [a])
        assert tape.values([1.1])[0] == Evaluator([a**exponent], [a]).floats([1.1])[0]


def test_uncompiled_text_finds_the_same(human: Skeleton) -> None:
    q = bent(human, 5)
    compiled = [in_kernels(human, q, text) for text in TEXTS]
    with uncompiled():
        for text, (C, J) in zip(TEXTS, compiled, strict=True):
            own = in_kernels(human, q, text)
            assert own[0] == pytest.approx(C, abs=1e-12)
            assert np.abs(own[1] - J).max() < 1e-12 * (1.0 + np.abs(J).max())


def test_what_is_not_finite_pulls_at_nothing(human: Skeleton) -> None:
    for text in ('1 / ("chest".x - "chest".x) = "neck".x', 'log("chest".x - 400) = "neck".x'):
        q = bent(human, 1)
        C, J = in_kernels(human, q, text)
        assert np.isfinite(C).all() and np.isfinite(J).all()
        assert C == pytest.approx(EquationResidual(text, human).value(q))
        assert np.array_equal(LockSolver(human, [equation(text)]).solve(q).q, LockSolver(human, []).solve(q).q)


def test_an_equation_of_time_is_read_once(human: Skeleton, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '"chest".x + 3 * frame ^ 2 / 40 = "abdomen".x * t + 2 ^ (2)'
    formula = TargetFormula((text,), 24.0)
    kind = equation(TEXTS[0]).rule
    first = formula.target(kind, TEXTS[0], 3.0, 0.0)
    solver, q = LockSolver(human, [equation(first)]), bent(human, 2)
    solver.solve(q)
    kept = solver._problems[False]

    def never(*_arguments: object, **_named: object) -> None:
        raise AssertionError("it was parsed again")

    formula.target(kind, TEXTS[0], 4.5, 0.0)
    monkeypatch.setattr(reading, "parse", never)
    for frame in (4.0, 5.25, 9.0, 1e-7, 4.0):
        target = formula.target(kind, TEXTS[0], frame, 0.0)
        solver.set_target(0, target)
        found = solver.solve(q)
        assert solver._problems[False] is kept
        chest, abdomen = (math.degrees(found.q[reading._reference(human, match, symbol("w")).dof])
                          for match in map(reading.REFERENCE.fullmatch, ('"chest".x', '"abdomen".x'))
                          if match is not None)  # fmt: skip
        assert found.held
        assert chest + 3 * frame**2 / 40 == pytest.approx(abdomen * frame / 24.0 + 4.0, abs=1e-6)


def test_numbers_in_brackets_mean_what_they_do_without(human: Skeleton) -> None:
    pairs = {
        '"chest".x ^ (3) = 1': '"chest".x ^ 3 = 1', '"chest".x ^ -(3) = 1': '"chest".x ^ -3 = 1',
        '"chest".x ^ (2 * (1)) = (4)': '"chest".x ^ 2 = 4', '"chest".x ** (2) ** (2) = 1': '"chest".x ^ 4 = 1',
        '"chest".x = (3) deg + (2.5) * (-4)': '"chest".x = -7',
        'sin((3)) = "chest".x / (1e1)': 'sin(3) = "chest".x / 10',
        '"chest".x = abs ((-3))': '"chest".x = 3',
    }  # fmt: skip
    for seed in range(3):
        q = bent(human, seed)
        for text, plain in pairs.items():
            reading.read_equations(text, "target")
            for k, found in enumerate(EquationResidual(text, human).both(q)):
                assert found == pytest.approx(EquationResidual(plain, human).both(q)[k], rel=1e-12, abs=1e-12), text


def test_numbers_in_brackets_are_checked_like_others() -> None:
    reading.read_equations('"a".x = 1 / (2)', "target")
    with pytest.raises(LockError, match="character"):
        reading.read_equations('"a".x = 1 / (0)', "target")
    for text in ('"a".x = (N0)', '"a".x = (N0) + (3)', '"a".x = (N0) / (2)'):
        with pytest.raises(LockError, match="N0"):
            reading.read_equations(text, "target")
