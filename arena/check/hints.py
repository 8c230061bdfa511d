"""What to do about a failure: a table from step, code and evidence to advice, the first row that fits."""

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["HINTS", "Hint", "hint_for"]


class Hint(NamedTuple):
    """A row of the table: it fits when all that it asks for does. section: of protocol/README.md. step: the name of the
    step's function; sign: words that are in the evidence."""

    advice: str
    section: str
    step: str = ""
    code: str = ""
    sign: str = ""
    protocol: str = ""


HINTS = (
    # what is plain whichever step it was
    Hint(
        "Flush stdout after every message: a pipe is buffered in blocks, unlike a terminal.",
        "Lines of JSON",
        code="silent",
        sign="flush stdout after every line",
    ),
    Hint(
        "Flush stdout after every message: a pipe is buffered in blocks, unlike a terminal.",
        "Lines of JSON",
        code="timeout",
        sign="flush stdout after every line",
    ),
    Hint(
        "End every message with a line break, and flush.",
        "Lines of JSON",
        sign="without a line break",
        protocol="stdio",
    ),
    Hint(
        "Another module called protocol hides the client: a file protocol.py beside the bot (or the bot itself), or a "
        "package in the Python that runs it. Rename that file, or give the bot a .venv of its own.",
        "The Python package",
        sign="No module named 'protocol.",
    ),
    Hint(
        "The client is missing in the Python that runs the bot: `python` is the one of a .venv next to the script, or "
        "else the arena's own. Install it there: pip install ./protocol in the source of the arena.",
        "The Python package",
        sign="No module named 'protocol'",
    ),
    Hint(
        "Write: from protocol.bot import serve. If that fails, another module called protocol hides the client: the "
        "message says which.",
        "The Python package",
        sign="cannot import name 'serve' from 'protocol",
    ),
    Hint(
        "A module is missing in the Python that runs the bot: `python` is the one of a .venv next"
        " to the script, or else the arena's own. Install it there.",
        "First contact",
        sign="No module named",
    ),
    Hint(
        "Run the command by hand in this directory. A script needs a #! line, and a program must "
        "be made for this machine.",
        "First contact",
        code="spawn",
    ),
    # the form of a message
    Hint(
        "Pack messages with MessagePack; or speak JSON lines over stdin and stdout, with --protocol stdio.",
        "First contact",
        code="not_messagepack",
        sign="JSON",
    ),
    Hint(
        "Write debugging output to stderr: stdout belongs to the protocol.",
        "Lines of JSON",
        code="not_json",
        sign="stdout is for messages only",
    ),
    Hint("Write each message as one line of JSON, without line breaks inside.", "Lines of JSON", code="not_json"),
    Hint(
        "A REQ socket sends an empty frame first: use DEALER.", "First contact", code="empty_frame", protocol="zeromq"
    ),
    Hint(
        "Write integers as integers: some libraries make floats of all numbers.",
        "First contact",
        code="wrong_value",
        sign="the float",
    ),
    Hint("A message of a bot has some 100 bytes; send nothing but the keys of the table.", "Limits", code="too_large"),
    Hint("A bot sends hello and action, nothing else.", "Messages", code="wrong_sender"),
    Hint(
        "Write integers as integers: some libraries make floats of all numbers.",
        "Actions",
        code="illegal_action",
        sign="a float",
    ),
    Hint(
        "The empty list is []: some languages write an empty table as a map, {}.",
        "Actions",
        code="illegal_action",
        sign="a map",
    ),
    # what is wrong in a step that only tries one thing
    Hint(
        "Make buffers as large as the longest message, max_message of welcome.",
        "Limits",
        step="unknown_keys",
        sign="65536",
    ),
    Hint(
        "Skip keys that you do not know, whatever their value is and wherever they stand; do not "
        "rely on the order of keys.",
        "How version 1 grows",
        step="unknown_keys",
    ),
    Hint(
        "Ignore types of messages, events and reasons that you do not know, without answering.",
        "How version 1 grows",
        step="unknown_words",
    ),
    Hint(
        "match_end can come at any time after match_start, for reasons that are not the game's.",
        "What happens when …",
        step="ended_while_waiting",
    ),
    Hint(
        "match_end can come behind a request: forget the request, or answer it late, and play the next match.",
        "What happens when …",
        step="ended_while_thinking",
    ),
    Hint(
        "Answer with the match and the request of the very request that you answer, not of the "
        "last message; keep what you remember apart by match.",
        "Many matches, one process",
        step="one_too_many",
    ),
    Hint(
        "Keep what you remember apart by match, and answer each request with its own match and "
        "request; or offer concurrency 1.",
        "Many matches, one process",
        step="at_once",
    ),
    Hint("An error is for the bot's log. It wants no answer, and no end of the process.", "error", step="objection"),
    Hint(
        "Processes of a bot run side by side: let them share no file, port or lock.",
        "Many matches, one process",
        step="second_process",
    ),
    Hint(
        "Read the rules from match_start, and sizes from each observation: a config may change them, up to the limits "
        "that the game's page names. Lists of legal actions and of events are long then.",
        "Rules",
        step="other_rules",
    ),
    Hint(
        "move_ms may be null; a match's id is any text and a request's any 64-bit integer, both "
        "to be sent back exactly as they came.",
        "What a bot may rely on",
        step="odd_values",
    ),
    Hint("Exit when reading from stdin reports its end.", "Lines of JSON", step="end_of_input"),
    # the start
    Hint(
        "Nothing was read. Does the bot connect a DEALER socket to $ARENA_ENDPOINT and send hello"
        " at once, without waiting for anything? What takes long (imports, models) must fit into "
        "the time to start. A bot that speaks JSON lines needs --protocol stdio.",
        "First contact",
        code="silent",
        protocol="zeromq",
    ),
    Hint(
        "Nothing was read. Write hello to stdout as one line of JSON, and flush; what takes long "
        "(imports, models) must fit into the time to start. A bot that speaks ZeroMQ needs "
        "--protocol zeromq.",
        "Lines of JSON",
        code="silent",
        protocol="stdio",
    ),
    Hint(
        "The process ended before its hello. What it wrote last says why; run the command by hand"
        " with ARENA_ENDPOINT and ARENA_TOKEN set to see more.",
        "First contact",
        code="early_exit",
    ),
    Hint(
        "A REQ socket puts an empty frame before every message: use DEALER, and send each message as a single part.",
        "First contact",
        code="bad_frame",
    ),
    Hint(
        "Send the value of the environment variable ARENA_TOKEN in hello, unchanged, once for each process.",
        "hello",
        code="bad_token",
    ),
    Hint("Send protocol: 1, and only what this version has.", "hello", code="wrong_protocol"),
    Hint("hello must be the first message; answers come after it.", "First contact", code="unexpected", sign="NEW"),
    Hint(
        "Say hello once for each process; wait for welcome, and do not say it again.",
        "Who may say what when",
        code="unexpected",
        sign="hello",
    ),
    # conduct
    Hint("Answer each request once, with the match and request of that request.", "action", code="twice"),
    Hint("Answer each request once, with the match and request of that request.", "action", code="flood"),
    Hint(
        "Choose from legal_actions of this request; where there is no such list, the observation says what is allowed.",
        "Actions",
        code="illegal_action",
    ),
    Hint(
        "Send match and request back exactly as they came in the request that you answer.",
        "action",
        code="timeout",
        sign="requests that were not open",
    ),
    Hint(
        "Look for a computation without end, a read that waits for more than a line, and output that is not flushed.",
        "Clocks",
        code="timeout",
        protocol="stdio",
    ),
    Hint(
        "Look for a computation without end, and for a request that was read and not answered.",
        "Clocks",
        code="timeout",
    ),
    Hint(
        "Keep the connection open until bye, and keep messages short: one that is far too long closes the link.",
        "Limits",
        code="crash",
        sign="closed its",
    ),
    Hint("The process came to its end by itself. Read on until bye.", "bye", code="crash", sign="status 0"),
    Hint("The process ended. What it wrote last says why.", "Verdicts", code="crash"),
    Hint("Exit at bye, also when a request is open: a process that does not is killed.", "bye", code="stayed"),
    Hint("End and wait for every process that the bot started before it exits.", "bye", code="left_behind"),
    Hint(
        "Compare the message with the tables of the protocol, and your encoder with vectors/vectors.json.", "Messages"
    ),
)


def hint_for(step: str, code: str, evidence: str, protocol: str) -> tuple[str, str]:
    """What to do, and where to read on."""
    found = next(_fitting(step, code, evidence, protocol))
    return found.advice, found.section


def _fitting(step: str, code: str, evidence: str, protocol: str) -> Iterator[Hint]:
    for row in HINTS:
        is_of_step = row.step in ("", step) and row.code in ("", code)
        if is_of_step and row.protocol in ("", protocol) and row.sign in evidence:
            yield row
