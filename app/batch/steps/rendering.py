"""``render``: the clip as a picture or a movie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from app.batch.steps.step import Clip, Step, read_folder, result_path
from app.batch.table import Table
from core.errors import CoreError
from core.progress import Progress

PICTURE = ".png"
VIEWS = ("perspective", "front", "side", "top")
THEMES = ("dark", "light")
BACKDROPS = ("stage", "studio", "transparent", "shadow")
_SMALLEST, _LARGEST = 16, 8192


@dataclass(frozen=True)
class Render(Step):
    """What is drawn, and how; None for what suits the motion and the kind of file."""

    do: ClassVar[str] = "render"
    about: ClassVar[str] = (
        "draws a picture or movie; format (png, mp4, gif, mov, webm; needed), folder, frame, size ([width, height]), "
        "view, theme, backdrop, follow, turntable (s), fps"
    )
    suffix: str = PICTURE
    folder: str = ""
    frame: int | None = None
    size: tuple[int, int] | None = None
    view: str = VIEWS[0]
    theme: str = THEMES[0]
    backdrop: str = BACKDROPS[0]
    follow: bool = False
    turntable: float | None = None
    fps: float | None = None

    @classmethod
    def read(cls, table: Table) -> Render:
        """Return the step that a table describes."""
        from app.export import MOVIES, missing_packages

        known = [PICTURE[1:], *(suffix[1:] for suffix in MOVIES)]
        format = table.choice("format", known)
        if "format" not in table.values:
            table.problem("format", f'is missing; expected one of {", ".join(known)}, as in format = "png"')
        suffix = f".{format or PICTURE[1:]}"
        missing = missing_packages(Path(f"clip{suffix}")) if suffix in MOVIES else ""
        if missing:
            table.problem("format", missing)
        if suffix != PICTURE and "frame" in table.values:
            table.problem("frame", f'goes with format = "png"; a {suffix} movie shows all frames')
        return cls(
            suffix, read_folder(table), table.whole("frame"), _size(table), table.choice("view", VIEWS, VIEWS[0]) or "",
            table.choice("theme", THEMES, THEMES[0]) or "", table.choice("backdrop", BACKDROPS, BACKDROPS[0]) or "",
            table.flag("follow", False), table.number("turntable", None, 0.1, 3600.0, "seconds"),
            table.number("fps", None, 0.1, 240.0, "pictures a second"),
        )  # fmt: skip

    def results(self, name: str) -> tuple[Path, ...]:
        """Return the file that it writes."""
        return (result_path(name, self.suffix, self.folder),)

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Draw the clip's first motion, with the other figures beside it."""
        from app.export import write_movie, write_picture
        from app.export.plan import planned_shot
        from app.render.lights import kept_lights
        from core.errors import DynamicsError
        from core.preview.secondary_motion import with_figures
        from core.preview.settings import PhysicsSettings

        project = clip.project
        if not project.figures:
            raise CoreError("there is no figure in it")
        sequence = project.sequences[0] if project.sequences else None
        figure = project.figures[0] if sequence is None else sequence.skeleton
        others = {id(each.skeleton): (each.skeleton, each) for each in reversed(project.sequences)}
        others.pop(id(figure), None)
        physics = None
        if project.physics:
            try:
                physics = PhysicsSettings.from_record(project.physics)
                physics = with_figures(physics, project.figures[0].name) if physics.strands else physics
            except DynamicsError as error:
                clip.warnings.append(f"the physics settings are not drawn: {error}")
        result = self.results(clip.name)[0]
        path = clip.place(result)
        shot = planned_shot(
            figure, sequence, path, frame=self.frame, fps=self.fps, size=self.size, theme=self.theme, view=self.view,
            turntable=self.turntable, follow=self.follow, physics=physics, others=tuple(others.values()),
            backdrop=self.backdrop,
        )  # fmt: skip
        shot.lights = kept_lights(project.view)
        if self.suffix == PICTURE:
            write_picture(next(shot.pictures()), path)
        else:
            samples = shot.samples() if self.suffix == ".gif" else ()
            sound = None if self.suffix == ".gif" else shot.sound()
            write_movie(shot.pictures(), path, shot.rate, shot.size, progress, len(shot), samples, shot.clear, sound)
        clip.written.append(result)


def _size(table: Table) -> tuple[int, int] | None:
    value = table.get("size")
    if value is None:
        return None
    fine = isinstance(value, list) and len(value) == 2
    if not fine or not all(type(each) is int and _SMALLEST <= each <= _LARGEST for each in value):
        table.problem("size", f"{value} is not right; expected [width, height], each {_SMALLEST} to {_LARGEST} pixels")
        return None
    return value[0], value[1]
