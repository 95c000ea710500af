"""Ground of triangles: heights, normals, files."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import CoreError, FormatError
from core.terrain import LEVEL, Terrain, height_field, read_terrain
from tests.support.grounds import hills, stairs


def test_a_plane_has_its_heights_and_its_normal_everywhere():
    x, z = np.meshgrid(np.arange(9) * 0.5, np.arange(7) * 0.5, indexing="ij")
    ground = height_field(0.3 * x - 0.2 * z + 1.0, 0.5)
    places = np.random.default_rng(1).uniform([0.0, 0.0], [4.0, 3.0], (400, 2))
    assert ground.heights(places) == pytest.approx(0.3 * places[:, 0] - 0.2 * places[:, 1] + 1.0, abs=1e-12)
    normal = np.array([-0.3, 1.0, 0.2]) / np.linalg.norm([0.3, 1.0, 0.2])
    assert np.abs(ground.normals(places) - normal).max() < 1e-12


def test_corners_have_their_own_height():
    ground = hills(3)
    assert ground.heights(ground.vertices[:, [0, 2]]) == pytest.approx(ground.vertices[:, 1], abs=1e-9)


def test_of_triangles_above_each_other_the_highest_counts_and_beside_them_is_the_floor():
    low = [(0.0, 0.0, 0.0), (0.0, 0.0, 4.0), (4.0, 0.0, 0.0)]
    high = [(0.0, 2.0, 0.0), (0.0, 2.0, 1.0), (1.0, 2.0, 0.0)]
    ground = Terrain([*high, *low], [(0, 1, 2), (3, 5, 4)])
    assert ground.heights(np.array([[0.2, 0.2], [1.5, 1.5], [-1.0, 0.0]])).tolist() == [2.0, 0.0, 0.0]
    assert ground.normals(np.array([[0.2, 0.2], [-1.0, 0.0]])).tolist() == [[0.0, 1.0, 0.0]] * 2


def test_stairs_have_the_heights_of_their_treads():
    places = np.array([[0.0, 1.2 + 0.3 * (k + 0.5)] for k in range(12)])
    assert stairs().heights(places) == pytest.approx(0.17 * np.arange(1, 13), abs=1e-12)
    assert LEVEL.heights(places).tolist() == [0.0] * 12


def test_a_mesh_file_is_read(tmp_path):
    path = tmp_path / "ramp.obj"
    path.write_text("v 0 0 0\nv 0 1 2\nv 2 1 2\nv 2 0 0\nf 1 2 3 4\n")
    ground = read_terrain(path)
    assert ground.heights(np.array([[1.0, 1.0]])) == pytest.approx([0.5])
    assert ground.extent[1].tolist() == [2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("vertices", "triangles", "says"),
    [
        ([(0, 0, 0), (0, 0, 1), (1, 0, 0)], [], "no triangle"),
        ([(0, 0, 0), (0, 0, 1), (1, 0, 0)], [(0, 1, 3)], "not there"),
        ([(0, 0, 0), (0, np.nan, 1), (1, 0, 0)], [(0, 1, 2)], "not finite"),
        ([(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 1, 2)], "upright"),
    ],
)
def test_ground_that_cannot_be_stood_on_is_refused(vertices, triangles, says):
    with pytest.raises(CoreError, match=says):
        Terrain(vertices, triangles)


def test_files_that_are_no_ground_are_refused(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_terrain(tmp_path / "none.obj")
    with pytest.raises(FormatError, match="no kind of mesh"):
        read_terrain(tmp_path / "ground.txt")
    with pytest.raises(CoreError, match="two rows"):
        height_field([[1.0, 2.0]], 0.5)
