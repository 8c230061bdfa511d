"""What all matches of a tournament have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.contracts import Game
from arena.model import TimeControl

__all__ = ["MatchTerms"]


@dataclass(frozen=True)
class MatchTerms:
    """What all matches of a tournament have in common. `public_rules` is computed once from the game."""

    game: Game
    game_name: str
    time: TimeControl = field(default_factory=TimeControl)
    ask_forced: bool = False
    public_rules: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "public_rules", self.game.public_rules())

    @property
    def public_time(self) -> dict[str, Any]:
        """The clocks, as `match_start` tells them."""
        time = self.time
        return {
            "move_ms": time.move_ms,
            "bank_ms": time.bank_ms,
            "increment_ms": time.increment_ms,
            "margin_ms": time.margin_ms,
        }
