"""Files of steps: every mistake is named with its line, and each kind of step says which keys it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.batch.steps import STEPS, Import
from app.batch.steps_file import read_steps
from app.batch.toml_table import Table, lines_of, read_toml
from core.errors import FormatError
from tests.support.batches import write_steps

RESOURCES = Path(__file__).resolve().parents[3] / "resources"
EXPORT = 'do = "export"\nformat = "bvh"'


def problems_of(path: Path) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_steps(path)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('do = "expport"', ['steps.toml:2: step 1: do: "expport" is not a step', 'did you mean "export"?']),
        ("x = 1", ["steps.toml:1: step 1: do is missing; expected one of"]),
        ("do = 3", ["steps.toml:2: step 1: do: 3 is not a step"]),
        ('do = "export"', ["steps.toml:1: step 1 (export): format: is missing; expected one of seq, bvh"]),
        ('do = "export"\nformat = "bwh"', ['steps.toml:3: step 1 (export): format: "bwh"', 'did you mean "bvh"?']),
        (EXPORT + "\nfsp = 30", ['steps.toml:4: step 1 (export): fsp: is not a key here; did you mean "fps"?']),
        (EXPORT + "\nfps = -1", ["steps.toml:4: step 1 (export): fps: -1 is not right; expected a number from 0.01"]),
        ('do = "export"\nformat = "glb"\nunit = "cm"', ["unit: a .glb file is in metres with y up"]),
        ('do = "export"\nformat = "seq"\nfps = 30', ["a .seq file is written as it is"]),
        (EXPORT + '\nfolder = "../up"', ['folder: "../up" is not right; expected a name such as "previews"']),
        ('do = "reduce"\nmillimetres = "few"', ['steps.toml:3: step 1 (reduce): millimetres: "few" is not right']),
        ('do = "reduce"\nmillimetres = true', ["millimetres: true is not right"]),
        ('do = "reduce"\nwhole_poses = 1', ["whole_poses: 1 is not right; expected true or false"]),
        ('do = "reduce"\nlock_feet = 1', ["lock_feet: 1 is not right; expected true or false"]),
        (
            'do = "clean"\nfilter = "none"\ncutoff = 8',
            ["steps.toml:4: step 1 (clean): cutoff: does not go with filter"],
        ),
        ('do = "simulate"\nseeds = [1, 1]', ["seeds: [1, 1] names a seed twice"]),
        ('do = "simulate"\nseeds = 0', ["seeds: 0 is not right; expected how many (1 to 100000), or a list"]),
        ('do = "simulate"\npreset = "fall"', ['preset: "fall" is not right; expected one of "motor"']),
        ('do = "import"\nunit = "inch"', ['unit: \'inch\' is not a unit; expected one of "m", "cm"']),
        ('do = "import"\nunit = "cm"\nheight = 1.8', ["height: does not go with unit"]),
        ('do = "import"\nfiles = 3', ['files: expected patterns of names, such as ["*.bvh"']),
        ('do = "import"\nfirst = 9\nlast = 3', ["last: 3 is before first, 9"]),
        ('do = "retarget"', ['onto: is missing; expected the file of a figure, such as "human.scr"']),
        ('do = "retarget"\nonto = "nobody.scr"', ['onto: "nobody.scr" is not there; expected the path of a file']),
        ('do = "render"\nformat = "png"\nsize = [5]', ["size: [5] is not right; expected [width, height]"]),
        ('do = "render"\nformat = "mp4"\nframe = 3', ['frame: goes with format = "png"']),
        ('do = "reduce"', ['no step writes anything; expected one with do = "export" or "render"']),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, table: str, says: list[str]) -> None:
    found = problems_of(write_steps(tmp_path / "steps.toml", table))
    assert len(found) == 1
    for part in says:
        assert part in found[0]


def test_all_mistakes_are_named_at_once_in_order_of_lines(tmp_path: Path) -> None:
    path = write_steps(tmp_path / "steps.toml", 'do = "clean"\ncutof = 3', 'do = "nothing"', EXPORT + "\nfps = 0")
    assert [line.split(": ")[0] for line in problems_of(path)] == ["steps.toml:3", "steps.toml:6", "steps.toml:11"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[step]]\ndo = \n", "steps.toml:2:6: is not TOML: invalid value"),
        ("step = 3", "there are no steps; expected tables such as [[step]]"),
        ("", "there are no steps"),
        ('clips = "x"\n[[step]]\n' + EXPORT, 'steps.toml:1: "clips" is not known here; expected [[step]] tables'),
        ("[[step]]\n" * 60, "there are 60 steps; expected at most 50"),
    ],
)
def test_a_file_that_is_no_file_of_steps(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "steps.toml"
    path.write_text(text)
    assert any(says in line for line in problems_of(path))


def test_steps_that_do_not_go_together(tmp_path: Path) -> None:
    twice = problems_of(write_steps(tmp_path / "a.toml", EXPORT, EXPORT))
    assert twice == ['a.toml: step 2 writes the same file as step 1; give one of them folder = "..."']
    late = problems_of(write_steps(tmp_path / "b.toml", EXPORT, 'do = "import"'))
    assert late == ["b.toml:6: step 2 (import): do: import must come first; move this step to the beginning"]
    seeds = 'do = "simulate"\nseeds = 2'
    assert "two steps have seeds" in problems_of(write_steps(tmp_path / "c.toml", seeds, seeds, EXPORT))[0]


def test_reading_comes_first_even_if_no_step_says_so(tmp_path: Path) -> None:
    steps = read_steps(write_steps(tmp_path / "steps.toml", EXPORT))
    assert steps[0] == Import() and len(steps) == 2


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.do)
def test_help_names_every_key_of_a_kind(kind: type, tmp_path: Path) -> None:
    asked: list[str] = []

    class Asking(Table):
        def get(self, key: str) -> object:
            asked.append(key)
            return super().get(key)

    step = kind.read(Asking({}, "", "steps.toml", tmp_path, {}, 0, []))  # type: ignore[attr-defined]
    assert set(step.settings()) <= set(asked)  # what a dry run shows can be written into a file
    assert asked and not [key for key in asked if key not in kind.about]  # type: ignore[attr-defined]


def test_the_example_can_be_read() -> None:
    assert [step.do for step in read_steps(RESOURCES / "batch" / "steps.toml")] == [
        "import", "clean", "retarget", "reduce", "render", "export"
    ]  # fmt: skip


def test_where_tables_and_keys_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('top = 1\n[[step]] # first\n"do" = "x"\n\n[other]\ndo = 1\n[[ step ]]\n  do = "y"\nz.a = 3\n')
    values, lines = read_toml(path)
    assert lines_of(lines, "step", len(values["step"])) == [(2, {"do": 3}), (7, {"do": 8, "z": 9})]
    assert lines_of(lines, "", 1) == [(1, {"top": 1})]
    assert lines_of(lines, "step", 3) == [(0, {})] * 3  # written in another way: no place is better than a wrong one
