"""The renderer: draws a picture of a figure into its own framebuffer and reads it back.

What does not change from one frame to the next is kept: sky and ground with the grid while the camera rests, the ghosts
while they and the camera rest, the shadow while the pose rests. The framebuffer's first row is the top of the picture,
so nothing is flipped on the way back.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Mapping
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.colors import theme_named
from app.render.context import Context, acquire
from app.render.drawn_figure import DrawnFigure
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.passes.ghost_layers import COARSE, GhostLayers
from app.render.passes.key_shadow import FINE, KeyShadow, map_size
from app.render.passes.outlines import draw_outlines
from app.render.passes.physics_layer import PhysicsLayer
from app.render.passes.solid_layer import Caster, SolidLayer
from app.render.passes.surroundings import Surroundings
from app.render.picture import Picture
from app.render.programs import Program
from app.render.targets import Target, TargetStore
from core.errors import PoseError
from core.skeleton.skeleton import Skeleton

Image = NDArray[np.uint8]
Array = NDArray[np.float64]

_FIGURES_KEPT = 8
# Where the processor draws, a frame's time goes by its triangles. The figure and its ghosts are drawn coarsely while
# the coarse triangles cover no more pixels than this, and triangles smaller than the last two are lit at their corners.
_COARSE_FIGURE, _LIT_AT_VERTEX, _LIT_AT_VERTEX_MOVING = COARSE, 4.0, 16.0
_ROUNDED = 1.0  # pixels are smaller than so many times what the rounded surface leaves the fine triangles by


@lru_cache(maxsize=16)
def _lights(basis: bytes) -> tuple[Array, Array]:
    """Return the unit directions to the fill and the rim light of a camera's basis, read-only."""
    right, up, back = np.frombuffer(basis).reshape(3, 3)
    fill, rim = 0.85 * right + 0.15 * up + 0.55 * back, 0.55 * right + 0.55 * up - 0.85 * back
    fill, rim = fill / np.linalg.norm(fill), rim / np.linalg.norm(rim)
    for light in (fill, rim):
        light.setflags(write=False)
    return fill, rim


class Renderer:
    """Draws figures; keeps one set of buffers for all views of a window.

    Args:
        context: Where to draw; None takes the context of the process.
        fine: Whether there is time for shadows with sharp edges, as in exported pictures.

    Attributes:
        context: The OpenGL context.
        software: Whether the processor draws; then views ask for samples only when nothing moves.

    Raises:
        GraphicsError: If there is no OpenGL, or a shader does not compile.
    """

    def __init__(self, context: Context | None = None, fine: bool = False):
        self.context = context if context is not None else acquire()
        self.software = self.context.software
        self._figures: OrderedDict[Skeleton, DrawnFigure] = OrderedDict()
        self._figure: DrawnFigure | None = None
        self._programs: dict[tuple[str, ...], Program] = {}
        self._frames = TargetStore(8, depth=True)
        self._ghosts = GhostLayers(self.software, self._program, self._level)
        self._physics: PhysicsLayer | None = None
        self._disposed = self._loose = False
        self._fine = fine
        with self.context.current():
            self._behind, self._solids = Surroundings(), SolidLayer(self._drawn)
            self._key_shadows: dict[int, KeyShadow] = {}
            self._key_shadow: KeyShadow | None = None
            self._empty_array = int(GL.glGenVertexArrays(1))

    @property
    def skeleton(self) -> Skeleton | None:
        """The figure that is drawn."""
        return self._figure.skeleton if self._figure else None

    def set_figure(self, skeleton: Skeleton | None) -> None:
        """Choose the figure to draw; the last few figures stay uploaded.

        Args:
            skeleton: The figure, or None to draw the empty scene.
        """
        if skeleton is self.skeleton:
            return
        if skeleton is None:
            self._figure = None
            return
        with self.context.current():
            self._solids.forget()  # one that was among them is uploaded as the figure now
            self._figure = self._drawn(skeleton)

    def _drawn(self, skeleton: Skeleton, beside: Collection[Skeleton] = ()) -> DrawnFigure:
        """Return a figure's buffers, kept from before or uploaded now; the context must be current.

        Args:
            skeleton: The figure.
            beside: What is drawn in the same picture, and stays uploaded as well.
        """
        found = self._figures.get(skeleton)
        if found is None:
            self._solids.forget()  # what is taken away below may be one of them
            found = self._figures[skeleton] = DrawnFigure(skeleton)
            needed = {skeleton, *beside, *(() if self._figure is None else (self._figure.skeleton,))}
            spare = [known for known in self._figures if known not in needed]
            for known in spare[: max(0, len(self._figures) - _FIGURES_KEPT)]:
                self._figures.pop(known).buffer.dispose()
        self._figures.move_to_end(skeleton)
        return found

    def bounds(self, poses: Array) -> tuple[Array, Array]:
        """Return the lowest and the highest corner of the posed figure, each of shape (3,), [m].

        They come from the coarse hulls of the segments, so a rounding may stick out by some millimetres.

        Args:
            poses: Joint frames in the world, shape (n_joints, 4, 4).

        Raises:
            PoseError: If no figure is set that has something to draw.
        """
        placed = self.hull_points(poses)
        return placed.min(axis=0), placed.max(axis=0)

    def hull_points(self, poses: Array) -> Array:
        """Return points that the posed figure lies among, shape (n, 3), [m]; see ``bounds``."""
        if self._figure is None or not len(self._figure.drawn):
            raise PoseError("there is no figure to bound; set one with a body first")
        return self._figure.hull_points(poses)

    # -- one frame -----------------------------------------------------------------------------------------------

    def render(
        self,
        camera: Camera,
        picture: Picture,
        width: int,
        height: int,
        theme: Theme | str,
        samples: int = 0,
        out: Image | None = None,
        bgra: bool = False,
    ) -> Image:
        """Draw a picture and read it back.

        Args:
            camera: Where from.
            picture: What; its poses belong to the skeleton of :meth:`set_figure`.
            width: Of the picture, in device pixels.
            height: Of the picture, in device pixels.
            theme: Colours, or the name of a theme.
            samples: Samples a pixel; 0 or 4 (fewer if the driver has fewer).
            out: Array to write into, shape (height, width, 4), uint8, C order; None makes a new one.
            bgra: Byte order blue, green, red, alpha: QImage's RGB32 on little-endian machines, faster to paint.

        Returns:
            Shape (height, width, 4), uint8, top row first; premultiplied alpha, 255 wherever there is background.

        Raises:
            GraphicsError: If the driver fails.
            PoseError: If the poses do not fit the skeleton or are not finite.
        """
        theme = theme_named(theme)
        width, height = max(int(width), 1), max(int(height), 1)
        if out is None:
            out = np.empty((height, width, 4), dtype=np.uint8)
        if out.shape != (height, width, 4) or out.dtype != np.uint8 or not out.flags.c_contiguous:
            raise ValueError(
                f"out must be uint8 of shape {(height, width, 4)} in C order; it is {out.dtype} {out.shape}"
            )
        figure = self._checked_figure(picture)
        self._loose, self._key_shadow = picture.loose, None
        with self.context.current():
            samples = min(samples, self.context.max_samples)
            self._reset_state()
            frame = self._target(self._frames, (width, height, samples), width, height, samples)
            flipped = camera.view_projection(width / height)
            flipped[1] *= -1.0
            view = FrameView(camera, picture, width, height, theme, samples, flipped)
            bounds = None
            if figure is not None and picture.poses is not None:
                self._upload(figure, picture, theme)
                spheres = figure.spheres(picture.poses)
                key = (figure.skeleton, picture.poses.tobytes())
                if not picture.silhouette:
                    self._cast_key_shadow(view, figure, key, *spheres)
                if self._behind.shadowed(view):
                    casters = [Caster(figure, picture.poses), *self._solids.ready(picture.solids, theme)]
                    self._behind.cast(view, casters, self._program)
                if picture.ghosts:
                    ghosts, bounds = self._ghosts.layer(view, figure, frame)
            self._behind.fill(view, frame, figure is not None and picture.poses is not None)
            if bounds is not None:
                self._ghosts.lay_over(ghosts, bounds)  # behind all that is there now
            if picture.solids:
                self._solids.draw(picture.solids, theme, partial(self._begin_body, view))
            if figure is not None and picture.poses is not None:
                level = self._draw_figure(view, figure, picture.poses)
                draw_outlines(view, figure, frame, level, self._program)
            if picture.physics is not None:
                self._physics = self._physics or PhysicsLayer()
                self._physics.draw(view, picture.physics)
            if samples:
                resolved = self._target(self._frames, (width, height, 0), width, height, 0)
                frame.copy_to(resolved)
                frame = resolved
            GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, frame.framebuffer)
            GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 4)
            order = GL.GL_BGRA if bgra else GL.GL_RGBA
            GL.glReadPixels(0, 0, width, height, order, GL.GL_UNSIGNED_BYTE, out)
            GL.glBindVertexArray(0)
        return out

    def _reset_state(self) -> None:
        """Start from a known state, also after a frame that an error cut short."""
        GL.glBindVertexArray(self._empty_array)
        for switch in (GL.GL_DEPTH_TEST, GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_SCISSOR_TEST, GL.GL_STENCIL_TEST):
            GL.glDisable(switch)
        GL.glColorMask(True, True, True, True)
        GL.glDepthFunc(GL.GL_LESS)
        GL.glStencilMask(0xFF)
        GL.glFrontFace(GL.GL_CW)  # the picture is drawn upside down

    def _checked_figure(self, picture: Picture) -> DrawnFigure | None:
        figure = self._figure
        if figure is not None:
            wanted = (len(figure.skeleton.joints), 4, 4)
            for poses in (picture.poses, *(ghost[0] for ghost in picture.ghosts)):
                if poses is not None and poses.shape != wanted:
                    raise PoseError(f'poses have shape {poses.shape}; skeleton "{figure.skeleton.name}" needs {wanted}')
                if poses is not None and not np.isfinite(poses).all():
                    raise PoseError(f'poses of skeleton "{figure.skeleton.name}" hold a value that is not finite')
            if not len(figure.drawn):
                return None
        return figure

    def _target(self, store: TargetStore, key: object, width: int, height: int, samples: int) -> Target:
        return store.get(key) or store.add(key, width, height, samples)

    def _program(self, vertex: str, fragment: str, *defines: str, figure: DrawnFigure | None = None) -> Program:
        figure = figure or self._figure
        words = defines
        if figure is not None and vertex != "screen.vert":
            words += tuple(word for word in figure.buffer.words if not (self._loose and word.startswith("INFLUENCES")))
        program = self._programs.get((vertex, fragment, *words))
        if program is None:
            program = self._programs[(vertex, fragment, *words)] = Program(vertex, fragment, words)
        return program

    # -- its parts -----------------------------------------------------------------------------------------------

    def _upload(self, figure: DrawnFigure, picture: Picture, theme: Theme) -> None:
        """Put the frames and colours of the figure and of its ghosts into the palette."""
        assert picture.poses is not None
        colours = figure.colours(theme, picture.chain, picture.helping, picture.helping_token)
        if picture.physics is not None and picture.physics.tints is not None:
            tints = picture.physics.tints
            colours = colours.copy()
            colours[:, :3] += tints[:, 3:] * (tints[:, :3] - colours[:, :3])
        rows = [figure.buffer.instance(figure.palette(picture.poses), colours)]
        rows += [figure.ghost_rows(theme, ghost) for ghost in picture.ghosts]
        figure.buffer.set_palette(np.array(rows))

    def _cast_key_shadow(self, view: FrameView, figure: DrawnFigure, key: object, centers: Array, radii: Array) -> None:
        """Draw what the figure's parts keep of the key light from each other, as finely as the view shows it."""
        pixel = view.camera.pixel_size(view.height) if self._still(view) else math.inf
        lights = view.picture.lights
        size = map_size(centers, radii, pixel, self._fine, lights)
        shadow = self._key_shadows.get(size)
        if shadow is None:
            shadow = self._key_shadows[size] = KeyShadow(size)
        level = 2 if size == FINE else int(self.software and figure.heavy)
        cast = self._program("key_shadow.vert", "depth.frag")
        shadow.update((key, lights), figure.buffer, cast, centers, radii, level, lights)
        self._key_shadow = shadow

    def _still(self, view: FrameView) -> bool:
        """Whether there is time for what shows only from near by."""
        return view.samples > 0 or not self.software

    def _level(
        self, view: FrameView, figure: DrawnFigure, poses: Array, limit: float, beside: bool = False
    ) -> tuple[int, float]:
        """Return whether the figure is drawn fine (0) or coarsely (1), and how many pixels a triangle then covers."""
        pixel = (view.least_pixel_size if beside else view.pixel_size)(figure, poses) ** 2
        fine, coarse = (area / pixel for area in figure.triangle_areas)
        return (1, coarse) if self.software and coarse < limit else (0, fine)

    def _begin(self, view: FrameView, figure: DrawnFigure, how: tuple[str, ...]) -> Program:
        """Take into use what draws a figure, lit or as a silhouette."""
        fill, rim = _lights(view.camera.basis.tobytes())
        shadow: Mapping[str, ArrayLike] = {}
        if view.picture.silhouette:
            how = ("SILHOUETTE",)
        elif self._key_shadow is not None:
            how += ("SHADOWED",) if view.samples or not self.software else ("SHADOWED", "QUICK")
            self._key_shadow.bind_texture()
            shadow = self._key_shadow.uniforms
        program = self._program("figure.vert", "figure.frag", *how, figure=figure)
        program.use()
        program.set(joint_count=figure.buffer.n_joints, first_instance=0)
        if program not in view.begun:
            view.begun.add(program)
            program.set(
                palette=0, view_projection=view.view_projection, eye=view.eye, key=view.picture.lights.direction,
                fill=fill, rim=rim, strengths=view.picture.lights.strengths,
                **shadow,
            )  # fmt: skip
        return program

    def _begin_body(
        self, view: FrameView, figure: DrawnFigure, poses: Array, lives: bool = True
    ) -> tuple[Program, int]:
        """Take into use what draws a body, a figure as finely as it is seen; return that, and the level to draw at."""
        if not lives:
            return self._begin(view, figure, ()), 0
        beside = figure is not self._figure
        level, size = self._level(view, figure, poses, _COARSE_FIGURE, beside)
        if level == 0 and view.camera.pixel_size(view.height) < _ROUNDED * figure.bulge and self._still(view):
            level = 2
        tiny = size < (_LIT_AT_VERTEX if view.samples else _LIT_AT_VERTEX_MOVING)
        return self._begin(view, figure, ("AT_VERTEX",) if self.software and tiny else ()), level

    def _draw_figure(self, view: FrameView, figure: DrawnFigure, poses: Array) -> int:
        """Draw the figure and return at which level."""
        _, level = self._begin_body(view, figure, poses)
        figure.buffer.bind()
        draw = figure.buffer.draw if self._loose else figure.buffer.draw_skin
        GL.glEnable(GL.GL_DEPTH_TEST)
        if view.picture.body < 1.0:  # depths first, so that what is behind is seen through one surface only
            GL.glColorMask(False, False, False, False)
            draw(level)
            GL.glColorMask(True, True, True, True)
            GL.glDepthFunc(GL.GL_LEQUAL)
            GL.glEnable(GL.GL_BLEND)
            GL.glBlendColor(0.0, 0.0, 0.0, view.picture.body)
            GL.glBlendFunc(GL.GL_CONSTANT_ALPHA, GL.GL_ONE_MINUS_CONSTANT_ALPHA)
        draw(level)
        GL.glDisable(GL.GL_BLEND)
        GL.glDepthFunc(GL.GL_LESS)
        GL.glDisable(GL.GL_DEPTH_TEST)
        return level

    # -- the end -------------------------------------------------------------------------------------------------

    def dispose(self) -> None:
        """Free everything on the graphics side; the renderer cannot be used afterwards."""
        if self._disposed:
            return
        self._disposed = True
        with self.context.current():
            for figure in self._figures.values():
                figure.buffer.dispose()
            for store in (self._frames, self._ghosts):
                store.dispose()
            for program in self._programs.values():
                program.dispose()
            GL.glUseProgram(0)  # the one in use would only be marked
            self._behind.dispose()
            for shadow in self._key_shadows.values():
                shadow.dispose()
            if self._physics is not None:
                self._physics.dispose()
            GL.glDeleteVertexArrays(1, [self._empty_array])
        self._figures.clear()
        self._programs.clear()
        self._figure = None
