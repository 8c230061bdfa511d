"""Raises whenever it may."""

from protocol.bot import serve
from protocol.messages import Request


def choose(request: Request) -> str:
    return "raise" if "raise" in (request.legal_actions or []) else "call"


if __name__ == "__main__":
    serve(choose, name="Raiser")
