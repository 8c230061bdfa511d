"""Events in words, and the board in one line, for people."""

from collections.abc import Sequence

from arena.model import Event

__all__ = ["draw_board", "narrate"]


def narrate(event: Event, names: Sequence[str], far_goal: int) -> str:
    """One event in one line; `names` by seat, `far_goal` is seat 1's (seat 0's is 0)."""
    match event["event"]:
        case "deal":
            place = f"Round {event['round']}: the Tacocat is on space {event['space']}"
            return f"{place}, each player gets {event['cards']} cards."
        case "replaced":
            cards = event["cards"]
            return f"{names[event['seat']]} {f'replaces {_cards(cards)}' if cards else 'keeps every card'}."
        case "duel":
            return _duel(event["cards"], names)
        case "trick":
            return _trick(event, names)
        case "showdown":
            return _showdown(event["cards"], event["winner"], names)
        case "moved":
            return _moved(event["from"], event["to"], names, far_goal)
        case unknown:
            raise ValueError(f"Tacocat has no event {unknown!r}")


def draw_board(space: int, covered: Sequence[int], board: Sequence[int]) -> str:
    """The board in one line: goals at the ends, the Tacocat in brackets, covered spaces as ##.

    `board` holds the hand sizes by space; `space` may be a goal.
    """

    def cell(position: int, label: str) -> str:
        return (f"[{label}]" if position == space else "##" if position in covered else label).center(4)

    spaces = "".join(cell(position, str(size)) for position, size in enumerate(board, start=1))
    return f"{cell(0, 'goal 0')} |{spaces}| {cell(len(board) + 1, 'goal 1')}".strip()


def _cards(cards: Sequence[int]) -> str:
    return " ".join(map(str, cards))


def _duel(cards: Sequence[int], names: Sequence[str]) -> str:
    if cards[0] == cards[1]:
        return f"Duel: both play {cards[0]}, a tie."
    winner = 0 if cards[0] > cards[1] else 1
    return f"Duel: {names[0]} plays {cards[0]}, {names[1]} plays {cards[1]}; {names[winner]} is higher."


def _trick(event: Event, names: Sequence[str]) -> str:
    attacker, defender = names[event["attacker"]], names[1 - event["attacker"]]
    answer = "defends with" if event["defended"] else "sacrifices, playing"
    return f"{attacker} attacks with {_cards(event['attack'])}; {defender} {answer} {_cards(event['answer'])}."


def _showdown(cards: Sequence[int], winner: int | None, names: Sequence[str]) -> str:
    if winner is None:
        return f"Showdown: both hold {cards[0]}; the round is tied."
    if cards[0] == cards[1]:
        return f"Showdown: both hold {cards[0]}; the arrow gives the round to {names[winner]}."
    return f"Showdown: {names[0]} holds {cards[0]}, {names[1]} holds {cards[1]}; {names[winner]} wins the round."


def _moved(start: int, to: int, names: Sequence[str], far_goal: int) -> str:
    if to in (0, far_goal):
        return f"The Tacocat moves from space {start} into the goal of {names[0 if to == 0 else 1]}."
    return f"The Tacocat moves from space {start} to {to}."
