package io.couchjobs.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A port for a server that goes away and comes back. */
public final class LastingPort {
    private LastingPort() {}

    /**
     * {@return a free port, outside of the range that the ports of clients come from: no connection takes it while the server is
     *     away}
     */
    public static int find() throws IOException {
        int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        while (isTaken(port)) {
            port++;
        }
        return port;
    }

    private static boolean isTaken(int port) throws IOException {
        try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return !free.isBound();
        } catch (BindException taken) {
            return true;
        }
    }
}
