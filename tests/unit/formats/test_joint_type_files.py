"""Figures with joints of every type in files of motion: kept whole, baked, or refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Sequence
from core.errors import FormatError
from core.formats import bundled_folder, load, save
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.skeleton import clamp_pose
from core.skeleton.scr.writer import same_joint


@pytest.fixture(scope="module")
def project() -> Project:
    s = load(bundled_folder() / "joints.scr").figures[0]
    sequence = Sequence(s, fps=30)
    q = clamp_pose(s, 0.3 * np.random.default_rng(0).normal(size=s.nq))
    q[3 + s.dof_names.index("loop.along")] = 11.5  # once round and on
    sequence.set_key(0, s.rest_pose())
    sequence.set_key(20, q)
    return Project([s], [sequence])


def test_a_sequence_keeps_types_and_coordinates(project, tmp_path):
    save(project, tmp_path / "a.seq")
    again = load(tmp_path / "a.seq")
    assert np.array_equal(again.sequences[0].pose_at(20 / 30), project.sequences[0].pose_at(20 / 30))
    assert all(same_joint(a, b) for a, b in zip(project.figures[0].joints, again.figures[0].joints, strict=True))


def test_coordinates_go_on_by_value_between_keys(project):
    at = 3 + project.figures[0].dof_names.index("loop.along")
    values = [project.sequences[0].pose_at(frame / 30)[at] for frame in range(21)]
    assert values[0] == 0.0 and values[-1] == 11.5 and (np.diff(values) >= 0.0).all()


def test_bvh_bakes_what_runs_along_a_spline(project, tmp_path):
    save(project, tmp_path / "a.bvh")
    again = load(tmp_path / "a.bvh", unit=1)
    s, baked = project.figures[0], again.figures[0]
    names = [name.replace("_", " ") for name in baked.joint_names]
    for frame in (0, 7, 20):
        F = forward_kinematics(s, project.sequences[0].pose_at(frame / 30))
        G = forward_kinematics(baked, again.sequences[0].pose_at(frame / 30))
        for i, name in enumerate(s.joint_names):
            assert F[i, :3, 3] == pytest.approx(G[names.index(name), :3, 3], abs=2e-5)


def test_asf_refuses_a_spline_by_name(project, tmp_path):
    with pytest.raises(FormatError, match=r'"loop".*coordinate'):
        save(project, tmp_path / "a.asf")
    assert not (tmp_path / "a.asf").exists()
