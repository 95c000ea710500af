"""What a picture of a file shows beside its first figure, and the file that comes of a shot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.export.movie import write_movie
from app.export.png import write_picture
from core.animation import Sequence
from core.errors import DynamicsError
from core.formats import Project
from core.skeleton import Skeleton

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.export.movie import Progress
    from app.export.shot import Shot
    from core.preview.settings import PhysicsSettings


def drawn_physics(project: Project) -> tuple[PhysicsSettings | None, str]:
    """Return a file's settings of physics, whose world is drawn, None if it has none; and what is wrong with them.

    What is wrong is one line, "" if nothing is.
    """
    if not project.physics:
        return None, ""
    from core.preview.secondary_motion import with_figures
    from core.preview.settings import PhysicsSettings  # they know all shapes that touch

    try:
        settings = PhysicsSettings.from_record(project.physics)
    except DynamicsError as error:
        return None, f"the physics settings are ignored: {error}"
    wrong = settings.ground_problem
    return with_figures(settings, project.figures[0].name) if settings.strands else settings, wrong


def other_figures(project: Project, figure: Skeleton) -> tuple[tuple[Skeleton, Sequence], ...]:
    """Return the figures of a file beside one of them that have a motion, and of each the first."""
    found: dict[int, tuple[Skeleton, Sequence]] = {}
    for each in project.sequences:
        if each.skeleton is not figure:
            found.setdefault(id(each.skeleton), (each.skeleton, each))
    return tuple(found.values())


def write_shot(
    shot: Shot, path: Path, progress: Progress | None = None, sound: NDArray[np.float32] | None = None
) -> None:
    """Write a shot as a picture or a movie, as the suffix says.

    Args:
        shot: The shot.
        path: Where to; a ``.png`` shows its first picture.
        progress: Told what is done, 0 to 1.
        sound: Of a movie.

    Raises:
        ExportError: If it cannot be written.
        GraphicsError: If there is no OpenGL.
    """
    suffix = path.suffix.lower()
    if suffix == ".png":
        write_picture(next(shot.pictures()), path)
        return
    samples = shot.samples() if suffix == ".gif" else ()
    write_movie(shot.pictures(), path, shot.rate, shot.size, progress, len(shot), samples, shot.clear, sound)
