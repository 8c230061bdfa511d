/** The messages of the protocol, version 1, as MessagePack maps. What is optional may be left out or null. */

import * as msgpack from "@msgpack/msgpack";

/** A number, or a bigint where 32 bits do not hold it. */
export type Integer = number | bigint;

export interface Hello {
  type: "hello";
  protocol: number;
  token: string;
  name?: string;
  author?: string;
  language?: string;
  version?: string;
  concurrency?: number;
}

export interface Welcome {
  type: "welcome";
  protocol: number;
  arena: string;
  bot: string;
  max_message: number;
}

export interface MatchStart {
  type: "match_start";
  match: string;
  game: string;
  seat: number;
  players: string[];
  rules: Record<string, unknown>;
  time: { move_ms: number | null; bank_ms: number | null; increment_ms: number; margin_ms: number };
}

export interface Request {
  type: "request";
  match: string;
  /** Opaque: any integer of 64 bits, with or without a sign. */
  request: Integer;
  seat: number;
  observation: Observation;
  events: Event[];
  /** Ascending actions; left out in phase replace, where any choice of cards is legal. */
  legal_actions?: number[][] | null;
  time_ms: number;
}

export interface Action {
  type: "action";
  match: string;
  request: Integer;
  action: number[];
}

export interface MatchEnd {
  type: "match_end";
  match: string;
  winner: number | null;
  reason: string;
  detail: string;
  events: Event[];
}

export interface ArenaError {
  type: "error";
  code: string;
  message: string;
  match?: string | null;
  request?: Integer | null;
}

export interface Bye {
  type: "bye";
  reason: string;
}

/** What a bot says. */
export type Sent = Hello | Action;

/** What a bot hears. A later arena may say more: whoever looks at `type` lets pass what is none of these. */
export type Received = Welcome | MatchStart | Request | MatchEnd | ArenaError | Bye;

interface Known {
  round: number;
  space: number;
  covered: number[];
  wins_needed: [number, number];
  hand: number[];
  opponent_cards: number;
  discarded: number[];
  draw_pile: number;
}

/** All that this seat may know, by phase. Cards are ranks, ascending. */
export type Observation =
  | (Known & { phase: "replace"; max_replace: number })
  | (Known & { phase: "duel" | "attack" })
  | (Known & { phase: "defend"; attack: number[] });

/** What both players saw happen; the other keys depend on the event. */
export interface Event {
  event: string;
  [key: string]: unknown;
}

/** The frame that holds a message. */
export function encode(message: Sent): Uint8Array {
  return msgpack.encode(message, { useBigInt64: true });
}

/** The message that a frame holds; throws when it holds none. Its keys are as the arena sent them, unknown ones too. */
export function decode(frame: Uint8Array): Received {
  const message = narrow(msgpack.decode(frame, { useBigInt64: true }));
  if (!isMap(message) || typeof message.type !== "string") {
    throw new TypeError("a message is a map with a string as type");
  }
  return message as unknown as Received;
}

/** The width of an integer on the wire means nothing, so one that is small is a number, however it came. */
function narrow(value: unknown): unknown {
  if (typeof value === "bigint") {
    return BigInt.asIntN(32, value) === value ? Number(value) : value;
  }
  if (Array.isArray(value)) {
    return value.map(narrow);
  }
  if (isMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item)]));
  }
  return value;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
