package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** The protocol's golden vectors, through the bot's own message types. */
class MessageTest {
    /** Writes a message as the vectors do: what is null is left out. */
    private static final ObjectMapper JSON = new ObjectMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .registerModule(new SimpleModule().addSerializer(Fields.class, new JsonSerializer<>() {
                @Override
                public void serialize(Fields fields, JsonGenerator json, SerializerProvider all) throws IOException {
                    json.writeRawValue(ValueFactory.newMap(fields.map()).toJson());
                }
            }));

    private static final Set<String> RECEIVED =
            Set.of("welcome", "match_start", "request", "match_end", "error", "bye");

    record Vector(String name, byte[] frame, boolean valid, boolean canonical, JsonNode json) {
        @Override
        public String toString() {
            return name;
        }

        String type() {
            return json.path("type").asText();
        }

        /** Whether a bot can say this: an action of this bot is a list of ints. */
        boolean isSent() {
            var action = json.path("action");
            return type().equals("hello") || action.isArray() && stream(action).allMatch(JsonNode::isInt);
        }
    }

    private static <T> Stream<T> stream(Iterable<T> items) {
        return StreamSupport.stream(items.spliterator(), false);
    }

    private static List<Vector> vectors() throws IOException {
        return stream(JSON.readTree(Path.of("vectors.json").toFile()))
                .map(vector -> new Vector(
                        vector.path("name").asText(),
                        HexFormat.of().parseHex(vector.path("hex").asText()),
                        vector.path("valid").asBoolean(),
                        vector.path("canonical").asBoolean(),
                        vector.path("json")))
                .toList();
    }

    static List<Vector> received() throws IOException {
        return vectors().stream().filter(it -> it.valid() && RECEIVED.contains(it.type())).toList();
    }

    static List<Vector> sent() throws IOException {
        return vectors().stream().filter(it -> it.valid() && it.isSent()).toList();
    }

    static List<Vector> invalid() throws IOException {
        return vectors().stream().filter(it -> !it.valid()).toList();
    }

    @Test
    void vectorsAreThere() throws IOException {
        assertTrue(received().size() >= 14, "received");
        assertTrue(sent().size() >= 40, "sent");
        assertTrue(invalid().size() >= 70, "invalid");
    }

    @ParameterizedTest
    @MethodSource
    void received(Vector vector) throws IOException {
        var message = JSON.readTree(JSON.writeValueAsString(Message.decode(vector.frame())));
        var expected = vector.json().<ObjectNode>deepCopy();
        expected.remove("type"); // which the record's class says
        expected.properties().removeIf(entry -> entry.getValue().isNull());
        assertEquals(expected, message);
    }

    @ParameterizedTest
    @MethodSource
    void sent(Vector vector) throws IOException {
        byte[] frame = vector.type().equals("hello")
                ? JSON.treeToValue(vector.json(), Message.Hello.class).encode()
                : JSON.treeToValue(vector.json(), Message.Action.class).encode();
        assertEquals(vector.json(), JSON.readTree(unpack(frame).toJson()));
        if (vector.canonical()) {
            assertEquals(HexFormat.of().formatHex(vector.frame()), HexFormat.of().formatHex(frame));
        }
    }

    private static Value unpack(byte[] frame) throws IOException {
        try (var unpacker = MessagePack.newDefaultUnpacker(frame)) {
            return unpacker.unpackValue();
        }
    }

    /** The arena sends none of these. All that is asked is to come back, with a message or an exception. */
    @ParameterizedTest
    @MethodSource
    void invalid(Vector vector) {
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            try {
                Message.decode(vector.frame());
            } catch (IOException | RuntimeException refused) {
                // as good as a message
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "9007199254740993", "18446744073709551615", "-9223372036854775808"})
    void requestIdIsEchoedExactly(String id) throws IOException {
        byte[] frame;
        try (var packer = MessagePack.newDefaultBufferPacker()) {
            packer.packMapHeader(3);
            packer.packString("type").packString("error");
            packer.packString("request").packBigInteger(new BigInteger(id));
            packer.packString("new").packArrayHeader(1).packNil();
            frame = packer.toByteArray();
        }
        var error = assertInstanceOf(Message.Error.class, Message.decode(frame));
        var action = unpack(new Message.Action("m", error.request(), List.of()).encode());
        assertEquals(id, Fields.toFields(action).bigInteger("request").toString());
    }

    @Test
    void newKindsOfMessagesAreNoError() throws IOException {
        byte[] frame = HexFormat.of().parseHex("82a474797065a46e657773a3616e79c0"); // {type: news, any: nil}
        assertInstanceOf(Message.Unknown.class, Message.decode(frame));
    }
}
