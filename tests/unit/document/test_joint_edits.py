"""What the skeleton mode does with joints: each edit on figures of the program, checked by where things are at rest."""

from __future__ import annotations

import numpy as np
import pytest

from app.document.document import Document
from app.document.edits import joint_edits
from app.document.gestures.live_gesture import FigureGesture
from core.errors import CoreError, SkeletonError
from core.skeleton import Joint, Skeleton, SkeletonBuilder, load_skeleton
from core.skeleton.building.props import free_turn
from core.skeleton.segment import rest_frames, segment_tip
from core.skeleton.shapes import volume

FIGURES = ("human.scr", "stickman.scr", "arm7.scr", "chain20.scr")


@pytest.fixture(params=FIGURES)
def figure(request: pytest.FixtureRequest, skeletons_folder) -> Skeleton:
    return load_skeleton(skeletons_folder / request.param)


def edited(skeleton: Skeleton, edit: joint_edits.Edit) -> Skeleton:
    builder = SkeletonBuilder(skeleton)
    edit(builder)
    return builder.build()


def origins(skeleton: Skeleton) -> dict[str, np.ndarray]:
    return dict(zip(skeleton.joint_names, rest_frames(skeleton)[:, :3, 3], strict=True))


def same_places(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    for name, place in wanted.items():
        assert found[name] == pytest.approx(place, abs=1e-9), name


def test_a_joint_that_is_moved_is_there_and_the_rest_comes_along_or_stays(figure: Skeleton) -> None:
    before = origins(figure)
    index = 1
    name, goal = figure.joint_names[index], before[figure.joint_names[index]] + (0.1, -0.05, 0.2)
    below = {figure.joint_names[i] for i in joint_edits.branch(figure, index)} - {name}
    for carry in (True, False):
        after = origins(edited(figure, joint_edits.moved(name, goal, carry)))
        assert after[name] == pytest.approx(goal, abs=1e-12)
        for other, place in before.items():
            if other != name:
                shift = goal - before[name] if carry and other in below else 0.0
                assert after[other] == pytest.approx(place + shift, abs=1e-9)


def test_offset_and_orientation_leave_the_children_if_asked_to(figure: Skeleton) -> None:
    before = origins(figure)
    joint = figure.joints[1]
    below = [figure.joint_names[i] for i in joint_edits.branch(figure, 1)][1:]
    offset = joint.offset + np.array([0.03, 0.02, -0.01])
    moved = edited(figure, joint_edits.with_offset(joint.name, offset, carry=False))
    assert moved.joints[moved.joint_index(joint.name)].offset == pytest.approx(offset)
    same_places(origins(moved), {name: before[name] for name in below})
    turned = edited(figure, joint_edits.with_orientation(joint.name, (0.0, 0.0, 0.0), carry=True))
    assert not turned.joints[turned.joint_index(joint.name)].orientation.any()


def test_a_new_child_stands_at_the_end_of_the_segment_and_never_on_another_one(figure: Skeleton) -> None:
    for parent in (figure.joint_names[0], figure.joint_names[-1]):
        one = joint_edits.free_name(figure)
        first = edited(figure, joint_edits.added(parent, one))
        two = joint_edits.free_name(first)
        second = edited(first, joint_edits.added(parent, two))
        places = origins(second)
        assert one != two and np.linalg.norm(places[one] - places[two]) > 1e-3
        assert len(second.joints) == len(figure.joints) + 2
    leaf = figure.joint_names[-1]
    tip = segment_tip(figure, leaf)
    made = edited(figure, joint_edits.added(leaf, "tip"))
    assert made.joints[made.joint_index("tip")].offset == pytest.approx(tip)
    placed = edited(figure, joint_edits.added(leaf, "there", (0.5, 0.6, 0.7)))
    assert origins(placed)["there"] == pytest.approx((0.5, 0.6, 0.7))


def test_a_root_alone_can_be_built_on() -> None:
    root = joint_edits.first_figure()
    assert root.joint_names == ("root",) and len(root.joints[0].dofs) == 3
    one = edited(root, joint_edits.added("root", "a"))
    assert np.linalg.norm(one.joints[1].offset) > 0.1
    assert edited(one, joint_edits.removed(["a"], False)).joint_names == ("root",)
    with pytest.raises(SkeletonError, match="root"):
        edited(root, joint_edits.removed(["root"], False))


def test_removing_several_joints_at_once_takes_those_that_are_gone_already(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    names = ["left upper arm", "left forearm", "left hand"]
    assert len(edited(human, joint_edits.removed(names, False)).joints) == 18
    kept = edited(human, joint_edits.removed(["left forearm"], True))
    assert origins(kept)["left hand"] == pytest.approx(origins(human)["left hand"], abs=1e-9)


def test_mirroring_begins_where_the_side_begins(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    moved = edited(human, joint_edits.moved("left hand", origins(human)["left hand"] + (0.1, 0.0, 0.0), True))
    both = edited(moved, joint_edits.mirrored(moved, moved.joint_index("left hand")))
    places = origins(both)
    for one, other in both.mirror_pairs:
        a, b = both.joint_names[one], both.joint_names[other]
        assert places[b] == pytest.approx(places[a] * (-1, 1, 1), abs=1e-9)
    assert both.joint_names == human.joint_names


def test_a_branch_without_a_side_is_named_for_where_it_stands() -> None:
    dofs = free_turn()
    figure = Skeleton(
        "f",
        [
            Joint("hub", -1, dofs=dofs),
            Joint("a", 0, offset=np.array([-0.2, 0.1, 0.0]), dofs=dofs),
            Joint("b", 1, offset=np.array([-0.3, 0.0, 0.0])),
        ],
    )
    assert joint_edits.side_names(figure, 2) == {"a": "right a", "b": "right b"}
    both = edited(figure, joint_edits.mirrored(figure, 2))
    assert set(both.joint_names) == {"hub", "right a", "right b", "left a", "left b"}
    assert origins(both)["left b"] == pytest.approx((0.5, 0.1, 0.0))
    middle = Skeleton("m", [Joint("hub", -1), Joint("top", 0, offset=np.array([0.0, 1.0, 0.0]))])
    assert joint_edits.side_names(middle, 1) == {}
    with pytest.raises(SkeletonError, match="side"):
        edited(middle, joint_edits.mirrored(middle, 1))


def test_groups_begin_at_a_joint_and_end_with_its_parents(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    assert joint_edits.group_of(human, "left hand") == "Left arm" and joint_edits.group_of(human, "pelvis") == ""
    made = edited(human, joint_edits.grouped("left hand", "Hands"))
    assert joint_edits.group_of(made, "left hand") == "Hands" and "Hands" in joint_edits.group_names(made)
    for back in ("Left arm", ""):
        again = edited(made, joint_edits.grouped("left hand", back))
        assert joint_edits.group_of(again, "left hand") == "Left arm"


@pytest.mark.parametrize("shape", joint_edits.SHAPES)
def test_shapes_are_solid_and_reach_along_the_segment(figure: Skeleton, shape: str) -> None:
    for name in figure.joint_names:
        mesh = joint_edits.segment_shape(figure, name, shape)
        assert volume(mesh) > 0.0
        middle = 0.5 * segment_tip(figure, name)
        lo, hi = mesh.bounds
        assert (lo - 1e-9 <= middle).all() and (middle <= hi + 1e-9).all()
    with pytest.raises(SkeletonError, match="box, ball, limb"):
        joint_edits.segment_shape(figure, figure.joint_names[0], "cone")


def test_an_object_fills_another_box_and_the_other_side_keeps_its_own(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    size, center = np.array([0.1, 0.3, 0.2]), np.array([0.01, -0.02, 0.03])
    for name, other in (("left hand", "right hand"), ("right hand", "left hand"), ("head", "neck")):
        made = edited(human, joint_edits.with_object_box(name, 0, size, center))
        lo, hi = made.joints[made.joint_index(name)].objects[0].mesh.bounds
        assert hi - lo == pytest.approx(size) and 0.5 * (lo + hi) == pytest.approx(center)
        before, after = (s.joints[s.joint_index(other)].objects[0] for s in (human, made))
        assert after.mesh is before.mesh
        again = made.joints[made.joint_index(name)].objects[0]
        assert not again.mirrored and again.origin is None and again.file != after.file
        assert {follows for follows, _ in again.mesh.weights} <= set(made.joint_names)
        sides = [follows for follows, _ in again.mesh.weights if follows.startswith(other.split()[0] + " ")]
        assert name == "head" or not sides, sides


def test_bare_joints_get_shapes_once() -> None:
    figure = joint_edits.first_figure()
    with pytest.raises(SkeletonError, match="needs"):
        edited(figure, joint_edits.with_bodies)
    for place in ((0.3, 1.0, 0.0), (0.6, 1.0, 0.0)):
        figure = edited(figure, joint_edits.added(figure.joint_names[-1], joint_edits.free_name(figure), place))
    whole = edited(figure, joint_edits.with_bodies)
    assert all(joint.objects for joint in whole.joints[:2])
    part = edited(figure, joint_edits.with_shape("joint 1", "box"))
    rest = edited(part, joint_edits.with_bodies)
    assert [len(joint.objects) for joint in rest.joints] == [1, 1, 1]


def test_another_order_of_joints_is_the_same_figure(figure: Skeleton) -> None:
    names, waiting = [], [0]
    while waiting:  # children before grandchildren, the last child first
        at = waiting.pop(0)
        names.append(figure.joint_names[at])
        waiting.extend(reversed(figure.children[at]))
    other = joint_edits.in_order(figure, names)
    assert other.joint_names == tuple(names)
    same_places(origins(other), origins(figure))
    assert joint_edits.in_order(figure, figure.joint_names) is figure


def test_a_gesture_shows_commits_and_gives_up(qapp, skeletons_folder) -> None:
    document = Document()
    document.files.open(skeletons_folder / "stickman.scr")
    state, name = document.state_json(), document.skeleton.joint_names[2]
    goal = origins(document.skeleton)[name] + (0.1, 0.0, 0.0)

    gesture = FigureGesture(document, "Move")
    assert gesture.show(joint_edits.moved(name, goal, True)) and not gesture.problem
    assert document.state_json() == state and document.gesture is gesture
    shown = document.session.preview
    assert not gesture.show(joint_edits.moved(name, (np.nan, 0.0, 0.0), True)) and "finite" in gesture.problem
    assert document.session.preview is shown  # what was shown stays
    gesture.cancel()
    assert document.session.preview is None and document.gesture is None and document.state_json() == state
    assert not gesture.show(joint_edits.moved(name, goal, True)) and not gesture.commit()

    gesture = FigureGesture(document, "Move")
    gesture.show(joint_edits.moved(name, goal, True))
    assert gesture.commit() and document.stack.count() == 1 and document.stack.undoText() == "Move"
    assert origins(document.skeleton)[name] == pytest.approx(goal)
    gesture = FigureGesture(document, "Move")
    assert not gesture.commit() and document.stack.count() == 1  # nothing was shown
    with pytest.raises(CoreError):
        edited(document.skeleton, joint_edits.moved("nobody", goal, True))
