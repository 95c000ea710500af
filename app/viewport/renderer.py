"""The renderer: draws a picture of a figure into its own framebuffer and reads it back.

What does not change from one frame to the next is kept: sky and ground with the grid while the camera rests, the ghosts
while they and the camera rest, the shadow while the pose rests. The framebuffer's first row is the top of the picture,
so nothing is flipped on the way back.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from app.theme import Theme
from app.viewport.backdrop import Backdrop
from app.viewport.camera import Camera
from app.viewport.colors import linear, srgb, theme_named
from app.viewport.context import Context, acquire
from app.viewport.figure_buffer import FigureBuffer
from app.viewport.geometry import build_geometry
from app.viewport.gl import GL
from app.viewport.picture import Picture
from app.viewport.programs import Program
from app.viewport.shadow import KEY_LIGHT, Shadow, ground_patch
from app.viewport.targets import Target, TargetStore
from core.errors import PoseError
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton

Image = NDArray[np.uint8]
Array = NDArray[np.float64]

_FIGURES_KEPT = 4
# Where the processor draws, a frame's time goes by its triangles. The figure and its ghosts are drawn coarsely while
# the coarse triangles cover no more pixels than this, and triangles smaller than the last are lit at their corners.
_COARSE_FIGURE, _COARSE_GHOST, _LIT_AT_VERTEX = 10.0, 60.0, 16.0
_DENSITY = {"dark": 0.66, "light": 0.42}
_CHAIN_TINT = 0.78
# (face on, what the rim adds) of a ghost's tint.
_GHOST, _GHOST_SMALL, _GHOST_KEYED = (0.13, 0.72), (0.06, 0.42), (0.06, 0.55)


class _Figure:
    """A figure on the graphics side, with what is needed to bound it."""

    def __init__(self, skeleton: Skeleton):
        geometry = build_geometry(skeleton, segment_mesh)
        n = len(skeleton.joints)
        self.skeleton = skeleton
        self.buffer = FigureBuffer(geometry, n)
        # A sphere round each segment, in the joint's frame.
        self.centers, self.radii = np.zeros((n, 3)), np.zeros(n)
        positions = geometry.vertices["position"].astype(np.float64)
        for i, (first, count) in enumerate(geometry.ranges[0]):
            if count:
                points = positions[geometry.indices[first : first + count]]
                self.centers[i] = 0.5 * (points.min(axis=0) + points.max(axis=0))
                self.radii[i] = np.linalg.norm(points - self.centers[i], axis=1).max()
        self.triangle_areas = [geometry.triangle_area(level) for level in (0, 1)]
        self.drawn = np.flatnonzero(geometry.ranges[0, :, 1])
        hull = np.unique(geometry.indices[geometry.hull[0] :])
        self._corners, self._owners = positions[hull], geometry.vertices["joints"][hull, 0]

    def spheres(self, poses: Array) -> tuple[Array, Array]:
        """Return centres (k, 3) in the world and radii (k,) of spheres round the segments."""
        frames = poses[self.drawn]
        centers = np.einsum("kij,kj->ki", frames[:, :3, :3], self.centers[self.drawn]) + frames[:, :3, 3]
        return centers, self.radii[self.drawn] * np.linalg.norm(frames[:, :3, :3], axis=1).max(axis=1)

    def bounds(self, poses: Array) -> tuple[Array, Array]:
        """Return lowest and highest corner of the posed figure; its hulls' corners span it."""
        frames = poses[self._owners]
        placed = np.einsum("kij,kj->ki", frames[:, :3, :3], self._corners) + frames[:, :3, 3]
        return placed.min(axis=0), placed.max(axis=0)


class Renderer:
    """Draws figures; keeps one set of buffers for all views of a window.

    Args:
        context: Where to draw; None takes the context of the process.

    Attributes:
        context: The OpenGL context.
        software: Whether the processor draws; then views ask for samples only when nothing moves.

    Raises:
        GraphicsError: If there is no OpenGL, or a shader does not compile.
    """

    def __init__(self, context: Context | None = None):
        self.context = context if context is not None else acquire()
        self.software = self.context.software
        self._figures: OrderedDict[Skeleton, _Figure] = OrderedDict()
        self._figure: _Figure | None = None
        self._programs: dict[tuple[str, ...], Program] = {}
        self._frames = TargetStore(10, depth=True)
        self._backdrops, self._ghost_layers = TargetStore(10, depth=False), TargetStore(10, depth=False)
        self._ghost_bounds: dict[object, tuple[int, int, int, int]] = {}
        self._disposed = False
        with self.context.current():
            self._backdrop, self._shadow = Backdrop(), Shadow()
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
        figure = self._figures.get(skeleton)
        if figure is None:
            with self.context.current():
                figure = self._figures[skeleton] = _Figure(skeleton)
                while len(self._figures) > _FIGURES_KEPT:
                    self._figures.popitem(last=False)[1].buffer.dispose()
        self._figures.move_to_end(skeleton)
        self._figure = figure

    def bounds(self, poses: Array) -> tuple[Array, Array]:
        """Return the lowest and the highest corner of the posed figure, each of shape (3,), [m].

        They come from the coarse hulls of the segments, so a rounding may stick out by some millimetres.

        Args:
            poses: Joint frames in the world, shape (n_joints, 4, 4).

        Raises:
            PoseError: If no figure is set that has something to draw.
        """
        if self._figure is None or not len(self._figure.drawn):
            raise PoseError("there is no figure to bound; set one with a body first")
        return self._figure.bounds(poses)

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
            PoseError: If the poses do not fit the skeleton.
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
        with self.context.current():
            samples = min(samples, self.context.max_samples)
            GL.glBindVertexArray(self._empty_array)
            GL.glDisable(GL.GL_DEPTH_TEST)
            GL.glDisable(GL.GL_CULL_FACE)
            GL.glFrontFace(GL.GL_CW)  # the picture is drawn upside down
            frame = self._target(self._frames, (width, height, samples), width, height, samples)
            flipped = camera.view_projection(width / height)
            flipped[1] *= -1.0
            view = _View(camera, picture, width, height, theme, samples, flipped)
            bounds = None
            if figure is not None and picture.poses is not None:
                self._upload(figure, picture, theme)
                if picture.background and camera.kind in ("perspective", "top") and camera.eye[1] > 0.0:
                    patch = ground_patch(*figure.spheres(picture.poses))
                    key = (figure.skeleton, picture.poses.tobytes())
                    self._shadow.update(
                        key, figure.buffer, self._program("shadow_cast.vert", "shadow_cast.frag"), patch
                    )
                if picture.ghosts:
                    ghosts, bounds = self._ghosts(view, figure, frame)
            self._surroundings(view, frame)
            if figure is not None and picture.poses is not None:
                if bounds is not None:
                    self._lay_over(ghosts, bounds)
                level = self._draw_figure(view, figure, picture.poses)
                self._outlines(view, figure, frame, level)
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

    def _checked_figure(self, picture: Picture) -> _Figure | None:
        figure = self._figure
        if figure is not None:
            wanted = (len(figure.skeleton.joints), 4, 4)
            for poses in (picture.poses, *(ghost[0] for ghost in picture.ghosts)):
                if poses is not None and poses.shape != wanted:
                    raise PoseError(f'poses have shape {poses.shape}; skeleton "{figure.skeleton.name}" needs {wanted}')
            if not len(figure.drawn):
                return None
        return figure

    def _target(self, store: TargetStore, key: object, width: int, height: int, samples: int) -> Target:
        return store.get(key) or store.add(key, width, height, samples)

    def _program(self, vertex: str, fragment: str, *defines: str) -> Program:
        figure = self._figure
        words = defines
        if figure is not None and vertex != "screen.vert":
            words += ("RIGID",) * figure.buffer.rigid + ("SOLID",) * figure.buffer.solid
        program = self._programs.get((vertex, fragment, *words))
        if program is None:
            program = self._programs[(vertex, fragment, *words)] = Program(vertex, fragment, words)
        return program

    # -- its parts -----------------------------------------------------------------------------------------------

    def _upload(self, figure: _Figure, picture: Picture, theme: Theme) -> None:
        """Put the frames and colours of the figure and of its ghosts into the palette."""
        joints = figure.skeleton.joints
        colours = np.ones((len(joints), 4), dtype=np.float32)
        colours[:, :3] = linear(srgb(theme, "body"))
        for i, joint in enumerate(joints):
            if joint.color is not None:
                colours[i, :3] = linear(joint.color)
        chain = [i for i in picture.chain if 0 <= i < len(joints)]
        colours[chain, :3] += _CHAIN_TINT * (linear(srgb(theme, "accent")) - colours[chain, :3])
        poses, tints = [picture.poses], [colours]
        for ghost in picture.ghosts:
            tint = np.empty((len(joints), 4), dtype=np.float32)
            tint[:, :3], tint[:, 3] = srgb(theme, ghost[1]), ghost[2]
            poses.append(ghost[0])
            tints.append(tint)
        figure.buffer.set_palette(poses, tints)  # type: ignore[arg-type]

    def _surroundings(self, view: _View, frame: Target) -> None:
        """Fill the frame with sky, ground, grid and shadow, and clear depth and stencil."""
        if view.picture.background:
            key = (view.camera_key, view.width, view.height, view.theme.name, view.picture.grid)
            layer = self._backdrops.get(key)
            if layer is None:
                layer = self._backdrops.add(key, view.width, view.height, 0)
                layer.bind()
                self._backdrop.draw(view.camera, view.width, view.height, view.theme, view.picture.grid)
            layer.copy_to(frame)
            frame.bind()
            GL.glClear(GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
            shadow = self._figure is not None and len(self._figure.drawn) and view.picture.poses is not None
            if shadow and view.camera.kind in ("perspective", "top") and view.camera.eye[1] > 0.0:
                density = _DENSITY[view.theme.name] * (0.4 if view.camera.kind == "top" else 1.0)
                self._shadow.draw(view.view_projection, density)
        else:
            frame.bind()
            GL.glClearColor(0.0, 0.0, 0.0, 0.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)

    def _ghosts(self, view: _View, figure: _Figure, scratch: Target) -> tuple[Target, tuple[int, int, int, int]]:
        """Return the layer with the ghosts, and the rectangle of pixels they lie in."""
        ghosts = view.picture.ghosts
        content = tuple((ghost[0].tobytes(), ghost[1], float(ghost[2])) for ghost in ghosts)
        key = (
            figure.skeleton, view.camera_key, view.width, view.height, view.samples, view.theme.name,
            view.picture.small, hash(content),
        )  # fmt: skip
        layer = self._ghost_layers.get(key)
        if layer is not None and key in self._ghost_bounds:
            return layer, self._ghost_bounds[key]
        spheres = [figure.spheres(ghost[0]) for ghost in ghosts]
        bounds = view.bounds(np.concatenate([s[0] for s in spheres]), np.concatenate([s[1] for s in spheres]))
        layer = layer or self._ghost_layers.add(key, view.width, view.height, 0)
        scratch.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 0.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        program = self._program("figure.vert", "figure.frag", "GHOST")
        program.use()
        tint = _GHOST_SMALL if view.picture.small else _GHOST
        if any(ghost[1] == "ghost_keyed" for ghost in ghosts):
            tint = _GHOST_KEYED
        program.set(
            palette=0, joint_count=figure.buffer.n_joints, first_instance=1, view_projection=view.view_projection,
            eye=view.eye, veil=srgb(view.theme, "ground_near"), tint=tint,
        )  # fmt: skip
        figure.buffer.bind()
        level = max(self._level(view, figure, ghost[0], _COARSE_GHOST)[0] for ghost in ghosts)
        figure.buffer.draw(level, len(ghosts))
        GL.glDisable(GL.GL_DEPTH_TEST)
        scratch.copy_to(layer)
        live = (
            {k for k in self._ghost_bounds if self._ghost_layers.get(k) is not None}
            if len(self._ghost_bounds) > 64
            else None
        )
        if live is not None:
            self._ghost_bounds = {k: v for k, v in self._ghost_bounds.items() if k in live}
        self._ghost_bounds[key] = bounds
        return layer, bounds

    def _lay_over(self, layer: Target, bounds: tuple[int, int, int, int]) -> None:
        program = self._program("screen.vert", "copy.frag")
        program.use()
        program.set(source=1)
        self._bind_texture(layer)
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glScissor(*bounds)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_SCISSOR_TEST)

    def _level(self, view: _View, figure: _Figure, poses: Array, limit: float) -> tuple[int, float]:
        """Return whether the figure is drawn fine (0) or coarsely (1), and how many pixels a triangle then covers."""
        pixel = view.pixel_size(figure, poses) ** 2
        fine, coarse = (area / pixel for area in figure.triangle_areas)
        return (1, coarse) if self.software and coarse < limit else (0, fine)

    def _draw_figure(self, view: _View, figure: _Figure, poses: Array) -> int:
        """Draw the figure and return at which level."""
        right, up, back = view.camera.basis
        fill, rim = 0.85 * right + 0.15 * up + 0.55 * back, 0.55 * right + 0.55 * up - 0.85 * back
        level, size = self._level(view, figure, poses, _COARSE_FIGURE)
        how: tuple[str, ...] = ("AT_VERTEX",) if self.software and size < _LIT_AT_VERTEX else ()
        if view.picture.silhouette:
            how = ("SILHOUETTE",)
        program = self._program("figure.vert", "figure.frag", *how)
        program.use()
        program.set(
            palette=0, joint_count=figure.buffer.n_joints, first_instance=0, view_projection=view.view_projection,
            eye=view.eye, key=KEY_LIGHT, fill=fill / np.linalg.norm(fill), rim=rim / np.linalg.norm(rim),
        )  # fmt: skip
        figure.buffer.bind()
        GL.glEnable(GL.GL_DEPTH_TEST)
        figure.buffer.draw(level)
        GL.glDisable(GL.GL_DEPTH_TEST)
        return level

    def _outlines(self, view: _View, figure: _Figure, frame: Target, level: int) -> None:
        """Draw a line round what can be seen of each marked set, outside of it.

        The sets are drawn once more into a mask that shares the frame's depth, so that only what can be seen gets in,
        and marked in the stencil; then the segments, slightly swollen, look for the mask around each of their pixels.
        """
        picture, scale = view.picture, 0.7 if view.picture.small else 1.0
        marks = [
            (bit, joints, token, width * scale, alpha)
            for bit, (joints, token, width, alpha) in enumerate(
                (
                    (picture.chain, "accent", 1.8, 1.0),
                    (picture.selected - picture.chain, "accent", 2.0, 1.0),
                    (picture.hover, "text", 1.5, 0.9),
                )
            )
            if joints
        ]
        if not marks:
            return
        mask, readable = frame.mask()
        mask.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 0.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        shared = {
            "palette": 0, "joint_count": figure.buffer.n_joints, "first_instance": 0,
            "view_projection": view.view_projection,
        }  # fmt: skip
        program = self._program("figure.vert", "flat.frag")
        program.use()
        program.set(**shared, paint=np.ones(4))
        figure.buffer.bind()
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glEnable(GL.GL_STENCIL_TEST)
        GL.glStencilOp(GL.GL_KEEP, GL.GL_KEEP, GL.GL_REPLACE)
        GL.glStencilFunc(GL.GL_ALWAYS, 0xFF, 0xFF)
        for bit, joints, *_ in marks:
            GL.glStencilMask(1 << bit)
            GL.glColorMask(*(k == bit for k in range(4)))
            figure.buffer.draw_joints(joints, level)
        GL.glColorMask(True, True, True, True)
        GL.glStencilMask(0xFF)
        GL.glDepthFunc(GL.GL_LESS)
        GL.glDisable(GL.GL_DEPTH_TEST)
        if readable is not mask:
            mask.copy_to(readable)

        frame.bind()
        texel = (1.0 / view.width, 1.0 / view.height)
        program = self._program("outline.vert", "outline.frag")
        program.use()
        program.set(**shared, mask=1, texel=texel, pixel=(2.0 * texel[0], 2.0 * texel[1]))
        self._bind_texture(readable)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        for bit, joints, token, width, alpha in marks:
            # A pixel is painted once: the first fragment marks it in the stencil.
            GL.glStencilMask(1 << bit)
            GL.glStencilFunc(GL.GL_NOTEQUAL, 0xFF, 1 << bit)
            channel = [float(k == bit) for k in range(4)]
            program.set(
                width=width + 1.0,
                radius=width,
                channel=channel,
                paint=np.append(alpha * srgb(view.theme, token), alpha),
            )
            figure.buffer.draw_joints(joints, level)
        GL.glStencilMask(0xFF)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_STENCIL_TEST)

    @staticmethod
    def _bind_texture(target: Target) -> None:
        GL.glActiveTexture(GL.GL_TEXTURE1)
        GL.glBindTexture(GL.GL_TEXTURE_2D, target.texture)
        GL.glActiveTexture(GL.GL_TEXTURE0)

    # -- the end -------------------------------------------------------------------------------------------------

    def dispose(self) -> None:
        """Free everything on the graphics side; the renderer cannot be used afterwards."""
        if self._disposed:
            return
        self._disposed = True
        with self.context.current():
            for figure in self._figures.values():
                figure.buffer.dispose()
            for store in (self._frames, self._backdrops, self._ghost_layers):
                store.dispose()
            for program in self._programs.values():
                program.dispose()
            self._backdrop.dispose()
            self._shadow.dispose()
            GL.glDeleteVertexArrays(1, [self._empty_array])
        self._figures.clear()
        self._programs.clear()
        self._figure = None


class _View:
    """What every part of a frame needs to know."""

    def __init__(
        self,
        camera: Camera,
        picture: Picture,
        width: int,
        height: int,
        theme: Theme,
        samples: int,
        view_projection: Array,
    ):
        self.camera, self.picture, self.width, self.height = camera, picture, width, height
        self.theme, self.samples, self.view_projection = theme, samples, view_projection
        self.camera_key = tuple(tuple(v) if isinstance(v, list) else v for v in camera.to_json().values())
        back = camera.basis[2]
        self.eye = np.append(back, 0.0) if camera.orthographic else np.append(camera.eye, 1.0)

    def pixel_size(self, figure: _Figure, poses: Array) -> float:
        """Return how many metres a pixel covers where the figure is nearest to the eye."""
        depth = (self.camera.eye - figure.spheres(poses)[0]) @ self.camera.basis[2]
        nearest = self.camera.eye - max(float(depth.min()), 0.05) * self.camera.basis[2]
        return self.camera.pixel_size(self.height, nearest)

    def bounds(self, centers: Array, radii: Array) -> tuple[int, int, int, int]:
        """Return x, y, width, height of the pixels that spheres may touch."""
        pixels = self.camera.project(centers, self.width, self.height)
        near = self.camera.near_far()[0]
        if not self.camera.orthographic and bool((pixels[:, 2] < radii + near).any()):
            return 0, 0, self.width, self.height
        size = self.camera.pixel_size(self.height)
        scale = np.ones(len(radii)) if self.camera.orthographic else self.camera.distance / (pixels[:, 2] - radii)
        reach = (1.1 * radii * scale / size + 3.0)[:, None]
        low = np.clip(np.floor((pixels[:, :2] - reach).min(axis=0)), 0, (self.width, self.height)).astype(int)
        high = np.clip(np.ceil((pixels[:, :2] + reach).max(axis=0)), 0, (self.width, self.height)).astype(int)
        return int(low[0]), int(low[1]), int(max(high[0] - low[0], 0)), int(max(high[1] - low[1], 0))
