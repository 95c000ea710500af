"""Another program that reads or writes for us, in a process of its own: it can be cancelled, and may crash."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.errors import FormatError, Problem
from core.progress import Progress, report

_LOOK = 0.1  # [s] between two looks whether it is done
_USUAL = 10.0  # [s] after which half of the progress is shown: nobody knows how long it takes
_LONGEST = 1800.0  # [s]


def run(
    words: Sequence[str],
    file: str,
    name: str,
    progress: Progress | None,
    folder: Path | None = None,
    scratch: Path | None = None,
) -> str:
    """Run a program to its end; return the last line of what it said.

    Args:
        words: Its command.
        file: Name of the file that is read or written, for messages.
        name: What the program is called in them.
        progress: Told what is done.
        folder: Where it runs; None for here.
        scratch: Where it puts temporary files, which it cannot take away itself where it is ended; None for the usual.

    Raises:
        FormatError: If it cannot be started, fails or does not come to an end; gives the last line of what it said.
        Cancelled: If ``progress`` did so; the program is ended.
    """
    # What it says goes to a file: a full pipe would stop it.
    around = os.environ | ({} if scratch is None else dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)))
    with tempfile.TemporaryFile() as said:
        try:
            child = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=around,
            )
        except OSError as error:
            message = f"{name} cannot be started ({words[0]}): {error.strerror or error}"
            raise FormatError(Problem(file, 0, 0, message)) from None
        waited = 0.0
        try:
            while True:
                try:
                    code = child.wait(_LOOK)
                    break
                except subprocess.TimeoutExpired:
                    waited += _LOOK
                    report(progress, waited / (waited + _USUAL))
                    if waited > _LONGEST:
                        raise FormatError(Problem(file, 0, 0, f"{name} did not come to an end")) from None
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        said.seek(0)
        lines = [line for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        last = lines[-1].strip()[:160] if lines else ""
        if code < 0:
            raise FormatError(Problem(file, 0, 0, f"{name} crashed over it (signal {-code})"))
        if code:
            raise FormatError(Problem(file, 0, 0, f"{name} cannot do that: {last or f'it ended with code {code}'}"))
    report(progress, 1.0)
    return last
