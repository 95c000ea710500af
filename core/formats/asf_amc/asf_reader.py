"""Reading an ASF file: words in, sections out; every problem with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.asf_amc.asf_file import CHANNELS, FARTHEST, MOST_BONES, ROOT, AsfFile, Bone, shown

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_BLANKS = str.maketrans("(),\t", "    ")
_MOST_PROBLEMS = 20
_LISTED = 5


def read_asf(text: str, file: str) -> AsfFile:
    """Return what stands in an ASF file.

    Args:
        text: The whole file, line endings as newlines.
        file: Its name for messages.

    Raises:
        FormatError: If something in it makes no sense; lists up to twenty such things.
    """
    return _Reader(text, file).read()


class _Reader:
    def __init__(self, text: str, file: str):
        self.file = file
        self.raw = text.split("\n")
        self.found = AsfFile()
        self.problems: list[Problem] = []
        self.row = 0
        self.words: list[str] = []
        self.unknown: list[tuple[str, int]] = []
        self.sections: dict[str, Callable[[], None]] = {
            ":units": self.units,
            ":root": self.root,
            ":bonedata": self.bonedata,
            ":hierarchy": self.hierarchy,
        }

    # -- lines ---------------------------------------------------------------------------------------------------

    def advance(self) -> bool:
        """Go to the next line that holds something; False at the end of the file."""
        while self.row < len(self.raw):
            line = self.raw[self.row]
            self.row += 1
            self.words = line.partition("#")[0].translate(_BLANKS).split()
            if self.words:
                return True
        self.words = []
        return False

    def problem(self, message: str, word: int = 0) -> Problem:
        """Return a problem at a word of the current line."""
        line = self.raw[self.row - 1] if 0 < self.row <= len(self.raw) else ""
        column, at = 1, 0
        for text in self.words[: word + 1]:
            at = line.find(text, at)
            column, at = at + 1, at + len(text)
        return Problem(self.file, self.row, column, message)

    def complain(self, message: str, word: int = 0) -> None:
        self.problems.append(self.problem(message, word))
        if len(self.problems) >= _MOST_PROBLEMS:
            raise FormatError(self.problems)

    def number(self, word: int, what: str, infinite: bool = False) -> float:
        """The number at a place of the current line; 0 after a complaint."""
        if word >= len(self.words):
            self.complain(f'"{shown(" ".join(self.words))}" ends too early; expected {what}')
            return 0.0
        text = self.words[word]
        if infinite and _INFINITE.fullmatch(text):
            return float(text)
        # Digits past the 400th do not change a float any more, and take long.
        value = float(text) if len(text) <= 400 and _NUMBER.fullmatch(text) else math.nan
        if not abs(value) <= FARTHEST:
            said = "is out of range" if _NUMBER.fullmatch(text) else "is not a number"
            self.complain(f'"{shown(text)}" {said}; expected {what} within {FARTHEST:g}', word)
            return 0.0
        return value

    def triple(self, what: str) -> Array:
        return np.array([self.number(1 + k, f"{what} x y z") for k in range(3)])

    def letters(self, word: int, what: str) -> str:
        text = self.words[word].lower() if word < len(self.words) else ""
        if sorted(text) != ["x", "y", "z"]:
            self.complain(f'"{shown(text)}" is not an order of axes; expected {what} such as XYZ', word)
            return "xyz"
        return text

    # -- sections ------------------------------------------------------------------------------------------------

    def read(self) -> AsfFile:
        found = self.found
        seen: set[str] = set()
        more = self.advance()
        while more:
            word = self.words[0].lower()
            if not word.startswith(":"):
                if not seen:
                    raise FormatError(
                        self.problem("this is not an ASF file; it must begin with a keyword such as :version")
                    )
                self.unknown.append((self.words[0], self.row))
                more = self.advance()
            elif word in self.sections:
                if word in seen:
                    self.complain(f"{self.words[0]} appears twice; expected it once")
                seen.add(word)
                self.sections[word]()
                more = bool(self.words)
            elif word == ":documentation":
                self.documentation()
                more = bool(self.words)
            else:
                if word == ":name":
                    found.name = " ".join(self.words[1:])
                elif word not in (":version", ":skin"):
                    self.unknown.append((self.words[0], self.row))
                seen.add(word)
                more = self.advance()
                while more and word == ":skin" and not self.words[0].startswith(":"):
                    more = self.advance()
        for word in (":root", ":bonedata", ":hierarchy"):
            if word not in seen and not self.problems:
                self.problems.append(Problem(self.file, 0, 0, f"has no {word} section; an ASF file needs one"))
        if not self.problems:
            self.check_hierarchy()
        if self.problems:
            raise FormatError(self.problems)
        self.report_unknown()
        return found

    def inside(self) -> bool:
        """Go to the next line of a section; False if it begins another one or the file ends."""
        return self.advance() and not self.words[0].startswith(":")

    def documentation(self) -> None:
        self.words = []
        while self.row < len(self.raw):
            line = self.raw[self.row].strip()
            if line.startswith(":"):
                self.advance()
                return
            self.row += 1
            self.found.notes.append(line)

    def units(self) -> None:
        found = self.found
        while self.inside():
            word = self.words[0].lower()
            if word == "angle":
                found.degrees = self.angle_unit(1)
            elif word in ("mass", "length"):
                value = self.number(1, f"{word}, a number above 0")
                if not value > 0.0:
                    if not self.problems:
                        self.complain(f"{word} {value:g} makes no sense; expected a number above 0", 1)
                elif word == "mass":
                    found.mass = value
                else:
                    found.length = value
            else:
                self.unknown.append((self.words[0], self.row))

    def angle_unit(self, word: int) -> bool:
        text = self.words[word].lower() if word < len(self.words) else ""
        if not text.startswith(("deg", "rad")):
            self.complain(f'"{shown(text)}" is not a unit of angles; expected deg or rad', word)
        return not text.startswith("rad")

    def root(self) -> None:
        bone = Bone(ROOT, self.row)
        while self.inside():
            word = self.words[0].lower()
            if word == "order":
                bone.dofs = self.channels(CHANNELS)
            elif word == "axis":
                bone.order = self.letters(1, "axis")
            elif word == "position":
                bone.position = self.triple("position")
            elif word == "orientation":
                bone.axis = self.triple("orientation")
            else:
                self.unknown.append((self.words[0], self.row))
        self.found.bones = {ROOT: bone, **self.found.bones}

    def channels(self, valid: tuple[str, ...]) -> tuple[str, ...]:
        found: list[str] = []
        for k, text in enumerate(self.words[1:], 1):
            channel = text.lower()
            if channel not in valid:
                self.complain(f'"{shown(text)}" is not a degree of freedom; valid are {", ".join(valid)}', k)
            elif channel in found:
                self.complain(f"{channel} appears twice; expected it once", k)
            else:
                found.append(channel)
        return tuple(found)

    def bonedata(self) -> None:
        bone: Bone | None = None
        more = self.inside()
        while more:
            word = self.words[0].lower()
            if word == "begin":
                if bone is not None:
                    self.complain(f'"{shown(bone.name)}" has no end before the next begin')
                    self.keep(bone)
                bone = Bone("", self.row)
            elif bone is None:
                self.complain(f'"{shown(self.words[0])}" stands outside begin and end')
            elif word == "end":
                self.keep(bone)
                bone = None
            elif word == "limits":
                more = self.limits(bone)
                continue
            else:
                self.bone_line(bone, word)
            more = self.inside()
        if bone is not None:
            self.problems.append(Problem(self.file, bone.line, 0, f'bone "{shown(bone.name)}" has no end'))

    def bone_line(self, bone: Bone, word: str) -> None:
        """Read a line inside a bone."""
        match word:
            case "id":
                pass
            case "name":
                bone.name = "".join(c if c.isprintable() else "_" for c in " ".join(self.words[1:]))
            case "direction":
                bone.direction = self.triple("direction")
            case "length":
                bone.length = self.number(1, "length")
                if bone.length < 0.0:
                    self.complain(f"length {bone.length:g} makes no sense; expected 0 or more", 1)
            case "axis":
                bone.axis = self.triple("axis")
                bone.order = self.letters(4, "axis x y z") if len(self.words) > 4 else "xyz"
            case "dof":
                bone.dofs = self.channels((*CHANNELS, "l"))
            case "bodymass":
                bone.mass = self.number(1, "a mass")
                if bone.mass < 0.0:
                    self.complain(f"mass {bone.mass:g} makes no sense; expected 0 or more", 1)
            case "cofmass":
                bone.center = self.number(1, "a place along the bone")
            case _:
                self.unknown.append((self.words[0], self.row))

    def limits(self, bone: Bone) -> bool:
        """Read pairs of numbers, up to the next line that begins with a word; False if the section ends there."""
        first, values = 1, list[float]()
        while True:
            values += [self.number(k, "limits in pairs", infinite=True) for k in range(first, len(self.words))]
            first = 0
            more = self.inside()
            if not more or not (_NUMBER.fullmatch(self.words[0]) or _INFINITE.fullmatch(self.words[0])):
                break
        if len(values) % 2:
            message = f'bone "{shown(bone.name)}" has {len(values)} numbers as limits; expected pairs'
            self.problems.append(Problem(self.file, bone.line, 0, message))
        bone.limits = list(zip(values[::2], values[1::2], strict=False))
        return more

    def keep(self, bone: Bone) -> None:
        """Take a bone whose end is there."""
        key = bone.name.lower()
        if not key or key == ROOT or key in self.found.bones:
            wanted = {"": "has no name", ROOT: "is named like the root"}.get(
                key, f'"{shown(bone.name)}" is there twice'
            )
            self.problems.append(Problem(self.file, bone.line, 0, f"a bone {wanted}; names must be there and differ"))
            if len(self.problems) >= _MOST_PROBLEMS:
                raise FormatError(self.problems)
            return
        if len(self.found.bones) > MOST_BONES:
            raise FormatError(self.problem(f"more than {MOST_BONES} bones; figures of that size are not read"))
        self.found.bones[key] = bone

    # -- the tree ------------------------------------------------------------------------------------------------

    def hierarchy(self) -> None:
        bones = self.found.bones
        while self.inside():
            if self.words[0].lower() in ("begin", "end") and len(self.words) == 1:
                continue
            names = self.joined()
            for k, name in enumerate(names):
                if name.lower() not in bones:
                    self.complain(f'there is no bone "{shown(name)}"; expected one of :bonedata, or root', k)
                elif k and names[0].lower() in bones:
                    bones[names[0].lower()].children.append(name.lower())

    def joined(self) -> list[str]:
        """The words of a line as names; one that has blanks in it is recognised by the bones there are."""
        if all(word.lower() in self.found.bones for word in self.words):
            return self.words
        names: list[str] = []
        k = 0
        while k < len(self.words):
            size = next((n for n in range(min(6, len(self.words) - k), 1, -1) if self.known(self.words[k : k + n])), 1)
            names.append(" ".join(self.words[k : k + size]))
            k += size
        return names

    def known(self, words: list[str]) -> bool:
        return " ".join(words).lower() in self.found.bones

    def check_hierarchy(self) -> None:
        """Complain of bones that hang nowhere, or at two places."""
        found = self.found
        above: dict[str, str] = {}
        for name, bone in found.bones.items():
            for child in bone.children:
                if child == ROOT or child in above:
                    place = (
                        "under a bone" if child == ROOT else f'under "{shown(above[child])}" and under "{shown(name)}"'
                    )
                    message = f'"{shown(found.bones[child].name)}" hangs {place}; expected a tree with one root'
                    self.problems.append(Problem(self.file, found.bones[child].line, 0, message))
                above[child] = name
        if self.problems:
            return
        reached = {id(bone) for bone, _ in found.depth_first()}
        for bone in found.bones.values():
            if id(bone) not in reached:
                message = f'bone "{shown(bone.name)}" does not hang on the root; expected it in :hierarchy'
                self.problems.append(Problem(self.file, bone.line, 0, message))

    def report_unknown(self) -> None:
        if self.unknown:
            words = list(dict.fromkeys(word for word, _ in self.unknown))
            text = ", ".join(f'"{shown(word)}"' for word in words[:_LISTED])
            more = f" and {len(words) - _LISTED} more" if len(words) > _LISTED else ""
            self.found.warnings.append(
                Problem(self.file, self.unknown[0][1], 0, f"left out what is unknown: {text}{more}")
            )
