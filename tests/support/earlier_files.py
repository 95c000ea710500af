"""Files as earlier versions of the program wrote them, with what they played there: what is written stays the same."""

from __future__ import annotations

from typing import Any, NamedTuple

PAIR = """define skeleton "pair"
    joint "base"
    joint "ball"
    joint "elbow"
end skeleton

define joint "base"
end joint

define joint "ball"
    offset 0 0.5 0
    hinge x -170 170
    hinge y -80 80
    hinge z -170 170
end joint

define joint "elbow"
    offset 0 0.4 0
    hinge x 0 140
end joint
"""


class Earlier(NamedTuple):
    """A file of an earlier version.

    Attributes:
        data: What it holds.
        frames: Frames of its first sequence, shape (m,).
        interpolated: Poses that the program that wrote it had there without locks, shape (m, nq).
        held: The same with its locks.
    """

    data: dict[str, Any]
    frames: list[float]
    interpolated: list[list[float]]
    held: list[list[float]]


EARLIER = {
    1: Earlier(
        {
            "format": "sequence-editor",
            "version": 1,
            "units": "m, rad, s",
            "figures": [
                {
                    "name": "pair",
                    "scr": PAIR,
                    "source": None,
                    "sha256": "90e52fd0bdcaf73b15efd1edc933dcfed953ab6ff67d168ef39e9c7c05bc3b6f",
                }
            ],
            "sequences": [
                {
                    "name": "Old",
                    "menu": None,
                    "figure": 0,
                    "fps": 24,
                    "range": [0, None],
                    "loop": False,
                    "keys": [
                        {
                            "frame": 0,
                            "q": [-0.2, -0.05, 0.5, -0.84, 0.21, -0.25, 1.64],
                            "interp": "spline",
                            "part": None,
                            "turns": False,
                        },
                        {
                            "frame": 5,
                            "q": [0.04, -0.48, 0.07, 0.8, -0.05, -0.14, 1.62],
                            "interp": "linear",
                            "part": None,
                            "turns": True,
                        },
                        {
                            "frame": 9,
                            "q": [-0.45, 0.68, -0.57, 0.86, -0.64, 0.22, 1.47],
                            "interp": "stepped",
                            "part": None,
                            "turns": False,
                        },
                        {
                            "frame": 14,
                            "q": [-0.2, 0.11, -0.03, -0.0, -0.01, 0.0, 1.93],
                            "interp": "catmull_rom",
                            "part": None,
                            "turns": False,
                        },
                        {
                            "frame": 20,
                            "q": [0.23, -0.64, -0.1, 0.28, 0.88, 0.16, 0.68],
                            "interp": "centripetal",
                            "part": None,
                            "turns": False,
                        },
                    ],
                    "strips": [
                        {
                            "id": "bba2c006",
                            "lock": {
                                "joint": "elbow",
                                "kind": "position",
                                "point": [0.0, 0.1, 0.0],
                                "target": [-0.20093616144944346, 0.974847115805904, 0.06361302438537628],
                            },
                            "start": 14,
                            "end": 20,
                        }
                    ],
                    "locks": [],
                    "script": None,
                    "audio": None,
                }
            ],
            "view": {},
            "physics": {},
        },
        [0, 1.5, 5, 6.5, 9, 11.25, 14, 17, 20, 25],
        [
            [-0.2, -0.05, 0.5, -0.84, 0.21, -0.25, 1.64],
            [
                -0.10413000000000001,
                -0.23164,
                0.38136000000000003,
                -0.3009922663671798,
                0.13807938804935227,
                -0.2555251246062497,
                1.63869,
            ],
            [0.04, -0.48, 0.07, 0.8, -0.05, -0.14, 1.62],
            [-0.14375, -0.04499999999999993, -0.16999999999999996, 0.8225, -0.27125, -0.0050000000000000044, 1.56375],
            [-0.45, 0.68, -0.57, 0.86, -0.64, 0.22, 1.47],
            [-0.45, 0.68, -0.57, 0.86, -0.64, 0.22, 1.47],
            [-0.2, 0.11, -0.03, -0.0, -0.01, 0.0, 1.93],
            [
                0.0037499999999999756,
                -0.25375000000000003,
                -0.026874999999999982,
                0.0737448414876721,
                0.41580975843752643,
                0.11006902188442345,
                1.411875,
            ],
            [0.23, -0.64, -0.1, 0.28, 0.88, 0.16, 0.68],
            [0.23, -0.64, -0.1, 0.28, 0.88, 0.16, 0.68],
        ],
        [
            [-0.2, -0.05, 0.5, -0.84, 0.21, -0.25, 1.64],
            [
                -0.10413000000000001,
                -0.23164,
                0.38136000000000003,
                -0.3009922663671798,
                0.13807938804935227,
                -0.2555251246062497,
                1.63869,
            ],
            [0.04, -0.48, 0.07, 0.8, -0.05, -0.14, 1.62],
            [-0.14375, -0.04499999999999993, -0.16999999999999996, 0.8225, -0.27125, -0.0050000000000000044, 1.56375],
            [-0.45, 0.68, -0.57, 0.86, -0.64, 0.22, 1.47],
            [-0.45, 0.68, -0.57, 0.86, -0.64, 0.22, 1.47],
            [-0.2, 0.11, -0.03, -0.0, -0.01, 0.0, 1.93],
            [
                -0.06838080261989715,
                0.0022923198536782007,
                0.00482711469268073,
                -0.05520582503662816,
                0.3318411251059751,
                0.31548323537950995,
                0.3785966048622507,
            ],
            [
                -0.11766984906235449,
                0.007972779501413911,
                -0.09426094200139673,
                0.16496501045508336,
                0.7025764570388329,
                0.23142971398278053,
                0.06537340372178808,
            ],
            [0.23, -0.64, -0.1, 0.28, 0.88, 0.16, 0.68],
        ],
    ),
}
"""By version; each one before the current one has a file here."""
