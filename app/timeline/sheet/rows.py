"""Rows of the dope sheet: the whole figure, its groups, and the channels in each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels, channels_of
from core.arrays import Ints
from core.skeleton import Skeleton

SUMMARY = "summary"
ONLY_SELECTED, ONLY_KEYED = "selected", "keyed"
"""What the filter may leave: rows of the selected parts, rows with keys."""


class Row(NamedTuple):
    """One row of the dope sheet.

    Attributes:
        id: What the session remembers it by.
        name: What stands at its left.
        values: Indices into a pose that belong to it; empty for the summary.
        channels: Numbers of its channels; of the summary all.
        joints: Joints that a click on its name selects.
        depth: 0 for the summary, 1 for groups, 2 for channels.
        opens: Whether rows stand under it.
        is_open: Whether they are shown.
    """

    id: str
    name: str
    values: Ints
    channels: Ints
    joints: tuple[int, ...] = ()
    depth: int = 1
    opens: bool = False
    is_open: bool = False

    @property
    def summary(self) -> bool:
        """Whether it stands for the whole figure."""
        return self.depth == 0


def spoken(name: str) -> str:
    """Return a name with a capital."""
    return name[:1].upper() + name[1:]


def all_rows(skeleton: Skeleton) -> tuple[Row, ...]:
    """Return every row of a figure, each group followed by its channels.

    The root's place and its own joint are the row "Root". As in the joints panel, joints of no group stand under
    "Other joints".
    """
    channels = channels_of(skeleton)
    everything = np.arange(len(channels))
    joints = tuple(i for i, joint in enumerate(skeleton.joints) if joint.has_body) or tuple(range(len(skeleton.joints)))
    found: list[Row] = [Row(SUMMARY, "Summary", np.empty(0, dtype=np.intp), everything, joints, 0, True)]
    first_of = np.array([own[0] if own else 0 for own in channels.joints])
    root_own = [number for number in everything.tolist() if first_of[number] == 0]
    groups: list[tuple[str, str, list[int]]] = [("root", "Root", root_own)]
    for name, members in skeleton.groups:
        numbers = [n for n in everything.tolist() if n not in root_own and first_of[n] in members]
        if numbers:
            groups.append((f"group {name}", spoken(name) if name else "Other joints", numbers))
    groups.sort(key=lambda group: group[1] == "Other joints")
    for key, title, numbers in groups:
        found.append(_group(key, title, numbers, channels))
        if len(numbers) > 1 or channels.names[numbers[0]]:
            found.extend(_channel(number, skeleton, channels) for number in numbers)
    return tuple(found)


def _group(key: str, title: str, numbers: list[int], channels: Channels) -> Row:
    joints = sorted(
        {joint for number in numbers for joint in channels.joints[number]} | ({0} if key == "root" else set())
    )
    values = np.concatenate([channels.columns[number] for number in numbers])
    opens = len(numbers) > 1 or bool(channels.names[numbers[0]])
    return Row(key, title, np.sort(values), np.array(numbers, dtype=np.intp), tuple(sorted(joints)), 1, opens)


def _channel(number: int, skeleton: Skeleton, channels: Channels) -> Row:
    joints = channels.joints[number]
    title = " and ".join(skeleton.joints[joint].name for joint in joints) if joints else "place"
    key = f"channel {channels.names[number]}"
    return Row(key, spoken(title), channels.columns[number], np.array([number]), joints or (0,), 2)


def shown_rows(
    rows: Iterable[Row],
    opened: Collection[str],
    only: Collection[str] = (),
    selection: Iterable[int] = (),
    keyed: NDArray[np.bool_] | None = None,
) -> tuple[Row, ...]:
    """Return the rows that stand on the screen.

    Args:
        rows: All of them.
        opened: Ids of rows that are open.
        only: What the filter leaves, of ``ONLY_SELECTED`` and ``ONLY_KEYED``; the summary always stays.
        selection: Joints that are selected.
        keyed: Whether each channel is keyed anywhere, shape (c,).
    """
    chosen = set(selection)
    shown, group_open = [], True
    for row in rows:
        row = row._replace(is_open=row.opens and row.id in opened)
        if row.summary:
            summary_open = row.is_open
            shown.append(row)
            continue
        if row.depth == 1:
            group_open = row.is_open
        elif not group_open:
            continue
        if not summary_open:
            break
        if ONLY_SELECTED in only and chosen and not chosen & set(row.joints):
            continue
        if ONLY_KEYED in only and keyed is not None and not keyed[row.channels].any():
            continue
        shown.append(row)
    return tuple(shown)
