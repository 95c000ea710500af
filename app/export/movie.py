"""Movies from pictures; the suffix gives the kind. A new kind is one encoder and one line in ``MOVIES``."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sized
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.export.errors import ExportError
from app.export.material import Material
from app.export.opacity import straight
from app.export.whole_file import whole_file
from core.extras import how_to_install

Image = NDArray[np.uint8]
Progress = Callable[[float], None]

SLOWEST, FASTEST = 0.1, 240.0
"""Pictures a second that a movie may have."""


class Encoder(Protocol):
    """Turns pictures into a file."""

    def add(self, picture: Image) -> None:
        """Take the next picture, shape (height, width, 3), RGB, top row first; RGBA, not premultiplied, if clear."""

    def finish(self) -> None:
        """Write what is left; the file is whole afterwards."""

    def close(self) -> None:
        """Let go of the file, also if it is not whole."""


class Movie(NamedTuple):
    """A kind of movie.

    Attributes:
        name: What a file dialog calls it.
        packages: Names of the packages it needs, as one imports them and as one installs them.
        fastest: Most pictures a second.
        even: Whether width and height must be even.
        module: Of ``app.export``, with ``encoder(path, fps, size, material)``.
        clear: Whether it can be transparent.
        sound: Whether it can have sound.
    """

    name: str
    packages: tuple[tuple[str, str], ...]
    fastest: float
    even: bool
    module: str
    clear: bool = False
    sound: bool = True


# A GIF counts time in hundredths of a second, and viewers slow a picture of less than two of them down to ten.
MOVIES: dict[str, Movie] = {
    ".mp4": Movie("MP4 movie", (("av", "av"),), FASTEST, True, "mp4"),
    ".gif": Movie("Animated GIF", (("PIL", "Pillow"),), 50.0, False, "gif", sound=False),
    ".mov": Movie("QuickTime movie, ProRes 4444", (("av", "av"),), FASTEST, False, "prores", clear=True),
    ".webm": Movie("WebM movie", (("av", "av"),), FASTEST, True, "webm", clear=True),
}


def missing_packages(path: Path) -> str:
    """Return one line that says what to install before movies of this kind can be written; "" if nothing is missing."""
    missing = [name for module, name in _kind(path).packages if importlib.util.find_spec(module) is None]
    if not missing:
        return ""
    return (
        f"writing {path.suffix.lower()} needs {' and '.join(missing)}, which are not installed; "
        f"run: {how_to_install('export')}"
    ).replace("which are", "which is" if len(missing) == 1 else "which are")


def movie_rate(path: Path, fps: float) -> float:
    """Return the pictures a second for a movie of a motion with ``fps`` frames a second, if nobody asks for a rate.

    Motion capture at 120 frames a second is shown at 60; a GIF at 25, where each picture lasts four hundredths.
    """
    if path.suffix.lower() == ".gif":
        return min(fps, 25.0)
    while fps > 60.5:
        fps /= 2.0
    return max(fps, 1.0)


def movie_size(path: Path, width: int, height: int) -> tuple[int, int]:
    """Return the size a movie of this kind gets: H.264 and VP9 take even sizes only, so odd ones grow by a pixel."""
    return (width + width % 2, height + height % 2) if _kind(path).even else (width, height)


def clear_kinds() -> str:
    """Return which kinds of files can be transparent, as words."""
    return ", ".join([".png", *(suffix for suffix, kind in MOVIES.items() if kind.clear)])


def _kind(path: Path) -> Movie:
    kind = MOVIES.get(path.suffix.lower())
    if kind is None:
        raise ExportError(f"{path}: movies are written as {' or '.join(MOVIES)}")
    return kind


def _encoder(part: Path, suffix: str, fps: float, size: tuple[int, int], material: Material) -> Encoder:
    # Imported here: the packages may be missing, and take a while to import.
    try:
        module = importlib.import_module(f"app.export.{MOVIES[suffix].module}")
    except ImportError as error:
        raise ExportError(f"a package that {suffix} movies need does not work here: {error}") from None
    made: Encoder = module.encoder(part, fps, size, material)
    return made


def write_movie(
    frames: Iterable[Image],
    path: Path,
    fps: float,
    size: tuple[int, int],
    progress: Progress | None = None,
    count: int | None = None,
    samples: Iterable[Image] = (),
    clear: bool = False,
    sound: NDArray[np.float32] | None = None,
) -> int:
    """Write pictures as a movie; the file appears when it is whole.

    Args:
        frames: Pictures, shape (height, width, 3 or 4), uint8, RGB or RGBA, top row first. They are taken one by one,
            so that a generator may draw them.
        path: Its suffix is one of ``MOVIES``.
        fps: Pictures a second. A GIF rounds each picture's time so that the whole has the right length.
        size: Width and height, [px].
        progress: Told the share that is done, 0 to 1, after each picture; may raise ``Cancelled``.
        count: How many pictures there are, for ``progress``; taken from ``frames`` if it has a length.
        samples: Some pictures from all over the movie, for a GIF to choose its colours by; none takes the first ones.
        clear: Whether the pictures are transparent, RGBA, premultiplied; else their opacity does not count.
        sound: Shape (n,), ``SOUND_RATE`` samples a second, from the first picture on; None for a silent movie.

    Returns:
        How many pictures were written.

    Raises:
        ExportError: If a package is missing, the rate or a size does not fit, there are no pictures, or the file
            cannot be written.
        Cancelled: From ``progress``; no file is left then.
    """
    kind, suffix = _kind(path), path.suffix.lower()
    missing = missing_packages(path)
    if missing:
        raise ExportError(missing)
    if not SLOWEST <= fps <= kind.fastest:
        raise ExportError(
            f"{fps:g} frames per second do not fit a {suffix} movie; it can have {SLOWEST:g} to {kind.fastest:g}"
        )
    if movie_size(path, *size) != tuple(size):
        raise ExportError(f"a {suffix} movie of {size[0]} x {size[1]} is not possible; both sides must be even")
    if clear and not kind.clear:
        raise ExportError(f"a {suffix} movie cannot be transparent; {clear_kinds()} can")
    if sound is not None and not kind.sound:
        raise ExportError(f"a {suffix} movie cannot have sound")
    if count is None and isinstance(frames, Sized):
        count = len(frames)
    done = 0
    with whole_file(path) as part:
        encoder = _encoder(part, suffix, fps, size, Material(samples, clear, sound))
        try:
            for picture in frames:
                if picture.shape[:2] != (size[1], size[0]):
                    raise ExportError(f"picture {done} is {picture.shape[1]} x {picture.shape[0]}, not {size}")
                encoder.add(straight(picture) if clear else np.ascontiguousarray(picture[:, :, :3]))
                done += 1
                if progress is not None:
                    progress(min(done / count, 1.0) if count else 0.0)
            if not done:
                raise ExportError(f"{path}: a movie needs at least one picture")
            encoder.finish()
        finally:
            encoder.close()
    return done
