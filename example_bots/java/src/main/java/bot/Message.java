package bot;

import java.io.IOException;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.msgpack.core.MessagePack;

/** The messages of the protocol, version 1. What is optional is null when it is left out. */
sealed interface Message {
    record Hello(
            int protocol,
            String token,
            String name,
            String author,
            String language,
            String version,
            int concurrency) implements Message {
        /** The frame that holds this message. */
        byte[] encode() throws IOException {
            var optional = new LinkedHashMap<String, String>();
            optional.put("name", name);
            optional.put("author", author);
            optional.put("language", language);
            optional.put("version", version);
            optional.values().removeIf(Objects::isNull);
            try (var packer = MessagePack.newDefaultBufferPacker()) {
                packer.packMapHeader(4 + optional.size());
                packer.packString("type").packString("hello");
                packer.packString("protocol").packInt(protocol);
                packer.packString("token").packString(token);
                for (var entry : optional.entrySet()) {
                    packer.packString(entry.getKey()).packString(entry.getValue());
                }
                packer.packString("concurrency").packInt(concurrency);
                return packer.toByteArray();
            }
        }
    }

    record Welcome(int protocol, String arena, String bot, int maxMessage) implements Message {}

    record MatchStart(String match, String game, int seat, List<String> players, Fields rules, Fields time)
            implements Message {}

    /** The id {@code request} is opaque. {@code legalActions} is null in phase replace. */
    record Request(
            String match,
            BigInteger request,
            int seat,
            Fields observation,
            List<Fields> events,
            List<List<Integer>> legalActions,
            int timeMs) implements Message {}

    record Action(String match, BigInteger request, List<Integer> action) implements Message {
        /** The frame that holds this message. */
        byte[] encode() throws IOException {
            try (var packer = MessagePack.newDefaultBufferPacker()) {
                packer.packMapHeader(4);
                packer.packString("type").packString("action");
                packer.packString("match").packString(match);
                packer.packString("request").packBigInteger(request);
                packer.packString("action").packArrayHeader(action.size());
                for (int card : action) {
                    packer.packInt(card);
                }
                return packer.toByteArray();
            }
        }
    }

    record MatchEnd(String match, Integer winner, String reason, String detail, List<Fields> events)
            implements Message {}

    record Error(String code, String message, String match, BigInteger request) implements Message {}

    record Bye(String reason) implements Message {}

    /** A kind of message that is none of a bot's business, such as a new one. */
    record Unknown() implements Message {}

    /** The message that a frame holds; an IOException or a RuntimeException when it holds none. */
    static Message decode(byte[] frame) throws IOException {
        try (var unpacker = MessagePack.newDefaultUnpacker(frame)) {
            return of(Fields.toFields(unpacker.unpackValue()));
        }
    }

    private static Message of(Fields keys) {
        return switch (keys.text("type")) {
            case "welcome" -> new Welcome(
                    keys.integer("protocol"), keys.text("arena"), keys.text("bot"), keys.integer("max_message"));
            case "match_start" -> new MatchStart(
                    keys.text("match"),
                    keys.text("game"),
                    keys.integer("seat"),
                    keys.list("players", Fields::toText),
                    keys.fields("rules"),
                    keys.fields("time"));
            case "request" -> new Request(
                    keys.text("match"),
                    keys.bigInteger("request"),
                    keys.integer("seat"),
                    keys.fields("observation"),
                    keys.list("events", Fields::toFields),
                    keys.list("legal_actions", Fields::toIntegers),
                    keys.integer("time_ms"));
            case "match_end" -> new MatchEnd(
                    keys.text("match"),
                    keys.integer("winner"),
                    keys.text("reason"),
                    keys.text("detail"),
                    keys.list("events", Fields::toFields));
            case "error" -> new Error(
                    keys.text("code"), keys.text("message"), keys.text("match"), keys.bigInteger("request"));
            case "bye" -> new Bye(keys.text("reason"));
            default -> new Unknown();
        };
    }
}
