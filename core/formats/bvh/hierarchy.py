"""The HIERARCHY part of a BVH file: joints with their offsets, channels and End Sites."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.errors import Problem
from core.formats.bvh.scanner import Scanner, finite_number, shown

POSITIONS = ("xposition", "yposition", "zposition")
ROTATIONS = ("xrotation", "yrotation", "zrotation")
CHANNELS = tuple(name.capitalize() for name in (*POSITIONS, *ROTATIONS))
"""What a channel may be called, as it is usually spelled."""

MOST_JOINTS = 1000
LONGEST_NAME = 120
MOST_CHANNELS = 24  # of one joint
_LISTED = 5


@dataclass
class Node:
    """A ROOT or JOINT as the file has it.

    Attributes:
        name: Its name, unique in its figure.
        parent: Index of its parent among all nodes; -1 for a root.
        offset: Shape (3,), [units of the file].
        channels: Its channels in the file's order: True and the axis for a position, False and the axis for a rotation.
        tips: Its End Sites, each of shape (3,), [units of the file].
        first: Number of its first channel among those of the whole file.
    """

    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    channels: list[tuple[bool, int]] = field(default_factory=list)
    tips: list[Array] = field(default_factory=list)
    first: int = 0

    @property
    def positions(self) -> list[tuple[int, int]]:
        """Axis and channel number of each position channel, in the file's order."""
        return [(axis, self.first + k) for k, (moves, axis) in enumerate(self.channels) if moves]

    @property
    def rotations(self) -> list[tuple[int, int]]:
        """Axis and channel number of each rotation channel, in the file's order."""
        return [(axis, self.first + k) for k, (moves, axis) in enumerate(self.channels) if not moves]


def _quoted(name: str) -> str:
    return shown(name.encode("utf-8"))


def read_hierarchy(scanner: Scanner) -> tuple[list[Node], list[Problem]]:
    """Return the joints of all figures, depth first, and what could be lived with; the scanner is past MOTION then.

    Args:
        scanner: At the beginning of the file.

    Raises:
        FormatError: At the first thing that makes no sense.
    """
    return _Reader(scanner).read()


class _Reader:
    def __init__(self, scanner: Scanner):
        self.scanner = scanner
        self.nodes: list[Node] = []
        self.warnings: list[Problem] = []
        self.taken: set[str] = set()  # names of the figure that is being read
        self.renamed: list[tuple[str, str, int]] = []
        self.without_offset: list[tuple[str, int]] = []
        self.channels = 0

    def read(self) -> tuple[list[Node], list[Problem]]:
        scanner = self.scanner
        if scanner.word().upper() != b"HIERARCHY":
            raise scanner.fail("this is not a BVH file; it must begin with HIERARCHY")
        while True:
            word = scanner.word()
            key = word.upper()
            if key == b"ROOT":
                self.taken = set()
                self.joint()
            elif key == b"MOTION" and self.nodes:
                break
            elif not word and self.nodes:
                self.warnings.append(scanner.problem("the file has no MOTION; the figure is read without"))
                break
            elif not word:
                raise scanner.fail("the file ends without a ROOT; a figure begins with one")
            else:
                wanted = "ROOT or MOTION" if self.nodes else "ROOT"
                raise scanner.fail(f"{shown(word)} stands where {wanted} should")
        self.report_oddities()
        return self.nodes, self.warnings

    def joint(self) -> None:
        """Read a ROOT and everything in it; the scanner is past the word ROOT."""
        stack = [self.begin(-1)]
        given: list[set[bytes]] = [set()]
        scanner = self.scanner
        while stack:
            word = scanner.word()
            key = word.upper()
            node = self.nodes[stack[-1]]
            if key in (b"OFFSET", b"CHANNELS"):
                if key in given[-1]:
                    raise scanner.fail(f"{key.decode()} appears twice in {_quoted(node.name)}")
                given[-1].add(key)
            if key == b"OFFSET":
                node.offset = self.offset()
            elif key == b"CHANNELS":
                self.read_channels(node)
            elif key == b"JOINT":
                stack.append(self.begin(stack[-1]))
                given.append(set())
            elif key == b"END":
                node.tips.append(self.end_site())
            elif word == b"}":
                if b"OFFSET" not in given[-1]:
                    self.without_offset.append((node.name, scanner.start))
                stack.pop()
                given.pop()
            elif not word:
                raise scanner.fail(f"the file ends inside {_quoted(node.name)}; a closing brace is missing")
            else:
                choices = "OFFSET, CHANNELS, JOINT, End Site or a closing brace"
                raise scanner.fail(f"{shown(word)} makes no sense in {_quoted(node.name)}; expected {choices}")

    def begin(self, parent: int) -> int:
        """Read a joint's name and opening brace; return its number."""
        scanner = self.scanner
        keyword = scanner.start
        if len(self.nodes) >= MOST_JOINTS:
            raise scanner.fail(f"the file has more than {MOST_JOINTS} joints; figures of that size are not read")
        name = self.unique(scanner.name(), keyword)
        scanner.brace(b"{", f"the name {_quoted(name)}")
        self.nodes.append(Node(name, parent))
        return len(self.nodes) - 1

    def unique(self, raw: bytes, at: int) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        clean = " ".join(text.split())
        name = "".join(letter if letter.isprintable() else "_" for letter in clean)[:LONGEST_NAME]
        name = name or f"joint {len(self.nodes) + 1}"
        free, k = name, 2
        while free in self.taken:
            free, k = f"{name}_{k}", k + 1
        if free != text:
            self.renamed.append((text, free, at))
        self.taken.add(free)
        return free

    def offset(self) -> Array:
        return np.array([self.scanner.number(f"the {letter} of OFFSET x y z") for letter in "xyz"])

    def read_channels(self, node: Node) -> None:
        scanner = self.scanner
        word = scanner.word()
        count = finite_number(word)
        if count is None or count != int(count) or not 0 <= count <= MOST_CHANNELS:
            raise scanner.fail(f"{shown(word)} is not a number of channels; expected 0 to {MOST_CHANNELS}")
        node.first = self.channels  # rows hold the values in the order in which channels are declared
        for k in range(int(count)):
            word = scanner.word()
            channel = word.decode("latin-1").lower()
            if channel in ROTATIONS:
                node.channels.append((False, ROTATIONS.index(channel)))
            elif channel in POSITIONS:
                found = (True, POSITIONS.index(channel))
                if found in node.channels:
                    raise scanner.fail(f"{shown(word)} appears twice in the channels of {_quoted(node.name)}")
                node.channels.append(found)
            else:
                valid = ", ".join(CHANNELS)
                message = f"{shown(word)} is not a channel, number {k + 1} of {int(count)}; valid are {valid}"
                raise scanner.fail(message)
        self.channels += int(count)

    def end_site(self) -> Array:
        scanner = self.scanner
        scanner.name()  # "Site", or whatever else the file calls it
        scanner.brace(b"{", "End Site")
        tip = np.zeros(3)
        while True:
            word = scanner.word()
            key = word.upper()
            if key == b"OFFSET":
                tip = self.offset()
            elif key == b"CHANNELS" and scanner.peek() == b"0":
                scanner.word()
            elif word == b"}":
                return tip
            elif not word:
                raise scanner.fail("the file ends inside an End Site; a closing brace is missing")
            else:
                raise scanner.fail(f"{shown(word)} makes no sense in an End Site; expected OFFSET or a closing brace")

    def report_oddities(self) -> None:
        """Say what was changed or made up, each kind once however often it happened."""
        scanner = self.scanner
        if self.renamed:
            pairs = [f"{_quoted(old)} is now {_quoted(new)}" for old, new, _ in self.renamed[:_LISTED]]
            more = len(self.renamed) - len(pairs)
            text = ", ".join(pairs) + (f" and {more} more" if more else "")
            message = f"names must differ and stand on one line: {text}"
            self.warnings.append(scanner.problem(message, self.renamed[0][2]))
        if self.without_offset:
            names = ", ".join(_quoted(name) for name, _ in self.without_offset[:_LISTED])
            more = len(self.without_offset) - _LISTED
            text = names + (f" and {more} more" if more > 0 else "")
            message = f"no OFFSET for {text}; taken as 0 0 0"
            self.warnings.append(scanner.problem(message, self.without_offset[0][1]))
