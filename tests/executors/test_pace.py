"""Which match begins next: by costs that are made up, on simulated time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.executors._pace import LOOKAHEAD, OVERTAKEN_MAX, Pace
from arena.model import MatchResult, MatchSpec, Outcome

QUICK_MS = 0.1


def match(number: int, bot_a: str = "ann", bot_b: str = "bob") -> MatchSpec:
    return MatchSpec(f"match {number}", (bot_a, bot_b), number, 0, bytes(32))


def measured(spec: MatchSpec, cpu_ms: Sequence[float | None], cores: Sequence[float | None] = (1, 1)) -> MatchResult:
    return MatchResult(spec, Outcome(0, "goal"), cpu_ms=(cpu_ms[0], cpu_ms[1]), cores=(cores[0], cores[1]))


def pace_that_knows(cores: int = 2, workers: int = 1, **cpu_ms: float) -> Pace:
    pace = Pace(cores, workers, "auto")
    for bot, ms in cpu_ms.items():
        pace.observe(measured(match(0, bot, "nobody"), (ms, None)))
    return pace


def at_once(pace: Pace, bot_a: str = "ann", bot_b: str = "bob") -> int:
    """How many matches of these two are in progress when there is no end of them."""
    endless = (match(number, bot_a, bot_b) for number in range(1000))
    in_progress: list[MatchSpec] = []
    while (spec := pace.next(endless, in_progress)) is not None:
        in_progress.append(spec)
    return len(in_progress)


@pytest.mark.parametrize(
    ("cpu_ms", "cores", "expected"),
    [
        (0.0, 2, 8),
        (0.1, 2, 8),
        (0.3, 2, 8),
        (1.0, 2, 4),
        (3.0, 2, 3),
        (20.0, 2, 2),
        (400.0, 2, 2),
        (0.0, 1, 8),
        (20.0, 1, 1),
        (1.0, 3, 6),
        (20.0, 3, 3),
        (400.0, 16, 16),
    ],
)
def test_the_more_bots_compute_the_fewer_matches_share_the_cores(cpu_ms, cores, expected):
    assert at_once(pace_that_knows(cores, ann=cpu_ms, bob=cpu_ms)) == expected


def test_workers_share_the_cores_of_the_machine():
    assert at_once(pace_that_knows(4, 2, ann=QUICK_MS, bob=QUICK_MS)) == 16
    assert at_once(pace_that_knows(4, 2, ann=400, bob=400)) == 4


def test_a_bot_of_which_nothing_is_known_takes_a_core():
    assert at_once(Pace(2, 1, "auto")) == 2
    assert at_once(pace_that_knows(2, bob=QUICK_MS)) == 2
    pace = Pace(3, 1, "auto")
    pace.observe(measured(match(0), (None, None), (None, None)))
    assert at_once(pace) == 3


def test_a_bot_that_computes_on_several_cores_takes_as_many():
    pace = Pace(4, 2, "auto")
    pace.observe(measured(match(0), (800, 800), (2, 2)))
    assert at_once(pace) == 2
    pace.observe(measured(match(0), (800, 800), (4, 4)))
    assert at_once(pace) == 1, "it is known by the most that it has kept busy"
    for _ in range(20):
        pace.observe(measured(match(0), (800, 800), (1, 1)))
    assert at_once(pace) == 4, "... lately"


def test_a_bot_that_changes_is_noticed():
    pace = Pace(2, 1, "auto")
    for cpu_ms, expected in ((0.0, 8), (20.0, 2), (0.0, 8)):
        for _ in range(10):
            pace.observe(measured(match(0), (cpu_ms, cpu_ms)))
        assert at_once(pace) == expected


def test_a_fixed_number_is_kept_whatever_is_seen():
    for cpu_ms in (0.0, 400.0):
        pace = Pace(2, 3, 5)
        pace.observe(measured(match(0), (cpu_ms, cpu_ms)))
        assert at_once(pace) == 15


def test_nothing_is_asked_for_while_there_is_no_room():
    pace = pace_that_knows(ann=400, bob=400)

    def specs() -> Iterator[MatchSpec]:
        yield match(1)
        yield match(2)
        pytest.fail("no match has room")

    given = specs()
    in_progress = [spec for _ in range(2) if (spec := pace.next(given, [])) is not None]
    assert pace.next(given, in_progress) is None


# --- on simulated time ---------------------------------------------------------------------------------------------


@dataclass
class Machine:
    """Plays what a pace lets in. Cores are shared fairly; a match of a slow bot keeps one busy."""

    pace: Pace
    cores: int
    work_s: dict[str, float]  # of a match, by its slowest bot
    cpu_ms: dict[str, float]
    now_s: float = 0.0
    busy_s: float = 0.0
    left_s: dict[MatchSpec, float] = field(default_factory=dict)
    begun: list[MatchSpec] = field(default_factory=list)
    slow_at_once: Counter[int] = field(default_factory=Counter)

    def play(self, specs: Iterator[MatchSpec | None]) -> None:
        while True:
            while (spec := self.pace.next(specs, list(self.left_s))) is not None:
                self.begun.append(spec)
                self.left_s[spec] = max(self.work_s[bot] for bot in spec.bots)
            if not self.left_s:
                return
            self._go_on()

    def _go_on(self) -> None:
        """Until the next match ends."""
        rate = min(1.0, self.cores / len(self.left_s))
        step_s = min(self.left_s.values()) / rate
        self.slow_at_once[sum("slow" in spec.bots for spec in self.left_s)] += 1
        self.now_s += step_s
        self.busy_s += step_s * rate * len(self.left_s)
        for spec in list(self.left_s):
            self.left_s[spec] -= step_s * rate
            if self.left_s[spec] < 1e-9:
                del self.left_s[spec]
                cost = [self.cpu_ms[bot] for bot in spec.bots]
                self.pace.observe(measured(spec, cost))


def tournament(quick: int, pairs: int) -> list[MatchSpec]:
    """A round robin, deal by deal, of so many quick bots and a slow one."""
    bots = [f"quick {number}" for number in range(quick)] + ["slow"]
    pairings = [(a, b) for _ in range(pairs) for i, a in enumerate(bots) for b in bots[i + 1 :] for _ in range(2)]
    return [match(number, *pairing) for number, pairing in enumerate(pairings)]


@pytest.mark.parametrize("think_ms", [20, 400])
def test_a_slow_bot_among_many_quick_ones_never_shares_its_cores_with_itself(think_ms):
    specs = tournament(29, 3)
    bots = {bot for spec in specs for bot in spec.bots}
    machine = Machine(
        Pace(2, 1, "auto"),
        2,
        {bot: 30 * think_ms / 1000 if bot == "slow" else 0.006 for bot in bots},
        {bot: think_ms if bot == "slow" else QUICK_MS for bot in bots},
    )
    machine.play(iter(specs))
    assert sorted(machine.begun, key=lambda spec: spec.deal) == specs, "every match is played once"
    assert max(machine.slow_at_once) == 2
    total_s = sum(30 * think_ms / 1000 if "slow" in spec.bots else 0.006 for spec in specs)
    assert machine.now_s < 1.1 * total_s / 2, "the cores are kept busy"


class Costs(dict[str, float]):
    """CPU time of a decision of bots whose names say it."""

    def __missing__(self, bot: str) -> float:
        return float(bot.split()[0])


@given(
    st.lists(st.tuples(st.sampled_from((0.1, 1, 5, 50, 500)), st.sampled_from((0.1, 1, 500))), max_size=80),
    st.integers(1, 6),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_every_match_is_played_and_none_waits_without_bound(costs, cores, workers, chance):
    """Matches end in any order; costs and cores are anything."""
    specs = [match(number, f"{a} a", f"{b} b") for number, (a, b) in enumerate(costs)]
    pace, given, in_progress = Pace(cores, workers, "auto"), iter(specs), list[MatchSpec]()
    begun: list[int] = []
    while True:
        while (spec := pace.next(given, in_progress)) is not None:
            begun.append(spec.deal)
            in_progress.append(spec)
        if not in_progress:
            break
        parts = [pace.part(spec) for spec in in_progress]
        assert len(parts) == 1 or sum(parts) <= 1 + 1e-6
        ended = in_progress.pop(chance.randrange(len(in_progress)))
        pace.observe(measured(ended, [Costs()[bot] for bot in ended.bots]))
    assert sorted(begun) == list(range(len(specs)))
    for place, deal in enumerate(begun):
        overtaking = sum(other > deal for other in begun[:place])
        assert overtaking <= LOOKAHEAD * (OVERTAKEN_MAX + 1)


def test_the_oldest_match_that_waits_is_overtaken_only_so_often():
    pace = pace_that_knows(2, quick=QUICK_MS, other=QUICK_MS, slow=400)
    in_progress = [match(-1, "quick", "other")]
    lights = (match(number, "quick", "other") for number in range(1, 1000))

    def specs() -> Iterator[MatchSpec]:
        yield match(0, "slow", "quick")
        yield from lights

    given = specs()
    assert pace.next(given, [match(-number, "quick", "other") for number in range(1, 6)]) != match(0, "slow", "quick")
    overtakers = 1
    while pace.next(given, 5 * in_progress) is not None:
        overtakers += 1
    assert overtakers == OVERTAKEN_MAX
    assert pace.next(given, 4 * in_progress) == match(0, "slow", "quick"), "as soon as it has room"
    assert pace.next(given, [*4 * in_progress, match(0, "slow", "quick")]) is None


def test_what_may_not_be_played_yet_is_waited_for():
    pace = pace_that_knows(2, ann=QUICK_MS, bob=QUICK_MS)
    given = iter([match(0), None, match(1)])
    assert pace.next(given, []) == match(0)
    assert pace.next(given, [match(0)]) is None
    assert pace.next(given, [match(0)]) == match(1)
    assert pace.next(given, [match(0)]) is None
