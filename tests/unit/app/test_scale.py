"""The scale of the window: what was kept counts at the next start, a factor from outside goes before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.document.session import SCALES
from app.look.scale import scaled
from app.window.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
CODE = (
    "import sys; from app.window.editor import make_application;"
    "a = make_application(*sys.argv[1:]); print(a.primaryScreen().devicePixelRatio());"
    "import os; print(os.environ.get('QT_SCALE_FACTOR'))"
)


@pytest.mark.parametrize(
    ("kept", "scale"),
    [(150, 150), ("125", 125), ("89", 100), (201, 100), ("large", 100), (None, 100), ("1e3", 100), ("110.5", 100)],
)
def test_what_makes_no_sense_as_a_scale_is_the_usual_one(kept: object, scale: int, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "kept.ini")
    settings.set_value("session/scale", kept)
    assert settings.scale() == scale


def test_the_factor_is_there_for_the_application_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_SCALE_FACTOR", raising=False)
    for scale in SCALES:
        with scaled(scale):
            assert os.environ.get("QT_SCALE_FACTOR") == (None if scale == 100 else f"{scale / 100:g}")
        assert "QT_SCALE_FACTOR" not in os.environ
    monkeypatch.setenv("QT_SCALE_FACTOR", "3")
    with scaled(150):
        assert os.environ["QT_SCALE_FACTOR"] == "3"
    assert os.environ["QT_SCALE_FACTOR"] == "3"


def started(folder: Path, *arguments: str, **environment: str) -> list[str]:
    """Return what the ratio of pixels is in a program that has just started, and what its children would inherit."""
    kept = {name: value for name, value in os.environ.items() if name != "QT_SCALE_FACTOR"}
    result = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=ROOT,
        env=kept | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return result.stdout.split()


@pytest.mark.verify
def test_a_kept_scale_counts_from_the_next_start_and_pictures_do_not_take_it(tmp_path: Path) -> None:
    place = tmp_path / "sequence-editor" / "sequence-editor"
    place.mkdir(parents=True)
    (place / "sequence-editor.ini").write_text("[session]\nscale=150\n", "utf-8")
    assert started(tmp_path) == ["1.5", "None"]
    assert started(tmp_path, "dark") == ["1.0", "None"]
    assert started(tmp_path, QT_SCALE_FACTOR="2") == ["2.0", "2"]
