/// The golden vectors of the specification, through the bot's own messages.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "check.hpp"
#include "messages.hpp"

using Json = nlohmann::json;

namespace {

/// A struct as JSON, by way of the keys that it gives to msgpack.
template <typename Known>
Json to_json(const Known& known) {
    const auto frame = encode(known);
    return Json::from_msgpack(frame.data(), frame.data() + frame.size());
}

msgpack::object_handle to_object(const Json& json) {
    const auto bytes = Json::to_msgpack(json);
    return msgpack::unpack(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// One of several structs as JSON, with its name under a key.
template <typename... Known>
Json to_named_json(const std::variant<std::monostate, Known...>& variant, const char* key) {
    return std::visit(
        [key]<typename One>(const One& one) {
            Json json;
            if constexpr (!std::is_same_v<One, std::monostate>) {
                json = to_json(one);
                json[key] = One::name;
            }
            return json;
        },
        variant);
}

}  // namespace

// A bot does not send these, so only the tests can write them.
namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
namespace adaptor {

template <>
struct pack<Event> {
    template <typename Stream>
    packer<Stream>& operator()(packer<Stream>& packer, const Event& event) const {
        return packer.pack(*to_object(to_named_json(event.what, "event")));
    }
};

template <>
struct pack<Arrow> {
    template <typename Stream>
    packer<Stream>& operator()(packer<Stream>& packer, const Arrow& arrow) const {
        return arrow.seat ? packer.pack(*arrow.seat) : packer.pack("both");
    }
};

}  // namespace adaptor
}
}  // namespace msgpack

namespace {

/// Whether a struct holds exactly what a vector's JSON says. A key that is absent there left its default.
bool is_same(const Json& expected, const Json& found) {
    if (!expected.is_object() || !found.is_object()) {
        return expected.is_array() && found.is_array()
                   ? std::ranges::equal(expected, found, is_same)
                   : expected.type_name() == std::string(found.type_name()) && expected == found;
    }
    const auto items = found.items();
    return std::ranges::all_of(expected.items(), [&](const auto& item) { return found.contains(item.key()); }) &&
           std::all_of(items.begin(), items.end(), [&](const auto& item) {
               const auto& value = item.value();
               return expected.contains(item.key()) ? is_same(expected[item.key()], value)
                                                    : value.empty() || value == 0 || value == "";
           });
}

std::string frame_of(const Json& vector) {
    const std::string hex = vector["hex"];
    std::string frame;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        frame += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return frame;
}

void test_what_is_received(const Json& vectors) {
    std::map<std::string, int> checked;
    for (const auto& vector : vectors) {
        const auto message = decode(frame_of(vector));
        if (!vector["valid"]) continue;
        check(message.has_value(), vector["name"]);
        const auto& expected = vector["json"];
        if (std::holds_alternative<std::monostate>(*message))
            check(expected["type"] == "hello" || expected["type"] == "action", vector["name"]);  // not for a bot
        else
            check(is_same(expected, to_named_json(*message, "type")), vector["name"]);
        ++checked[expected["type"]];
    }
    for (const char* type : {"welcome", "match_start", "request", "match_end", "error", "bye"})
        check(checked[type] > 0, std::string("there is a vector of ") + type);
    check(checked["request"] >= 6, "there are vectors of every kind of request");
}

/// Whether the bot's own type can hold it: an action must be a list of integers in the range of int.
bool is_for(const Json& json, const std::string& type) {
    const auto is_card = [](const Json& item) {
        return item.is_number_integer() && item <= std::numeric_limits<int>::max() &&
               item >= std::numeric_limits<int>::min();
    };
    return json["type"] == type &&
           (type == "hello" || (json["action"].is_array() && std::ranges::all_of(json["action"], is_card)));
}

void test_what_is_sent(const Json& vectors) {
    int checked = 0, identical = 0;
    for (const auto& vector : vectors) {
        const auto json = vector.value("json", Json{{"type", "none"}});
        msgpack::sbuffer frame;
        if (is_for(json, "hello"))
            frame = encode(to_object(json)->as<Hello>());
        else if (is_for(json, "action"))
            frame = encode(to_object(json)->as<Action>());
        else
            continue;
        const auto found = Json::from_msgpack(frame.data(), frame.data() + frame.size());
        check(is_same(json, found), vector["name"]);
        ++checked;
        // an optional key of hello that is absent goes as nil, which means the same but is longer
        if (vector["canonical"] && json.size() == found.size()) {
            check(frame_of(vector) == std::string_view(frame.data(), frame.size()), vector["name"]);
            ++identical;
        }
    }
    check(checked >= 46 && identical >= 25, "there are vectors enough");
}

/// No prefix of a message is one; a frame with any one byte changed is refused or is some message.
void test_damaged_frames(const Json& vectors) {
    for (const auto& vector : vectors) {
        const auto frame = frame_of(vector);
        for (std::size_t at = 0; at < std::min<std::size_t>(frame.size(), 300); ++at) {
            check(!decode(frame.substr(0, at)) || !vector["valid"], vector["name"]);
            auto changed = frame;
            changed[at] = static_cast<char>(~changed[at]);
            decode(changed);
        }
    }
}

/// A request whose keys are as odd as they may be, with the largest and the smallest id.
void test_odd_requests() {
    const auto ids = {Json(std::numeric_limits<std::uint64_t>::max()), Json(std::numeric_limits<std::int64_t>::min())};
    for (const Json& id : ids) {
        const Json odd{{"type", "request"},
                       {"unknown", {{"x", {nullptr}}}},
                       {"match", "m"},
                       {"request", id},
                       {"seat", 1},
                       {"observation", {{"phase", "rethink"}, {"attack", nullptr}}},
                       {"events", {{{"event", "novel"}}}},
                       {"legal_actions", nullptr},
                       {"time_ms", 0}};
        const auto bytes = Json::to_msgpack(odd);
        const auto message = decode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        check(message && std::holds_alternative<Request>(*message), "an odd request is a request");
        const auto& request = std::get<Request>(*message);
        check(!request.legal_actions && !request.observation.attack, "nil means absent");
        check(std::holds_alternative<std::monostate>(request.events.at(0).what), "an unknown event is ignored");
        check(to_json(Action{.match = request.match, .request = request.request})["request"] == id, "ids are echoed");
    }
}

}  // namespace

int main(int argc, char** argv) {
    check(argc == 2, "the only argument names vectors.json");
    const auto vectors = Json::parse(std::ifstream(argv[1]));
    test_what_is_received(vectors);
    test_what_is_sent(vectors);
    test_damaged_frames(vectors);
    test_odd_requests();
}
