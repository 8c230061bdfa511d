/**
 * Talks with the arena: a message is one line of JSON, from it on stdin, to it on stdout. stderr is the bot's log.
 * Another strategy needs no change here.
 */

/** What the bot says first. `about`: name, author, language, version and concurrency, all of them optional. */
export const hello = (token, about) => ({ type: "hello", protocol: 1, token, ...about });

/** The answer to a request; its id means nothing, it goes back as it came. */
export const action = ({ match, request }, cards) => ({ type: "action", match, request, action: cards });

/** A message as a line. */
export const encode = (message) => `${JSON.stringify(message)}\n`;

/** The message that a line holds. Throws SyntaxError or TypeError if it holds none. */
export function decode(line) {
  const message = JSON.parse(line);
  if (typeof message?.type !== "string") throw new TypeError("a message is an object with a type");
  return message;
}

/**
 * Plays every match that the arena brings, until its bye or the end of stdin.
 *
 * `choose`: from a request to the list of the cards to play. `about`: what the bot says of itself in `hello`.
 */
export async function serve(choose, about) {
  const { ARENA_ENDPOINT: endpoint, ARENA_TOKEN: token } = process.env;
  if (endpoint !== "stdio" || !token) {
    console.error(
      "This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT=stdio and ARENA_TOKEN.\n" +
        "Name its command in a config, with `protocol: stdio`, and use `arena run CONFIG`; or try `arena match`.",
    );
    process.exitCode = 2;
    return;
  }
  const send = (message) => process.stdout.write(encode(message));
  process.stdout.on("error", () => process.exit()); // nobody reads any more: the arena is gone
  send(hello(token, about));
  for await (const line of lines(process.stdin)) {
    const message = decode(line);
    switch (message.type) {
      case "request":
        send(action(message, choose(message)));
        break;
      case "error":
        console.error(`the arena objects: ${message.message} (${message.code})`);
        break;
      case "bye":
        return;
    }
  }
}

/** The lines of a stream. (node:readline takes U+2028, which JSON allows in a string, for the end of a line.) */
async function* lines(stream) {
  let rest = "";
  for await (const text of stream.setEncoding("utf8")) {
    const pieces = (rest + text).split("\n");
    rest = pieces.pop();
    yield* pieces;
  }
}
