"""What ``info`` tells of the locks of a sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.document.document import Document


def test_info_reports_how_many_locks_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], skeletons_folder: Path
) -> None:
    document, path = Document(), tmp_path / "locked.seq"
    assert document.files.load_figure(skeletons_folder / "human.scr")
    document.keys.set()
    assert document.locks.cycle(["left foot", "right foot"])
    assert document.files.save(path)
    assert main(["info", str(path)]) == 0
    assert "2 locks; held between keys" in capsys.readouterr().out
