# Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
#
# The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
# attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
# is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
#
# Hands and actions are arrays of ranks, always ascending. Of equals min_by gives the first (but max_by the last).

# The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up.
def low: 2;
# From here up a card wins attacks, and beats them.
def high: 9;
# The most useless rank of all; the further a card is from it, the better.
def middling: 6;
# With so many cards in hand the end begins, and it is time for the high cards.
def ending: 3;

# Of a hand: throw away all but the high cards and two low ones.
def replace:
  (.[:2] | map(select(. <= low)) | length) as $lows
  | .[$lows:] | map(select(. < high));

# Of a hand: the card to part with. The lowest is never the one, because it has to win the round.
def most_useless:
  .[1:] | min_by(. - middling | fabs);

# From a hand: many cards at once are hard to beat, the opponent gives up as many low cards. They must not cost a low
# one of one's own, though. A single card is there to be got rid of, until the end comes.
def attack($attacks):
  ([.[0], low] | max) as $lowest
  | [$attacks[] | select(length > 1 and .[0] > $lowest)] as $groups
  | if $groups != [] then $groups | min_by([-length, -add])
    elif length <= ending then [.[-1]]
    else [most_useless]
    end;

# Of an answer: whether each attacking card is met by an equal or higher one. Both are ascending, so compare pairs.
def beats($attack):
  [., $attack] | transpose | all(.[0] >= .[1]);

# From a hand: beat the attack as cheaply as possible, except where giving up low cards costs less.
def defend($answers; $attack):
  .[:($attack | length)] as $lowest # always a legal answer
  | ([$answers[] | select(beats($attack))] | min_by(add)) as $cheapest
  | (.[$attack | length] <= low) as $is_spare # what would then be the lowest card is still a low one
  | if $cheapest == null then $lowest
    elif $is_spare and $cheapest[-1] >= high and length > ending then $lowest
    else $cheapest
    end;

# Of a request: the cards to play. Each phase has its own rules of thumb.
def choose:
  .legal_actions as $legal
  | .observation as $seen
  | $seen.hand
  | if $legal == null then replace[:$seen.max_replace] # any cards may be replaced: there is no list
    elif $seen.phase == "duel" then [most_useless]
    elif $seen.phase == "attack" then attack($legal)
    else defend($legal; $seen.attack)
    end;
