"""Damaged files, and a watch on what a reader does with them: a result or a FormatError, soon, in little memory.

    fuzz(lambda path: load(path), {"walk.bvh": data}, count=200, folder=tmp_path)

Every input follows from its number, so a failure can be run again: the message names file, number and damage, and the
damaged file stays in the folder.
"""

from __future__ import annotations

import gc
import random
import re
import struct
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import CoreError, FormatError

SLOWEST = 2.0  # [s] of the reader's own processor time, so that a busy machine fails nothing
HANGING = 60.0  # [s] by the clock: then the reader is stopped
SPARE = 100 * 2**20  # [bytes] that any reader may take,
FACTOR = 10  # and how many times the file's size on top
_RUNAWAY = 6 * 2**30  # [bytes] that a reader may ask for at all, so that one mistake does not take the machine down

_WORD = re.compile(rb"[^\s]+")
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ODD_NUMBERS = (
    *(b"nan NaN inf -inf Infinity 1e999 -1e999 1e308 1e-320 -0.0 0 -1 1 2 3 255 256 65536 1_0 0x10".split()),
    *(b"2147483647 2147483648 4294967295 99999999999999999999 1.5 1,5 .5 5. - + 1e 1d3 --1 1e1000000000".split()),
    "−5 ٣ １".encode(),
    b"9" * 5000,
)
ODD_TEXT = (
    *(b"\" ' { } [ ] ( ) : ; , # // /* \\ \\u \\ud800 %s ${x} ../../etc/passwd /dev/zero http://127.0.0.1/x".split()),
    *(b"null true false None __import__('os') end End JOINT ROOT MOTION define group object".split()),
    *(b"\x00", b"\xff", b"\xc3(", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b"\x0c", b"\x1a", b" "),
    "\u2028é\U0001f600".encode(),
    b"x" * 10_000,
)
_HUGE = (0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x10000000, 0x00FFFFFF, 0, 1)
_OPENINGS = (b"{", b"[", b'{"a":', b"(", b"<a>", b'group "g"\n', b"JOINT j\n{\n", b"begin\n", b"((")


class Hanging(BaseException):
    """A reader is still at it after ``HANGING`` seconds; not an Exception, so that no reader catches it."""


# -- damage -----------------------------------------------------------------------------------------------------------


def _bits(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 16))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _bytes(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _truncated(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data))] if rng.random() < 0.8 else data[rng.randrange(len(data)) :]


def _cut(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 4, 30, 500, len(data) // 3)) :]


def _repeated(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    block = data[at : at + rng.choice((1, 10, 200, 3000))]
    return data[:at] + block * rng.choice((2, 3, 10, 100)) + data[at + len(block) :]


def _spot(pattern: re.Pattern[bytes], data: bytes, rng: random.Random) -> tuple[int, int]:
    """Return where a word begins and ends: the first one after a random place, else that place."""
    at = rng.randrange(len(data))
    found = pattern.search(data, at) or pattern.search(data)
    return found.span() if found else (at, at)


def _swapped(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    (a, b), (c, d) = sorted((_spot(_WORD, data, rng), _spot(_WORD, data, rng)))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if b <= c else data


def _swapped_lines(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines[i], lines[j] = lines[j], lines[i]
        case 1:
            del lines[i]
        case _:
            lines.insert(j, lines[i])
    return b"\n".join(lines)


def _odd_number(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    a, b = _spot(_NUMBER, data, rng)
    return data[:a] + rng.choice(ODD_NUMBERS) + data[b:]


def _odd_word(data: bytes, rng: random.Random, tokens: Sequence[bytes]) -> bytes:
    a, b = _spot(_WORD, data, rng)
    return data[:a] + rng.choice(tokens or ODD_TEXT) + data[a if rng.random() < 0.5 else b :]


def _huge_count(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    """Overwrite four or eight bytes, as counts and lengths in binary headers are, mostly near the beginning."""
    at = rng.randrange(min(len(data), rng.choice((32, 200, 4000, len(data)))))
    order, size = rng.choice("<>"), rng.choice("IIIQ")
    count = struct.pack(order + size, rng.choice(_HUGE))
    return data[:at] + count + data[at + len(count) :]


def _nested(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice(_OPENINGS) * rng.choice((3, 300, 5000)) + data[at:]


def _line_ends(data: bytes, rng: random.Random, _tokens: Sequence[bytes]) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n \t\n", b" ", b"\x00")))


DAMAGES: tuple[Callable[[bytes, random.Random, Sequence[bytes]], bytes], ...] = (
    _bits, _bytes, _truncated, _cut, _repeated, _swapped, _swapped_lines, _odd_number, _odd_number, _odd_word,
    _odd_word, _huge_count, _nested, _line_ends,
)  # fmt: skip


def damaged(data: bytes, rng: random.Random, tokens: Sequence[bytes] = ()) -> tuple[bytes, str]:
    """Return a file's bytes after one to four kinds of damage, and their names.

    Args:
        data: The whole file, not empty.
        rng: Decides everything.
        tokens: Words of the format, put among and in place of its own; odd text of all kinds if there are none.
    """
    names = []
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        damage = rng.choice(DAMAGES)
        words = (*tokens, *ODD_TEXT) if rng.random() < 0.5 else tokens
        data = damage(data, rng, words) or b"\n"
        names.append(damage.__name__.strip("_"))
    return data, ", ".join(names)


def damaged_inputs(
    sources: Mapping[str, bytes], count: int, seed: int = 0, tokens: Sequence[bytes] = ()
) -> Iterator[tuple[str, bytes, str]]:
    """Yield ``count`` damaged files as (name, bytes, what was done), taking the sources in turn."""
    names = list(sources)
    for number in range(count):
        name = names[number % len(names)]
        data, done = damaged(sources[name], random.Random(f"{seed} {number} {name}"), tokens)
        yield name, data, f"{name}, input {number} of seed {seed} ({done})"


# -- the watch --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a reader did.

    Attributes:
        result: What it returned; None if it refused.
        error: Its refusal, or None.
        seconds: Processor time it took, [s].
        memory: Most memory it held at a time beyond what was there before, [bytes].
    """

    result: object
    error: FormatError | None
    seconds: float
    memory: int


def watched(read: Callable[[], object], size: int, what: str = "this input") -> Outcome:
    """Run a reader once and return what it did.

    Args:
        read: The reader with its input.
        size: Bytes of the input.
        what: The input's name, for messages.

    Raises:
        AssertionError: If anything but a FormatError escapes or a refusal is not fit to be shown; if it took over
            ``SLOWEST`` seconds or ``FACTOR * size + SPARE`` bytes, twice in a row.
    """
    most = FACTOR * size + SPARE
    outcome = _once(read, what)
    if outcome.seconds > SLOWEST or outcome.memory > most:
        outcome = _once(read, what)  # the first run may have imported a library, or paid for what lay about before
    assert outcome.seconds <= SLOWEST, f"{what}: took {outcome.seconds:.1f} s for {size} bytes"
    assert outcome.memory <= most, f"{what}: took {outcome.memory / 2**20:.0f} MB for {size} bytes"
    if outcome.error is not None:
        _check_refusal(outcome.error, what)
    return outcome


def _once(read: Callable[[], object], what: str) -> Outcome:
    result: object = None
    error: FormatError | None = None
    with _stopped_when_hanging(), _limited_memory(), _peak() as peak, warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # one of numpy's is a value that should have been refused
        start = time.thread_time()
        try:
            result = read()
        except FormatError as refusal:
            error = refusal
        except Hanging:
            raise AssertionError(f"{what}: still being read after {HANGING:g} s") from None
        except CoreError as other:
            raise AssertionError(f"{what}: {type(other).__name__} where FormatError belongs: {other}") from other
        except (Exception, SystemExit) as escaped:
            raise AssertionError(f"{what}: {type(escaped).__name__} escaped: {escaped}") from escaped
        seconds = time.thread_time() - start
    return Outcome(result, error, seconds, peak())


def _check_refusal(error: FormatError, what: str) -> None:
    assert error.problems, f"{what}: refused without a problem"
    for problem in error.problems:
        line = str(problem)
        assert problem.file and problem.message, f"{what}: a problem without file or message: {line!r}"
        assert problem.line >= 0 and problem.column >= 0, f"{what}: {line}"
        assert not _UNSHOWABLE.search(line), f"{what}: a message with control characters: {line!r}"
        assert len(line) <= 600, f"{what}: a message of {len(line)} characters: {line[:200]}..."
        assert "Traceback" not in line and "object at 0x" not in line, f"{what}: {line}"


@contextmanager
def _stopped_when_hanging() -> Iterator[None]:
    try:
        import signal

        def stop(_number: int, _frame: object) -> None:
            raise Hanging

        previous = signal.signal(signal.SIGALRM, stop)
    except (ImportError, AttributeError, ValueError):  # no alarm on this system, or not in the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, HANGING)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Let no reader take the machine's memory: past the limit it gets a MemoryError."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + _RUNAWAY
    resource.setrlimit(resource.RLIMIT_AS, (limit if soft == resource.RLIM_INFINITY else min(soft, limit), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(name)


def _mark_to_reset() -> bool:
    """Reset the kernel's mark of the most memory in use to what is in use now; return whether it has one."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmHWM") > 0
    except OSError:
        return False


@contextmanager
def _peak() -> Iterator[Callable[[], int]]:
    """Measure the block's peak memory: resident memory where the kernel keeps a mark to reset, else Python's own."""
    gc.collect(0)
    resident = _mark_to_reset()
    before = _status("VmHWM") if resident else 0
    if not resident:
        tracemalloc.start()
    found = 0
    try:
        yield lambda: found
    finally:
        found = _status("VmHWM") - before if resident else tracemalloc.get_traced_memory()[1]
        if not resident:
            tracemalloc.stop()


# -- both together ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """How many inputs a reader refused and accepted, and the worst of them.

    Attributes:
        refused: Inputs that were refused.
        accepted: Inputs that were read.
        slowest: Processor time of the slowest, [s].
        largest: Memory of the one that took most, [bytes].
    """

    refused: int
    accepted: int
    slowest: float
    largest: int


def fuzz(
    read: Callable[[Path], object],
    sources: Mapping[str, bytes],
    count: int,
    folder: Path,
    *,
    seed: int = 0,
    tokens: Sequence[bytes] = (),
    use: Callable[[object], object] | None = None,
) -> Tally:
    """Give a reader damaged files and watch it.

    Args:
        read: Reads the file at a path.
        sources: Sound files: the name to write the damaged ones under, and the bytes. They are read first, whole.
        count: How many damaged files, the sources in turn.
        folder: Where to write them; files that belong to them may lie there already.
        seed: Another seed gives other damage.
        tokens: Words of the format; see :func:`damaged`.
        use: What a result that was accepted must be good for, itself watched.

    Raises:
        AssertionError: As :func:`watched`; also if a sound file is refused.
    """
    for name, data in sources.items():
        (folder / name).write_bytes(data)
        sound = watched(lambda path=folder / name: read(path), len(data), name)  # type: ignore[misc]
        assert sound.error is None, f"{name} is refused whole: {sound.error}"
    refused, slowest, largest = 0, 0.0, 0
    for name, data, what in damaged_inputs(sources, count, seed, tokens):
        path = folder / name
        path.write_bytes(data)
        outcome = watched(lambda path=path: read(path), len(data), what)  # type: ignore[misc]
        refused += outcome.error is not None
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.memory)
        if use is not None and outcome.error is None:
            watched(lambda result=outcome.result: use(result), len(data), f"using {what}")  # type: ignore[misc]
        path.write_bytes(sources[name])
    return Tally(refused, count - refused, slowest, largest)
