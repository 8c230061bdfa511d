/// Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
///
/// The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
/// attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
/// is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
#include "strategy.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>

namespace {

using Hand = std::span<const int>;  ///< ascending

/// The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be given up.
constexpr int low = 2;
/// From here up a card wins attacks, and beats them.
constexpr int high = 9;
/// The most useless rank of all; the further a card is from it, the better.
constexpr int middling = 6;
/// With so many cards in hand the end begins, and it is time for the high cards.
constexpr std::size_t ending = 3;

std::int64_t sum(const Cards& cards) {
    return std::accumulate(cards.begin(), cards.end(), std::int64_t{0});
}

/// Throw away all but the high cards and two low ones.
Cards replace(Hand hand, int max_replace) {
    const auto lows = std::ranges::count_if(hand | std::views::take(2), [](int card) { return card <= low; });
    Cards thrown;
    std::ranges::copy_if(hand | std::views::drop(lows), std::back_inserter(thrown),
                         [](int card) { return card < high; });
    thrown.resize(std::min(thrown.size(), static_cast<std::size_t>(std::max(max_replace, 0))));
    return thrown;
}

/// The card to part with. The lowest is never the one, because it has to win the round.
int most_useless(Hand hand) {
    if (hand.size() == 1) return hand.front();
    return std::ranges::min(hand.subspan(1), {}, [](int card) { return std::abs(card - middling); });
}

/// Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
/// own, though. A single card is there to be got rid of, until the end comes.
Cards attack(Hand hand, const std::vector<Cards>& attacks) {
    const int kept = std::max(hand.front(), low);
    auto groups = attacks | std::views::filter([kept](const Cards& cards) {
                      return cards.size() > 1 && cards.front() > kept;
                  });
    const auto best = std::ranges::max_element(groups, {}, [](const Cards& cards) {
        return std::pair(cards.size(), sum(cards));
    });
    if (best != groups.end()) return *best;
    return {hand.size() <= ending ? hand.back() : most_useless(hand)};
}

/// Beat the attack as cheaply as possible, except where giving up low cards costs less.
Cards defend(Hand hand, const std::vector<Cards>& answers, const Cards& attack) {
    const Hand lowest = hand.first(attack.size());  // always a legal answer
    // each attacking card is met by an equal or higher one; both are ascending, so pair by pair will do
    auto winning = answers | std::views::filter([&attack](const Cards& answer) {
                       return std::ranges::equal(answer, attack, std::ranges::greater_equal{});
                   });
    const auto cheapest = std::ranges::min_element(winning, {}, sum);
    const bool is_spare = hand[attack.size()] <= low;  // what would then be the lowest card is still a low one
    if (cheapest == winning.end() || (is_spare && cheapest->back() >= high && hand.size() > ending))
        return {lowest.begin(), lowest.end()};
    return *cheapest;
}

}  // namespace

Cards choose(const Request& request) {
    const auto& seen = request.observation;
    const auto legal = request.legal_actions.value_or(std::vector<Cards>{});
    const auto attacked = seen.attack.value_or(Cards{});
    if (seen.hand.size() > attacked.size()) {
        if (seen.phase == "replace") return replace(seen.hand, seen.max_replace.value_or(0));
        if (seen.phase == "duel") return {most_useless(seen.hand)};
        if (seen.phase == "attack") return attack(seen.hand, legal);
        if (seen.phase == "defend" && !attacked.empty()) return defend(seen.hand, legal, attacked);
    }
    // no position of Tacocat as it is known here; there may be other games
    return legal.empty() ? Cards{} : legal.front();
}
