"""Processes of one bot, run by the referee's own loop, one pass at a time.

Who waits says for what (`wait`), and everything that a process does meanwhile is kept in order in its `Conversation`,
until it is taken out there. Nothing is judged here. A process that leaves after its bye is collected when the last of
what it started is gone, or when its grace is over.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Self

from arena.check.conversation import Conversation, Disguise, Gone, Violation
from arena.clock import Clock, monotonic_ms
from arena.contracts import Launcher
from arena.model import BotSpec, Limits
from arena.referee.bot_log import BoundedLog
from arena.referee.bot_process import BotProcess
from arena.referee.loop import Loop
from protocol.messages import Action, Error, Message
from protocol.session import Stale

__all__ = ["BYE_GRACE_MS", "Host"]

BYE_GRACE_MS = 1000.0
"""How long a bot may take to exit after its bye."""

_LATE_MS = 500.0  # how long after its grace a process may be on its way out of the kernel


class Host:
    """Starts processes of one bot and listens to them. A context manager: nothing of them is left at its end.

    `directory` is empty and its own. An `arena.referee.loop.Player` and an `arena.referee.reception.Tap`.
    """

    expects_only_messages = False

    def __init__(
        self,
        spec: BotSpec,
        directory: Path,
        *,
        launcher: Launcher,
        limits: Limits,
        clock: Clock = monotonic_ms,
    ) -> None:
        self.spec = spec
        self.clock = clock
        self.conversations: list[Conversation] = []
        self._of: dict[BotProcess, Conversation] = {}
        self._has_heard = False  # in this pass: then nobody waits for more
        self._loop = Loop(
            {spec.name: spec},
            self,
            launcher=launcher,
            limits=limits,
            directory=directory,
            open_log=lambda _: BoundedLog(directory / "log", 1 << 20),
            clock=clock,
            tap=self,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.close()

    def stalled_ms(self) -> float:
        """How long this program itself has stood still in all, until now."""
        return self._loop.stalled_ms(self.clock())

    def start(self, disguise: Disguise | None = None) -> Conversation:
        """Start a process; it has not said hello yet. Raises `arena.referee.bots.SpawnFailed` and `HostError`."""
        lane = len(self.conversations)  # one for each, so that the pool never gives out the same process twice
        process = self._loop.pool.acquire(self.spec.name, lane, "check")
        assert process is not None, "the first of its lane is always started"
        self._of[process] = Conversation(process, self.clock, disguise)
        self.conversations.append(self._of[process])
        return self._of[process]

    def send(self, conversation: Conversation, message: Message) -> None:
        """Send a message that may be sent now."""
        self._loop.reception.send(conversation.process, message)

    def end(self, conversation: Conversation, grace_ms: float = BYE_GRACE_MS) -> bool:
        """Say bye to a process and see it out; whether it went by itself."""
        process = conversation.process
        if not conversation.is_over:
            self._loop.pool.dismiss(process, grace_ms=grace_ms)
        until_ms = process.kill_at_ms
        self.wait(lambda: conversation.is_over, until_ms + _LATE_MS)
        return conversation.is_over and process.ended_ms <= until_ms

    def wait(self, is_done: Callable[[], bool], until_ms: float) -> bool:
        """Listen until `is_done`, or until a time on the clock; whether it is."""
        while not is_done():
            if self.clock() > until_ms:
                return False
            self.pump()
        return True

    def pump(self) -> None:
        """One pass: take what has come, wait a little when nothing has."""
        self._has_heard = False
        self._loop.run_pass()

    # --- as a Player and a Tap ------------------------------------------------------------------------------------

    def ready(self, process: BotProcess) -> None:
        self._of[process].note_hello()

    def refused(self, process: BotProcess, code: str, text: str) -> None:
        self._of[process].refusal = Violation(code, text)

    def heard(self, process: BotProcess, message: Action | Stale) -> None:
        self._of[process].note_answer()

    def violated(self, process: BotProcess, code: str, text: str) -> None:
        self._of[process].note(Violation(code, text))

    def may_wait(self) -> bool:
        return not self._has_heard

    def tick(self, *, is_drained: bool) -> None:
        """Deadlines are looked at by whoever waits."""

    def may_collect(self, process: BotProcess) -> bool:
        conversation = self._of[process]
        conversation.note_left_behind()
        return not (conversation.left_behind and process.is_leaving and self.clock() < process.kill_at_ms)

    def gone(self, process: BotProcess) -> None:
        self._of[process].note(Gone(process.describe_exit()))

    def closed(self, process: BotProcess) -> None:
        self._of[process].is_over = True

    def sends(self, process: BotProcess | None, message: Message, frame: bytes) -> bytes:
        conversation = self._find(process)
        if conversation is None:
            return frame
        if process is None and isinstance(message, Error):
            conversation.refusal = Violation(message.code, message.message)
        return conversation.disguised(message, frame)

    def received(self, process: BotProcess | None, frame: bytes | None) -> None:
        self._has_heard = True
        conversation = self._find(process)
        if conversation is not None:
            conversation.note_frame(frame)

    def _find(self, process: BotProcess | None) -> Conversation | None:
        """Whose message it is. Of those that say nothing of it, the sender is the process that starts."""
        if process is not None:
            return self._of[process]
        return next((each for each in reversed(self.conversations) if each.hello is None), None)
