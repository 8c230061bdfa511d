"""Always calls."""

from protocol.bot import serve

if __name__ == "__main__":
    serve(lambda request: "call", name="Caller")
