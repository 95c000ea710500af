"""Drawing and writing in a process of its own, so that a window stays quick meanwhile: ``sequence-editor render``."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import app
from app.export.errors import ExportError
from app.export.movie import Progress
from app.export.whole_file import parts_left
from core.formats import Project, save
from core.formats.exchange.recording import Recording
from core.system_calls import end

_PERCENT = re.compile(r"^(?P<name>.*): (?P<percent>\d+) %$")
_PROGRAM = "sequence-editor: "
_EVERY = 0.1  # [s] between looks whether to go on
_PATIENCE = 5.0  # [s] for a child to clean up after itself


def render_in_child(
    project: Project, output: Path, words: Sequence[str], progress: Progress, recording: Recording | None = None
) -> str:
    """Draw a project's first sequence into a picture or movie; call from a thread, it takes its time.

    Args:
        project: What is drawn.
        output: The file.
        words: More of the command line, as ``["--size", "640x360"]``.
        progress: Told the share that is done, 0 to 1, often; may raise ``Cancelled``. Then no file is left.
        recording: What was simulated.

    Returns:
        What was written, as ``"1280 x 720, 1.07 s, 32 pictures"``.

    Raises:
        ExportError: If it could not be written; says why in one line.
        Cancelled: From ``progress``.
    """
    with tempfile.TemporaryDirectory(prefix="sequence-editor-") as folder:
        source = Path(folder) / "export.seq"
        save(project, source)
        words = list(words)
        if recording is not None:
            recording.write(Path(folder) / "recording.npz")
            words += ["--recording", str(Path(folder) / "recording.npz")]
        child = subprocess.Popen(
            [sys.executable, "-m", "app", "render", str(source), str(output), "--progress", *words],
            cwd=Path(app.__file__).resolve().parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        try:
            return _followed(child, output, progress)
        finally:
            _end(child, output)


def _followed(child: subprocess.Popen[str], output: Path, progress: Progress) -> str:
    lines: queue.Queue[str | None] = queue.Queue()
    assert child.stderr is not None and child.stdout is not None
    threading.Thread(target=_read, args=(child.stderr, lines), name="export", daemon=True).start()
    done, said = 0.0, ""
    while True:
        try:
            line = lines.get(timeout=_EVERY)
        except queue.Empty:
            progress(done)
            continue
        if line is None:
            break
        found = _PERCENT.match(line)
        if found and found["name"] == output.name:
            done = int(found["percent"]) / 100.0
        elif not found and not line.startswith("warning: "):
            said = line
        progress(done)
    line = child.stdout.read().strip()
    if child.wait() != 0:
        raise ExportError(said.removeprefix(_PROGRAM) or f"{output.name} could not be written")
    return line.rpartition(": ")[2]


def _read(stream: TextIO, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        if line.strip():
            lines.put(line.strip())
    lines.put(None)


def _end(child: subprocess.Popen[str], output: Path) -> None:
    """Stop the child if it still runs: politely, so that it removes what it began; else that is done here."""
    if child.poll() is None:
        end(child, _PATIENCE)
        for left in parts_left(output.parent, child.pid):
            left.unlink(missing_ok=True)
    for stream in (child.stdout, child.stderr):
        if stream is not None:
            stream.close()
