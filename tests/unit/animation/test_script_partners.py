"""Expressions of a script that name parts of another figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation.ensemble import link
from core.animation.locks.strip import strip_from_json, strip_to_json
from core.animation.script.completion import complete
from core.animation.script.making import make_strips
from core.animation.script.names import FigureNames
from core.animation.script.script import Script, apply_script
from core.animation.script.writing import script_text
from core.animation.sequence import Sequence
from core.constraints import mirrored_lock, solve_locks
from core.errors import LockError
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector

BESIDE = 'lock "left hand" position at (x("woman.right hand") + 5 cm, 1.1, z("woman.right hand"))'
BENT = "lock chest.bend = 0.5 * woman.chest.bend + 2 * sin(t) from 3 to 20"


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.fixture(scope="module")
def woman(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "woman.scr")


def moving(s: Skeleton, fps: float, seed: int, ahead: float) -> Sequence:
    made, rng = Sequence(s, fps=fps, name=s.name), np.random.default_rng(seed)
    for second in (0.0, 0.5, 1.0):
        q = s.rest_pose()
        q[3:] = np.clip(0.15 * rng.uniform(-1.0, 1.0, s.n_dofs), *(0.8 * np.clip(s.limits, -1.0, 1.0)).T)
        q[2] += ahead + 0.1 * second
        made.set_key(round(second * fps), q)
    return made


def pair(human: Skeleton, woman: Skeleton, his: str, hers: str = "") -> tuple[Sequence, Sequence]:
    """Two motions with other frame rates, and their scripts."""
    man, lady = moving(human, 24, 1, 0.0), moving(woman, 30, 2, 0.5)
    link({"human": man, "woman": lady})
    for motion, text in ((lady, hers), (man, his)):
        found = apply_script(motion, text, Script(), ids=[f"{motion.name} {k}" for k in range(9)])
        assert found.made.problems == ()
        motion.locks.strips, motion.script = found.strips, found.script.to_json()
    return man, lady


def place(s: Skeleton, q: np.ndarray, part: str) -> np.ndarray:
    i = s.joint_index(part)
    frame = forward_kinematics(s, q)[i]
    return np.asarray(frame[:3, :3] @ end_effector(s, i) + frame[:3, 3])


def value(s: Skeleton, q: np.ndarray, joint: str) -> float:
    return float(np.degrees(q[3 + s.first_dof[s.joint_index(joint)]]))


def test_a_part_follows_a_part_of_the_other_who_leads(human: Skeleton, woman: Skeleton) -> None:
    man, lady = pair(human, woman, f"{BESIDE}\n{BENT}\n")
    alone = moving(woman, 30, 2, 0.5)
    for time in (0.0, 0.31, 0.8):
        p, q = man.pose_at(time), lady.pose_at(time)
        assert q.tobytes() == alone.pose_at(time).tobytes()
        x, _, z = place(woman, q, "right hand")
        assert place(human, p, "left hand") == pytest.approx((x + 0.05, 1.1, z), abs=1e-7)
    t = 0.5 - 3 / 24
    bent = 0.5 * value(woman, lady.pose_at(0.5), "chest") + 2 * np.sin(t)
    assert value(human, man.pose_at(0.5), "chest") == pytest.approx(bent, abs=1e-6)
    active, report = man.locks.report(12)
    assert [each.lock.figures for each in active] == [("woman",), ("woman",)] and report.held


def test_what_comes_out_does_not_depend_on_who_is_asked_first(human: Skeleton, woman: Skeleton) -> None:
    times = np.linspace(0.0, 1.0, 5)
    hers = "lock neck.bend = human.neck.bend from 5 to 20\n"
    for his in (f"{BESIDE}\n{BENT}\n", 'lock y("left hand") = y("woman.left hand") mutual\n'):
        found = []
        for order in ((0, 1), (1, 0)):
            for way in (1, -1):
                both = pair(human, woman, his, hers)
                poses = [b"", b""]
                for k in order:
                    poses[k] = np.array([both[k].pose_at(time) for time in times[::way]])[::way].tobytes()
                found.append(tuple(poses))
        assert len(set(found)) == 1


def test_both_give_way_where_they_are_told_to(human: Skeleton, woman: Skeleton) -> None:
    man, lady = pair(human, woman, 'lock y("left hand") = y("woman.left hand") + 0.1 mutual')
    p, q = man.pose_at(0.4), lady.pose_at(0.4)
    assert place(human, p, "left hand")[1] == pytest.approx(place(woman, q, "left hand")[1] + 0.1, abs=1e-7)
    assert not np.array_equal(q, moving(woman, 30, 2, 0.5).pose_at(0.4))
    assert script_text(man.locks.strips, human, {"woman": woman}).endswith("mutual\n")


def test_in_a_pose_the_other_stands_still(human: Skeleton, woman: Skeleton) -> None:
    man, lady = pair(human, woman, BESIDE)
    lock, q, hers = man.locks.strips[0].lock, man.interpolated(0.2), lady.pose_at(0.2)
    found = solve_locks(human, q, [lock], figures={"woman": (woman, hers)})
    x, _, z = place(woman, hers, "right hand")
    assert found.held and place(human, found.q, "left hand") == pytest.approx((x + 0.05, 1.1, z), abs=1e-8)
    with pytest.raises(LockError, match='figure "woman"'):
        solve_locks(human, q, [lock])
    for method in ("lagrange", "ccd"):
        other = solve_locks(human, q, [lock], figures={"woman": (woman, hers)}, method=method)
        assert other.residuals.max() < (1e-6 if method == "lagrange" else 1.0)


def test_circles_through_two_figures_are_named_and_refused(human: Skeleton, woman: Skeleton) -> None:
    hers = 'lock "right hand" position at (x("human.left foot"), 1.2, 0.4) from 0 to 30'
    man, _ = pair(human, woman, "", hers)
    (problem,) = make_strips(man, 'lock "left foot" position at (0, z("woman.right hand"), 0)').problems
    assert (problem.line, problem.column) == (1, 6)
    assert 'circle: "left foot" → "woman.right hand" → "left foot"' in problem.message
    long = 'lock "left foot" to head\nlock head position at (0, z("woman.right hand"), 0)'
    assert [each.line for each in make_strips(man, long).problems] == [1, 2]
    for good in (
        BESIDE,  # another of his parts
        'lock "left foot" position at (0, z("woman.right hand"), 0) from 25 to 30',  # she has let go by then
    ):
        assert make_strips(man, good).problems == ()
    # Parts of two figures that hold each other are solved together, as ever.
    man, _ = pair(human, woman, "", 'lock "right hand" to "human.left hand"')
    assert make_strips(man, 'lock "left hand" to "woman.right hand"').problems == ()


def test_records_and_texts_say_the_same(human: Skeleton, woman: Skeleton) -> None:
    man, _ = pair(human, woman, f"{BESIDE} from 4\n{BENT}\n")
    for strip in man.locks.strips:
        assert strip_from_json(strip_to_json(strip, human), human) == strip
    text = script_text(man.locks.strips, human, {"woman": woman})
    assert 'x("woman.right hand")' in text and '"woman.chest".bend' in text
    found = make_strips(man, text)
    assert found.problems == ()
    assert [a.lock.target for a in found.strips] == [b.lock.target for b in man.locks.strips]  # type: ignore[union-attr]
    mirrored = mirrored_lock(man.locks.strips[0].lock, human)
    assert mirrored.joint == "right hand" and mirrored.figures == ("woman",)
    assert mirrored_lock(mirrored, human).target == man.locks.strips[0].lock.target


def test_names_of_the_other_are_completed(human: Skeleton, woman: Skeleton) -> None:
    names = FigureNames(human, {"woman": woman})

    def words(text: str) -> tuple[str, ...]:
        return complete(text, len(text), names).words

    assert words("lock chest.bend = woman.chest.b") == ("bend",)
    assert words('lock chest.bend = "woman.left shank".f') == ("flex",)
    assert '"woman.right hand"' in words('lock head position at (x("woman.right h')
    assert '"woman.chest"' in words("lock chest.bend = woman.ch")
    assert '"woman.head"' in words("lock head position at (0, y(wom")


WRONG = (
    ("lock chest.bend = woman.neck", 19, "is a figure; expected a part of it and then a coordinate"),
    ("lock chest.bend = woman.chest.bnd", 31, 'has no coordinate "bnd"; expected bend'),
    ("lock chest.bend = woman.chst.bend", 19, 'figure "woman" has no joint "chst"; expected "woman.chest"'),
    ("lock chest.bend = wman.chest.bend", 19, 'no figure "wman"; expected a part of the figure, or of "woman"'),
    ('lock chest.bend = woman."left shank".flex', 19, 'is a figure; expected a part of it in the same quotes'),
    ('lock head position at (x("woman.hed"), 1, 1)', 26, 'expected "woman.head"'),
    ('lock head position at (x("wman.head"), 1, 1)', 26, 'no figure "wman"'),
    ("lock woman.chest.bend = 3", 1, "names other figures alone"),
    ("lock woman.chest.bend = woman.neck.bend", 1, "names other figures alone"),
    ('lock "woman.left hand" position', 6, "is a part of another figure"),
    ("lock head plane height y(woman.head)", 17, "only the place of a position may depend on other parts"),
)  # fmt: skip


def test_wrong_names_of_the_other_are_refused_where_they_stand(human: Skeleton, woman: Skeleton) -> None:
    man, _ = pair(human, woman, "")
    for text, column, words in WRONG:
        (problem,) = make_strips(man, f"\n{text}").problems
        assert (problem.line, problem.column) == (2, column), (text, problem)
        assert words in problem.message, problem
