"""What the five views have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from app.marks.ellipsoid_overlay import EllipsoidOverlay
from app.render.camera import KINDS, Camera, CameraError
from app.render.service import RenderService
from app.scene.scene import Scene
from app.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from app.document.document import Document

TITLES = {"front": "Front", "side": "Side", "top": "Top", "perspective": "Perspective"}
ORDER = ("front", "side", "top", "perspective")
"""The views from the top of the column down."""


class ShotFrame(Protocol):
    """What looks through the shot's camera, as ``app.views.shot_view`` has it."""

    @property
    def on(self) -> bool:
        """Whether it does."""

    @property
    def share(self) -> float:
        """How much of the view's height the movie's picture takes."""

    def words(self) -> str:
        """Return what is looked through."""


class Host:
    """One scene, one renderer, one set of tools and one camera a kind for all views.

    Args:
        document: The open document.
        service: The renderer.

    Attributes:
        shot: What looks through the shot's camera.
        interacting: Whether the picture moves just now, so that speed counts more than smooth edges.
        reduced_motion: Whether nothing may glide or fade.
    """

    def __init__(self, document: Document, service: RenderService):
        self.document = document
        self.service = service
        self.scene = Scene(document)
        self.toolbox = Toolbox(document, self.scene)
        self.ellipsoid = EllipsoidOverlay(self.scene)
        self.cameras: dict[str, Camera] = {kind: Camera(kind) for kind in KINDS}
        self.shot: ShotFrame | None = None
        self.interacting = False
        self.reduced_motion = False

    @property
    def samples(self) -> int:
        """Samples a pixel that a picture may cost now."""
        return 0 if self.interacting and self.service.software else 4

    def cameras_to_json(self) -> dict[str, object]:
        """Return the cameras as JSON values."""
        return {kind: camera.to_json() for kind, camera in self.cameras.items()}

    def take_cameras(self, record: object) -> None:
        """Take cameras back that ``cameras_to_json`` wrote; what makes no sense is passed over."""
        if not isinstance(record, dict):
            return
        for kind in KINDS:
            try:
                camera = Camera.from_json(record[kind])
            except (CameraError, KeyError, TypeError, AttributeError):
                continue
            if camera.kind == kind:
                self.cameras[kind] = camera

    def follow(self, before: np.ndarray) -> None:
        """Move the cameras along with the figure's root, so that it keeps its place in the views.

        Args:
            before: Where the root was when the views showed it last, shape (3,), [m].
        """
        if self.scene.skeleton is None:
            return
        moved = self.scene.poses[0, :3, 3] - before
        for camera in self.cameras.values():
            x, y, z = np.asarray(camera.target) + moved
            camera.target = (float(x), float(y), float(z))
