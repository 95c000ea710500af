"""A second, plain reading of BVH files for tests: split at blanks, sine and cosine, no word of the product's code."""

from __future__ import annotations

import math
from pathlib import Path

Matrix = list[list[float]]


def _turn(axis: str, degrees: float) -> Matrix:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if axis == "X":
        return [[1, 0, 0], [0, c, -s], [0, s, c]]
    if axis == "Y":
        return [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def _times(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def _apply(a: Matrix, v: list[float]) -> list[float]:
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


class Bvh:
    """A sound BVH file whose names have no blanks.

    Attributes:
        joints: (name, parent or None, offset, channels, end sites), depth first.
        frame_time: As written.
        rows: Values of each frame.
    """

    def __init__(self, text: str):
        words = text.split()
        self.joints: list[tuple[str, str | None, list[float], list[str], list[list[float]]]] = []
        stack: list[str | None] = []
        at = 1
        while words[at] != "MOTION":
            word = words[at]
            if word in ("ROOT", "JOINT"):
                parent = stack[-1] if stack else None
                stack.append(words[at + 1])
                self.joints.append((words[at + 1], parent, [], [], []))
                at += 3
            elif word == "End":
                ends = next(joint for joint in reversed(self.joints) if joint[0] == stack[-1])[4]
                ends.append([float(x) for x in words[at + 4 : at + 7]])
                at += 8
            elif word == "OFFSET":
                self.joints[-1][2].extend(float(x) for x in words[at + 1 : at + 4])
                at += 4
            elif word == "CHANNELS":
                count = int(words[at + 1])
                self.joints[-1][3].extend(words[at + 2 : at + 2 + count])
                at += 2 + count
            else:
                assert word == "}", word
                stack.pop()
                at += 1
        frames = int(words[at + 2])
        self.frame_time = float(words[at + 5])
        values = [float(x) for x in words[at + 6 :]]
        width = sum(len(joint[3]) for joint in self.joints)
        assert len(values) == frames * width
        self.rows = [values[k * width : (k + 1) * width] for k in range(frames)]

    @classmethod
    def load(cls, path: Path) -> Bvh:
        return cls(path.read_text())

    def places(self, frame: int) -> dict[str, list[float]]:
        """Return where every joint is; the End Sites of ``hand`` under ``hand_End``, the first one."""
        row = iter(self.rows[frame])
        frames: dict[str | None, tuple[Matrix, list[float]]] = {None: (_turn("X", 0.0), [0.0, 0.0, 0.0])}
        found: dict[str, list[float]] = {}
        for name, parent, offset, channels, ends in self.joints:
            place, rotation = list(offset), _turn("X", 0.0)
            for channel in channels:
                value = next(row)
                if channel.endswith("position"):
                    place["XYZ".index(channel[0])] = value
                else:
                    rotation = _times(rotation, _turn(channel[0], value))
            above, origin = frames[parent]
            at = [o + p for o, p in zip(origin, _apply(above, place), strict=True)]
            whole = _times(above, rotation)
            frames[name] = whole, at
            found[name] = at
            if ends:
                found[f"{name}_End"] = [o + p for o, p in zip(at, _apply(whole, ends[0]), strict=True)]
        return found
