"""A bot that gives the first legal action: at once, or after some milliseconds of CPU."""

import argparse
import time
from typing import Any

from protocol.bot import serve
from protocol.messages import Request


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--think-ms", type=float, default=0.0)
    options = parser.parse_args()

    def choose(request: Request) -> Any:
        end = time.process_time() + options.think_ms / 1000
        while options.think_ms and time.process_time() < end:
            pass
        return request.legal_actions[0] if request.legal_actions else []

    serve(choose, concurrency=options.concurrency)


if __name__ == "__main__":
    main()
