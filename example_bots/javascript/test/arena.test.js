import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { action, decode, encode, hello } from "../arena.js";

const vectors = JSON.parse(readFileSync(new URL("../lines.json", import.meta.url), "utf8"));
const messages = (...types) => vectors.filter(({ valid, json }) => valid && types.includes(json.type));
const received = messages("welcome", "match_start", "request", "match_end", "error", "bye");
const [replaceRequest] = messages("request");

/** Runs the bot to its end with these lines as input; returns its exit status and the messages that it wrote. */
function run(lines, env = { ARENA_ENDPOINT: "stdio", ARENA_TOKEN: "b64d0e9c" }) {
  const bot = fileURLToPath(new URL("../bot.js", import.meta.url));
  const input = lines.map((line) => `${line}\n`).join("");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bot], {
    input,
    env,
    encoding: "utf8",
    timeout: 10_000,
  });
  return {
    status,
    stderr,
    written: stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
}

test("decodes every message that it may get", () => {
  assert.ok(received.length >= 15);
  for (const { name, line, json } of received) {
    const message = decode(line);
    for (const [key, value] of Object.entries(json)) assert.deepEqual(message[key], value, `${name}: ${key}`);
    assert.deepEqual(message.legal_actions ?? undefined, json.legal_actions, name);
  }
});

test("encodes every message that it may send", () => {
  const hellos = messages("hello");
  const actions = messages("action");
  assert.ok(hellos.length >= 5 && actions.length >= 10);
  for (const { name, json } of hellos) {
    const { type, protocol, token, ...about } = json;
    assert.deepEqual(JSON.parse(encode(hello(token, about))), json, name);
  }
  for (const { name, json } of actions) assert.deepEqual(JSON.parse(encode(action(json, json.action))), json, name);
});

test("survives what is no message", () => {
  const invalid = vectors.filter(({ valid }) => !valid);
  assert.ok(invalid.length >= 30);
  for (const { name, line, hex } of invalid) {
    try {
      assert.equal(typeof decode(line ?? Buffer.from(hex, "hex").toString()).type, "string", name);
    } catch (error) {
      assert.ok(error instanceof SyntaxError || error instanceof TypeError, name);
    }
  }
});

test("answers every request legally, and exits at bye", () => {
  const heard = received.filter(({ json }) => json.type !== "bye");
  const { status, written, stderr } = run(
    [...heard, ...messages("bye").slice(0, 1), replaceRequest].map(({ line }) => line),
  );
  assert.equal(status, 0);
  assert.match(stderr, /the hand holds one 8/);
  const [greeting, ...answers] = written;
  assert.equal(greeting.type, "hello");
  assert.equal(greeting.token, "b64d0e9c");
  const requests = messages("request").map(({ json }) => json);
  assert.equal(answers.length, requests.length);
  requests.forEach(({ match, request, observation, legal_actions }, i) => {
    const { action: cards, ...rest } = answers[i];
    assert.deepEqual(rest, { type: "action", match, request });
    if (legal_actions) assert.ok(legal_actions.some((legal) => `${legal}` === `${cards}`));
    else assert.ok(cards.length <= observation.max_replace && cards.every((card) => observation.hand.includes(card)));
  });
});

test("takes nothing but a line break for the end of a line", () => {
  for (const { name, line } of messages("bye")) {
    const { status, written } = run([line, replaceRequest.line]);
    assert.deepEqual([status, written.length], [0, 1], name);
  }
});

test("exits when the arena is gone", () => {
  assert.equal(run([replaceRequest.line]).status, 0);
});

test("explains itself when started by hand", () => {
  const { status, written, stderr } = run([], {});
  assert.equal(status, 2);
  assert.deepEqual(written, []);
  assert.match(stderr, /arena match/);
});
