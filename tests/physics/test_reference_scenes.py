"""The reference scenes of RedMax: all of the table in `make verify`, those that are quick always."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Scene, Stabilization, simulate
from core.dynamics.constraints import JointLimits
from core.dynamics.deformable import with_deformables
from core.dynamics.forces import Load, SpringDamper
from core.dynamics.integrators import LinearlyImplicit
from core.dynamics.integrators.implicit import implicit_stage
from core.dynamics.state import State
from core.dynamics.system import System
from tests.physics import reference_scenes
from tests.physics.scenes import chains, ground, rubbing, running, shapes, springs, strings
from tests.physics.scenes.building import Reference, chain, model, start
from tests.physics.scenes.program_friction import ProgramFriction, Roughness
from tests.physics.scenes.running import BDF_GATE, BEARING_GATE, COLUMNS, DRIFT_GATE, EULER_GATE, QP_GATE
from tests.physics.scenes.table import BDF1, BDF2, BISP, EULER, RECURSIVE, REDMAX, REFERENCES

WITH_MESHES = ("matlab:26", "matlab:34")
QUICK = [
    (key, EULER)
    for key in ("matlab:-1", "matlab:0", "matlab:1", "matlab:3", "matlab:5", "matlab:6", "matlab:7", "matlab:10")
] + [
    (key, EULER)
    for key in ("matlab:11", "matlab:13", "matlab:14", "matlab:16", "matlab:17", "matlab:18", "matlab:22", "matlab:26")
]  # fmt: skip
QUICK += [
    ("matlab:34", EULER),
    ("matlab:23", EULER),
    ("matlab:24", EULER),
    ("matlab:10", RECURSIVE),
    ("diff:1", BDF1),
    ("diff:3", BDF2),
    ("diff:6", BDF2),
]
QUICK += [("diff:10", EULER), ("diff:12", BDF2), ("diff:14", BDF1), ("diff:11", BDF1), ("diff:2", BDF2)]
QUICK += [("matlab:12", EULER), ("matlab:27", EULER), ("matlab:28", EULER), ("matlab:29", EULER), ("matlab:29", BISP)]
QUICK += [("matlab:30", EULER), ("matlab:31", EULER)]
ALL = [(reference.key, column) for reference in REFERENCES for column in COLUMNS if column in reference.given]


def _reference(key: str) -> Reference:
    return next(reference for reference in REFERENCES if reference.key == key)


def _check(key: str, column: str, data_folder: Path | None) -> None:
    outcome = running.run(_reference(key), column)
    assert outcome.good, reference_scenes.line(key, "", column, outcome)


@pytest.mark.verify
@pytest.mark.parametrize("column", [RECURSIVE, REDMAX])
def test_digits_of_adaptive_steps(column: str) -> None:
    """With the program's own adaptive steps, and its own way to close the loop, its digits come out."""
    reference = _reference("matlab:30")
    ours = running.program_energy(reference.build(), 1.5, column)
    assert ours == pytest.approx(reference.given[column], abs=1e-6)


@pytest.fixture
def meshes(request: pytest.FixtureRequest) -> Path | None:
    """The folder of reference data for the scenes that read meshes from it."""
    if request.node.callspec.params["key"] not in WITH_MESHES:
        return None
    folder: Path = request.getfixturevalue("data_folder")
    assert folder == shapes.DATA
    return folder


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("key", "column"), QUICK)
def test_quick_scenes(key: str, column: str, meshes: Path | None) -> None:
    _check(key, column, meshes)


@pytest.mark.verify
@pytest.mark.parametrize(("key", "column"), [row for row in ALL if row not in QUICK])
def test_all_scenes(key: str, column: str, meshes: Path | None) -> None:
    _check(key, column, meshes)


def test_the_table_holds_every_scene() -> None:
    assert [reference.key for reference in REFERENCES] == [
        *(f"matlab:{k}" for k in range(-1, 36)),
        *(f"diff:{k}" for k in range(15)),
    ]
    assert all(EULER in reference.given for reference in REFERENCES)
    assert (EULER_GATE, QP_GATE, BDF_GATE, DRIFT_GATE, BEARING_GATE) == (1e-8, 1e-2, 1e-4, 1e-5, 0.2)
    assert {reference.key for reference in REFERENCES if reference.gate is not None} == {"diff:11"}


def test_right_limits_give_another_energy_than_the_program() -> None:
    """The program closes the gap of an upper limit at the wrong sign; the note of the table tells what is right."""
    scene = chains.limits()
    right = Scene(scene.model, scene.x, scene.v, constraints=(JointLimits("2", -np.pi / 4, np.pi / 4),))
    motion = simulate(right, 2.0, 1e-2, LinearlyImplicit("touching"))
    assert running.energy(motion) == pytest.approx(34838.892152722, abs=1e-6)


@pytest.mark.verify
def test_a_right_spring_and_damper_has_another_energy_than_the_program() -> None:
    """The program's damper pushes where a step starts, its energy is not that of its force; see the table's note."""
    right = springs.spring_and_damper(SpringDamper)
    motion = simulate(right, 2.0, 1e-2, LinearlyImplicit("touching"))
    assert running.energy(motion) == pytest.approx(-17990.4482673965, abs=1e-6)
    fine = simulate(right, 0.2, 1e-3, "bdf2")
    loss = float(fine.energy[0].sum() - fine.energy[-1].sum())
    assert loss > 0.0  # a damper takes energy


@pytest.mark.verify
def test_attached_nodes_are_not_nodes_held_by_constraints() -> None:
    """The program holds nodes by constraints; ours are in the bodies. Both errors go with the steps."""
    boxes = model(chain(2))
    x, v = start(boxes)
    a, b = strings.threads()
    held = (
        a.attach(boxes, x, {0: "world", 2: "2"}),
        b.attach(boxes, x, {0: "1", 1: "2"}),
    )
    made = with_deformables(boxes, x, held, v)
    forces = tuple(strings.ExplicitSprings(force.body, force.first) for force in made.forces)
    scene = Scene(made.model, made.x, made.v, forces)
    coarse, fine = (running.energy(simulate(scene, 1.0, h, LinearlyImplicit("touching"))) for h in (5e-3, 1e-3))
    assert coarse == pytest.approx(-12732.472991667, rel=1e-9)
    assert abs(fine) < 0.3 * abs(coarse)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("scene", "rough", "other", "energy"),
    [
        (rubbing.hinges, rubbing.HINGES, {"twice": False}, -137491.666),
        (rubbing.hinges, rubbing.HINGES, {"tolerance": 1e-16}, -137786.106),
        (rubbing.balls, rubbing.BALLS, {"tolerance": 1e-16}, -186280.753),
    ],
)
@pytest.mark.sampled(1)
def test_what_the_program_does_with_friction_counts(
    scene: Callable[[], Scene], rough: Roughness, other: dict, energy: float
) -> None:
    """Without one of its ways the energy is another one; see the docs for all of them."""
    motion = simulate(scene(), 1.0, 1e-2, ProgramFriction(rough, **other), "redmax")
    assert running.energy(motion) == pytest.approx(energy, abs=0.1)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("other", "energy"), [({"on_previous": False}, 19810.93), ({"twice": False}, 20373.20), ({}, 19598.86)]
)
def test_what_the_program_does_with_friction_counts_in_the_walker(other: dict, energy: float) -> None:
    steps = ProgramFriction(rubbing.WALKER, **other)
    motion = simulate(rubbing.walker(), 1.0, 5e-3, steps, "redmax", stabilization=Stabilization(step=20.0))
    assert running.energy(motion) == pytest.approx(energy, abs=0.1)


@pytest.mark.verify
def test_friction_of_the_pushing_floor_has_the_wrong_sign() -> None:
    """The program's pushes what slides; put right it brakes, and the box comes to rest."""
    for slips, sign in ((True, 1.0), (False, -1.0)):
        scene = ground.on_the_floor(slips)
        x, v = start(scene.model, q1=(0.0, 0.49, 0.0), v1=(50.0, 0.0, 0.0))
        load = Load(scene.model)
        scene.forces[0].add(State(scene.model, x, v), load)
        # Four corners 0.01 deep: 0.5 of 4000 along, which is less than what holding would take.
        assert load.wrenches[0, 3:] == pytest.approx([sign * 2000.0, 4000.0, 0.0])
    right = simulate(ground.on_the_floor(slips=False), 0.6, 5e-4, LinearlyImplicit("touching"))
    assert running.energy(right) == pytest.approx(-4399.951, abs=0.01)


@pytest.mark.verify
def test_a_step_on_the_pushing_floor_has_two_solutions() -> None:
    """Friction that pushes jumps where sliding begins, so that the energy of the program is one of several."""
    scene, h, k = ground.on_the_floor(), 5e-4, 351
    motion = simulate(scene, k * h, h, "bdf2")
    (x0, x1, x2), (v0, v1, _) = motion.x[k - 2 :], motion.v[k - 2 :]
    system = System(scene, "recursive", Stabilization())
    guess = x2 - np.array([6.2425e-4, 1.0888e-5, 5.75175e-4])
    start_of_step = (motion.times[k - 1], x1)
    other, _, _ = implicit_stage(
        system, motion.times[k], start_of_step, guess, (4.0 * x1 - x0) / 3.0, (4.0 * v1 - v0) / 3.0, 1.5 / h
    )
    assert np.abs(other - x2).max() == pytest.approx(6.24e-4, rel=0.01)


@pytest.mark.verify
def test_bounces_magnify_on_the_pushing_floor() -> None:
    energies = []
    for turned in (0.0, 1e-9):
        scene = ground.on_the_floor()
        moved = Scene(scene.model, (-1.0, 2.0, turned), scene.v, scene.forces)
        energies.append(running.energy(simulate(moved, 0.6, 5e-4, "bdf2")))
    assert energies[1] - energies[0] == pytest.approx(0.0286, rel=0.1)


def test_missing_data_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(shapes, "DATA", tmp_path)
    assert reference_scenes.main(["matlab:26", "--integrator", "euler"]) == 1
    assert "set SEQUENCE_EDITOR_DATA" in capsys.readouterr().out


def test_every_row_of_the_other_table_prints_its_euler_energy(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference_scenes.main(["diff:6", "--integrator", "euler"]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[:9] == ["diff:6", "thrown", "in", "the", "plane", "euler", "(not", "given)", "20322.93333333"]


def test_the_command_prints_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference_scenes.main(["matlab:-1", "--integrator", "euler"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.startswith("scene") and row.split()[:5] == [
        "matlab:-1",
        "two-link",
        "chain",
        "euler",
        "-3697.454569445",
    ]
    assert row.split()[5] == "-3697.454569445" and " OK " in row
    with pytest.raises(SystemExit):
        reference_scenes.main(["matlab:100"])
    assert "there is no scene matlab:100; there are matlab:-1, " in capsys.readouterr().err
