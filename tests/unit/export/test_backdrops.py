"""What is behind the figure in exported pictures: the editor's stage, a studio, a plain colour, nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.cli.main import main
from app.export.errors import ExportError
from app.export.plan import planned_shot
from core.skeleton import Skeleton, load_skeleton

SIZE = (320, 200)


@pytest.fixture(scope="module")
def figure(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "stickman.scr")


def drawn(figure: Skeleton, backdrop: str, theme: str = "dark", view: str = "perspective") -> NDArray[np.uint8]:
    shot = planned_shot(figure, None, Path("x.png"), size=SIZE, theme=theme, view=view, backdrop=backdrop)
    return next(shot.pictures())


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("view", ["perspective", "front", "side", "top"])
def test_a_studio_has_no_lines_and_no_horizon(figure: Skeleton, theme: str, view: str) -> None:
    studio = drawn(figure, "studio", theme, view)[:, :, :3].astype(int)
    for edge in (studio[:, :12], studio[:, -12:]):  # beside the figure and its shadow
        assert np.abs(np.diff(edge, axis=0)).max() <= 3 and np.abs(np.diff(edge, axis=1)).max() <= 3
    stage = drawn(figure, "stage", theme, view)[:, :, :3].astype(int)
    assert np.abs(np.diff(stage[:, :12], axis=0)).max() > 3


def test_the_studio_has_a_shadow_and_light_round_the_figure(figure: Skeleton) -> None:
    for theme in ("dark", "light"):
        studio = drawn(figure, "studio", theme)[:, :, :3].mean(axis=2)
        bottom = studio[int(0.9 * SIZE[1]) :]
        assert bottom[:, 40:-40].max() > studio[:8].max() + 15  # the floor in the light, against the wall on high
        below = studio[int(0.8 * SIZE[1]) :]
        assert below.min() < 0.75 * np.median(below)  # the shadow


def test_a_plain_colour_is_that_colour(figure: Skeleton) -> None:
    picture = drawn(figure, "#336699")
    assert (picture[0] == [0x33, 0x66, 0x99, 255]).all() and (picture[:, 0] == [0x33, 0x66, 0x99, 255]).all()


def test_a_transparent_picture_keeps_its_opacity_in_the_file(skeletons_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "clear.png"
    words = ["render", str(skeletons_folder / "stickman.scr"), str(target), "--backdrop", "transparent"]
    assert main([*words, "--size", "320x200"]) == 0
    image = QImage(str(target)).convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(200, 320, 4)
    alpha = rows[:, :, 3]
    assert alpha[0, 0] == 0 and alpha.max() == 255 and 0.01 < (alpha > 0).mean() < 0.5
    edge = (alpha > 60) & (alpha < 200)
    assert rows[edge][:, :3].mean() > 70  # colours are not darkened by their opacity


def test_a_movie_cannot_be_transparent(figure: Skeleton) -> None:
    with pytest.raises(ExportError, match=r"cannot be transparent; \.png, \.mov, \.webm can"):
        planned_shot(figure, None, Path("x.mp4"), turntable=1.0, backdrop="transparent")


@pytest.mark.parametrize("name", ["studios", "#12345", "#gggggg", ""])
def test_an_unknown_backdrop_is_one_line(
    skeletons_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["render", str(skeletons_folder / "stickman.scr"), str(tmp_path / "x.png"), "--backdrop", name])
    assert left.value.code == 2
    assert "is not a backdrop; expected stage, studio, transparent, shadow, or a colour" in capsys.readouterr().err
