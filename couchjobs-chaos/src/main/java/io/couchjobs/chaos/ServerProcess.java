package io.couchjobs.chaos;

import io.couchjobs.embedded.EmbeddedCouch;
import java.io.IOException;
import java.nio.file.Path;

/** A process with an embedded server, which runs until its standard input ends. Arguments: the folder of the data, and the port. */
final class ServerProcess {
    /** The environment variable with the administrator, such as {@code root:secret}; may be missing. */
    static final String ADMIN = "COUCHJOBS_CHAOS_ADMIN";

    private ServerProcess() {}

    public static void main(String[] arguments) throws IOException {
        EmbeddedCouch.Builder builder =
                EmbeddedCouch.builder().directory(Path.of(arguments[0])).port(Integer.parseInt(arguments[1]));
        String[] admin = System.getenv().getOrDefault(ADMIN, "").split(":", 2);
        if (admin.length == 2) {
            builder.admin(admin[0], admin[1]);
        }
        try (EmbeddedCouch couch = builder.start()) {
            System.err.println("listens at " + couch.url());
            while (System.in.read() >= 0) {
                // ignore input
            }
        }
    }
}
