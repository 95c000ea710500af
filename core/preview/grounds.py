"""Where the ground of a scene comes from: a mesh file, or numbers. What files keep of it, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.contact.world import terrain_from_record, triangles_record
from core.errors import CoreError, DynamicsError
from core.regular_file import note_opened
from core.terrain import Terrain, hills, read_terrain, stairs

_KEPT = 8

_hills, _stairs = lru_cache(_KEPT)(hills), lru_cache(_KEPT)(stairs)


@lru_cache(_KEPT)
def _read(file: str, changed: int, size: int) -> Terrain:
    return read_terrain(file)


class GroundSource:
    """Where the ground comes from; never changes. ``dataclasses.replace`` makes others.

    Attributes:
        kind: What files call it.
    """

    kind: ClassVar[str]

    @property
    def terrain(self) -> Terrain:
        """The ground; the same one each time, as long as few others are asked for.

        Raises:
            CoreError: With one line, if a file cannot be read or a number makes no sense.
        """
        raise NotImplementedError

    def moved(self, motion: Array) -> GroundSource:
        """Return the ground once its world is turned and moved: its triangles, wherever they came from.

        Args:
            motion: What is done to the world, shape (4, 4).

        Raises:
            CoreError: As ``terrain`` does.
        """
        ground = self.terrain
        return TriangleGround(Terrain(ground.vertices @ motion[:3, :3].T + motion[:3, 3], ground.triangles))

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"kind": self.kind, **{item.name: getattr(self, item.name) for item in fields(self)}}  # type: ignore[arg-type]


@dataclass(frozen=True)
class MeshGround(GroundSource):
    """Ground of the triangles in an object file, in metres with y up.

    Attributes:
        file: Path of an ``.obj``, ``.stl``, ``.ply`` or ``.glb`` file.

    Raises:
        DynamicsError: If it is no text.
    """

    kind: ClassVar[str] = "mesh"
    file: str

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file:
            raise DynamicsError(f"ground: file is {shown(self.file)}; it must be the path of a mesh")

    @property
    def terrain(self) -> Terrain:
        try:
            found = Path(self.file).stat()
        except (OSError, ValueError):
            return read_terrain(self.file)  # says why
        note_opened(self.file)  # it is opened only if it is not kept
        return _read(self.file, found.st_mtime_ns, found.st_size)


@dataclass(frozen=True)
class HillsGround(GroundSource):
    """Hills round a level place, see :func:`core.terrain.hills`.

    Attributes:
        height: Of the highest, [m].
        length: From one to the next, about, [m].
        size: Side of the square that they fill, [m].
        clearing: Radius of the level place, [m].
        seed: Other hills for each number.

    Raises:
        CoreError: If a number makes no sense.
    """

    kind: ClassVar[str] = "hills"
    height: float = 0.3
    length: float = 4.0
    size: float = 24.0
    clearing: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        _ = self.terrain

    @property
    def terrain(self) -> Terrain:
        return _hills(self.height, self.length, self.size, self.clearing, self.seed)


@dataclass(frozen=True)
class StairsGround(GroundSource):
    """Stairs that go up along z, see :func:`core.terrain.stairs`.

    Attributes:
        rise: Height of a step, [m].
        tread: Depth of a step, [m].
        number: Steps; the last is the landing.
        width: Along x, [m].
        start: Where the first step begins, z, [m].
        landing: Depth of the landing, [m].

    Raises:
        CoreError: If a number makes no sense.
    """

    kind: ClassVar[str] = "stairs"
    rise: float = 0.17
    tread: float = 0.30
    number: int = 8
    width: float = 2.0
    start: float = 0.6
    landing: float = 3.0

    def __post_init__(self) -> None:
        _ = self.terrain

    @property
    def terrain(self) -> Terrain:
        return _stairs(self.rise, self.tread, self.number, self.width, self.start, self.landing)


@dataclass(frozen=True, eq=False)
class TriangleGround(GroundSource):
    """Ground that is given with its triangles, which files then hold themselves.

    Attributes:
        given: The ground.

    Raises:
        DynamicsError: If it is none.
    """

    kind: ClassVar[str] = "triangles"
    given: Terrain

    def __post_init__(self) -> None:
        if not isinstance(self.given, Terrain):
            raise DynamicsError(f"ground: triangles are {shown(self.given)}; they must be a Terrain")

    @property
    def terrain(self) -> Terrain:
        return self.given

    def to_record(self) -> dict[str, Any]:
        return {"kind": self.kind, **triangles_record(self.given)}


GROUNDS: tuple[type[GroundSource], ...] = (MeshGround, HillsGround, StairsGround, TriangleGround)
"""All kinds of ground."""


def ground_from_record(record: Any, place: str = "ground") -> GroundSource:
    """Return the ground of a record: its ``kind`` and the numbers of that; those left out are as usual.

    A mesh file is not looked at yet.

    Args:
        record: As from ``to_record``.
        place: What messages call it.

    Raises:
        DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
    """
    if not isinstance(record, Mapping):
        raise DynamicsError(f"{place} is {shown(record)}; it must be an object or null")
    kinds = {kind.kind: kind for kind in GROUNDS}
    kind = kinds.get(record["kind"]) if isinstance(record.get("kind"), str) else None
    if kind is None:
        raise DynamicsError(f"{place}: there is no kind {shown(record.get('kind'))}; there are {', '.join(kinds)}")
    values = {name: value for name, value in record.items() if name != "kind"}
    if kind is TriangleGround:
        return TriangleGround(terrain_from_record(values, place))
    known = [item.name for item in fields(kind)]  # type: ignore[arg-type]  # each is a dataclass
    for name in values:
        if name not in known:
            raise DynamicsError(f"{place} has a member {shown(name)}; {kind.kind} can have {', '.join(known)}")
    try:
        return kind(**values)
    except TypeError:
        raise DynamicsError(f"{place}: {kind.kind} needs {', '.join(known)}") from None
    except CoreError as error:
        text = str(error).removeprefix("ground: ")
        raise DynamicsError(f"{place}: {text}") from None
