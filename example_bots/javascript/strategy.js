/**
 * Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
 *
 * The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
 * attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
 * is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
 *
 * Hands and actions are lists of ranks, always ascending. Sorting keeps equals in order, so of the best that it brings
 * to the front the first one is played, and the bot plays alike every time.
 */

/** The last card of a won round is hardly ever higher. Two such cards are worth keeping: one may have to be lost. */
const LOW = 2;
/** From here up a card wins attacks, and beats them. */
const HIGH = 9;
/** The most useless rank of all; the further a card is from it, the better. */
const MIDDLING = 6;
/** With so many cards in hand the end begins, and it is time for the high cards. */
const ENDING = 3;

/** The cards to play in answer to a request. Each phase has its own rules of thumb. */
export function choose({ observation: { phase, hand, max_replace, attack: attacking }, legal_actions: legal }) {
  if (!legal) return replace(hand).slice(0, max_replace); // any cards may be replaced: there is no list
  if (phase === "duel") return [mostUseless(hand)];
  if (phase === "attack") return attack(hand, legal);
  return defend(hand, legal, attacking);
}

/** Throw away all but the high cards and two low ones. */
function replace(hand) {
  const lows = hand.slice(0, 2).filter((card) => card <= LOW).length;
  return hand.slice(lows).filter((card) => card < HIGH);
}

/** The card to part with. The lowest is never the one, because it has to win the round. */
function mostUseless(hand) {
  const worth = (card) => Math.abs(card - MIDDLING);
  return hand.slice(1).sort((a, b) => worth(a) - worth(b))[0];
}

/**
 * Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
 * own, though. A single card is there to be got rid of, until the end comes.
 */
function attack(hand, attacks) {
  const groups = attacks.filter((cards) => cards.length > 1 && cards[0] > Math.max(hand[0], LOW));
  if (groups.length > 0) return groups.sort((a, b) => b.length - a.length || sum(b) - sum(a))[0];
  return [hand.length <= ENDING ? hand.at(-1) : mostUseless(hand)];
}

/** Beat the attack as cheaply as possible, except where giving up low cards costs less. */
function defend(hand, answers, attacking) {
  const lowest = hand.slice(0, attacking.length); // always a legal answer
  const winning = answers.filter((answer) => beats(answer, attacking));
  if (winning.length === 0) return lowest;
  const cheapest = winning.sort((a, b) => sum(a) - sum(b))[0];
  const isSpare = hand[attacking.length] <= LOW; // what would then be the lowest card is still a low one
  return isSpare && cheapest.at(-1) >= HIGH && hand.length > ENDING ? lowest : cheapest;
}

/** Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do. */
const beats = (answer, attacking) => answer.every((card, i) => card >= attacking[i]);

const sum = (cards) => cards.reduce((total, card) => total + card, 0);
