package main

import (
	"cmp"
	"slices"
)

// Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
//
// The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
// attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
// is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
//
// This is the place to put a better idea: choose is all that the rest of the bot calls.

const (
	// The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up.
	low = 2
	// From here up a card wins attacks, and beats them.
	high = 9
	// The most useless rank of all; the further a card is from it, the better.
	middling = 6
	// With so many cards in hand the end begins, and it is time for the high cards.
	ending = 3
)

// choose has rules of thumb for each phase. They rely on what the rules of the game promise of its hands, and where that
// does not hold, as in a phase that they do not know, any legal action will do.
func choose(request *Request) []int {
	seen := &request.Observation
	cards, attacking := len(seen.Hand), len(seen.Attack)
	switch {
	case len(request.LegalActions) == 0:
		return replace(seen.Hand, seen.MaxReplace)
	case seen.Phase == "duel" && cards > 1:
		return []int{mostUseless(seen.Hand)}
	case seen.Phase == "attack" && cards > 1:
		return attack(seen.Hand, request.LegalActions)
	case seen.Phase == "defend" && 0 < attacking && attacking < cards:
		return defend(seen.Hand, request.LegalActions, seen.Attack)
	}
	return request.LegalActions[0]
}

// replace throws away all but the high cards and two low ones.
func replace(hand []int, maxReplace int) []int {
	useless := []int{} // not nil, which would not be a list on the wire
	for i, card := range hand {
		if keep := card >= high || i < 2 && card <= low; !keep && len(useless) < maxReplace {
			useless = append(useless, card)
		}
	}
	return useless
}

// mostUseless is the card to part with. The lowest is never the one, because it has to win the round.
func mostUseless(hand []int) int {
	return slices.MinFunc(hand[1:], func(a, b int) int {
		return cmp.Compare(distance(a, middling), distance(b, middling))
	})
}

// attack prefers many cards at once, which are hard to beat: the opponent gives up as many low cards. They must not cost
// a low one of one's own, though. A single card is there to be got rid of, until the end comes.
func attack(hand []int, attacks [][]int) []int {
	var best []int
	for _, cards := range attacks {
		if len(cards) > 1 && cards[0] > max(hand[0], low) && isBigger(cards, best) {
			best = cards
		}
	}
	switch {
	case best != nil:
		return best
	case len(hand) <= ending:
		return hand[len(hand)-1:]
	}
	return []int{mostUseless(hand)}
}

// defend beats the attack as cheaply as possible, except where giving up low cards costs less.
func defend(hand []int, answers [][]int, attack []int) []int {
	lowest := hand[:len(attack)] // always a legal answer
	var cheapest []int
	for _, answer := range answers {
		if beats(answer, attack) && (cheapest == nil || sum(answer) < sum(cheapest)) {
			cheapest = answer
		}
	}
	if cheapest == nil {
		return lowest
	}
	isSpare := hand[len(attack)] <= low // what would then be the lowest card is still a low one
	if isSpare && cheapest[len(cheapest)-1] >= high && len(hand) > ending {
		return lowest
	}
	return cheapest
}

// beats says whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do.
func beats(answer, attack []int) bool {
	if len(answer) != len(attack) {
		return false
	}
	for i, card := range attack {
		if answer[i] < card {
			return false
		}
	}
	return true
}

// isBigger says whether a group has more cards than another, or as many and higher ones.
func isBigger(group, other []int) bool {
	return cmp.Or(cmp.Compare(len(group), len(other)), cmp.Compare(sum(group), sum(other))) > 0
}

func distance(a, b int) int {
	return max(a-b, b-a)
}

func sum(cards []int) int {
	total := 0
	for _, card := range cards {
		total += card
	}
	return total
}
