"""Who may use a directory of results, and what is said to the others."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import HostError, StoreError
from arena.store import Store
from tests.stored import bot, ids, won


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    with Store.open_to_write(place) as store:
        store.enter([bot("ann"), bot("bob")])
        yield store


def test_a_second_writer_is_refused_in_words(store):
    with pytest.raises(StoreError, match="another run is writing here; wait for it, or give --output"):
        Store.open_to_write(store.directory)
    store.append(won("ann", "bob"))  # the first one is not disturbed


def test_a_writer_may_follow_another_one(place):
    for _ in range(3):
        with Store.open_to_write(place) as store:
            store.set_meta({"seed": "1"})


def test_a_reader_looks_on_while_a_run_is_writing(store):
    store.append(won("ann", "bob"))
    with Store.open(store.directory) as reader:
        assert ids(reader) == ["ann-bob-0-0"]
        for match in reader.matches():
            assert match.id == "ann-bob-0-0"
            store.append(won("ann", "bob", 1))  # in the middle of a read
        assert ids(reader) == ["ann-bob-0-0", "ann-bob-1-0"]
        assert reader.totals().matches == 2


def test_no_results(place):
    for path in (place, place / "nowhere"):
        with pytest.raises(StoreError, match=r"no results here \(a tournament writes them with: arena run CONFIG\)"):
            Store.open(path)
    assert not (place / "nowhere").exists()


@pytest.mark.parametrize("opening", [Store.open, Store.open_to_write])
@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + bytes(4096)])
def test_something_else_in_the_place_of_results(place, content, opening):
    (place / "results.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match=r"results\.sqlite: cannot be read as results: "):
        opening(place)
    assert (place / "results.sqlite").read_bytes() == content


@pytest.mark.parametrize("opening", [Store.open, Store.open_to_write])
def test_results_of_another_version(place, opening):
    with Store.open_to_write(place) as store:
        store.set_meta({"format": "7"})
    with pytest.raises(StoreError, match="written in format 7, this version of arena reads 1"):
        opening(place)
    with pytest.raises(StoreError):  # and the lock was given back: the words are still the same
        opening(place)


def test_a_place_that_cannot_hold_results(place):
    (place / "file").write_text("")
    for path in (place / "file", place / "file" / "below"):
        with pytest.raises(StoreError, match=r"cannot be written to: "):
            Store.open_to_write(path)


def test_a_full_disk_is_nobodys_fault_but_the_machines(store):
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = replace(won("ann", "bob"), events=tuple({"event": json.dumps(number) * 99} for number in range(20_000)))
    with pytest.raises(HostError, match="results cannot be written: database or disk is full"):
        store.append(big)
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert ids(store) == []
    store.append(won("ann", "bob"))
