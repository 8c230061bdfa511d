/* The messages of the wire protocol, version 1, from frames and into frames.
 *
 * Nothing here is copied that need not be: what was received refers to its frame and to the decoder, and is good until
 * the next frame comes. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROTOCOL_VERSION = 1,
    MAX_MESSAGE = 65536, /* bytes of a frame */
    MAX_LIST = 1024,     /* elements of a list */
    MAX_CONCURRENCY = 1024,
};

/* Text as it stands in the frame: without a zero at its end. */
typedef msgpack_object_str text;

/* The ranks of some cards; lists of spaces and the like come in the same form. */
struct cards {
    const int *card;
    size_t count;
};

struct actions {
    const struct cards *action;
    size_t count;
};

enum phase { PHASE_UNKNOWN, PHASE_REPLACE, PHASE_DUEL, PHASE_ATTACK, PHASE_DEFEND };

struct observation {
    enum phase phase;
    int round, space;
    struct cards covered, wins_needed;
    struct cards hand;
    int opponent_cards;
    struct cards discarded;
    int draw_pile;
    int max_replace;     /* only in PHASE_REPLACE */
    struct cards attack; /* only in PHASE_DEFEND */
};

/* What has no type of its own here (events, rules, clocks) is MessagePack's generic object; see member(). */

struct welcome {
    int protocol;
    text arena, bot;
    int max_message;
};

struct match_start {
    text match, game;
    int seat;
    msgpack_object players, rules, time;
};

struct request {
    text match;
    msgpack_object request; /* opaque: some integer of 64 bits, signed or not */
    int seat;
    struct observation observation;
    msgpack_object events;
    struct actions legal_actions; /* none in PHASE_REPLACE, where any choice of cards is legal */
    int64_t time_ms;
};

struct match_end {
    text match;
    msgpack_object winner; /* a seat or nil */
    text reason, detail;
    msgpack_object events;
};

struct error {
    text code, message;
    text match;             /* optional: a null pointer when absent */
    msgpack_object request; /* optional: nil when absent */
};

struct bye {
    text reason;
};

enum message_type {
    MESSAGE_UNKNOWN, /* of a later version: to be ignored */
    MESSAGE_WELCOME,
    MESSAGE_MATCH_START,
    MESSAGE_REQUEST,
    MESSAGE_MATCH_END,
    MESSAGE_ERROR,
    MESSAGE_BYE,
};

struct message {
    enum message_type type;
    union {
        struct welcome welcome;
        struct match_start match_start;
        struct request request;
        struct match_end match_end;
        struct error error;
        struct bye bye;
    } body;
};

/* Holds what a decoded message refers to. A card takes a byte of its frame at least, so there is always room.
 * All zero before its first use. */
struct decoder {
    msgpack_unpacked unpacked;
    size_t cards_used;
    int cards[MAX_MESSAGE];
    struct cards actions[MAX_LIST];
};

/* False for a frame that is no message. Ends the life of the message before. */
bool decode(struct decoder *decoder, const char *frame, size_t size, struct message *message);
void decoder_free(struct decoder *decoder);

/* The value of a key; NULL when it is absent, or nil, which means the same. */
const msgpack_object *member(const msgpack_object *map, const char *key);

struct hello {
    int protocol;
    const char *token;
    const char *name, *author, *language, *version; /* optional: NULL when absent */
    int concurrency;
};

struct action {
    text match;
    msgpack_object request;
    struct cards action;
};

struct frame {
    size_t size;
    char bytes[MAX_MESSAGE];
};

/* False when the message is longer than a frame may be. */
bool encode_hello(const struct hello *hello, struct frame *frame);
bool encode_action(const struct action *action, struct frame *frame);

#endif
