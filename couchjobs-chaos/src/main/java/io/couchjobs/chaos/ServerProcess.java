package io.couchjobs.chaos;

import io.couchjobs.embedded.EmbeddedCouch;
import java.io.IOException;
import java.nio.file.Path;

/** An embedded server with a process of its own, until its standard input ends. Its arguments: the folder of its data, its port. */
final class ServerProcess {
    private ServerProcess() {}

    public static void main(String[] arguments) throws IOException {
        try (EmbeddedCouch couch = EmbeddedCouch.builder()
                .directory(Path.of(arguments[0]))
                .port(Integer.parseInt(arguments[1]))
                .start()) {
            System.err.println("listens at " + couch.url());
            while (System.in.read() >= 0) {
                // nothing is said
            }
        }
    }
}
