"""How the band of the music is painted: its waveform kept as a picture, its beats and its start over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPolygonF

from app.look import fonts, icons, style
from app.timeline.marks.lines import seen_beats
from app.timeline.time_scale import NAMES_WIDTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.timeline.music.track import AudioTrack
    from core.audio import AudioRecord, Waveform


class WavePicture:
    """Keeps the last picture."""

    def __init__(self) -> None:
        self._key: object = None
        self._image = QImage()
        self._pixels: NDArray[np.uint32] = np.zeros((0, 0), dtype=np.uint32)  # an image does not keep its memory

    def image(
        self,
        waveform: Waveform,
        times: tuple[float, float],
        size: tuple[int, int],
        colors: tuple[QColor, QColor],
        gain: float,
    ) -> QImage:
        """Return the picture of a stretch of a sound.

        Args:
            waveform: The sound.
            times: Times of the left and the right edge, [s] from its start.
            size: Width and height, device px.
            colors: Of the reach from the lowest to the highest sample, and of the loudness inside.
            gain: Factor of the loudness.
        """
        width, height = size
        key = (id(waveform), times, size, colors[0].rgba(), colors[1].rgba(), gain)
        if key != self._key:
            self._key = key
            self._pixels = _drawn(waveform, times, width, height, colors, gain)
            self._image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        return self._image


def _drawn(
    waveform: Waveform, times: tuple[float, float], width: int, height: int, colors: tuple[QColor, QColor], gain: float
) -> NDArray[np.uint32]:
    columns = waveform.columns(*times, width)
    scale = gain / max(waveform.peak, 1e-3)  # a quiet recording fills the band too
    half = (height - 1) / 2.0
    heights = ((np.arange(height) - half) / max(half, 1.0))[:, None]
    inside = waveform.sound.duration
    seconds = times[0] + (np.arange(width) + 0.5) * (times[1] - times[0]) / max(width, 1)
    there = (seconds >= 0.0) & (seconds <= inside)
    thin = 0.6 / max(half, 1.0)
    low, high = np.minimum(-columns.high * scale, -thin), np.maximum(-columns.low * scale, thin)
    body = (heights >= low) & (heights <= high) & there
    core = (np.abs(heights) <= columns.power * scale) & there
    pixels = np.zeros((height, width), dtype=np.uint32)
    pixels[body] = colors[0].rgba()
    pixels[core] = colors[1].rgba()
    return pixels


HEIGHT = 50
LOW_HEIGHT = 38
LANE = 13.0
"""Height of the lane at the top in which beats are grabbed, [px]."""
SPEAKER = QRectF(NAMES_WIDTH - 28.0, 0.0, 24.0, 24.0)


class AudioPicture:
    """Paints the music.

    Args:
        track: The band.
    """

    def __init__(self, track: AudioTrack):
        self._track = track
        self._wave = WavePicture()

    def names(self, painter: QPainter, music: AudioRecord) -> None:
        """Paint the name, the tempo and the speaker."""
        track = self._track
        low = track.height() < HEIGHT
        title = fonts.font(12, fonts.SEMIBOLD)
        painter.setFont(title)
        painter.setPen(style.color("text"))
        room = NAMES_WIDTH - 12 - 30
        name = QFontMetricsF(title).elidedText(track.name, Qt.TextElideMode.ElideMiddle, room)
        top = track.height() / 2.0 - 17.0
        painter.drawText(QRectF(12, top, room, 17), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(fonts.font(11, fonts.REGULAR, tabular=True))
        painter.setPen(style.color("warn" if track.problem else "accent" if track.tapping else "text2"))
        about = track.problem or track.about(music)
        metrics = QFontMetricsF(painter.font())
        about = metrics.elidedText(about, Qt.TextElideMode.ElideRight, NAMES_WIDTH - 18)
        painter.drawText(QRectF(12, top + 17, NAMES_WIDTH - 16, 17), Qt.AlignmentFlag.AlignVCenter, about)
        speaker = "sound" if track.model.document.session.playback.sound else "silent"
        box = QRectF(SPEAKER.x() + 4, top if low else top + 0.5, 16, 16)
        icons.paint(painter, speaker, style.color("text2" if speaker == "sound" else "text3"), box)

    def wave(self, painter: QPainter, music: AudioRecord) -> None:
        """Paint the waveform."""
        track = self._track
        if track.waveform is None:
            return
        body = self._body()
        ratio = track.devicePixelRatioF()
        size = (max(1, round(body.width() * ratio)), max(1, round(body.height() * ratio)))
        left = track.time_at(NAMES_WIDTH) - music.offset
        right = track.time_at(NAMES_WIDTH + size[0] / ratio) - music.offset
        loud = track.model.document.session.playback.sound
        amounts = (0.34, 0.72) if loud else (0.2, 0.4)
        colors = (style.mix("panel", "text2", amounts[0]), style.mix("panel", "text2", amounts[1]))
        image = self._wave.image(track.waveform, (left, right), size, colors, music.gain)
        painter.drawImage(QRectF(body.left(), body.top(), size[0] / ratio, size[1] / ratio), image)

    def why_not(self, painter: QPainter) -> None:
        """Say why there is no waveform."""
        track = self._track
        painter.setPen(style.color("text3"))
        painter.setFont(fonts.font(12, fonts.REGULAR))
        text = "Reading…" if track.reading else f"{track.name} {track.problem}" if track.problem else ""
        box = self._body().adjusted(12, 0, -12, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _body(self) -> QRectF:
        """Return where the waveform is."""
        track = self._track
        return QRectF(NAMES_WIDTH, LANE, max(track.width() - NAMES_WIDTH, 1), max(track.height() - LANE - 2.0, 1.0))

    def beats(self, painter: QPainter) -> None:
        """Paint what beats are grabbed by."""
        track = self._track
        xs, strong, indices = seen_beats(track)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for x, first, index in zip(xs.tolist(), strong.tolist(), indices.tolist(), strict=True):
            lit = index in (track.selected, track.hovered)
            painter.setBrush(style.color("accent" if index == track.selected else "text" if first or lit else "text3"))
            half, tall = (4.5, 9.0) if first else (3.0, 6.0)
            if lit:
                half, tall = half + 1.0, tall + 1.0
            top = LANE - tall
            corners = [(x - half, top), (x + half, top), (x, LANE)]
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
