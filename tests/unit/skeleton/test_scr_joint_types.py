"""Joint types in skeleton files: read, written back, reflected, edited, re-rooted; one message for each bad line."""

from __future__ import annotations

import dataclasses
import importlib
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError, SkeletonError
from core.formats import bundled_folder
from core.joints import JOINT_TYPES, Composite, Free, Revolute, Spherical, SplineCurve, SplineSurface, Universal
from core.joints.splines import BASES
from core.joints.symbolic import SymbolicJoint
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, SkeletonBuilder, load_skeleton, read_scr, write_scr
from core.skeleton.joint_type import fits, type_dofs
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.scr.writer import same_joint
from core.spatial import se3
from tests.support.joint_type_figures import FURTHER, SPLINES, TYPES, arm_figure, arm_on, random_pose

M = np.diag([-1.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_read_and_written_back(name: str) -> None:
    s = arm_figure(name)
    cart = s.joints[1]
    assert cart.type is not None and (name in FURTHER or cart.type.type_name == name)
    assert len(cart.dofs) == cart.type.n and fits(cart.type, cart.dofs)
    text = write_scr(s)
    again = read_scr(text)
    assert write_scr(again) == text
    assert all(same_joint(a, b) for a, b in zip(s.joints, again.joints, strict=True))


@pytest.mark.verify
def test_all_types_of_the_library_can_be_written() -> None:
    assert {model.type_name for model in JOINT_TYPES} == set(TYPES) - set(FURTHER)
    bench = load_skeleton(bundled_folder() / "joints.scr")
    own = {joint.type.type_name for joint in bench.joints[1:]}
    written = {model.type_name for model in JOINT_TYPES if issubclass(model, SymbolicJoint)}  # on tables of their own
    assert own == {model.type_name for model in JOINT_TYPES} - {"reversed"} - written  # re-rooting makes these
    assert {each.type.basis for each in bench.joints if isinstance(each.type, SplineCurve)} == set(BASES)
    formulas = load_skeleton(bundled_folder() / "formulas.scr")
    assert {joint.type.type_name for joint in formulas.joints[1:]} == {"expression"}


def test_types_are_hinges_and_slides_with_limits_and_labels() -> None:
    s = arm_figure("universal")
    cart = s.joints[1]
    assert [(d.kind, d.axis.tolist()) for d in cart.dofs] == [("hinge", [1, 0, 0]), ("hinge", [0, 1, 0])]
    assert np.allclose(np.degrees([[d.lo, d.hi] for d in cart.dofs]), [[-30, 30], [-45, 45]])
    assert cart.dof_labels == ("", "Swing")
    assert [d.kind for d in arm_figure("free").joints[1].dofs] == ["slide"] * 3 + ["hinge"] * 3
    assert [d.kind for d in arm_figure("free rotation first").joints[1].dofs] == ["hinge"] * 3 + ["slide"] * 3
    assert arm_figure("spherical").compounds[0] == (0, 1, 2)
    assert isinstance(arm_figure("composite").joints[1].type, Composite)
    assert arm_figure("spline surface").dof_names[:2] == ("cart.u", "cart.v")
    assert arm_figure("spline surface").dof_labels[:2] == ("Along", "Across")


def test_a_spline_that_ends_has_its_ends_for_limits() -> None:
    assert arm_figure("open curve").limits[0].tolist() == [0.25, 2.0]
    assert arm_figure("spline curve").limits[0].tolist() == [-math.inf, math.inf]
    assert arm_figure("spline surface").limits[:2].tolist() == [[0.5, 2.0], [0.0, 3.0]]
    curve = arm_figure("open curve").joints[1].type
    assert type_dofs(curve, [(-5.0, 50.0)])[0][2:] == (0.0, 2.0)


def test_a_type_goes_when_its_degrees_of_freedom_do() -> None:
    joint = arm_figure("universal").joints[1]
    limited = dataclasses.replace(joint, dofs=type_dofs(joint.type, [(-1, 1), (-2, 2)]))
    assert limited.type == Universal()
    turned = (Dof("hinge", np.array([0.0, 0.0, 1.0]), -1, 1), joint.dofs[1])
    assert dataclasses.replace(joint, dofs=turned).type is None


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", TYPES)
def test_counterparts_made_by_reflection_take_the_mirrored_pose(name: str) -> None:
    lines = TYPES[name]
    text = f"""define skeleton "pair"
joint "root"
group "right"
joint "right cart"
end group
group "left"
joint "left cart"
end group
end skeleton
define joint "right cart"
offset -0.3 0.1 0
orientation 10 20 30
{lines}
mirror "left cart"
mass 1
end joint
"""
    s = read_scr(text)
    assert write_scr(read_scr(write_scr(s))) == write_scr(s) and write_scr(s).count("define joint") == 1
    rng = np.random.default_rng(1)
    assert pose_mirror(s).exact
    for _ in range(3):
        q = random_pose(s, rng)
        F, G = forward_kinematics(s, q), forward_kinematics(s, pose_mirror(s).convert(q))
        assert np.abs(G[1] - M @ F[2] @ M).max() < 1e-12 and np.abs(G[2] - M @ F[1] @ M).max() < 1e-12


def test_rerooting_leaves_splines_beside_its_way_as_they_are() -> None:
    text = arm_on(TYPES["universal"]).replace(
        'joint "rail"\njoint "cart"', 'joint "rail"\ngroup "g"\njoint "slide"\nend group\njoint "cart"', 1
    )
    text += f'define joint "slide"\n{TYPES["spline curve"]}\nmass 1\nend joint\n'
    s = read_scr(text)
    r = s.rerooted("hand")
    q = random_pose(s, np.random.default_rng(2))
    at = [r.joint_index(name) for name in s.joint_names]
    F, G = forward_kinematics(s, q), forward_kinematics(r, r.convert(q))
    own = s.joint_index("slide")
    assert np.abs(F[own] - G[at[own]]).max() < 1e-12 and isinstance(r.joints[at[own]].type, SplineCurve)


def test_the_builder_changes_types() -> None:
    builder = SkeletonBuilder(arm_figure("revolute"))
    builder.set("cart", type=Spherical())
    assert len(builder.build().joints[1].dofs) == 3
    curve = arm_figure("open curve").joints[1].type
    builder.set("cart", type=curve)
    made = builder.build()
    assert made.joints[1].type == curve and made.limits[0].tolist() == [0.0, 2.0]
    for edit in (lambda: builder.add_dof("cart"), lambda: builder.remove_dof("cart", 0)):
        with pytest.raises(SkeletonError, match="spline curve, which has its own"):
            edit()
    with pytest.raises(SkeletonError, match="not those of the type"):
        builder.set("cart", type=Free(), dofs=(Dof("hinge", np.eye(3)[0], -1, 1),))
    builder.set("cart", type=Composite(Revolute(), curve))
    assert [dof.kind for dof in builder.build().joints[1].dofs] == ["coordinate", "coordinate"]
    with pytest.raises(SkeletonError, match="expected a joint of"):
        builder.set("cart", type="ball")
    builder.set("cart", type=None)
    assert builder.build().joints[1].dofs == ()
    builder.set("arm", type=Universal())
    builder.set("arm", type=None)
    assert len(builder.build().joints[2].dofs) == 2


def test_models_made_without_a_file_are_written_too() -> None:
    rng = np.random.default_rng(0)
    curve = SplineCurve(se3.exp(rng.normal(size=(5, 6))), closed=False)
    for model in (curve, SplineSurface(rng.normal(size=(6, 4, 4)))):
        s = Skeleton("s", [Joint("a", -1, dofs=type_dofs(model), type=model, mass=1.0)])
        again = read_scr(write_scr(s))
        found = again.joints[0].type
        reported = (found.frames, model.frames) if isinstance(model, SplineCurve) else (found.values, model.values)
        assert np.allclose(*reported, rtol=1e-15, atol=1e-15)
        assert read_scr(write_scr(again)).joints[0].type == found


def problem(*lines: str) -> str:
    with pytest.raises(FormatError) as caught:
        read_scr(
            'define skeleton "s"\njoint "a"\nend skeleton\ndefine joint "a"\n' + "\n".join(lines) + "\nend joint\n"
        )
    assert len(caught.value.problems) == 1, caught.value.problems
    found = caught.value.problems[0]
    return f"{found.line}:{found.column}: {found.message}"


FRAMES = TYPES["spline curve"].splitlines()[1:]


@pytest.mark.parametrize(
    "lines, at, words",
    [
        (["joint type cog"], "5:12", ["cog is not a joint type", "universal"]),
        (["joint type sphericle"], "5:12", ['did you mean "spherical"']),
        (["joint type"], "5:11", ["ends too soon"]),
        (["joint type 3"], "5:12", ["3 is not a joint type"]),
        (["joint type expression 1"], "5:23", ["1 is too much", "coordinates"]),
        (["joint type expression"], "5:12", ["no coordinates", "coordinates NAME"]),
        (["joint type expression", "coordinates u"], "5:12", ["moves nothing", "translate", "rotate"]),
        (["joint type expression", "translate u 0 0"], "6:11", ['"u" is not known here']),
        (["joint type expression", "coordinates"], "6:12", ["no coordinate is named"]),
        (["joint type expression", "coordinates u v u", "translate u v 0"], "6:17", ["named twice"]),
        (["joint type expression", "coordinates u cm", "translate u 0 0"], "6:15", ["no unit cm", "deg, m or none"]),
        (["joint type expression", "coordinates m 0 1", "translate m 0 0"], "6:13", ['"m" is a unit']),
        (["joint type expression", "coordinates sin", "rotate x 1"], "6:13", ['"sin" is a function']),
        (["joint type expression", "coordinates u 4 -4", "rotate x u"], "6:15", ["lies above"]),
        (["joint type expression", "coordinates a b c d e f g", "rotate x a"], "6:25", ["at most 6"]),
        (["joint type expression", 'coordinates u "a" "b"', "rotate x u"], "6:19", ['"b" is no name']),
        (["joint type expression", "coordinates u", "let a", "rotate x u"], "7:6", ["nothing is written"]),
        (["joint type expression", "coordinates u", "let u 3", "rotate x u"], "7:5", ["named twice"]),
        (["joint type expression", "coordinates u", "let a b", "rotate x u*a"], "7:7", ['"b" is not known here']),
        (["joint type expression", "coordinates u", "rotate x u", "let a 1/0"], "8:8", ["division by zero"]),
        (["joint type expression", "coordinates u", "rotate u"], "7:8", ["not an axis"]),
        (["joint type expression", "coordinates u", "rotate x"], "7:9", ["nothing is written"]),
        (["joint type expression", "coordinates u", 'rotate x "u"'], "7:10", ["in quotes is no expression"]),
        (["joint type expression", "coordinates u", "translate u 0"], "7:14", ["2 expressions; expected 3"]),
        (["joint type expression", "coordinates u", "translate u 0 sni(u)"], "7:15", ['expected "sin"']),
        (["joint type expression", "coordinates u", "translate 1, 1/u, 0"], "7:15", ["division by zero at rest"]),
        (["joint type expression", "coordinates u v", "translate u 0 0"], "6:15", ['"v" moves nothing']),
        (["joint type expression", "coordinates u", "translate 0 u^2 0"], "6:13", ['at rest "u" moves nothing']),
        (["joint type expression", "coordinates u v", "translate u+v 0 0"], "6:15", ['at rest "v" moves', '"u" can']),
        (["joint type expression", "coordinates u -2 2", "translate u u/(u-0.7) 0"], "7:13", ["not finite somewhere"]),
        (["joint type expression", "coordinates u 0 2", "translate u sqrt(1-u) 0"], "7:13", ["not finite at u = "]),
        (["joint type expression", "coordinates u deg", "translate 0 u tan(u)"], "7:15", ["at u = -90 deg"]),
        (["joint type expression", "coordinates u m 0 1", "translate u sqrt(u) 0"], "6:13", ["slopes", "at rest"]),
        (["joint type expression", "coordinates u", "rotate x u", "hinge x"], "8:1", ["expression", "composite"]),
        (["joint type expression", "coordinates u", "rotate x u", "frame 1 2 3"], "8:1", ['"frame" does not belong']),
        (["coordinates u"], "5:1", ['"coordinates" does not belong here', '"joint type expression" before it']),
        (["hinge x", "rotate x u"], "6:1", ['"rotate" does not belong here']),
        (["joint type composite", "joint type expression", "coordinates u", "hinge x", "rotate x u"], "9:1",
         ['"rotate" does not belong here']),
        (["joint type composite", "joint type expression 3", "coordinates u", "rotate x u"], "6:23", ["too much"]),
        (["joint type expression", "coordinates u", "chart", "rotate x u"], "7:1", ["without moves before it"]),
        (["joint type expression", "coordinates u", "rotate x u", "chart"], "8:1", ["this chart moves nothing"]),
        (["joint type expression", "coordinates u", "rotate x u", "chart 2"], "8:7", ["2 is too much"]),
        (["joint type expression", "coordinates u", "rotate x u", "chart", "rotate y u"], "8:1", ["does not reach"]),
        (["joint type expression", "coordinates u", "rotate x u", "chart", "rotate x 1/(u-.9)"], "8:1", ["finite"]),
        (["joint type expression", "coordinates u", *["rotate x u", "chart"] * 6, "rotate x u"], "18:1", ["at most 6"]),
        (["joint type mirrored expression"], "5:21", ["cannot be written mirrored"]),
        (["joint type universal -30 30 -45"], "5:32", ["HI is missing"]),
        (["joint type universal -30 30"], "5:28", ["LO is missing"]),
        (["joint type universal 30 -30 0 0"], "5:22", ["lies above"]),
        (["joint type universal 1 2 3 4 5"], "5:30", ["5 is too much"]),
        (['joint type universal "a" "b" "c"'], "5:30", ['"c" is too much']),
        (["joint type universal nan 2 3 4"], "5:22", ["not a finite number"]),
        (["joint type revolute"], "5:20", ["axis"]),
        (["joint type prismatic w"], "5:22", ["not an axis"]),
        (["joint type spherical euler xxy"], "5:28", ["not an order", "xyz"]),
        (["joint type spherical euler"], "5:27", ["ends too soon", "ORDER"]),
        (["joint type universal", "joint type free"], "6:12", ["a second joint type, the first is on line 5"]),
        (["joint type universal", "hinge x"], "6:1", ["universal", "line 5", "composite"]),
        (["hinge x", "joint type universal"], "6:12", ["behind hinges or slides"]),
        (["joint type composite"], "5:12", ["no parts", "hinge, slide or joint type lines"]),
        (["joint type composite", "joint type composite"], "6:12", ["cannot be part of a composite"]),
        (["joint type composite", "joint type spline curve"], "6:12", ["0 control frames"]),
        (["joint type composite", "joint type spline curve", *FRAMES, "hinge x", "frame 0 0 0"], "13:1",
         ['"frame" does not belong here']),
        (["joint type composite", "hinge x", "joint type spline surface 4 4", *FRAMES], "7:12", ["has 5 frame lines"]),
        (["joint type composite", "joint type spline curve open 0 7", *FRAMES], "6:30", ["outside the spline"]),
        (["joint type spline curve bezier", *FRAMES], "5:12", ["5 control frames", "3, 6, 9"]),
        (["joint type spline surface bezier 4 5", *["frame 0 0 0"] * 20], "5:12", ["5 control frames", "4, 7, 10"]),
        (["joint type screw x"], "5:19", ["pitch"]),
        (["joint type screw x 0.1 4 -4"], "5:24", ["lower"]),
        (["joint type mirrored universal"], "5:21", ["has no mirrored form"]),
        (["joint type mirrored spline curve"], "5:21", ["cannot be written mirrored"]),
        (["joint type composite", "hinge x", "frame 1 2 3"], "7:1", ['"frame" does not belong here']),
        (["frame 0 0 0"], "5:1", ['"frame" does not belong here', "spline curve"]),
        (["joint type universal", "frame 0 0 0"], "6:1", ['"frame" does not belong here']),
        (["joint type spline curve round"], "5:25", ["round is not a kind of curve", "open or closed"]),
        (["joint type spline curve open", *FRAMES[:3]], "5:12", ["3 control frames", "4 or more"]),
        (["joint type spline curve"], "5:12", ["0 control frames", "3 or more"]),
        (["joint type spline curve", *["frame 1 2 3"] * 4], "5:12", ["all control frames", "the same"]),
        (["joint type spline curve", *FRAMES, "frame 0 0 1 0 -120 0", "frame 0 1 0 0 60 0"], "5:12", ["half a turn"]),
        (["joint type spline curve open 0 7", *FRAMES], "5:30", ["outside the spline", "0 to 2"]),
        (["joint type spline curve", *FRAMES, "frame 1 2"], "11:10", ["z is missing"]),
        (["joint type spline curve", *FRAMES, "frame 1 2 3 4"], "11:14", ["ry is missing"]),
        (["joint type spline curve", *FRAMES, "frame 1 2 1e300"], "11:11", ["out of range"]),
        (["joint type spline curve", *FRAMES, "frame 1 2 3 1e300 0 0"], "11:13", ["out of range"]),
        (["joint type spline curve", *FRAMES, "frame 1 2 3 4 5 6 7"], "11:19", ["too much"]),
        (["joint type spline surface"], "5:26", ["rows is missing"]),
        (["joint type spline surface 4"], "5:28", ["columns is missing"]),
        (["joint type spline surface 3 4"], "5:27", ["whole number from 4"]),
        (["joint type spline surface 4.5 4"], "5:27", ["whole number from 4"]),
        (["joint type spline surface 4000 4000"], "5:27", ["too many"]),
        (["joint type spline surface 4 4", *FRAMES], "5:12", ["4 rows and 4 columns has 5 frame lines", "expected 16"]),
        (["joint type spline surface 4 4", *["frame 0 0 0"] * 16], "5:12", ["does not change along u"]),
        (["joint type spline surface 4 4 0 9 0 1", *[f"frame {k} {k % 4} 0" for k in range(16)]], "5:31",
         ["outside the spline", "0 to 1"]),
    ],
)  # fmt: skip
def test_a_bad_line_has_one_message_with_its_place(lines: list[str], at: str, words: list[str]) -> None:
    found = problem(*lines)
    assert found.startswith(at + ": "), found
    for word in words:
        assert word in found, found


def test_a_coordinate_needs_its_spline() -> None:
    dof = Dof("coordinate", np.eye(3)[0], 0, 1)
    with pytest.raises(SkeletonError, match='"a" has a coordinate but no joint type'):
        Skeleton("s", [Joint("a", -1, dofs=(dof,))])


@pytest.mark.parametrize("name", [*SPLINES, "universal"])
def test_edits_of_the_tree_keep_what_hangs_on_a_spline(name: str) -> None:
    s = arm_figure(name)
    zero = np.zeros(s.nq)
    F = forward_kinematics(s, zero)
    builder = SkeletonBuilder(s)
    builder.orient("cart", (40.0, -30.0, 20.0), carry=False)
    builder.place("cart", (0.3, 0.2, 0.1), carry=False, pose=zero)
    kept = forward_kinematics(builder.build(), zero)
    assert np.abs(kept[2:] - F[2:]).max() < 1e-9
    q = random_pose(s, np.random.default_rng(3))
    builder = SkeletonBuilder(s)
    builder.add("post", "rail", offset=(0.1, 0.2, 0.3), orientation=(10, 20, 30))
    posed = builder.pose_map().convert(q)
    builder.reparent("cart", "post", pose=posed)
    made = builder.build()
    G = forward_kinematics(made, posed)
    old = forward_kinematics(s, q)
    for joint in s.joint_names:
        assert np.abs(G[made.joint_index(joint)] - old[s.joint_index(joint)]).max() < 1e-9
    assert made.joints[made.joint_index("cart")].type == s.joints[1].type


def test_the_other_side_of_a_branch_with_splines_is_made() -> None:
    for name in (*SPLINES, "composite", "spherical"):
        text = (
            arm_on(TYPES[name])
            .replace('"cart"', '"right cart"')
            .replace('"arm"', '"right arm"', 2)
            .replace('"hand"', '"right hand"')
        )
        text = text.replace('define skeleton "right arm"', 'define skeleton "arm"').replace(
            'joint "arm"', 'joint "right arm"'
        )
        builder = SkeletonBuilder(read_scr(text))
        builder.mirror_side("right cart")
        s = builder.build()
        q = random_pose(s, np.random.default_rng(4))
        F, G = forward_kinematics(s, q), forward_kinematics(s, pose_mirror(s).convert(q))
        for part in ("cart", "arm", "hand"):
            left, right = s.joint_index(f"left {part}"), s.joint_index(f"right {part}")
            assert np.abs(G[left] - M @ F[right] @ M).max() < 1e-9
        assert read_scr(write_scr(s)).joint_names == s.joint_names


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["joints", "formulas"])
def test_a_bench_is_what_its_script_writes(name: str, tmp_path: Path) -> None:
    importlib.import_module(f"skeletons.making.make_{name}").main([str(tmp_path)])
    made = {str(path.relative_to(tmp_path)): path.read_text() for path in sorted(tmp_path.rglob("*.*"))}
    for path, text in made.items():
        assert (bundled_folder() / path).read_text() == text, path
    assert {path.name for path in (bundled_folder() / name).iterdir()} == {
        path.rpartition("/")[2] for path in made if "/" in path
    }
    assert not load_skeleton(bundled_folder() / f"{name}.scr").warnings


def middle(lines: str) -> Skeleton:
    return read_scr(f"""define skeleton "one"
joint "root"
joint "nut"
end skeleton
define joint "nut"
offset 0 1 0
{lines}
mass 1
end joint
""")


def test_a_joint_in_the_middle_is_mirrored_by_its_signs_where_it_can_be() -> None:
    rng = np.random.default_rng(4)
    for lines, signs in (
        ("joint type composite\nslide x\njoint type reversed universal", (-1, 1, -1)),
        ("joint type screw x 0", (1,)),
        ("joint type screw y 0", (-1,)),
    ):
        s = middle(lines)
        mirror = pose_mirror(s)
        assert mirror.exact and mirror.unmatched == () and mirror.factors[3:].tolist() == list(signs), lines
        q = random_pose(s, rng)
        F, G = forward_kinematics(s, q), forward_kinematics(s, mirror.convert(q))
        assert np.abs(G[1] - M @ F[1] @ M).max() < 1e-12
        assert (mirror.convert(mirror.convert(q)) == q).all()


def test_what_has_no_mirrored_motion_is_named() -> None:
    for lines in ("joint type screw y 0.2", "joint type screw x 0.2", TYPES["spline curve"], TYPES["crane"]):
        mirror = pose_mirror(middle(lines))
        assert not mirror.exact and mirror.unmatched == (1,)
        assert (mirror.factors[3:] == 1.0).all()  # as they are
