"""Runs in Blender's own Python: how long it takes to import a BVH file, run by run. Knows nothing of the project.

python time_import.py FILE.bvh RUNS
"""

from __future__ import annotations

import json
import sys
import time


def main(file: str, runs: str) -> None:
    """Print the processor time and the time of each run as one line of JSON, and how many frames there were."""
    import bpy

    found = []
    for _ in range(int(runs)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        start, worked = time.perf_counter(), time.process_time()
        bpy.ops.import_anim.bvh(filepath=file)
        found.append([time.process_time() - worked, time.perf_counter() - start])
    frames = round(bpy.data.actions[0].frame_range[1] - bpy.data.actions[0].frame_range[0]) + 1
    print("\n" + json.dumps({"runs": found, "frames": frames, "version": bpy.app.version_string}))


if __name__ == "__main__":
    main(*sys.argv[-2:])
