"""Polygons that lie in no file travel with their figure; saving a .scr file writes them and overwrites nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.errors import FormatError, SkeletonError
from core.formats import FigureRecord, Project, load, project_from_json, project_to_json, save
from core.formats.json_text import parse
from core.formats.project_reader import MOST_OBJECTS
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton, SkeletonBuilder, load_skeleton, read_pol, write_pol
from core.skeleton.objects.traveling import object_files, traveling_texts
from tests.support.figures import box_mesh

BOX = box_mesh((-0.1, 0.0, -0.2), (0.1, 1 / 3, 0.2))
SKIN = Mesh(BOX.vertices, BOX.triangles, (), (("arm", np.linspace(0, 1, 8)),))


def made() -> Skeleton:
    """A figure made in memory, one object of it on both sides."""
    joints = [
        Joint("body", -1, objects=(SegmentObject("puppet/body.pol", SKIN),)),
        Joint("arm", 0, offset=(0.3, 0, 0), objects=(SegmentObject("puppet/arm.pol", BOX),)),
    ]
    return Skeleton("puppet", joints)


def project(s: Skeleton) -> Project:
    return Project([s], [Sequence(s, name="dance")])


def round_trip(s: Skeleton, path: Path) -> Skeleton:
    save(project(s), path)
    return load(path).figures[0]


def assert_same_objects(a: Skeleton, b: Skeleton) -> None:
    for one, other in zip(a.joints, b.joints, strict=True):
        for part, again in zip(one.objects, other.objects, strict=True):
            assert (part.file, part.mirrored) == (again.file, again.mirrored)
            assert part.mesh.vertices.tobytes() == again.mesh.vertices.tobytes()
            assert [name for name, _ in part.mesh.weights] == [name for name, _ in again.mesh.weights]
            assert all(
                np.array_equal(x, y) for (_, x), (_, y) in zip(part.mesh.weights, again.mesh.weights, strict=True)
            )


# -- .seq ------------------------------------------------------------------------------------------------------------


def test_a_figure_made_in_memory_comes_back_whole(tmp_path: Path) -> None:
    s = made()
    again = round_trip(s, tmp_path / "dance.seq")
    assert_same_objects(s, again)
    assert not again.warnings
    record = json.loads((tmp_path / "dance.seq").read_text())["figures"][0]
    assert sorted(record["objects"]) == ["puppet/arm.pol", "puppet/body.pol"]
    assert record["objects"]["puppet/body.pol"] == write_pol(SKIN)
    # Again and in another folder: nothing has come from files.
    (tmp_path / "elsewhere").mkdir()
    assert_same_objects(s, round_trip(again, tmp_path / "elsewhere" / "dance.seq"))
    first, second = ((tmp_path / name / "dance.seq").read_bytes() for name in (".", "elsewhere"))
    assert first == second


@pytest.mark.verify
def test_objects_beside_the_source_stay_there(tmp_path: Path, skeletons_folder: Path) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    save(project(human), tmp_path / "a.seq")
    assert "objects" not in json.loads((tmp_path / "a.seq").read_text())["figures"][0]
    builder = SkeletonBuilder(human)
    builder.place("left hand", (0.5, 1, 0), carry=False)
    again = round_trip(builder.build(), tmp_path / "b.seq")
    (name,) = json.loads((tmp_path / "b.seq").read_text())["figures"][0]["objects"]
    assert name == "human/left_hand.pol"
    assert_same_objects(builder.build(), again)


def test_objects_whose_files_have_gone_travel(tmp_path: Path, skeletons_folder: Path) -> None:
    shutil.copy(skeletons_folder / "stickman.scr", tmp_path / "stickman.scr")
    shutil.copytree(skeletons_folder / "stickman", tmp_path / "stickman")
    s = load_skeleton(tmp_path / "stickman.scr")
    assert traveling_texts(s) == {}
    (tmp_path / "stickman" / "head.pol").unlink()
    assert list(traveling_texts(s)) == ["stickman/head.pol"]
    assert_same_objects(s, round_trip(s, tmp_path / "s.seq"))


def test_what_travels_wins_over_files(tmp_path: Path) -> None:
    other = box_mesh((0, 0, 0), (1, 1, 1))
    (tmp_path / "puppet").mkdir()
    (tmp_path / "puppet" / "arm.pol").write_text(write_pol(other))
    s = made()
    source = tmp_path / "puppet.scr"
    save(project(s), source)
    moved = Skeleton(s.name, s.joints, s.layout, source)
    again = round_trip(moved, tmp_path / "dance.seq")
    assert np.array_equal(again.joints[1].objects[0].mesh.vertices, BOX.vertices)
    assert (tmp_path / "puppet" / "arm.pol").read_text() == write_pol(other)


def test_the_text_that_was_read_is_kept(tmp_path: Path) -> None:
    data = project_to_json(project(made()))
    text = "# by hand\n" + data["figures"][0]["objects"]["puppet/arm.pol"]
    data["figures"][0]["objects"]["puppet/arm.pol"] = text
    read = project_from_json(data, "a.seq")
    assert read.figure_records[0].objects["puppet/arm.pol"] == text
    assert project_to_json(read)["figures"][0]["objects"]["puppet/arm.pol"] == text


def test_other_suffixes_hold_pol_text_as_well(tmp_path: Path) -> None:
    s = Skeleton("s", [Joint("a", -1, objects=(SegmentObject("part.obj", BOX),))])
    assert_same_objects(s, round_trip(s, tmp_path / "s.seq"))


def test_a_mirrored_object_travels_as_its_file(tmp_path: Path) -> None:
    builder = SkeletonBuilder(made())
    builder.rename("arm", "left arm")
    builder.mirror_side("left arm")
    s = builder.build()
    again = round_trip(s, tmp_path / "s.seq")
    assert_same_objects(s, again)
    assert traveling_texts(s)["puppet/arm.pol"] == write_pol(BOX)


def test_two_meshes_under_one_name_are_refused(tmp_path: Path) -> None:
    joints = [
        Joint("a", -1, objects=(SegmentObject("x.pol", BOX),)),
        Joint("b", 0, objects=(SegmentObject("x.pol", SKIN),)),
    ]
    s = Skeleton("s", joints)
    with pytest.raises(SkeletonError, match=r'"x\.pol" has other polygons at joint "b" than at "a"'):
        object_files(s)
    for name in ("s.seq", "s.scr"):
        with pytest.raises(FormatError, match="other polygons"):
            save(project(s), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_record_of_a_skeleton_has_its_objects() -> None:
    assert FigureRecord.of(made()).objects == {"puppet/body.pol": write_pol(SKIN), "puppet/arm.pol": write_pol(BOX)}


def broken(**objects: object) -> dict:
    data = parse(json.dumps(project_to_json(project(made()))), "a.seq")
    data["figures"][0]["objects"].update(objects)
    return data


def problems(data: object) -> str:
    with pytest.raises(FormatError) as caught:
        project_from_json(data, "a.seq")
    return str(caught.value)


def test_broken_objects_are_reported_with_their_place() -> None:
    bad = write_pol(BOX).replace("polygons 12", "polygons 13")
    text = problems(broken(**{"puppet/arm.pol": bad}))
    assert 'a.seq: figures[0].objects["puppet/arm.pol"]:10:10: 13 polygons are announced' in text
    assert 'objects["puppet/arm.pol"]: 7 is not text' in problems(broken(**{"puppet/arm.pol": 7}))
    for name in ("../x.pol", "/x.pol", "C:/x.pol", "a/../../x.pol", "x.exe", "x", ""):
        assert f"objects[{json.dumps(name)}]: is not an object's name" in problems(broken(**{name: write_pol(BOX)}))
    data = broken()
    data["figures"][0]["objects"] = [1]
    assert "figures[0].objects: a list of 1 is not an object" in problems(data)
    data["figures"][0]["objects"] = {f"{i}.pol": "" for i in range(MOST_OBJECTS + 1)}
    assert f"has {MOST_OBJECTS + 1} objects; at most {MOST_OBJECTS}" in problems(data)


def test_all_broken_objects_are_reported_but_not_without_end() -> None:
    data = broken(**{f"{i}.pol": "vertices x" for i in range(1000)})
    text = problems(data)
    assert "and 1" in text.splitlines()[-1] and "more" in text.splitlines()[-1]


def test_objects_that_nobody_names_are_left_out_with_a_warning() -> None:
    read = project_from_json(broken(**{"other.pol": write_pol(BOX)}), "a.seq")
    assert any('objects["other.pol"]: is not used by any joint' in str(warning) for warning in read.warnings)
    assert "other.pol" not in project_to_json(read)["figures"][0]["objects"]


def test_null_is_none() -> None:
    data = broken()
    data["figures"][0]["objects"] = None
    read = project_from_json(data, "a.seq")
    assert read.figures[0].joints[0].objects[0].mesh is None


# -- .scr ------------------------------------------------------------------------------------------------------------


def test_saving_writes_the_objects(tmp_path: Path) -> None:
    s = made()
    again = round_trip(s, tmp_path / "puppet.scr")
    assert_same_objects(s, again)
    assert read_pol((tmp_path / "puppet" / "arm.pol").read_text()).vertices.tobytes() == BOX.vertices.tobytes()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "puppet").mkdir()
    own = tmp_path / "puppet" / "arm.pol"
    own.write_text("# mine\n")
    s = made()
    again = round_trip(s, tmp_path / "puppet.scr")
    assert own.read_text() == "# mine\n"
    assert [joint.objects[0].file for joint in again.joints] == ["puppet/body.pol", "puppet/arm-2.pol"]
    assert np.array_equal(again.joints[1].objects[0].mesh.vertices, BOX.vertices)
    # Saved again, what is there already serves.
    before = sorted((tmp_path / "puppet").iterdir())
    round_trip(s, tmp_path / "puppet.scr")
    assert sorted((tmp_path / "puppet").iterdir()) == before
    # Another shape is a third file.
    builder = SkeletonBuilder(s)
    builder.place("arm", (0.4, 0, 0), carry=False)
    round_trip(builder.build(), tmp_path / "puppet.scr")
    names = [path.name for path in sorted((tmp_path / "puppet").iterdir())]
    assert names == ["arm-2.pol", "arm-3.pol", "arm.pol", "body.pol"]


def test_the_same_polygons_written_otherwise_are_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "puppet").mkdir()
    own = tmp_path / "puppet" / "arm.pol"
    own.write_text("# mine\n" + write_pol(BOX).replace("polygons", "\n\npolygons"))
    assert round_trip(made(), tmp_path / "puppet.scr").joints[1].objects[0].file == "puppet/arm.pol"
    assert own.read_text().startswith("# mine")


def test_files_that_were_read_are_copied_as_they_are(tmp_path: Path, skeletons_folder: Path) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    again = round_trip(human, tmp_path / "human.scr")
    for path in (skeletons_folder / "human").glob("*.pol"):
        copy = tmp_path / "human" / path.name
        assert not copy.exists() or copy.read_bytes() == path.read_bytes()
    assert {part.file for joint in again.joints for part in joint.objects} == {
        part.file for joint in human.joints for part in joint.objects
    }


def test_a_foreign_object_that_was_changed_becomes_polygons(tmp_path: Path) -> None:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in BOX.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in BOX.triangles.tolist()]
    (tmp_path / "part.obj").write_text("\n".join(lines) + "\n")
    text = 'define skeleton "s"\njoint "a"\njoint "b"\nend skeleton\ndefine joint "a"\nobject "part.obj"\nend joint\n'
    (tmp_path / "s.scr").write_text(text + 'define joint "b"\noffset 0 1 0\nhinge y\nmass 1\nend joint\n')
    s = load_skeleton(tmp_path / "s.scr")
    (tmp_path / "copy").mkdir()
    same = round_trip(s, tmp_path / "copy" / "s.scr")
    assert same.joints[0].objects[0].file == "part.obj"
    assert (tmp_path / "copy" / "part.obj").read_bytes() == (tmp_path / "part.obj").read_bytes()
    r = s.rerooted("b")
    (part,) = r.joints[1].objects
    assert part.file == "a.pol" and part.origin is None
    again = round_trip(r, tmp_path / "r.scr")
    assert_same_objects(r, again)
    # An .obj file that has gone, unchanged in memory, is written as .pol too.
    (tmp_path / "part.obj").unlink()
    (tmp_path / "third").mkdir()
    assert round_trip(s, tmp_path / "third" / "s.scr").joints[0].objects[0].file == "part.pol"


@pytest.mark.verify
def test_a_re_rooted_figure_in_both_formats(tmp_path: Path, skeletons_folder: Path) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    r = human.rerooted("left hand")
    for name in ("r.seq", "r.scr"):
        assert_same_objects(r, round_trip(r, tmp_path / name))
    assert (skeletons_folder / "human" / "pelvis.pol").is_file()


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "puppet").write_text("a file where the folder should be")
    with pytest.raises(FormatError, match=r"puppet/body\.pol: cannot be written"):
        save(project(made()), tmp_path / "puppet.scr")
    assert not (tmp_path / "puppet.scr").exists()
