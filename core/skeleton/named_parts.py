"""What the name of a joint says of the part of the body that it carries, in the ways that programs name joints."""

from __future__ import annotations

import re

from core.skeleton.mirroring.mirror import LEFT, name_side, name_words

PELVIS, TRUNK, NECK, HEAD = "pelvis", "trunk", "neck", "head"
CLAVICLE, UPPER_ARM, FOREARM, HAND, FINGER = "clavicle", "upper arm", "forearm", "hand", "finger"
CONNECTOR, THIGH, SHANK, FOOT, TOE = "connector", "thigh", "shank", "foot", "toe"
LIMB, HELPER = "limb", "helper"

_SIDES = ("left", "right", "l", "r", "lft", "rgt", "lt", "rt")
_PARTS = re.compile(
    "foot|ankle|hand|wrist|toe|thumb|finger|clavicle|collar|shoulder|arm|uparm|forearm|humerus|radius|ulna|elbow|"
    "hip|leg|upleg|thigh|femur|knee|tibia|shin|calf|eye"
)

# What a name says outright, in the order in which it is asked.
_SAYS: tuple[tuple[str, str], ...] = tuple(
    (part, pattern)
    for part, pattern in (
        (HELPER, r"nub$|site$|^end|end$|effector|helper|twist|(^|\b)ik|breast|nipple|weapon|prop|camera|dummy"),
        (FINGER, r"thumb|finger|index|middle|pinky|pinkie|knuckle|carpal|^ring|handring|little"),
        (TOE, r"toe|^ball"),
        (HAND, r"hand|wrist|palm"),
        (FOREARM, r"forearm|lowerarm|lowarm|arml|radius|ulna|elbow"),
        (UPPER_ARM, r"upperarm|uparm|humerus"),
        (CLAVICLE, r"clavicle|collar|scapula"),
        (FOOT, r"foot|ankle"),
        (SHANK, r"shin|calf|tibia|knee|lowerleg|lowleg|shank"),
        (CONNECTOR, r"hipjoint"),
        (THIGH, r"thigh|femur|upperleg|upleg"),
        (NECK, r"neck|cervical"),
        (HEAD, r"head|skull"),
        (TRUNK, r"spine|back|chest|torso|thorax|abdomen|belly|waist|rib|trunk|lumbar"),
        (PELVIS, r"pelvis|hips?$"),
    )
)


def name_key(name: str) -> tuple[str, int]:
    """Return a joint's name in small plain letters without its side, and the side: 1 left, -1 right, 0 neither."""
    plain = name.rpartition(":")[2]
    words = [word.lower() for word in name_words(plain) if word.isalpha()]
    side = name_side(plain)
    if side:
        rest = [word.removeprefix(side).removesuffix(side) for word in words if word not in _SIDES]
        return "".join(rest), 1 if side == LEFT else -1
    # "lfemur": a first letter is a side where the rest is the name of a part.
    if words and words[0][0] in "lr" and _PARTS.match(words[0][1:]):
        return "".join([words[0][1:], *words[1:]]), 1 if words[0][0] == "l" else -1
    return "".join(words), 0


def said(key: str) -> str | None:
    """Return the part that a name without its side says outright, or None."""
    return next((part for part, pattern in _SAYS if re.search(pattern, key)), None)
