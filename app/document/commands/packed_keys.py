"""Many keys as a short record for the journal: their poses as bytes, and once each what many of them have in common.

Written out in digits, the keys of an edit of a recording would hold the window up for a quarter of a second.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.document.commands.base import CommandError
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json

Record = dict[str, Any]

NONE = -1
"""In the place of the number of a look: there is no key at the frame."""


def packed_keys(keys: Sequence[Key | None]) -> Record:
    """Return the record of keys of one figure; poses come back bit for bit.

    Args:
        keys: The keys, or None where there is none.
    """
    numbers: dict[tuple[Any, ...], int] = {}
    looks: list[Record] = []
    which: list[int] = []
    poses = []
    for key in keys:
        if key is None:
            which.append(NONE)
            continue
        name = (key.part, key.keyed, key.shape, tuple(key.shapes.items()), len(looks) if key.extra else NONE)
        if name not in numbers:
            numbers[name] = len(looks)
            look = key_to_json(key)
            del look["q"], look["frame"]
            looks.append(look)
        which.append(numbers[name])
        poses.append(key.q)
    rows = np.array(poses, dtype="<f8").tobytes()
    return {"looks": looks, "which": which, "poses": base64.b64encode(rows).decode("ascii")}


def unpacked_keys(record: Mapping[str, Any], frames: Sequence[int]) -> list[Key | None]:
    """Return the keys of a record.

    Args:
        record: From ``packed_keys``.
        frames: Where they are.

    Raises:
        CommandError: If it does not fit the frames.
        core.errors.CoreError: If a key is not valid.
    """
    which, looks = record["which"], record["looks"]
    count = sum(number != NONE for number in which)
    rows = np.frombuffer(base64.b64decode(record["poses"], validate=True), dtype="<f8").astype(np.float64)
    known = all(number in range(NONE, len(looks)) for number in which)
    if not known or len(which) != len(frames) or len(rows) % max(count, 1):
        raise CommandError(f"the record of keys at {len(frames)} frames is not whole")
    poses = iter(rows.reshape(count, len(rows) // max(count, 1)))
    return [
        None if number == NONE else key_from_json({**looks[number], "frame": frame, "q": next(poses)})
        for number, frame in zip(which, frames, strict=True)
    ]
