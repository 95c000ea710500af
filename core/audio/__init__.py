"""Sound beside the motion: reading it, drawing it, finding its beats, and the record that a sequence keeps of it."""

from core.audio.beats import Beats, find_beats
from core.audio.reading import SUFFIXES, read_sound
from core.audio.record import AudioRecord
from core.audio.sound import AudioError, Sound
from core.audio.waveform import Waveform

__all__ = ["SUFFIXES", "AudioError", "AudioRecord", "Beats", "Sound", "Waveform", "find_beats", "read_sound"]
