"""How large anything on the wire may be, and why. Fixed for version 1."""

PROTOCOL_VERSION = 1

MAX_MESSAGE = 65_536
"""Bytes of a frame. A request of Tacocat has a few hundred; this leaves room for larger games, and what a hostile frame
can make the decoder build stays below 10 MB."""

MAX_LINE = 6 * MAX_MESSAGE
"""Bytes of a message as a line of JSON. No message of `MAX_MESSAGE` bytes is longer: what grows most is a control
character, from one byte to six."""

MAX_DEPTH = 16
"""Maps and lists within each other, the message itself being the first. Messages of version 1 need 5; recursion in
anybody's code is safe at 16."""

MAX_ARRAY = 1024
"""Elements of a list. More legal actions than chess or Go ever have; and the most that a five-byte header can make the
decoder reserve is 8 KB."""

MAX_MAP = 256
"""Keys of a map. The largest of version 1 has 13."""

MAX_TEXT = 8192
"""Bytes of a string (UTF-8). The longest is the detail of match_end, with the last lines of a bot's log."""

MAX_LABEL = 100
"""Characters of what a bot says of itself (name, author, ...): it has to fit on a line."""

MAX_CONCURRENCY = 1024
"""Matches at once that a process may offer to play: each costs the referee a little memory."""

ERROR_TEXT_MAX = 400
"""Characters of an error's text: what a person reads at a glance."""

ECHO_MAX = 48
"""Bytes of the other side's input repeated in an error's text: enough to recognise, too little to abuse."""
