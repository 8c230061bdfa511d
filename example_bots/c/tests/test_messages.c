/* The golden vectors of the specification, through the bot's own messages. */
#include "check.h"
#include "messages.h"

#include <json-c/json.h>
#include <limits.h>
#include <string.h>

static struct decoder decoder;

/* --- whether something is what a vector's JSON says; an absent key is as good as a zero, an empty list or nil --- */

static json_object *get(const json_object *json, const char *key)
{
    return json_object_object_get(json, key);
}

static bool is_string(const json_object *json, text found)
{
    return json_object_is_type(json, json_type_string) &&
           (size_t)json_object_get_string_len(json) == found.size &&
           memcmp(json_object_get_string((json_object *)json), found.ptr, found.size) == 0;
}

static bool is_number(const json_object *json, int64_t found)
{
    return json == NULL ? found == 0 : json_object_is_type(json, json_type_int) && json_object_get_int64(json) == found;
}

static bool is_cards(const json_object *json, struct cards found)
{
    if (json == NULL)
        return found.count == 0;
    bool same = json_object_array_length(json) == found.count;
    for (size_t i = 0; i < found.count && same; i++)
        same = is_number(json_object_array_get_idx(json, i), found.card[i]);
    return same;
}

static bool is_actions(const json_object *json, struct actions found)
{
    if (json == NULL)
        return found.count == 0;
    bool same = json_object_array_length(json) == found.count;
    for (size_t i = 0; i < found.count && same; i++)
        same = is_cards(json_object_array_get_idx(json, i), found.action[i]);
    return same;
}

static bool is_phase(const json_object *json, enum phase found)
{
    static const char *const names[] = {[PHASE_REPLACE] = "replace", [PHASE_DUEL] = "duel",
                                        [PHASE_ATTACK] = "attack", [PHASE_DEFEND] = "defend"};
    if (json == NULL || found == PHASE_UNKNOWN)
        return json == NULL && found == PHASE_UNKNOWN;
    return strcmp(json_object_get_string((json_object *)json), names[found]) == 0;
}

static bool is_object(const json_object *json, const msgpack_object *found)
{
    bool same;
    switch (found->type) {
    case MSGPACK_OBJECT_NIL:
        return json == NULL;
    case MSGPACK_OBJECT_BOOLEAN:
        return json_object_is_type(json, json_type_boolean) && json_object_get_boolean(json) == found->via.boolean;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return json_object_is_type(json, json_type_int) && json_object_get_uint64(json) == found->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return json_object_is_type(json, json_type_int) && json_object_get_int64(json) == found->via.i64;
    case MSGPACK_OBJECT_STR:
        return is_string(json, found->via.str);
    case MSGPACK_OBJECT_ARRAY:
        same = json_object_is_type(json, json_type_array) && json_object_array_length(json) == found->via.array.size;
        for (uint32_t i = 0; same && i < found->via.array.size; i++)
            same = is_object(json_object_array_get_idx(json, i), &found->via.array.ptr[i]);
        return same;
    case MSGPACK_OBJECT_MAP:
        same = json_object_is_type(json, json_type_object) &&
               (size_t)json_object_object_length(json) == found->via.map.size;
        for (uint32_t i = 0; same && i < found->via.map.size; i++) {
            const text key = found->via.map.ptr[i].key.via.str;
            char name[64] = {0};
            memcpy(name, key.ptr, key.size < sizeof name ? key.size : sizeof name - 1);
            same = is_object(get(json, name), &found->via.map.ptr[i].val);
        }
        return same;
    default:
        return false;
    }
}

/* --- one message each ------------------------------------------------------------------------------------------ */

static bool is_welcome(const json_object *json, const struct welcome *found)
{
    return is_number(get(json, "protocol"), found->protocol) && is_string(get(json, "arena"), found->arena) &&
           is_string(get(json, "bot"), found->bot) && is_number(get(json, "max_message"), found->max_message);
}

static bool is_match_start(const json_object *json, const struct match_start *found)
{
    return is_string(get(json, "match"), found->match) && is_string(get(json, "game"), found->game) &&
           is_number(get(json, "seat"), found->seat) && is_object(get(json, "players"), &found->players) &&
           is_object(get(json, "rules"), &found->rules) && is_object(get(json, "time"), &found->time);
}

static bool is_observation(const json_object *json, const struct observation *found)
{
    return is_phase(get(json, "phase"), found->phase) && is_number(get(json, "round"), found->round) &&
           is_number(get(json, "space"), found->space) && is_cards(get(json, "covered"), found->covered) &&
           is_cards(get(json, "wins_needed"), found->wins_needed) && is_cards(get(json, "hand"), found->hand) &&
           is_number(get(json, "opponent_cards"), found->opponent_cards) &&
           is_cards(get(json, "discarded"), found->discarded) &&
           is_number(get(json, "draw_pile"), found->draw_pile) &&
           is_number(get(json, "max_replace"), found->max_replace) && is_cards(get(json, "attack"), found->attack);
}

static bool is_request(const json_object *json, const struct request *found)
{
    return is_string(get(json, "match"), found->match) && is_object(get(json, "request"), &found->request) &&
           is_number(get(json, "seat"), found->seat) &&
           is_observation(get(json, "observation"), &found->observation) &&
           is_object(get(json, "events"), &found->events) &&
           is_actions(get(json, "legal_actions"), found->legal_actions) &&
           is_number(get(json, "time_ms"), found->time_ms);
}

static bool is_match_end(const json_object *json, const struct match_end *found)
{
    return is_string(get(json, "match"), found->match) && is_object(get(json, "winner"), &found->winner) &&
           is_string(get(json, "reason"), found->reason) && is_string(get(json, "detail"), found->detail) &&
           is_object(get(json, "events"), &found->events);
}

static bool is_error(const json_object *json, const struct error *found)
{
    const json_object *match = get(json, "match");
    return is_string(get(json, "code"), found->code) && is_string(get(json, "message"), found->message) &&
           (match == NULL ? found->match.ptr == NULL : is_string(match, found->match)) &&
           is_object(get(json, "request"), &found->request);
}

static bool is_message(const json_object *json, const struct message *found)
{
    const char *type = json_object_get_string(get(json, "type"));
    switch (found->type) {
    case MESSAGE_WELCOME: return strcmp(type, "welcome") == 0 && is_welcome(json, &found->body.welcome);
    case MESSAGE_MATCH_START: return strcmp(type, "match_start") == 0 && is_match_start(json, &found->body.match_start);
    case MESSAGE_REQUEST: return strcmp(type, "request") == 0 && is_request(json, &found->body.request);
    case MESSAGE_MATCH_END: return strcmp(type, "match_end") == 0 && is_match_end(json, &found->body.match_end);
    case MESSAGE_ERROR: return strcmp(type, "error") == 0 && is_error(json, &found->body.error);
    case MESSAGE_BYE: return strcmp(type, "bye") == 0 && is_string(get(json, "reason"), found->body.bye.reason);
    case MESSAGE_UNKNOWN: break;
    }
    return strcmp(type, "hello") == 0 || strcmp(type, "action") == 0; /* a bot does not receive them */
}

static const char *label(const json_object *json, const char *key)
{
    return json_object_get_string(get(json, key)); /* NULL when absent */
}

static msgpack_object id_from(const json_object *json)
{
    if (json_object_get_int64(json) < 0)
        return (msgpack_object){MSGPACK_OBJECT_NEGATIVE_INTEGER, {.i64 = json_object_get_int64(json)}};
    return (msgpack_object){MSGPACK_OBJECT_POSITIVE_INTEGER, {.u64 = json_object_get_uint64(json)}};
}

/* False for an action that this bot's type cannot hold: anything but a list of integers in the range of int. */
static bool cards_from(const json_object *json, int *card, struct cards *cards)
{
    if (!json_object_is_type(json, json_type_array))
        return false;
    *cards = (struct cards){card, json_object_array_length(json)};
    for (size_t i = 0; i < cards->count; i++) {
        json_object *item = json_object_array_get_idx(json, i);
        if (!json_object_is_type(item, json_type_int) || json_object_get_int64(item) != json_object_get_int(item))
            return false;
        card[i] = json_object_get_int(item);
    }
    return true;
}

/* False for a message that the bot does not send. */
static bool encode_json(const json_object *json, struct frame *frame)
{
    static int card[MAX_LIST];
    struct cards cards;
    const char *type = label(json, "type");
    if (strcmp(type, "hello") == 0) {
        const struct hello hello = {json_object_get_int(get(json, "protocol")), label(json, "token"),
                                    label(json, "name"), label(json, "author"), label(json, "language"),
                                    label(json, "version"), json_object_get_int(get(json, "concurrency"))};
        return encode_hello(&hello, frame);
    }
    if (strcmp(type, "action") == 0 && cards_from(get(json, "action"), card, &cards)) {
        json_object *match = get(json, "match");
        const text id = {(uint32_t)json_object_get_string_len(match), json_object_get_string(match)};
        const struct action action = {id, id_from(get(json, "request")), cards};
        return encode_action(&action, frame);
    }
    return false;
}

/* --- the tests ------------------------------------------------------------------------------------------------- */

/* The frame of a vector in memory of exactly its size, so that the sanitizers see every step beyond it. */
static char *frame_of(const json_object *vector, size_t *size)
{
    const char *hex = label(vector, "hex");
    *size = strlen(hex) / 2;
    char *frame = malloc(*size);
    for (size_t i = 0; i < *size; i++) {
        const char byte[] = {hex[2 * i], hex[2 * i + 1], 0};
        frame[i] = (char)strtoul(byte, NULL, 16);
    }
    return frame;
}

static void test_what_is_received(const json_object *vectors)
{
    int checked[MESSAGE_BYE + 1] = {0};
    for (size_t i = 0; i < json_object_array_length(vectors); i++) {
        const json_object *vector = json_object_array_get_idx(vectors, i);
        struct message message;
        size_t size;
        char *frame = frame_of(vector, &size);
        bool accepted = decode(&decoder, frame, size, &message);
        if (json_object_get_boolean(get(vector, "valid"))) {
            CHECK(accepted, label(vector, "name"));
            CHECK(is_message(get(vector, "json"), &message), label(vector, "name"));
            checked[message.type]++;
        }
        free(frame);
    }
    for (enum message_type type = MESSAGE_WELCOME; type <= MESSAGE_BYE; type++)
        CHECK(checked[type] > 0, "every kind of message");
    CHECK(checked[MESSAGE_REQUEST] >= 6, "every kind of request");
}

static void test_what_is_sent(const json_object *vectors)
{
    static struct frame encoded;
    int checked = 0, identical = 0;
    for (size_t i = 0; i < json_object_array_length(vectors); i++) {
        const json_object *vector = json_object_array_get_idx(vectors, i);
        if (!json_object_get_boolean(get(vector, "valid")) || !encode_json(get(vector, "json"), &encoded))
            continue;
        msgpack_unpacked unpacked = {0};
        size_t end = 0;
        CHECK(msgpack_unpack_next(&unpacked, encoded.bytes, encoded.size, &end) == MSGPACK_UNPACK_SUCCESS &&
              end == encoded.size, label(vector, "name"));
        CHECK(is_object(get(vector, "json"), &unpacked.data), label(vector, "name"));
        msgpack_unpacked_destroy(&unpacked);
        checked++;
        if (json_object_get_boolean(get(vector, "canonical"))) {
            size_t size;
            char *frame = frame_of(vector, &size);
            CHECK(size == encoded.size && memcmp(frame, encoded.bytes, size) == 0, label(vector, "name"));
            free(frame);
            identical++;
        }
    }
    CHECK(checked >= 46 && identical >= 29, "enough messages");
}

/* No prefix of a message is one; a frame with any one bit changed is refused or is some message. */
static void test_damaged_frames(const json_object *vectors)
{
    for (size_t i = 0; i < json_object_array_length(vectors); i++) {
        const json_object *vector = json_object_array_get_idx(vectors, i);
        size_t size;
        char *frame = frame_of(vector, &size);
        for (size_t at = 0; at < size && size < 600; at++) {
            struct message message;
            char *prefix = memcpy(malloc(at + 1), frame, at);
            bool accepted = decode(&decoder, prefix, at, &message);
            CHECK(!accepted || !json_object_get_boolean(get(vector, "valid")), label(vector, "name"));
            free(prefix);
            for (int bit = 1; bit < 0x100; bit <<= 1) {
                frame[at] ^= (char)bit;
                decode(&decoder, frame, size, &message);
                frame[at] ^= (char)bit;
            }
        }
        free(frame);
    }
}

/* A request whose id and keys are as odd as they may be. */
static void test_odd_request(void)
{
    static const char frame[] =
        "\x89\xa4type\xa7request\xa7unknown\x81\xa1x\x91\xc0\xa5match\xa1m"
        "\xa7request\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa4seat\x01"
        "\xabobservation\x81\xa5phase\xaatomorrow's\xa6" "events\x91\x81\xa5" "event\xa5novel"
        "\xadlegal_actions\xc0\xa7time_ms\x00";
    static const char expected[] =
        "\x84\xa4type\xa6" "action\xa5match\xa1m\xa7request\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa6" "action\x90";
    static struct frame encoded;
    struct message message;
    CHECK(decode(&decoder, frame, sizeof frame - 1, &message) && message.type == MESSAGE_REQUEST, "an odd request");
    const struct request *request = &message.body.request;
    CHECK(request->observation.phase == PHASE_UNKNOWN && request->legal_actions.count == 0, "an odd request");
    const struct action action = {request->match, request->request, {NULL, 0}};
    CHECK(encode_action(&action, &encoded) && encoded.size == sizeof expected - 1 &&
          memcmp(encoded.bytes, expected, encoded.size) == 0, "the id is echoed exactly");
}

int main(int argc, char **argv)
{
    json_object *vectors = argc == 2 ? json_object_from_file(argv[1]) : NULL;
    CHECK(json_object_is_type(vectors, json_type_array), "the only argument names vectors.json");
    test_what_is_received(vectors);
    test_what_is_sent(vectors);
    test_damaged_frames(vectors);
    test_odd_request();
    decoder_free(&decoder);
    json_object_put(vectors);
    return EXIT_SUCCESS;
}
