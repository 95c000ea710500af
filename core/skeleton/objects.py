"""Loading the polygon object of a segment: .pol by ourselves, .obj, .stl, .ply and .glb through trimesh."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from core.errors import FormatError, Problem
from core.skeleton.lexer import MOST_BYTES, listed
from core.skeleton.mesh import Mesh
from core.skeleton.pol import read_pol

FOREIGN = (".obj", ".stl", ".ply", ".glb")
SUFFIXES = (".pol", *FOREIGN)
_FARTHEST = 1e9  # [m]


def stays_inside(name: str) -> bool:
    """Return whether an object's path is relative and does not lead out of the folder it is relative to."""
    path = PurePosixPath(name)
    depth = 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    # A drive letter is absolute on Windows and makes no file name anyone would want elsewhere.
    return not path.is_absolute() and name[1:2] != ":"


def read_bytes(path: Path, file: str) -> bytes:
    """Return the bytes of a file of at most 64 MB.

    Args:
        path: Where it is.
        file: Its name, for messages.

    Raises:
        FormatError: If it cannot be read or is too large.
    """
    try:
        with path.open("rb") as stream:
            # One byte more than allowed tells a large file, also where the size is not known beforehand.
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(Problem(file, 0, 0, f"cannot be read: {reason}; expected a file")) from None
    if len(data) > MOST_BYTES:
        raise FormatError(Problem(file, 0, 0, f"is larger than {MOST_BYTES >> 20} MB; expected a smaller file"))
    return data


def decode(data: bytes, file: str) -> str:
    """Return UTF-8 bytes as text, without a byte order mark.

    Raises:
        FormatError: With the line and column of the first byte that is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        bad = error.object[error.start]
        message = f"byte 0x{bad:02X} is not UTF-8; expected a text file saved as UTF-8"
        raise FormatError(Problem(file, line, column, message)) from None


def load_object(path: Path, file: str) -> Mesh:
    """Return the mesh of an object file, chosen by its suffix.

    Args:
        path: Where it is.
        file: Its name as the .scr file writes it, for messages.

    Raises:
        FormatError: If it cannot be read, is malformed or of an unknown kind.
    """
    suffix = path.suffix.casefold()
    if suffix not in SUFFIXES:
        found = f'"{suffix}" is not an object file' if suffix else "an object file without a suffix"
        raise FormatError(Problem(file, 0, 0, f"{found}; expected {listed(SUFFIXES)}"))
    data = read_bytes(path, file)
    if suffix == ".pol":
        return read_pol(decode(data, file), file)
    return _load_foreign(data, suffix.removeprefix("."), file)


def _load_foreign(data: bytes, kind: str, file: str) -> Mesh:
    # Imported here: it takes longer to import than a figure takes to load, and few figures need it.
    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {"skip_materials": True} if kind == "obj" else {}
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            # process=False: no merging or reordering; no resolver: a file may not name other files to be opened.
            mesh: Any = trimesh.load(io.BytesIO(data), file_type=kind, force="mesh", process=False, **options)
            vertices = np.array(mesh.vertices, dtype=np.float64)
            triangles = np.array(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except (Exception, MemoryError) as error:
        reason = str(error).strip().split("\n")[0][:120] or type(error).__name__
        raise FormatError(
            Problem(file, 0, 0, f"is not a sound .{kind} file ({reason}); expected triangles or polygons")
        ) from None
    if len(triangles) == 0:
        raise FormatError(Problem(file, 0, 0, "has no polygons; expected at least one"))
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise FormatError(
            Problem(file, 0, 0, "has polygons with corners that are not there; expected vertex numbers in range")
        )
    if not (np.abs(vertices) <= _FARTHEST).all():
        raise FormatError(Problem(file, 0, 0, f"has a vertex that is not a finite length within {_FARTHEST:g} m"))
    return Mesh(vertices, triangles.astype(np.int32))
