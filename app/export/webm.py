"""WebM with VP9, which browsers show with its transparency; sound as Opus."""

from __future__ import annotations

from pathlib import Path

from app.export.av_file import AvEncoder, Streams
from app.export.material import Material

# Several threads would make other bytes of the same pictures from one run to the next.
# Frames that are not shown, which VP9 makes by itself, would have no opacity of their own.
_OPTIONS = {"crf": "18", "b": "0", "deadline": "good", "cpu-used": "4", "threads": "1", "auto-alt-ref": "0"}
_STREAMS = Streams("webm", "libvpx-vp9", "VP9", "yuv420p", "yuva420p", _OPTIONS, "libopus", 128_000)


def encoder(path: Path, fps: float, size: tuple[int, int], material: Material) -> AvEncoder:
    """Return what writes a ``.webm`` file; width and height must be even."""
    return AvEncoder(path, fps, size, _STREAMS, material)
