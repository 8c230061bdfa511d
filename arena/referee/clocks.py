"""The clock of one answer that is awaited. Pure: whoever uses it says what time it is."""

from math import inf

__all__ = ["AnswerClock"]


class AnswerClock:
    """Runs from the moment a request is with the bot until it is answered; all times in milliseconds. Time in which the
    arena itself stood still does not count.

    stalled_ms, wherever it is asked for: how long the arena has stood still in all, until then.
    """

    __slots__ = ("_deadline_ms", "_sent_ms", "_stalled_before_ms")

    def __init__(self) -> None:
        self._sent_ms = 0.0
        self._deadline_ms = inf
        self._stalled_before_ms = 0.0

    def start(self, now_ms: float, limit_ms: float, stalled_ms: float) -> None:
        """A request is with the bot; its answer may take `limit_ms`."""
        self._sent_ms = now_ms
        self._deadline_ms = now_ms + limit_ms
        self._stalled_before_ms = stalled_ms

    def stop(self) -> None:
        """Nothing is awaited any more."""
        self._deadline_ms = inf

    def is_past(self, now_ms: float, stalled_ms: float) -> bool:
        """Whether an answer is missing and cannot be in time any more."""
        return now_ms > self._deadline_ms and now_ms - (stalled_ms - self._stalled_before_ms) > self._deadline_ms

    def times_ms(self, now_ms: float, stalled_ms: float) -> tuple[float, float]:
        """How long the answer takes or took, and for how long the arena stood still meanwhile, which is not counted."""
        stood_still_ms = stalled_ms - self._stalled_before_ms
        return now_ms - self._sent_ms - stood_still_ms, stood_still_ms
