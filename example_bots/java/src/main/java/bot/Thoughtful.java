package bot;

import static java.util.Comparator.comparingInt;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
 *
 * <p>The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
 * attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
 * is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
 *
 * <p>A hand is ascending, and so is every action in a list of legal ones. Where several are equally good, the first of
 * them is chosen.
 */
final class Thoughtful {
    /** The last card of a won round is hardly ever higher. Two are worth keeping: one may have to be given up. */
    private static final int LOW = 2;

    /** From here up a card wins attacks, and beats them. */
    private static final int HIGH = 9;

    /** The most useless rank of all; the further a card is from it, the better. */
    private static final int MIDDLING = 6;

    /** With so many cards in hand the end begins, and it is time for the high cards. */
    private static final int ENDING = 3;

    private static final Comparator<List<Integer>> BY_SUM = comparingInt(Thoughtful::sum);

    private Thoughtful() {}

    /** Each phase has its own rules of thumb. */
    static List<Integer> choose(Message.Request request) {
        var seen = request.observation();
        var hand = seen.integers("hand");
        var legal = request.legalActions();
        if (legal == null) {
            return replace(hand, seen.integer("max_replace"));
        }
        return switch (seen.text("phase")) {
            case "duel" -> List.of(mostUseless(hand));
            case "attack" -> attack(hand, legal);
            default -> defend(hand, legal, seen.integers("attack"));
        };
    }

    /** Throw away all but the high cards and two low ones. */
    private static List<Integer> replace(List<Integer> hand, int most) {
        long lows = hand.stream().limit(2).filter(card -> card <= LOW).count();
        return hand.stream().skip(lows).filter(card -> card < HIGH).limit(most).toList();
    }

    /** The card to part with. The lowest is never the one, because it has to win the round. */
    private static int mostUseless(List<Integer> hand) {
        return Collections.min(hand.subList(1, hand.size()), comparingInt(card -> Math.abs(card - MIDDLING)));
    }

    /**
     * Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of
     * one's own, though. A single card is there to be got rid of, until the end comes.
     */
    private static List<Integer> attack(List<Integer> hand, List<List<Integer>> attacks) {
        int kept = Math.max(hand.get(0), LOW);
        var groups = attacks.stream().filter(cards -> cards.size() > 1 && cards.get(0) > kept).toList();
        if (!groups.isEmpty()) {
            return Collections.max(groups, Comparator.<List<Integer>>comparingInt(List::size).thenComparing(BY_SUM));
        }
        return List.of(hand.size() <= ENDING ? hand.get(hand.size() - 1) : mostUseless(hand));
    }

    /** Beat the attack as cheaply as possible, except where giving up low cards costs less. */
    private static List<Integer> defend(List<Integer> hand, List<List<Integer>> answers, List<Integer> attack) {
        var lowest = hand.subList(0, attack.size()); // always a legal answer
        var winning = answers.stream().filter(answer -> beats(answer, attack)).toList();
        if (winning.isEmpty()) {
            return lowest;
        }
        var cheapest = Collections.min(winning, BY_SUM);
        boolean isSpare = hand.get(attack.size()) <= LOW; // what would then be the lowest card is still a low one
        boolean isDear = cheapest.get(cheapest.size() - 1) >= HIGH;
        return isSpare && isDear && hand.size() > ENDING ? lowest : cheapest;
    }

    /** Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do. */
    private static boolean beats(List<Integer> answer, List<Integer> attack) {
        return IntStream.range(0, attack.size()).allMatch(i -> answer.get(i) >= attack.get(i));
    }

    private static int sum(List<Integer> cards) {
        return cards.stream().mapToInt(Integer::intValue).sum();
    }
}
