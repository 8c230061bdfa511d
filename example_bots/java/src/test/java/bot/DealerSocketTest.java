package bot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a ROUTER's bytes, written down from the specification of ZMTP. Text stands for bytes, one a character. */
@Timeout(10)
class DealerSocketTest {
    private static final String FILLER = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"; // half of what ends a greeting
    private static final String GREETING = "\377\0\0\0\0\0\0\0\1\177\3\1NULL" + FILLER + FILLER;
    private static final String NO_GREETING = "HTTP/1.1 400 Bad" + FILLER + FILLER;
    private static final String READY = "\4\51\5READY\13Socket-Type\0\0\0\6ROUTER\10Identity\0\0\0\0";
    private static final String PING = "\4\7\4PING\0\12";

    @TempDir
    private Path folder;

    private interface Conversation {
        void with(DealerSocket socket) throws IOException;
    }

    /** Lets a socket talk to a peer that says its piece and closes; what the peer heard. */
    private String peer(String piece, Conversation conversation) throws IOException {
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            var path = folder.resolve("peer");
            return peer(server.bind(UnixDomainSocketAddress.of(path)), "ipc://" + path, piece, conversation);
        }
    }

    private static String peer(ServerSocketChannel server, String endpoint, String piece, Conversation conversation)
            throws IOException {
        var heard = CompletableFuture.supplyAsync(() -> {
            try (var channel = server.accept()) {
                channel.write(ByteBuffer.wrap(piece.getBytes(ISO_8859_1)));
                channel.shutdownOutput();
                return new String(Channels.newInputStream(channel).readAllBytes(), ISO_8859_1);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (var socket = new DealerSocket(endpoint)) {
            conversation.with(socket);
        }
        return heard.join();
    }

    private static void exchange(DealerSocket socket) throws IOException {
        assertArrayEquals("short".getBytes(ISO_8859_1), socket.receive());
        assertArrayEquals("x".repeat(256).getBytes(ISO_8859_1), socket.receive());
        socket.send("y".repeat(255).getBytes(ISO_8859_1));
        socket.send("y".repeat(256).getBytes(ISO_8859_1));
        assertThrows(EOFException.class, socket::receive);
    }

    private static final String SAID =
            GREETING + READY + "\0\5short" + PING + "\2\0\0\0\0\0\0\1\0" + "x".repeat(256);
    private static final String HEARD = "\377\0\0\0\0\0\0\0\0\177\3\0NULL" + FILLER + FILLER
            + "\4\34\5READY\13Socket-Type\0\0\0\6DEALER"
            + "\0\377" + "y".repeat(255)
            + "\2\0\0\0\0\0\0\1\0" + "y".repeat(256);

    @Test
    void talksOverUnixDomainSockets() throws IOException {
        assertEquals(HEARD, peer(SAID, DealerSocketTest::exchange));
    }

    @Test
    void talksOverTcp() throws IOException {
        try (var server = ServerSocketChannel.open()) {
            SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            int port = server.bind(any).socket().getLocalPort();
            assertEquals(HEARD, peer(server, "tcp://127.0.0.1:" + port, SAID, DealerSocketTest::exchange));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\1\1a\0\1b", "\2\0\0\0\0\0\1\0\1", "\2\377\0\0\0\0\0\0\0"})
    void refusesWhatIsNoMessageOfOneFrame(String frame) throws IOException {
        peer(GREETING + READY + frame, socket -> assertThrows(ProtocolException.class, socket::receive));
    }

    @ParameterizedTest
    @ValueSource(strings = {NO_GREETING, GREETING + "\4\11\5ERROR\2no"})
    void refusesAHandshakeThatFails(String piece) {
        assertThrows(ProtocolException.class, () -> peer(piece, socket -> {}));
    }

    @Test
    void nobodyThere() {
        assertThrows(IOException.class, () -> peer("", socket -> {}), "closed at once");
        assertThrows(IOException.class, () -> new DealerSocket("ipc://" + folder.resolve("nobody")));
    }
}
