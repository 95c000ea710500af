"""``sequence-editor retarget``: a motion and a figure in, the figure's motion out, one line on bad input."""

from __future__ import annotations

import json

import pytest

from app.cli import main
from core.formats import bundled_folder, load

WALK = str(bundled_folder() / "library" / "Walks and runs" / "walk.seq")


def test_another_figure_walks(skeletons_folder, tmp_path, capsys):
    out, pairs = tmp_path / "walk.seq", tmp_path / "pairs.json"
    words = ["retarget", WALK, "--onto", str(skeletons_folder / "robot.scr"), "-o", str(out)]
    assert main([*words, "--write-pairs", str(pairs)]) == 0
    told = capsys.readouterr().out
    assert told == f"{out}: 10 pairs of joints, travels 0.796 times as far, 33 keys, 0 stances held\n"
    assert load(out).sequences[0].skeleton.name == "robot"
    record = json.loads(pairs.read_text())
    del record["pairs"]["head"]
    pairs.write_text(json.dumps(record))
    assert main([*words, "--pairs", str(pairs), "--scale", "0.5"]) == 0
    assert "9 pairs of joints, travels 0.500 times" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--sequence", "nothing"], 'there is no sequence "nothing"; there are "walk"'),
        (["--pairs", "none.json"], "none.json: cannot be read as pairs of joints: No such file or directory"),
    ],
)
def test_bad_words_are_one_line(skeletons_folder, tmp_path, capsys, words, says):
    out = tmp_path / "x.seq"
    code = main(["retarget", WALK, "--onto", str(skeletons_folder / "woman.scr"), "-o", str(out), *words])
    told = capsys.readouterr().err
    assert code == 2 and says.lower() in told.lower() and not out.exists()


def test_pairs_of_another_kind_are_refused(skeletons_folder, tmp_path, capsys):
    pairs = tmp_path / "pairs.json"
    pairs.write_text('["head"]')
    words = ["--onto", str(skeletons_folder / "woman.scr"), "-o", str(tmp_path / "x.seq"), "--pairs", str(pairs)]
    assert main(["retarget", WALK, *words]) == 2
    assert 'expected {"pairs":' in capsys.readouterr().err
