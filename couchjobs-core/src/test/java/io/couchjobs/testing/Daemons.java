package io.couchjobs.testing;

import java.io.IOException;

/** Threads that end with what they read or accept from. */
final class Daemons {
    private Daemons() {}

    /** Something that goes on until a socket is closed. */
    interface Task {
        void run() throws IOException;
    }

    static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException closed) {
                        // the other end notices
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
