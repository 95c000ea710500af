"""``script`` on the command line: prints, checks and applies."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from core.animation.script.script import script_of
from core.constraints.records import lock_to_json
from core.formats import bundled_folder, load
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
