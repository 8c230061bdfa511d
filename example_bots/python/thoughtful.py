"""Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.

The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever attacks
with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end is one low
card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
"""

from collections.abc import Sequence

from protocol.bot import serve
from protocol.messages import Request

LOW = 2
"""The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up."""
HIGH = 9
"""From here up a card wins attacks, and beats them."""
MIDDLING = 6
"""The most useless rank of all; the further a card is from it, the better."""
ENDING = 3
"""With so many cards in hand the end begins, and it is time for the high cards."""


def choose(request: Request) -> list[int]:
    """Each phase has its own rules of thumb."""
    seen = request.observation
    hand: list[int] = seen["hand"]
    if request.legal_actions is None:
        return replace(hand)[: seen["max_replace"]]
    if seen["phase"] == "duel":
        return [most_useless(hand)]
    if seen["phase"] == "attack":
        return attack(hand, request.legal_actions)
    return defend(hand, request.legal_actions, seen["attack"])


def replace(hand: list[int]) -> list[int]:
    """Throw away all but the high cards and two low ones."""
    lows = sum(card <= LOW for card in hand[:2])
    return [card for card in hand[lows:] if card < HIGH]


def most_useless(hand: list[int]) -> int:
    """The card to part with. The lowest is never the one, because it has to win the round."""
    return min(hand[1:], key=lambda card: abs(card - MIDDLING))


def attack(hand: list[int], attacks: Sequence[list[int]]) -> list[int]:
    """Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of
    one's own, though. A single card is there to be got rid of, until the end comes."""
    groups = [cards for cards in attacks if len(cards) > 1 and cards[0] > max(hand[0], LOW)]
    if groups:
        return max(groups, key=lambda cards: (len(cards), sum(cards)))
    if len(hand) <= ENDING:
        return [hand[-1]]
    return [most_useless(hand)]


def defend(hand: list[int], answers: Sequence[list[int]], attack: list[int]) -> list[int]:
    """Beat the attack as cheaply as possible, except where giving up low cards costs less."""
    lowest = hand[: len(attack)]  # always a legal answer
    winning = [answer for answer in answers if beats(answer, attack)]
    if not winning:
        return lowest
    cheapest = min(winning, key=sum)
    is_spare = hand[len(attack)] <= LOW  # what would then be the lowest card is still a low one
    if is_spare and cheapest[-1] >= HIGH and len(hand) > ENDING:
        return lowest
    return cheapest


def beats(answer: list[int], attack: list[int]) -> bool:
    """Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do."""
    return all(mine >= card for mine, card in zip(answer, attack, strict=True))


if __name__ == "__main__":
    serve(choose, name="Thoughtful")
