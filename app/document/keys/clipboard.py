"""Copied keys: on the system's clipboard as text, so that they go to other sequences, windows and programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from core.animation.channels import channels_of
from core.animation.clip import Clip
from core.animation.hybrid_strips import hybrid_from_json, hybrids_to_json
from core.animation.key_records import key_from_json, key_to_json
from core.animation.locks.strip import strip_from_json, strip_to_json
from core.errors import CoreError, FormatError, SequenceError
from core.formats import json_text
from core.skeleton import Skeleton

MIME = "application/x-sequence-editor-keys"
FORMAT = "sequence-editor-keys"
VERSION = 1
LARGEST = 256 * 1024 * 1024

_own: tuple[Clip, str] | None = None


def clip_text(clip: Clip, skeleton: Skeleton) -> str:
    """Return copied keys as text, exact to the last bit.

    Args:
        clip: The keys.
        skeleton: The figure they belong to.
    """
    channels = channels_of(skeleton)
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "figure": skeleton.name,
            "joints": list(clip.joint_names or skeleton.joint_names),
            "dofs": list(clip.dof_names or skeleton.dof_names),
            "channels": list(clip.channels_of_values or (channels.names[number] for number in channels.of_value)),
            "length": clip.length,
            "keys": [key_to_json(key) for key in clip.keys],
            "strips": [strip_to_json(strip, skeleton) for strip in clip.strips],
            **({"hybrid": hybrids_to_json(clip.hybrid_strips)} if clip.hybrid_strips else {}),
            **({"offsets": True} if clip.offsets else {}),
        },
        ensure_ascii=False,
    )


def clip_from_text(text: str, skeleton: Skeleton) -> Clip:
    """Return the keys that text stands for; lock strips only if the figure has the same joints.

    Raises:
        SequenceError: If it is no text of keys, or a value in it is not valid.
    """
    try:
        return _read(json_text.parse(text, "the clipboard"), skeleton)
    except FormatError as error:
        raise SequenceError(f"the clipboard does not contain keys: {error.problems[0].message}") from None
    except CoreError as error:
        raise SequenceError(f"the keys on the clipboard are damaged: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SequenceError(f"the keys on the clipboard are damaged: {error!r}") from None


def _read(data: Any, skeleton: Skeleton) -> Clip:
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise SequenceError("they are not keys; copy some in the timeline first")
    if data.get("version") != VERSION:
        raise SequenceError(f"version {data.get('version')!r} is not known; this program reads {VERSION}")
    joints, dofs, of_values = (_names(data[name], name) for name in ("joints", "dofs", "channels"))
    if len(of_values) != 3 + len(dofs):
        raise SequenceError(f"channels name {len(of_values)} values; {3 + len(dofs)} are needed")
    keys = tuple(sorted((key_from_json(record) for record in data["keys"]), key=lambda key: key.frame))
    known = set(of_values)
    for key in keys:
        if key.q.shape != (len(of_values),):
            raise SequenceError(f"the key at frame {key.frame} has {len(key.q)} values; {len(of_values)} are needed")
        strange = sorted({*(key.keyed or ()), *key.shapes} - known)
        if strange:
            raise SequenceError(f'the key at frame {key.frame} names "{strange[0]}", which is not a channel')
    if len({key.frame for key in keys}) < len(keys):
        raise SequenceError("two keys are at one frame")
    length = data["length"]
    if not isinstance(length, int) or isinstance(length, bool) or length < max((key.frame for key in keys), default=0):
        raise SequenceError(f"length {length!r} is not possible; it must reach the last key")
    same = joints == skeleton.joint_names
    strips = tuple(strip_from_json(record, skeleton) for record in data.get("strips", ())) if same else ()
    hybrid = tuple(hybrid_from_json(record) for record in data.get("hybrid", ())) if same else ()
    return Clip(keys, length, joints, strips, dofs, of_values, hybrid, data.get("offsets") is True)


def _names(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise SequenceError(f"{what} must be a list of names")
    return tuple(value)


# -- the clipboard ---------------------------------------------------------------------------------------------------


def put(clip: Clip, skeleton: Skeleton) -> None:
    """Copy keys: kept here, and on the system's clipboard where there is one.

    Args:
        clip: The keys.
        skeleton: The figure they belong to.
    """
    global _own
    text = clip_text(clip, skeleton)
    _own = clip, text
    board = _board()
    if board is not None:
        data = QMimeData()
        data.setData(MIME, QByteArray(text.encode("utf-8")))
        data.setText(text)
        board.setMimeData(data)


def get(skeleton: Skeleton) -> Clip | None:
    """Return the keys that were copied last, here or in another window; None if there are none.

    Args:
        skeleton: The figure they are wanted for.

    Raises:
        SequenceError: If what is on the clipboard are damaged keys.
    """
    text = _text()
    if text is not None and (_own is None or text != _own[1]):
        return clip_from_text(text, skeleton)
    return None if _own is None else _own[0]


def _board() -> Any:
    return QGuiApplication.clipboard() if isinstance(QGuiApplication.instance(), QGuiApplication) else None


def _text() -> str | None:
    """Return the text of keys on the system's clipboard, None if there are none on it."""
    board = _board()
    data = None if board is None else board.mimeData()
    if data is None:
        return None
    if data.hasFormat(MIME):
        raw = bytes(data.data(MIME).data())
        return raw.decode("utf-8", "replace") if len(raw) <= LARGEST else None
    text = data.text() if data.hasText() else ""
    return text if text.lstrip()[:1] == "{" and f'"{FORMAT}"' in text[:200] and len(text) <= LARGEST else None
