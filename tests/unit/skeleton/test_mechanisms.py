"""Mechanisms that come with the program: what their script makes, with the joints of Si & Guenter's examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Multibody
from core.joints import PointOnCurve, PointOnSurface, SurfaceOnSurface
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton, read_scr, write_scr
from skeletons.making import make_mechanisms

MADE = {figure.name: figure for figure in (make() for make in make_mechanisms.FIGURES)}
every_figure = pytest.mark.parametrize("name", MADE)


@pytest.fixture
def folder(skeletons_folder: Path) -> Path:
    return skeletons_folder / "mechanisms"


def test_every_mechanism_is_there(folder: Path) -> None:
    assert {path.stem for path in folder.glob("*.scr")} == set(MADE)


@pytest.mark.verify
@pytest.mark.sampled(1)
@every_figure
def test_files_are_what_the_script_makes(folder: Path, name: str) -> None:
    files = MADE[name].files()
    for path, text in files.items():
        assert (folder / path).read_text(encoding="utf-8") == text
    there = {path.relative_to(folder).as_posix() for path in (folder / name).glob("*")}
    assert there == set(files) - {f"{name}.scr"}


@every_figure
def test_they_load_without_warnings_and_are_written_as_they_are(folder: Path, name: str) -> None:
    s = load_skeleton(folder / f"{name}.scr")
    assert not s.warnings and all(s.dof_labels[: len(s.joints[1].dofs)])
    text = write_scr(s)
    assert write_scr(read_scr(text)) == text


@every_figure
def test_formulations_agree(folder: Path, name: str) -> None:
    s = load_skeleton(folder / f"{name}.scr")
    model = Multibody.from_skeleton(s, fixed_base=True)
    rng = np.random.default_rng(4)
    q = s.rest_pose()
    q[3:] = np.clip(q[3:] + 0.2 * rng.normal(size=s.n_dofs), *s.limits.T)
    x, v = model.state_from_pose(q, 0.5 * rng.normal(size=s.nq))
    expected = model.forward_dynamics(x, v)
    for formulation in ("redmax", "maximal"):
        found = model.forward_dynamics(x, v, formulation=formulation)
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-8 * np.abs(expected).max())


def types(folder: Path, name: str) -> list:
    return [joint.curved for joint in load_skeleton(folder / f"{name}.scr").joints if joint.curved is not None]


def test_the_windmill_is_that_of_the_paper(folder: Path) -> None:
    s = load_skeleton(folder / "windmill.scr")
    assert s.n_dofs == 73
    pairs = {frozenset((model.first.name, model.second.name)) for model in types(folder, "windmill")}
    assert pairs == {
        frozenset({"sphere"}), frozenset({"sphere", "ellipsoid"}), frozenset({"sphere", "torus"}),
        frozenset({"torus"}), frozenset({"torus", "ellipsoid"}),
    }  # fmt: skip


def test_the_others_have_its_curve_and_its_surface(folder: Path) -> None:
    assert all(isinstance(model, SurfaceOnSurface) and model.n == 4 for model in types(folder, "torus chain"))
    first, *links = types(folder, "spline slide")
    assert isinstance(first, PointOnCurve) and len(first.curve.points) == 7 and first.hold == "spin"
    assert all(isinstance(model, SurfaceOnSurface) for model in links)
    (board,) = types(folder, "sled")
    assert isinstance(board, PointOnSurface) and board.surface.points.shape == (5, 5, 3) and board.n == 3


def test_the_chain_hangs_straight_at_rest(folder: Path) -> None:
    s = load_skeleton(folder / "torus chain.scr")
    places = forward_kinematics(s, s.rest_pose())[:, :3, 3]
    steps = np.diff(places, axis=0)
    assert steps == pytest.approx(np.tile([0.0, -2.0 * (make_mechanisms.RING - make_mechanisms.TUBE), 0.0], (10, 1)))


def test_the_arms_of_the_windmill_point_outward_at_rest(folder: Path) -> None:
    s = load_skeleton(folder / "windmill.scr")
    X = forward_kinematics(s, s.rest_pose())
    hub = X[s.joint_index("wheel"), :3, 3]
    for k in range(1, 7):
        reaches = [np.linalg.norm(X[s.joint_index(f"arm {k} {part}"), :3, 3] - hub) for part in "abc"]
        assert np.diff([make_mechanisms.REACH, *reaches]).min() > 0.15
