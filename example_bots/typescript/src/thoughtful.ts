/**
 * Plays by rules of thumb that a good player could tell you. It remembers nothing and calculates nothing.
 *
 * The idea behind all of them: what decides a round is its last attack. When each player holds two cards, whoever
 * attacks with a high one takes away the other's low one, unless the other can beat it. So the hand to have in the end
 * is one low card and one high one. Cards of middling rank are good for nothing, and go first; high cards wait.
 */

import type { Request } from "./messages.js";

/** A hand, or what is played from it: ranks, ascending. */
type Cards = readonly number[];

/** The last card of a won round is hardly ever higher. Two are worth keeping: one may have to be given up. */
const LOW = 2;

/** From here up a card wins attacks, and beats them. */
const HIGH = 9;

/** The most useless rank of all; the further a card is from it, the better. */
const MIDDLING = 6;

/** With so many cards in hand the end begins, and it is time for the high cards. */
const ENDING = 3;

/** Each phase has its own rules of thumb. */
export function choose({ observation: seen, legal_actions: legal }: Request): number[] {
  const { hand } = seen;
  const actions = legal ?? [];
  switch (seen.phase) {
    case "replace":
      return replace(hand).slice(0, seen.max_replace);
    case "duel":
      return [mostUseless(hand)];
    case "attack":
      return attack(hand, actions);
    case "defend":
      return defend(hand, actions, seen.attack);
  }
}

/** Throw away all but the high cards and two low ones. */
function replace(hand: Cards): number[] {
  const lows = hand.slice(0, 2).filter((card) => card <= LOW).length;
  return hand.slice(lows).filter((card) => card < HIGH);
}

/** The card to part with. The lowest is never the one, because it has to win the round. */
function mostUseless(hand: Cards): number {
  return first(hand.slice(1), (a, b) => Math.abs(a - MIDDLING) - Math.abs(b - MIDDLING));
}

/**
 * Many cards at once are hard to beat: the opponent gives up as many low cards. They must not cost a low one of one's
 * own, though. A single card is there to be got rid of, until the end comes.
 */
function attack(hand: Cards, attacks: number[][]): number[] {
  const kept = Math.max(hand[0], LOW);
  const groups = attacks.filter((cards) => cards.length > 1 && cards[0] > kept);
  if (groups.length > 0) {
    return first(groups, (a, b) => b.length - a.length || sum(b) - sum(a));
  }
  return [hand.length <= ENDING ? hand[hand.length - 1] : mostUseless(hand)];
}

/** Beat the attack as cheaply as possible, except where giving up low cards costs less. */
function defend(hand: Cards, answers: number[][], attack: Cards): number[] {
  const lowest = hand.slice(0, attack.length); // always a legal answer
  const winning = answers.filter((answer) => beats(answer, attack));
  if (winning.length === 0) {
    return lowest;
  }
  const cheapest = first(winning, (a, b) => sum(a) - sum(b));
  const isSpare = hand[attack.length] <= LOW; // what would then be the lowest card is still a low one
  const isDear = cheapest[cheapest.length - 1] >= HIGH;
  return isSpare && isDear && hand.length > ENDING ? lowest : cheapest;
}

/** Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do. */
function beats(answer: Cards, attack: Cards): boolean {
  return attack.every((card, i) => answer[i] >= card);
}

/** The first item in an order; among equals, the one that stands first. */
function first<T>(items: readonly T[], order: (a: T, b: T) => number): T {
  return items.reduce((best, item) => (order(item, best) < 0 ? item : best));
}

function sum(cards: Cards): number {
  return cards.reduce((total, card) => total + card, 0);
}
