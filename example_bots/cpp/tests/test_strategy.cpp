/// Positions that show what each rule of thumb does, and where it stops.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "strategy.hpp"

namespace {

struct Position {
    std::string about, phase;
    Cards hand;
    Cards attack;
    std::vector<Cards> legal;
    Cards expected;
};

const std::vector<Position> positions{
    {"keeps two low cards and all high ones", "replace", {1, 2, 2, 3, 8, 9, 12}, {}, {}, {2, 3, 8}},
    {"has nothing to replace", "replace", {1, 2, 9, 10}, {}, {}, {}},
    {"replaces no more than it may", "replace", {3, 4, 5, 6, 7, 8}, {}, {}, {3, 4, 5, 6}},
    {"parts with the card next to 6", "duel", {1, 3, 7, 12}, {}, {{1}, {3}, {7}, {12}}, {7}},
    {"parts with the lower of two equally useless cards", "duel", {1, 5, 7, 12}, {}, {{1}, {5}, {7}, {12}}, {5}},
    {"never parts with its lowest card", "duel", {6, 11, 12}, {}, {{6}, {11}, {12}}, {11}},
    {"has no choice", "duel", {4}, {}, {{4}}, {4}},
    {"attacks with the longest group",
     "attack",
     {1, 3, 4, 5, 9, 9},
     {},
     {{1}, {3}, {3, 4, 5}, {4}, {5}, {9}, {9, 9}},
     {3, 4, 5}},
    {"attacks with the higher of two long groups",
     "attack",
     {1, 4, 4, 9, 9},
     {},
     {{1}, {4}, {4, 4}, {9}, {9, 9}},
     {9, 9}},
    {"spends no low card on a group", "attack", {1, 2, 2, 7, 12}, {}, {{1}, {2}, {2, 2}, {7}, {12}}, {7}},
    {"spends no lowest card on a group", "attack", {5, 5, 8, 12}, {}, {{5}, {5, 5}, {8}, {12}}, {5}},
    {"ends with its highest card", "attack", {1, 6, 11}, {}, {{1}, {6}, {11}}, {11}},
    {"beats as cheaply as it can",
     "defend",
     {1, 5, 7, 9, 11, 11},
     {4, 6},
     {{1, 5}, {1, 7}, {5, 7}, {5, 9}, {11, 11}},
     {5, 7}},
    {"gives up what it must", "defend", {1, 5, 7}, {12}, {{1}}, {1}},
    {"gives up a spare low card rather than a high one", "defend", {1, 2, 7, 11}, {9}, {{1}, {11}}, {1}},
    {"beats with a card that is not high", "defend", {1, 2, 7, 11}, {6}, {{1}, {7}, {11}}, {7}},
    {"spares nothing in the end", "defend", {1, 2, 11}, {9}, {{1}, {11}}, {11}},
    {"plays on in a phase of another game", "rethink", {}, {}, {{8}, {9}}, {8}},
    {"survives an empty hand", "attack", {}, {}, {}, {}},
    {"survives an attack of all its cards", "defend", {3}, {2}, {{3}}, {3}},
    {"survives an attack of nothing", "defend", {3}, {}, {{}}, {}},
};

}  // namespace

int main() {
    for (const auto& position : positions) {
        Request request;
        request.observation.phase = position.phase;
        request.observation.hand = position.hand;
        request.observation.max_replace = 4;
        request.observation.attack = position.attack;
        request.legal_actions = position.legal;
        const auto chosen = choose(request);
        check(chosen == position.expected, position.about);
        check(position.legal.empty() || std::ranges::count(position.legal, chosen) == 1, position.about + ", legally");
    }
}
