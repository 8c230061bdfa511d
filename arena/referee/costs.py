"""What bots cost: the CPU time of their starts and of their answers.

Theory of operation
-------------------
The CPU time of a process and of all that it has started takes long to find out, compared with a match of quick bots. So
a bot is measured again only after a pause, so long that measuring all bots takes no more than `_SHARE` of the time.
What has been spent until then is not lost: a meter counts on, and the next measurement tells of all answers since the
one before. Long matches are longer than the pause, so each of them is measured.
"""

from typing import NamedTuple

from arena.clock import Clock
from arena.contracts import Confined

__all__ = ["Costs", "Effort", "Meter"]

_SHARE = 0.01
_LOOK_MS = 250.0
_IDLE_MS = 10.0  # of CPU time from look to look: who wants the cores gets more, even among twenty others


class Effort(NamedTuple):
    """What answers cost. cpu_ms: CPU time for each. cores: their CPU time in relation to the time that they took."""

    cpu_ms: float
    cores: float


class Meter:
    """What one process has spent since its start, and what it has done with that."""

    def __init__(self, confined: Confined, started_ms: float) -> None:
        self._confined = confined
        self._cpu_ms: float | None = None  # when it was last read
        self._answers = 0  # since then, as the next one
        self._answers_ms = 0.0
        self.started_ms = self._looked_ms = started_ms
        self._looked_cpu_ms = 0.0
        self._is_loading = True

    def note_answer(self, elapsed_ms: float) -> None:
        """The process has answered, after so long."""
        self._answers += 1
        self._answers_ms += elapsed_ms

    def read(self) -> Effort | None:
        """What the answers since the last reading have cost; None at the first reading, when there was no answer, and
        when nobody can tell."""
        before_ms, answers, answers_ms = self._cpu_ms, self._answers, self._answers_ms
        cpu_ms = self.total_ms()
        if cpu_ms is None:
            return None
        self._cpu_ms, self._answers, self._answers_ms = cpu_ms, 0, 0.0
        if before_ms is None or not answers:
            return None
        return Effort((cpu_ms - before_ms) / answers, (cpu_ms - before_ms) / max(answers_ms, 1e-3))

    def total_ms(self) -> float | None:
        """CPU time so far; None when nobody knows."""
        seconds = self._confined.cpu_seconds()
        return None if seconds is None else 1000 * seconds

    def is_loading(self, now_ms: float) -> bool:
        """Whether a process that is starting computes, as far as that is known, and does not wait for something."""
        if now_ms - self._looked_ms >= _LOOK_MS:
            cpu_ms = self.total_ms()
            self._looked_ms = now_ms
            if cpu_ms is not None:
                self._is_loading = cpu_ms - self._looked_cpu_ms > _IDLE_MS
                self._looked_cpu_ms = cpu_ms
        return self._is_loading


class Costs:
    """What so many bots cost, by name."""

    def __init__(self, bots: int, clock: Clock) -> None:
        self._bots = bots
        self._clock = clock
        self._due_ms: dict[str, float] = {}
        self._start_ms: dict[str, float] = {}

    def start_ms(self, bot: str) -> float:
        """How long the last start took until its hello; 0 before there was one."""
        return self._start_ms.get(bot, 0.0)

    def note_ready(self, bot: str, meter: Meter) -> None:
        """A process has said hello: what it took until then is the cost of its start, and of no answer."""
        self._start_ms[bot] = self._clock() - meter.started_ms
        if self._is_due(bot):
            meter.read()

    def measure(self, bot: str, meter: Meter) -> Effort | None:
        """What the answers of a process cost; None when nobody knows, or when the bot was measured lately."""
        if not self._is_due(bot):
            return None
        begun_ms = self._clock()
        effort = meter.read()
        if effort is not None:
            now_ms = self._clock()
            self._due_ms[bot] = now_ms + (now_ms - begun_ms) * self._bots / _SHARE
        return effort

    def _is_due(self, bot: str) -> bool:
        return self._clock() >= self._due_ms.get(bot, 0.0)
