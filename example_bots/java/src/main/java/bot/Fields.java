package bot;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * A MessagePack map with string keys, read by type. What is left out or nil is null, which means the same; a value of
 * another type than asked for is a MessagePackException. Keys that nobody asks for do not matter.
 */
record Fields(Map<Value, Value> map) {
    Integer integer(String key) {
        return read(key, Fields::toInteger);
    }

    /** An integer of 64 bits with or without a sign, which only a BigInteger holds. */
    BigInteger bigInteger(String key) {
        return read(key, value -> value.asIntegerValue().asBigInteger());
    }

    String text(String key) {
        return read(key, Fields::toText);
    }

    Fields fields(String key) {
        return read(key, Fields::toFields);
    }

    List<Integer> integers(String key) {
        return read(key, Fields::toIntegers);
    }

    /** A list of anything, such as {@code list("players", Fields::toText)}. */
    <T> List<T> list(String key, Function<Value, T> item) {
        return read(key, value -> toList(value, item));
    }

    static Integer toInteger(Value value) {
        return value.asIntegerValue().asInt();
    }

    static String toText(Value value) {
        return value.asStringValue().asString();
    }

    static Fields toFields(Value value) {
        return new Fields(value.asMapValue().map());
    }

    static List<Integer> toIntegers(Value value) {
        return toList(value, Fields::toInteger);
    }

    private static <T> List<T> toList(Value value, Function<Value, T> item) {
        return StreamSupport.stream(value.asArrayValue().spliterator(), false).map(item).toList();
    }

    private <T> T read(String key, Function<Value, T> type) {
        var value = map.get(ValueFactory.newString(key));
        return value == null || value.isNilValue() ? null : type.apply(value);
    }
}
