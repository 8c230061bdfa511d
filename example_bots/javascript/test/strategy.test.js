import assert from "node:assert/strict";
import { test } from "node:test";

import { choose } from "../strategy.js";

const replace = (hand, max_replace) => choose({ observation: { phase: "replace", hand, max_replace } });
const duel = (hand) => choose({ observation: { phase: "duel", hand }, legal_actions: hand.map((card) => [card]) });
const attack = (hand, legal_actions) => choose({ observation: { phase: "attack", hand }, legal_actions });
const defend = (hand, attack, legal_actions) =>
  choose({ observation: { phase: "defend", hand, attack }, legal_actions });

test("replaces all but two low cards and the high ones", () => {
  assert.deepEqual(replace([1, 2, 2, 5, 9, 12], 6), [2, 5]);
  assert.deepEqual(replace([3, 4, 10], 3), [3, 4]);
  assert.deepEqual(replace([1, 2, 9], 3), []);
});

test("replaces no more than it may", () => {
  assert.deepEqual(replace([1, 2, 3, 4, 5], 2), [3, 4]);
  assert.deepEqual(replace([3, 4, 5], 0), []);
});

test("parts with the most middling card in a duel, the first of equals", () => {
  assert.deepEqual(duel([1, 2, 6, 12]), [6]);
  assert.deepEqual(duel([1, 5, 7, 12]), [5]);
});

test("never parts with its lowest card in a duel", () => {
  assert.deepEqual(duel([6, 12]), [12]);
});

test("attacks with the longest group, then the highest, then the first", () => {
  assert.deepEqual(attack([1, 4, 4, 4, 11, 11], [[1], [4], [4, 4], [4, 4, 4], [11], [11, 11]]), [4, 4, 4]);
  assert.deepEqual(attack([1, 7, 7, 8, 8], [[1], [7], [7, 7], [8], [8, 8]]), [8, 8]);
  assert.deepEqual(attack([1, 4, 5, 5, 5, 6], [[1], [4], [4, 5, 6], [5], [5, 5], [5, 5, 5], [6]]), [4, 5, 6]);
});

test("spends no low cards on a group", () => {
  assert.deepEqual(attack([1, 2, 2, 7, 11], [[1], [2], [2, 2], [7], [11]]), [7]);
  assert.deepEqual(attack([4, 4, 7, 11], [[4], [4, 4], [7], [11]]), [7]);
});

test("attacks with its highest card in the end", () => {
  assert.deepEqual(attack([1, 5, 12], [[1], [5], [12]]), [12]);
});

test("beats an attack as cheaply as possible", () => {
  assert.deepEqual(
    defend(
      [1, 5, 7, 9, 11, 11],
      [8, 8],
      [
        [1, 5],
        [1, 9],
        [1, 11],
        [9, 11],
        [11, 11],
      ],
    ),
    [9, 11],
  );
  assert.deepEqual(defend([1, 2, 2, 8, 12], [8], [[1], [8], [12]]), [8]);
});

test("gives up a spare low card rather than a high one, except in the end", () => {
  assert.deepEqual(defend([1, 2, 9, 12], [8], [[1], [9], [12]]), [1]);
  assert.deepEqual(defend([1, 2, 12], [8], [[1], [12]]), [12]);
});

test("gives up its lowest cards to what it cannot beat", () => {
  assert.deepEqual(defend([1, 3, 5, 8], [9, 9], [[1, 3]]), [1, 3]);
});
