"""A script and its strips stay in step: text to strips, strips to text, and what may stand at a place of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation.locks import strip as strips_of
from core.animation.locks.strip import LockStrip, strip_from_json, strip_to_json
from core.animation.locks.target_keys import TargetKey
from core.animation.script.completion import complete
from core.animation.script.names import FigureNames, named_points
from core.animation.script.script import Script, apply_script
from core.animation.script.writing import statement_text
from core.animation.script.written import follow, script_from_json, script_of, written_script
from core.animation.sequence import Sequence
from core.constraints import KINDS, Lock, bind
from core.errors import CoreError, SequenceError
from core.formats import load, save
from core.formats.project import Project
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector

TEXT = """# stance foot
lock "left heel"  position from 2 to 8   ease 2   # strike
lock "left foot" pose from 6 to 14\t# flat

path "arc" (0, 1, 0) (0.2, 1.2, 0.1) (0.4, 1, 0)
lock "right hand" along path "arc" from 3 to 20
lock head aim at "left hand" weight 0.5
lock chest.bend = 0.5 * abdomen.bend
lock "left hand" position at (0.3, 1 + 0.1*t, 0.2) from 3 to 20
"""


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.fixture
def motion(human: Skeleton) -> Sequence:
    made = Sequence(human, fps=24)
    for frame, bend in ((0, 0.0), (24, 0.3)):
        q = human.rest_pose()
        q[3 + human.first_dof[human.joint_index("abdomen")]] = bend
        q[2] += 0.004 * frame
        made.set_key(frame, q)
    found = apply_script(made, TEXT, Script())
    assert found.made.problems == ()
    made.locks.strips, made.script = found.strips, found.script.to_json()
    return made


def edit(motion: Sequence, *changes: tuple[int, dict[str, object]], gone: tuple[int, ...] = ()) -> str:
    """Return the text after strips were changed or removed, by their number."""
    before = motion.locks.strips
    after = list(before)
    for number, values in changes:
        after[number] = replace(after[number], **values)
    after = [strip for k, strip in enumerate(after) if k not in gone]
    script = script_of(motion)
    assert script is not None
    made = follow(script, before, after, motion.skeleton)
    motion.locks.strips, motion.script = tuple(after), made.to_json()
    again = apply_script(motion, made.text, made)
    assert again.strips == tuple(after) and again.made.problems == ()  # nothing changes once more
    return made.text


def test_numbers_are_written_over_and_all_else_stays(motion: Sequence) -> None:
    text = edit(motion, (0, {"start": 3, "end": 9}), (1, {"end": 20}))
    assert text == TEXT.replace("from 2 to 8", "from 3 to 9").replace("from 6 to 14", "from 6 to 20")
    text = edit(motion, (0, {"ease_in": 2.0, "ease_out": 4.0}), (3, {"weight": 0.25}))
    assert '"left heel"  position from 3 to 9   ease 2 4   # strike' in text
    assert 'aim at "left hand" weight 0.25\n' in text
    text = edit(
        motion, (0, {"end": None, "ease_in": 0.0, "ease_out": 0.0}), (3, {"weight": 1.0}), (1, {"name": "flat"})
    )
    assert 'lock "left heel"  position from 3     # strike\n' in text
    assert 'lock head aim at "left hand"\n' in text
    assert 'lock "left foot" pose from 6 to 20 name "flat"\t# flat' in text
    assert text.startswith("# stance foot\n") and 'path "arc" (0, 1, 0)' in text


def test_a_strip_that_is_gone_takes_its_line_along(motion: Sequence) -> None:
    text = edit(motion, gone=(1, 4))
    assert text == "".join(line for line in TEXT.splitlines(True) if "pose" not in line and "chest" not in line)


def test_a_target_that_is_moved_by_hand_is_written(motion: Sequence) -> None:
    lock = motion.locks.strips[0].lock
    text = edit(motion, (0, {"lock": replace(lock, target=(0.1, 0.02, -0.5))}))
    assert 'lock "left heel"  position from 2 to 8   ease 2 at (0.1, 0.02, -0.5)   # strike\n' in text
    text = edit(motion, (0, {"lock": replace(lock, target=(0.1, 0.03, -0.5))}))
    assert "ease 2 at (0.1, 0.03, -0.5)   # strike" in text
    still = motion.locks.strips[5]
    text = edit(motion, (5, {"formula": None, "lock": replace(still.lock, target=(0.3, 1.5, 0.2))}))
    assert "position at (0.3, 1.5, 0.2) from 3 to 20\n" in text


def test_another_kind_is_another_statement(motion: Sequence, human: Skeleton) -> None:
    old = motion.locks.strips[0]
    lock = bind(replace(old.lock, kind="orientation", target=None), human, human.rest_pose())
    text = edit(motion, (0, {"lock": lock}))
    assert 'lock "left foot" orientation from 2 to 8 ease 2   # strike\n' in text


def test_text_to_strips_touches_what_it_says_alone(motion: Sequence) -> None:
    before = motion.locks.strips
    keyed = replace(before[1], targets=(TargetKey(6, before[1].lock.target), TargetKey(14, before[1].lock.target)))
    motion.locks.strips = (before[0], keyed, *before[2:])
    script = script_of(motion)
    assert script is not None
    text = TEXT.replace("from 6 to 14", "from 6 to 15").replace("ease 2 ", "ease 2.5 ")
    found = apply_script(motion, text, script)
    changed = found.strips
    assert changed[1] == replace(keyed, end=15) and changed[0] == replace(before[0], ease_in=2.5, ease_out=2.5)
    assert all(a is b for a, b in zip(changed[2:], before[2:], strict=True))
    half = apply_script(motion, text.replace("ease 2.5", "ease"), script)  # while it is typed
    assert half.strips[0] is before[0] and len(half.made.problems) == 1
    fewer = apply_script(motion, "".join(TEXT.splitlines(True)[3:]), script)
    assert fewer.strips == before[2:]
    moved = "".join([*TEXT.splitlines(True)[5:], *TEXT.splitlines(True)[:5]])
    assert {strip.id for strip in apply_script(motion, moved, script).strips} == {strip.id for strip in before}
    more = apply_script(motion, TEXT + "lock pelvis plane from 4\n", script)
    assert more.strips[:-1] == motion.locks.strips and more.strips[-1].lock.kind == "plane"


def test_what_a_statement_means_does_not_depend_on_how_it_was_typed(motion: Sequence) -> None:
    typed = Script("", ())
    line = 'lock "left toes" position from 12 to 20 ease 3'
    motion.locks.strips = ()
    for k in range(1, len(line) + 1):
        found = apply_script(motion, line[:k], typed)
        motion.locks.strips, typed = found.strips, found.script
    (strip,) = motion.locks.strips
    motion.locks.strips = ()
    (at_once,) = apply_script(motion, line, Script()).strips
    assert strip.lock == at_once.lock
    assert (strip.start, strip.end, strip.ease_in, strip.ease_out) == (12, 20, 3.0, 3.0)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_can_be_written_and_read(kind: object, human: Skeleton, motion: Sequence) -> None:
    """A new kind of lock is written by what it says of itself."""
    motion.locks.strips = ()
    q = motion.interpolated_at_frames([5.0])[0]
    point = tuple(end_effector(human, human.joint_index("left hand")))
    for other in (("right hand", (0.0, -0.05, 0.02)), ("chest", (0.1, 0.0, 0.1))):
        given = {"other": other} if kind.takes_other else {}  # type: ignore[attr-defined]
        lock = bind(Lock("left hand", kind.name, point=point, **given), human, q)  # type: ignore[attr-defined]
        strip = LockStrip(lock, 5, 20, 3.0, 1.0, 0.75, name="it")
        text = statement_text(strip, human)
        found = apply_script(motion, text, Script())
        assert found.made.problems == (), text
        (made,) = found.strips
        assert (made.start, made.end, made.ease_in, made.ease_out, made.weight, made.name) == (
            5,
            20,
            3.0,
            1.0,
            0.75,
            "it",
        )
        assert made.lock.kind == lock.kind and statement_text(made, human) == text
        if kind.by_points:  # type: ignore[attr-defined]
            assert made.lock.target == pytest.approx(lock.target, abs=1e-4)
        elif kind.by_equation:  # type: ignore[attr-defined]
            assert "left hand" in made.lock.target
        elif lock.target is not None and kind.name != "aim":  # type: ignore[attr-defined]
            assert np.asarray(made.lock.target) == pytest.approx(np.asarray(lock.target), abs=1e-5)


def test_files_keep_a_script_and_earlier_ones_open(motion: Sequence, tmp_path: Path) -> None:
    plain = Sequence(motion.skeleton, keys=motion.keys)
    save(Project([motion.skeleton], [motion, plain]), tmp_path / "script.seq")
    read, other = load(tmp_path / "script.seq").sequences
    assert script_of(read) == script_of(motion) and read.locks.strips == motion.locks.strips
    assert other.script is None and written_script(other) == Script("", ())
    assert script_from_json("lock head position") == Script("lock head position")
    assert script_from_json(3) is None and script_from_json({"text": 1}) is None
    read.script = {"text": "# nothing yet\n", "strips": []}
    text = written_script(read).text  # strips that it does not know are at its end
    assert text.startswith("# nothing yet\nlock") and text.count("\nlock") == len(read.locks.strips)


def test_formulas_go_along_with_what_becomes_of_strips(motion: Sequence, human: Skeleton) -> None:
    strip = motion.locks.strips[5]
    assert strip_from_json(strip_to_json(strip, human), human) == strip
    first, second = strips_of.split(strip, 10)
    for frame in (11, 15.5):
        assert second.target_at(frame) == pytest.approx(strip.target_at(frame), abs=1e-12)
    (cut,) = strips_of.cut_out((strip,), 8, 16)
    assert cut.target_at(4) == pytest.approx(strip.target_at(12), abs=1e-12)
    (fast,) = strips_of.rescaled((strip,), 2.0)
    assert fast.target_at(20) == pytest.approx(strip.target_at(10), abs=1e-12)
    with pytest.raises(SequenceError, match="formula"):
        replace(strip, targets=(TargetKey(3, (0, 0, 0)),))
    with pytest.raises(SequenceError, match="formula"):
        strips_of.joined(first, second)


def test_points_of_feet_have_names(human: Skeleton) -> None:
    points = named_points(human)
    heel, ball, toes = (points[f"left {word}"] for word in ("heel", "ball", "toes"))
    assert heel.joint == ball.joint == "left foot" and toes.joint == "left toes"
    assert points["left elbow"].joint == "left forearm"
    assert heel.point[2] < ball.point[2]


def words(text: str, names: FigureNames) -> tuple[str, ...]:
    at = text.index("|")
    return complete(text.replace("|", ""), at, names).words


def test_completion_knows_what_may_stand_where(human: Skeleton) -> None:
    names = FigureNames(human, {"partner": human})
    assert words("|", names) == ("lock", "path")
    assert words('lock "left h|', names)[:2] == ('"left hand"', '"left heel"')
    assert "balance" in words("lock b|", names)
    assert words('lock "left foot" p|', names)[:3] == ("position", "pose", "plane")
    assert words("lock head aim |", names) == ("at",)
    assert '"partner.left hand"' in words('lock head aim at "partner.left h|', names)
    assert words("lock chest.b|", names) == ("bend",)
    assert words('lock "left shank".f|', names) == ("flex",)
    assert words('path "arc" (0,0,0) (1,1,1)\nlock head path |', names)[0] == "arc"
    assert "from" in words("lock head position f|", names) and words("lock head position # f|", names) == ()
    assert words("lock head plane h|", names)[0] == "height"
    assert "sin" in words("lock head position at (0, s|", names)
    assert words("lock head position using le|", names)[0] == '"left clavicle"'


def test_files_with_formulas_and_equations_that_make_no_sense_are_refused(motion: Sequence, human: Skeleton) -> None:
    timed, equation = (strip_to_json(motion.locks.strips[k], human) for k in (5, 4))
    for formula in (3, {}, {"numbers": ["1"], "fps": 24}, {"numbers": [1, 2, 3], "fps": 24},
                    {"numbers": ["t", "t", "sni(t)"], "fps": 24}, {"numbers": ["t", "t", "1/t"], "fps": 24},
                    {"numbers": ["t", "t", "t"], "fps": 0}):  # fmt: skip
        with pytest.raises(CoreError):
            strip_from_json({**timed, "formula": formula}, human)
    for text in ("", "3 = 4", '"nose".x = 3', '"head".q = 3', '"head".x == 3', '"head".x = sni(3)', 3):
        with pytest.raises(CoreError):
            strip_from_json({**equation, "lock": {**equation["lock"], "target": text}}, human)
