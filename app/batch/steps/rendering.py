"""``render``: the clip as a picture or a movie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from app.batch.steps.step import Clip, Step, StepError, by_keys, read_folder, result_path
from app.batch.toml_table import Table
from app.words.picture_words import BACKDROPS, LARGEST, SMALLEST, THEMES, VIEWS
from core.progress import Progress

PICTURE = ".png"


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

    def settings(self) -> dict[str, Any]:
        """Return how it is set, by the keys that files have."""
        return by_keys(self, suffix="format") | {"format": self.suffix[1:]}

    def results(self, name: str) -> tuple[Path, ...]:
        """Return the file that it writes."""
        return (result_path(name, self.suffix, self.folder),)

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Draw the clip's first motion, with the other figures beside it."""
        from app.export import MOVIES
        from app.export.of_project import drawn_physics, other_figures, write_shot
        from app.export.plan import planned_shot
        from app.render.lights import kept_lights

        project = clip.project
        if not project.figures:
            raise StepError("there is no figure in it")
        sequence = project.sequences[0] if project.sequences else None
        figure = project.figures[0] if sequence is None else sequence.skeleton
        physics, wrong = drawn_physics(project)
        if wrong:
            clip.warnings.append(wrong)
        result = self.results(clip.name)[0]
        path = clip.place(result)
        shot = planned_shot(
            figure, sequence, path, frame=self.frame, fps=self.fps, size=self.size, theme=self.theme, view=self.view,
            turntable=self.turntable, follow=self.follow, physics=physics, others=other_figures(project, figure),
            backdrop=self.backdrop,
        )  # fmt: skip
        shot.lights = kept_lights(project.view)
        sound = shot.sound() if self.suffix in MOVIES and MOVIES[self.suffix].sound else None
        write_shot(shot, path, progress, sound)
        clip.written.append(result)


def _size(table: Table) -> tuple[int, int] | None:
    value = table.get("size")
    if value is None:
        return None
    fine = isinstance(value, list) and len(value) == 2
    if not fine or not all(type(each) is int and SMALLEST <= each <= LARGEST for each in value):
        table.problem("size", f"{value} is not right; expected [width, height], each {SMALLEST} to {LARGEST} pixels")
        return None
    return value[0], value[1]
