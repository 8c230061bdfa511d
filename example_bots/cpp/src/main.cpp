/// A bot for the arena: says hello, answers requests, leaves at the bye. How it plays is in strategy.cpp.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <zmq.hpp>

#include "messages.hpp"
#include "strategy.hpp"

namespace {

constexpr int tick_ms = 1000;    ///< how often an idle bot looks whether the arena is still there
constexpr int linger_ms = 1000;  ///< how long closing may take to deliver what was sent
/// Ticks without a welcome after which nobody is there: the arena can be gone before this process could look who its
/// parent is.
constexpr int greeting_ticks = 60;

void send(zmq::socket_t& socket, const msgpack::sbuffer& frame) {
    socket.send(zmq::buffer(frame.data(), frame.size()));
}

/// Everything after hello.
void converse(zmq::socket_t& socket) {
    const auto parent = getppid();
    bool is_welcome = false;
    int ticks = 0;
    zmq::message_t frame;
    while (true) {
        if (!socket.recv(frame)) {
            if (getppid() != parent || (!is_welcome && ++ticks >= greeting_ticks)) {
                std::cerr << "the arena is gone\n";
                return;
            }
            continue;
        }
        const auto message = decode(frame.to_string_view());
        if (!message) {
            std::cerr << "ignored a frame that is no message\n";
        } else if (const auto* request = std::get_if<Request>(&*message)) {
            send(socket, encode(Action{.match = request->match, .request = request->request,
                                       .action = choose(*request)}));
        } else if (const auto* error = std::get_if<Error>(&*message)) {
            std::cerr << "the arena objects: " << error->message << " (" << error->code << ")\n";
        } else if (std::holds_alternative<Welcome>(*message)) {
            is_welcome = true;
        } else if (std::holds_alternative<Bye>(*message)) {
            return;
        }
    }
}

}  // namespace

int main() try {
    const char* endpoint = std::getenv("ARENA_ENDPOINT");
    const char* token = std::getenv("ARENA_TOKEN");
    if (!endpoint || !token) {
        std::cerr << "This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not set).\n"
                     "Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`.\n";
        return 2;
    }
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::rcvtimeo, tick_ms);
    socket.set(zmq::sockopt::linger, linger_ms);
    socket.set(zmq::sockopt::maxmsgsize, std::int64_t{max_message});
    socket.connect(endpoint);
    send(socket, encode(Hello{.token = token, .name = "Thoughtful in C++", .language = "c++", .version = "1.0.0"}));
    converse(socket);
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
}
