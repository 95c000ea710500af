"""What the texts of equations name: joints, parts and figures, other names for them, and those of the other side."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from core.skeleton.joint import dof_letters
from core.skeleton.mirroring.pose_mirror import counterpart, pose_mirror
from core.skeleton.skeleton import Skeleton

_PROBE = 1e-3  # [rad] and [m]: which way a mirror turns a joint
_NUMBER = r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?"
REFERENCE = re.compile(
    r'(?P<letter>[xyz])\(\s*(?:"(?P<home>[^"]*)"\.)?"(?P<part>[^"]*)"\s*'
    rf"(?:,\s*(?P<a>{_NUMBER})\s*,\s*(?P<b>{_NUMBER})\s*,\s*(?P<c>{_NUMBER})\s*)?\)"
    r'|(?:"(?P<whose>[^"]*)"\.)?"(?P<joint>[^"]*)"\.(?P<word>-?\w+)'
)
"""A coordinate of a joint or of a place in a text, of the figure itself or of one that is named."""


def figure_in(match: re.Match[str]) -> str | None:
    """Return the other figure that a reference names, None for the figure itself."""
    return match["home"] if match["joint"] is None else match["whose"]


def joint_in(match: re.Match[str]) -> str:
    """Return the joint that a reference names."""
    return str(match["part"] if match["joint"] is None else match["joint"])


def joints_in(text: str) -> list[str]:
    """Return the joints of the figure itself that equations name, in their order, each once."""
    found = [joint_in(match) for match in REFERENCE.finditer(text) if figure_in(match) is None]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=512)
def parts_in(text: str) -> tuple[tuple[str | None, str], ...]:
    """Return the joints that equations name, each once, with the figure that they are of if that is another one."""
    return tuple(dict.fromkeys((figure_in(match), joint_in(match)) for match in REFERENCE.finditer(text)))


@lru_cache(maxsize=512)
def figures_in(text: str) -> tuple[str, ...]:
    """Return the other figures that equations name, in their order, each once."""
    found = [figure_in(match) for match in REFERENCE.finditer(text)]
    return tuple(dict.fromkeys(name for name in found if name is not None))


Renaming = Callable[[str | None, str], tuple[str | None, str] | None]
"""From a figure, None for the one that has the lock, and a joint to what both are called; None for what is gone."""


def renamed_in(text: str, new: Renaming) -> str | None:
    """Return equations with other names of figures and joints; None if one of them is gone."""
    gone = False

    def replaced(match: re.Match[str]) -> str:
        nonlocal gone
        found = new(figure_in(match), joint_in(match))
        if found is None:
            gone = True
            return match.group(0)
        figure, joint = found
        named = f'"{joint}"' if figure is None else f'"{figure}"."{joint}"'
        whole, start = match.group(0), match.start()
        which, owner = ("joint", "whose") if match["joint"] is not None else ("part", "home")
        a = match.start(which if match[owner] is None else owner) - 1 - start
        return whole[:a] + named + whole[match.end(which) + 1 - start :]

    made = REFERENCE.sub(replaced, text)
    return None if gone else made


def renamed_joints_in(text: str, name: Callable[[str], str | None]) -> str | None:
    """Return equations with other names of the figure's own joints; None if one of them is gone."""

    def new(figure: str | None, joint: str) -> tuple[str | None, str] | None:
        found = name(joint) if figure is None else joint
        return None if found is None else (figure, found)

    return renamed_in(text, new)


_SIGNED = re.compile(rf"\(-(?:{REFERENCE.pattern})\)".replace("?P<", "?P<signed_") + "|" + REFERENCE.pattern)


def mirrored_equations(text: str, s: Skeleton) -> str:
    """Return equations of the other side of a figure: mirrored twice they are themselves."""

    def other(match: re.Match[str]) -> str:
        whole = match.group(0)
        signed = whole.startswith("(-")
        inner = REFERENCE.fullmatch(whole[2:-1] if signed else whole)
        assert inner is not None
        made, sign = _mirrored_reference(inner, s)
        return f"(-{made})" if (sign < 0.0) != signed else made

    return _SIGNED.sub(other, text)


def _mirrored_reference(match: re.Match[str], s: Skeleton) -> tuple[str, float]:
    if figure_in(match) is not None:  # another figure stays where it is
        return match.group(0), 1.0
    if match["joint"] is None:
        name = _other_side(s, match["part"])
        given = [match[letter] for letter in "abc"]
        if given[0] is not None:
            given[0] = given[0][1:] if given[0].startswith("-") else f"-{given[0]}"
        tail = "" if given[0] is None else f", {', '.join(given)}"
        return f'{match["letter"]}("{name}"{tail})', -1.0 if match["letter"] == "x" else 1.0
    name, word = match["joint"], match["word"]
    if name not in s.joint_names:
        return match.group(0), 1.0
    i, j = s.joint_index(name), s.joint_index(_other_side(s, name))
    letters = dof_letters(s.joints[i])
    there = dof_letters(s.joints[j])
    if word not in letters or len(there) != len(letters):
        return f'"{s.joints[j].name}".{word}', 1.0
    k = letters.index(word)
    q = s.rest_pose()
    q[3 + s.first_dof[i] + k] += _PROBE
    change = pose_mirror(s).convert(q) - pose_mirror(s).convert(s.rest_pose())
    return f'"{s.joints[j].name}".{there[k]}', -1.0 if change[3 + s.first_dof[j] + k] < 0.0 else 1.0


def _other_side(s: Skeleton, name: str) -> str:
    return s.joints[counterpart(s, s.joint_index(name))].name if name in s.joint_names else name


def same_joint(old: Skeleton, new: Skeleton, name: str) -> bool:
    """Return whether a joint of two figures hangs on a joint of the same name by the same degrees of freedom."""
    if name not in old.joint_names or name not in new.joint_names:
        return False
    a, b = old.joints[old.joint_index(name)], new.joints[new.joint_index(name)]
    above = [s.joints[j.parent].name if j.parent >= 0 else None for s, j in ((old, a), (new, b))]
    return above[0] == above[1] and dof_letters(a) == dof_letters(b)
