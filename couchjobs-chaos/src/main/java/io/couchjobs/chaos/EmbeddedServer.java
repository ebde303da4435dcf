package io.couchjobs.chaos;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An embedded server in a separate process, which keeps its data in a folder. Not thread-safe. */
final class EmbeddedServer implements Server {
    private final Path folder;
    private final int port;
    private final String admin;
    private Child process;

    /** Starts a server. {@code admin} is an administrator such as {@code root:secret}; if empty, every client has all rights. */
    EmbeddedServer(Path folder, String admin) throws IOException {
        this.folder = folder;
        this.admin = admin;
        try (ServerSocket socket = new ServerSocket(0)) {
            this.port = socket.getLocalPort();
        }
        this.process = start();
    }

    private Child start() throws IOException {
        return Child.start(
                ServerProcess.class,
                folder.resolve("server.log"),
                Map.of(ServerProcess.ADMIN, admin),
                List.of(folder.resolve("data").toString(), Integer.toString(port)));
    }

    @Override
    public List<URI> nodes() {
        String user = admin.isEmpty() ? "" : admin + "@";
        return List.of(URI.create("http://" + user + "127.0.0.1:" + port + "/"));
    }

    @Override
    public Set<Fault> possible() {
        return Set.of(Fault.KILL_SERVER, Fault.FREEZE_SERVER);
    }

    @Override
    public void begin(Fault fault, int node) {
        if (fault == Fault.KILL_SERVER) {
            process.kill();
        } else {
            process.freeze();
        }
    }

    @Override
    public void end(Fault fault, int node) throws IOException {
        if (fault == Fault.KILL_SERVER) {
            process = start();
        } else {
            process.thaw();
        }
    }

    @Override
    public void close() {
        process.kill();
    }
}
