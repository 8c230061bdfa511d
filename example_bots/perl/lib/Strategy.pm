# Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
#
# The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
# attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
# is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
#
# Hands and actions are references to arrays of ranks, always ascending.
package Strategy;
use v5.36;

use List::Util qw(all max reduce sum zip);

# The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up.
use constant LOW => 2;
# From here up a card wins attacks, and beats them.
use constant HIGH => 9;
# The most useless rank of all; the further a card is from it, the better.
use constant MIDDLING => 6;
# With so many cards in hand the end begins, and it is time for the high cards.
use constant ENDING => 3;

# The cards to play in answer to a request. Each phase has its own rules of thumb.
sub choose ($request) {
    my ($seen, $legal) = @$request{qw(observation legal_actions)};
    my $hand = $seen->{hand};
    return replace($hand, $seen->{max_replace}) unless $legal;    # any cards may be replaced: there is no list
    return [most_useless($hand)] if $seen->{phase} eq 'duel';
    return attack($hand, $legal) if $seen->{phase} eq 'attack';
    return defend($hand, $legal, $seen->{attack});
}

# Throw away all but the high cards and two low ones.
sub replace ($hand, $most) {
    my @cards = @$hand;
    for (1, 2) { shift @cards if @cards && $cards[0] <= LOW }
    my @useless = grep { $_ < HIGH } @cards;
    splice @useless, $most if @useless > $most;
    return \@useless;
}

# The card to part with. The lowest is never the one, because it has to win the round.
sub most_useless ($hand) {
    return first_best(sub ($card, $best) { abs($card - MIDDLING) < abs($best - MIDDLING) }, @$hand[1 .. $#$hand]);
}

# Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
# own, though. A single card is there to be got rid of, until the end comes.
sub attack ($hand, $attacks) {
    my $low = max($hand->[0], LOW);
    my @groups = grep { @$_ > 1 && $_->[0] > $low } @$attacks;
    return first_best(sub ($cards, $best) { (@$cards <=> @$best || sum(@$cards) <=> sum(@$best)) > 0 }, @groups)
      if @groups;
    return [@$hand <= ENDING ? $hand->[-1] : most_useless($hand)];
}

# Beat the attack as cheaply as possible, except where giving up low cards costs less.
sub defend ($hand, $answers, $attack) {
    my @lowest = @$hand[0 .. $#$attack];        # always a legal answer
    my @winning = grep { beats($_, $attack) } @$answers;
    return \@lowest unless @winning;
    my $cheapest = first_best(sub ($answer, $best) { sum(@$answer) < sum(@$best) }, @winning);
    my $is_spare = $hand->[@$attack] <= LOW;    # what would then be the lowest card is still a low one
    return $is_spare && $cheapest->[-1] >= HIGH && @$hand > ENDING ? \@lowest : $cheapest;
}

# Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do.
sub beats ($answer, $attack) {
    return all { $_->[0] >= $_->[1] } zip $answer, $attack;
}

# The first of those that no other one is better than.
sub first_best ($is_better, @candidates) {
    return reduce { $is_better->($b, $a) ? $b : $a } @candidates;
}

1;
