"""``batch`` and ``sweep`` on the command line: real processes, exit codes, plain lines, and whole runs again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.cli import main
from tests.support.batches import write_clip, write_steps

ROOT = Path(__file__).resolve().parents[3]
EXPORT = 'do = "export"\nformat = "seq"'


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "app", *words]


def digest(out: Path) -> str:
    return str(json.loads((out / "batch-report.json").read_text())["results"])


def test_a_folder_of_clips_is_done_and_told_of(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for k, name in enumerate("ab"):
        write_clip(tmp_path / "clips" / f"{name}.bvh", phase=k)
    (tmp_path / "clips" / "bad.bvh").write_text("HIERARCHY nothing")
    steps = write_steps(tmp_path / "steps.toml", 'do = "import"\nunit = "m"', EXPORT)
    words = ["batch", str(steps), str(tmp_path / "clips"), "-o", str(tmp_path / "out"), "--processes", "1"]
    assert main([*words, "--dry-run"]) == 0
    planned = capfd.readouterr().out
    assert (
        '2. export: format = "seq"' in planned
        and "3 to do, 0 done before" in planned
        and not (tmp_path / "out").exists()
    )
    assert '1. import: unit = 1.0, up = "auto"' in planned
    assert f"to do: {tmp_path / 'clips' / 'a.bvh'} -> {tmp_path / 'out' / 'a.seq'}\n" in planned
    assert main(words) == 1
    said = capfd.readouterr()
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["1/3 a", "2/3 b", "3/3 bad", "failed"]
    assert "out: 2 done, 1 failed; " in said.out and "batch-report.txt" in said.out
    (tmp_path / "clips" / "bad.bvh").unlink()
    assert main(words) == 0
    assert "0 done, 2 done before" in capfd.readouterr().out


def test_bad_words_and_steps_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = write_steps(tmp_path / "steps.toml", 'do = "reduce"\nmillimetres = 0', 'do = "x"')
    assert main(["batch", str(steps), str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    assert [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()] == ["steps.toml:3", "steps.toml:6"]
    for words in (["--processes", "0"], ["--processes", "2", "--scheduler", "tcp://x:1"], []):
        with pytest.raises(SystemExit) as ended:
            main(["batch", str(steps), *words])
        assert ended.value.code == 2
    good = write_steps(tmp_path / "good.toml", EXPORT)
    assert main(["batch", str(good), str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    assert "none is not there" in capsys.readouterr().err.splitlines()[-1]
    with pytest.raises(SystemExit):
        main(["batch", "--help"])
    assert "  retarget  lets another figure move the same way; onto" in capsys.readouterr().out


def test_sweep_says_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: the extra sweep")
    out = ["-o", str(tmp_path / "t.parquet")]
    for words, says in (
        ([str(tmp_path / "none.seq")], "none.seq is not there"),
        ([str(ROOT / "skeletons/stickman.scr"), "--vary", "wind=1"], "expected NAME=VALUES with one of gravity"),
        ([str(ROOT / "skeletons/stickman.scr"), "--vary", "friction=x"], '"x" are not values of friction'),
    ):
        assert main(["sweep", *words, *out]) == 2
        assert says in capsys.readouterr().err
    assert not (tmp_path / "t.parquet").exists()


@pytest.mark.verify
def test_one_process_two_and_one_that_is_killed_make_the_same_bits(tmp_path: Path) -> None:
    for k in range(4):
        write_clip(tmp_path / "clips" / f"{k}.bvh", phase=k)
    steps = write_steps(tmp_path / "steps.toml", 'do = "simulate"\nseeds = 2\nduration = 0.3', EXPORT)
    found = []
    for name, count in (("one", "1"), ("two", "2"), ("killed", "2")):
        words = command("batch", str(steps), str(tmp_path / "clips"), "-o", str(tmp_path / name), "--processes", count)
        running = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert running.stderr is not None
        lines = []
        for line in running.stderr:
            lines.append(line)
            if name == "killed" and len(lines) == 3:
                os.kill(children(running.pid)[0], signal.SIGKILL)
        assert running.wait(600) == 0, lines
        assert len([line for line in lines if ": done" in line]) == 8
        found.append(digest(tmp_path / name))
    assert len(set(found)) == 1


def children(pid: int) -> list[int]:
    """Return the workers of a process, which were spawned by it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == pid and b"spawn_main" in words:
            found.append(int(entry.name))
    return found


@pytest.mark.verify
def test_ctrl_c_leaves_a_folder_that_goes_on(tmp_path: Path) -> None:
    for k in range(8):
        write_clip(tmp_path / "clips" / f"{k}.bvh", phase=k)
    steps = write_steps(tmp_path / "steps.toml", 'do = "simulate"\nduration = 0.5', EXPORT)
    words = command("batch", str(steps), str(tmp_path / "clips"), "-o", str(tmp_path / "out"), "--processes", "2")
    running = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stderr is not None
    running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130 and " left; run the same command to go on" in out and "Traceback" not in err
    time.sleep(0.5)
    assert not children(running.pid) and not (tmp_path / "out" / ".batch" / "work").exists()
    before = len(list((tmp_path / "out").glob("*.seq")))
    assert 1 <= before < 8
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and f"{before} done before" in done.stdout
