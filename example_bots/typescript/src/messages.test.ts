/** The protocol's golden vectors, through the bot's own messages. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as msgpack from "@msgpack/msgpack";
import { type Sent, decode, encode } from "./messages.js";

interface Vector {
  name: string;
  hex: string;
  valid: boolean;
  canonical?: boolean;
  json?: { type: string; action?: unknown };
}

/** JSON.parse rounds long integers, so they go through it as strings. */
function parseVectors(text: string): Vector[] {
  const marked = text.replace(/(?<=: )-?\d{10,}(?=[,}\s])/g, '"integer $&"');
  return JSON.parse(marked, (_, value: unknown) => {
    const digits = typeof value === "string" && /^integer (-?\d+)$/.exec(value)?.[1];
    return digits ? shortest(BigInt(digits)) : value;
  });
}

/** A number where MessagePack's integers of up to 32 bits hold it. */
function shortest(integer: bigint): number | bigint {
  return -(2n ** 31n) <= integer && integer < 2n ** 32n ? Number(integer) : integer;
}

const vectors = parseVectors(readFileSync(new URL("../vectors.json", import.meta.url), "utf8"));
const valid = vectors.filter((vector) => vector.valid);
const received = valid.filter(({ json }) =>
  ["welcome", "match_start", "request", "match_end", "error", "bye"].includes(json!.type),
);
/** A bot's hello and its actions, which are lists of integers. */
const sent = valid.filter(
  ({ json }) => json!.type === "hello" || (Array.isArray(json!.action) && json!.action.every(Number.isInteger)),
);
const invalid = vectors.filter((vector) => !vector.valid);

test("vectors are there", () => {
  assert.ok(received.length >= 14);
  assert.ok(sent.length >= 40);
  assert.ok(invalid.length >= 70);
});

for (const { name, hex, json } of received) {
  test(`receives ${name}`, () => {
    const message = { ...decode(Buffer.from(hex, "hex")) };
    if (message.type === "request" && message.legal_actions === null) {
      delete message.legal_actions; // null means absent
    }
    assert.deepEqual(message, json);
  });
}

for (const { name, hex, json, canonical } of sent) {
  test(`sends ${name}`, () => {
    const frame = encode(json as Sent);
    assert.deepEqual(msgpack.decode(frame, { useBigInt64: true }), json);
    if (canonical) {
      assert.equal(Buffer.from(frame).toString("hex"), hex);
    }
  });
}

for (const { name, hex } of invalid) {
  test(`survives ${name}`, () => {
    try {
      decode(Buffer.from(hex, "hex"));
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  });
}

for (const id of [0n, -1n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 64n - 1n, -(2n ** 63n)]) {
  test(`echoes the request id ${id}`, () => {
    const frame = msgpack.encode({ type: "request", request: id }, { useBigInt64: true });
    const message = decode(frame);
    assert.equal(message.type, "request");
    const answer = encode({ type: "action", match: "m", request: message.request, action: [] });
    const { request } = msgpack.decode(answer, { useBigInt64: true }) as { request: number | bigint };
    assert.equal(BigInt(request), id);
  });
}

test("the width of an integer means nothing", () => {
  const frame = msgpack.encode({ type: "welcome", items: [9n, { card: -1n }] }, { useBigInt64: true });
  assert.deepEqual(decode(frame), { type: "welcome", items: [9, { card: -1 }] });
});
