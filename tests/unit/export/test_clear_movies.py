"""Movies with transparency and with sound: what is read back is what was drawn and what is heard, at its time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.export import ExportError, write_movie
from app.export.material import SOUND_RATE
from app.export.opacity import straight
from app.export.plan import planned_shot
from app.export.sound import movie_sound, stretch
from core.animation import Sequence
from core.audio import Sound
from core.formats import load

av = pytest.importorskip("av", reason="PyAV is not installed")
soundfile = pytest.importorskip("soundfile")
CLEAR = pytest.mark.parametrize("suffix", [".mov", ".webm"])


def disc(x: float, size: tuple[int, int] = (96, 64)) -> np.ndarray:
    """An orange disc with a smooth edge on nothing, and a faint black shadow below, premultiplied RGBA."""
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    cover = np.clip(18.5 - np.hypot(columns - x, rows - 28.0), 0.0, 1.0)
    shade = 0.4 * np.exp(-(((columns - x) / 14.0) ** 2) - ((rows - 54.0) / 3.0) ** 2)
    opacity = cover + (1.0 - cover) * shade
    picture = np.zeros((size[1], size[0], 4))
    picture[:, :, :3] = cover[:, :, None] * np.array([235.0, 130.0, 40.0])
    picture[:, :, 3] = 255.0 * opacity
    return np.rint(picture).astype(np.uint8)


def decoded(path: Path) -> list[np.ndarray]:
    """Return the pictures of a transparent movie as RGBA, not premultiplied."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        if path.suffix == ".mov":
            return [frame.to_ndarray(format="rgba") for frame in container.decode(stream)]
        reader = av.CodecContext.create("libvpx-vp9", "r")  # FFmpeg's own decoder leaves the opacity out
        frames = [frame for packet in container.demux(stream) for frame in reader.decode(packet)]
        return [frame.to_ndarray(format="rgba") for frame in frames]


def over(picture: np.ndarray, ground: float) -> np.ndarray:
    share = picture[:, :, 3:] / 255.0
    return share * picture[:, :, :3] + (1.0 - share) * ground


@CLEAR
def test_edges_have_no_seam_on_any_ground(tmp_path: Path, suffix: str) -> None:
    pictures = [disc(x) for x in (30.0, 38.3, 46.6, 55.0)]
    path = tmp_path / f"a{suffix}"
    assert write_movie(pictures, path, 25, (96, 64), clear=True) == 4
    found = decoded(path)
    assert len(found) == 4
    worst = (3, 4) if suffix == ".mov" else (24, 30)  # of 255: ProRes hardly loses anything, VP9 some
    for before, after in zip(pictures, found, strict=True):
        assert np.abs(after[:, :, 3].astype(int) - before[:, :, 3]).max() <= worst[0]
        assert (after[before[:, :, 3] == 255][:, 3] >= 255 - worst[0]).all() and (after[:4, :4, 3] == 0).all()
        for ground in (0.0, 255.0):
            meant = before[:, :, :3] + (1.0 - before[:, :, 3:] / 255.0) * ground
            off = np.abs(over(after, ground) - meant)
            assert off.max() <= worst[1] and off.mean() < 0.6


def test_colours_are_divided_by_the_opacity_and_go_on_where_nothing_is_seen() -> None:
    picture = disc(48.0)
    made = straight(picture)
    firm = picture[:, :, 3] > 200
    meant = 255.0 * picture[firm][:, :3] / picture[firm][:, 3:]
    assert np.abs(made[firm][:, :3] - meant).max() <= 0.5
    rows, columns = np.nonzero(picture[:, :, 3] == 0)
    beside = (np.hypot(columns - 47.5, rows - 27.5) < 20.0) & (rows < 28)  # a pixel outside of the disc
    assert beside.sum() > 20 and (made[rows[beside], columns[beside], 0] > 180).all()
    assert not made[picture[:, :, 3] == 0][:, 3].any()
    assert not straight(np.zeros((5, 3, 4), dtype=np.uint8)).any()


def test_what_cannot_be_transparent_says_what_can(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"\.mp4 movie cannot be transparent; \.png, \.mov, \.webm can"):
        write_movie([disc(30.0)], tmp_path / "a.mp4", 25, (96, 64), clear=True)
    with pytest.raises(ExportError, match=r"\.gif movie cannot have sound"):
        write_movie([disc(30.0)], tmp_path / "a.gif", 25, (96, 64), sound=np.zeros(10, dtype=np.float32))
    assert not list(tmp_path.iterdir())


# -- what is drawn ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walk(skeletons_folder: Path) -> Sequence:
    return load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]


@pytest.mark.verify
def test_the_shadow_alone_is_black_that_is_seen_through(walk: Sequence) -> None:
    drawn = {
        name: next(planned_shot(walk.skeleton, walk, Path("a.png"), size=(120, 120), backdrop=name).pictures())
        for name in ("transparent", "shadow")
    }
    plain, shadow = drawn["transparent"].astype(int), drawn["shadow"].astype(int)
    figure = plain[:, :, 3] == 255
    assert figure.sum() > 300 and (np.abs(shadow - plain)[figure] <= 1).all()
    fallen = (plain[:, :, 3] == 0) & (shadow[:, :, 3] > 0)
    assert fallen.sum() > 60 and shadow[fallen][:, 3].max() > 40
    assert shadow[fallen][:, :3].max() <= 0.25 * shadow[fallen][:, 3].max()  # dark
    assert (shadow[:, :, :3] <= shadow[:, :, 3:] + 1).all()  # premultiplied
    assert np.unravel_index(np.where(fallen, shadow[:, :, 3], 0).argmax(), fallen.shape)[0] > 60  # at the feet


# -- sound ------------------------------------------------------------------------------------------------------------


def chirp(seconds: float, rate: int) -> np.ndarray:
    """A sound that is like itself at no other time."""
    t = np.arange(round(seconds * rate)) / rate
    return (0.5 * np.sin(2.0 * np.pi * (200.0 * t + 300.0 * t * t))).astype(np.float32)


def heard(path: Path) -> tuple[np.ndarray, float]:
    """Return the sound of a movie at 48 kHz from its time 0 on, and the time of its first picture, [s]."""
    with av.open(str(path)) as container:
        picture = next(container.decode(video=0))
        start = float(picture.pts * picture.time_base)
    samples = np.zeros(0)
    with av.open(str(path)) as container:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=SOUND_RATE)
        for frame in container.decode(audio=0):
            at = round(float(frame.pts * frame.time_base) * SOUND_RATE)
            part = np.concatenate([each.to_ndarray().reshape(-1) for each in resampler.resample(frame)])
            if at < 0:
                part, at = part[-at:], 0
            samples = np.concatenate([samples, np.zeros(max(at - len(samples), 0)), part])
    return samples, start


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".webm"])
def test_sound_is_in_step_with_the_pictures(tmp_path: Path, walk: Sequence, suffix: str) -> None:
    soundfile.write(tmp_path / "music.wav", chirp(3.0, 44_100), 44_100)
    walk.audio = {"file": str(tmp_path / "music.wav"), "offset": 0.2, "gain": 0.5}
    try:
        path = tmp_path / f"a{suffix}"
        shot = planned_shot(walk.skeleton, walk, path, frames=(12, 30), size=(32, 32), fps=30)
        pictures = [np.full((32, 32, 4), 60, dtype=np.uint8)] * len(shot)
        write_movie(pictures, path, shot.rate, (32, 32), sound=shot.sound())
    finally:
        walk.audio = None
    samples, start = heard(path)
    length = len(shot) / shot.rate
    assert start == 0.0 and abs(len(samples) / SOUND_RATE - length) <= 1024 / SOUND_RATE + 0.02
    t = 12 / 30 - 0.2 + np.arange(round(length * SOUND_RATE)) / SOUND_RATE
    meant = 0.25 * np.sin(2.0 * np.pi * (200.0 * t + 300.0 * t * t))
    count = min(len(samples), len(meant))
    lags = np.arange(-600, 601)
    inner = slice(1000, count - 3000)
    match = [float(samples[inner] @ np.roll(meant[:count], lag)[inner]) for lag in lags]
    # In samples; a frame of AAC has 1024, one of Opus 960. WebM counts time in milliseconds, which are 48.
    assert abs(int(lags[int(np.argmax(match))])) <= (48 if suffix == ".webm" else 2)
    assert np.std(samples[inner]) == pytest.approx(np.std(meant[:count][inner]), rel=0.05)


def test_sound_begins_late_ends_early_and_comes_again_with_each_round(tmp_path: Path, walk: Sequence) -> None:
    sound = Sound(np.ones(1000, dtype=np.float32), 1000)
    found = stretch(sound, -0.5, 2 * SOUND_RATE)
    assert abs(found[: SOUND_RATE // 2 - 200]).max() < 0.05 and abs(found[int(1.5 * SOUND_RATE) + 200 :]).max() < 0.05
    assert np.allclose(found[SOUND_RATE // 2 + 2000 : int(1.5 * SOUND_RATE) - 2000], 1.0, atol=0.02)
    soundfile.write(tmp_path / "music.wav", chirp(1.0, 48_000), 48_000)
    walk.audio = {"file": str(tmp_path / "music.wav"), "offset": 0.0, "gain": 4.0}
    try:
        twice = movie_sound(walk, 0.0, 0.5, 2)
        assert twice is not None and np.array_equal(twice[: SOUND_RATE // 2], twice[SOUND_RATE // 2 :])
        assert abs(twice).max() == 1.0  # louder than can be: cut off, not folded over
        (tmp_path / "music.wav").unlink()
        with pytest.raises(ExportError, match=r"music\.wav is not where it was.*leave the sound out"):
            movie_sound(walk, 0.0, 0.5)
    finally:
        walk.audio = None
    assert movie_sound(walk, 0.0, 0.5) is None
