package io.couchjobs.chaos;

import io.couchjobs.embedded.EmbeddedCouch;
import java.io.IOException;
import java.nio.file.Path;

/** An embedded server with a process of its own, until its standard input ends. Its arguments: the folder of its data, its port. */
final class ServerProcess {
    /** Names the environment variable of its administrator, such as {@code root:secret}, or nothing. */
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
                // nothing is said
            }
        }
    }
}
