"""The timeline's rows, selection, retiming and drawing of keys, without a window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QPainter, QPixmap

from app.document.content.key_selection import KeySelection
from app.document.document import Document
from app.timeline.key_view import EVERY, MIXED, SOME
from app.timeline.model import TimelineModel
from app.timeline.retiming import Retiming, spread
from app.timeline.sheet.dope_sheet import DopeSheet
from app.timeline.sheet.mouse import drag_tag
from app.timeline.sheet.picture import runs_by_row, seen_keys
from app.timeline.sheet.selected_keys import SnapPlaces
from app.window.editor import make_application
from core.animation.marker import Marker
from core.animation.shape import INTERPOLATIONS
from core.animation.sorted_keys import KeyTable


@pytest.fixture
def model(qapp, skeletons_folder):
    make_application("dark")
    document = Document()
    document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    return TimelineModel(document)


def row(model, name):
    model.open_all()
    return next(row for row in model.rows if row.name == name)


def test_rows_open_and_are_filtered(model):
    closed = [each.name for each in model.rows]
    assert closed[:2] == ["Summary", "Root"] and all(each.depth < 2 for each in model.rows)
    model.toggle_row(next(each for each in model.rows if each.name == "Right arm"))
    assert set(closed) < {each.name for each in model.rows} and "Right hand" in [each.name for each in model.rows]
    model.open_all()
    channels = np.concatenate([each.channels for each in model.rows if each.depth == 2])
    assert sorted(channels.tolist()) == list(range(len(model.document.sequence.channels)))
    model.document.selection.set(["right hand"])
    model.document.session.keys.rows_shown = {"selected"}
    assert [each.name for each in model.rows] == ["Summary", "Right arm", "Right hand"]
    model.document.selection.set(["left hand"])
    assert [each.name for each in model.rows] == ["Summary", "Left arm", "Left hand"]


def test_selection_by_channel_is_the_sessions(model):
    hand, frames = row(model, "Right hand"), model.frames.tolist()
    model.select_range(frames[1], frames[3], hand, add=False)
    assert dict(model.document.session.keys.selected.parts) == dict.fromkeys(frames[1:4], frozenset({"right hand"}))
    model.toggle(frames[2], hand)
    model.toggle(frames[5])  # whole
    assert model.selected.parts[frames[5]] is None and frames[2] not in model.selected
    arm = row(model, "Right arm")
    states = model.view.track(arm).chosen.tolist()
    assert (states[1], states[2], states[5]) == (SOME, 0, EVERY)
    model.document.session.keys.selected = KeySelection({frames[0]: {""}})
    assert model.chosen.sum() == 1 and model.chosen[0, 0]
    model.document.keys.delete(model.selected)
    assert not model.selected and not model.document.session.keys.selected


def test_channels_move_alone_and_split_the_key(model):
    document, hand, frames = model.document, row(model, "Right hand"), model.frames.tolist()
    model.select([frames[2]], row=hand)
    model.set_shift(1)
    assert model.dragging and not model.whole_moves()
    assert frames[2] + 1 in model.view.track(hand).frames and frames[2] in model.view.track(model.rows[0]).frames
    before = document.stack.count()
    assert model.drop() and document.stack.count() == before + 1
    assert document.sequence.keys.keyed_at(frames[2] + 1, "right hand")
    assert not document.sequence.keys.keyed_at(frames[2], "right hand")
    assert (frames[2] + 1, "right hand") in document.session.keys.selected


def test_the_rest_ripples(model):
    frames = model.frames.tolist()
    model.select(frames[2:5])
    model.set_scale(True, frames[4] + 6, ripple=True)
    assert "×" in drag_tag(model, True) and "ripples" in drag_tag(model, True)
    model.drop()
    assert model.frames.tolist()[5:] == [frame + 6 for frame in frames[5:]]
    assert model.frames.tolist()[:3] == frames[:3]
    model.select(model.frames.tolist()[2:5])
    now = model.frames.tolist()
    model.document.markers.add(now[1], "before")
    model.set_scale(False, now[2] - 1, ripple=True)
    assert not model.dragging and "no frames before 0" in drag_tag(model, True)  # the first key stands there
    model.set_scale(False, now[2] + 1, ripple=True)  # what lies before comes along
    assert model.marks.markers[0].frame == now[1] + 1 and model.document.sequence.markers[0].frame == now[1]
    model.drop()
    assert model.document.sequence.markers[0].frame == now[1] + 1
    assert model.frames.tolist() == [frame + 1 for frame in now[:3]] + now[3:]


def test_from_beat_to_beat_the_tag_counts_whole_beats(model, skeletons_folder):
    model.document.files.open(skeletons_folder / "library" / "Walks and runs" / "stroll.seq")
    beats = model.marks.beats.frames
    first, last = round(beats[0]), round(beats[8])
    assert abs((last - first) - (beats[8] - beats[0])) > 0.1  # beats are not at whole frames
    model.select(model.frames.tolist())
    model.set_scale(True, last)
    model.drop()
    model.set_scale(False, first)
    assert f"{last - first} frames · 8 beats" in drag_tag(model)
    model.set_scale(False, first + 2)
    assert "7.8" in drag_tag(model) and "8 beats" not in drag_tag(model)


def test_marks_of_groups_show_different_curves(model):
    document, frames = model.document, model.frames.tolist()
    document.keys.set_shape(KeySelection({frames[1]: {"right hand"}}), interp="linear")
    assert model.view.track(row(model, "Right hand")).kinds[1] == INTERPOLATIONS.index("linear")
    assert model.view.track(row(model, "Right arm")).kinds[1] == MIXED
    assert model.view.track(row(model, "Left arm")).kinds[1] == INTERPOLATIONS.index(document.sequence.keys[1].interp)


def test_drags_snap_to_marks_and_the_playhead(model):
    document = model.document
    document.markers.set([Marker(41, "clap")])
    document.set_frame(50)
    places = SnapPlaces(model, model.frames[:2])
    shift, snap = places.best([30], 11 + 0.4 * 6.0 / model.pixels)
    assert (shift, snap.frame, snap.what) == (11, 41, "marker clap")
    assert places.best([30], 20.0)[1].what == "playhead"
    assert places.best([30], 15.0) is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_keys_never_merge(data):
    """Whatever is dragged wherever: each channel keeps all its keys, in order, none below frame 0."""
    count, channels = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    frames = np.sort(rng.choice(40, count, replace=False))
    keyed = rng.random((count, channels)) < 0.7
    keyed[~keyed.any(axis=1), 0] = True
    chosen = keyed & (rng.random((count, channels)) < 0.5)
    if not chosen.any():
        return
    retiming = Retiming(KeyTable(frames, keyed, keyed.astype(np.int8) - 1), chosen, chosen.any(axis=0))
    wanted, ripple, last = data.draw(st.integers(-50, 60)), data.draw(st.booleans()), data.draw(st.booleans())
    for moves in (retiming.shifted(wanted, ripple), retiming.scaled(last, wanted, ripple)):
        if moves is None:
            continue
        assert (np.diff(moves.new) > 0).all() and moves.new[0] >= 0
        place = dict(zip(moves.old.tolist(), moves.new.tolist(), strict=True))
        for c in range(channels):
            there = [place[f] if m else f for f, k, m in
                     zip(frames.tolist(), keyed[:, c], moves.moving[:, c], strict=True) if k]  # fmt: skip
            assert len(set(there)) == len(there)
        if not ripple:
            assert (moves.moving == chosen).all()


def test_spread_keeps_both_ends_and_a_frame_between():
    old = np.array([0, 1, 2, 10])
    assert spread(old, True, 20).tolist() == [0, 2, 4, 20]
    assert spread(old, True, 1).tolist() == [0, 1, 2, 3]
    assert spread(old, False, 6).tolist() == [6, 7, 8, 10]


def test_a_pixel_shows_one_of_many_keys():
    frames = np.arange(0, 100_000)
    seen = seen_keys(frames, 100.0, 0.01, 100.0, 1100.0)
    assert len(seen.xs) == 1000 and (np.diff(np.floor(seen.xs)) == 1).all()
    zoomed = seen_keys(frames, 100.0 - 50_000 * 20.0, 20.0, 100.0, 1100.0)
    assert zoomed.starts is None and frames[zoomed.first] <= 50_000 and len(zoomed.xs) < 60


def test_runs_of_several_rows():
    flags = np.array([[True, True, False], [False, False, False], [False, True, True]])
    assert runs_by_row(flags).tolist() == [[0, 0, 2], [2, 1, 3]]


def test_holds_know_which_channels_a_key_holds(model):
    document, frames = model.document, model.frames.tolist()
    hand = row(model, "Right hand")
    document.keys.delete(KeySelection({frame: {"right hand"} for frame in frames[2:5]}))
    key = document.sequence.keys.at(frames[1])
    with document.keys.begin_gesture("Hold") as gesture:
        later = document.sequence.keys.at(frames[5])
        columns = document.sequence.channels.columns[int(hand.channels[0])]
        q = later.q.copy()
        q[columns] = key.q[columns]
        gesture.set_keys([later.changed(q=q) if each is later else each for each in document.sequence.keys])
    at = model.view.track(hand).frames.tolist().index(frames[1])
    assert model.view.track(hand).frames.tolist()[at + 1] == frames[5]
    assert not model.view.holds(hand)[at]  # the spline swings between them
    document.keys.set_shape(KeySelection({frames[1]: {"right hand"}}), interp="centripetal")
    assert model.view.holds(hand)[at]


def test_every_state_of_the_sheet_is_painted(model):
    sheet = DopeSheet(model)
    sheet.resize(900, 700)
    kinds = ("linear", "stepped", "catmull_rom", "centripetal", "kochanek_bartels", "free")
    for frame, kind in zip(model.frames.tolist(), kinds, strict=False):
        model.document.keys.set_shape(KeySelection.of_frames([frame]), interp=kind)
    model.open_all()
    shapes = set()
    for _ in range(2):
        picture = QPixmap(900, 700)
        picture.fill("black")
        painter = QPainter(picture)
        sheet.paint_layer(painter, sheet.rect())
        painter.end()
        image = picture.toImage()
        for frame in model.frames.tolist()[:7]:
            x = round(sheet.track_x(frame))
            shapes.add(bytes(image.copy(x - 6, 3, 12, 12).constBits()))
        model.select_all()
    assert len(shapes) == 14  # seven kinds, selected and not
