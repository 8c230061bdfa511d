#include "messages.hpp"

namespace {

/// The limits of the specification: what a hostile frame can make the decoder build stays small.
const msgpack::unpack_limit limits(/*array*/ 1024, /*map*/ 256, /*str*/ 8192, /*bin*/ 0, /*ext*/ 0, /*depth*/ 16);

/// The one of a variant's alternatives that has a name, read from a map; std::monostate if none has.
template <typename... Known>
void read_named(std::string_view name, const msgpack::object& map, std::variant<std::monostate, Known...>& into) {
    (void)((Known::name == name && (map.convert(into.template emplace<Known>()), true)) || ...);
}

struct MessageKind {
    std::string type;
    MSGPACK_DEFINE_MAP(type)
};

struct EventKind {
    std::string event;
    MSGPACK_DEFINE_MAP(event)
};

}  // namespace

void RequestId::msgpack_unpack(const msgpack::object& from) {
    if (from.type == msgpack::type::POSITIVE_INTEGER)
        value = from.as<std::uint64_t>();
    else
        value = from.as<std::int64_t>();
}

void Arrow::msgpack_unpack(const msgpack::object& from) {
    if (from.type == msgpack::type::STR)  // "both"
        seat.reset();
    else
        seat = from.as<int>();
}

void Event::msgpack_unpack(const msgpack::object& from) {
    read_named(from.as<EventKind>().event, from, what);
}

std::optional<Message> decode(std::string_view frame) try {
    std::size_t end = 0;
    const auto handle = msgpack::unpack(frame.data(), frame.size(), end, nullptr, nullptr, limits);
    if (end != frame.size()) return std::nullopt;
    Message message;
    read_named(handle->as<MessageKind>().type, *handle, message);
    return message;
} catch (const msgpack::unpack_error&) {
    return std::nullopt;
} catch (const msgpack::type_error&) {
    return std::nullopt;
}
