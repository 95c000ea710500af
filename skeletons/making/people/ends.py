"""The mesh of hand and foot of the bundled man and woman, laid on from the wrist and the ankle."""

from __future__ import annotations

import numpy as np

from skeletons.making.people.flesh import FINGERS, THUMB, TOES, Body, Bones, finger_line
from skeletons.making.people.plan import ARM, LEG
from skeletons.making.shaping.flesh import Array, Part, by
from skeletons.making.shaping.weave import Rows, Weave, cast


def laid_hand(weave: Weave, body: Body, bones: Bones, wrist: Rows, size: float, slim: float) -> None:
    """Lay palm, fingers and thumb on from the wrist: columns 15, 0 to 5 on the palm, 13 to 7 on the back."""
    angles = np.radians((np.arange(ARM) - 2) * 360.0 / ARM)
    radial = np.stack([np.cos(angles), np.zeros(ARM), -np.sin(angles)], axis=1)
    flat = np.zeros((ARM, 3))
    flat[[15, 0, 1, 2, 3, 4, 5], 0] = 1.0
    flat[7:14, 0] = -1.0
    flat[14, 2], flat[6, 2] = 1.0, -1.0
    z, knuckle = np.array(FINGERS, dtype=np.float64).T[:2]

    def spread(values: Array) -> Array:
        column = np.empty(ARM)
        for crest, groove in (([15, 1, 3, 5], [0, 2, 4]), ([13, 11, 9, 7], [12, 10, 8])):
            column[crest], column[groove] = values, 0.5 * (values[1:] + values[:-1])
        column[14], column[6] = values[0], values[-1]
        return column

    place, split = spread(z), spread(knuckle + 0.012)
    rows = [wrist]
    for k, s in enumerate((0.020, 0.042, 0.064, None)):
        t = (k + 1) / 4.0
        along = split if s is None else np.full(ARM, s)
        anchors = np.stack([np.full(ARM, 0.001 * t), -along, t * place], axis=1)
        rows.append(hand_row(weave, body.hand, bones, anchors, (1 - t) * radial + t * flat, size, slim))
    hole = frozenset((r, c) for r in (1, 2) for c in (13, 14))
    weave.quads(rows, "right hand", closed=True, skip=hole)
    last = rows[-1]
    webs = np.stack(
        [np.full(3, 0.001 * slim), -0.5 * (knuckle[1:] + knuckle[:-1]) - 0.013, 0.5 * (z[1:] + z[:-1]) * slim], axis=1
    )
    web = weave.place(bones.wrist + size * webs @ bones.forearm.T)
    loops = (
        np.array([*last[[14, 15, 0]], web[0], *last[[12, 13]]]),
        np.array([*last[[0, 1, 2]], web[1], *last[[10, 11, 12]], web[0]]),
        np.array([*last[[2, 3, 4]], web[2], *last[[8, 9, 10]], web[1]]),
        np.array([*last[[4, 5, 6]], *last[[7, 8]], web[2]]),
    )
    for loop, first, finger, solid in zip(loops, (90.0, 45.0, 45.0, 30.0), FINGERS, body.fingers, strict=True):
        line = np.array([[x * slim, -s, w * slim] for x, s, w in finger_line(*finger)])
        angles = np.radians(first - np.arange(len(loop)) * 360.0 / len(loop))
        directions = np.stack([np.cos(angles), np.zeros(len(loop)), np.sin(angles)], axis=1) @ bones.forearm.T
        below = [loop]
        start = (
            finger[1] + 0.022,
            finger[2],
            0.5 * (finger[2] + finger[3]) + 0.004,
            finger[3] - 0.007,
        )
        for s in start:
            x = np.interp(s, -line[:, 1], line[:, 0])
            w = np.interp(s, -line[:, 1], line[:, 2])
            center = bones.wrist + size * (bones.forearm @ np.array([x, -s, w]))
            below.append(weave.place(cast(solid, np.repeat(center[None], len(loop), axis=0), directions, 0.02)))
        end = bones.wrist + size * (bones.forearm @ line[2])
        tip = cast(solid, end[None], ((line[2] - line[1]) @ bones.forearm.T)[None], 0.02)
        below.append(np.repeat(weave.place(tip), len(loop)))
        weave.quads(below, "right hand", closed=True)
    loop = np.array([rows[r][c] for r, c in ((1, 13), (1, 14), (1, 15), (2, 15), (3, 15), (3, 14), (3, 13), (2, 13))])
    laid_thumb(weave, body.thumb, bones, loop, size, slim)


def hand_row(
    weave: Weave, solid: Part, bones: Bones, anchors: Array, directions: Array, size: float, slim: float
) -> Rows:
    """Lay one row of the hand from anchors and directions in the frame of the wrist."""
    scaled = anchors * size * np.array([slim, 1.0, slim])
    return weave.place(cast(solid, bones.wrist + scaled @ bones.forearm.T, directions @ bones.forearm.T, 0.06))


def laid_thumb(weave: Weave, solid: Part, bones: Bones, loop: Rows, size: float, slim: float) -> None:
    """Lay the thumb on from its hole in the hand, eight columns."""
    line = np.array([[x * slim, -s, z * slim] for x, s, z in THUMB]) * size @ bones.forearm.T + bones.wrist
    angles = np.radians([135.0, 90.0, 45.0, 0.0, -45.0, -90.0, -135.0, 180.0])
    rows = [loop]
    for part, share in ((0, 0.80), (1, 0.20), (1, 0.65), (2, 0.0), (2, 0.60)):
        axis = line[part + 1] - line[part]
        axis = axis / np.linalg.norm(axis)
        palmar = bones.forearm[:, 0] - axis * (bones.forearm[:, 0] @ axis)
        palmar /= np.linalg.norm(palmar)
        outer = np.cross(palmar, axis)
        outer = outer if outer[2] > 0 else -outer
        center = (1 - share) * line[part] + share * line[part + 1]
        directions = np.cos(angles)[:, None] * palmar + np.sin(angles)[:, None] * outer
        rows.append(weave.place(cast(solid, np.repeat(center[None], 8, axis=0), directions, 0.03, 96)))
    tip = cast(solid, line[2][None], (line[3] - line[2])[None], 0.06)
    rows.append(np.repeat(weave.place(tip), 8))
    weave.quads(rows, "right hand", closed=True)


def laid_foot(weave: Weave, solid: Part, bones: Bones, ankle: Rows, length: float, width: float) -> None:
    """Lay foot and toes on from the ankle: columns 19, 0 to 7 above, 17 to 9 below, 18 inside and 8 outside."""
    angles = np.radians((np.arange(LEG) - 18) * 360.0 / LEG)
    flat = np.zeros((LEG, 3))
    flat[[19, 0, 1, 2, 3, 4, 5, 6, 7], 1] = 1.0
    flat[9:18, 1] = -1.0
    flat[18, 0], flat[8, 0] = 1.0, -1.0
    x, tip, _ = np.array(TOES).T * np.array([[width], [length], [1.0]])

    def spread(values: Array, short: float = 0.0) -> Array:
        column = np.empty(LEG)
        between = 0.5 * (values[1:] + values[:-1]) if not short else np.minimum(values[1:], values[:-1]) - short
        for crest, groove in (([19, 1, 3, 5, 7], [0, 2, 4, 6]), ([17, 15, 13, 11, 9], [16, 14, 12, 10])):
            column[crest], column[groove] = values, between
        column[18], column[8] = values[0], values[-1]
        return column

    place, ends = spread(x), spread(tip, 0.005)
    ends[[18, 8]] -= 0.012
    rows = [ankle]
    for degrees, y, z in (
        (12.0, -0.016, 0.003),
        (26.0, -0.032, 0.013),
        (36.0, -0.041, 0.022),
        (48.0, -0.048, 0.036),
        (68.0, -0.050, 0.058),
        (90.0, -0.048, 0.084),
    ):
        front = np.array([0.0, np.sin(np.radians(degrees)), np.cos(np.radians(degrees))])
        directions = np.cos(angles)[:, None] * [1.0, 0.0, 0.0] + np.sin(angles)[:, None] * front
        anchor = by(bones.ankle, 0.0, y, z * length)
        rows.append(weave.place(cast(solid, np.repeat(anchor[None], LEG, axis=0), directions, 0.12)))
    upright = np.stack([np.cos(angles), np.sin(angles), np.zeros(LEG)], axis=1)
    for t, y, z in ((0.60, -0.049, 0.107 * length), (0.9, -0.0525, bones.ball[2] - bones.ankle[2])):
        anchors = bones.ankle + np.stack([t * place, np.full(LEG, y), np.full(LEG, z)], axis=1)
        rows.append(weave.place(cast(solid, anchors, (1 - t) * upright + t * flat, 0.1)))
    ball = len(rows)
    start = bones.ball[2] - bones.ankle[2]
    for share in (0.35, 0.70, 0.97):
        along = start + share * (ends - start)
        anchors = bones.ankle + np.stack([place, 0.010 - bones.ankle[1] + 0 * place, along], axis=1)
        rows.append(weave.place(cast(solid, anchors, flat, 0.1)))
    weave.quads([row[::-1] for row in rows[:ball]], "right foot", closed=True)
    weave.quads([row[::-1] for row in rows[ball - 1 :]], "right toes", closed=True)
    last = rows[-1]
    above = last[[18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8]]
    below = last[[18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8]]
    weave.quads([above[::-1], below[::-1]], "right toes")
