package bot;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;

/**
 * As much of a ZeroMQ DEALER socket as a bot needs: it connects to one ROUTER, and every message is one frame.
 *
 * <p>It speaks ZMTP 3.0 (https://rfc.zeromq.org/spec/23) with the mechanism NULL. Each side sends a greeting of fixed
 * size, then a command READY; after that there are only frames: a byte of flags, a length, and so many bytes.
 */
final class DealerSocket implements Closeable {
    private static final int MORE = 1;
    private static final int LONG = 2;
    private static final int COMMAND = 4;

    private static final int GREETING_SIZE = 64;
    private static final int MAJOR_VERSION = 3;
    private static final byte[] READY = "\5READY\13Socket-Type\0\0\0\6DEALER".getBytes(US_ASCII);

    /** Bytes of the longest message. */
    private static final int MAX_MESSAGE = 65_536;

    private final SocketChannel channel;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Connects to an endpoint, {@code ipc://PATH} or {@code tcp://HOST:PORT}; an IOException when nobody is there. */
    DealerSocket(String endpoint) throws IOException {
        channel = SocketChannel.open(address(endpoint));
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        greet();
    }

    private static SocketAddress address(String endpoint) {
        if (endpoint.startsWith("ipc://")) {
            return UnixDomainSocketAddress.of(endpoint.substring("ipc://".length()));
        }
        var uri = URI.create(endpoint);
        return new InetSocketAddress(uri.getHost(), uri.getPort());
    }

    private void greet() throws IOException {
        var greeting = ByteBuffer.allocate(GREETING_SIZE)
                .put(0, (byte) 0xff)
                .put(9, (byte) 0x7f)
                .put(10, (byte) MAJOR_VERSION)
                .put(12, "NULL".getBytes(US_ASCII));
        out.write(greeting.array());
        out.flush();
        byte[] theirs = new byte[GREETING_SIZE];
        in.readFully(theirs);
        if (theirs[0] != (byte) 0xff || theirs[10] < MAJOR_VERSION) {
            throw new ProtocolException("what answers is not ZeroMQ, or too old");
        }
        write(COMMAND, READY);
        var answer = read();
        var text = new String(answer.body, US_ASCII);
        if (!answer.isCommand() || !text.startsWith("\5READY")) {
            throw new ProtocolException("the handshake failed: " + text.strip());
        }
    }

    /** Sends one message of one frame. */
    void send(byte[] frame) throws IOException {
        write(0, frame);
    }

    /** Waits for the next message; an EOFException when the other side has closed the connection. */
    byte[] receive() throws IOException {
        var frame = read();
        while (frame.isCommand()) { // none of ZeroMQ's own commands matters to a bot
            frame = read();
        }
        return frame.body;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private record Frame(int flags, byte[] body) {
        boolean isCommand() {
            return (flags & COMMAND) != 0;
        }
    }

    private Frame read() throws IOException {
        int flags = in.readUnsignedByte();
        long size = (flags & LONG) != 0 ? in.readLong() : in.readUnsignedByte();
        if ((flags & MORE) != 0 || size < 0 || size > MAX_MESSAGE) {
            throw new ProtocolException("a message has more than one frame, or more than " + MAX_MESSAGE + " bytes");
        }
        byte[] body = new byte[(int) size];
        in.readFully(body);
        return new Frame(flags, body);
    }

    private void write(int flags, byte[] body) throws IOException {
        if (body.length < 256) {
            out.writeByte(flags);
            out.writeByte(body.length);
        } else {
            out.writeByte(flags | LONG);
            out.writeLong(body.length);
        }
        out.write(body);
        out.flush();
    }
}
