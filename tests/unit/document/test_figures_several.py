"""Several figures in one document: names, places, which is edited, and that all of it can be undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.document import Document
from app.document.content.records import Figure
from app.document.edits import figure_edits
from app.physics.prop_edits import body_to_prop, pose_at, prop_of, prop_to_body
from core.animation.locks.strip import LockStrip
from core.constraints import Lock
from core.kinematics import forward_kinematics
from core.kinematics.extent import pose_extent
from core.preview.rigid_bodies import RigidBody
from core.skeleton import Skeleton, read_pol, read_scr, write_scr
from core.skeleton.building import props
from core.skeleton.extent import figure_height
from core.skeleton.joined import is_prop
from core.skeleton.objects.traveling import traveling_texts
from core.skeleton.shapes import box, volume
from core.spatial import se3, so3


def names(document: Document) -> list[str]:
    return [figure.name for figure in document.figures.all]


@pytest.fixture
def pair(document: Document, skeletons_folder: Path) -> Document:
    """The stickman, and beside it another one of the same file."""
    assert document.files.add_figure(skeletons_folder / "stickman.scr")
    return document


def test_a_second_figure_of_the_same_file_stands_beside_under_a_name_of_its_own(pair: Document) -> None:
    assert names(pair) == ["stickman", "stickman 2"] and pair.model.active.figure == 1
    first, second = pair.figures.all
    assert first is not second
    low, _ = pose_extent(second, forward_kinematics(second, pair.model.figure_pose(1, 0)))
    _, high = pose_extent(first, forward_kinematics(first, pair.model.figure_pose(0, 0)))
    assert low[0] == pytest.approx(high[0] + figure_edits.GAP)
    assert list(pair.sequence.keys.frames) == [0]


@pytest.mark.parametrize(
    ("taken", "wanted", "found"),
    [
        ([], "Ada", "Ada"),
        (["Ada"], " Ada ", "Ada 2"),
        (["Ada", "Ada 2"], "Ada", "Ada 3"),
        (["Ada", "Ada 2"], "Ada 2", "Ada 3"),
        (["Ada", "Ada 3"], "Ada", "Ada 2"),
    ],
)
def test_free_names(taken: list[str], wanted: str, found: str) -> None:
    assert figure_edits.free_name(taken, wanted) == found


def test_no_figure_gets_a_name_that_is_taken(pair: Document, heard) -> None:
    assert pair.figures.rename(1, "stickman") and names(pair) == ["stickman", "stickman 2"]
    assert pair.figures.add(Skeleton("stickman", pair.figures.all[0].joints))
    assert names(pair)[2] == "stickman 3"
    assert not pair.figures.rename(0, "  ")
    assert "empty" in heard.messages[-1][1]


def test_a_figure_that_is_loaded_again_keeps_a_name_of_its_own(pair: Document, skeletons_folder: Path) -> None:
    assert pair.files.load_figure(skeletons_folder / "stickman.scr")
    assert names(pair) == ["stickman", "stickman 2"] and pair.model.active.figure == 1


def test_choosing_another_figure_and_the_drag_after_it_are_one_step(pair: Document) -> None:
    before, steps = pair.state_json(), pair.stack.count()
    pair.figures.show(0)
    pair.figures.show(1)
    assert (pair.stack.count(), pair.state_json()) == (steps, before)  # there and back: nothing was done
    pair.figures.show(0)
    q = pair.pose.copy()
    q[0] += 0.1
    with pair.posing.begin_gesture("Drag") as gesture:
        gesture.set_pose(q)
    assert pair.stack.count() == steps + 1 and pair.stack.undoText() == "Drag"
    after = pair.state_json()
    pair.history.undo()
    assert pair.state_json() == before and pair.model.active.figure == 1
    pair.history.redo()
    assert pair.state_json() == after and pair.model.active.figure == 0


def test_a_click_on_another_figure_selects_nothing_of_the_old_names(pair: Document) -> None:
    pair.selection.set(("right hand",))
    pair.figures.show(0)
    assert pair.selection.joints == ()


def test_an_unkeyed_pose_is_dropped_and_comes_back(pair: Document, heard) -> None:
    pair.session.keys.auto = False
    pair.posing.set(pair.pose + 0.01)
    assert pair.pending
    before = pair.state_json()
    pair.figures.show(0)
    assert not pair.pending and any("Undo brings it back" in text for _, text, _ in heard.messages)
    pair.history.undo()
    assert pair.state_json() == before


def test_a_duplicate_has_keys_and_locks_of_its_own_beside(document: Document) -> None:
    q = document.pose.copy()
    q[2] += 0.3
    document.posing.set(q)
    foot = Lock("right foot", "position", target=(0.1, 0.2, 0.3))
    document.sequence.locks.strips = (LockStrip(foot, 0, 9, id="a"),)
    assert document.figures.duplicate(0)
    one, two = (document.model.sequences[k] for k in document.model.active.sequences)
    by = two.keys[0].q[0] - one.keys[0].q[0]
    assert by > 0.3 and two.keys[0].q[2] == one.keys[0].q[2]
    assert two.locks.strips[0].lock.target == pytest.approx([0.1 + by, 0.2, 0.3])
    assert two.skeleton is document.figures.all[1] is not one.skeleton


def test_a_figure_that_is_removed_takes_its_sequences_and_locks_that_name_it(pair: Document, heard) -> None:
    held = Lock("right hand", "point_pair", other=("stickman 2", "left hand", (0.0, 0.0, 0.0)))
    own = Lock("left foot", "position", target=(0.0, 0.0, 0.0))
    pair.figures.show(0)
    pair.model.sequences[0].locks.strips = (LockStrip(held, 0, 9, id="a"), LockStrip(own, 0, 9, id="b"))
    before = pair.state_json()
    assert pair.figures.remove(1)
    assert names(pair) == ["stickman"] and len(pair.sequences.all) == 1
    assert [strip.id for strip in pair.sequence.locks.strips] == ["b"]
    pair.model.check()
    pair.history.undo()
    assert pair.state_json() == before
    pair.history.redo()
    assert not pair.figures.remove(0)
    assert "only figure" in heard.messages[-1][1]


def test_a_renamed_figure_is_followed_by_locks_that_name_it(pair: Document) -> None:
    held = Lock("right hand", "point_pair", other=("stickman", "left hand", (0.0, 0.0, 0.0)))
    pair.sequence.locks.strips = (LockStrip(held, 0, 9, id="a"),)
    before = pair.state_json()
    pair.session.view.hidden_figures = {"stickman"}
    assert pair.figures.rename(0, "Ada")
    assert pair.sequence.locks.strips[0].lock.second[0] == "Ada"
    assert pair.figures.is_hidden(0) and not pair.figures.is_hidden(1)
    pair.history.undo()
    assert pair.state_json() == before


def test_all_figures_come_back_from_a_file(pair: Document, tmp_path: Path) -> None:
    assert pair.figures.add(props.box((0.4, 0.3, 0.2)), beside=True) and pair.figures.rename(1, "Eve")
    before = pair.state_json()
    assert pair.files.save(tmp_path / "scene.seq")
    other = Document()
    assert other.files.open(tmp_path / "scene.seq")
    assert names(other) == ["stickman", "Eve", "box"] and other.state_json() == before
    mesh = other.figures.all[2].joints[0].objects[0].mesh
    assert mesh is not None and volume(mesh) == pytest.approx(0.024)


def test_what_plays_goes_on_to_the_last_key_of_all_figures(pair: Document) -> None:
    pair.model.sequences[0].set_key(40, pair.figures.all[0].rest_pose())
    assert pair.sequence.range == (0, 0) and pair.model.played == (0, 40)
    assert pair.sequences.set_range(3, 9)
    assert pair.model.played == (3, 9) and pair.model.sequences[0].range == (3, 9)  # one clock for all
    assert pair.sequences.set_fps(60.0)
    assert {sequence.fps for sequence in pair.model.shown_sequences} == {60.0}


def test_other_figures_are_asked_for_the_time_not_for_the_frame(pair: Document) -> None:
    other = pair.model.sequences[0]
    other.fps = 2.0 * pair.sequence.fps
    q = other.skeleton.rest_pose()
    for frame, x in ((0, 0.0), (20, 1.0)):
        q[0] = x
        other.set_key(frame, q, "linear")
    pair.model.forget_poses()
    assert pair.model.figure_pose(0, 5)[0] == pytest.approx(0.5)
    assert pair.model.figure_pose(0, 10)[0] == pytest.approx(1.0)


def test_poses_worked_out_ahead_are_those_of_each_frame(pair: Document) -> None:
    other = pair.model.sequences[0]
    rng = np.random.default_rng(5)
    for frame in (0, 7, 16, 30):
        other.set_key(frame, other.skeleton.rest_pose() + rng.normal(scale=0.2, size=other.skeleton.nq))
    pair.figures.show(0)
    alone = [pair.model.keyed_pose(frame).tobytes() for frame in range(30)]
    pair.model.forget_poses()
    pair.model.ahead = 8
    assert [pair.model.keyed_pose(frame).tobytes() for frame in range(30)] == alone
    assert pair.posing.set(pair.pose + 0.1)
    assert pair.model.keyed_pose(0).tobytes() != alone[0]


# -- props ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prop", "content"),
    [
        (props.box((0.4, 0.3, 0.2)), 0.024),
        (props.ball(0.1), 4.0 / 3.0 * np.pi * 1e-3),
        (props.capsule(0.05, 0.8), np.pi * 0.0025 * (0.8 + 0.2 / 3.0)),
    ],
)
def test_props_stand_on_the_floor_and_weigh_what_they_hold(prop: Skeleton, content: float) -> None:
    assert is_prop(prop) and prop.nq == 6 and prop.compounds == ((0, 1, 2),)
    low, _ = pose_extent(prop, forward_kinematics(prop, prop.rest_pose()))
    assert low[1] == pytest.approx(0.0, abs=1e-12)
    assert prop.joints[0].mass == pytest.approx(props.DENSITY * content)
    mesh = prop.joints[0].objects[0].mesh
    assert volume(mesh) == pytest.approx(content, rel=0.06)
    meshes = {file: read_pol(text, file) for file, text in traveling_texts(prop, {}).items()}
    again = read_scr(write_scr(prop), f"{prop.name}.scr", None, None, meshes)
    assert again.dof_names == prop.dof_names and again.joints[0].mass == prop.joints[0].mass


def test_a_figure_is_no_prop(document: Document) -> None:
    assert not is_prop(document.skeleton)


def test_a_mesh_off_its_origin_becomes_a_prop_in_its_middle() -> None:
    prop = props.of_mesh(box((0.2, 0.4, 0.6), (5.0, 6.0, 7.0)), "crate")
    low, high = prop.joints[0].objects[0].mesh.bounds
    assert low == pytest.approx(-high) and prop.joints[0].offset == pytest.approx([0.0, 0.2, 0.0])


BODIES = [
    RigidBody("box", (0.2, 0.3, 0.5), 3.0, np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.8, 0.5]), name="crate"),
    RigidBody("ball", (0.2,), 1.5, np.array([-1.0, 0.2, 0.0]), friction=0.3, name="ball"),
    RigidBody("capsule", (0.1, 0.7), 2.0, np.array([0.0, 1.0, 0.0]), np.array([1.2, 0.1, -0.4]), name="staff"),
]


@pytest.mark.parametrize("body", BODIES)
def test_the_prop_of_a_rigid_body_is_where_it_was(body: RigidBody) -> None:
    prop = prop_of(body)
    X = forward_kinematics(prop, pose_at(prop, body.X_WB))[0]
    assert X == pytest.approx(body.X_WB, abs=1e-12)
    assert (prop.joints[0].mass, prop.joints[0].friction) == (body.mass, body.friction)
    X_WB = se3.transform(so3.exp(np.array([2.0, 1.0, -2.0])), np.array([0.4, 0.5, 0.6]))
    assert forward_kinematics(prop, pose_at(prop, X_WB))[0] == pytest.approx(X_WB, abs=1e-12)


@pytest.mark.parametrize("body", BODIES)
def test_a_rigid_body_becomes_a_prop_and_a_rigid_body_again(document: Document, body: RigidBody) -> None:
    assert document.physics.settings.edit("Add", rigid_bodies=(body,))
    before = document.state_json()
    assert body_to_prop(document, 0)
    assert not document.physics.settings.now.rigid_bodies and names(document)[1] == body.name
    assert forward_kinematics(document.skeleton, document.pose)[0] == pytest.approx(body.X_WB, abs=1e-12)
    assert prop_to_body(document)
    (again,) = document.physics.settings.now.rigid_bodies
    assert (again.kind, again.mass, again.friction) == (body.kind, body.mass, body.friction)
    assert sorted(again.size) == pytest.approx(sorted(body.size), rel=0.03)
    assert again.position == pytest.approx(body.position, abs=2e-3)
    document.history.undo()
    document.history.undo()
    assert document.state_json() == before


def test_a_figure_is_not_made_a_rigid_body(pair: Document, heard) -> None:
    assert not prop_to_body(pair)
    assert "only a prop" in heard.messages[-1][1]


def test_marks_of_a_prop_are_sized_by_the_figure_beside_it(document: Document) -> None:
    from app.scene.scene import Scene

    assert document.figures.add(props.ball(0.1), beside=True)
    assert Scene(document).height == figure_height(document.figures.all[0])


def test_the_copy_of_a_figure_is_an_object_of_its_own(document: Document) -> None:
    figure = document.model.figures[0]
    assert figure_edits.named(document.model, Figure(figure.skeleton)).skeleton is not figure.skeleton
