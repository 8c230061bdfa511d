/* Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
 *
 * The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
 * attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
 * is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
 *
 * Hands come in ascending order, so every answer is a run of the hand or a legal action: nothing is copied. */
#include "strategy.h"

#include <stdlib.h>

enum {
    LOW = 2,      /* the last card of a won round is hardly ever higher; two such are worth keeping, one to give up */
    HIGH = 9,     /* from here up a card wins attacks, and beats them */
    MIDDLING = 6, /* the most useless rank of all; the further a card is from it, the better */
    ENDING = 3,   /* with so many cards in hand the end begins, and it is time for the high cards */
};

static struct cards run(struct cards cards, size_t first, size_t end)
{
    return (struct cards){cards.card + first, end - first};
}

static int lowest(struct cards cards)
{
    return cards.card[0];
}

static int highest(struct cards cards)
{
    return cards.card[cards.count - 1];
}

static int64_t sum(struct cards cards)
{
    int64_t total = 0;
    for (size_t i = 0; i < cards.count; i++)
        total += cards.card[i];
    return total;
}

/* Throw away all but the high cards and two low ones. */
static struct cards replace(struct cards hand, int max_replace)
{
    size_t first = 0;
    while (first < 2 && first < hand.count && hand.card[first] <= LOW)
        first++;
    size_t end = first;
    while (end < hand.count && hand.card[end] < HIGH && end - first < (size_t)max_replace)
        end++;
    return run(hand, first, end);
}

/* The card to part with; the lower one of two equally useless. The lowest of all is never the one, because it has to
 * win the round. */
static struct cards most_useless(struct cards hand)
{
    size_t found = hand.count - 1;
    for (size_t i = found; i > 0; i--)
        if (abs(hand.card[i] - MIDDLING) <= abs(hand.card[found] - MIDDLING))
            found = i;
    return run(hand, found, found + 1);
}

/* Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
 * own, though. A single card is there to be got rid of, until the end comes. */
static struct cards attack(struct cards hand, struct actions attacks)
{
    const struct cards *best = NULL;
    for (const struct cards *group = attacks.action; group < attacks.action + attacks.count; group++) {
        if (group->count < 2 || lowest(*group) <= LOW || lowest(*group) <= lowest(hand))
            continue;
        if (best == NULL || group->count > best->count || (group->count == best->count && sum(*group) > sum(*best)))
            best = group;
    }
    if (best != NULL)
        return *best;
    return hand.count <= ENDING ? run(hand, hand.count - 1, hand.count) : most_useless(hand);
}

/* Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do. */
static bool beats(struct cards answer, struct cards attack)
{
    if (answer.count != attack.count)
        return false;
    for (size_t i = 0; i < attack.count; i++)
        if (answer.card[i] < attack.card[i])
            return false;
    return true;
}

/* Beat the attack as cheaply as possible, except where giving up low cards costs less. */
static struct cards defend(struct cards hand, struct actions answers, struct cards attack)
{
    const struct cards *cheapest = NULL;
    for (const struct cards *answer = answers.action; answer < answers.action + answers.count; answer++)
        if (beats(*answer, attack) && (cheapest == NULL || sum(*answer) < sum(*cheapest)))
            cheapest = answer;
    /* what would be the lowest card after giving up low ones is still a low one */
    bool is_spare = hand.card[attack.count] <= LOW;
    if (cheapest == NULL || (is_spare && highest(*cheapest) >= HIGH && hand.count > ENDING))
        return run(hand, 0, attack.count); /* always a legal answer */
    return *cheapest;
}

/* Whether this is a position of Tacocat as it is known here; there may be other games. */
static bool is_familiar(const struct observation *seen)
{
    return seen->phase != PHASE_UNKNOWN && seen->hand.count > seen->attack.count &&
           (seen->phase == PHASE_DEFEND) == (seen->attack.count > 0);
}

struct cards choose(const struct request *request)
{
    const struct observation *seen = &request->observation;
    const struct actions *legal = &request->legal_actions;
    if (is_familiar(seen))
        switch (seen->phase) {
        case PHASE_REPLACE: return replace(seen->hand, seen->max_replace);
        case PHASE_DUEL: return most_useless(seen->hand);
        case PHASE_ATTACK: return attack(seen->hand, *legal);
        case PHASE_DEFEND: return defend(seen->hand, *legal, seen->attack);
        case PHASE_UNKNOWN: break;
        }
    return legal->count > 0 ? legal->action[0] : (struct cards){NULL, 0};
}
