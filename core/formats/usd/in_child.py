"""Runs as a process of its own for ``apart``: reads or writes one USD file.

python -m core.formats.usd.in_child read FILE SCENE
python -m core.formats.usd.in_child write SCENE FILE
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from core.errors import FormatError
from core.formats.usd.reader import read_scene
from core.formats.usd.writer import write_scene


def main(way: str, source: Path, target: Path) -> None:
    """Read or write; the problems that were met take the place of the scene."""
    result: object = ()
    try:
        if way == "read":
            result = read_scene(source)
        else:
            scene, unit, up = pickle.loads(source.read_bytes())
            write_scene(scene, target, unit, up)
    except FormatError as error:
        result = error.problems
    (target if way == "read" else source).write_bytes(pickle.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
