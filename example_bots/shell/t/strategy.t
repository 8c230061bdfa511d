#!/bin/sh
# The strategy in positions made by hand, tested in jq. Run with `prove`.

cd "$(dirname -- "$0")/.." || exit

exec jq --null-input --raw-output -L . '
include "strategy";

def chosen($seen; $legal):
  {observation: $seen, legal_actions: $legal} | choose;
def replaces($hand; $most):
  chosen({phase: "replace", hand: $hand, max_replace: $most}; null);
def duels($hand):
  chosen({phase: "duel", hand: $hand}; $hand | map([.]));
def attacks($hand; $legal):
  chosen({phase: "attack", hand: $hand}; $legal);
def defends($hand; $attack; $legal):
  chosen({phase: "defend", hand: $hand, attack: $attack}; $legal);

[
  ["replaces all but two low cards and the high ones", replaces([1, 2, 2, 5, 9, 12]; 6), [2, 5]],
  ["replaces cards that are not low", replaces([3, 4, 10]; 3), [3, 4]],
  ["replaces nothing of a good hand", replaces([1, 2, 9]; 3), []],
  ["replaces no more than it may", replaces([1, 2, 3, 4, 5]; 2), [3, 4]],
  ["replaces nothing when it may not", replaces([3, 4, 5]; 0), []],
  ["parts with the most middling card in a duel", duels([1, 2, 6, 12]), [6]],
  ["parts with the first of equals in a duel", duels([1, 5, 7, 12]), [5]],
  ["never parts with its lowest card in a duel", duels([6, 12]), [12]],
  ["attacks with the longest group",
    attacks([1, 4, 4, 4, 11, 11]; [[1], [4], [4, 4], [4, 4, 4], [11], [11, 11]]), [4, 4, 4]],
  ["attacks with the highest of groups as long",
    attacks([1, 7, 7, 8, 8]; [[1], [7], [7, 7], [8], [8, 8]]), [8, 8]],
  ["attacks with the first of groups as long and high",
    attacks([1, 4, 5, 5, 5, 6]; [[1], [4], [4, 5, 6], [5], [5, 5], [5, 5, 5], [6]]), [4, 5, 6]],
  ["spends no low cards on a group", attacks([1, 2, 2, 7, 11]; [[1], [2], [2, 2], [7], [11]]), [7]],
  ["spends its lowest card on no group", attacks([4, 4, 7, 11]; [[4], [4, 4], [7], [11]]), [7]],
  ["attacks with its highest card in the end", attacks([1, 5, 12]; [[1], [5], [12]]), [12]],
  ["beats an attack as cheaply as possible",
    defends([1, 5, 7, 9, 11, 11]; [8, 8]; [[1, 5], [1, 9], [1, 11], [9, 11], [11, 11]]), [9, 11]],
  ["beats an attack with a card that is not high", defends([1, 2, 2, 8, 12]; [8]; [[1], [8], [12]]), [8]],
  ["gives up a spare low card rather than a high one", defends([1, 2, 9, 12]; [8]; [[1], [9], [12]]), [1]],
  ["spares no high card in the end", defends([1, 2, 12]; [8]; [[1], [12]]), [12]],
  ["gives up its lowest cards to what it cannot beat", defends([1, 3, 5, 8]; [9, 9]; [[1, 3]]), [1, 3]]
]
| "1..\(length)",
  (to_entries[]
    | .value as [$name, $got, $wanted]
    | (if $got == $wanted then "ok" else "not ok" end)
      + " \(.key + 1) - \($name)"
      + (if $got == $wanted then "" else "\n# got \($got), wanted \($wanted)" end))
'
