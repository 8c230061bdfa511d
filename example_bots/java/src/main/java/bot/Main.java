package bot;

import bot.Message.Action;
import bot.Message.Bye;
import bot.Message.Error;
import bot.Message.Hello;
import bot.Message.Request;
import java.io.EOFException;
import java.io.IOException;

/** Connects to the arena that started this process, and answers its requests until it says bye. */
public final class Main {
    private static final int PROTOCOL_VERSION = 1;

    private Main() {}

    public static void main(String[] args) {
        String endpoint = System.getenv("ARENA_ENDPOINT");
        String token = System.getenv("ARENA_TOKEN");
        if (endpoint == null || token == null) {
            System.err.println("This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not"
                    + " set).\nName its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`.");
            System.exit(2);
        }
        exitWithParent();
        try (var socket = new DealerSocket(endpoint)) {
            var hello = new Hello(PROTOCOL_VERSION, token, "Thoughtful in Java", null, "java", "1.0.0", 1);
            socket.send(hello.encode());
            serve(socket);
        } catch (EOFException e) {
            System.err.println("the arena is gone");
        } catch (IOException e) {
            System.err.println("the link to the arena is broken: " + e);
            System.exit(1);
        }
    }

    /** Every message after hello. Most are only for reading, and want no answer. */
    private static void serve(DealerSocket socket) throws IOException {
        while (true) {
            var message = Message.decode(socket.receive());
            if (message instanceof Request request) {
                var action = Thoughtful.choose(request);
                socket.send(new Action(request.match(), request.request(), action).encode());
            } else if (message instanceof Error error) {
                System.err.println("the arena objects: " + error.message() + " (" + error.code() + ")");
            } else if (message instanceof Bye) {
                return;
            }
        }
    }

    /** The connection breaks when the arena dies; its launcher, if there is one between, can die alone. */
    private static void exitWithParent() {
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> System.exit(0)));
    }
}
