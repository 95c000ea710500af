"""What a person chooses before a picture or a movie is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget

from app.export.errors import ExportError
from app.export.movie import MOVIES, missing_packages, movie_rate
from app.export.plan import planned_shot, playing_range
from app.export.shot import CLEAR, SHADOW, Shot
from app.look.theme import THEMES
from app.process.handler_guard import guarded
from app.render.camera import Camera
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.switch import Switch
from app.widgets.frames.form_dialog import FormDialog
from app.widgets.layouts import side_by_side
from app.words.quantity import FRAME, RATE, Quantity
from core.animation import Sequence
from core.formats.exchange.recording import Recording

PICTURE, MP4, GIF, MOV, WEBM, SERIES = "picture", "mp4", "gif", "mov", "webm", "series"
SUFFIXES = {PICTURE: ".png", MP4: ".mp4", GIF: ".gif", MOV: ".mov", WEBM: ".webm", SERIES: ".png"}
KINDS = ((MP4, "MP4"), (GIF, "GIF"), (MOV, "ProRes"), (WEBM, "WebM"), (SERIES, "PNG series"))
SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (640, 360), (1080, 1080), (1080, 1920))
AS_SHOWN, WHOLE, ALONG, ROUND, SHOT = "shown", "whole", "along", "round", "shot"
CAMERAS = (
    (AS_SHOWN, "As in the view"),
    (WHOLE, "Shows the whole motion"),
    (ALONG, "Follows the figure"),
    (ROUND, "Turntable"),
)
KEYED = (SHOT, "Shot camera")
"""Offered where the sequence has keys of a camera."""
STILL_CAMERAS = ((AS_SHOWN, "As in the view"), (WHOLE, "Frames the figure"))
STAGE, STUDIO, WHITE, BLACK, GREEN = "stage", "studio", "#ffffff", "#000000", "#00b140"
BACKDROPS = (
    (STAGE, "Floor with grid"),
    (STUDIO, "Studio"),
    (WHITE, "White"),
    (BLACK, "Black"),
    (GREEN, "Green screen"),
    (CLEAR[0], "Transparent"),
    (SHADOW, "Transparent with shadow"),
)
PIXELS = Quantity("px", 0, 1.0, "pixels", whole=True)
TURN = Quantity("s", 1, 0.1, "seconds")
LEAST, MOST = 16, 8192
LABEL = 72


@dataclass
class Wishes:
    """What was chosen last, kept while the window is open.

    Attributes:
        kind: Kind of movie.
        sizes: Width and height for each kind, [px].
        camera: How the camera of a movie moves.
        backdrop: What is behind the figure.
        turn: How long it takes to go round, [s].
        sound: Whether the music is in the movie.
        seen: The backdrop that the views had.
    """

    kind: str = MP4
    sizes: dict[str, tuple[int, int]] = field(
        default_factory=lambda: (
            {PICTURE: (1920, 1080), MP4: (1280, 720), GIF: (640, 360)} | dict.fromkeys((MOV, WEBM, SERIES), (1280, 720))
        )
    )
    camera: str = WHOLE
    backdrop: str = STAGE
    turn: float = 6.0
    sound: bool = True
    seen: str = STAGE

    def propose(self, seen: str) -> None:
        """Begin with the backdrop of the views, unless another was chosen since they have had it."""
        if seen != self.seen:
            self.seen = self.backdrop = seen


class ExportDialog(FormDialog):
    """Asks how a sequence, or the pose that is shown, is to be written.

    Args:
        sequence: What is exported.
        wishes: What to begin with; takes what is chosen.
        theme: Theme to begin with.
        camera: The work area's camera.
        movie: Whether it is a movie; else a picture.
        parent: Owner.
        recording: What was simulated, or for a picture the pose that is shown.
        frame: Frame of a picture.
        through: Whether the work area looks through the shot's camera.
    """

    def __init__(
        self,
        sequence: Sequence,
        wishes: Wishes,
        theme: str,
        camera: Camera,
        movie: bool,
        parent: QWidget | None = None,
        recording: Recording | None = None,
        frame: int | None = None,
        through: bool = False,
    ):
        super().__init__("Export movie" if movie else "Export picture", "Export…", parent)
        self.sequence, self.wishes, self.camera, self.movie = sequence, wishes, camera, movie
        self.recording, self.frame = recording, frame
        self.kinds = SegmentBar(KINDS, name="File type")
        self.kinds.set_current(wishes.kind)
        self.size_choice = Choice("Size")
        self.width_field, self.height_field = (self._field(name, PIXELS, 0) for name in ("Width", "Height"))
        first, last = self._whole = playing_range(sequence, recording)
        self.first = self._field("First frame", FRAME, first)
        self.last = self._field("Last frame", FRAME, last)
        self.rate = self._field("Frames per second", RATE, sequence.fps)
        self.turn = self._field("Seconds per turn", TURN, wishes.turn)
        self.camera_choice, self.theme_choice = Choice("Camera"), Choice("Theme")
        self.backdrop_choice = Choice("Backdrop")
        self.sound = Switch("Sound")
        self.sound.setChecked(wishes.sound)
        self._cameras = (*(CAMERAS if movie else STILL_CAMERAS), *((KEYED,) if sequence.camera.keys else ()))
        chosen = SHOT if through else wishes.camera if wishes.camera in dict(self._cameras) else WHOLE
        self.camera_choice.show_rows(self._cameras, chosen if movie else SHOT if through else AS_SHOWN)
        self.theme_choice.show_rows([(name, name.capitalize()) for name in THEMES], theme)
        self._show_backdrops(wishes.backdrop)
        self._build()
        self._connect()
        self._take_kind()

    @staticmethod
    def _field(name: str, quantity: Quantity, value: float) -> NumberField:
        made = NumberField(quantity)
        made.setAccessibleName(name)
        made.set_value(value)
        made.setFixedWidth(78)
        return made

    def _build(self) -> None:
        for size_field in (self.width_field, self.height_field):
            size_field.set_limits(LEAST, MOST)
        for frame_field in (self.first, self.last):
            frame_field.set_limits(0, 2**31 - 1)
        self.rate.set_limits(0.1, 240.0)
        self.turn.set_limits(0.1, 3600.0)
        cross, to = QLabel("×"), QLabel("to")
        rows: list[tuple[str, list[QWidget]]] = [
            ("Size", [self.size_choice, self.width_field, cross, self.height_field]),
            ("Camera", [self.camera_choice, self.turn]),
            ("Backdrop", [self.backdrop_choice]),
            ("Theme", [self.theme_choice]),
        ]
        if self.movie:
            rows.insert(0, ("File", [side_by_side(self.kinds)]))
            rows.insert(2, ("Frames", [side_by_side(self.first, to, self.last)]))
            rows.insert(3, ("Frame rate", [side_by_side(self.rate)]))
            if self.sequence.audio is not None:
                rows.append(("Sound", [side_by_side(self.sound)]))
        self.lay_out(rows, LABEL)
        if not self.movie or self.sequence.audio is None:
            self.keep_hidden(self.sound)
        if not self.movie:
            for part in (self.kinds, self.first, self.last, self.rate):
                self.keep_hidden(part)
        self.setMinimumWidth(400)

    def _connect(self) -> None:
        self.kinds.chosen.connect(self._take_kind)
        self.size_choice.picked.connect(self._take_size)
        for choice in (self.camera_choice, self.backdrop_choice):
            choice.picked.connect(lambda _key: self._show())
        for field_ in (self.width_field, self.height_field, self.first, self.last, self.rate, self.turn):
            field_.changed.connect(lambda _value: self._show())

    # -- what is chosen -------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Kind of file: ``"picture"``, ``"mp4"``, ``"gif"``, ``"mov"``, ``"webm"`` or ``"series"``."""
        return self.kinds.current if self.movie else PICTURE

    @property
    def suffix(self) -> str:
        """Suffix of the file."""
        return SUFFIXES[self.kind]

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height, [px]."""
        return int(self.width_field.value), int(self.height_field.value)

    @property
    def camera_mode(self) -> str:
        """How the camera is placed and moves."""
        return self._cameras[self.camera_choice.currentIndex()][0]

    @property
    def backdrop(self) -> str:
        """What is behind the figure."""
        return self._backdrops[self.backdrop_choice.currentIndex()][0]

    @property
    def theme(self) -> str:
        """Name of the theme."""
        return list(THEMES)[self.theme_choice.currentIndex()]

    @property
    def _moving(self) -> bool:
        """Whether it is a movie, and no series of pictures."""
        return self.suffix in MOVIES

    @property
    def _can_be_clear(self) -> bool:
        return not self._moving or MOVIES[self.suffix].clear

    def _show_backdrops(self, chosen: str) -> None:
        """Offer what this kind of file can have behind the figure."""
        suits = [(name, text) for name, text in BACKDROPS if name not in CLEAR or self._can_be_clear]
        self._backdrops = suits
        self.backdrop_choice.show_rows(suits, chosen if chosen in dict(suits) else STAGE)

    def _take_kind(self, _key: str = "") -> None:
        self._show_backdrops(self.backdrop)
        self._set_size(self.wishes.sizes[self.kind])
        suits = movie_rate(Path("x" + self.suffix), self.sequence.fps) if self._moving else self.sequence.fps
        self.rate.set_value(min(suits, 240.0))
        self._show()

    def _take_size(self, key: object) -> None:
        if isinstance(key, tuple):
            self._set_size(key)
            self._show()

    def _set_size(self, size: tuple[int, int]) -> None:
        self.width_field.set_value(size[0])
        self.height_field.set_value(size[1])

    def words(self) -> list[str]:
        """Return what is chosen as words of the command line."""
        width, height = self.pixels
        words = ["--size", f"{width}x{height}", "--theme", self.theme, "--backdrop", self.backdrop]
        if self.frame is not None:
            words += ["--frame", str(self.frame)]
        if self.movie and not self._as_it_is():
            words += ["--frames", f"{int(self.first.value)}:{int(self.last.value)}", "--fps", repr(self.rate.value)]
        mode = self.camera_mode
        if self._moving and self.sequence.audio is not None and not self.sound.isChecked():
            words.append("--no-sound")
        if mode == SHOT:
            return [*words, "--camera", SHOT]
        if mode != ROUND or not self.camera.orthographic:
            words += ["--camera", json.dumps(self.camera.to_json())]
        if mode != AS_SHOWN:
            words.append("--fit")
        if mode == ALONG:
            words.append("--follow")
        if mode == ROUND:
            words += ["--turntable", repr(self.turn.value)]
        return words

    def _as_it_is(self) -> bool:
        """Whether frames and rate are those that the sequence and the kind of file have anyway."""
        suits = movie_rate(Path("x" + self.suffix), self.sequence.fps) if self._moving else None
        return self.rate.value == suits and (self.first.value, self.last.value) == self._whole

    def shot(self) -> Shot:
        """Return the shot that is chosen.

        Raises:
            ExportError: If it cannot be.
        """
        mode, chosen = self.camera_mode, self.movie and not self._as_it_is()
        path = Path("x" + self.suffix)
        if missing := (missing_packages(path) if self._moving else ""):
            raise ExportError(missing)
        if self.kind == GIF and self.rate.value > 50.0:
            raise ExportError("a GIF can have at most 50 frames per second")
        return planned_shot(
            self.sequence.skeleton, self.sequence, path,
            frames=(int(self.first.value), int(self.last.value)) if chosen else None,
            fps=self.rate.value if chosen else None, size=self.pixels, frame=self.frame, recording=self.recording,
            backdrop=self.backdrop,
            camera=None if mode == SHOT or (mode == ROUND and self.camera.orthographic) else self.camera,
            turntable=self.turn.value if mode == ROUND else None, follow=mode == ALONG,
            fit=mode not in (AS_SHOWN, SHOT), through=mode == SHOT,
        )  # fmt: skip

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show what the choices come to, or why they cannot be."""
        self.turn.setVisible(self.camera_mode == ROUND)
        self.sound.setEnabled(self._moving and MOVIES[self.suffix].sound)
        sizes = [(size, f"{size[0]} × {size[1]}") for size in SIZES]
        self.size_choice.show_rows([*sizes, ("own", "Other")], self.pixels if self.pixels in SIZES else "own")
        try:
            shot = self.shot()
        except ExportError as error:
            self.remark.setProperty("quiet", False)
            self.refuse(error)
            return
        width, height = shot.size
        text = f"{width} × {height}"
        if len(shot) > 1:
            pictures = f"{len(shot)} pictures"
            text += f", {pictures}" + (f", {len(shot) / shot.rate:.2f} s" if self.kind != SERIES else "")
            if shot.closes:
                first, last = int(self.first.value), int(self.last.value)
                text += f"\nA loop: frame {last} is frame {first} again and is left out"
        self.remark.setProperty("quiet", True)
        self.allow(text)

    @guarded
    def accept(self) -> None:
        """Close, and remember what was chosen."""
        self.wishes.sizes[self.kind], self.wishes.backdrop = self.pixels, self.backdrop
        if self.movie:
            self.wishes.kind, self.wishes.camera = self.kind, self.camera_mode
            self.wishes.turn, self.wishes.sound = self.turn.value, self.sound.isChecked()
        super().accept()
