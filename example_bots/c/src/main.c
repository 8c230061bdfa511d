/* A bot for the arena: says hello, answers requests, leaves at the bye. How it plays is in strategy.c. */
#include "messages.h"
#include "strategy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
    TICK_MS = 1000,     /* how often an idle bot looks whether the arena is still there */
    LINGER_MS = 1000,   /* how long closing may take to deliver what was sent */
    GREETING_TICKS = 60 /* ticks without a welcome after which nobody is there: the arena can be gone before this
                           process could look who its parent is */
};

static struct decoder decoder;
static struct frame received, sent;

static bool complain(const char *doing)
{
    fprintf(stderr, "%s: %s\n", doing, zmq_strerror(errno));
    return false;
}

static bool answer(void *socket, const struct request *request)
{
    struct action action = {request->match, request->request, choose(request)};
    if (!encode_action(&action, &sent)) {
        fputs("the action is too long for a message\n", stderr);
        return false;
    }
    return zmq_send(socket, sent.bytes, sent.size, 0) >= 0 || complain("sending an action");
}

static void print_error(const struct error *error)
{
    fprintf(stderr, "the arena objects: %.*s (%.*s)\n", (int)error->message.size, error->message.ptr,
            (int)error->code.size, error->code.ptr);
}

/* Everything after hello. True when the bot may leave in peace. */
static bool converse(void *socket)
{
    const pid_t parent = getppid();
    bool is_welcome = false;
    for (int ticks = 0;;) {
        int size = zmq_recv(socket, received.bytes, sizeof received.bytes, 0);
        if (size < 0) {
            if (errno != EAGAIN && errno != EINTR)
                return complain("receiving");
            if (getppid() != parent || (!is_welcome && ++ticks >= GREETING_TICKS)) {
                fputs("the arena is gone\n", stderr);
                return true;
            }
            continue;
        }
        struct message message;
        if (!decode(&decoder, received.bytes, (size_t)size, &message)) {
            fputs("ignored a frame that is no message\n", stderr);
            continue;
        }
        switch (message.type) {
        case MESSAGE_WELCOME:
            is_welcome = true;
            break;
        case MESSAGE_REQUEST:
            if (!answer(socket, &message.body.request))
                return false;
            break;
        case MESSAGE_ERROR:
            print_error(&message.body.error);
            break;
        case MESSAGE_BYE:
            return true;
        case MESSAGE_MATCH_START: /* for bots that keep memory */
        case MESSAGE_MATCH_END:
        case MESSAGE_UNKNOWN:
            break;
        }
    }
}

static bool play(void *socket, const char *endpoint, const struct hello *hello)
{
    const int tick = TICK_MS, linger = LINGER_MS;
    const int64_t largest = MAX_MESSAGE;
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &tick, sizeof tick);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
    if (zmq_connect(socket, endpoint) < 0)
        return complain("connecting to ARENA_ENDPOINT");
    if (!encode_hello(hello, &sent) || zmq_send(socket, sent.bytes, sent.size, 0) < 0)
        return complain("saying hello");
    return converse(socket);
}

/* How many matches at once this process offers to play; 0 if the command line makes no sense. */
static int concurrency_from(int argc, char **argv)
{
    if (argc == 1)
        return 1;
    if (argc != 3 || strcmp(argv[1], "--concurrency") != 0)
        return 0;
    char *end;
    long matches = strtol(argv[2], &end, 10);
    return *end == '\0' && matches >= 1 && matches <= MAX_CONCURRENCY ? (int)matches : 0;
}

int main(int argc, char **argv)
{
    const char *endpoint = getenv("ARENA_ENDPOINT"), *token = getenv("ARENA_TOKEN");
    const int concurrency = concurrency_from(argc, argv);
    if (concurrency == 0) {
        fprintf(stderr, "usage: %s [--concurrency MATCHES], MATCHES from 1 to %d\n", argv[0], MAX_CONCURRENCY);
        return 2;
    }
    if (endpoint == NULL || token == NULL) {
        fputs("This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not set).\n"
              "Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`.\n", stderr);
        return 2;
    }
    const struct hello hello = {.protocol = PROTOCOL_VERSION, .token = token, .name = "Thoughtful in C",
                                .language = "c", .version = "1.0.0", .concurrency = concurrency};
    void *context = zmq_ctx_new();
    void *socket = context == NULL ? NULL : zmq_socket(context, ZMQ_DEALER);
    bool ok = socket == NULL ? complain("opening a socket") : play(socket, endpoint, &hello);
    decoder_free(&decoder);
    if (socket != NULL)
        zmq_close(socket);
    if (context != NULL)
        zmq_ctx_term(context);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
