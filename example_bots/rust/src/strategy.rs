//! Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates
//! nothing.
//!
//! The idea behind all of them: what decides a round is its last attack. When each player holds two
//! cards, whoever attacks with a high one takes away the other's low one, unless the other can beat
//! it. So the hand to have in the end is one low card and one high one. Cards of middling rank are
//! good for nothing, and go first; high cards wait.
//!
//! This is the place to put a better idea: `choose` is all that the rest of the bot calls.

use crate::messages::{Phase, Rank, Request};

/// The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may
/// have to be given up.
const LOW: Rank = 2;
/// From here up a card wins attacks, and beats them.
const HIGH: Rank = 9;
/// The most useless rank of all; the further a card is from it, the better.
const MIDDLING: Rank = 6;
/// With so many cards in hand the end begins, and it is time for the high cards.
const ENDING: usize = 3;

/// Each phase has its own rules of thumb. They rely on what the rules of the game promise of its
/// hands, and where that does not hold, as in a phase that they do not know, any legal action will
/// do.
pub fn choose(request: &Request) -> Vec<Rank> {
    let seen = &request.observation;
    let hand = &seen.hand;
    let Some(legal_actions) = &request.legal_actions else {
        return replace(hand, seen.max_replace.unwrap_or(0));
    };
    let attacking = seen.attack.as_deref().unwrap_or_default();
    match seen.phase {
        Phase::Duel if hand.len() > 1 => vec![most_useless(hand)],
        Phase::Attack if hand.len() > 1 => attack(hand, legal_actions),
        Phase::Defend if (1..hand.len()).contains(&attacking.len()) => {
            defend(hand, legal_actions, attacking)
        }
        _ => legal_actions.first().cloned().unwrap_or_default(),
    }
}

/// Throw away all but the high cards and two low ones.
fn replace(hand: &[Rank], max_replace: usize) -> Vec<Rank> {
    let lows = hand.iter().take(2).filter(|&&card| card <= LOW).count();
    let useless = hand.iter().skip(lows).filter(|&&card| card < HIGH);
    useless.take(max_replace).copied().collect()
}

/// The card to part with. The lowest is never the one, because it has to win the round.
fn most_useless(hand: &[Rank]) -> Rank {
    let others = hand[1..].iter().copied();
    others
        .min_by_key(|card| card.abs_diff(MIDDLING))
        .expect("a hand of two or more")
}

/// Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost
/// a low one of one's own, though. A single card is there to be got rid of, until the end comes.
fn attack(hand: &[Rank], attacks: &[Vec<Rank>]) -> Vec<Rank> {
    let costly = hand[0].max(LOW);
    let best_group = attacks
        .iter()
        .rev() // of equals the first counts, where `max_by_key` would take the last
        .filter(|cards| cards.len() > 1 && cards[0] > costly)
        .max_by_key(|cards| (cards.len(), sum(cards)));
    match best_group {
        Some(cards) => cards.clone(),
        None if hand.len() <= ENDING => vec![hand[hand.len() - 1]],
        None => vec![most_useless(hand)],
    }
}

/// Beat the attack as cheaply as possible, except where giving up low cards costs less.
fn defend(hand: &[Rank], answers: &[Vec<Rank>], attack: &[Rank]) -> Vec<Rank> {
    let lowest = &hand[..attack.len()]; // always a legal answer
    let winning = answers.iter().filter(|answer| beats(answer, attack));
    let Some(cheapest) = winning.min_by_key(|answer| sum(answer)) else {
        return lowest.to_vec();
    };
    let is_spare = hand[attack.len()] <= LOW; // what would then be the lowest is still a low one
    if is_spare && cheapest[attack.len() - 1] >= HIGH && hand.len() > ENDING {
        return lowest.to_vec();
    }
    cheapest.clone()
}

/// Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by
/// pair will do.
fn beats(answer: &[Rank], attack: &[Rank]) -> bool {
    answer.len() == attack.len() && answer.iter().zip(attack).all(|(mine, card)| mine >= card)
}

fn sum(cards: &[Rank]) -> u64 {
    cards.iter().copied().map(u64::from).sum()
}
