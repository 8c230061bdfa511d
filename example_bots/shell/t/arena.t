#!/bin/sh
# Messages and conversations, with the vectors of lines.json. Run with `prove`.

cd "$(dirname -- "$0")/.." || exit
export ARENA_ENDPOINT=stdio ARENA_TOKEN=b64d0e9c

scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit

# jq with the bot's own code, and the vectors that hold a message of some types. Options come after the program.
query() {
    program='
        include "arena";
        def vectors($types): $lines[0][] | select(.valid and (.json.type | IN($types[])));
        def received: ["welcome", "match_start", "request", "match_end", "error", "bye"];
        '$1
    shift
    jq --null-input -L . --slurpfile lines lines.json "$@" "$program"
}

# The lines of the messages of these types (an array in jq).
lines() {
    query "vectors($1).line" --raw-output
}

decodes() {
    lines received | query '
        [inputs] as $got
        | [vectors(received).json] as $wanted
        | ($got | length) >= 15
          and ([$got, $wanted] | transpose | all(. as [$got, $wanted]
            | all($wanted | keys[]; $got[.] == $wanted[.])
              and $got.legal_actions == $wanted.legal_actions)) # null means absent
    ' --exit-status
}

encodes_hello() {
    query 'vectors(["hello"]).json | hello(.token; del(.type, .protocol, .token))' --compact-output |
        query '[vectors(["hello"]).json] | length >= 5 and . == [inputs]' --exit-status
}

encodes_action() {
    query 'vectors(["action"]).json | action(.action)' --compact-output |
        query '[vectors(["action"]).json] | length >= 10 and . == [inputs]' --exit-status
}

# Every invalid line ends the bot or is ignored; timeout would make it 124, and a signal more than that. Bytes that are
# no text are made by Perl, which is there where `prove` is.
survives() {
    {
        query '$lines[0][] | select(.valid | not) | .line // empty' --raw-output
        query '$lines[0][].hex // empty' --raw-output | perl -lne 'print pack "H*", $_'
    } >"$scratch/invalid"
    tried=0
    while IFS= read -r line; do
        printf '%s\n' "$line" | timeout 10 sh bot.sh >"$scratch/written" 2>"$scratch/log"
        [ $? -lt 124 ] || return
        tried=$((tried + 1))
    done <"$scratch/invalid"
    [ "$tried" -ge 30 ]
}

exits_at_bye() {
    {
        lines 'received - ["bye"]'
        lines '["bye"]' | head -n 1
        lines '["request"]' # too late
    } | sh bot.sh >"$scratch/written" 2>"$scratch/log"
}

says_hello_and_answers() {
    query '
        def is_legal($cards):
          if .legal_actions then any(.legal_actions[]; . == $cards)
          else .observation | ($cards | length) <= .max_replace and $cards - .hand == []
          end;
        [inputs] as $written
        | [vectors(["request"]).json] as $requests
        | $written[0].type == "hello" and $written[0].token == "b64d0e9c"
          and ($written | length) == 1 + ($requests | length)
          and ([$requests, $written[1:]] | transpose | all(. as [$request, $answer]
            | $answer == ($request | action($answer.action)) and ($request | is_legal($answer.action))))
    ' --exit-status <"$scratch/written"
}

logs_errors() {
    grep 'the hand holds one 8' "$scratch/log"
}

exits_when_the_arena_is_gone() {
    lines '["request"]' | sh bot.sh
}

explains_itself() {
    (unset ARENA_TOKEN && sh bot.sh) >"$scratch/written" 2>"$scratch/log"
    [ $? -eq 2 ] && [ ! -s "$scratch/written" ] && grep 'arena match' "$scratch/log"
}

count=0
check() {
    count=$((count + 1))
    "$2" >/dev/null || printf 'not '
    echo "ok $count - $1"
}

echo 1..9
check "decodes every message that it may get" decodes
check "encodes hello" encodes_hello
check "encodes action" encodes_action
check "survives what is no message" survives
check "exits at bye" exits_at_bye
check "says hello and answers every request legally" says_hello_and_answers
check "writes errors to its log" logs_errors
check "exits when the arena is gone" exits_when_the_arena_is_gone
check "explains itself when started by hand" explains_itself
