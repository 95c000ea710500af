"""Framebuffers to draw into, and a store that reuses them."""

from __future__ import annotations

from collections import OrderedDict

from app.render.context import GraphicsError
from app.render.gl import GL


class Target:
    """A framebuffer with a colour picture, and depth and stencil if asked for.

    Args:
        width: [px].
        height: [px].
        samples: Samples a pixel; 0 for none, and only then ``texture`` can be read by shaders.
        depth: Whether there are depth and stencil.
        smooth: Whether the texture is read with linear filtering.
        share: Another target of the same size and samples whose depth and stencil this one uses.

    Raises:
        GraphicsError: If the driver cannot make it.
    """

    def __init__(
        self,
        width: int,
        height: int,
        samples: int = 0,
        depth: bool = True,
        smooth: bool = False,
        share: Target | None = None,
    ):
        self.width, self.height, self.samples = width, height, samples
        self.framebuffer = int(GL.glGenFramebuffers(1))
        self.texture = 0
        self._renderbuffers: list[int] = []
        self._mask: tuple[Target, Target] | None = None
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.framebuffer)
        if samples:
            self._attach(GL.GL_COLOR_ATTACHMENT0, GL.GL_RGBA8)
        else:
            self.texture = int(GL.glGenTextures(1))
            GL.glBindTexture(GL.GL_TEXTURE_2D, self.texture)
            GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, GL.GL_RGBA8, width, height, 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, None)
            filtering = GL.GL_LINEAR if smooth else GL.GL_NEAREST
            for name, value in (
                (GL.GL_TEXTURE_MIN_FILTER, filtering),
                (GL.GL_TEXTURE_MAG_FILTER, filtering),
                (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
                (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            ):
                GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
            GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, self.texture, 0)
        if share is not None:
            GL.glFramebufferRenderbuffer(
                GL.GL_FRAMEBUFFER, GL.GL_DEPTH_STENCIL_ATTACHMENT, GL.GL_RENDERBUFFER, share.depth_buffer
            )
        elif depth:
            self._attach(GL.GL_DEPTH_STENCIL_ATTACHMENT, GL.GL_DEPTH24_STENCIL8)
        status = GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER)
        if status != GL.GL_FRAMEBUFFER_COMPLETE:
            self.dispose()
            raise GraphicsError(
                f"no framebuffer of {width} x {height} with {samples} samples (status {int(status):#x})"
            )

    def _attach(self, attachment: int, layout: int) -> None:
        buffer = int(GL.glGenRenderbuffers(1))
        self._renderbuffers.append(buffer)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
        GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, self.samples, layout, self.width, self.height)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, attachment, GL.GL_RENDERBUFFER, buffer)

    def bind(self) -> None:
        """Draw into it from now on, over its whole size."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.framebuffer)
        GL.glViewport(0, 0, self.width, self.height)

    def bind_texture(self) -> None:
        """Let shaders read the colours as texture unit 1; unit 0 is the matrix palette's."""
        GL.glActiveTexture(GL.GL_TEXTURE1)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self.texture)
        GL.glActiveTexture(GL.GL_TEXTURE0)

    def copy_to(self, other: Target) -> None:
        """Copy the colours to another target of the same size; resolves or spreads samples as needed."""
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.framebuffer)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, other.framebuffer)
        GL.glBlitFramebuffer(
            0, 0, self.width, self.height, 0, 0, other.width, other.height, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST
        )

    def mask(self) -> tuple[Target, Target]:
        """Return a picture that shares this target's depth and stencil, and one of it that shaders can read.

        They are made at the first call, and the same target unless there are samples.
        """
        if self._mask is None:
            mask = Target(self.width, self.height, self.samples, smooth=True, share=self)
            readable = Target(self.width, self.height, depth=False, smooth=True) if self.samples else mask
            self._mask = mask, readable
        return self._mask

    @property
    def depth_buffer(self) -> int:
        """Name of the renderbuffer with depth and stencil."""
        return self._renderbuffers[-1]

    @property
    def handles(self) -> tuple[int, int, tuple[int, ...]]:
        """Names of the framebuffer, the texture (0 if none) and the renderbuffers."""
        return self.framebuffer, self.texture, tuple(self._renderbuffers)

    def dispose(self) -> None:
        """Free everything."""
        if self._mask is not None:
            for target in self._mask:
                target.dispose()
            self._mask = None
        if self.framebuffer:
            GL.glDeleteFramebuffers(1, [self.framebuffer])
            self.framebuffer = 0
        if self.texture:
            GL.glDeleteTextures([self.texture])
            self.texture = 0
        if self._renderbuffers:
            GL.glDeleteRenderbuffers(len(self._renderbuffers), self._renderbuffers)
            self._renderbuffers = []


_FORGOTTEN = 64
"""Requests of others after which a target makes room: its view has another size, or is gone."""


class TargetStore:
    """Targets by key; what has not been asked for in a while makes room for new ones.

    Args:
        limit: Most targets kept.
        depth: Whether they have depth and stencil.
    """

    def __init__(self, limit: int, depth: bool):
        self._limit, self._depth = limit, depth
        self._kept: OrderedDict[object, Target] = OrderedDict()  # the least recently used first
        self._asked: dict[object, int] = {}
        self._requests = 0

    def get(self, key: object) -> Target | None:
        """Return the target of a key, now the most recently used, or None."""
        self._requests += 1
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            self._asked[key] = self._requests
            while self._forgotten():
                self._let_go().dispose()
        return found

    def add(self, key: object, width: int, height: int, samples: int = 0) -> Target:
        """Return a target for a new key: the one that makes room if its shape is right, else a new one."""
        shape, target = (width, height, samples), None
        while self._kept and (len(self._kept) >= self._limit or self._forgotten()):
            spare = self._let_go()
            if target is None and (spare.width, spare.height, spare.samples) == shape:
                target = spare
            else:
                spare.dispose()
        self._kept[key] = target = target or Target(width, height, samples, self._depth)
        self._asked[key] = self._requests
        return target

    def _forgotten(self) -> bool:
        """Return whether nobody has asked for the least recently used one in a while."""
        return self._requests - self._asked[next(iter(self._kept))] > _FORGOTTEN

    def _let_go(self) -> Target:
        key, target = self._kept.popitem(last=False)
        del self._asked[key]
        return target

    def __len__(self) -> int:
        return len(self._kept)

    def values(self) -> tuple[Target, ...]:
        """Return all targets kept."""
        return tuple(self._kept.values())

    def dispose(self) -> None:
        """Free all targets."""
        for target in self._kept.values():
            target.dispose()
        self._kept.clear()
        self._asked.clear()
