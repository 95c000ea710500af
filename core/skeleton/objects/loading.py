"""Loading the polygon object of a segment: our own .pol, and .obj, .stl, .ply and .glb of other programs."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from core.errors import FormatError, Problem
from core.regular_file import open_regular
from core.skeleton.foreign import READERS, read_foreign
from core.skeleton.mesh import Mesh
from core.skeleton.objects.cache import kept_pol
from core.skeleton.scr.lexer import MOST_BYTES, listed

FOREIGN = tuple(READERS)
SUFFIXES = (".pol", *FOREIGN)
_EXPECTED = "; expected a file"
_LARGEST, _SMALLEST = 10.0, 0.0005  # [m]: no part of a figure is likely to be larger or smaller


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
        with open_regular(path) as stream:
            # One byte more than allowed shows a large file, also where the size is not known beforehand.
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(Problem(file, 0, 0, f"cannot be read: {reason.removesuffix(_EXPECTED)}{_EXPECTED}")) from None
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
        return kept_pol(decode(data, file), file)
    return read_foreign(data, suffix, file)


def unit_remark(mesh: Mesh, file: str) -> str:
    """Return what is odd about the size of an object from elsewhere, for a person; "" if nothing is.

    Lengths are metres here. Most kinds of files do not say what theirs are, and other programs often take millimetres,
    centimetres or inches. A .glb file is in metres by its standard, a .pol file is our own.
    """
    suffix = Path(file).suffix.casefold()
    if suffix in (".pol", ".glb"):
        return ""
    lo, hi = mesh.bounds
    size = float((hi - lo).max())
    if size > _LARGEST:
        guess = "millimetres" if size > 100.0 else "centimetres or inches"
        return f"is {size:.4g} m large; lengths are metres here, and the file may be in {guess}"
    if size < _SMALLEST:
        return f"is only {size:.4g} m large; lengths are metres here"
    return ""
