/* Positions that show what each rule of thumb does, and where it stops. */
#include "check.h"
#include "strategy.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define CARDS(...) {(const int[]){__VA_ARGS__}, LENGTH(((const int[]){__VA_ARGS__}))}
#define ACTIONS(...) {(const struct cards[]){__VA_ARGS__}, LENGTH(((const struct cards[]){__VA_ARGS__}))}
#define NONE {NULL, 0}

static const struct {
    const char *about;
    enum phase phase;
    struct cards hand, attack;
    struct actions legal;
    struct cards expected;
} positions[] = {
    {"keeps two low cards and all high ones", PHASE_REPLACE, CARDS(1, 2, 2, 3, 8, 9, 12), NONE, NONE, CARDS(2, 3, 8)},
    {"has nothing to replace", PHASE_REPLACE, CARDS(1, 2, 9, 10), NONE, NONE, NONE},
    {"replaces no more than it may", PHASE_REPLACE, CARDS(3, 4, 5, 6, 7, 8), NONE, NONE, CARDS(3, 4, 5, 6)},
    {"parts with the card next to 6", PHASE_DUEL, CARDS(1, 3, 7, 12), NONE,
     ACTIONS(CARDS(1), CARDS(3), CARDS(7), CARDS(12)), CARDS(7)},
    {"parts with the lower of two equally useless cards", PHASE_DUEL, CARDS(1, 5, 7, 12), NONE,
     ACTIONS(CARDS(1), CARDS(5), CARDS(7), CARDS(12)), CARDS(5)},
    {"never parts with its lowest card", PHASE_DUEL, CARDS(6, 11, 12), NONE, ACTIONS(CARDS(6), CARDS(11), CARDS(12)),
     CARDS(11)},
    {"has no choice", PHASE_DUEL, CARDS(4), NONE, ACTIONS(CARDS(4)), CARDS(4)},
    {"attacks with the longest group", PHASE_ATTACK, CARDS(1, 3, 4, 5, 9, 9), NONE,
     ACTIONS(CARDS(1), CARDS(3), CARDS(3, 4, 5), CARDS(4), CARDS(5), CARDS(9), CARDS(9, 9)), CARDS(3, 4, 5)},
    {"attacks with the higher of two long groups", PHASE_ATTACK, CARDS(1, 4, 4, 9, 9), NONE,
     ACTIONS(CARDS(1), CARDS(4), CARDS(4, 4), CARDS(9), CARDS(9, 9)), CARDS(9, 9)},
    {"spends no low card on a group", PHASE_ATTACK, CARDS(1, 2, 2, 7, 12), NONE,
     ACTIONS(CARDS(1), CARDS(2), CARDS(2, 2), CARDS(7), CARDS(12)), CARDS(7)},
    {"spends no lowest card on a group", PHASE_ATTACK, CARDS(5, 5, 8, 12), NONE,
     ACTIONS(CARDS(5), CARDS(5, 5), CARDS(8), CARDS(12)), CARDS(5)},
    {"ends with its highest card", PHASE_ATTACK, CARDS(1, 6, 11), NONE, ACTIONS(CARDS(1), CARDS(6), CARDS(11)),
     CARDS(11)},
    {"beats as cheaply as it can", PHASE_DEFEND, CARDS(1, 5, 7, 9, 11, 11), CARDS(4, 6),
     ACTIONS(CARDS(1, 5), CARDS(1, 7), CARDS(5, 7), CARDS(5, 9), CARDS(11, 11)), CARDS(5, 7)},
    {"gives up what it must", PHASE_DEFEND, CARDS(1, 5, 7), CARDS(12), ACTIONS(CARDS(1)), CARDS(1)},
    {"gives up a spare low card rather than a high one", PHASE_DEFEND, CARDS(1, 2, 7, 11), CARDS(9),
     ACTIONS(CARDS(1), CARDS(11)), CARDS(1)},
    {"beats with a card that is not high", PHASE_DEFEND, CARDS(1, 2, 7, 11), CARDS(6),
     ACTIONS(CARDS(1), CARDS(7), CARDS(11)), CARDS(7)},
    {"spares nothing in the end", PHASE_DEFEND, CARDS(1, 2, 11), CARDS(9), ACTIONS(CARDS(1), CARDS(11)), CARDS(11)},
    {"plays on in a phase of another game", PHASE_UNKNOWN, NONE, NONE, ACTIONS(CARDS(8), CARDS(9)), CARDS(8)},
    {"survives an empty hand", PHASE_ATTACK, NONE, NONE, NONE, NONE},
    {"survives an attack of all its cards", PHASE_DEFEND, CARDS(3), CARDS(2), ACTIONS(CARDS(3)), CARDS(3)},
    {"survives an attack of nothing", PHASE_DEFEND, CARDS(3), NONE, ACTIONS(NONE), NONE},
};

static bool same(struct cards a, struct cards b)
{
    return a.count == b.count && (a.count == 0 || memcmp(a.card, b.card, a.count * sizeof *a.card) == 0);
}

int main(void)
{
    for (size_t i = 0; i < LENGTH(positions); i++) {
        const struct request request = {
            .observation = {.phase = positions[i].phase, .hand = positions[i].hand, .attack = positions[i].attack,
                            .max_replace = 4},
            .legal_actions = positions[i].legal};
        const struct cards chosen = choose(&request);
        CHECK(same(chosen, positions[i].expected), positions[i].about);

        bool is_legal = positions[i].legal.count == 0;
        for (size_t j = 0; j < positions[i].legal.count; j++)
            is_legal = is_legal || same(chosen, positions[i].legal.action[j]);
        CHECK(is_legal, positions[i].about);
    }
    return EXIT_SUCCESS;
}
