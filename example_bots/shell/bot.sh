#!/bin/sh
# A bot whose work is all done by jq, which reads and writes the arena's lines of JSON.

if [ "${ARENA_ENDPOINT-}" != stdio ] || [ -z "${ARENA_TOKEN-}" ]; then
    cat >&2 <<'TEXT'
This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT=stdio and ARENA_TOKEN.
Name its command in a config, with `protocol: stdio`, and use `arena run CONFIG`; or try `arena match`.
TEXT
    exit 2
fi

here=$(dirname -- "$0")
# exec: so that there is one process, and the arena sees how it ends
exec jq --null-input --compact-output --unbuffered -L "$here" --from-file "$here/bot.jq"
