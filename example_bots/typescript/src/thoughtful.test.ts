import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation, Request } from "./messages.js";
import { choose } from "./thoughtful.js";

type Phase =
  | { phase: "replace"; max_replace: number }
  | { phase: "duel" | "attack" }
  | { phase: "defend"; attack: number[] };

/** The answer, which has to be a legal one. */
function answer(hand: number[], phase: Phase, legal?: number[][]): number[] {
  const observation: Observation = {
    ...phase,
    round: 1,
    space: 4,
    covered: [],
    wins_needed: [4, 4],
    hand,
    opponent_cards: hand.length,
    discarded: [],
    draw_pile: 20,
  };
  const request: Request = { type: "request", match: "m", request: 1, seat: 0, observation, events: [], time_ms: 1000 };
  const action = choose(legal ? { ...request, legal_actions: legal } : request);
  if (legal) {
    assert.ok(legal.some((other) => other.join() === action.join()), `${action} is legal`);
  }
  return action;
}

const replace = (hand: number[], max_replace: number) => answer(hand, { phase: "replace", max_replace });
const duel = (hand: number[]) => answer(hand, { phase: "duel" }, singles(hand));
const attack = (hand: number[], legal: number[][]) => answer(hand, { phase: "attack" }, legal);
const defend = (hand: number[], against: number[], legal: number[][]) =>
  answer(hand, { phase: "defend", attack: against }, legal);
const singles = (ranks: number[]) => ranks.map((rank) => [rank]);

test("keeps two low cards and the high ones", () => {
  assert.deepEqual(replace([1, 1, 2, 5, 8, 9, 12], 7), [2, 5, 8]);
  assert.deepEqual(replace([3, 3, 4], 7), [3, 3, 4]);
  assert.deepEqual(replace([1, 2, 9], 7), []);
});

test("replaces no more than allowed", () => {
  assert.deepEqual(replace([1, 3, 4, 5, 6], 2), [3, 4]);
  assert.deepEqual(replace([3, 4, 5], 0), []);
});

test("duels with the most useless card, but never the lowest", () => {
  assert.deepEqual(duel([6, 7, 12]), [7]);
  assert.deepEqual(duel([1, 5, 7]), [5], "the first of equals");
});

test("attacks with the largest group that costs no low card", () => {
  const legal = [[1, 2, 3], [2, 3, 4, 5], [3, 4, 5], [8], [8, 8]];
  assert.deepEqual(attack([1, 2, 3, 4, 5, 8, 8], legal), [3, 4, 5]);
  assert.deepEqual(attack([1, 7, 7, 8, 8], [[7], [7, 7], [8, 8]]), [8, 8], "the higher of equal length");
});

test("attacks with the highest card in the end", () => {
  assert.deepEqual(attack([1, 6, 12], singles([1, 6, 12])), [12]);
  assert.deepEqual(attack([1, 2, 6, 12], singles([1, 2, 6, 12])), [6]);
});

test("defends as cheaply as possible", () => {
  const legal = [[1, 5], [1, 9], [9, 11], [11, 11]];
  assert.deepEqual(defend([1, 5, 7, 9, 11, 11], [8, 8], legal), [9, 11]);
  assert.deepEqual(defend([1, 3, 5], [8], [[1]]), [1], "nothing beats it");
});

test("gives up a spare low card rather than a high one", () => {
  assert.deepEqual(defend([1, 2, 5, 11], [8], [[1], [11]]), [1]);
  assert.deepEqual(defend([1, 3, 5, 11], [8], [[1], [11]]), [11], "not a spare one");
  assert.deepEqual(defend([1, 2, 5, 8], [8], [[1], [8]]), [8], "8 is no high card");
  assert.deepEqual(defend([1, 2, 11], [8], [[1], [11]]), [11], "the end is near");
});
