"""One renderer for all views, made when the first picture is needed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QImage

from app.look.theme import Theme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.render.camera import Camera
    from app.render.picture import Picture
    from core.skeleton import Skeleton

log = logging.getLogger(__name__)


class Draws(Protocol):
    """What the views need of a renderer."""

    def set_figure(self, skeleton: Skeleton | None) -> None:
        """Take the figure to draw."""

    def render(
        self,
        camera: Camera,
        picture: Picture,
        width: int,
        height: int,
        theme: Theme,
        samples: int = 0,
        *,
        bgra: bool = False,
    ) -> NDArray[np.uint8]:
        """Draw one picture, shape (height, width, 4), top row first."""


def as_image(pixels: NDArray[np.uint8], ratio: float) -> QImage:
    """Return BGRA pixels as an image of the given device pixel ratio; it is only a view, so keep the pixels."""
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    return image


class RenderService:
    """Owns the renderer and says how much it may be asked for.

    Args:
        renderer: A renderer to use; None makes the real one at first use.
        software: Whether drawing is slow (no graphics hardware); None asks the graphics driver.

    Attributes:
        failure: Why nothing can be drawn, or "".
    """

    def __init__(self, renderer: Draws | None = None, software: bool | None = None):
        self._renderer = renderer
        self._software = software
        self.failure = ""

    @property
    def software(self) -> bool:
        """Whether pictures are drawn by the processor, so that a moving one must do without multisampling."""
        if self._software is None:
            self._open()
        return bool(self._software)

    def _open(self) -> Draws | None:
        if self._renderer is None and not self.failure:
            try:
                from app.render import context
                from app.render.renderer import Renderer

                current = context.acquire()
                self._renderer = Renderer(current)
                if self._software is None:
                    self._software = current.software
            except Exception as error:  # any driver may fail in its own way; the editor must still open
                log.exception("no renderer")
                self.failure = str(error) or type(error).__name__
                self._software = True
        elif self._software is None:
            self._software = True
        return self._renderer

    def draw(
        self,
        skeleton: Skeleton | None,
        camera: Camera,
        picture: Picture,
        width: int,
        height: int,
        theme: Theme,
        samples: int,
    ) -> NDArray[np.uint8] | None:
        """Draw one picture.

        Args:
            skeleton: The figure in the picture, or None for the empty scene.
            camera: From where.
            picture: What.
            width: Width, device pixels.
            height: Height, device pixels.
            theme: The colours.
            samples: Samples a pixel; 0 for the fastest.

        Returns:
            BGRA pixels, shape (height, width, 4), top row first, or None if nothing can be drawn (see ``failure``).
        """
        renderer = self._open()
        if renderer is None:
            return None
        from app.render.context import GraphicsError

        try:
            renderer.set_figure(skeleton)
            return renderer.render(camera, picture, width, height, theme, samples, bgra=True)
        except GraphicsError as error:  # a driver that gives up must not take the window with it
            log.exception("no picture")
            self.failure, self._renderer = str(error), None
            return None

    def dispose(self) -> None:
        """Free what the graphics driver holds; a later picture makes the renderer again."""
        renderer, self._renderer, self._figure = self._renderer, None, None
        if renderer is not None and hasattr(renderer, "dispose"):
            renderer.dispose()
