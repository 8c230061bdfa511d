"""What the steps of a check work with: processes of the bot, matches against it, and a way to fail."""

from dataclasses import replace
from random import Random
from typing import Any

from arena.check.choices import Choice, any_action, decisions
from arena.check.conversation import Conversation, Disguise, Gone, Happening, Violation
from arena.check.host import Host
from arena.check.tables import Plot, Table, play
from arena.match import BotExited, BotReady, DeadlinePassed, End, FrameRejected, Match, MatchEvent, MatchTerms
from arena.model import Fault, MatchSpec, Outcome, Seat, TimeControl
from arena.referee.bots import SpawnFailed
from protocol.refusals import shown

__all__ = ["OPPONENT", "Bench", "Failed"]

OPPONENT = "opponent"
_PLAYED = "a match played to its end, every request answered once, in time, with a legal action"


class Failed(Exception):
    """A step has failed. `code` is a word of the wire or of the verdicts, or one of the check's own; see `hints`."""

    def __init__(self, code: str, expected: str, happened: str, conversation: Conversation | None) -> None:
        super().__init__(happened)
        self.code = code
        self.expected = expected
        self.happened = happened
        self.conversation = conversation


class Bench:
    """One check's state. starts, decisions: how long each took, in milliseconds; the latter in polite matches.

    quick: less of what is only more of the same. decisions_of_game: what kinds of decisions there are.
    """

    def __init__(self, host: Host, terms: MatchTerms, *, quick: bool) -> None:
        self.host = host
        self.name = host.spec.name
        self.usual = terms
        self.quick = quick
        self.decisions_of_game = decisions(terms.game)
        self.met: dict[tuple[Seat, str], int] = {}
        """Decisions of the bot, by seat and phase."""
        self.starts: list[float] = []
        self.decisions: list[float] = []
        self.matches = 0
        self._chance = Random("a check is the same each time")
        self._current: Conversation | None = None
        self._count = 0

    @property
    def time(self) -> TimeControl:
        """The usual clocks."""
        return self.usual.time

    def terms(self, **changes: Any) -> MatchTerms:
        """The terms of a match: the usual ones, or with another game (of the same kind) or other clocks."""
        return replace(self.usual, **changes)

    # --- processes ------------------------------------------------------------------------------------------------

    def bot(self) -> Conversation:
        """A process that waits for its next match: the one of the last step, if nothing has ended it."""
        if self._current is None or self._current.is_over or self._current.process.is_leaving:
            self._current = self.start()
        return self._current

    def fresh(self, disguise: Disguise | None = None) -> Conversation:
        """A new process, in place of the one there is."""
        if self._current is not None:
            self.host.end(self._current)
        self._current = self.start(disguise)
        return self._current

    def start(self, disguise: Disguise | None = None) -> Conversation:
        """One more process, ready to play."""
        expected = f"a hello within {self.time.startup_ms} ms of the start"
        try:
            conversation = self.host.start(disguise)
        except SpawnFailed as error:
            raise Failed("spawn", expected, self._verdict_on_start(BotExited(0, str(error))).detail, None) from None
        until_ms = conversation.process.started_ms + self.time.startup_ms

        def is_decided() -> bool:
            return conversation.hello is not None or conversation.refusal is not None or conversation.has_news

        self.host.wait(is_decided, until_ms)
        if conversation.hello is None or conversation.refusal is not None:
            code, event = self._failure_to_start(conversation)
            raise Failed(code, expected, self._verdict_on_start(event).detail, conversation)
        self.starts.append(conversation.hello_ms)
        return conversation

    def _failure_to_start(self, conversation: Conversation) -> tuple[str, MatchEvent]:
        if conversation.refusal is not None:
            code, text = conversation.refusal
            return code, FrameRejected(0, code, f"its hello was refused: {text}")
        if conversation.has_news:
            return "early_exit", BotExited(0, conversation.process.describe_exit())
        return "silent", DeadlinePassed(0, self.host.clock() - conversation.process.started_ms)

    def _verdict_on_start(self, event: MatchEvent) -> Outcome:
        """What a match says of a bot that does not come."""
        match = Match(self._spec(0, OPPONENT, None), self.usual)
        match.handle(BotReady(1))
        (end,) = [each for each in match.handle(event) if isinstance(each, End)]
        return end.result.outcome

    # --- matches --------------------------------------------------------------------------------------------------

    def table(
        self,
        conversation: Conversation,
        seat: Seat,
        terms: MatchTerms | None = None,
        *,
        choice: Choice = any_action,
        plot: Plot | None = None,
        opponent: str = OPPONENT,
        match: str | None = None,
        **options: Any,
    ) -> Table:
        """A match of its own deal, about to begin. The rest is as in `arena.check.tables.Table`."""
        terms = terms or self.usual
        state = Match(self._spec(seat, opponent, match), terms)
        return Table(self.host, conversation, state, seat, terms.game, choice, self._chance, plot=plot, **options)

    def play(self, *tables: Table, expected: str = _PLAYED) -> list[Table]:
        """Play matches at once; raises Failed when the bot does anything wrong in one that is not raw."""
        for conversation in {table.conversation: None for table in tables}:
            self.expect_silence(conversation)
        play(self.host, tables)
        for table in sorted(tables, key=lambda table: not table.has_strayed):  # what explains more comes first
            self._judge(table, expected)
        return list(tables)

    def play_one(
        self, conversation: Conversation, seat: Seat, terms: MatchTerms | None = None, **options: Any
    ) -> Table:
        """One polite match."""
        return self.play(self.table(conversation, seat, terms, **options))[0]

    def expect_silence(self, conversation: Conversation) -> None:
        """Raises Failed when anything has happened that nobody took: nothing was asked."""
        if conversation.has_news:
            happening = conversation.take()
            expected = "silence between matches: a bot speaks when it is asked"
            code, words = _describe(happening)
            raise Failed(code, expected, f"{self.name}, in no match: {words}", conversation)

    def _judge(self, table: Table, expected: str) -> None:
        if table.result is not None and table.has_failed and not table.is_raw:
            code = table.objection or table.result.outcome.reason
            raise Failed(code, expected, table.result.outcome.detail, table.conversation)
        if table.has_strayed:
            stray = table.strays[0]
            fault = "a second time" if table.was_asked(stray) else "which nobody had asked it"
            happened = f"{self.name} answered request {stray.request} of match {shown(stray.match)} {fault}"
            raise Failed("twice", expected, happened, table.conversation)
        if table.result is not None and not table.is_raw:  # without a result: another one went wrong before
            self._count_match(table)

    def _count_match(self, table: Table) -> None:
        self.matches += 1
        for decision in table.decisions:
            self.decisions.append(decision.elapsed_ms)
            key = (table.seat, decision.phase)
            self.met[key] = self.met.get(key, 0) + 1

    def _spec(self, seat: Seat, opponent: str, match: str | None) -> MatchSpec:
        self._count += 1
        bots = (self.name, opponent) if seat == 0 else (opponent, self.name)
        return MatchSpec(match or f"check-{self._count}", bots, 0, 0, self._chance.randbytes(32))


def _describe(happening: Happening) -> tuple[str, str]:
    """A code and words for what happened when nothing was asked."""
    if isinstance(happening, Violation):
        return happening.code, happening.text
    if isinstance(happening, Gone):
        return Fault.CRASH.value, happening.detail
    action = happening.action
    return (
        "twice",
        f"it answered request {action.request} of match {shown(action.match)}, which was not open (any more)",
    )
