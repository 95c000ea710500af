"""A batch on a Dask cluster: the same bits as here, and a worker that is killed loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import batches
from tests.support.batches import write_clip, write_steps

distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra cluster")

ROOT = Path(__file__).resolve().parents[3]
EXPORT = 'do = "export"\nformat = "seq"'


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.batch import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with pytest.raises(cluster.ClusterError, match=r"tcp://127\.0\.0\.1:9: no scheduler answers"):
        cluster.Cluster("tcp://127.0.0.1:9", tmp_path / "seen")


def test_work_comes_back_from_workers_that_see_the_file(tmp_path: Path) -> None:
    """The scheduler and its worker are threads of this process."""
    from app.batch.cluster import Cluster, ClusterError

    seen = tmp_path / "seen"
    seen.touch()
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as local:
        found = list(Cluster(local.scheduler_address, seen).run(batches.doubled, range(20)))
        broken = list(Cluster(local.scheduler_address, seen).run(batches.broken, [1]))
        with pytest.raises(ClusterError, match=f"does not see {tmp_path / 'nowhere'}; every worker must see"):
            Cluster(local.scheduler_address, tmp_path / "nowhere")
    assert sorted(outcome.number for outcome in found) == list(range(20))
    assert all(outcome.value == 2 * outcome.number and not outcome.lost for outcome in found)
    assert broken[0].value is None and broken[0].lost == "the cluster could not do it: ValueError: 1"


@pytest.mark.verify
def test_a_killed_worker_loses_nothing_and_all_is_there_once(tmp_path: Path) -> None:
    for k in range(5):
        write_clip(tmp_path / "clips" / f"{k}.bvh", phase=k)
    steps = write_steps(tmp_path / "steps.toml", 'do = "simulate"\nseeds = 2\nduration = 0.3', EXPORT)

    def words(out: str, *more: str) -> list[str]:
        clips = str(tmp_path / "clips")
        return [sys.executable, "-m", "app", "batch", str(steps), clips, "-o", str(tmp_path / out), *more]

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]
        there = words("cluster", "--scheduler", cluster.scheduler_address)
        running = subprocess.Popen(there, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert running.stderr is not None
        lines = []
        for line in running.stderr:
            lines.append(line)
            if len(lines) == 3:
                os.kill(pids[0], signal.SIGKILL)
        assert running.wait(600) == 0, lines
    done = sorted(line.split()[1] for line in lines if line.endswith(": done\n"))
    assert done == sorted(f"{k}-seed-{seed}:" for k in range(5) for seed in (1, 2))
    entries = [json.loads(line) for line in (tmp_path / "cluster" / ".batch" / "manifest.jsonl").open()]
    assert len(entries) == len({entry["name"] for entry in entries}) == 10
    assert len({entry["environment"]["kernels"] for entry in entries}) == 1
    subprocess.run(words("here", "--processes", "2"), cwd=ROOT, check=True, capture_output=True, timeout=600)
    reports = [json.loads((tmp_path / name / "batch-report.json").read_text()) for name in ("cluster", "here")]
    assert reports[0]["results"] == reports[1]["results"] and reports[0]["done"] == 10
