/** Connects to the arena that started this process, and answers its requests until it says bye. */

import { Dealer } from "zeromq";
import { decode, encode } from "./messages.js";
import { choose } from "./thoughtful.js";

/** How often to look whether the arena is still there. */
const TICK_MS = 1000;

/** After so long without an answer to hello, the arena was gone before this process could look who its parent is. */
const GREETING_MS = 60_000;

/** How long closing may take to deliver what was sent. */
const LINGER_MS = 1000;

async function serve(endpoint: string, token: string): Promise<void> {
  const socket = new Dealer({ linger: LINGER_MS });
  socket.connect(endpoint);
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) {
      leave();
    }
  }, TICK_MS).unref();
  const greeting = setTimeout(leave, GREETING_MS);
  const about = { name: "Thoughtful in TypeScript", language: "typescript", version: "1.0.0" };
  await socket.send(encode({ type: "hello", protocol: 1, token, ...about, concurrency: 1 }));
  for await (const [frame] of socket) {
    clearTimeout(greeting);
    const message = decode(frame);
    switch (message.type) {
      case "request": {
        const { match, request } = message;
        await socket.send(encode({ type: "action", match, request, action: choose(message) }));
        break;
      }
      case "error":
        console.error(`the arena objects: ${message.message} (${message.code})`);
        break;
      case "bye":
        socket.close();
        return;
    }
  }
}

function leave(): never {
  console.error("the arena is gone");
  process.exit();
}

const { ARENA_ENDPOINT: endpoint, ARENA_TOKEN: token } = process.env;
if (!endpoint || !token) {
  console.error(
    "This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not set).\n" +
      "Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`.",
  );
  process.exit(2);
}
await serve(endpoint, token);
