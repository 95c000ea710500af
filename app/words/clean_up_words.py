"""What a clean-up of a motion found and did, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from app.words.counts import count
from app.words.part_names import part_name, spoken_name

if TYPE_CHECKING:
    from core.animation.cleaning.clean import Cleaned, Found
    from core.animation.cleaning.faults import Fault

_WORDS = {"spike": "spike", "dropout": "gap"}


def fault_text(fault: Fault, spoken: bool = False) -> str:
    """Return a fault in a line: ``Right hand: spike at frame 120, 14°``."""
    name = "root position" if spoken else "Root position"
    if fault.channel:
        name = spoken_name(fault.channel) if spoken else part_name(fault.channel)
    size = f"{math.degrees(fault.size):.0f}°" if fault.channel else f"{100.0 * fault.size:.1f} cm"
    frames = f"at frame {fault.first}" if fault.first == fault.last else f"at frames {fault.first} to {fault.last}"
    return f"{name}: {_WORDS[fault.kind]} {frames}, {size}"


def faults_text(found: Found) -> str:
    """Return how many faults there are."""
    spikes = sum(fault.kind == "spike" for fault in found.faults)
    gaps = len(found.faults) - spikes
    if not found.faults:
        text = "No spikes or gaps found"
    else:
        both = [count(spikes, "spike")] * (spikes > 0) + [count(gaps, "gap")] * (gaps > 0)
        text = " and ".join(both) + " found"
    if found.left:
        text += f"; {len(found.left)} more at the ends of the motion, which can only be trimmed"
    return text


def noise_text(found: Found) -> str:
    """Return how much noise there is, and where it parts from the motion."""
    cutoffs = sorted(each.cutoff for each in found.residuals if each.cutoff is not None)
    if not cutoffs:
        return "No noise to speak of: nothing needs to be filtered"
    turned = [each.noise for each in found.residuals if each.channel and each.cutoff is not None]
    moved = [each.noise for each in found.residuals if not each.channel and each.cutoff is not None]
    noise = f"{math.degrees(max(turned)):.2f}°" if turned else f"{1000.0 * max(moved):.1f} mm"
    span = f"{cutoffs[0]:.0f} Hz" if cutoffs[-1] - cutoffs[0] < 1.0 else f"{cutoffs[0]:.0f} to {cutoffs[-1]:.0f} Hz"
    return f"Noise of up to {noise} in {count(len(cutoffs), 'part')}; residual analysis suggests cutoffs of {span}"


def floor_text(found: Found) -> str:
    """Return where the floor is."""
    floor = found.floor
    if floor is None:
        return "No foot touches a floor"
    high = 100.0 * floor.height
    where = "at height 0" if abs(high) < 0.05 else f"{abs(high):.1f} cm {'below' if high < 0.0 else 'above'} height 0"
    leans = "level" if floor.tilt < math.radians(0.05) else f"tilted by {math.degrees(floor.tilt):.1f}°"
    return f"Feet touch a floor {where}, {leans}"


def done_text(made: Cleaned) -> str:
    """Return what the clean-up has done, in a sentence or two."""
    parts = []
    if made.faults:
        parts.append(f"{count(len(made.faults), 'fault')} filled")
    if made.cutoffs:
        parts.append(f"{count(len(made.cutoffs), 'part')} filtered")
    standing = made.standing
    if standing is not None:
        locks = f"{count(len(standing.strips), 'lock')} {'holds' if len(standing.strips) == 1 else 'hold'}"
        parts.append(f"{locks} the feet; the root moves by up to {100.0 * float(standing.root.max()):.1f} cm")
        if standing.shortened:
            parts.append(f"feet are free for {count(standing.shortened, 'frame')} that the legs cannot reach")
    text = "; ".join(parts) or "Only the place or the length changes"
    return text[:1].upper() + text[1:]
