"""The clock of one answer that is awaited. Pure: whoever uses it says what time it is."""

from math import inf

__all__ = ["AnswerClock"]


class AnswerClock:
    """Runs from the moment a request is with the bot until it is answered; all times in milliseconds.

    stalled_ms, wherever it is asked for: how long the arena has stood still in all, until then.
    """

    __slots__ = ("_stalled_before_ms", "deadline_ms", "sent_ms")

    def __init__(self) -> None:
        self.sent_ms = 0.0
        self.deadline_ms = inf
        self._stalled_before_ms = 0.0

    def start(self, now_ms: float, limit_ms: float, stalled_ms: float) -> None:
        """A request is with the bot; its answer may take `limit_ms`."""
        self.sent_ms = now_ms
        self.deadline_ms = now_ms + limit_ms
        self._stalled_before_ms = stalled_ms

    def stop(self) -> None:
        """Nothing is awaited any more."""
        self.deadline_ms = inf

    def stood_still_ms(self, stalled_ms: float) -> float:
        """How much of the time since the request the arena has stood still."""
        return stalled_ms - self._stalled_before_ms
