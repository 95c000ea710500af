"""``script`` on the command line: prints, checks and applies."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from core.animation.ensemble import link
from core.animation.key import Key
from core.animation.script.written import script_of
from core.animation.sequence import Sequence
from core.constraints.records import lock_to_json
from core.formats import bundled_folder, load, save
from core.formats.project import Project
from core.skeleton import load_skeleton
from skeletons.making.motion import make_stance_foot
from tests.support.made_files import assert_records_alike

SAMPLE = bundled_folder() / "library" / make_stance_foot.PATH
WALK = bundled_folder() / "library" / "Walks and runs" / "walk.seq"


def test_a_script_is_printed_checked_and_applied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["script", str(SAMPLE)]) == 0
    text = capsys.readouterr().out
    assert text == make_stance_foot.SCRIPT
    written, out = tmp_path / "foot.txt", tmp_path / "out.seq"
    written.write_text(text, encoding="utf-8")
    assert main(["script", str(WALK), "--apply", str(written)]) == 0
    assert "good, 3 locks" in capsys.readouterr().out and not out.exists()
    assert main(["script", str(WALK), "--apply", str(written), "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 3 locks\n"
    (made,), (sample,) = load(out).sequences, load(SAMPLE).sequences
    locks = [[lock_to_json(strip.lock, each.skeleton) for strip in each.locks.strips] for each in (made, sample)]
    assert_records_alike(*locks)
    assert script_of(made).text == text  # type: ignore[union-attr]


@pytest.mark.verify
def test_what_is_wrong_is_said_with_line_and_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written, out = tmp_path / "wrong.txt", tmp_path / "out.seq"
    written.write_text("# one\nlock head positon\nlock nose position\n", encoding="utf-8")
    assert main(["script", str(WALK), "--apply", str(written), "-o", str(out)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("wrong.txt:2:11: ") and second.startswith("wrong.txt:3:6: ")
    assert not out.exists()
    written.write_bytes(b"lock \xff")
    assert main(["script", str(WALK), "--apply", str(written)]) == 2
    assert "not UTF-8" in capsys.readouterr().err
    assert main(["script", str(WALK), "-o", str(out)]) == 2
    assert "--apply" in capsys.readouterr().err
    assert main(["script", str(bundled_folder() / "human.scr")]) == 0
    assert capsys.readouterr().out == "\n"  # no locks, no script


@pytest.mark.verify
def test_a_script_may_name_parts_of_another_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    human, woman = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "woman"))
    both = [Sequence(s, fps=24, name=s.name, keys=[Key(0, s.rest_pose())]) for s in (human, woman)]
    before, after, written = tmp_path / "two.seq", tmp_path / "out.seq", tmp_path / "follow.txt"
    save(Project([human, woman], both), before)
    written.write_text('lock chest.bend = woman.chest.bend + 3\nlock y("left hand") = y("woman.left hand")\n')
    assert main(["script", str(before), "--apply", str(written), "-o", str(after)]) == 0
    assert capsys.readouterr().out == f"{after}: 2 locks\n"
    assert main(["script", str(after)]) == 0
    assert capsys.readouterr().out == written.read_text()
    project = load(after)
    link({each.skeleton.name: each for each in project.sequences})
    q = project.sequences[0].pose_at(0.0)
    bend = 3 + human.first_dof[human.joint_index("chest")]
    assert q[bend] == pytest.approx(3 * 3.141592653589793 / 180, abs=1e-8)
    written.write_text("lock chest.bend = wman.chest.bend\n")
    assert main(["script", str(before), "--apply", str(written)]) == 2
    assert capsys.readouterr().err.startswith(
        'follow.txt:1:19: there is no part "wman.chest" here, and no figure "wman"'
    )
