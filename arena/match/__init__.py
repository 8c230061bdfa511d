"""The core of one match, pure: `match` is the state machine, `events` what it is told and answers, `terms` what all
matches of a tournament have in common."""

from arena.match.events import (
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    BotReady,
    DeadlinePassed,
    End,
    FrameRejected,
    Instruction,
    MatchEvent,
    Send,
)
from arena.match.match import IGNORED_MAX, NEWS_MAX, Match
from arena.match.terms import MatchTerms

__all__ = [
    "IGNORED_MAX",
    "NEWS_MAX",
    "ActionReceived",
    "AnswerIgnored",
    "ArenaFailed",
    "BotExited",
    "BotReady",
    "DeadlinePassed",
    "End",
    "FrameRejected",
    "Instruction",
    "Match",
    "MatchEvent",
    "MatchTerms",
    "Send",
]
