# frozen_string_literal: true

# Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
#
# The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
# attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
# is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
#
# Hands and actions are arrays of ranks, always ascending. Of equals, min_by and max_by choose the first.
module Strategy
  # The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up.
  LOW = 2
  # From here up a card wins attacks, and beats them.
  HIGH = 9
  # The most useless rank of all; the further a card is from it, the better.
  MIDDLING = 6
  # With so many cards in hand the end begins, and it is time for the high cards.
  ENDING = 3

  module_function

  # The cards to play in answer to a request. Each phase has its own rules of thumb.
  def choose(request)
    hand = request[:observation][:hand]
    legal = request[:legal_actions]
    case request[:observation]
    in { phase: "replace", max_replace: } then replace(hand).take(max_replace)
    in { phase: "duel" } then [most_useless(hand)]
    in { phase: "attack" } then attack(hand, legal)
    in { phase: "defend", attack: attacking } then defend(hand, legal, attacking)
    end
  end

  # Throw away all but the high cards and two low ones.
  def replace(hand)
    lows = hand.take(2).count { |card| card <= LOW }
    hand.drop(lows).select { |card| card < HIGH }
  end

  # The card to part with. The lowest is never the one, because it has to win the round.
  def most_useless(hand) = hand.drop(1).min_by { |card| (card - MIDDLING).abs }

  # Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
  # own, though. A single card is there to be got rid of, until the end comes.
  def attack(hand, attacks)
    low = [hand.first, LOW].max
    groups = attacks.select { |cards| cards.size > 1 && cards.first > low }
    return groups.max_by { |cards| [cards.size, cards.sum] } if groups.any?

    [hand.size <= ENDING ? hand.last : most_useless(hand)]
  end

  # Beat the attack as cheaply as possible, except where giving up low cards costs less.
  def defend(hand, answers, attacking)
    lowest = hand.take(attacking.size) # always a legal answer
    cheapest = answers.select { |answer| beats?(answer, attacking) }.min_by(&:sum)
    return lowest unless cheapest

    spare = hand[attacking.size] <= LOW # what would then be the lowest card is still a low one
    spare && cheapest.last >= HIGH && hand.size > ENDING ? lowest : cheapest
  end

  # Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do.
  def beats?(answer, attacking) = answer.zip(attacking).all? { |card, attacker| card >= attacker }
end
