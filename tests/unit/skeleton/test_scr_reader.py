"""What sound .scr files mean."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.skeleton import Group, load_skeleton, read_scr

HERE = Path(__file__).parent
BUNDLED = Path(__file__).parents[3] / "skeletons"


def body(*lines: str) -> str:
    """A figure of one joint "a" with these lines in its definition."""
    inner = "\n".join(lines)
    return f'define skeleton "s"\njoint "a"\nend skeleton\ndefine joint "a"\n{inner}\nend joint\n'


def one(*lines: str):
    return read_scr(body(*lines)).joints[0]


def test_figure_6_1_loads_verbatim() -> None:
    s = load_skeleton(HERE / "figure_6_1.scr")
    assert s.name == "stickman"
    parents = {joint.name: s.joints[joint.parent].name if joint.parent >= 0 else None for joint in s.joints}
    assert parents == {
        "pelvis": None,
        "torso": "pelvis",
        "right arm": "torso",
        "right hand": "right arm",
        "left arm": "torso",
        "left hand": "left arm",
        "head": "torso",
        "right leg": "pelvis",
        "right foot": "right leg",
        "left leg": "pelvis",
        "left foot": "left leg",
    }
    leg = s.joints[s.joint_index("right leg")]
    assert leg.offset.tolist() == [0.0, -0.32, 0.0]
    assert leg.mass == 1.0
    assert [dof.kind for dof in leg.dofs] == ["hinge"]
    assert leg.dofs[0].axis.tolist() == [1.0, 0.0, 0.0]
    assert np.degrees([leg.dofs[0].lo, leg.dofs[0].hi]) == pytest.approx([0.0, 170.0])
    assert leg.objects[0].file == "r_lleg.pol"
    assert leg.objects[0].mesh is None
    assert s.mirror_pairs == ((s.joint_index("right leg"), s.joint_index("left leg")),)


def test_figure_6_1_warns_of_each_undefined_joint_and_the_missing_object_with_its_line() -> None:
    s = load_skeleton(HERE / "figure_6_1.scr")
    placed = {w.line: w.message for w in s.warnings if "not defined" in w.message}
    lines = {3: "pelvis", 5: "torso", 7: "right arm", 8: "right hand", 11: "left arm", 12: "left hand", 14: "head"}
    lines |= {18: "right foot", 22: "left foot"}
    assert set(placed) == set(lines)
    assert all(f'"{name}"' in placed[line] for line, name in lines.items())
    missing = [w for w in s.warnings if "r_lleg.pol" in w.message]
    assert [(w.line, w.column) for w in missing] == [(27, 12)]
    assert len(s.warnings) == len(lines) + 1
    undefined = s.joints[s.joint_index("torso")]
    assert not undefined.defined and undefined.dofs == () and undefined.mass == 0.0 and undefined.objects == ()


def test_groups_nest_and_the_chain_goes_on_after_them() -> None:
    s = load_skeleton(HERE / "figure_6_1.scr")
    assert s.layout is not None
    names = s.joint_names
    upper = s.layout[1]
    assert isinstance(upper, Group) and upper.name == "Upper body"
    assert [names[i] for i in upper.joints()] == ["torso", "right arm", "right hand", "left arm", "left hand", "head"]
    assert [item.name if isinstance(item, Group) else names[item] for item in upper.items] == [
        "torso",
        "Right Arm",
        "Left arm",
        "head",
    ]


def test_words_quotes_line_endings_signs_and_comments() -> None:
    text = (
        '\ufeffDEFINE Skeleton “Émile # 1” # a comment\r\n  jOInt "a"\rend SKELETON\n\n'
        'Define Joint "a"\n OFFSET \N{MINUS SIGN}1 +.5 2e-1\n hinge \N{MINUS SIGN}y\n end joint'
    )
    s = read_scr(text)
    assert s.name == "Émile # 1"
    assert s.joints[0].offset.tolist() == [-1.0, 0.5, 0.2]
    assert s.joints[0].dofs[0].axis.tolist() == [0.0, -1.0, 0.0]


def test_a_doubled_quote_stands_for_one() -> None:
    assert read_scr('define skeleton "a ""b"" c"\njoint "a"\nend skeleton').name == 'a "b" c'


def test_degrees_of_freedom() -> None:
    joint = one('hinge -x -10 20 "bend"', "slide 0 3 4 -0.5 0.25", "hinge y", "hinge z -inf 90")
    kinds = [dof.kind for dof in joint.dofs]
    assert kinds == ["hinge", "slide", "hinge", "hinge"]
    assert joint.dofs[0].axis.tolist() == [-1.0, 0.0, 0.0]
    assert (joint.dofs[0].lo, joint.dofs[0].hi) == (math.radians(-10), math.radians(20))
    assert joint.dofs[1].axis == pytest.approx([0.0, 0.6, 0.8], abs=1e-15)
    assert (joint.dofs[1].lo, joint.dofs[1].hi) == (-0.5, 0.25)
    assert (joint.dofs[2].lo, joint.dofs[2].hi) == (-math.inf, math.inf)
    assert (joint.dofs[3].lo, joint.dofs[3].hi) == (-math.inf, math.radians(90))
    assert joint.dof_labels == ("bend", "", "", "")


def test_tiny_and_huge_axes_become_unit_axes() -> None:
    joint = one("hinge 1e-320 0 0", "hinge 1e300 1e300 0")
    assert joint.dofs[0].axis.tolist() == [1.0, 0.0, 0.0]
    assert joint.dofs[1].axis == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0.0], abs=1e-15)


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z", "1 2 3", "-3 0.1 0"])
def test_ball_is_two_hinges_across_and_one_about_its_axis(axis: str) -> None:
    joint = one(f"ball {axis} 40 -20 30")
    first, second, twist = joint.dofs
    frame = np.column_stack([first.axis, second.axis, twist.axis])
    assert np.abs(frame.T @ frame - np.eye(3)).max() < 1e-15
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert (first.lo, first.hi) == (second.lo, second.hi) == (-math.radians(40), math.radians(40))
    assert (twist.lo, twist.hi) == (math.radians(-20), math.radians(30))
    assert joint.cone == math.radians(40)


def test_ball_without_cone_is_free() -> None:
    joint = one("ball y")
    assert joint.cone is None
    assert all(math.isinf(dof.lo) and math.isinf(dof.hi) for dof in joint.dofs)


def test_every_other_line() -> None:
    joint = one(
        "scale 1 2 0.5",
        "orientation 10 20 30",
        "mass 2.5",
        "centre 0 0.1 0",
        "inertia 3 4 5 0.1 0.2 0.3",
        "weight 0.25",
        "resistance 2",
        "stiffness 7 rest 30",
        "damping 0.5",
        "viscous 0.75",
        "coulomb 0.3 0.01 0.02",
        "motor -4",
        "friction 0.6",
        "colour 0.1 0.2 1",
    )
    assert joint.scale.tolist() == [1.0, 2.0, 0.5]
    assert joint.orientation.tolist() == [10.0, 20.0, 30.0]
    assert joint.mass == 2.5
    assert joint.center is not None and joint.center.tolist() == [0.0, 0.1, 0.0]
    assert joint.inertia is not None
    assert joint.inertia.tolist() == [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    assert (joint.weight, joint.resistance, joint.damping, joint.viscous, joint.motor) == (0.25, 2.0, 0.5, 0.75, -4.0)
    assert joint.stiffness == (7.0, math.radians(30))
    assert joint.coulomb == (0.3, 0.01, 0.02)
    assert joint.friction == 0.6 and one().friction is None
    assert joint.color == (0.1, 0.2, 1.0)
    assert one("coulomb 0.3").coulomb == (0.3, None, None)
    assert one("cone 25").cone == math.radians(25)


def test_orientation_turns_about_x_then_y_then_z() -> None:
    joint = one("orientation 90 0 90")
    # Rz Ry Rx: the y axis goes to z by Rx and stays there by Rz.
    assert joint.rotation @ [0.0, 1.0, 0.0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    assert joint.rotation @ [1.0, 0.0, 0.0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)


def test_more_than_three_rotary_is_a_warning() -> None:
    s = read_scr(body("hinge x", "hinge y", "hinge z", "hinge x"))
    assert [w.line for w in s.warnings] == [4] and "4 rotary" in s.warnings[0].message


def test_an_inertia_that_no_body_has_is_a_warning() -> None:
    s = read_scr(body("inertia 1 1 3"))
    assert [(w.line, w.column) for w in s.warnings] == [(5, 9)]
    assert read_scr(body("inertia 1 1 2")).warnings == ()


@pytest.mark.parametrize(("name", "joints", "dofs"), [("stickman", 11, 29), ("arm7", 8, 7), ("chain20", 20, 20)])
def test_bundled_figures_load_without_a_warning(name: str, joints: int, dofs: int) -> None:
    s = load_skeleton(BUNDLED / f"{name}.scr")
    assert (len(s.joints), s.n_dofs, s.warnings) == (joints, dofs, ())
    assert s.source == BUNDLED / f"{name}.scr"
    assert all(part.mesh is not None for joint in s.joints for part in joint.objects)


def test_the_stick_figure_keeps_the_hierarchy_of_figure_6_1() -> None:
    ours, figure = load_skeleton(BUNDLED / "stickman.scr"), load_skeleton(HERE / "figure_6_1.scr")
    assert ours.joint_names == figure.joint_names
    assert [j.parent for j in ours.joints] == [j.parent for j in figure.joints]
    assert ours.layout == figure.layout


def test_the_polygon_files_of_the_stick_figure_are_those_its_script_makes() -> None:
    from core.skeleton import write_pol
    from skeletons.making.make_stickman import PARTS

    for name, mesh in PARTS.items():
        written = (BUNDLED / "stickman" / f"{name}.pol").read_text(encoding="utf-8")
        assert written.split("\n", 1)[1] == write_pol(mesh)


def test_objects_are_loaded_once_and_reflected_where_mirrored(tmp_path: Path) -> None:
    (tmp_path / "t.pol").write_text("vertices 3\n 1 0 0\n 2 0 0\n 1 1 0\npolygons 1\n 3 0 1 2\n")
    lines = ('object "t.pol"', 'object "t.pol" mirrored')
    s = read_scr(body(*lines), folder=tmp_path)
    plain, mirrored = s.joints[0].objects
    assert plain.mesh is not None and mirrored.mesh is not None
    assert mirrored.mirrored and not plain.mirrored
    assert mirrored.mesh.vertices.tolist() == [[-1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [-1.0, 1.0, 0.0]]
    assert mirrored.mesh.triangles.tolist() == [[2, 1, 0]]


def test_without_a_folder_no_object_is_looked_for() -> None:
    s = read_scr(body('object "nobody/here.pol"'))
    assert s.joints[0].objects[0].mesh is None
    assert "no folder" in s.warnings[0].message


def test_weights_of_joints_that_are_not_there_are_a_warning(tmp_path: Path) -> None:
    pol = 'vertices 3\n0 0 0\n1 0 0\n0 1 0\npolygons 1\n3 0 1 2\nweights 2\n 1 1 "left armm"\n 2 .5 "b" .5 "tail"\n'
    (tmp_path / "a.pol").write_text(pol, encoding="utf-8")
    text = (
        'define skeleton "s"\njoint "b"\njoint "right arm"\ngroup "l"\njoint "left arm"\nend group\nend skeleton\n'
        'define joint "b"\n  object "a.pol" mirrored\n  object "a.pol"\nend joint\n'
        'define joint "left arm"\n  mirror "right arm"\n  object "a.pol"\nend joint\n'
    )
    (tmp_path / "s.scr").write_text(text, encoding="utf-8")
    s = load_skeleton(tmp_path / "s.scr")
    assert [str(warning) for warning in s.warnings] == [
        's.scr:9:10: object "a.pol" follows "left armm", no joint of this figure; did you mean "left arm"?',
        's.scr:9:10: object "a.pol" follows "tail", no joint of this figure; '
        "its weights stay with the joint that carries the object",
    ]
    assert all(part.mesh is not None and part.mesh.weights for joint in s.joints for part in joint.objects)
