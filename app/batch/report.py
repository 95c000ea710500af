"""What a batch did and what it could not do: as JSON for programs, as a page of text for people."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.batch.manifest import Entry
from core.formats.files import write_text

JSON_NAME, TEXT_NAME = "batch-report.json", "batch-report.txt"


@dataclass(frozen=True)
class Report:
    """What came of a batch.

    Attributes:
        entries: Of every job of this batch, in order of names; those that were not reached are missing.
        total: How many jobs there are.
        skipped: How many of them had been done before.
        seconds: How long it took, [s].
        stopped: Whether it was stopped before its end.
    """

    entries: tuple[Entry, ...]
    total: int
    skipped: int
    seconds: float
    stopped: bool = False

    @property
    def failed(self) -> tuple[Entry, ...]:
        """Entries of what could not be done."""
        return tuple(entry for entry in self.entries if entry["state"] != "done")

    @property
    def warned(self) -> tuple[Entry, ...]:
        """Entries of what is done, with warnings."""
        return tuple(entry for entry in self.entries if entry["state"] == "done" and entry.get("warnings"))

    @property
    def digest(self) -> str:
        """One hash of all results with their names: two batches with the same one made the same bits."""
        made = hashlib.sha256()
        results = {name: digest for entry in self.entries for name, digest in (entry.get("results") or {}).items()}
        for name in sorted(results):
            made.update(f"{name}\0{results[name]}\n".encode())
        return made.hexdigest()

    @property
    def environments(self) -> list[dict[str, str]]:
        """The kinds of workers that made the results; if there is more than one, bits may differ."""
        found = {json.dumps(entry["environment"], sort_keys=True) for entry in self.entries if "environment" in entry}
        return [json.loads(each) for each in sorted(found)]

    def summary(self) -> str:
        """Return what came of it, in one line."""
        done = len(self.entries) - len(self.failed) - self.skipped
        parts = [f"{done:,} done"]
        if self.skipped:
            parts.append(f"{self.skipped:,} done before")
        if self.failed:
            parts.append(f"{len(self.failed):,} failed")
        if self.stopped:
            parts.append(f"stopped with {self.total - len(self.entries):,} left; run the same command to go on")
        return f"{', '.join(parts)}; {_time(self.seconds)}, hash of all results {self.digest[:16]}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "jobs": self.total,
            "done": len(self.entries) - len(self.failed),
            "done_before": self.skipped,
            "failed": [
                {name: entry[name] for name in ("name", "seed", "step", "do", "error", "details") if name in entry}
                for entry in self.failed
            ],
            "warnings": {entry["name"]: entry["warnings"] for entry in self.warned},
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
            "processor_seconds": round(sum(entry.get("processor_seconds", 0.0) for entry in self.entries), 3),
            "results": self.digest,
            "environments": self.environments,
        }

    def text(self) -> str:
        """Return it as a page."""
        lines = [self.summary(), ""]
        if self.failed:
            lines += [f"{len(self.failed):,} failed:", *(f"  {failure(entry)}" for entry in self.failed), ""]
        if self.warned:
            lines.append(f"{len(self.warned):,} done with warnings:")
            lines += [f"  {entry['name']}: {warning}" for entry in self.warned for warning in entry["warnings"]]
            lines.append("")
        if len(self.environments) > 1:
            lines.append("Workers of several kinds made these results; the last digits may depend on which one did:")
            lines += [f"  {', '.join(f'{name} {value}' for name, value in each.items())}" for each in self.environments]
            lines.append("")
        return "\n".join(lines)

    def write(self, folder: Path) -> None:
        """Write both into the folder of results.

        Raises:
            FormatError: If they cannot be written.
        """
        write_text(folder / JSON_NAME, json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n")
        write_text(folder / TEXT_NAME, self.text())


def failure(entry: Entry) -> str:
    """Return why a job failed, in a line."""
    place = f"step {entry['step']} ({entry['do']}): " if "do" in entry else ""
    return f"{entry['name']}: {place}{entry['error']}"


def _time(seconds: float) -> str:
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
