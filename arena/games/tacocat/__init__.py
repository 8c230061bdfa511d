"""Tacocat Spelled Backwards: two players pull one token along a board by winning small card games.

`rules` what may be configured, `deals` the shuffle, `legality` which cards may be played, `state` a position,
`transitions` how one position follows from another, `answers` how a bot's answer is read, `narration` events in words,
`game` all of it together, behind the contract `arena.contracts.Game`. Everything is pure.
"""

from arena.games.tacocat.game import Tacocat

__all__ = ["Tacocat"]
