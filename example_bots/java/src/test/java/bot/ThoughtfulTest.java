package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

class ThoughtfulTest {
    private static List<Integer> replace(int most, List<Integer> hand) {
        return Thoughtful.choose(request("replace", hand, null, most, null));
    }

    /** The answer, which has to be a legal one. */
    private static List<Integer> choose(
            String phase, List<Integer> hand, List<List<Integer>> legal, List<Integer> attack) {
        var action = Thoughtful.choose(request(phase, hand, legal, null, attack));
        assertTrue(legal.contains(action), () -> action + " is not in " + legal);
        return action;
    }

    private static Message.Request request(
            String phase, List<Integer> hand, List<List<Integer>> legal, Integer most, List<Integer> attack) {
        var seen = ValueFactory.newMapBuilder()
                .put(ValueFactory.newString("phase"), ValueFactory.newString(phase))
                .put(ValueFactory.newString("hand"), integers(hand));
        if (most != null) {
            seen.put(ValueFactory.newString("max_replace"), ValueFactory.newInteger(most));
        }
        if (attack != null) {
            seen.put(ValueFactory.newString("attack"), integers(attack));
        }
        return new Message.Request("m", BigInteger.ONE, 0, Fields.toFields(seen.build()), List.of(), legal, 1000);
    }

    private static Value integers(List<Integer> ranks) {
        return ValueFactory.newArray(ranks.stream().map(ValueFactory::newInteger).toList());
    }

    private static List<List<Integer>> singles(Integer... ranks) {
        return List.of(ranks).stream().map(List::of).toList();
    }

    @Test
    void keepsTwoLowCardsAndTheHighOnes() {
        assertEquals(List.of(2, 5, 8), replace(7, List.of(1, 1, 2, 5, 8, 9, 12)));
        assertEquals(List.of(3, 3, 4), replace(7, List.of(3, 3, 4)));
        assertEquals(List.of(), replace(7, List.of(1, 2, 9)));
    }

    @Test
    void replacesNoMoreThanAllowed() {
        assertEquals(List.of(3, 4), replace(2, List.of(1, 3, 4, 5, 6)));
        assertEquals(List.of(), replace(0, List.of(3, 4, 5)));
    }

    @Test
    void duelsWithTheMostUselessCardButNeverTheLowest() {
        assertEquals(List.of(7), choose("duel", List.of(6, 7, 12), singles(6, 7, 12), null));
        assertEquals(List.of(5), choose("duel", List.of(1, 5, 7), singles(1, 5, 7), null), "the first of equals");
    }

    @Test
    void attacksWithTheLargestGroupThatCostsNoLowCard() {
        var hand = List.of(1, 2, 3, 4, 5, 8, 8);
        var legal = List.of(List.of(1, 2, 3), List.of(2, 3, 4, 5), List.of(3, 4, 5), List.of(8), List.of(8, 8));
        assertEquals(List.of(3, 4, 5), choose("attack", hand, legal, null));
        var pairs = List.of(List.of(4), List.of(7, 7), List.of(8, 8));
        assertEquals(List.of(8, 8), choose("attack", List.of(1, 7, 7, 8, 8), pairs, null), "the higher of equal length");
    }

    @Test
    void attacksWithTheHighestCardInTheEnd() {
        assertEquals(List.of(12), choose("attack", List.of(1, 6, 12), singles(1, 6, 12), null));
        assertEquals(List.of(6), choose("attack", List.of(1, 2, 6, 12), singles(1, 2, 6, 12), null));
    }

    @Test
    void defendsAsCheaplyAsPossible() {
        var answers = List.of(List.of(1, 5), List.of(1, 9), List.of(9, 11), List.of(11, 11));
        assertEquals(List.of(9, 11), choose("defend", List.of(1, 5, 7, 9, 11, 11), answers, List.of(8, 8)));
        assertEquals(List.of(1), choose("defend", List.of(1, 3, 5), singles(1), List.of(8)), "nothing beats it");
    }

    @Test
    void givesUpASpareLowCardRatherThanAHighOne() {
        assertEquals(List.of(1), choose("defend", List.of(1, 2, 5, 11), singles(1, 11), List.of(8)));
        assertEquals(List.of(11), choose("defend", List.of(1, 3, 5, 11), singles(1, 11), List.of(8)), "not a spare one");
        assertEquals(List.of(8), choose("defend", List.of(1, 2, 5, 8), singles(1, 8), List.of(8)), "8 is no high card");
        assertEquals(List.of(11), choose("defend", List.of(1, 2, 11), singles(1, 11), List.of(8)), "the end is near");
    }
}
