"""A glTF file as its parts: the description, checked where it is looked at, and the numbers behind accessors.

What a description can ask for is bounded by what the file holds: a few hundred bytes may announce billions of numbers.
No file is opened but one that lies beside it.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.formats import json_text
from core.formats.files import MEGABYTE, read_bytes
from core.regular_file import other_kind
from core.skeleton.foreign.glb import MAGIC, WrongError, chunks

Json = dict[str, Any]

LARGEST = 256 * MEGABYTE
_DESCRIPTION = 64 * MEGABYTE
_SPARE, _A_BYTE = 50_000_000, 4  # numbers that any file may give, and how many on top for each of its bytes
_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
# Extensions that a file may require without the places of its vertices or nodes being other ones.
_HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_xmp", "KHR_mesh_quantization")
_EMBEDDED = "data:"


class Document:
    """One glTF file.

    Args:
        path: The file.

    Raises:
        FormatError: If it is no glTF 2.0 file, is cut off, or needs an extension that is not read.
    """

    def __init__(self, path: Path):
        self.path, self.file = path, path.name
        data = read_bytes(path, LARGEST)
        self._binary: bytes | memoryview = b""
        self.json: Json
        if data[:4] == MAGIC.to_bytes(4, "little"):
            try:
                self.json, self._binary = chunks(data, _DESCRIPTION)
            except WrongError as wrong:
                raise self.wrong("", f"is not a sound .glb file: {wrong}") from None
        else:
            self.json = self._described(data)
        asset = self.json.get("asset")
        version = asset.get("version") if isinstance(asset, dict) else None
        if not isinstance(version, str) or not version.startswith("2."):
            raise self.wrong("asset.version", f"{_shown(version)} is not read; expected a glTF file of version 2.0")
        for name in self.json.get("extensionsRequired") or ():
            if not (isinstance(name, str) and name.startswith(_HARMLESS)):
                raise self.wrong("extensionsRequired", f"{_shown(name)} is not read; export the file without it")
        self._buffers: dict[int, bytes | memoryview] = {}
        self._values: dict[int, NDArray[Any]] = {}
        self._left = _SPARE + _A_BYTE * len(data)

    def _described(self, data: bytes) -> Json:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.wrong("", f"is neither a .glb file nor text: byte {error.start} is not UTF-8") from None
        found = json_text.parse(text, self.file, "a glTF file")
        if not isinstance(found, dict):
            raise self.wrong("", "is not a glTF file; expected an object")
        return found

    def wrong(self, place: str, message: str) -> FormatError:
        """Return the error of a place in the file."""
        plain = "".join(letter if letter.isprintable() else "?" for letter in message)
        return FormatError(Problem(self.file, 0, 0, f"{place}: {plain}" if place else plain))

    # -- members ---------------------------------------------------------------------------------------------------

    def records(self, name: str, of: Json | None = None, place: str = "") -> list[Json]:
        """Return a list of objects, empty if there is none."""
        found = (self.json if of is None else of).get(name)
        here = f"{place}.{name}" if place else name
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self.wrong(here, f"{_shown(found)} is not a list of objects")
        return found

    def whole(self, record: Json, name: str, place: str, default: int | None = None, below: int | None = None) -> int:
        """Return a whole number from 0, less than ``below`` if that is given."""
        value = record.get(name, default)
        most = 2**53 if below is None else below
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < most:
            valid = "a whole number from 0" if below is None else f"one of the {below} there are, counted from 0"
            raise self.wrong(f"{place}.{name}", f"{_shown(value)} is not possible; expected {valid}")
        return value

    def number(self, record: Json, name: str, place: str, default: float) -> float:
        """Return a finite number."""
        value = record.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e30:
            raise self.wrong(f"{place}.{name}", f"{_shown(value)} is not a finite number")
        return float(value)

    def numbers(self, record: Json, name: str, count: int, place: str) -> NDArray[np.float64] | None:
        """Return a row of finite numbers, None if it is not given."""
        values = record.get(name)
        if values is None:
            return None
        plain = isinstance(values, list) and len(values) == count
        if not plain or not all(type(each) in (int, float) and abs(each) < 1e30 for each in values):
            raise self.wrong(f"{place}.{name}", f"{_shown(values)} is not possible; expected {count} finite numbers")
        return np.array(values, dtype=np.float64)

    def text(self, record: Json, name: str, place: str, default: str) -> str:
        """Return a text, the default if it is not given or empty."""
        value = record.get(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(f"{place}.{name}", f"{_shown(value)} is not text")
        return "".join(letter if letter.isprintable() else "_" for letter in value or "").strip() or default

    # -- numbers ---------------------------------------------------------------------------------------------------

    def accessor(self, number: int, kind: str, place: str) -> NDArray[Any]:
        """Return the numbers of an accessor, shape (count,) for scalars, else (count, width).

        Integers that stand for parts of 1 become floats; other integers stay.

        Args:
            number: Which.
            kind: The type it must have: ``"SCALAR"``, ``"VEC3"``, ``"VEC4"``, ``"MAT4"``.
            place: What asks for it, for messages.
        """
        record = self.records("accessors")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(record):
            raise self.wrong(place, f"{_shown(number)} is none of the {len(record)} accessors there are")
        here = f"accessors[{number}]"
        found = record[number].get("type")
        if found != kind:
            raise self.wrong(f"{here}.type", f"{_shown(found)} is not possible for {place}; expected {kind}")
        if number not in self._values:
            self._values[number] = self._read(record[number], here, _WIDTHS[kind])
        return self._values[number]

    def _read(self, record: Json, here: str, width: int) -> NDArray[Any]:
        code = record.get("componentType")
        kind = _KINDS.get(code) if isinstance(code, int) else None
        if kind is None:
            raise self.wrong(f"{here}.componentType", f"{_shown(code)} is not possible; expected one of {[*_KINDS]}")
        count = self.whole(record, "count", here)
        self._left -= count * width
        if self._left < 0:
            raise self.wrong(f"{here}.count", f"{count}: the file announces far more numbers than it holds")
        if record.get("bufferView") is None:
            values: NDArray[Any] = np.zeros((count, width), kind)
        else:
            offset = self.whole(record, "byteOffset", here, 0)
            values = self._rows(self.whole(record, "bufferView", here), offset, kind, count, width, here)
        sparse = record.get("sparse")
        if sparse is not None:
            values = self._replaced(values, sparse, kind, f"{here}.sparse")
        if record.get("normalized") is True and kind != "<f4":
            most = np.iinfo(values.dtype).max
            values = np.maximum(values / most, -1.0)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            row = int(np.argwhere(~np.isfinite(values))[0][0])
            raise self.wrong(here, f"number {row} is not finite")
        return values[:, 0] if width == 1 else values

    def _replaced(self, values: NDArray[Any], sparse: Any, kind: str, here: str) -> NDArray[Any]:
        """Return numbers with some of them replaced."""
        if not isinstance(sparse, dict):
            raise self.wrong(here, "is not an object")
        count = self.whole(sparse, "count", here)
        parts = {name: sparse.get(name) for name in ("indices", "values")}
        for name, part in parts.items():
            if not isinstance(part, dict):
                raise self.wrong(f"{here}.{name}", "is not an object")
        indices, replaced = parts["indices"], parts["values"]
        assert isinstance(indices, dict) and isinstance(replaced, dict)
        code = indices.get("componentType")
        wanted = _KINDS.get(code) if code in (5121, 5123, 5125) else None
        if wanted is None:
            raise self.wrong(f"{here}.indices.componentType", f"{_shown(code)} is not possible for indices")
        rows = []
        for part, form, width, name in ((indices, wanted, 1, "indices"), (replaced, kind, values.shape[1], "values")):
            place = f"{here}.{name}"
            offset = self.whole(part, "byteOffset", place, 0)
            rows.append(self._rows(self.whole(part, "bufferView", place), offset, form, count, width, place))
        at = rows[0][:, 0]
        if len(at) and int(at.max()) >= len(values):
            raise self.wrong(f"{here}.indices", f"{int(at.max())} is beyond the {len(values)} elements there are")
        values = values.copy()
        values[at] = rows[1]
        return values

    def _rows(self, view: int, offset: int, kind: str, count: int, width: int, here: str) -> NDArray[Any]:
        """Return rows of numbers in a buffer view, shape (count, width); a view of the data."""
        data, stride = self.view(view, here)
        size = np.dtype(kind).itemsize
        step = stride or size * width
        if count and offset + (count - 1) * step + size * width > len(data):
            raise self.wrong(here, f"{count} elements of {step} bytes are more than bufferViews[{view}] holds")
        if not count:
            return np.zeros((0, width), kind)
        return np.ndarray((count, width), kind, data, offset, (step, size))

    def view(self, number: int, place: str) -> tuple[memoryview, int]:
        """Return the bytes of a buffer view, and how many bytes apart its elements are, 0 for side by side."""
        views = self.records("bufferViews")
        if not 0 <= number < len(views):
            raise self.wrong(f"{place}.bufferView", f"{number} is none of the {len(views)} buffer views there are")
        record, here = views[number], f"bufferViews[{number}]"
        data = self._buffer(self.whole(record, "buffer", here, below=len(self.records("buffers"))))
        start, length = self.whole(record, "byteOffset", here, 0), self.whole(record, "byteLength", here)
        if start + length > len(data):
            raise self.wrong(here, f"ends at byte {start + length}, but its buffer has {len(data)} bytes")
        return memoryview(data)[start : start + length], self.whole(record, "byteStride", here, 0)

    def _buffer(self, number: int) -> bytes | memoryview:
        if number in self._buffers:
            return self._buffers[number]
        record, here = self.records("buffers")[number], f"buffers[{number}]"
        uri = record.get("uri")
        if uri is None:
            data: bytes | memoryview = self._binary
        elif not isinstance(uri, str):
            raise self.wrong(f"{here}.uri", f"{_shown(uri)} is not text")
        elif uri.startswith(_EMBEDDED):
            head, comma, body = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise self.wrong(f"{here}.uri", "holds data in a form that is not read; expected base64")
            try:
                data = base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError):
                raise self.wrong(f"{here}.uri", "holds data that are not sound base64") from None
        else:
            data = self._beside(uri, f"{here}.uri")
        length = self.whole(record, "byteLength", here)
        if length > len(data):
            raise self.wrong(here, f"is said to have {length} bytes, but there are {len(data)}; it is cut off")
        self._left += _A_BYTE * (len(data) if uri is not None and not uri.startswith(_EMBEDDED) else 0)
        self._buffers[number] = data
        return data

    def _beside(self, uri: str, place: str) -> bytes:
        """Return the bytes of a file that lies beside this one, or in a folder there."""
        name = unquote(uri)
        path = Path(name)
        if ":" in name or "\\" in name or "\0" in name or path.is_absolute() or ".." in path.parts:
            raise self.wrong(place, f"{_shown(uri)} is not read; expected the name of a file beside this one")
        folder = self.path.resolve().parent
        target = folder / path
        if not target.resolve().is_relative_to(folder) or other_kind(target):
            raise self.wrong(place, f"{_shown(uri)} is not read; expected the name of a file beside this one")
        try:
            return read_bytes(target, LARGEST)
        except FormatError as error:
            raise self.wrong(place, f"{_shown(uri)} {error.problems[0].message}") from None


def _shown(value: Any) -> str:
    return json_text.show(value)[:80] if isinstance(value, (str, int, float, list, dict, bool, type(None))) else "it"
