"""A web page that plays a motion: one ``.html`` file with figures, motion and viewer, which needs no network.

The page holds the scene as binary glTF and draws it with three.js. Names from the project are data in it, never code.
"""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path

from core.errors import CoreError, FormatError, Problem
from core.formats.exchange.baking import scene_of
from core.formats.files import write_bytes
from core.formats.gltf.writer import gltf_bytes
from core.formats.project import Project
from core.progress import Progress, part, report


def web_folder() -> Path:
    """Return the folder of the viewer; it lies beside ``core`` in a checkout and in a wheel alike."""
    return Path(__file__).resolve().parents[2] / "resources" / "web"


def save_page(project: Project, path: Path, *, title: str | None = None, progress: Progress | None = None) -> None:
    """Write the figures of a project and all their sequences, baked at their rates, as a page for a browser.

    Args:
        project: What is shown.
        path: The file.
        title: What the page is called; None takes the name of the file.
        progress: Told what is done, 0 to 1; it may raise ``core.errors.Cancelled`` to stop.

    Raises:
        FormatError: If a package is missing, the project has no figure, or the file cannot be written.
    """
    try:
        scene = scene_of(project, path.name, part(progress, 0.0, 0.8))
        scene.record = None  # what only our own reader needs; the page does not
        glb = gltf_bytes(scene, binary=True, file=path.name, progress=part(progress, 0.8, 0.95))
        clips = [{"name": clip.name, "fps": clip.fps, "count": clip.count} for clip in scene.clips]
        still = [{"name": "Pose", "fps": 1.0, "count": 1}]
        data = {
            "glb": base64.b64encode(glb).decode("ascii"), "clips": clips or still, "ground": scene.ground,
            "figures": scene.figures, "floor": _floor(project),
        }  # fmt: skip
        write_bytes(path, _page(title or path.stem, data).encode("utf-8"))
    except FormatError:
        raise
    except (CoreError, OSError) as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None
    report(progress, 1.0)


def _floor(project: Project) -> dict[str, object]:
    """Return where the floor is drawn: height and normal."""
    from core.dynamics.contact.world import Floor  # here, as the window starts without it
    from core.preview.settings import PhysicsSettings

    floor = PhysicsSettings.from_record(project.physics).floor or Floor()
    return {"height": floor.height, "normal": floor.normal.tolist()}


def _page(title: str, data: object) -> str:
    """Return the page; no text of the project can end the element that it stands in."""
    folder = web_folder()
    values = {
        "TITLE": html.escape(title),
        "DATA": json.dumps(data).replace("<", "\\u003c"),
        "LICENCE": (folder / "three.LICENSE.txt").read_text("utf-8").strip(),
        "THREE": (folder / "three.min.js").read_text("utf-8"),
        "VIEWER": (folder / "viewer.js").read_text("utf-8"),
    }
    page = (folder / "page.html").read_text("utf-8")
    return re.sub("@(" + "|".join(values) + ")@", lambda found: values[found[1]], page)
