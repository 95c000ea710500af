"""Opening damaged files in the document: one line that says where, and what was open stays as it was, bit for bit."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from app.document.document import Document
from core.animation import Sequence
from core.formats import Project, load, save

QUICK, FULL = 300, 3000
TOKENS = (
    "nan",
    "1e999",
    "-1",
    "99999999999",
    '"',
    "{",
    "]",
    "end",
    "hinge q 1 2",
    "vertices 9e9",
    "null",
    "\x00",
    "é",
    "\n",
)
PLACED = re.compile(r"^[\w ./-]+\.(scr|pol|seq)(:\d+(:\d+)?)?: \S")


def damage(text: str, rng: random.Random) -> bytes:
    """Return a file's bytes after a few cuts, repeats, swaps of bytes or foreign words."""
    data = bytearray(text.encode())
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(5)
        if kind == 0:
            del data[at : min(end, at + rng.choice((1, 5, 60, 5000)))]
        elif kind == 1:
            data[at:at] = rng.choice(TOKENS).encode()
        elif kind == 2:
            data[at:at] = data[at : min(end, at + 200)]
        elif kind == 3 and data:
            data[min(at, len(data) - 1)] = rng.randrange(256)
        else:
            del data[at:]
        if not data:
            data = bytearray(b"#")
    return bytes(data)


@pytest.fixture
def folder(tmp_path: Path, skeletons_folder: Path) -> Path:
    """A folder with a whole figure, its objects and a sequence of it."""
    shutil.copy(skeletons_folder / "stickman.scr", tmp_path / "man.scr")
    shutil.copytree(skeletons_folder / "stickman", tmp_path / "stickman")
    figure = load(tmp_path / "man.scr").figures[0]
    sequence = Sequence(figure, fps=24, name="nod")
    rng = np.random.default_rng(3)
    for frame in (0, 7, 20):
        q = figure.rest_pose()
        q[3:] = np.clip(q[3:] + rng.normal(0.0, 0.2, figure.n_dofs), figure.limits[:, 0], figure.limits[:, 1])
        sequence.set_key(frame, q)
    save(Project((figure,), (sequence,)), tmp_path / "man.seq")
    return tmp_path


def attack(folder: Path, count: int) -> tuple[int, int]:
    """Open ``count`` damaged files; return how many were refused and how many could still be read."""
    document = Document()
    assert document.files.open(folder / "man.seq")
    reported: list[tuple[str, str, str]] = []
    document.message.connect(lambda *message: reported.append(message))
    targets = [folder / "man.scr", folder / "man.seq", *sorted((folder / "stickman").glob("*.pol"))[:2]]
    whole = {target: target.read_bytes() for target in targets}
    refused = read = 0
    for number in range(count):
        rng = random.Random(number)
        target = targets[number % len(targets)]
        target.write_bytes(damage(whole[target].decode(), rng))
        before = document.state_json()
        reported.clear()
        opened = document.files.open(target if target.suffix != ".pol" else folder / "man.scr")
        if opened:
            read += 1
            target.write_bytes(whole[target])
            assert document.files.open(folder / "man.seq")
        else:
            refused += 1
            level, line, details = reported[-1]
            assert level == "error" and "\n" not in line and "Traceback" not in line + details
            assert PLACED.match(line), line
            assert document.state_json() == before
        target.write_bytes(whole[target])
    return refused, read


def test_damaged_files_never_harm_the_open_document(folder: Path) -> None:
    refused, read = attack(folder, QUICK)
    assert refused + read == QUICK and refused > QUICK // 2


@pytest.mark.verify
def test_damaged_files_never_harm_the_open_document_full(folder: Path) -> None:
    assert sum(attack(folder, FULL)) == FULL
