"""Logs of bots: the newest output is kept, never more than asked for, in files whose names cause no surprises."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.referee.bot_log import BoundedLog, log_name


def test_what_is_written_is_there_at_once(tmp_path):
    log = BoundedLog(tmp_path / "ann.log", 1000)
    log.write(b"one\n", 1)
    assert (tmp_path / "ann.log").read_bytes() == b"--- process 1\none\n"
    log.write(b"\xff\x00two\n", 1)
    assert (tmp_path / "ann.log").read_bytes() == b"--- process 1\none\n\xff\x00two\n"
    log.close()
    log.close()


def test_a_line_says_whose_output_follows(tmp_path):
    log = BoundedLog(tmp_path / "ann.log", 1000)
    for text, speaker in [
        (b"--- started\n", 0),
        (b"a\n", 1),
        (b"b\n", 1),
        (b"c\n", 2),
        (b"--- note\n", 0),
        (b"d\n", 2),
    ]:
        log.write(text, speaker)
    log.close()
    assert (tmp_path / "ann.log").read_text() == ("--- started\n--- process 1\na\nb\n--- process 2\nc\n--- note\nd\n")


def test_a_log_is_continued_by_the_next_run(tmp_path):
    for text in (b"first\n", b"second\n"):
        log = BoundedLog(tmp_path / "ann.log", 1000)
        log.write(text, 0)
        log.close()
    assert (tmp_path / "ann.log").read_bytes() == b"first\nsecond\n"


@pytest.mark.parametrize("runs", [1, 7])
def test_the_newest_output_is_kept_and_never_much_more_than_allowed(tmp_path, runs):
    limit, path = 1000, tmp_path / "ann.log"
    lines = [f"{number:07}\n".encode() for number in range(1000)]
    for run in range(runs):
        log = BoundedLog(path, limit)
        for line in lines[run::runs] if runs > 1 else lines:
            log.write(line, 0)
            size = sum(file.stat().st_size for file in tmp_path.iterdir())
            assert size <= limit + 2 * len(line)
        log.close()
    kept = (path.with_name("ann.log.old").read_bytes() + path.read_bytes()).splitlines(keepends=True)
    assert len(kept) * 8 >= limit // 2
    newest = lines if runs == 1 else lines[runs - 1 :: runs]
    assert kept == newest[-len(kept) :]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ann.log", "ann.log.old"]


def test_one_great_piece_is_written_whole(tmp_path):
    log = BoundedLog(tmp_path / "ann.log", 10)
    log.write(b"x" * 1000, 0)
    log.write(b"y", 0)
    log.close()
    assert (tmp_path / "ann.log.old").read_bytes() == b"x" * 1000
    assert (tmp_path / "ann.log").read_bytes() == b"y"


def test_a_link_in_the_place_of_the_log_is_not_followed_and_ends_nothing(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious\n")
    (tmp_path / "ann.log").symlink_to(victim)
    log = BoundedLog(tmp_path / "ann.log", 1000)
    log.write(b"evil\n", 1)
    assert victim.read_bytes() == b"precious\n"
    (tmp_path / "ann.log").unlink()
    log.write(b"good\n", 1)  # it goes on when it can
    log.close()
    assert b"good\n" in (tmp_path / "ann.log").read_bytes()


def test_a_directory_that_is_gone_ends_nothing(tmp_path):
    log = BoundedLog(tmp_path / "gone" / "ann.log", 1000)
    log.write(b"one\n", 1)
    log.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_nothing():
    log = BoundedLog(Path("/dev/full"), 1000)
    log.write(b"one\n", 1)
    log.close()


def test_a_log_is_not_inherited(tmp_path):
    log = BoundedLog(tmp_path / "ann.log", 1000)
    log.write(b"one\n", 1)
    assert log._file is not None
    assert not os.get_inheritable(log._file.fileno())
    log.close()


# --- names of files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["greedy", "my-bot_2.0", "牌", "Ünï", "x" * 80])
def test_a_plain_name_stays_as_it_is(name):
    assert log_name(name) == name


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("a/b", "a_b+"),
        ("../../etc/passwd", "_.._etc_passwd+"),
        (".hidden", "hidden+"),
        ("..", "+"),
        ("two words", "two_words+"),
        ("a\0b", "a_b+"),
        ("con:", "con_+"),
        ("x" * 81, "x" * 60 + "+"),
        ("牌" * 40, "牌" * 20 + "+"),
    ],
)
def test_another_name_is_made_harmless_and_marked(name, prefix):
    assert log_name(name).startswith(prefix)
    assert len(log_name(name)) == len(prefix) + 8


def test_names_that_look_alike_once_they_are_harmless_get_files_of_their_own():
    alike = ["a b", "a_b", "a/b", "a:b", "a\tb", ".a_b", "a_b."]
    assert len({log_name(name) for name in alike}) == len(alike)
    assert log_name(log_name("a b")) != log_name("a b")  # nor can a name be chosen to be another one's file


@given(st.text(min_size=1, max_size=300))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_any_name_makes_one_file_name(name):
    made = log_name(name)
    assert 1 <= len(made.encode()) <= 80
    assert not set(made) & set('/\\:*?"<>|\0\n ')
    assert not made.startswith(".")
    assert all(unicodedata.category(character)[0] in "LNPS" for character in made)
