/// The messages of the wire protocol, version 1, from frames and into frames.
///
/// Keys that are not named here are ignored, and keys that do not come keep their defaults: version 1 may grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <msgpack.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

inline constexpr int protocol_version = 1;
inline constexpr std::size_t max_message = 65'536;  ///< bytes of a frame

/// A card is its rank.
using Cards = std::vector<int>;

/// Any integer of 64 bits, signed or not, to be echoed exactly; nothing else about it means anything.
struct RequestId {
    std::variant<std::uint64_t, std::int64_t> value;

    void msgpack_unpack(const msgpack::object& from);

    template <typename Packer>
    void msgpack_pack(Packer& packer) const {
        std::visit([&packer](auto number) { packer.pack(number); }, value);
    }
};

// --- Tacocat: what both players can see -----------------------------------------------------------------------------

struct Deal {
    static constexpr std::string_view name = "deal";
    int round{}, space{}, cards{};
    MSGPACK_DEFINE_MAP(round, space, cards)
};

struct Replaced {
    static constexpr std::string_view name = "replaced";
    int seat{};
    Cards cards;
    MSGPACK_DEFINE_MAP(seat, cards)
};

struct Duel {
    static constexpr std::string_view name = "duel";
    Cards cards;
    MSGPACK_DEFINE_MAP(cards)
};

struct Trick {
    static constexpr std::string_view name = "trick";
    int attacker{};
    Cards attack, answer;
    bool defended{};
    MSGPACK_DEFINE_MAP(attacker, attack, answer, defended)
};

struct Showdown {
    static constexpr std::string_view name = "showdown";
    Cards cards;
    std::optional<int> winner;
    MSGPACK_DEFINE_MAP(cards, winner)
};

struct Moved {
    static constexpr std::string_view name = "moved";
    int from{}, to{};
    MSGPACK_DEFINE_MAP(from, to)
};

struct Event {
    /// std::monostate stands for an event of a later version.
    std::variant<std::monostate, Deal, Replaced, Duel, Trick, Showdown, Moved> what;
    void msgpack_unpack(const msgpack::object& from);
};

/// What one seat may know. Keys that have no meaning in a phase are left out.
struct Observation {
    std::string phase;
    int round{}, space{};
    std::vector<int> covered, wins_needed;
    Cards hand;
    int opponent_cards{};
    Cards discarded;
    int draw_pile{};
    std::optional<int> max_replace;  ///< only in phase "replace"
    std::optional<Cards> attack;     ///< only in phase "defend"
    MSGPACK_DEFINE_MAP(phase, round, space, covered, wins_needed, hand, opponent_cards, discarded, draw_pile,
                       max_replace, attack)
};

/// Who replaces first: a seat, or both at the same time.
struct Arrow {
    std::optional<int> seat;
    void msgpack_unpack(const msgpack::object& from);
};

struct Rules {
    std::map<std::string, int> deck;
    std::vector<int> board;
    std::vector<Arrow> arrows;
    std::string round_tie;
    int max_rounds{};
    MSGPACK_DEFINE_MAP(deck, board, arrows, round_tie, max_rounds)
};

struct Clocks {
    std::optional<std::int64_t> move_ms, bank_ms;
    std::int64_t increment_ms{}, margin_ms{};
    MSGPACK_DEFINE_MAP(move_ms, bank_ms, increment_ms, margin_ms)
};

// --- from the referee -----------------------------------------------------------------------------------------------

struct Welcome {
    static constexpr std::string_view name = "welcome";
    int protocol{};
    std::string arena, bot;
    std::int64_t max_message{};
    MSGPACK_DEFINE_MAP(protocol, arena, bot, max_message)
};

struct MatchStart {
    static constexpr std::string_view name = "match_start";
    std::string match, game;
    int seat{};
    std::vector<std::string> players;
    Rules rules;
    Clocks time;
    MSGPACK_DEFINE_MAP(match, game, seat, players, rules, time)
};

struct Request {
    static constexpr std::string_view name = "request";
    std::string match;
    RequestId request;
    int seat{};
    Observation observation;
    std::vector<Event> events;
    std::optional<std::vector<Cards>> legal_actions;  ///< not in phase "replace": any choice of cards is legal there
    std::int64_t time_ms{};
    MSGPACK_DEFINE_MAP(match, request, seat, observation, events, legal_actions, time_ms)
};

struct MatchEnd {
    static constexpr std::string_view name = "match_end";
    std::string match;
    std::optional<int> winner;
    std::string reason, detail;
    std::vector<Event> events;
    MSGPACK_DEFINE_MAP(match, winner, reason, detail, events)
};

struct Error {
    static constexpr std::string_view name = "error";
    std::string code, message;
    std::optional<std::string> match;
    std::optional<RequestId> request;
    MSGPACK_DEFINE_MAP(code, message, match, request)
};

struct Bye {
    static constexpr std::string_view name = "bye";
    std::string reason;
    MSGPACK_DEFINE_MAP(reason)
};

/// std::monostate stands for a message of a later version.
using Message = std::variant<std::monostate, Welcome, MatchStart, Request, MatchEnd, Error, Bye>;

/// The message in a frame; nothing if the frame is no message.
std::optional<Message> decode(std::string_view frame);

// --- to the referee -------------------------------------------------------------------------------------------------

struct Hello {
    std::string type = "hello";
    int protocol = protocol_version;
    std::string token{};
    std::optional<std::string> name{}, author{}, language{}, version{};
    int concurrency = 1;
    MSGPACK_DEFINE_MAP(type, protocol, token, name, author, language, version, concurrency)
};

struct Action {
    std::string type = "action";
    std::string match{};
    RequestId request{};
    Cards action{};
    MSGPACK_DEFINE_MAP(type, match, request, action)
};

template <typename Sent>
msgpack::sbuffer encode(const Sent& message) {
    msgpack::sbuffer frame;
    msgpack::pack(frame, message);
    return frame;
}
