"""The sample with music comes out of its script unchanged, and its steps miss the beat as the page about it says."""

from __future__ import annotations

from core.audio import AudioRecord
from core.formats import bundled_folder, load
from core.formats.project import resolved_source
from skeletons.making.motion import make_stroll


def test_the_stroll_is_as_it_is_made_and_has_its_music(tmp_path) -> None:
    bundled = bundled_folder() / "library" / make_stroll.PATH
    (tmp_path / make_stroll.PATH).parent.mkdir()
    make_stroll.main(tmp_path)
    assert (tmp_path / make_stroll.PATH).read_bytes() == bundled.read_bytes()
    stroll = load(bundled).sequences[0]
    assert (len(stroll.keys), stroll.range) == (41, (0, 160))
    music = AudioRecord.of(stroll.audio)
    path = resolved_source(music.file, None)
    assert path is not None and path.is_file()
    assert len(music.beats) == 37 and music.frames(stroll.fps)[0] == 7.5
