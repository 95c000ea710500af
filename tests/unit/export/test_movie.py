"""Films: what is read back is what was written, at the right speed; and nothing is left where writing ends early."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from app.export import ExportError, missing_packages, movie, movie_rate, write_movie, write_picture, write_pictures
from app.export.gif import ordered_dither
from app.export.png import first_number
from core.errors import Cancelled

av = pytest.importorskip("av", reason="PyAV is not installed")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

WIDTH, HEIGHT = 96, 64
BOTH = pytest.mark.parametrize("suffix", [".mp4", ".gif"])


def pictures(count: int, width: int = WIDTH, height: int = HEIGHT) -> Iterator[np.ndarray]:
    """A bright box that goes from left to right over a dark gradient with a coloured band."""
    ground = np.zeros((height, width, 4), dtype=np.uint8)
    ground[:, :, :3] = np.linspace(20, 60, height)[:, None, None] * np.array([0.8, 0.9, 1.1])
    ground[height // 2 : height // 2 + 8, :, :3] = 200, 60, 30
    ground[:, :, 3] = 255
    for k in range(count):
        made = ground.copy()
        x = round(k * (width - 16) / max(count - 1, 1))
        made[8:24, x : x + 16, :3] = 230, 225, 210
        yield made


def decoded_mp4(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def decoded_gif(path: Path) -> tuple[list[np.ndarray], list[int]]:
    shown, durations = [], []
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        for k in range(image.n_frames):
            image.seek(k)
            shown.append(np.asarray(image.convert("RGB")))
            durations.append(image.info["duration"])
    return shown, durations


# -- mp4 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fps", "rate"),
    [(30, Fraction(30)), (12.5, Fraction(25, 2)), (29.97, Fraction(30000, 1001)), (120.00048, Fraction(120)),
     (23.976, Fraction(24000, 1001)), (1, Fraction(1)), (60, Fraction(60))],
)  # fmt: skip
def test_mp4_has_the_exact_rate_and_every_picture(tmp_path: Path, fps: float, rate: Fraction) -> None:
    path = tmp_path / "a.mp4"
    assert write_movie(pictures(25), path, fps, (WIDTH, HEIGHT)) == 25
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.average_rate == rate and stream.frames == 25
        assert stream.duration * stream.time_base == pytest.approx(25 / rate, abs=2e-3)
        assert stream.codec_context.name == "h264" and stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (WIDTH, HEIGHT)
        times = [frame.time for frame in container.decode(stream)]
    assert times == pytest.approx([k / float(rate) for k in range(25)], abs=1e-4)


def test_mp4_shows_the_colours_that_were_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write_movie(pictures(10), path, 30, (WIDTH, HEIGHT))
    with av.open(str(path)) as container:
        context = container.streams.video[0].codec_context
        assert (context.colorspace, context.color_range, context.color_primaries) == (1, 1, 1)
    for shown, drawn in zip(decoded_mp4(path), pictures(10), strict=True):
        difference = np.abs(shown.astype(int) - drawn[:, :, :3].astype(int))
        assert difference.mean() < 3.0
        assert np.abs(shown[34:38, 2:90].mean(axis=(0, 1)) - (200, 60, 30)).max() < 6.0


def test_mp4_can_begin_to_play_before_all_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write_movie(pictures(5), path, 30, (WIDTH, HEIGHT))
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_the_colours_agree_with_the_formula_of_bt709() -> None:
    from app.export.av_file import video_frame

    # ITU-R BT.709-6: E'Y = 0.2126 R + 0.7152 G + 0.0722 B, E'CB = (B - Y)/1.8556, E'CR = (R - Y)/1.5748
    red = (16 + 219 * 0.2126, 128 + 224 * -0.2126 / 1.8556, 128 + 224 * (1 - 0.2126) / 1.5748)
    grey = (16 + 219 * 128 / 255, 128, 128)
    for color, expected in (((255, 255, 255), (235, 128, 128)), ((255, 0, 0), red), ((128, 128, 128), grey)):
        planes = video_planes(video_frame(np.full((64, 64, 3), color, dtype=np.uint8)))
        assert [plane.mean() for plane in planes] == pytest.approx(expected, abs=0.05), "what is between by a dither"


def test_a_dark_gradient_has_no_bands() -> None:
    from app.export.av_file import video_frame

    ramp = np.linspace(8.0, 30.0, 256)
    picture = np.repeat(np.stack([ramp, ramp + 3.0, 1.3 * ramp], axis=1)[None], 256, axis=0).round().astype(np.uint8)
    bright = 16.0 + picture @ np.array([0.2126, 0.7152, 0.0722]) * 219.0 / 255.0
    off = video_planes(video_frame(picture))[0] - bright
    assert np.abs(off).max() <= 1.0
    near = off.reshape(32, 8, 32, 8).mean(axis=(1, 3))  # what an eye sees; 0.24 where each pixel is only rounded
    assert np.sqrt(np.mean(near**2)) < 0.03


def video_planes(frame: av.VideoFrame) -> list[np.ndarray]:
    """Return brightness and both colour differences."""
    rows = [np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height] for plane in frame.planes]
    return [row[:, : plane.width].astype(float) for row, plane in zip(rows, frame.planes, strict=True)]


# -- gif --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [30, 25, 24, 12, 50, 10, 29.97, 33.3, 1, 7])
@pytest.mark.parametrize("count", [1, 11, 12, 13, 40])
def test_a_gif_lasts_as_long_as_it_should(tmp_path: Path, fps: float, count: int) -> None:
    path = tmp_path / "a.gif"
    write_movie(pictures(count), path, fps, (WIDTH, HEIGHT))
    shown, durations = decoded_gif(path)
    assert len(shown) == count
    assert sum(durations) == pytest.approx(1000.0 * count / fps, abs=5.001)
    assert min(durations) >= 20  # viewers slow shorter ones down
    assert max(durations) - min(durations) <= 10


def test_a_gif_shows_what_was_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    write_movie(pictures(30), path, 25, (WIDTH, HEIGHT))
    shown, _ = decoded_gif(path)
    for picture, drawn in zip(shown, pictures(30), strict=True):
        difference = np.abs(picture.astype(int) - drawn[:, :, :3].astype(int))
        assert difference.mean() < 2.5 and np.percentile(difference, 99) < 16


def test_a_gif_does_not_shimmer_where_nothing_moves(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    write_movie(pictures(30), path, 25, (WIDTH, HEIGHT))
    shown, _ = decoded_gif(path)
    assert all(np.array_equal(picture[26:], shown[0][26:]) for picture in shown)


def test_a_gif_holds_only_what_changes(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    still = rng.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    one, many = tmp_path / "one.gif", tmp_path / "many.gif"
    write_movie([still], one, 20, (WIDTH, HEIGHT))
    write_movie([still] * 40, many, 20, (WIDTH, HEIGHT))
    assert many.stat().st_size < one.stat().st_size + 40 * 40


def test_the_dither_is_even() -> None:
    tile = ordered_dither(8, 8)
    assert sorted((64 * (tile + 0.5) - 0.5).round().astype(int).reshape(-1)) == list(range(64))
    assert ordered_dither(13, 5).shape == (5, 13)
    assert abs(float(ordered_dither(64, 64).mean())) < 1e-6


# -- both -------------------------------------------------------------------------------------------------------------


@BOTH
def test_progress_counts_up_to_one(tmp_path: Path, suffix: str) -> None:
    reported: list[float] = []
    write_movie(list(pictures(20)), tmp_path / f"a{suffix}", 20, (WIDTH, HEIGHT), reported.append)
    assert reported == pytest.approx([(k + 1) / 20 for k in range(20)])
    reported.clear()
    write_movie(pictures(5), tmp_path / f"b{suffix}", 20, (WIDTH, HEIGHT), reported.append, count=10)
    assert reported[-1] == pytest.approx(0.5)


@BOTH
@pytest.mark.parametrize("stop", [Cancelled, KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("after", [1, 15])
def test_what_is_stopped_leaves_nothing(tmp_path: Path, suffix: str, stop: type[BaseException], after: int) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"what was there before")

    def progress(done: float) -> None:
        if done >= after / 20:
            raise stop

    with pytest.raises(stop):
        write_movie(pictures(20), path, 20, (WIDTH, HEIGHT), progress, 20)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"what was there before"


@BOTH
def test_a_file_is_replaced_with_its_rights_kept(tmp_path: Path, suffix: str) -> None:
    path, link = tmp_path / f"a{suffix}", tmp_path / f"link{suffix}"
    path.write_bytes(b"old")
    os.chmod(path, 0o640)
    link.symlink_to(path)
    write_movie(pictures(3), link, 20, (WIDTH, HEIGHT))
    assert link.is_symlink() and path.stat().st_size > 100
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@BOTH
def test_pictures_are_taken_one_by_one(tmp_path: Path, suffix: str) -> None:
    reported: list[float] = []
    drawn: list[int] = []

    def slowly() -> Iterator[np.ndarray]:
        for k, picture in enumerate(pictures(10)):
            drawn.append(k)
            assert len(reported) == k  # the one before has been taken already
            yield picture

    write_movie(slowly(), tmp_path / f"a{suffix}", 20, (WIDTH, HEIGHT), reported.append, 10)
    assert len(drawn) == 10


@pytest.mark.sampled(1)
@BOTH
def test_same_pictures_same_bytes(tmp_path: Path, suffix: str) -> None:
    # Grain over a slope, in a size that once gave three different files of the same pictures.
    rng = np.random.default_rng(0)
    slope = np.linspace(0, 190, WIDTH)[None, :, None]
    drawn = [np.uint8(60.0 * rng.random((HEIGHT, WIDTH, 3)) + slope) for _ in range(8)]
    written = set()
    for turn in range(8 if suffix == ".mp4" else 2):
        write_movie(iter(drawn), tmp_path / f"{turn}{suffix}", 20, (WIDTH, HEIGHT))
        written.add((tmp_path / f"{turn}{suffix}").read_bytes())
    assert len(written) == 1


def refused(path: Path, fps: float = 20, size: tuple[int, int] = (WIDTH, HEIGHT), frames: object = None) -> str:
    with pytest.raises(ExportError) as caught:
        write_movie(pictures(3) if frames is None else frames, path, fps, size)
    assert "\n" not in str(caught.value)
    assert not path.exists()
    return str(caught.value)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    assert ".mp4 or .gif" in refused(tmp_path / "a.avi")
    assert "50" in refused(tmp_path / "a.gif", fps=60)
    assert "240" in refused(tmp_path / "a.mp4", fps=1000)
    assert "even" in refused(tmp_path / "a.mp4", size=(95, 64))
    assert "at least one" in refused(tmp_path / "a.gif", frames=[])
    assert "96 x 64" in refused(tmp_path / "a.gif", size=(64, 96))
    assert "cannot be written" in refused(tmp_path / "none" / "a.gif")
    assert "cannot be written" in refused(tmp_path / "none" / "a.mp4")


def test_missing_packages_are_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_packages(tmp_path / "a.gif") == missing_packages(tmp_path / "a.mp4") == ""
    monkeypatch.setattr(movie.importlib.util, "find_spec", lambda name: None)
    for suffix, name in ((".mp4", "av"), (".gif", "Pillow")):
        line = refused(tmp_path / f"a{suffix}")
        assert name in line and "sequence-editor[export]" in line and "pip install" in line


def test_rates_that_suit() -> None:
    mp4, gif = Path("a.mp4"), Path("a.gif")
    assert [movie_rate(mp4, fps) for fps in (24, 30, 60, 120.0005, 240, 0.1)] == [24, 30, 60, 60.00025, 60, 1]
    assert [movie_rate(gif, fps) for fps in (12, 24, 30, 120)] == [12, 24, 25, 25]


# -- png --------------------------------------------------------------------------------------------------------------


def test_png_keeps_every_pixel(tmp_path: Path) -> None:
    picture = next(pictures(1))
    write_picture(picture, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "RGB" and np.array_equal(np.asarray(image), picture[:, :, :3])
    with pytest.raises(ExportError, match="cannot be written"):
        write_picture(picture, tmp_path / "none" / "a.png")


def test_a_series_is_numbered(tmp_path: Path) -> None:
    reported: list[float] = []
    written = write_pictures(pictures(12), tmp_path / "a.png", 12, reported.append)
    assert [path.name for path in written] == [f"a_{k:04d}.png" for k in range(1, 13)]
    assert all(path.is_file() for path in written) and reported[-1] == 1.0
    assert write_pictures(pictures(1), tmp_path / "b.png", 12345)[0].name == "b_00001.png"
    written = write_pictures(pictures(2), tmp_path / "c.png", 2, first=9999)
    assert [path.name for path in written] == ["c_09999.png", "c_10000.png"]
    assert first_number(np.arange(5.0)) == 0 and first_number(np.arange(7.0, 9.0)) == 7
    assert first_number(np.array([0.0, 0.5, 1.0])) == 1, "between frames there are no numbers"


def test_a_series_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    def progress(done: float) -> None:
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_pictures(pictures(10), tmp_path / "a.png", 10, progress)
    assert not list(tmp_path.iterdir())


def test_a_series_that_is_stopped_removes_only_its_own(tmp_path: Path) -> None:
    (tmp_path / "a_0003.png").write_bytes(b"of an older series")

    def two() -> Iterator[np.ndarray]:
        yield from pictures(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_pictures(two(), tmp_path / "a.png", 5)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a_0003.png"]


def test_gif_colours_come_from_all_over_the_movie(tmp_path: Path) -> None:
    late = [np.full((HEIGHT, WIDTH, 3), (40, 40, 40), np.uint8) for _ in range(30)]
    ramp = np.linspace(60, 250, WIDTH)[None, :, None] * np.array([1.0, 0.4, 0.3])
    late += [np.tile(ramp, (HEIGHT, 1, 1)).astype(np.uint8)] * 3
    path = tmp_path / "late.gif"
    write_movie(late, path, 10, (WIDTH, HEIGHT), samples=late[::8])
    with PillowImage.open(path) as image:
        image.seek(image.n_frames - 1)
        shown = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(shown - late[-1].astype(int)).max() < 12
