"""Compiling kernels in several processes: order, failures, interruptions. Workers here compile nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core import kernels
from core.errors import KernelError
from core.kernels import warm_up
from core.kernels.domains import callees_of

DOMAINS = kernels.names()
ROOT = Path(kernels.__file__).resolve().parents[2]
WORKER = """
import os, sys, time
open(sys.argv[1], "a").write(f"worker {os.getpid()}\\n")
for line in sys.stdin:
    domain = line.strip()
    open(sys.argv[1], "a").write(f"start {domain}\\n")
    time.sleep(0.02)
    BODY
    open(sys.argv[1], "a").write(f"end {domain}\\n")
    print("done", flush=True)
"""


def worker(log: Path, body: str = "pass") -> list[str]:
    return [sys.executable, "-c", WORKER.replace("BODY", body), str(log)]


def workers(log: Path) -> list[int]:
    return [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("worker")]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_domains_are_listed_callees_first_and_locks_in_front() -> None:
    for k, domain in enumerate(DOMAINS):
        assert callees_of(domain, DOMAINS) <= set(DOMAINS[:k])
    assert callees_of("core.ik.ccd_kernel", DOMAINS) == {
        "core.joints.pose_kernel",
        "core.kinematics.joints_kernel",
        "core.kinematics.nodes_kernel",
        "core.ik.nodes_kernel",
        "core.ik.along_kernel",
        "core.ik.wahba_kernel",
    }
    locks = "core.constraints.hold.solver_kernel"
    needed = callees_of(locks, DOMAINS) | {locks, "core.animation.locks.soft_reach_kernel"}
    assert set(DOMAINS[: len(needed)]) == needed


@pytest.mark.parametrize("processors", [1, 2, 64])
def test_each_domain_is_compiled_once_after_its_callees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processors: int
) -> None:
    monkeypatch.setattr(warm_up, "processors", lambda: processors)
    log, reported = tmp_path / "log", []
    warm_up.compile_all(DOMAINS, lambda *step: reported.append(step), worker(log))
    assert [step[:2] for step in reported] == [(k, len(DOMAINS)) for k in range(1, len(DOMAINS) + 1)]
    assert sorted(step[2] for step in reported) == sorted(DOMAINS)
    ended: set[str] = set()
    started: list[str] = []
    for what, domain in (line.split() for line in log.read_text().splitlines()):
        if what == "start":
            assert callees_of(domain, DOMAINS) <= ended
            started.append(domain)
        elif what == "end":
            ended.add(domain)
    assert sorted(started) == sorted(DOMAINS)
    assert len(workers(log)) <= min(processors, warm_up.MOST_WORKERS)
    assert not any(alive(process) for process in workers(log))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "if 'wahba' in domain: print('failed TypingError: no such thing', flush=True); continue",
            "TypingError: no such",
        ),
        ("if 'wahba' in domain: sys.exit(7)", "the compiler ended with code 7"),
    ],
)
def test_a_domain_that_fails_is_named_and_the_others_are_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, why: str
) -> None:
    monkeypatch.setattr(warm_up, "processors", lambda: 2)
    log = tmp_path / "log"
    slow = f"{body}\n    if 'jacobian_transpose' in domain: time.sleep(60)"
    start = time.monotonic()
    with pytest.raises(KernelError, match=f"core.ik.wahba_kernel failed: {why}"):
        warm_up.compile_all(DOMAINS, lambda *_: None, worker(log, slow))
    assert time.monotonic() - start < 30.0
    assert not any(alive(process) for process in workers(log))


def test_a_compiler_that_does_not_start_is_reported(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="did not start"):
        warm_up.compile_all(DOMAINS, lambda *_: None, [str(tmp_path / "nowhere")])


@pytest.mark.verify
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interruption_ends_the_workers(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = (
        "import sys; from core import kernels, warm; from core.kernels import warm_up\n"
        "warm.warm = lambda progress: warm_up.compile_all(kernels.names(), progress, sys.argv[1:])\n"
        "sys.exit(warm.main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, *worker(log, "time.sleep(60)")], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        while not log.exists() or "start" not in log.read_text():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, reported = process.communicate(timeout=30)
    assert process.returncode == 130 and reported == ""
    assert not any(alive(one) for one in workers(log))


def worker_of(load: str) -> subprocess.Popen[str]:
    code = f"import time; from core.kernels import warm_up\ndef load(domain):\n    {load}\nwarm_up.serve(load)"
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_worker_answers_for_each_domain_and_outlives_a_failure() -> None:
    with worker_of("if domain == 'bad': raise ValueError('first\\nsecond')") as process:
        assert process.stdin is not None and process.stdout is not None
        answers = []
        for domain in ("good", "bad", "good"):
            process.stdin.write(domain + "\n")
            process.stdin.flush()
            answers.append(process.stdout.readline())
        assert answers == ["done\n", "failed ValueError: first\x1esecond\n", "done\n"]
        process.communicate(timeout=30)
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no niceness")
def test_a_worker_gives_way_to_others() -> None:
    with worker_of("import os; raise ValueError(os.nice(0))") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("any\n")
        process.stdin.flush()
        assert process.stdout.readline() == f"failed ValueError: {min(os.nice(0) + 10, 19)}\n"
        process.communicate(timeout=30)


LONG = """
import sys
from core.kernels import warm_up
def load(domain):
    raise TypeError("Failed: x" + 40 * "\\n..." + "\\n\\x1b[1mmissing an argument\\x1b[0m\\n\\nFile x, line 74:")
warm_up.serve(load)
"""


@pytest.mark.verify
def test_the_cause_at_the_end_of_a_long_message_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with pytest.raises(KernelError) as reported:
        warm_up.compile_all(DOMAINS, lambda *_: None, [sys.executable, "-c", LONG])
    lines = str(reported.value).splitlines()
    assert lines[0].endswith("TypeError: Failed: x")
    assert lines[-2:] == ["missing an argument", "File x, line 74:"] and len(lines) < 20


def test_a_worker_whose_owner_is_gone_ends_in_the_middle_of_a_domain() -> None:
    with worker_of("print('busy', flush=True); time.sleep(60)") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("endless\n")
        process.stdin.flush()
        assert process.stdout.readline() == "busy\n"
        process.communicate(timeout=30)
    assert process.returncode == 0
