"""The .pol polygon file."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import FormatError, SkeletonError
from core.skeleton import Mesh, read_pol, write_pol
from core.skeleton.objects import pol, pol_weights
from core.skeleton.objects.triangulate import PolygonError, triangulate
from core.spatial.inertia import SpatialInertia

CUBE = """# a cube
vertices 8   # corners
 0 0 0
 1 0 0
 1 1 0
 0 1 0

 0 0 1
 1 0 1
 1 1 1
 0 1 1
polygons 6
 4  3 2 1 0
 4  4 5 6 7
 4  0 1 5 4
 4  1 2 6 5
 4  2 3 7 6
 4  3 0 4 7
"""


def areas(mesh: Mesh) -> np.ndarray:
    corners = mesh.vertices[mesh.triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2


def test_a_cube() -> None:
    mesh = read_pol(CUBE)
    assert mesh.vertices.shape == (8, 3) and mesh.triangles.shape == (12, 3)
    assert len(mesh.polygons) == 6 and mesh.polygons[0] == (3, 2, 1, 0)
    assert SpatialInertia.mesh(mesh.vertices, mesh.triangles).mass == pytest.approx(1000.0)


def test_round_trip_is_exact() -> None:
    mesh = read_pol(CUBE.replace("1 0 0", "1.1 -0.30000000000000004 1e-17"))
    again = read_pol(write_pol(mesh))
    assert np.array_equal(again.vertices, mesh.vertices)
    assert np.array_equal(again.triangles, mesh.triangles)
    assert again.polygons == mesh.polygons
    assert write_pol(again) == write_pol(mesh)


def test_triangles_alone_can_be_written() -> None:
    mesh = read_pol(CUBE)
    bare = Mesh(mesh.vertices, mesh.triangles)
    assert np.array_equal(read_pol(write_pol(bare)).triangles, mesh.triangles)


def test_line_endings_case_unicode_minus_and_byte_order_mark() -> None:
    mesh = read_pol("\ufeffVERTICES 3\r 0 0 0\r\n \N{MINUS SIGN}1 0 0\n 0 1 0\r\nPolygons 1\n 3 0 1 2")
    assert mesh.vertices[1].tolist() == [-1.0, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(20))
def test_reading_at_once_and_row_by_row_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polygons of three to nine corners, convex and not, in any attitude, and now and then a bad one."""
    rng = np.random.default_rng(seed)
    points: list[np.ndarray] = []
    rows = ""
    for _ in range(30):
        count = int(rng.choice([3, 3, 4, 4, 4, 9]))
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        flat = star_shaped(rng, count)
        if count == 3:
            flat = rng.normal(size=(3, 3))
        start = sum(map(len, points))
        points.append(flat @ turn.T + rng.normal(size=3))
        corners = list(range(start, start + count))
        if seed >= 15 and rng.random() < 0.05:
            corners[-1] = corners[0]
        rows += f"{count} {' '.join(map(str, corners))}\n"
    everything = np.concatenate(points).tolist()
    text = f"vertices {len(everything)}\n" + "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in everything)
    text += f"polygons 30\n{rows}"

    def outcome() -> object:
        try:
            mesh = read_pol(text)
        except FormatError as error:
            return str(error)
        return mesh.triangles.tolist(), mesh.polygons

    fast = outcome()
    monkeypatch.setattr(pol._Reader, "_at_once", lambda *arguments: None)
    assert outcome() == fast
    assert isinstance(fast, str) == ("degenerate" in str(fast))


# -- triangulation ---------------------------------------------------------------------------------------------------


def star_shaped(rng: np.random.Generator, count: int) -> np.ndarray:
    """A polygon, usually not convex, that does not cross itself: every corner is seen from its middle."""
    gaps = rng.uniform(0.2, 1.0, count)
    turns = np.cumsum(gaps) / gaps.sum() * 2 * np.pi
    radius = rng.uniform(0.2, 1.0, count)
    return np.column_stack([radius * np.cos(turns), radius * np.sin(turns), np.zeros(count)])


def check(points: np.ndarray) -> None:
    """Triangles cover the polygon exactly: their areas add up, none is turned over, and no two overlap."""
    triangles = triangulate([tuple(p) for p in points.tolist()])
    assert len(triangles) == len(points) - 2
    corners = points[np.array(triangles)]
    twice = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    following = np.roll(points, -1, axis=0)
    whole = np.cross(points - points[0], following - points[0]).sum(axis=0)
    normal = whole / np.linalg.norm(whole)
    signed = twice @ normal
    assert signed.min() > -1e-9 * abs(signed).sum()
    assert signed.sum() == pytest.approx(np.linalg.norm(whole), rel=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_polygons_are_covered_in_any_attitude(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = star_shaped(rng, int(rng.integers(4, 30)))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    check(points @ turn.T * 10 ** rng.uniform(-3, 3) + rng.normal(size=3) * 5)


def test_an_l_a_comb_and_corners_on_a_line() -> None:
    check(np.array([[0.0, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 2, 0], [0, 2, 0]]))
    comb = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]]
    for k in range(8, -1, -1):
        comb += [[k + 1.0, 3.0, 0.0], [k + 0.5, 0.5, 0.0]]
    check(np.array(comb))
    check(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0], [1, 2, 0], [0, 2, 0], [0, 1, 0]]))


def test_an_l_shaped_face_is_read() -> None:
    text = "vertices 6\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\npolygons 1\n 6 0 1 2 3 4 5\n"
    mesh = read_pol(text)
    assert areas(mesh)[:, 2].min() > 0
    assert areas(mesh)[:, 2].sum() == pytest.approx(3.0)


def test_a_spiral_is_covered() -> None:
    turns = np.linspace(0, 8 * np.pi, 150)
    arms = [np.column_stack([(r + turns) * np.cos(turns), (r + turns) * np.sin(turns), 0 * turns]) for r in (2.0, 1.0)]
    check(np.concatenate([arms[0], arms[1][::-1]]))


@pytest.mark.verify
def test_huge_polygons_are_refused_before_they_take_minutes() -> None:
    turns = 2 * np.pi * np.arange(8000) / 8000
    points = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns]).tolist()
    text = "vertices 8000\n" + "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in points)
    text += f"polygons 1\n8000 {' '.join(map(str, range(8000)))}\n"
    with pytest.raises(FormatError, match=r":8003:1: this polygon has too many corners"):
        read_pol(text)


def test_a_bow_tie_and_a_pentagram_cross_themselves() -> None:
    with pytest.raises(PolygonError):
        triangulate([(0, 0, 0), (1, 1, 0), (1, 0, 0), (0, 2, 0)])
    turns = 2 * np.pi * np.arange(5) * 2 / 5
    with pytest.raises(PolygonError, match="crosses itself"):
        triangulate([(float(np.cos(t)), float(np.sin(t)), 0.0) for t in turns])


# -- what bad input gets ---------------------------------------------------------------------------------------------

HEAD = "vertices 4\n 0 0 0\n 1 0 0\n 1 1 0\n 2 0 0\n"  # lines 1 to 5


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, 'ends too soon; expected "vertices N"'),
        ("# nothing\n", 2, 1, "ends too soon"),
        ("vertexes 3\n", 1, 1, 'did you mean "vertices"?'),
        ("hello\n", 1, 1, 'expected "vertices N"'),
        ("vertices\n", 1, 1, "whole number"),
        ("vertices three\n", 1, 10, "whole number"),
        ("vertices 3 4\n", 1, 10, "whole number"),
        ("vertices 2\n0 0 0\n1 1 1\n", 1, 10, "expected 3 or more"),
        ("vertices -5\n", 1, 10, "expected 3 or more"),
        ("vertices 999999999999999\n0 0 0\n", 1, 10, "only 1 lines follow"),
        ("vertices 99999999999999999999999999\n0 0 0\n", 1, 10, "whole number"),
        ("vertices 3\n 0 0 0\n 1 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 5, "2 numbers"),
        ("vertices 3\n 0 0 0\n 1 0 0 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 8, "4 numbers"),
        ("vertices 3\n 0 0 0\n 1 nan 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 4, "finite"),
        ("vertices 3\n 0 0 0\n 1 0 1e400\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 6, "finite"),
        ("vertices 3\n 0 0 0\n 1_0 0 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 2, "not a number"),
        ("vertices 3\n 0 0 0\n ١ 0 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 3, 2, "not a number"),
        ("vertices 3\n 0 0 0\n 0 1 0\npolygons 1\n3 0 1 2\n", 4, 1, "not a number"),
        (HEAD, 6, 1, 'expected "polygons N"'),
        (HEAD + "poligons 1\n3 0 1 2\n", 6, 1, 'did you mean "polygons"?'),
        (HEAD + "polygons 0\n", 6, 10, "expected 1 or more"),
        (HEAD + "polygons 2\n 3 0 1 2\n", 6, 10, "only 1 lines follow"),
        (HEAD + "polygons 1\n 3 0 1 x\n", 7, 8, "not a whole number"),
        (HEAD + "polygons 1\n 3 0 1 2.5\n", 7, 8, "not a whole number"),
        (HEAD + "polygons 1\n 3 0 1\n", 7, 2, "3 corners are announced but 2 follow"),
        (HEAD + "polygons 1\n 2 0 1\n", 7, 2, "expected 3 or more"),
        (HEAD + "polygons 1\n -3 0 1 2\n", 7, 2, "expected 3 or more"),
        (HEAD + "polygons 1\n 3 0 1 4\n", 7, 8, "no vertex 4; expected a number from 0 to 3"),
        (HEAD + "polygons 1\n 3 0 1 -1\n", 7, 8, "no vertex -1"),
        (HEAD + "polygons 1\n 3 0 1 1\n", 7, 8, "degenerate: it visits vertex 1 twice"),
        (HEAD + "polygons 1\n 3 0 1 3\n", 7, 2, "degenerate: it has no area"),
        (HEAD + "polygons 1\n 3 0 1 2\n 3 0 1 2\n", 8, 2, "after the last polygon"),
    ],
)
def test_every_error_has_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_pol(text, "bad.pol")
    problem = caught.value.problems[0]
    assert len(caught.value.problems) == 1, [str(p) for p in caught.value.problems]
    assert (problem.file, problem.line, problem.column) == ("bad.pol", line, column), str(problem)
    assert message in problem.message
    assert "expected" in problem.message or "did you mean" in problem.message


def test_all_problems_are_reported() -> None:
    text = HEAD + "polygons 4\n 3 0 1 9\n 3 0 1 2\n 3 1 1 2\n 4 0 1 2\n"
    with pytest.raises(FormatError) as caught:
        read_pol(text)
    assert [p.line for p in caught.value.problems] == [7, 9, 10]


def test_a_polygon_that_crosses_itself_is_degenerate() -> None:
    text = "vertices 4\n0 0 0\n1 1 0\n1 0 0\n0 2 0\npolygons 1\n 4 0 1 2 3\n"
    with pytest.raises(FormatError, match=r"object\.pol:7:2: this polygon is degenerate: it crosses itself"):
        read_pol(text)


# -- weights ---------------------------------------------------------------------------------------------------------

WEIGHTED = (
    CUBE
    + """weights 4  # the upper end
 4  0.5 "upper # arm"
 7  .25 "left ""big"" hand" 0.125 “upper # arm” 0.5 "neck\N{MINUS SIGN}2_α"

 5  1 "upper # arm"   # wholly
 6  0 "gone"
"""
)


def test_weights() -> None:
    mesh = read_pol(WEIGHTED)
    assert [name for name, _ in mesh.weights] == ['left "big" hand', "neck\N{MINUS SIGN}2_α", "upper # arm"]
    found = {name: {k: w for k, w in enumerate(values.tolist()) if w} for name, values in mesh.weights}
    assert found == {
        "upper # arm": {4: 0.5, 5: 1.0, 7: 0.125},
        'left "big" hand': {7: 0.25},
        "neck\N{MINUS SIGN}2_α": {7: 0.5},
    }
    assert all(values.shape == (8,) and not values.flags.writeable for _, values in mesh.weights)
    assert read_pol(CUBE).weights == () and read_pol(CUBE + "weights 0\n").weights == ()


def test_weights_are_written_as_they_were_read() -> None:
    mesh = read_pol(WEIGHTED.replace("0.125", "0.1250000000000000277"))
    text = write_pol(mesh)
    again = read_pol(text)
    assert write_pol(again) == text and text.startswith(write_pol(read_pol(CUBE)))
    assert [name for name, _ in again.weights] == [name for name, _ in mesh.weights]
    for (_, old), (_, new) in zip(mesh.weights, again.weights, strict=True):
        assert np.array_equal(old, new)


@pytest.mark.parametrize("seed", range(10))
def test_plain_lines_of_weights_read_as_the_careful_look_reads_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rows = []
    for vertex in rng.permutation(8):
        names = rng.permutation(["a", "b c", "d_e", "1"])[: rng.integers(1, 4)]
        weights = rng.dirichlet(np.ones(len(names) + 1))[1:]
        rows.append(f"{vertex} " + " ".join(f'{w!r} "{name}"' for w, name in zip(weights.tolist(), names, strict=True)))
    if seed >= 5:
        words = rows[3].split(" ")
        words[int(rng.integers(len(words)))] = str(
            rng.choice(["9", "1.5", "-1", "nan", "x", '"b c"', "1_0", "#", "1e-9"])
        )
        rows[3] = " ".join(words)
    text = CUBE + "weights 8\n" + "\n".join(rows) + "\n"

    def outcome() -> object:
        try:
            return [(name, values.tolist()) for name, values in read_pol(text).weights]
        except FormatError as error:
            return str(error)

    fast = outcome()
    monkeypatch.setattr(pol_weights.WeightReader, "_plain", lambda *arguments: None)
    assert outcome() == fast
    assert seed >= 5 or isinstance(fast, list)


W = HEAD + "polygons 1\n 3 0 1 2\nweights "  # the heading is line 8


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (W[:-8] + "weight 1\n 0 1 \"a\"\n", 8, 1, 'did you mean "weights"?'),
        (W[:-8] + "colors 1\n", 8, 1, 'expected "weights N" or the end of the file'),
        (W + "\n", 8, 1, "whole number"),
        (W + "many\n", 8, 9, "whole number"),
        (W + "-1\n", 8, 9, "expected 0 or more"),
        (W + '3\n 0 1 "a"\n', 8, 9, "only 1 lines follow"),
        (W + '1\n 0 1 "a"\n 1 1 "a"\n', 10, 2, "after the last weight"),
        (W + '1\n x 1 "a"\n', 9, 2, "x is not a vertex number"),
        (W + '1\n 1.0 1 "a"\n', 9, 2, "1.0 is not a vertex number"),
        (W + '1\n "a" 1\n', 9, 2, '"a" is not a vertex number'),
        (W + '1\n 4 1 "a"\n', 9, 2, "no vertex 4; expected a number from 0 to 3"),
        (W + '1\n -1 1 "a"\n', 9, 2, "no vertex -1"),
        (W + '2\n 3 1 "a"\n 3 0.5 "b"\n', 10, 2, "vertex 3 has its weights in line 9 already"),
        (W + "1\n 0\n", 9, 3, "the weight is missing"),
        (W + "1\n 0 1\n", 9, 5, "the joint's name is missing"),
        (W + '1\n 0 0.5 "a" 0.5\n', 9, 15, "the joint's name is missing"),
        (W + '1\n 0 "a" 1\n', 9, 4, '"a" is not a number'),
        (W + "1\n 0 1 a\n", 9, 6, "a is not in quotes"),
        (W + '1\n 0 1 " "\n', 9, 6, "name is empty"),
        (W + '1\n 0 1 "a\n', 9, 6, "not closed"),
        (W + '1\n 0 1.01 "a"\n', 9, 4, "weight 1.01 makes no sense; expected 0 to 1"),
        (W + '1\n 0 -0.5 "a"\n', 9, 4, "weight -0.5 makes no sense"),
        (W + '1\n 0 nan "a"\n', 9, 4, "weight nan makes no sense"),
        (W + '1\n 0 inf "a"\n', 9, 4, "weight inf makes no sense"),
        (W + '1\n 0 0.7 "a" 0.4 "b"\n', 9, 12, "add up to 1.1; expected 1 at most"),
        (W + '1\n 0 0.1 "a" 0.4 "a"\n', 9, 16, 'joint "a" is named twice'),
        (W + '1\n 0 .1 "a" .1 "b" .1 "c" .1 "d"\n', 9, 25, "at most 3 joints"),
        (W + '1\n 0 1 "a\x07"\n', 9, 8, "U+0007"),
    ],
)  # fmt: skip
def test_every_mistake_in_weights_has_its_place(text: str, line: int, column: int, message: str) -> None:
    test_every_error_has_its_place(text, line, column, message)


def test_all_mistakes_in_weights_are_reported() -> None:
    text = W + '4\n 0 2 "a"\n 1 1 "a"\n 9 1 "a"\n 2 1 a\n'
    with pytest.raises(FormatError) as caught:
        read_pol(text.replace("3 0 1 2", "3 0 1 7"))
    assert [p.line for p in caught.value.problems] == [7, 9, 11, 12]


def test_more_names_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pol_weights, "_MOST_NUMBERS", 8)
    read_pol(W + '2\n 0 1 "a"\n 1 .5 "b" .5 "a"\n')
    with pytest.raises(FormatError, match=r":10:15: 3 joints for 4 vertices are too many"):
        read_pol(W + '2\n 0 1 "a"\n 1 0.5 "b" .5 "c"\n')


def test_a_mesh_checks_its_weights() -> None:
    points, faces = np.eye(3), np.array([[0, 1, 2]])

    def made(*weights: tuple[str, list[float]]) -> Mesh:
        return Mesh(points, faces, (), tuple((name, np.array(values)) for name, values in weights))

    mesh = made(("b", [0, 1, 0.5]), ("c", [0, 0, 0]), ("a", [0, 0, 0.5]))
    assert [name for name, _ in mesh.weights] == ["a", "b"]
    for bad, message in (
        ([("a", [0.0, 1.0])], "needs one each"),
        ([("a", [0.0, 1.0, 1.5])], "vertex 2 has weight 1.5"),
        ([("a", [0.0, np.nan, 0.5])], "vertex 1 has weight nan"),
        ([("a", [0.0, 0, 0.5]), ("a", [0.0, 0, 0.5])], "appear twice"),
        ([("a", [0.0, 0, 0.7]), ("b", [0.0, 0, 0.5])], "vertex 2 add up to 1.2"),
        ([(name, [0.0, 0.1, 0.0]) for name in "abcd"], "vertex 1 follows 4 joints"),
    ):
        with pytest.raises(SkeletonError, match=message):
            made(*bad)
    with pytest.raises(SkeletonError, match="cannot be written"):
        write_pol(made(("a\nb", [0, 0, 1.0])))
