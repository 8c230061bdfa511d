"""The steps of an ordinary tournament: all that happens to a bot in one.

A step is a function; the first line of its docstring is its name, its result what is to be said of it when it passes.
"""

from itertools import cycle
from statistics import median

from arena.check.bench import Bench, Failed
from arena.check.choices import few_options, many_options
from arena.check.conversation import Conversation
from arena.check.host import BYE_GRACE_MS
from arena.check.tables import Table
from arena.contracts import ProvidesVariants
from arena.model import TimeControl

__all__ = ["POLITE", "see_out"]

_MATCHES_TO_MEET_ALL = 20
_AT_ONCE = 8
_SILENCE_MS = 300.0
_BANK_MOVES = 10  # how much time there is for a match, in usual moves
_ODD_NAME = 'たこキャット 🐈\u200d⬛ <"O\'Neill" & \\ Söhne>'
_ODD_MATCH = 'one "match"\\\n\tナ 🐈'
_ODD_IDS = {"zeromq": (2**64 - 1, -(2**63), 0, 2**32), "stdio": (2**53 - 1, -(2**53 - 1), 0, 2**32)}


def start(bench: Bench) -> str:
    """starts and says hello in time"""
    conversation = bench.bot()
    hello = conversation.hello
    assert hello is not None, "it has started"
    said = " ".join(word for word in (hello.name, hello.version) if word) or "a bot without a name"
    language = f" in {hello.language}" if hello.language else ""
    return f"{said}{language}, hello after {conversation.hello_ms:.0f} ms"


def seat_0(bench: Bench) -> str:
    """plays a match in seat 0"""
    return _tell_speed(bench.play_one(bench.bot(), 0))


def seat_1(bench: Bench) -> str:
    """plays a match in seat 1"""
    return _tell_speed(bench.play_one(bench.bot(), 1))


def phases(bench: Bench) -> str:
    """meets every phase of the game in both seats"""
    wanted = {*bench.decisions_of_game.met}
    seats = cycle((0, 1))
    for _ in range(3 if bench.quick else _MATCHES_TO_MEET_ALL):
        if wanted <= bench.met.keys():
            break
        bench.play_one(bench.bot(), next(seats))
    phases = bench.decisions_of_game.phases
    return ", ".join(f"{phase} {bench.met.get((0, phase), 0)} + {bench.met.get((1, phase), 0)}" for phase in phases)


def several(bench: Bench) -> str:
    """plays several matches one after another"""
    count = 2 if bench.quick else 6
    conversation = bench.bot()
    for number in range(count):
        bench.play_one(conversation, number % 2)
    return f"{count} in one process"


def at_once(bench: Bench) -> str:
    """plays matches at once"""
    conversation = bench.bot()
    if conversation.concurrency == 1:
        return "not declared: hello offers one match at a time"
    count = min(conversation.concurrency, _AT_ONCE)
    bench.play(*(bench.table(conversation, number % 2) for number in range(count)))
    return f"{count} at once, of {conversation.concurrency} that hello offers"


def other_rules(bench: Bench) -> str:
    """plays by other rules: long lists of actions, many events"""
    game = bench.usual.game
    variants = game.variants() if isinstance(game, ProvidesVariants) else ()
    if not variants:
        return "not tried: the game has no other rules to try"
    most = [0, 0]

    def watch(table: Table, seat: int) -> None:
        request = table.last_request
        if seat == table.seat and request is not None:
            most[0] = max(most[0], len(request.legal_actions or ()))
            most[1] = max(most[1], len(request.events))

    for variant in variants:
        for choice in (many_options, few_options):
            for seat in (0, 1):
                bench.play_one(bench.bot(), seat, bench.terms(game=variant), choice=choice, plot=watch)
    return f"up to {most[0]} legal actions and {most[1]} events in a request"


def forced(bench: Bench) -> str:
    """plays whether or not forced moves are asked for"""
    asked = skipped = 0

    def count(table: Table, seat: int) -> None:
        nonlocal asked
        asked += seat == table.seat and table.is_forced

    for seat in (0, 1):
        bench.play_one(bench.bot(), seat, bench.terms(ask_forced=True), choice=few_options, plot=count)
        table = bench.play_one(bench.bot(), seat)
        assert table.result is not None
        skipped += sum(each.forced and each.seat == seat for each in table.result.decisions)
    return f"{asked} asked, {skipped} not"


def odd_values(bench: Bench) -> str:
    """takes other clocks, and odd but valid values"""
    conversation = bench.bot()
    ids = _ODD_IDS[conversation.process.spec.protocol]
    bank_ms = _BANK_MOVES * (bench.time.move_ms or 1000)
    time = TimeControl(move_ms=None, bank_ms=bank_ms, increment_ms=100, startup_ms=bench.time.startup_ms)
    terms = bench.terms(time=time)
    tables = [
        bench.table(conversation, 0, terms, opponent=_ODD_NAME, match=_ODD_MATCH, ids=ids),
        bench.table(conversation, 1, terms, opponent=_ODD_NAME, match=_ODD_MATCH + " 2", ids=ids),
    ]
    if conversation.concurrency > 1:
        bench.play(*tables)
    else:
        for table in tables:
            bench.play(table)
    return f"no move_ms, names beyond ASCII, the same request ids in two matches, among them {ids[0]} and {ids[1]}"


def silence(bench: Bench) -> str:
    """says nothing unasked after a match"""
    conversation = bench.bot()
    bench.play_one(conversation, 0)
    bench.host.wait(lambda: conversation.has_news, bench.host.clock() + _SILENCE_MS)
    bench.expect_silence(conversation)
    return f"{_SILENCE_MS:.0f} ms of silence"


def second_process(bench: Bench) -> str:
    """plays in two processes at once"""
    first, second = bench.bot(), bench.start()
    bench.play(bench.table(first, 0), bench.table(second, 1))
    bench.host.end(second)
    bench.play_one(first, 0)
    return f"the second one said hello after {second.hello_ms:.0f} ms"


def leave(bench: Bench) -> str:
    """exits at bye"""
    return see_out(bench, bench.bot())


POLITE = (
    start,
    seat_0,
    seat_1,
    phases,
    several,
    at_once,
    other_rules,
    forced,
    odd_values,
    silence,
    second_process,
    leave,
)


def see_out(bench: Bench, conversation: Conversation) -> str:
    """Say bye, and see that the process goes and leaves nothing behind."""
    begun_ms = bench.host.clock()
    went = bench.host.end(conversation)
    expected = f"the process and all that it started gone within {BYE_GRACE_MS:.0f} ms of bye"
    if conversation.left_behind:
        left = ", ".join(conversation.left_behind)
        raise Failed("left_behind", expected, f"{bench.name} left processes of its own behind: {left}", conversation)
    if not went:
        happened = f"{bench.name} still ran {BYE_GRACE_MS:.0f} ms after bye, and was killed"
        raise Failed("stayed", expected, happened, conversation)
    return f"gone after {conversation.process.ended_ms - begun_ms:.0f} ms"


def _tell_speed(table: Table) -> str:
    times = [decision.elapsed_ms for decision in table.decisions]
    return f"{len(times)} decisions, median {median(times):.2f} ms" if times else "it was not asked once"
