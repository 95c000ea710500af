"""The reference scenes of RedMax: all of the table in `make verify`, those that are quick always."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Scene, simulate
from core.dynamics.constraints import JointLimits
from core.dynamics.forces import SpringDamper
from core.dynamics.integrators import LinearlyImplicit
from tests.physics import reference_scenes
from tests.physics.scenes import chains, running, shapes, springs
from tests.physics.scenes.building import Reference
from tests.physics.scenes.running import BDF_GATE, COLUMNS, DRIFT_GATE, EULER_GATE, QP_GATE
from tests.physics.scenes.table import BDF1, BDF2, EULER, RECURSIVE, REFERENCES

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
QUICK += [("matlab:23", EULER), ("matlab:24", EULER), ("diff:10", EULER), ("diff:12", BDF2), ("diff:14", BDF1)]
ALL = [(reference.key, column) for reference in REFERENCES for column in COLUMNS if column in reference.given]


def _reference(key: str) -> Reference:
    return next(reference for reference in REFERENCES if reference.key == key)


def _check(key: str, column: str, data_folder: Path | None) -> None:
    outcome = running.run(_reference(key), column)
    assert outcome.good, reference_scenes.line(key, "", column, outcome)


@pytest.fixture
def meshes(request: pytest.FixtureRequest) -> Path | None:
    """The folder of reference data for the scenes that read meshes from it."""
    if request.node.callspec.params["key"] not in WITH_MESHES:
        return None
    folder: Path = request.getfixturevalue("data_folder")
    assert folder == shapes.DATA
    return folder


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("key", "column"), QUICK)
def test_quick_scenes(key: str, column: str, meshes: Path | None) -> None:
    _check(key, column, meshes)


@pytest.mark.verify
@pytest.mark.parametrize(("key", "column"), [row for row in ALL if row not in QUICK])
def test_all_scenes(key: str, column: str, meshes: Path | None) -> None:
    _check(key, column, meshes)


def test_the_table_holds_every_scene() -> None:
    numbers = {*range(-1, 12), *range(13, 27), 32, 34, 35}
    assert {reference.key for reference in REFERENCES} == {f"matlab:{k}" for k in numbers} | {
        f"diff:{k}" for k in (*range(11), 12, 13, 14)
    }
    assert (EULER_GATE, QP_GATE, BDF_GATE, DRIFT_GATE) == (1e-8, 1e-2, 1e-4, 1e-5)


def test_right_limits_give_another_energy_than_the_program() -> None:
    """The program closes the gap of an upper limit at the wrong sign; the note of the table tells what is right."""
    scene = chains.limits()
    right = Scene(scene.model, scene.x, scene.v, constraints=(JointLimits("2", -np.pi / 4, np.pi / 4),))
    motion = simulate(right, 2.0, 1e-2, LinearlyImplicit("touching"))
    assert running.energy(motion) == pytest.approx(34838.892152722, abs=1e-6)


def test_a_right_spring_and_damper_has_another_energy_than_the_program() -> None:
    """The program's damper pushes where a step starts, its energy is not that of its force; see the table's note."""
    right = springs.spring_and_damper(SpringDamper)
    motion = simulate(right, 2.0, 1e-2, LinearlyImplicit("touching"))
    assert running.energy(motion) == pytest.approx(-17990.4482673965, abs=1e-6)
    fine = simulate(right, 0.2, 1e-3, "bdf2")
    loss = float(fine.energy[0].sum() - fine.energy[-1].sum())
    assert loss > 0.0  # a damper takes energy


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
