"""Bets on good cards and gives up bad ones: a pair with the board and kings are good, jacks are bad."""

from protocol.bot import serve
from protocol.messages import Request


def choose(request: Request) -> str:
    """Raise, call or fold by the cards that are seen, and by nothing else."""
    seen, legal = request.observation, request.legal_actions or []
    wishes = ["call"]
    if seen["card"] in ("K", seen["board"]):
        wishes = ["raise", "call"]
    elif seen["card"] == "J":
        wishes = ["fold", "call"]
    return next(wish for wish in wishes if wish in legal)


if __name__ == "__main__":
    serve(choose, name="Steady")
