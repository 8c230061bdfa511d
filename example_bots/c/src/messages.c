#include "messages.h"

#include <limits.h>
#include <string.h>

/* --- decoding: what each key may hold, and where it goes ------------------------------------------------------- */

typedef bool reader(const msgpack_object *value, void *target, struct decoder *decoder);

struct field {
    const char *key;
    size_t offset;
    bool required;
    reader *read;
};

static bool is_text(const msgpack_object *value, const char *expected)
{
    size_t size = strlen(expected);
    return value->type == MSGPACK_OBJECT_STR && value->via.str.size == size &&
           memcmp(value->via.str.ptr, expected, size) == 0;
}

const msgpack_object *member(const msgpack_object *map, const char *key)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (is_text(&pair->key, key))
            return pair->val.type == MSGPACK_OBJECT_NIL ? NULL : &pair->val;
    }
    return NULL;
}

/* Unknown keys are never looked at: version 1 may grow. */
static bool read_fields(const msgpack_object *map, const struct field *fields, void *into, struct decoder *decoder)
{
    for (const struct field *field = fields; field->key != NULL; field++) {
        const msgpack_object *value = member(map, field->key);
        if (value == NULL ? field->required : !field->read(value, (char *)into + field->offset, decoder))
            return false;
    }
    return true;
}

static bool read_any(const msgpack_object *value, void *target, struct decoder *decoder)
{
    (void)decoder;
    *(msgpack_object *)target = *value;
    return true;
}

static bool read_id(const msgpack_object *value, void *target, struct decoder *decoder)
{
    return (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER || value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) &&
           read_any(value, target, decoder);
}

static bool read_text(const msgpack_object *value, void *target, struct decoder *decoder)
{
    (void)decoder;
    *(text *)target = value->via.str;
    return value->type == MSGPACK_OBJECT_STR;
}

static bool read_long(const msgpack_object *value, void *target, struct decoder *decoder)
{
    (void)decoder;
    *(int64_t *)target = value->via.i64;
    return value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ||
           (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 <= INT64_MAX);
}

static bool read_int(const msgpack_object *value, void *target, struct decoder *decoder)
{
    int64_t number;
    if (!read_long(value, &number, decoder) || number < INT_MIN || number > INT_MAX)
        return false;
    *(int *)target = (int)number;
    return true;
}

static bool read_cards(const msgpack_object *value, void *target, struct decoder *decoder)
{
    if (value->type != MSGPACK_OBJECT_ARRAY)
        return false;
    const msgpack_object_array *list = &value->via.array;
    int *cards = decoder->cards + decoder->cards_used;
    for (uint32_t i = 0; i < list->size; i++)
        if (!read_int(&list->ptr[i], &cards[i], decoder))
            return false;
    decoder->cards_used += list->size;
    *(struct cards *)target = (struct cards){cards, list->size};
    return true;
}

static bool read_actions(const msgpack_object *value, void *target, struct decoder *decoder)
{
    if (value->type != MSGPACK_OBJECT_ARRAY || value->via.array.size > MAX_LIST)
        return false;
    const msgpack_object_array *list = &value->via.array;
    for (uint32_t i = 0; i < list->size; i++)
        if (!read_cards(&list->ptr[i], &decoder->actions[i], decoder))
            return false;
    *(struct actions *)target = (struct actions){decoder->actions, list->size};
    return true;
}

static bool read_phase(const msgpack_object *value, void *target, struct decoder *decoder)
{
    (void)decoder;
    static const char *const names[] = {
        [PHASE_REPLACE] = "replace", [PHASE_DUEL] = "duel", [PHASE_ATTACK] = "attack", [PHASE_DEFEND] = "defend"};
    enum phase *phase = target;
    for (*phase = PHASE_DEFEND; *phase != PHASE_UNKNOWN && !is_text(value, names[*phase]); --*phase)
        ;
    return value->type == MSGPACK_OBJECT_STR;
}

#define REQUIRED(of, key, reader) {#key, offsetof(struct of, key), true, reader}
#define OPTIONAL(of, key, reader) {#key, offsetof(struct of, key), false, reader}
#define END {NULL, 0, false, NULL}

/* What is in an observation is the game's affair; the protocol promises nothing but a map. */
static const struct field observation_fields[] = {
    OPTIONAL(observation, phase, read_phase),
    OPTIONAL(observation, round, read_int),
    OPTIONAL(observation, space, read_int),
    OPTIONAL(observation, covered, read_cards),
    OPTIONAL(observation, wins_needed, read_cards),
    OPTIONAL(observation, hand, read_cards),
    OPTIONAL(observation, opponent_cards, read_int),
    OPTIONAL(observation, discarded, read_cards),
    OPTIONAL(observation, draw_pile, read_int),
    OPTIONAL(observation, max_replace, read_int),
    OPTIONAL(observation, attack, read_cards),
    END,
};

static bool read_observation(const msgpack_object *value, void *target, struct decoder *decoder)
{
    return value->type == MSGPACK_OBJECT_MAP && read_fields(value, observation_fields, target, decoder);
}

static const struct {
    const char *name;
    struct field fields[8];
} layouts[] = {
    [MESSAGE_WELCOME] = {"welcome",
                         {REQUIRED(welcome, protocol, read_int), REQUIRED(welcome, arena, read_text),
                          REQUIRED(welcome, bot, read_text), REQUIRED(welcome, max_message, read_int), END}},
    [MESSAGE_MATCH_START] = {"match_start",
                             {REQUIRED(match_start, match, read_text), REQUIRED(match_start, game, read_text),
                              REQUIRED(match_start, seat, read_int), REQUIRED(match_start, players, read_any),
                              REQUIRED(match_start, rules, read_any), REQUIRED(match_start, time, read_any), END}},
    [MESSAGE_REQUEST] = {"request",
                         {REQUIRED(request, match, read_text), REQUIRED(request, request, read_id),
                          REQUIRED(request, seat, read_int), REQUIRED(request, observation, read_observation),
                          REQUIRED(request, events, read_any), OPTIONAL(request, legal_actions, read_actions),
                          REQUIRED(request, time_ms, read_long), END}},
    [MESSAGE_MATCH_END] = {"match_end",
                           {REQUIRED(match_end, match, read_text), OPTIONAL(match_end, winner, read_id),
                            REQUIRED(match_end, reason, read_text), REQUIRED(match_end, detail, read_text),
                            REQUIRED(match_end, events, read_any), END}},
    [MESSAGE_ERROR] = {"error",
                       {REQUIRED(error, code, read_text), REQUIRED(error, message, read_text),
                        OPTIONAL(error, match, read_text), OPTIONAL(error, request, read_id), END}},
    [MESSAGE_BYE] = {"bye", {REQUIRED(bye, reason, read_text), END}},
};

bool decode(struct decoder *decoder, const char *frame, size_t size, struct message *message)
{
    size_t end = 0;
    decoder->cards_used = 0;
    *message = (struct message){.type = MESSAGE_UNKNOWN};
    if (size > MAX_MESSAGE || msgpack_unpack_next(&decoder->unpacked, frame, size, &end) != MSGPACK_UNPACK_SUCCESS ||
        end != size)
        return false;
    const msgpack_object *type = member(&decoder->unpacked.data, "type");
    if (type == NULL || type->type != MSGPACK_OBJECT_STR)
        return false;
    for (enum message_type known = MESSAGE_WELCOME; known <= MESSAGE_BYE; known++)
        if (is_text(type, layouts[known].name)) {
            message->type = known;
            return read_fields(&decoder->unpacked.data, layouts[known].fields, &message->body, decoder);
        }
    return true;
}

void decoder_free(struct decoder *decoder)
{
    msgpack_unpacked_destroy(&decoder->unpacked);
}

/* --- encoding -------------------------------------------------------------------------------------------------- */

static int append(void *data, const char *bytes, size_t size)
{
    struct frame *frame = data;
    if (size > MAX_MESSAGE - frame->size)
        return -1;
    memcpy(frame->bytes + frame->size, bytes, size);
    frame->size += size;
    return 0;
}

static bool pack_text(msgpack_packer *packer, text value)
{
    return msgpack_pack_str(packer, value.size) == 0 && msgpack_pack_str_body(packer, value.ptr, value.size) == 0;
}

static bool pack_string(msgpack_packer *packer, const char *string)
{
    return pack_text(packer, (text){(uint32_t)strlen(string), string});
}

static bool pack_cards(msgpack_packer *packer, struct cards cards)
{
    bool fits = msgpack_pack_array(packer, cards.count) == 0;
    for (size_t i = 0; i < cards.count && fits; i++)
        fits = msgpack_pack_int(packer, cards.card[i]) == 0;
    return fits;
}

static msgpack_packer start(struct frame *frame)
{
    msgpack_packer packer;
    frame->size = 0;
    msgpack_packer_init(&packer, frame, append);
    return packer;
}

bool encode_hello(const struct hello *hello, struct frame *frame)
{
    const char *const labels[][2] = {
        {"name", hello->name}, {"author", hello->author}, {"language", hello->language}, {"version", hello->version}};
    size_t known = sizeof labels / sizeof *labels, given = 0;
    for (size_t i = 0; i < known; i++)
        given += labels[i][1] != NULL;

    msgpack_packer packer = start(frame);
    bool fits = msgpack_pack_map(&packer, 4 + given) == 0 &&
                pack_string(&packer, "type") && pack_string(&packer, "hello") &&
                pack_string(&packer, "protocol") && msgpack_pack_int(&packer, hello->protocol) == 0 &&
                pack_string(&packer, "token") && pack_string(&packer, hello->token);
    for (size_t i = 0; i < known && fits; i++)
        if (labels[i][1] != NULL)
            fits = pack_string(&packer, labels[i][0]) && pack_string(&packer, labels[i][1]);
    return fits && pack_string(&packer, "concurrency") && msgpack_pack_int(&packer, hello->concurrency) == 0;
}

bool encode_action(const struct action *action, struct frame *frame)
{
    msgpack_packer packer = start(frame);
    return msgpack_pack_map(&packer, 4) == 0 &&
           pack_string(&packer, "type") && pack_string(&packer, "action") &&
           pack_string(&packer, "match") && pack_text(&packer, action->match) &&
           pack_string(&packer, "request") && msgpack_pack_object(&packer, action->request) == 0 &&
           pack_string(&packer, "action") && pack_cards(&packer, action->action);
}
