"""Where a motion may be put as it is read or written: choices of files of other programs, in words."""

from __future__ import annotations

from core.formats.importing.choices import AVERAGE, FIRST, LOWEST

FLOORS = ((LOWEST, "Lowest point on the floor"), (FIRST, "First frame on the floor"))
FRONTS = ((FIRST, "Facing the front in the first frame"), (AVERAGE, "Facing the front on average"))
