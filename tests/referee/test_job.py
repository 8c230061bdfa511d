"""What a worker plays: a job that needs nothing of one machine, at a place that has the right programs."""

import pickle
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.contracts import Place
from arena.errors import HostError
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, MatchSpec, Seat, TimeControl
from arena.referee.job import RefereeJob
from protocol.messages import Message, type_name
from tests.match_play import turns

ROOT = Path(__file__).parents[2]
BOT = "from protocol.bot import serve\nserve(lambda request: request.legal_actions[0])\n"
MATCH = MatchSpec("m", ("ann", "bob"), 0, 0, bytes(32))


def job(bots: Mapping[str, BotSpec]) -> RefereeJob:
    terms = MatchTerms(turns("0 1"), "digits", TimeControl(move_ms=60_000, startup_ms=60_000))
    return RefereeJob(terms, {name: bot.fingerprint for name, bot in bots.items()}, Unconfined(), Limits())


@pytest.fixture
def bots(tmp_path: Path) -> dict[str, BotSpec]:
    ann = BotSpec("ann", (sys.executable, "-c", BOT), str(tmp_path), {"PYTHONPATH": str(ROOT)}, fingerprint="of ann")
    return {"ann": ann, "bob": replace(ann, name="bob", fingerprint="of bob")}


def test_a_match_is_played_in_this_process_and_every_message_is_traced(tmp_path, bots):
    told: list[tuple[str, Seat, str]] = []

    def trace(_ms: float, way: str, seat: Seat, message: Message) -> None:
        told.append((way, seat, type_name(type(message))))

    result = job(bots).play_one(MATCH, Place(bots, tmp_path), trace)
    assert (result.spec, result.outcome.reason, result.outcome.faults) == (MATCH, "talked out", ())
    for seat in (0, 1):
        assert [(way, kind) for way, of, kind in told if of == seat] == [
            ("sent", "match_start"),
            ("sent", "request"),
            ("received", "action"),
            ("sent", "match_end"),
        ]
    assert sorted(path.name for path in tmp_path.glob("*.log")) == ["ann.log", "bob.log"]


def test_the_logs_of_another_worker_have_its_number(tmp_path, bots):
    job(bots).play_one(MATCH, Place(bots, tmp_path, worker=3))
    assert sorted(path.name for path in tmp_path.glob("*.log")) == ["ann@3.log", "bob@3.log"]


def test_a_job_can_be_sent_and_knows_no_path_of_this_machine(tmp_path, bots):
    sent = pickle.dumps(job(bots))
    assert pickle.loads(sent) == job(bots)
    assert str(tmp_path).encode() not in sent
    assert sys.executable.encode() not in sent


@pytest.mark.parametrize("fault", ["another program", "no program"])
def test_a_place_without_the_program_that_was_entered_plays_nothing(tmp_path, bots, fault):
    there = {**bots, "bob": replace(bots["bob"], fingerprint="of bob, changed")}
    if fault == "no program":
        del there["bob"]
    with pytest.raises(HostError, match=r"^bob: the program at this place is not the one that was entered$"):
        job(bots).play_one(MATCH, Place(there, tmp_path))
    assert list(tmp_path.iterdir()) == [], "nothing was started"
