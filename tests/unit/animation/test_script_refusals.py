"""What is wrong in a script is refused with line and column, in words that say what would be right."""

from __future__ import annotations

import builtins
import random
import re
import time
from pathlib import Path

import pytest

from core.animation.script.making import make_strips
from core.animation.script.reading import read_script
from core.animation.sequence import Sequence
from core.skeleton import load_skeleton
from tests.support.counts import few_of

WRITTEN: tuple[tuple[str, int, str], ...] = (
    ("hold head position", 1, "begins no statement; expected lock or path"),
    ("lock", 5, "expected a part"),
    ("lock head", 10, "what of"),
    ("lock hand position", 6, 'has no part "hand"; expected "right hand" or "left hand"'),
    ("lock left foot position", 11, 'or quotes: "left foot"'),
    ('lock "left foot position', 6, "the quote is not closed"),
    ("lock head positon", 11, "is no kind of lock; expected position"),
    ("lock head position from", 24, "a frame after from"),
    ("lock head position from x", 25, "expected a frame such as 12"),
    ("lock head position from 3.5", 25, "is no whole frame"),
    ("lock head position from 30 to 12", 31, "lies before frame 30"),
    ("lock head position from 12 to", 30, "a frame after to"),
    ("lock head position from 9999999999", 25, "is too late"),
    ("lock head position ease", 24, "a number of frames"),
    ("lock head position ease in 3 in 4", 30, "stands twice"),
    ("lock head position weight 2", 27, "expected a number from 0 to 1"),
    ("lock head position weight 0.5 weight 1", 31, "stands twice"),
    ("lock head position name heel", 25, "a name in quotes"),
    ("lock head position axes", 24, "expected x, y or z"),
    ("lock head position axes x x", 27, "stands twice"),
    ("lock head aim axes x", 15, "expected at and the other part"),
    ('lock head aim at "left hand" axes x', 30, "says nothing of aim"),
    ("lock head aim at head", 18, "expected another part"),
    ("lock head to nobody.hand", 14, 'no figure "nobody"'),
    ("lock head position at 3", 23, "expected three numbers"),
    ("lock head position at (1, 2)", 24, "has 2 numbers"),
    ("lock head position at (1, 2, 3", 23, 'is not closed; expected ")"'),
    ("lock head position at (1, , 3)", 27, "a number is missing"),
    ("lock head position at (1, 2 +, 3)", 30, "the text ends"),
    ("lock head position at (1, 2, sni(t))", 30, "expected sin"),
    ("lock head position at (1, 2, 1/0)", 31, "division by zero"),
    ("lock head position at (1, 2, head)", 30, "is not known here"),
    ('lock head position at (1, 2, "left hand")', 30, "alone is no number"),
    ("lock head position at (x(head), 1, 1)", 6, 'circle: "head" → "head"'),
    ("lock head position at (1, 2, 3 parsec)", 32, "parsec"),
    ("lock head plane normal (0, 0, 0)", 17, "must have a direction"),
    ('lock "left hand" distance to head apart 0', 35, "must be above 0"),
    ('lock "left hand" distance to head apart', 40, "no number stands after apart"),
    ("lock head path", 0, ""),
    ('lock head path "arc"', 16, 'there is no path "arc"'),
    ("lock head path (1, 2, 3)", 25, "2 points at least"),
    ('path "arc" (1, 2, 3)', 21, "2 points at least"),
    ('path "arc" (1, 2, 3) (1, 2, t)', 29, "expected a number that stays"),
    ("path (1, 2, 3) (1, 2, 4)", 6, "is no name of a path"),
    ("lock chest.bend = abdomen.bnd", 27, 'has no coordinate "bnd"; expected bend'),
    ("lock chest.bend = = 3", 19, "stands twice"),
    ("lock = chest.bend", 6, "a side of"),
    ("lock 3 = 4", 6, "names no joint and no part"),
    ("lock chets.bend = 3", 6, "expected"),
    ('lock x("left hand" = 3', 8, 'is not closed; expected ")"'),
    ("lock balance margin -1", 14, "a margin must be 0 or more"),
    ("lock balance margin t", 14, "stays as it is"),
    ("lock head orientation turned (x(chest), 0, 0)", 23, "only the place of a position may depend"),
    ("lock head position using", 25, "a joint that may help"),
    ("lock head position using nobody", 26, 'has no part "nobody"'),
    ("lock head position mutual", 20, "mutual"),
    ("lock head position froM 3", 20, "expected from"),
    ("lock head position ; from 3", 20, "is not understood here"),
    ("lock head position $", 20, "is not understood"),
    ("lock head position at (0, 1/(frame - 12), 0)", 20, "frame 12"),
)


@pytest.fixture(scope="module")
def motion(skeletons_folder: Path) -> Sequence:
    human = load_skeleton(skeletons_folder / "human.scr")
    made = Sequence(human, fps=24)
    made.set_key(0, human.rest_pose())
    return made


def test_each_mistake_is_named_where_it_is(motion: Sequence) -> None:
    for text, column, words in WRITTEN:
        problems = make_strips(motion, f"# a comment\n\n{text}").problems
        if not words:
            assert problems == ()
            continue
        assert [(each.line, each.column) for each in problems[:1]] == [(3, column)], (text, problems)
        assert words in problems[0].message, (text, problems)
        assert "expected" in problems[0].message or "must" in problems[0].message or words == "frame 12", problems


GOOD = (
    'lock "left heel" position from 12 to 30 ease 3',
    'lock "right hand" to pelvis point (0.1, 0, 0) from 4 weight 0.5',
    'lock "left hand" position at (0.3, 1 + 0.1*sin(t), 0.2) from 3 to 20 ease in 3 out 5',
    "lock 0.5 * abdomen.bend = chest.bend from 0 to 40",
    'lock head aim at "left hand" name "gaze" using head, neck',
    'path "arc" (0, 1, 0) (0.2, 1.2, 0.1) (0.4, 1, 0)',
    "lock balance margin 2 cm",
    'lock "left foot" pose axes x z from 2',
)
_JUNK = (
    "§",
    ";",
    "(",
    ")",
    '"',
    "=",
    "7",
    "lock",
    "from",
    "to",
    "exec",
    "__import__",
    "\x00",
    "ease",
    ".",
    "§§",
    "1e999",
)


def damaged(rng: random.Random) -> str:
    """Return a statement with one to three things wrong: pieces left out, doubled, exchanged or put in."""
    text = rng.choice(GOOD)
    pieces = re.findall(r'"[^"]*"|\w+|[^\w\s]|\s+', text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(pieces))
        what = rng.randrange(4)
        if what == 0 and len(pieces) > 1:
            del pieces[at]
        elif what == 1:
            pieces.insert(at, pieces[rng.randrange(len(pieces))])
        elif what == 2:
            pieces[at] = rng.choice(_JUNK)
        else:
            pieces.insert(at, f" {rng.choice(_JUNK)} ")
    return "".join(pieces)


def test_damaged_scripts_are_refused_with_their_place(motion: Sequence, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in GOOD:  # what is imported when it is first needed
        make_strips(motion, text)

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a script was run")

    monkeypatch.setattr(builtins, "eval", forbidden)
    monkeypatch.setattr(builtins, "exec", forbidden)
    rng = random.Random(20)
    refused = 0
    while refused < len(few_of(range(200), 60)):
        text = damaged(rng)
        lines = rng.randrange(4)
        made = make_strips(motion, "\n" * lines + text)
        if not made.problems:
            assert read_script(text).problems == ()  # it still says something
            continue
        refused += 1
        (first, *_) = made.problems
        assert first.line == lines + 1 and 1 <= first.column <= len(text) + 1, (text, first)
        assert len(first.message) > 10 and not first.message.startswith("Traceback")
        assert all(strip is None for strip in made.strips)


HOSTILE = {
    "many parentheses": "lock head position at (" + "(" * 1900 + ", 0, 0)",
    "powers of powers": "lock head position at (9" + "^9" * 900 + ", 0, 0)",
    "long products": "lock chest.bend = " + "*".join(["(1 + neck.bend)"] * 120),
    "nested functions": "lock chest.bend = " + "sin(" * 200 + "neck.bend" + ")" * 200,
    "a long name": 'lock "' + "a" * 1900 + '" position',
    "a line without end": "lock " + "x" * 90_000,
    "many wrong names": "\n".join(f"lock lft{k}hand position" for k in range(3900)),
    "many circles": "\n".join(
        ['lock "left hand" position at (x(head), 0, 0)', 'lock head position at (x("left hand"), 0, 0)'] * 1900
    ),
    "many lines": "lock head position\nlock head position at (0, 1, 0)\n" * 150,
    "digits": "lock head position from " + "9" * 1900,
    "quotes": '"' * 1999,
    "too much": "#" * 200_000,
    "minus signs": "lock head position at (" + "-" * 1900 + "1, 0, 0)",
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_soon(name: str, motion: Sequence) -> None:
    start = time.process_time()
    make_strips(motion, HOSTILE[name])
    assert time.process_time() - start < 20.0


def test_circles_are_named_and_only_those_that_meet_are_refused(motion: Sequence) -> None:
    three = (
        'lock "left hand" to chest\n'
        'lock "right hand" position at (x("left hand"), 1, 0.2) from 3 to 9\n'
        'lock head position at (x("right hand"), 1.6, 0.1) from 3 to 9\n'
        "lock chest position at (x(head), 1.2, 0.1) from 5 to 9\n"
    )
    problems = make_strips(motion, three).problems
    assert [each.line for each in problems] == [1, 2, 3, 4]
    assert 'circle: "left hand" → "chest" → "head" → "right hand" → "left hand"' in problems[0].message
    later = three.replace("from 5 to 9", "from 10 to 12")  # at no frame all of them hold
    assert make_strips(motion, later).problems == ()
    heel = 'lock "left foot" position at (x("left heel"), 0, 0)'  # a point of the same part
    (problem,) = make_strips(motion, heel).problems
    assert 'circle: "left foot" → "left heel"' in problem.message
    meeting = 'lock "left hand" to "right hand"\nlock "right hand" to "left hand" offset (0.1, 0, 0)'
    assert len(make_strips(motion, meeting).problems) == 2
